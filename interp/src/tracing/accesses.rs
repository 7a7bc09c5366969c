//! Accesses to shared memory and conditions on what they return, as they are noted.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::symbolic_trace::{Happening, Tracer};
use crate::threads::running::MemoryAccess;
use crate::value::{Byte, Value};
use smallvec::SmallVec;
use symx_expr::{Assignment, BitVector, Node, Term, Terms};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, Drain, Ordering, StorePlacement};
use symx_trace::ThreadId;

/// The value of an unwritten byte in a trace: something that programs seldom write.
const UNWRITTEN: u64 = 0xd1;

/// Bytes as one number, lowest first.
fn number_of(bytes: &[u8]) -> BitVector {
    let limb = |chunk: &[u8]| chunk.iter().rev().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    let limbs: Vec<u64> = bytes.chunks(8).map(limb).collect();
    BitVector::from_limbs(bytes.len() as u32 * 8, &limbs)
}

impl<E: Environment> Executor<'_, E> {
    /// The values given to symbols, if conditions on them are decided by values.
    pub(crate) fn given(&self) -> Option<&Assignment> {
        match &self.notes.tracer {
            Some(tracer) => Some(&tracer.values),
            None => self.machine.options.assignment.as_deref(),
        }
    }

    /// The value of a term of at most 64 bits, if symbols are given.
    pub(crate) fn given_value(&mut self, term: Term) -> Option<u64> {
        let terms = &self.machine.terms;
        match &mut self.notes.tracer {
            Some(tracer) => Some(tracer.value(terms, term).limbs()[0]),
            None => {
                let given = self.machine.options.assignment.as_deref()?;
                Some(crate::access::concretise::value_under(terms, term, given))
            }
        }
    }

    /// Notes a condition that holds where symbols are given.
    pub(crate) fn note_condition(&mut self, condition: Term) {
        if let Some(tracer) = &mut self.notes.tracer {
            tracer.hold(&self.machine.terms, condition);
        }
    }

    /// Notes where the running thread stands when it decides something.
    #[inline]
    pub(crate) fn note_place(&mut self, span: SpanId) {
        if let Some(tracer) = &mut self.notes.tracer {
            tracer.place = span;
        }
    }

    /// Whether accesses to the object in `cell` are events of the trace being made.
    #[inline]
    pub(crate) fn is_traced(&self, state: &State<E>, cell: Cell) -> bool {
        self.notes.tracer.is_some() && self.is_traced_object(state, cell)
    }

    #[cold]
    fn is_traced_object(&self, state: &State<E>, cell: Cell) -> bool {
        let (Some(tracer), Some(sites)) = (&self.notes.tracer, &self.visible) else { return false };
        tracer.has_begun
            && !tracer.private.contains(&cell)
            && state.memory.get(cell).is_some_and(|object| {
                !object.read_only && (sites.contains(&object.site) || tracer.unseen.contains(&object.site))
            })
    }

    /// The tracer, once the object in `cell` is kept as it was before its first event.
    fn tracer_at(&mut self, state: &State<E>, cell: Cell) -> &mut Tracer {
        let tracer = self.notes.tracer.as_mut().expect("asked for while tracing");
        if let (false, Some(object)) = (tracer.before.contains_key(&cell), state.memory.get(cell)) {
            tracer.before.insert(cell, object.clone());
        }
        tracer
    }

    /// The plain value of a byte; indeterminate symbols in it get one.
    fn plain(&mut self, byte: Byte) -> (u8, bool) {
        let term = match byte {
            Byte::Concrete(byte) => return (byte, true),
            Byte::Symbolic(term) => term,
        };
        let machine = self.machine;
        let terms: &Terms = &machine.terms;
        let is_determinate = !self.indeterminate.occur_in(terms, term);
        let symbols =
            if is_determinate { Default::default() } else { self.indeterminate.symbols(terms, term) };
        let tracer = self.notes.tracer.as_mut().expect("asked for while tracing");
        for symbol in symbols {
            if let (None, Node::Symbol { width, .. }) = (tracer.values.get(symbol), terms.node(symbol)) {
                let limbs = vec![UNWRITTEN * 0x0101_0101_0101_0101; width.div_ceil(64) as usize];
                tracer.values.set(symbol, BitVector::from_limbs(*width, &limbs));
            }
        }
        (tracer.value(terms, term).limbs()[0] as u8, is_determinate)
    }

    /// The symbol for these bytes, and what the program gets to see of them.
    fn trace_reading(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        cell: Cell,
        bytes: &[Byte],
    ) -> (Term, SmallVec<[Byte; 8]>, bool) {
        let mut plain: SmallVec<[u8; 8]> = SmallVec::new();
        let mut open: SmallVec<[bool; 8]> = SmallVec::new();
        for byte in bytes {
            let (value, is_determinate) = self.plain(*byte);
            plain.push(value);
            open.push(!is_determinate);
        }
        let machine = self.machine;
        let name = state.thread(thread).name.clone();
        let symbol = self.tracer_at(state, cell).symbol(&machine.terms, &name, number_of(&plain));
        let seen = (0..bytes.len()).map(|index| match open[index] {
            true => bytes[index],
            false => Byte::of(&machine.terms, machine.terms.extract(symbol, index as u32 * 8, 8)),
        });
        let seen: SmallVec<[Byte; 8]> = seen.collect();
        (symbol, seen, open.contains(&true))
    }

    /// That unwritten bytes were read is part of the path.
    fn hold_unwritten(&mut self, symbol: Term, seen: &[Byte]) {
        let machine = self.machine;
        for (index, byte) in seen.iter().enumerate() {
            let read = machine.terms.extract(symbol, index as u32 * 8, 8);
            if *byte != Byte::of(&machine.terms, read) {
                let (value, _) = self.plain(*byte);
                let unwritten = machine.terms.equal(read, machine.terms.constant(8, value.into()));
                self.note_condition(unwritten);
            }
        }
    }

    /// Notes a read of shared memory; what the program gets to see.
    pub(crate) fn trace_read(
        &mut self,
        state: &State<E>,
        cell: Cell,
        access: MemoryAccess,
        bytes: &[Byte],
    ) -> (Term, SmallVec<[Byte; 8]>) {
        let MemoryAccess { thread, span, range: ByteRange { address, length }, ordering } = access;
        let (symbol, seen, is_open) = self.trace_reading(state, thread, cell, bytes);
        let tracer = self.tracer_at(state, cell);
        tracer.place = span;
        tracer.note(Happening::Read { address, length, ordering, symbol }, span);
        if is_open {
            self.hold_unwritten(symbol, &seen);
        }
        (symbol, seen)
    }

    /// Notes a read of at most 8 bytes of shared memory; what the program gets to see.
    pub(crate) fn trace_load(
        &mut self,
        state: &State<E>,
        cell: Cell,
        access: MemoryAccess,
        bytes: &[Byte],
    ) -> Value {
        let (symbol, seen) = self.trace_read(state, cell, access, bytes);
        self.seen(symbol, &seen)
    }

    fn seen(&self, symbol: Term, seen: &[Byte]) -> Value {
        let terms = &self.machine.terms;
        let whole = |(index, byte): (usize, &Byte)| {
            *byte == Byte::of(terms, terms.extract(symbol, index as u32 * 8, 8))
        };
        match seen.iter().enumerate().all(whole) {
            true => Value::Symbolic(symbol),
            false => Byte::join(terms, seen.iter().copied()),
        }
    }

    /// Notes a write to shared memory; the plain bytes that memory gets. `buffered` is the store's number if
    /// it goes into the thread's buffer.
    pub(crate) fn trace_write(
        &mut self,
        state: &State<E>,
        cell: Cell,
        access: MemoryAccess,
        bytes: &[Byte],
        buffered: Option<u32>,
    ) -> SmallVec<[Byte; 8]> {
        let MemoryAccess { span, range: ByteRange { address, length }, ordering, .. } = access;
        let (value, kept) = self.written(bytes);
        let waits = matches!(
            self.machine.model.store(ordering),
            StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore
        );
        let tracer = self.tracer_at(state, cell);
        tracer.note(Happening::Write { address, length, ordering, value }, span);
        match buffered {
            Some(number) => tracer.buffer(number),
            None if waits => tracer.commit(tracer.running, None),
            None => {}
        }
        kept
    }

    /// The term of bytes that are written, and what shared memory keeps of them.
    fn written(&mut self, bytes: &[Byte]) -> (Term, SmallVec<[Byte; 8]>) {
        let machine = self.machine;
        let terms = &machine.terms;
        let mut value: Option<Term> = None;
        let mut kept = SmallVec::new();
        for byte in bytes {
            let (plain, is_determinate) = self.plain(*byte);
            kept.push(if is_determinate { Byte::Concrete(plain) } else { *byte });
            let term = if is_determinate { byte.term(terms) } else { terms.constant(8, plain.into()) };
            value = Some(value.map_or(term, |low| terms.concat(term, low)));
        }
        (value.unwrap_or(Term::FALSE), kept)
    }

    /// Notes the first half of a read-modify-write; what the program gets to see.
    pub(crate) fn trace_update(
        &mut self,
        state: &State<E>,
        cell: Cell,
        access: MemoryAccess,
        bytes: &[Byte],
    ) -> (Value, Term) {
        let MemoryAccess { thread, span, range: ByteRange { address, length }, ordering } = access;
        let (symbol, seen, is_open) = self.trace_reading(state, thread, cell, bytes);
        let tracer = self.tracer_at(state, cell);
        tracer.place = span;
        tracer.note(Happening::Update { address, length, ordering, symbol, value: None }, span);
        if is_open {
            self.hold_unwritten(symbol, &seen);
        }
        (self.seen(symbol, &seen), symbol)
    }

    /// Notes the second half of a read-modify-write that writes; the plain bytes that memory gets.
    pub(crate) fn trace_update_end(&mut self, bytes: &[Byte], as_ordered: Ordering) -> SmallVec<[Byte; 8]> {
        let (term, kept) = self.written(bytes);
        let tracer = self.notes.tracer.as_mut().expect("asked for while tracing");
        if let Some(last) = tracer.own().events.last_mut()
            && let Happening::Update { value, ordering, .. } = &mut last.what
        {
            *value = Some(term);
            *ordering = as_ordered;
        }
        kept
    }

    /// Notes what orders memory and is no access to shared memory.
    pub(crate) fn trace_fence(&mut self, span: SpanId, ordering: Ordering) {
        if let Some(tracer) = self.notes.tracer.as_mut().filter(|tracer| tracer.has_begun) {
            tracer.note(Happening::Fence(ordering), span);
        }
    }

    /// Notes a store or read-modify-write of private memory that may wait for the thread's own stores.
    pub(crate) fn trace_private_drain(&mut self, span: SpanId, drain: Drain) {
        if drain != Drain::Nothing && self.machine.model.buffers_stores() {
            self.trace_fence(span, Ordering::SequentiallyConsistent);
        }
    }
}
