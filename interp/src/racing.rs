//! Reports of data races: who accessed what, where both stood, what locks they held.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::report::{Standing, location};
use crate::state::State;
use crate::stop::Fault;
use std::sync::Arc;
use symx_memmodel::{AccessKind, ByteRange};
use symx_trace::{Failure, FailureKind, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// Where a thread stands and what it holds.
    pub(crate) fn standing(&self, state: &State<E>, thread: ThreadId) -> Standing {
        Standing {
            thread,
            span: self.position(state, thread),
            frames: self.frames(state, thread),
            held: self.machine.environment.held(state, thread),
        }
    }

    /// Notes the races of an access that `thread` is performing with earlier ones.
    pub(crate) fn note_races(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        writes: bool,
        earlier: &[(AccessKind, Arc<Standing>)],
    ) {
        for (kind, there) in earlier {
            let failure = self.race(state, thread, range, writes, *kind, there);
            if !self.races.iter().any(|known| known.same_fault(&failure)) {
                self.races.push(failure);
            }
        }
    }

    /// Where a thread that is taking a step stood before it.
    pub(crate) fn here(&self, state: &State<E>, thread: ThreadId) -> Arc<Standing> {
        match &self.here {
            Some(here) if here.thread == thread => Arc::clone(here),
            _ => Arc::new(self.standing(state, thread)),
        }
    }

    fn race(
        &self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        writes: bool,
        kind: AccessKind,
        there: &Standing,
    ) -> Failure {
        let here = self.here(state, thread);
        let what = |writes| if writes { "write" } else { "read" };
        let atomic = if kind.atomic { "atomic " } else { "" };
        let name = |id: ThreadId| state.thread(id).name.to_string();
        let locks = |held: &[u64]| {
            let names: Vec<String> = held.iter().map(|at| self.name_of(state, *at)).collect();
            if names.is_empty() { "no lock".into() } else { names.join(", ") }
        };
        let message = format!(
            "data race on {}: this {} and a{} {atomic}{} of thread {} are not ordered",
            self.bytes_of(state, range),
            what(writes),
            if kind.atomic { "n" } else { "" },
            what(kind.writes),
            name(there.thread)
        );
        let mut fault = Fault::new(FailureKind::Race, "", message);
        let other = format!(
            "the {atomic}{}; thread {} holds {} there, and thread {} holds {} here",
            what(kind.writes),
            name(there.thread),
            locks(&there.held),
            name(thread),
            locks(&here.held)
        );
        fault.notes.push((other, there.span, Some(there.thread)));
        let mut failure = self.render_fault(state, thread, fault);
        // The frame that is running is not on the thread's stack.
        failure.location = location(&self.machine.program, here.span);
        failure.stack = self.rendered(&here.frames);
        if let Some(note) = failure.notes.first_mut() {
            note.stack = self.rendered(&there.frames);
        }
        // Where it stood then says more than where it stands now.
        let other = &state.thread(there.thread).name;
        failure.others.retain(|stack| stack.thread != *other);
        failure
    }

    /// For people: a range of an object, as in "`count`" or "bytes 4 to 7 of `shared`".
    fn bytes_of(&self, state: &State<E>, range: ByteRange) -> String {
        let Some(object) = state.memory.near(range.address) else {
            return self.name_of(state, range.address);
        };
        let (name, offset) = (self.describe_object(object), range.address.wrapping_sub(object.base));
        match (offset, range.length) {
            (0, length) if length >= object.size => name,
            (_, 1) => format!("byte {offset} of {name}"),
            _ => format!("bytes {offset} to {} of {name}", offset + (range.length - 1)),
        }
    }
}
