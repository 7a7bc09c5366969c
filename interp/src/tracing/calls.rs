//! Effects that modelled calls announce, and what follows of what they touch.

use crate::environment::Call;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::symbolic_trace::{Happening, Synchronisation};
use crate::threads::running::MemoryAccess;
use crate::threads::thread::Operation;
use crate::value::Byte;
use smallvec::SmallVec;
use symx_expr::BitVector;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, Drain, Ordering};
use symx_trace::{Access, CallOutcome, Footprint, Mode, Place, ThreadId};

/// Bytes that one event is about at most.
pub(super) const PIECE: u64 = 64;

impl<E: Environment> Call<'_, '_, E> {
    /// Says what the call does to synchronise threads; when it takes effect.
    pub fn synchronises(&mut self, what: Synchronisation) {
        if self.executor.notes.tracer.is_some() {
            let span = self.caller_span();
            self.executor.trace_synchronisation(what, span);
        }
    }

    /// Says that a symbolic trace cannot express what the call does now.
    pub fn is_beyond_traces(&mut self, what: &str) {
        if self.executor.notes.tracer.is_some() {
            let (span, name) = (self.caller_span(), self.name());
            if let Some(tracer) = &mut self.executor.notes.tracer {
                tracer.has_said = true;
                tracer.refuse(format!("`{name}`: {what}"), span);
            }
        }
    }

    /// Says that the call ends without the effect that it is for. It counts if the step under way is of this
    /// call: others may follow before the thread stops.
    pub fn ends_with(&mut self, outcome: CallOutcome) {
        if self.executor.present.performed.is_some()
            && let Some(noted) = &mut self.executor.notes.outcome
        {
            *noted = outcome;
        }
    }

    /// Notes that the call has written bytes.
    pub(crate) fn trace_written(&mut self, address: u64, length: u64) {
        if self.executor.notes.tracer.is_some() && length > 0 {
            let (thread, span) = (self.thread, self.caller_span());
            let ordering = Ordering::SequentiallyConsistent;
            let access = MemoryAccess { thread, span, range: ByteRange::new(address, length), ordering };
            self.executor.trace_call_writes(self.state, access);
        }
    }
}

impl<E: Environment> Executor<'_, E> {
    fn trace_synchronisation(&mut self, what: Synchronisation, span: SpanId) {
        let Some(tracer) = &mut self.notes.tracer else { return };
        tracer.has_said = true;
        tracer.has_begun |= matches!(what, Synchronisation::Create(_));
        let has_begun = tracer.has_begun;
        let own = tracer.own();
        match (what, own.events.last().map(|event| &event.what)) {
            (Synchronisation::Nothing, _) => {}
            // While there is one thread, a lock that is free again was never taken.
            (Synchronisation::Unlock(freed), Some(Happening::Synchronised(Synchronisation::Lock(taken))))
                if !has_begun && freed == *taken =>
            {
                own.events.pop();
                let count = own.events.len();
                own.conditions.iter_mut().for_each(|held| held.after = held.after.min(count));
                tracer.order.pop();
            }
            _ => tracer.note(Happening::Synchronised(what), span),
        }
    }

    fn trace_call_writes(&mut self, state: &mut State<E>, access: MemoryAccess) {
        let ByteRange { address, length } = access.range;
        let Some(cell) = Cell::of(address).filter(|cell| self.is_traced(state, *cell)) else { return };
        for at in (0..length).step_by(PIECE as usize) {
            let length = PIECE.min(length - at);
            let Some(object) = state.memory.get(cell) else { return };
            let offset = address + at - object.base;
            let bytes: Vec<Byte> =
                (0..length).map(|index| object.byte(&self.machine.terms, offset + index)).collect();
            let piece = MemoryAccess { range: ByteRange::new(address + at, length), ..access };
            let kept = self.trace_write(state, cell, piece, &bytes, None);
            let Some(object) = state.memory.get_mut(cell) else { return };
            kept.iter().zip(offset..).for_each(|(byte, at)| object.set_byte(at, *byte));
        }
    }

    /// Notes what the call about to be performed touches.
    pub(crate) fn trace_announced(&mut self, operation: &Operation<E>) {
        if let Some(tracer) = &mut self.notes.tracer {
            tracer.announced = SmallVec::from_slice(&operation.footprint);
            tracer.waits_for_stores = operation.drain != Drain::Nothing;
            tracer.has_said = false;
        }
    }

    /// Notes that the call has been performed: where it did not say what it does, its order with others that
    /// touch the same stays.
    pub(crate) fn trace_performed(&mut self, state: &State<E>, thread: ThreadId, span: SpanId) {
        self.trace_effects(state, thread, span);
        self.notes.tracer.iter_mut().for_each(|tracer| tracer.waits_for_stores = false);
    }

    fn trace_effects(&mut self, state: &State<E>, thread: ThreadId, span: SpanId) {
        let Some(tracer) = &mut self.notes.tracer else { return };
        let announced = std::mem::take(&mut tracer.announced);
        if self.trace_output(state, thread, span, &announced) {
            return;
        }
        let Some(tracer) = &mut self.notes.tracer else { return };
        if tracer.has_said || !tracer.has_begun {
            return;
        }
        let is_object = |start| announced.iter().any(|access: &Access| access.place == Place::Object(start));
        for access in &announced {
            match access.place {
                Place::Memory { start, end } if access.mode == Mode::Read && !is_object(start) => {
                    self.trace_call_reads(state, thread, span, start, end - start);
                }
                Place::Object(_)
                | Place::Readers(_)
                | Place::Queue(_)
                | Place::Stream(_)
                | Place::Process
                | Place::Thread(_) => {
                    let effect = Happening::Effect { place: access.place, writes: access.mode != Mode::Read };
                    if let Some(tracer) = &mut self.notes.tracer {
                        tracer.note(effect, span);
                    }
                }
                Place::Memory { .. }
                | Place::PendingStore { .. }
                | Place::Drained(_)
                | Place::Child { .. }
                | Place::TotalOrder
                | Place::Life(_)
                | Place::Round { .. }
                | Place::Everything => {}
            }
        }
    }

    /// Notes that the call has read bytes, which must stay what they are.
    pub(super) fn trace_call_reads(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        span: SpanId,
        address: u64,
        length: u64,
    ) {
        let Some(cell) = Cell::of(address).filter(|cell| self.is_traced(state, *cell)) else { return };
        let machine = self.machine;
        for at in (0..length).step_by(PIECE as usize) {
            let length = PIECE.min(length - at);
            let Some(object) = state.memory.get(cell) else { return };
            let offset = address + at - object.base;
            let bytes: Vec<Byte> =
                (0..length).map(|index| object.byte(&machine.terms, offset + index)).collect();
            let range = ByteRange::new(address + at, length);
            let access = MemoryAccess { thread, span, range, ordering: Ordering::NotAtomic };
            let (symbol, _) = self.trace_read(state, cell, access, &bytes);
            let Some(tracer) = &mut self.notes.tracer else { return };
            let value: BitVector = tracer.value(&machine.terms, symbol);
            let same = machine.terms.equal(symbol, machine.terms.bitvector(&value));
            tracer.hold(&machine.terms, same);
        }
    }

    /// Notes that stack objects others may reach are about to go.
    pub(crate) fn trace_return(&mut self, state: &State<E>, objects: &Footprint, span: SpanId) {
        for access in objects {
            if let Place::Memory { start, .. } = access.place
                && let Some(cell) = Cell::of(start)
            {
                self.trace_end_of_life(state, cell, span);
            }
        }
    }

    /// Notes that an object is about to go.
    pub(crate) fn trace_end_of_life(&mut self, state: &State<E>, cell: Cell, span: SpanId) {
        if !self.is_traced(state, cell) {
            return;
        }
        if let (Some(tracer), Some(object)) = (&mut self.notes.tracer, state.memory.get(cell)) {
            tracer.note(Happening::Freed(object.base), span);
        }
    }
}
