//! Loads and stores of the program: bounds, symbolic addresses, lives of objects, store buffers.

mod asking;
pub(crate) mod concretise;
mod copying;
pub mod indeterminate;
mod input_words;
mod library_races;
pub mod lifetimes;
pub mod memory_order;
mod naming;
mod next_access;
pub mod object_names;
mod pointees;
pub mod race_report;
mod scope;
mod symbolic_range;
pub(crate) mod visibility;

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Life, Object};
use crate::state::State;
use crate::stop::{Fault, Stop};
use crate::threads::running::MemoryAccess;
use crate::threads::thread::Action;
use crate::value::{Byte, Value};
use smallvec::SmallVec;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, Drain, FenceEffect, Ordering, StorePlacement};
use symx_trace::{FailureDetail, FailureKind, ThreadId};

/// The effect of an access on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl<E: Environment> Executor<'_, E> {
    /// The live object that contains all of `address .. address + length`.
    pub fn locate<'s>(
        &self,
        state: &'s State<E>,
        address: u64,
        length: u64,
        purpose: Purpose,
    ) -> Result<(Cell, &'s Object), Stop> {
        if let Some(cell) = Cell::of(address)
            && let Some(object) = state.memory.get(cell)
            && object.life == Life::Live
            && object.contains(address.wrapping_sub(object.base), length)
            && !(purpose == Purpose::Write && object.read_only)
        {
            return Ok((cell, object));
        }
        Err(self.bad_access(state, address, length, purpose))
    }

    #[cold]
    fn bad_access(&self, state: &State<E>, address: u64, length: u64, purpose: Purpose) -> Stop {
        let verb = match purpose {
            Purpose::Read => "read",
            Purpose::Write => "write",
        };
        let fault = |detail, message: String| Fault::new(FailureKind::Memory, detail, message);
        let what = format!("{verb} of {length} byte{}", if length == 1 { "" } else { "s" });
        if address < 4096 {
            return fault(
                FailureDetail::NullDeref,
                format!("null pointer dereference: {what} at address {address:#x}"),
            )
            .into();
        }
        if let Some(name) = self.machine.program.undefined_variable_at(address) {
            return Stop::unsupported(format!("external variable `{name}`"));
        }
        let Some(object) = state.memory.near(address) else {
            if state.memory.was_forgotten(address) {
                let message =
                    format!("use after return: {what} in a stack object whose function has returned");
                return fault(FailureDetail::UseAfterReturn, message).into();
            }
            return fault(
                FailureDetail::WildPointer,
                format!("wild pointer: {what} at {address:#x}, where no object is"),
            )
            .into();
        };
        if let (Some(tracer), false) = (&self.notes.tracer, object.life == Life::Live) {
            tracer.found_freed.set(Some(object.base));
        }
        let name = self.describe_object(object);
        let made = ("allocated here".to_owned(), object.origin.span, Some(object.origin.thread));
        let mut fault = match object.life {
            Life::Freed(freed) => {
                let mut fault =
                    fault(FailureDetail::UseAfterFree, format!("use after free: {what} in {name}"));
                fault.notes.push(("it was freed here".into(), freed.span, Some(freed.thread)));
                fault
            }
            Life::Returned(returned) => {
                let mut fault =
                    fault(FailureDetail::UseAfterReturn, format!("use after return: {what} in {name}"));
                fault.notes.push(("its function returned here".into(), returned.span, Some(returned.thread)));
                fault
            }
            Life::OutOfScope(ended) => {
                let mut fault =
                    fault(FailureDetail::UseAfterScope, format!("use after scope: {what} in {name}"));
                fault.notes.push(("its scope ended here".into(), ended.span, Some(ended.thread)));
                fault
            }
            Life::Live if object.contains(address.wrapping_sub(object.base), length) => {
                fault(FailureDetail::ReadOnly, format!("{what} in {name}, which is constant"))
            }
            Life::Live => {
                let offset = address.wrapping_sub(object.base) as i64;
                fault(
                    FailureDetail::OutOfBounds,
                    format!("out of bounds: {what} at offset {offset} of {name} ({} bytes)", object.size),
                )
            }
        };
        fault.notes.push(made);
        fault.ended = (object.life != Life::Live).then_some(object.base);
        fault.into()
    }

    /// Whether only one thread runs and nothing is buffered, so that nothing can be visible.
    #[inline(always)]
    fn alone(&self, state: &State<E>, thread: ThreadId) -> bool {
        !self.present.granted
            && self.notes.tracer.is_none()
            && state.unjoined <= 1
            && self.contested.is_empty()
            && state.thread(thread).buffer.is_empty()
            && !state.remembers_writes()
    }

    /// Loads `length` (1 to 8) bytes in the common case, which needs no more: one thread, one live object,
    /// concrete bytes. `None` in every other case, the faulty ones included.
    #[inline(always)]
    pub(crate) fn load_alone(
        &self,
        state: &State<E>,
        thread: ThreadId,
        address: u64,
        length: u64,
    ) -> Option<u64> {
        if !self.alone(state, thread) {
            return None;
        }
        let object = state.memory.get(Cell::of(address)?)?;
        let offset = address.wrapping_sub(object.base);
        let plain = object.life == Life::Live && object.contains(offset, length);
        let plain = plain && object.is_concrete(offset, length);
        plain.then(|| object.read_word(offset, length))
    }

    /// Stores the low `length` (1 to 8) bytes of `word` in the common case, as
    /// [`load_alone`](Self::load_alone) loads. Returns whether it did.
    #[inline(always)]
    pub(crate) fn store_alone(
        &self,
        state: &mut State<E>,
        thread: ThreadId,
        address: u64,
        length: u64,
        word: u64,
    ) -> bool {
        if self.alone(state, thread)
            && let Some(cell) = Cell::of(address)
            && let Some(object) = state.memory.get_mut(cell)
            && object.life == Life::Live
            && object.contains(address.wrapping_sub(object.base), length)
            && !object.read_only
        {
            object.write_word(address - object.base, length, word);
            return true;
        }
        false
    }

    /// Loads 1 to 8 bytes as a value of that width.
    pub fn load(&mut self, state: &mut State<E>, mut access: MemoryAccess) -> Result<Value, Stop> {
        access.ordering = self.remedied_ordering(access.span, access.ordering, Purpose::Read);
        let MemoryAccess { thread, span, range: ByteRange { address, length }, .. } = access;
        let (cell, object) = match self.locate(state, address, length, Purpose::Read) {
            Ok(found) => found,
            Err(fault) => return Err(self.refused(state, thread, span, access.loads(), fault)),
        };
        if self.alone(state, thread) {
            return Ok(object.read(&self.machine.terms, address - object.base, length));
        }
        let performed = self.perform(state, thread, cell, span, access.loads())?;
        if self.is_traced(state, cell) {
            let bytes = self.bytes_through(state, thread, cell, access.range);
            return Ok(self.trace_load(state, cell, access, &bytes));
        }
        if performed {
            if let Some(bytes) = self.load_in_order(state, cell, access)? {
                return Ok(Byte::join(&self.machine.terms, bytes));
            }
            return Ok(self.read_through(state, thread, cell, access.range));
        }
        let object = state.memory.get(cell).expect("located above");
        Ok(object.read(&self.machine.terms, address - object.base, length))
    }

    /// Reads bytes as `thread` sees them: its own pending stores first, then memory.
    fn read_through(&self, state: &State<E>, thread: ThreadId, cell: Cell, range: ByteRange) -> Value {
        let object = state.memory.get(cell).expect("located by the caller");
        let terms = &self.machine.terms;
        let buffer = &state.thread(thread).buffer;
        if buffer.is_empty() {
            return object.read(terms, range.address - object.base, range.length);
        }
        Byte::join(terms, self.bytes_through(state, thread, cell, range))
    }

    /// The bytes `thread` sees, one by one: its newest pending store to each, else memory.
    fn bytes_through(
        &self,
        state: &State<E>,
        thread: ThreadId,
        cell: Cell,
        range: ByteRange,
    ) -> SmallVec<[Byte; 8]> {
        let object = state.memory.get(cell).expect("located by the caller");
        let offset = range.address - object.base;
        let mut bytes: SmallVec<[Byte; 8]> =
            (0..range.length).map(|index| object.byte(&self.machine.terms, offset + index)).collect();
        for forwarded in state.thread(thread).buffer.forward(range) {
            bytes[forwarded.offset as usize] = *forwarded.value;
        }
        bytes
    }

    /// Stores the low 1 to 8 bytes of `value`.
    pub fn store(
        &mut self,
        state: &mut State<E>,
        mut access: MemoryAccess,
        mut value: Value,
    ) -> Result<(), Stop> {
        access.ordering = self.remedied_ordering(access.span, access.ordering, Purpose::Write);
        let MemoryAccess { thread, span, range: ByteRange { address, length }, .. } = access;
        let (cell, object) = match self.locate(state, address, length, Purpose::Write) {
            Ok(found) => found,
            Err(fault) => return Err(self.refused(state, thread, span, access.stores(), fault)),
        };
        let offset = address - object.base;
        let placement = self.machine.model.store(access.ordering);
        let is_alone = self.alone(state, thread);
        if placement == StorePlacement::BufferAfterStoreStore && !is_alone && self.is_private(state, cell) {
            // It goes straight to memory, as no other thread can observe when it arrives; but it orders the
            // others.
            self.order_buffer(state, thread, span, Ordering::Release)?;
        }
        let performed = !is_alone && self.perform(state, thread, cell, span, access.stores())?;
        let buffered =
            performed && matches!(placement, StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore);
        if self.is_traced(state, cell) {
            let number = buffered.then(|| state.thread(thread).stores_issued);
            let bytes = Byte::split(&self.machine.terms, value, length);
            let kept = self.trace_write(state, cell, access, &bytes, number);
            value = Byte::join(&self.machine.terms, kept);
        } else if self.notes.tracer.is_some() && placement == StorePlacement::DrainThenMemory {
            self.trace_private_drain(span, Drain::Everything);
        }
        if performed {
            if state.order.is_some() {
                let machine = self.machine;
                let number = buffered.then(|| state.thread(thread).stores_issued);
                let bytes = || Byte::split(&machine.terms, value, length);
                self.store_in_order(state, cell, access, number, bytes);
            }
            if buffered {
                let bytes = Byte::split(&self.machine.terms, value, length);
                self.issue(state, thread, address, bytes, placement == StorePlacement::BufferAfterStoreStore);
                return Ok(());
            }
        }
        let object = state.memory.get_mut(cell).expect("located above");
        object.write(&self.machine.terms, offset, length, value);
        Ok(())
    }

    /// Loads any number of bytes as one access: one visible step at most.
    pub(crate) fn load_bytes(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
    ) -> Result<SmallVec<[Byte; 8]>, Stop> {
        let MemoryAccess { thread, span, range, .. } = access;
        let cell = match self.locate(state, range.address, range.length, Purpose::Read) {
            Ok((cell, _)) => cell,
            Err(fault) => return Err(self.refused(state, thread, span, access.loads(), fault)),
        };
        let performed =
            !self.alone(state, thread) && self.perform(state, thread, cell, span, access.loads())?;
        if self.is_traced(state, cell) {
            let bytes = self.bytes_through(state, thread, cell, range);
            return Ok(self.trace_read(state, cell, access, &bytes).1);
        }
        if performed && let Some(bytes) = self.load_in_order(state, cell, access)? {
            return Ok(bytes);
        }
        Ok(self.bytes_through(state, thread, cell, range))
    }

    /// Stores several parts (offset, bytes) of a value as one access.
    pub(crate) fn store_parts(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
        parts: &[(u64, SmallVec<[Byte; 8]>)],
    ) -> Result<(), Stop> {
        let MemoryAccess { thread, span, range: ByteRange { address, length }, .. } = access;
        let (cell, object) = match self.locate(state, address, length, Purpose::Write) {
            Ok(found) => found,
            Err(fault) => return Err(self.refused(state, thread, span, access.stores(), fault)),
        };
        let offset = address - object.base;
        let performed =
            !self.alone(state, thread) && self.perform(state, thread, cell, span, access.stores())?;
        let placement = self.machine.model.store(access.ordering);
        let buffered =
            performed && matches!(placement, StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore);
        if self.is_traced(state, cell) {
            let number = buffered.then(|| state.thread(thread).stores_issued);
            let whole = self.whole_of(state, cell, access, parts);
            let kept = self.trace_write(state, cell, access, &whole, number);
            if !buffered {
                let object = state.memory.get_mut(cell).expect("located above");
                for (index, byte) in kept.iter().enumerate() {
                    object.set_byte(offset + index as u64, *byte);
                }
                return Ok(());
            }
            self.issue(state, thread, address, kept, false);
            return Ok(());
        }
        if performed {
            if state.order.is_some() {
                let number = buffered.then(|| state.thread(thread).stores_issued);
                for (at, bytes) in parts {
                    let range = ByteRange::new(address + at, bytes.len() as u64);
                    let part = MemoryAccess { range, ..access };
                    self.store_in_order(state, cell, part, number, || bytes.clone());
                }
            }
            if buffered {
                // One store in the buffer, too. The bytes between the parts are padding: they stay as they
                // are.
                let whole = self.whole_of(state, cell, access, parts);
                self.issue(state, thread, address, whole, false);
                return Ok(());
            }
        }
        let object = state.memory.get_mut(cell).expect("located above");
        for (at, bytes) in parts {
            for (index, byte) in bytes.iter().enumerate() {
                object.set_byte(offset + at + index as u64, *byte);
            }
        }
        Ok(())
    }

    /// The bytes of a value that is stored in parts, with what lies between them now.
    fn whole_of(
        &self,
        state: &State<E>,
        cell: Cell,
        access: MemoryAccess,
        parts: &[(u64, SmallVec<[Byte; 8]>)],
    ) -> SmallVec<[Byte; 8]> {
        let mut whole = self.bytes_through(state, access.thread, cell, access.range);
        for (at, bytes) in parts {
            whole[*at as usize..*at as usize + bytes.len()].copy_from_slice(bytes);
        }
        whole
    }

    /// Begins an atomic read-modify-write: returns the old value once the thread may
    /// perform it; the caller then writes with [`write_memory`](Self::write_memory).
    pub fn begin_update(&mut self, state: &mut State<E>, access: MemoryAccess) -> Result<Value, Stop> {
        let cell = self.claim_update(state, access)?;
        let range = access.range;
        if self.is_traced(state, cell) {
            let bytes = self.bytes_through(state, access.thread, cell, range);
            return Ok(self.trace_update(state, cell, access, &bytes).0);
        }
        let object = state.memory.get(cell).expect("located above");
        Ok(object.read(&self.machine.terms, range.address - object.base, range.length))
    }

    /// The first half of [`begin_update`](Self::begin_update): waits until the thread may
    /// perform it, reads nothing.
    pub(crate) fn claim_update(&mut self, state: &mut State<E>, access: MemoryAccess) -> Result<Cell, Stop> {
        let MemoryAccess { thread, span, range, ordering } = access;
        let cell = match self.locate(state, range.address, range.length, Purpose::Write) {
            Ok((cell, _)) => cell,
            Err(fault) => return Err(self.refused(state, thread, span, access.updates(), fault)),
        };
        if self.perform(state, thread, cell, span, access.updates())? {
            self.settle_newest(state, cell, range)?;
        }
        if self.notes.tracer.is_some() && !self.is_traced(state, cell) {
            self.trace_private_drain(span, self.machine.model.read_modify_write(ordering, range));
        }
        Ok(cell)
    }

    /// Ends a read-modify-write: writes `new`, unless its compare has failed.
    pub(crate) fn end_update(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
        new: Option<Value>,
    ) -> Result<(), Stop> {
        let ByteRange { address, length } = access.range;
        state.thread_mut(access.thread).has_left |= new.is_some();
        if state.order.is_some() {
            let bytes = new.map(|new| Byte::split(&self.machine.terms, new, length));
            self.update_in_order(state, access, bytes.as_deref());
        }
        let new = match (new, Cell::of(address)) {
            (Some(new), Some(cell)) if self.is_traced(state, cell) => {
                let bytes = Byte::split(&self.machine.terms, new, length);
                Some(Byte::join(&self.machine.terms, self.trace_update_end(&bytes, access.ordering)))
            }
            (new, _) => new,
        };
        match new {
            Some(new) => self.write_memory(state, address, length, new),
            None => Ok(()),
        }
    }

    /// Writes straight to memory.
    pub fn write_memory(
        &mut self,
        state: &mut State<E>,
        address: u64,
        length: u64,
        value: Value,
    ) -> Result<(), Stop> {
        let (cell, object) = self.locate(state, address, length, Purpose::Write)?;
        let offset = address - object.base;
        let object = state.memory.get_mut(cell).expect("located above");
        object.write(&self.machine.terms, offset, length, value);
        Ok(())
    }

    /// Executes a fence.
    pub fn fence(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        span: SpanId,
        ordering: Ordering,
    ) -> Result<(), Stop> {
        self.order_buffer(state, thread, span, ordering)?;
        self.fence_in_order(state, thread, ordering);
        Ok(())
    }

    /// The effect of a fence on the thread's store buffer.
    fn order_buffer(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        span: SpanId,
        ordering: Ordering,
    ) -> Result<(), Stop> {
        let granted = std::mem::take(&mut self.present.granted);
        let effect = self.machine.model.fence(ordering);
        let is_event = self.stops_at_fences && state.unjoined > 1 && effect != FenceEffect::None;
        if !granted && (is_event || self.is_ordered_with_others(state, ordering)) {
            return self.park(state, thread, span, Action::Fence(ordering));
        }
        match effect {
            FenceEffect::None => {}
            FenceEffect::StoreStore => {
                if !state.thread(thread).buffer.is_empty() {
                    state.thread_mut(thread).buffer.push_store_store();
                }
            }
            FenceEffect::Drain => {
                if !granted && !state.thread(thread).buffer.is_empty() {
                    return self.park(state, thread, span, Action::Fence(ordering));
                }
            }
        }
        if effect != FenceEffect::None {
            self.trace_fence(span, ordering);
        }
        Ok(())
    }
}
