//! Executions that are left where a thread goes round a loop that only looks.

use super::point::Point;
use super::{Go, Walk};
use crate::environment::Environment;
use crate::livelock::LONGEST_ROUND;
use crate::state::State;
use symx_trace::Agent;

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the thread that has just taken a step has come round a loop that only looks.
    pub(super) fn comes_round(&mut self, state: &State<E>, agent: Agent) -> bool {
        let Agent::Thread(thread) = agent else { return false };
        if self.running != thread {
            (self.running, self.in_a_row, self.loop_begin) = (thread, 0, None);
        }
        self.in_a_row += 1;
        if self.in_a_row > 1 && self.in_a_row.is_power_of_two() && self.loop_begin.is_none() {
            self.loop_begin = self.executor.goes_round(state, thread).map(|begin| (begin, false));
        }
        match &mut self.loop_begin {
            Some((begin, has_begun)) if self.executor.is_where_it_was(begin, state.thread(thread)) => {
                std::mem::replace(has_begun, true)
            }
            _ => false,
        }
    }

    /// Whether a thread stands where it stood before some of its last steps, and has learned nothing by them: where reads
    /// may return old writes, this is how a loop shows. Whatever it could read next time it could have read this time, so
    /// that the loop need not be taken again for it.
    pub(super) fn has_come_round(&mut self, state: &State<E>) -> bool {
        let mut schedules = self.stack.iter().rev().filter_map(|point| match point {
            Point::Schedule(schedule) => Some(schedule),
            Point::Ways(_) => None,
        });
        let Some(last) = schedules.next() else { return false };
        let Agent::Thread(thread) = last.chosen else { return false };
        let executor = &mut *self.executor;
        let time_stamps = executor.counters.time_stamps;
        let own = schedules.take_while(|point| point.chosen == last.chosen);
        std::iter::once(last)
            .chain(own.take(LONGEST_ROUND))
            .filter(|point| point.time_stamps == time_stamps)
            .filter_map(|point| point.state.as_ref())
            .any(|before| executor.has_come_round(before, state, thread))
    }

    /// Ends an execution in which a thread has come round a loop that only looks: going on there leads to no other
    /// states. Others can go on before its last step, which is a part of the loop.
    pub(super) fn leave_loop(&mut self, mut state: State<E>) -> Go {
        self.has_left_loops = true;
        if self.executor.find_livelock(&mut state, &[]) {
            return self.finish(&state);
        }
        self.result.progress.blocked += 1;
        self.cut_short(&state);
        self.discover(&state)
    }
}
