//! Reports of data races: who accessed what, where both stood, what locks they held.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::report::Standing;
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

    fn race(
        &self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        writes: bool,
        kind: AccessKind,
        there: &Standing,
    ) -> Failure {
        let what = |writes| if writes { "write" } else { "read" };
        let atomic = if kind.atomic { "atomic " } else { "" };
        let name = |id: ThreadId| state.thread(id).name.to_string();
        let locks = |held: &[u64]| {
            let names: Vec<String> = held.iter().map(|at| self.name_of(state, *at)).collect();
            if names.is_empty() { "no lock".into() } else { names.join(", ") }
        };
        let message = format!(
            "data race on {}: this {} and a {atomic}{} of thread {} are not ordered",
            self.name_of(state, range.address),
            what(writes),
            what(kind.writes),
            name(there.thread)
        );
        let mut fault = Fault::new(FailureKind::Race, "", message);
        let held = self.machine.environment.held(state, thread);
        let other = format!(
            "the other access, a {atomic}{}, holding {}; here thread {} holds {}",
            what(kind.writes),
            locks(&there.held),
            name(thread),
            locks(&held)
        );
        fault.notes.push((other, there.span, Some(there.thread)));
        let mut failure = self.render_fault(state, thread, fault);
        if let Some(note) = failure.notes.first_mut() {
            note.stack = self.rendered(&there.frames);
        }
        failure
    }
}
