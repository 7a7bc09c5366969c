//! The event that the next step of an agent is: its reads and writes, and the caller for which the library
//! makes them.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Life;
use crate::state::State;
use crate::state::processes::address_in_process;
use crate::stop::position::location;
use crate::threads::thread::{Action, Thread};
use crate::value::{Byte, Value};
use smallvec::SmallVec;
use symx_expr::term_to_smtlib;
use symx_ir::SpanId;
use symx_ir::program::Code;
use symx_memmodel::{ByteRange, Epoch, Lane, Reading};
use symx_trace::{Agent, CallEffect, Event, EventKind, Location, Place, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// The event that the next step of `agent` is.
    pub fn event(&self, state: &State<E>, agent: Agent, kind: EventKind) -> Event {
        let seen = self.seen_by(state, agent.thread());
        let state = &*seen;
        let program = &self.machine.program;
        let thread = state.thread(agent.thread());
        let span = match (agent, &thread.pending) {
            // The end of a thread is its function's, not that of the line that created it.
            _ if kind.effect() == Some(CallEffect::ThreadEnd) => self.start_function(thread),
            (Agent::Thread(id), Some(pending)) => match pending.span {
                SpanId::UNKNOWN => self.position(state, id),
                span => span,
            },
            _ => SpanId::UNKNOWN,
        };
        let footprint = self.footprint(state, agent);
        let object = footprint
            .iter()
            .find_map(|access| match access.place {
                Place::Memory { start, .. }
                | Place::Object(start)
                | Place::Readers(start)
                | Place::Round { barrier: start, .. } => state.memory.near(address_in_process(start)),
                _ => None,
            })
            .map(|object| self.describe_object(object))
            .unwrap_or_default();
        Event {
            agent,
            kind,
            footprint,
            value: self.event_value(state, agent),
            location: location(program, span),
            called_from: self.caller(state, agent),
            object,
        }
    }

    /// Where the function is declared that a thread began in; unknown if it is a library's.
    fn start_function(&self, thread: &Thread<E>) -> SpanId {
        let program = &self.machine.program;
        let start = thread.beginning.as_ref().and_then(|beginning| program.code_at(beginning.function));
        let Some(Code::Function(function)) = start else { return SpanId::UNKNOWN };
        let function = program.function(function);
        if function.in_program { function.span } else { SpanId::UNKNOWN }
    }

    /// Where the program called the library that is about to take the next step of `agent`. `None` if it is
    /// the program's own code, or a store buffer.
    pub fn caller(&self, state: &State<E>, agent: Agent) -> Option<Location> {
        let Agent::Thread(id) = agent else { return None };
        let span = self.called_from(state.thread(id))?;
        Some(location(&self.machine.program, span))
    }

    /// The value a load is about to read or a commit about to write.
    pub fn event_value(&self, state: &State<E>, agent: Agent) -> String {
        let seen = self.seen_by(state, agent.thread());
        let state = &*seen;
        let terms = &self.machine.terms;
        let thread = state.thread(agent.thread());
        let value = match (agent, thread.pending.as_ref().map(|pending| &pending.action)) {
            (Agent::Buffer { lane, .. }, _) => thread
                .buffer
                .next_in(self.machine.model, Lane(lane))
                .map(|store| Byte::join(terms, store.bytes.iter().copied().take(8))),
            (
                Agent::Thread(_),
                Some(Action::Load { length, .. } | Action::ReadModifyWrite { length, .. }),
            ) if *length <= 8 => {
                self.about_to_read(state, thread.id, 0).map(|bytes| Byte::join(terms, bytes))
            }
            _ => None,
        };
        match value {
            None => String::new(),
            Some(Value::Concrete(bits)) => format!("{bits:#x}"),
            Some(Value::Symbolic(term)) => term_to_smtlib(terms, term),
        }
    }

    /// The bytes that the pending access of a thread reads; where several writes can be read,
    /// those of this choice.
    pub fn about_to_read(
        &self,
        state: &State<E>,
        thread: ThreadId,
        choice: u32,
    ) -> Option<SmallVec<[Byte; 8]>> {
        let pending = state.thread(thread).pending.as_ref()?;
        let (Action::Load { address, length, .. } | Action::ReadModifyWrite { address, length, .. }) =
            &pending.action
        else {
            return None;
        };
        if let Some(reading) = self.reading(state, thread, choice) {
            return Some(reading.bytes);
        }
        let range = ByteRange::new(*address, *length);
        let mut bytes = self.in_memory(state, range)?;
        for forwarded in state.thread(thread).buffer.forward(range) {
            bytes[forwarded.offset as usize] = *forwarded.value;
        }
        Some(bytes)
    }

    /// The writes that the pending access of a thread reads under this choice, where memory does not say it.
    pub fn sources(&self, state: &State<E>, thread: ThreadId, choice: u32) -> Option<SmallVec<[Epoch; 4]>> {
        self.reading(state, thread, choice).filter(Reading::is_remembered).map(|reading| reading.writes())
    }

    fn reading(&self, state: &State<E>, thread: ThreadId, choice: u32) -> Option<Reading<Byte>> {
        match &state.thread(thread).pending.as_ref()?.action {
            Action::Load { address, length, ordering } => {
                self.old_reading(state, thread, ByteRange::new(*address, *length), *ordering, choice)
            }
            Action::ReadModifyWrite { address, length, .. } => {
                self.newest_reading(state, ByteRange::new(*address, *length), choice)
            }
            _ => None,
        }
    }

    /// The bytes in memory at `range`, if all of it is in one object.
    pub fn in_memory(&self, state: &State<E>, range: ByteRange) -> Option<SmallVec<[Byte; 8]>> {
        let object = state.memory.near(range.address)?;
        let offset = range.address.wrapping_sub(object.base);
        // Of what is gone no bytes are kept.
        (object.life == Life::Live && object.contains(offset, range.length)).then(|| {
            (0..range.length).map(|index| object.byte(&self.machine.terms, offset + index)).collect()
        })
    }
}
