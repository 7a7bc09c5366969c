//! Continuing to the end of an execution, without any plan: which thread goes next, and its turn.

use super::{Halt, Walk};
use crate::reads_from::choice_points::plan::Comes;
use crate::reads_from::ends::Together;
use crate::reads_from::limits::{LONG_ROW, MOST_IN_A_ROW};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_interp::threads::thread::Thread;
use symx_memmodel::Lane;
use symx_trace::{Agent, Decision, ThreadId};

/// The thread that takes the next step.
struct NextThread {
    thread: ThreadId,
    /// Whether it, or another one, has not come to its first visible step yet.
    is_beginning: bool,
}

/// Whether an execution may continue after a step.
#[derive(PartialEq, Eq)]
enum Turn {
    MayGoOn,
    Last,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Continues from a state, without any plan, to the end of an execution.
    pub(super) fn extend(&mut self, mut state: State<E>, previous: ThreadId) -> Result<(), Halt> {
        let mut previous = Some(previous);
        let mut in_a_row = 0_u32;
        self.deferred.clear();
        self.choosing.clear_plan();
        self.is_late = false;
        loop {
            if state.end.is_some() {
                return self.finish(&mut state);
            }
            self.look()?;
            self.know_threads(&state);
            if let Some((thread, lane)) = self.next_to_commit(&state) {
                self.commit_freely(&mut state, thread, lane)?;
                continue;
            }
            match self.end_together(&mut state)? {
                Together::Apart => {}
                Together::Ended => {
                    self.finish(&mut state)?;
                    self.know_outcome(&state);
                    return Ok(());
                }
                Together::EndedAgain => {
                    self.path.reached = Some(state);
                    return Ok(());
                }
            }
            let enabled = self.executor.enabled(&state);
            let mut candidates: SmallVec<[ThreadId; 8]> = enabled
                .iter()
                .map(|agent| agent.thread())
                .filter(|thread| !self.has_stopped(*thread))
                .collect();
            self.leave_out_sleepers(&state, &mut candidates)?;
            let next = self.next_thread(&state, &candidates, previous, in_a_row);
            let Some(NextThread { thread, is_beginning }) = next else {
                return self.finish(&mut state);
            };
            in_a_row = if Some(thread) == previous { in_a_row + 1 } else { 0 };
            if in_a_row == 2 * MOST_IN_A_ROW {
                // It may not terminate before it is known which memory is shared.
                self.discover(&state)?;
            }
            if in_a_row >= LONG_ROW
                && in_a_row.is_power_of_two()
                && self.executor.spin_position(&state, thread).is_some()
            {
                return Err(Halt::Beyond("a loop that tries an operation again and again"));
            }
            if self.take_turn(&mut state, thread)? == Turn::Last {
                return self.discover(&state);
            }
            previous = if is_beginning { None } else { Some(thread) };
        }
    }

    /// The thread, and the lane of its buffer, whose store leaves it next, if any waits in one.
    fn next_to_commit(&self, state: &State<E>) -> Option<(ThreadId, Lane)> {
        let model = self.executor.machine.model;
        let next = |thread: &Arc<Thread<E>>| Some((thread.id, thread.buffer.first_committable(model)?.0));
        state.threads.iter().find_map(next)
    }

    /// Lets a store leave its buffer where no choice is left.
    fn commit_freely(&mut self, state: &mut State<E>, thread: ThreadId, lane: Lane) -> Result<(), Halt> {
        if state.threads.len() > 1 {
            return self.commit(state, thread, lane.0);
        }
        self.keep_way_back(state);
        let agent = Agent::Buffer { thread, lane: lane.0 };
        self.path.decisions.push(Decision::Run(agent));
        self.executor.step(state, agent);
        Ok(())
    }

    /// Which of the enabled threads takes the next step. Before it, `previous` has taken `in_a_row`.
    fn next_thread(
        &self,
        state: &State<E>,
        candidates: &[ThreadId],
        previous: Option<ThreadId>,
        in_a_row: u32,
    ) -> Option<NextThread> {
        let ends = |thread: &ThreadId| state.thread(*thread).is_about_to_end_all();
        let may_go = |thread: &ThreadId| !ends(thread) && !self.is_deferred(*thread);
        // Threads are all created, and come to their first step that others could see, before anything else.
        // So that is the same in all executions, and no plan has to go back to before it. What their creator
        // stores on its way to the next creation observes nothing. But threads that are to be exchanged for
        // each other are known by what they do first.
        let is_creator = |thread: ThreadId| Some(thread) == self.creations.creator;
        let begins = |thread: &ThreadId| {
            !self.options.symmetry
                && may_go(thread)
                && (state.thread(*thread).pending.is_none()
                    || self.executor.creates_thread(state, *thread)
                    || is_creator(*thread) && state.thread(*thread).is_about_to_store())
        };
        // Threads that only end, and wait for each other's end, mostly do the same when all others have done.
        // A thread that has created several mostly observes at last what they have done, unless it has its
        // turn.
        let comes_late = |thread: ThreadId| {
            let has_turn = Some(thread) == previous || in_a_row >= MOST_IN_A_ROW;
            self.executor.is_at_an_end(state, thread)
                || !self.options.symmetry && is_creator(thread) && !has_turn
        };
        let goes_on = |thread: &ThreadId| may_go(thread) && !comes_late(*thread);
        let first = |is_it: &dyn Fn(&ThreadId) -> bool| {
            let has_turn = |thread: &&ThreadId| (Some(**thread) == previous) == (in_a_row < MOST_IN_A_ROW);
            let with_turn = candidates.iter().find(|thread| has_turn(thread) && is_it(thread));
            with_turn.or_else(|| candidates.iter().find(|thread| is_it(thread))).copied()
        };
        // Other threads' steps before a failure are explored with the thread held there.
        let fails = |thread: &ThreadId| state.thread(*thread).is_about_to_fail();
        let beginning = first(&begins);
        let best = first(&fails)
            .or(beginning)
            .or_else(|| first(&goes_on))
            .or_else(|| first(&may_go))
            .or_else(|| candidates.iter().find(|thread| !ends(thread)).copied())
            .or_else(|| candidates.first().copied())?;
        Some(NextThread { thread: best, is_beginning: beginning.is_some() })
    }

    /// Has a thread take its step, or puts it off.
    fn take_turn(&mut self, state: &mut State<E>, thread: ThreadId) -> Result<Turn, Halt> {
        if state.threads.len() == 1 {
            // Events before there is a second thread race with nothing.
            self.keep_way_back(state);
            self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
            let step = self.executor.step(state, Agent::Thread(thread));
            if !self.settle(state, thread, step)? {
                return Ok(Turn::Last);
            }
        } else if self.is_settled(state, thread)? {
            if !self.perform_settled(state, thread)? {
                return Ok(Turn::Last);
            }
        } else if state.thread(thread).is_about_to_end_all() {
            self.end_all(state, thread)?;
        } else if !self.is_deferred(thread)
            && let Some(location) = self.would_undo(state, thread)
        {
            self.defer(thread, location);
        } else {
            self.perform(state, thread, Comes::Freely, None)?;
            if self.is_late {
                self.keep_way_back(state);
                return Ok(Turn::Last);
            }
        }
        Ok(Turn::MayGoOn)
    }
}
