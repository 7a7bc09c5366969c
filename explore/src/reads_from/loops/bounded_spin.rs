//! Looks that are repeated a bounded number of times. All that do not lead out of their loop count as one
//! event, taken at one moment.
//!
//! After such a [loop](symx_interp::progress::bounded_spin) the thread is where it would be had it seen at
//! its first look what it saw at its last. Take the executions in which it leaves the loop for what it sees
//! there. In one of them its first look does, and the looks before are left out. Of those in which it stops
//! waiting, there is one in which all its looks come at the moment of the last. These are found, as what the
//! first look observes is a choice; all others are indistinguishable from them.

use crate::bounds::MOST_LOOKS;
use crate::reads_from::graph::event::{Choice, Kind};
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::way_back::Before;
use crate::reads_from::{Halt, Walk};
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::progress::bounded_spin::Spin;
use symx_interp::state::State;
use symx_trace::{Agent, Decision, ThreadId};

impl<E: Environment> Walk<'_, '_, E> {
    /// The loop that a look just taken has led its thread round, and the state before. Nothing may have
    /// changed but how many rounds are left. An event's past decides: it is the same whenever the event is
    /// taken.
    pub(in crate::reads_from) fn spin(
        &mut self,
        index: Index,
        before: &Before<E>,
        state: &State<E>,
    ) -> Option<(Spin, State<E>)> {
        let event = &self.graph.events[usize::from(index)];
        let [touch] = event.touches[..] else { return None };
        let options = &self.executor.machine.options;
        let is_look = matches!(event.kind, Kind::Load(_))
            && touch.choice == Choice::Source
            && !event.is_buffered
            && event.alternative.is_none()
            && options.guide.is_none()
            && options.remedies.is_none()
            && state.end.is_none();
        let now = &state.threads[event.thread.index()];
        let earlier = before.thread(event.thread).filter(|_| is_look)?;
        let spin = self.executor.spin(earlier, now)?;
        let before = before.clone().reached_from(state)?;
        self.executor.is_unchanged(&before, state, now.id).then_some((spin, before))
    }

    /// Lets a thread take the rounds that are left of a loop. It ends when the thread leaves the loop or
    /// stands where it stood in `first`, before the look. False if the execution goes no further.
    pub(in crate::reads_from) fn finish_spin(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        spin: &Spin,
        first: &State<E>,
    ) -> Result<bool, Halt> {
        let first = Arc::clone(&first.threads[thread.index()]);
        let mut last = state.clone();
        for _ in 0..MOST_LOOKS {
            self.look()?;
            if !self.executor.can_step(state, state.thread(thread)) {
                return Err(Halt::Beyond("a loop of looks in which a thread waits"));
            }
            if self.is_step_elsewhere(state, thread) {
                self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
            }
            let step = self.executor.step(state, Agent::Thread(thread));
            if !self.settle(state, thread, step)? {
                return Ok(false);
            }
            let now = Arc::clone(&state.threads[thread.index()]);
            if state.end.is_some() || !spin.holds(&self.executor.machine.program, &now) {
                return Ok(true);
            }
            if !now.is_about_to_look() {
                // It idles.
                continue;
            }
            if !self.executor.has_rounds_left(&first, &last, state, thread) {
                return Ok(true);
            }
            last = state.clone();
        }
        Err(Halt::Beyond("a loop of very many looks"))
    }
}
