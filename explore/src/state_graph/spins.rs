//! Loops that look a bounded number of times: all rounds are one step.
//!
//! A thread that leaves the loop for what it sees could have seen that at its first look. One that stops
//! waiting could have taken all its looks at the moment of the first
//! ([`symx_interp::progress::bounded_spin`]).

use super::{Halt, MOST_PAUSES, Walk};
use crate::bounds::MOST_LOOKS;
use crate::driver::{self, ByNumber, Reached};
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::{Agent, Decision};

impl<E: Environment> Walk<'_, '_, E> {
    /// Lets a thread take the rounds that are left of a loop, if the step just taken was a round of one and
    /// nothing more. It stands behind the loop then, or where it stood before the step.
    pub(super) fn finish_spin(
        &mut self,
        before: &State<E>,
        state: &mut State<E>,
        agent: Agent,
    ) -> Result<(), Halt> {
        let thread = agent.thread();
        let earlier = before.thread(thread);
        if agent.is_buffer()
            || state.end.is_some()
            || !earlier.is_about_to_look()
            || !earlier.buffer.is_empty()
        {
            return Ok(());
        }
        let Some(spin) = self.executor.spin(earlier, state.thread(thread)) else { return Ok(()) };
        if !self.executor.is_unchanged(before, state, thread) {
            return Ok(());
        }
        let (mut last, mut pauses) = (state.clone(), 0);
        for _ in 0..MOST_LOOKS {
            self.look()?;
            if !self.executor.can_step(state, state.thread(thread)) {
                return Ok(());
            }
            self.decisions.push(Decision::Run(agent));
            match driver::whole_step(self.executor, state, agent, &mut ByNumber(|_| None)) {
                Ok(Reached::NextStep) => {}
                Ok(Reached::Pause) if pauses < MOST_PAUSES => {
                    pauses += 1;
                    continue;
                }
                Ok(Reached::Pause) | Err(_) => return Err(Halt::Beyond),
            }
            let now = state.thread(thread);
            if state.end.is_some() || !spin.holds(&self.executor.machine.program, now) {
                return Ok(());
            }
            if !now.is_about_to_look() {
                // It idles.
                continue;
            }
            if !self.executor.has_rounds_left(before.thread(thread), &last, state, thread) {
                return Ok(());
            }
            last = state.clone();
        }
        Err(Halt::Beyond)
    }
}
