//! Access of a modelled function to memory: it reads, writes, makes and frees objects.
//!
//! None of this is a visible operation: a model that touches memory other threads use says so in the
//! footprint of its operation.

use crate::access::Purpose;
use crate::access::indeterminate::Use;
use crate::environment::Call;
use crate::environment::Environment;
use crate::memory::byte_string::Stretch;
use crate::memory::pieces::{BYTES_A_MARK, pieces};
use crate::memory::{Contents, Life, Object, Origin, Site, SiteKind};
use crate::stop::{Fault, Stop};
use crate::threads::thread::Activation;
use crate::value::{Byte, Value};
use symx_ir::address::{Cell, LARGE_LIMIT};
use symx_ir::{FunctionId, SpanId, TypedAllocation};
use symx_memmodel::ByteRange;
use symx_trace::{Access, FailureDetail, FailureKind, Mode};

/// Single bytes read, or written, without asking in between: some ten-thousandths of a second's work.
const BYTES_BETWEEN: u64 = 1 << 12;

impl<E: Environment> Call<'_, '_, E> {
    /// The live object that contains `length` bytes at `address`.
    pub fn object(&self, address: u64, length: u64, purpose: Purpose) -> Result<&Object, Stop> {
        let (_, object) = self.executor.locate(self.state, address, length, purpose)?;
        self.executor.present.looks_at_memory.set(true);
        if self.executor.visible.as_ref().is_none_or(|visible| visible.contains(&object.site)) {
            self.reach_beyond();
        }
        Ok(object)
    }

    /// The object whose cell `address` falls in, alive or not.
    pub fn object_near(&self, address: u64) -> Option<&Object> {
        self.reach_beyond();
        self.state.memory.near(address)
    }

    /// For people: an object's name.
    pub fn describe(&self, object: &Object) -> String {
        self.executor.describe_object(object)
    }

    /// Whether other threads may be touching the object at `address` as well, so that accessing several bytes
    /// of it in one step would hide interleavings. Also notes that this thread touches it.
    pub fn is_shared(&mut self, address: u64) -> bool {
        self.reach_beyond();
        let Some(cell) = Cell::of(address) else { return false };
        self.executor.is_visible(self.state, self.thread, cell)
    }

    /// Whether accesses to single bytes of the object at `address` count. Other threads may be
    /// [touching](Self::is_shared) it as well, or a trace records them, which is to record the same where
    /// they are visible.
    pub fn is_observed(&mut self, address: u64) -> bool {
        self.reach_beyond();
        let Some(cell) = Cell::of(address) else { return false };
        self.executor.is_observed(self.state, self.thread, cell)
    }

    /// Reads `length` (at most 8) bytes, little-endian, as a value of that many bytes.
    pub fn read(&mut self, address: u64, length: u64) -> Result<Value, Stop> {
        self.touches(address, length, Mode::Read);
        self.read_unseen(address, length)
    }

    /// Reads `length` (at most 8) bytes of a synchronisation object. The object is in the footprint of the
    /// operation, so its bytes need not be.
    pub fn read_object(&mut self, address: u64, length: u64) -> Result<u64, Stop> {
        let value = self.read_unseen(address, length)?;
        self.number_of(value)
    }

    fn read_unseen(&mut self, address: u64, length: u64) -> Result<Value, Stop> {
        let object = self.object(address, length, Purpose::Read)?;
        Ok(object.read(self.terms(), address - object.base, length))
    }

    /// Reads `length` (at most 8) bytes as a concrete number; symbolic bytes fork over their values.
    pub fn read_number(&mut self, address: u64, length: u64) -> Result<u64, Stop> {
        let value = self.read(address, length)?;
        self.number_of(value)
    }

    fn number_of(&mut self, value: Value) -> Result<u64, Stop> {
        if matches!(value, Value::Symbolic(_)) {
            self.reach_beyond();
        }
        self.executor.number_for(self.state, value, Use::Argument(self.frame.function))
    }

    /// Reads a number that is only passed on: unwritten bytes are zeros.
    pub fn read_passed_on(&mut self, address: u64, length: u64) -> Result<u64, Stop> {
        let value = self.read(address, length)?;
        if matches!(value, Value::Symbolic(_)) {
            self.reach_beyond();
        }
        let value = self.executor.passed_on(value);
        self.executor.number_for(self.state, value, Use::Argument(self.frame.function))
    }

    /// Writes the low `length` (at most 8) bytes of `value`.
    pub fn write(&mut self, address: u64, length: u64, value: Value) -> Result<(), Stop> {
        self.touches(address, length, Mode::Write);
        self.write_object(address, length, value)
    }

    /// Writes bytes of a synchronisation object. The object is in the footprint of the operation.
    pub fn write_object(&mut self, address: u64, length: u64, value: Value) -> Result<(), Stop> {
        self.reach_beyond();
        self.state.forget_writes(ByteRange::new(address, length));
        self.executor.write_memory(self.state, address, length, value)?;
        self.trace_written(address, length);
        Ok(())
    }

    /// Reads concrete bytes; symbolic ones fork over their values.
    pub fn read_bytes(&mut self, address: u64, length: u64) -> Result<Vec<u8>, Stop> {
        if length == 0 {
            return Ok(Vec::new());
        }
        self.touches(address, length, Mode::Read);
        let object = self.object(address, length, Purpose::Read)?;
        let bytes = self.copied_out(object, address, length)?;
        if !object.has_symbolic(address - object.base, length) {
            return Ok(bytes);
        }
        let mut bytes = bytes;
        for index in 0..length {
            self.proceed_at(index)?;
            bytes[index as usize] = self.read_number(address + index, 1)? as u8;
        }
        Ok(bytes)
    }

    /// The bytes of an object; 0 for those that are not concrete.
    fn copied_out(&self, object: &Object, address: u64, length: u64) -> Result<Vec<u8>, Stop> {
        self.ask(length)?;
        let mut bytes = vec![0; length as usize];
        for (at, count) in pieces(length, false) {
            self.ask_between(at)?;
            object.copy_out(address - object.base + at, &mut bytes[at as usize..][..count as usize]);
        }
        Ok(bytes)
    }

    /// Asks whether work is to continue, unless it has just begun.
    fn ask_between(&self, at: u64) -> Result<(), Stop> {
        if at > 0 { self.proceed() } else { Ok(()) }
    }

    /// Asks that now and then, in a loop over single bytes.
    fn proceed_at(&self, index: u64) -> Result<(), Stop> {
        if (index + 1).is_multiple_of(BYTES_BETWEEN) { self.proceed() } else { Ok(()) }
    }

    /// Whether some of the `length` bytes at `address` are symbolic.
    pub fn has_symbolic(&self, address: u64, length: u64) -> Result<bool, Stop> {
        if length == 0 {
            return Ok(false);
        }
        let object = self.object(address, length, Purpose::Read)?;
        Ok(object.has_symbolic(address - object.base, length))
    }

    /// Overwrites with concrete bytes.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.reach_beyond();
        if bytes.is_empty() {
            return Ok(());
        }
        let length = bytes.len() as u64;
        self.touches(address, length, Mode::Write);
        let (cell, object) = self.executor.locate(self.state, address, length, Purpose::Write)?;
        let offset = address - object.base;
        for (at, count) in pieces(length, false) {
            self.executor.ask(count)?;
            let piece = &bytes[at as usize..][..count as usize];
            self.state.memory.get_mut(cell).expect("located above").copy_in(offset + at, piece);
        }
        self.state.forget_writes(ByteRange::new(address, length));
        self.trace_written(address, length);
        Ok(())
    }

    /// Fills with a byte.
    pub fn fill(&mut self, address: u64, byte: u8, length: u64) -> Result<(), Stop> {
        self.reach_beyond();
        if length == 0 {
            return Ok(());
        }
        self.touches(address, length, Mode::Write);
        self.executor.fill_memory(self.state, address, Byte::Concrete(byte), length)?;
        self.state.forget_writes(ByteRange::new(address, length));
        self.trace_written(address, length);
        Ok(())
    }

    /// Reads bytes, symbolic ones as they are.
    pub fn read_stretch(&mut self, address: u64, length: u64) -> Result<Stretch, Stop> {
        if length == 0 {
            return Ok(Stretch::default());
        }
        self.touches(address, length, Mode::Read);
        let object = self.object(address, length, Purpose::Read)?;
        let offset = address - object.base;
        let mut bytes = self.copied_out(object, address, length)?;
        let mut symbolic = Vec::new();
        if object.has_symbolic(offset, length) {
            self.ask(length * BYTES_A_MARK)?;
            for at in 0..length {
                self.proceed_at(at)?;
                if let Byte::Symbolic(term) = object.byte(self.terms(), offset + at) {
                    bytes[at as usize] = 0;
                    symbolic.push((at, term));
                }
            }
        }
        // Output of the program must be its own: unwritten bytes are a fault.
        for (_, term) in &mut symbolic {
            *term = self.executor.determinate(self.state, *term, Use::Argument(self.frame.function))?;
        }
        Ok(Stretch { bytes, symbolic })
    }

    /// Overwrites with bytes, symbolic ones included.
    pub fn write_stretch(&mut self, address: u64, stretch: &Stretch) -> Result<(), Stop> {
        self.reach_beyond();
        self.write_bytes(address, &stretch.bytes)?;
        for ((at, term), index) in stretch.symbolic.iter().zip(0..) {
            self.proceed_at(index)?;
            self.write(address + at, 1, Value::Symbolic(*term))?;
        }
        Ok(())
    }

    /// Says what an operation wrote of the memory it announced that it would write at most.
    pub fn has_written(&mut self, address: u64, length: u64) {
        if length > 0 && self.state.order.is_some() && self.state.unjoined > 1 && self.is_shared(address) {
            let written = [Access::write(address, length)];
            self.executor.call_in_order(self.state, self.thread, &written);
        }
    }

    /// Copies `length` bytes, symbolic ones included; the ranges may overlap.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) -> Result<(), Stop> {
        self.reach_beyond();
        self.touches(from, length, Mode::Read);
        self.touches(to, length, Mode::Write);
        self.state.forget_writes(ByteRange::new(to, length));
        self.executor.copy_memory(self.state, to, from, length)?;
        self.trace_written(to, length);
        Ok(())
    }

    /// The concrete bytes of the string at `address`, without its end. Symbolic bytes fork over their values.
    pub fn read_string(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        self.read_string_within(address, u64::MAX)
    }

    /// The same of a string of which nothing is read beyond `most` bytes: one that is no shorter is cut off.
    pub fn read_string_within(&mut self, address: u64, most: u64) -> Result<Vec<u8>, Stop> {
        self.read_until_end(address, most, |call, address| {
            let byte = call.read_number(address, 1)? as u8;
            Ok((byte != 0).then_some(byte))
        })
    }

    /// The same with symbolic bytes as they are. Where the string ends is decided.
    pub fn read_symbolic_string_within(&mut self, address: u64, most: u64) -> Result<Vec<Value>, Stop> {
        self.read_until_end(address, most, |call, address| {
            let byte = call.read(address, 1)?;
            let (byte, is_end) = match byte {
                Value::Concrete(known) => (byte, known == 0),
                Value::Symbolic(term) => {
                    call.reach_beyond();
                    let used = Use::Argument(call.frame.function);
                    let term = call.executor.determinate(call.state, term, used)?;
                    let terms = call.terms();
                    let is_end = Value::of(terms, terms.equal(term, terms.zero(8)));
                    (Value::of(terms, term), call.decide(is_end)?)
                }
            };
            Ok((!is_end).then_some(byte))
        })
    }

    /// What `read` makes of the bytes at `address`, up to one of which it makes nothing, or `most` bytes.
    fn read_until_end<T>(
        &mut self,
        address: u64,
        most: u64,
        read: impl Fn(&mut Self, u64) -> Result<Option<T>, Stop>,
    ) -> Result<Vec<T>, Stop> {
        let mut text = Vec::new();
        for index in 0..most {
            if (index + 1).is_multiple_of(BYTES_BETWEEN) {
                self.proceed()?;
                self.ask(BYTES_BETWEEN)?;
            }
            let Some(byte) = read(self, address + index)? else { break };
            text.push(byte);
        }
        Ok(text)
    }

    /// Makes a heap object of `size` bytes whose allocation site is the innermost call in the program's own
    /// code, sources of libraries and functions that allocate for their callers left out. `None` when the
    /// address space is full or the size too large.
    pub fn allocate(&mut self, size: u64, align_log2: u8, contents: Contents) -> Result<Option<u64>, Stop> {
        self.reach_beyond();
        if size <= LARGE_LIMIT {
            self.executor.ask_for_object(size)?;
        }
        let (site, span, typed) = self.allocation_site();
        let origin = Origin { thread: self.thread, span };
        let address = self.state.memory.allocate(size, align_log2, site, origin, contents).ok();
        if typed.is_some()
            && let Some(object) = address.and_then(Cell::of).and_then(|cell| self.state.memory.get_mut(cell))
        {
            object.typed = typed;
        }
        Ok(address)
    }

    /// Makes a heap object of `size` zero bytes for a parameter of `function`, from 0, which may free it.
    /// `None` when the size is too large.
    pub fn allocate_given(&mut self, size: u64, function: FunctionId, parameter: u32) -> Option<u64> {
        self.reach_beyond();
        let site = Site::new(SiteKind::given(function.0, parameter));
        let origin = Origin { thread: self.thread, span: self.program().function(function).span };
        self.state.memory.allocate(size, 4, site, origin, Contents::Zeros).ok()
    }

    /// Makes an object that belongs to the system, of kind `number`, whose first bytes are `initial`.
    pub fn allocate_system(&mut self, size: u64, number: u32, initial: &[u8]) -> Result<u64, Stop> {
        self.reach_beyond();
        let origin = Origin { thread: self.thread, span: self.span() };
        let site = Site::new(SiteKind::Environment(number));
        let address = (self.state.memory)
            .allocate(size, 4, site, origin, Contents::Zeros)
            .map_err(|_| Stop::unsupported("the address space is full"))?;
        self.write_bytes(address, initial)?;
        Ok(address)
    }

    /// The site, its place in the program's own source, and the innermost call of its module that is known to
    /// allocate for a type: in a header, if one of the library allocates.
    fn allocation_site(&self) -> (Site, SpanId, Option<TypedAllocation>) {
        let program = &self.executor.machine.program;
        let (mut first, mut of_header) = (None, false);
        let (mut innermost, mut passed_on) = (None, None);
        for activation in self.state.thread(self.thread).stack.iter().rev() {
            if let Activation::Program(frame) = activation {
                let function = program.function(frame.function);
                let pc = frame.pc.min(function.code.len() as u32 - 1);
                let site = Site::new(SiteKind::Heap(frame.function.0, pc));
                let span = function.spans[pc as usize];
                if !function.in_program {
                    first.get_or_insert((site, span));
                    continue;
                }
                innermost = innermost.or_else(|| program.object_types.typed_allocation(span));
                if program.object_types.is_passed_on(span) {
                    passed_on.get_or_insert((site, span));
                    continue;
                }
                if let Some(span) = program.outside_library_sources(span) {
                    return (site, span, innermost);
                }
                if !of_header {
                    // An allocator of a C++ header is no better a place than its library,
                    // unless nothing else is.
                    (first, of_header) = (Some((site, span)), true);
                }
            }
        }
        let nowhere = (Site::new(SiteKind::Heap(0, 0)), SpanId::UNKNOWN);
        let (site, span) = passed_on.or(first).unwrap_or(nowhere);
        (site, span, None)
    }

    /// Ends the life of the heap object that starts at `address`: a fault if there is none or
    /// it is freed already.
    pub fn free(&mut self, address: u64) -> Result<(), Stop> {
        self.reach_beyond();
        let origin = Origin { thread: self.thread, span: self.caller_span() };
        let fault = |detail, message: String| Fault::new(FailureKind::Memory, detail, message);
        let Some(object) = self.state.memory.near(address) else {
            return Err(fault(
                FailureDetail::InvalidFree,
                format!("invalid free: {address:#x} is no heap object"),
            )
            .into());
        };
        let name = self.describe(object);
        let made = ("allocated here".to_owned(), object.origin.span, Some(object.origin.thread));
        let mut fault = match object.life {
            Life::Freed(freed) => {
                if let Some(tracer) = &self.executor.notes.tracer {
                    tracer.found_freed.set(Some(object.base));
                }
                let mut fault = fault(FailureDetail::DoubleFree, format!("double free of {name}"));
                fault.notes.push(("it was freed here first".into(), freed.span, Some(freed.thread)));
                fault
            }
            Life::Live if address == object.base && matches!(object.site.kind(), SiteKind::Heap(..)) => {
                let cell = Cell::of(address).expect("an object is there");
                self.state.forget_writes(ByteRange::new(address, object.size));
                self.executor.trace_end_of_life(self.state, cell, origin.span);
                self.state.memory.get_mut(cell).expect("an object is there").end_life(Life::Freed(origin));
                return Ok(());
            }
            _ if address == object.base => {
                fault(FailureDetail::InvalidFree, format!("invalid free: {name} is not on the heap"))
            }
            _ => fault(
                FailureDetail::InvalidFree,
                format!("invalid free: {} bytes into {name}", address.wrapping_sub(object.base) as i64),
            ),
        };
        fault.notes.push(made);
        Err(fault.into())
    }

    /// Drops a system object.
    pub fn free_system(&mut self, address: u64) {
        self.reach_beyond();
        if let Some(cell) = Cell::of(address) {
            self.state.memory.forget(cell);
        }
    }

    /// Source position of the innermost activation of the program's own code.
    pub fn caller_span(&self) -> SpanId {
        self.allocation_site().1
    }
}
