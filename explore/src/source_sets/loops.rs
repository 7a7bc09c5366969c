//! Executions that are left where a thread spins in a loop that only reads.

use super::point::Point;
use super::{Go, Walk};
use crate::source_sets::limits::{EVENTS_OF_ONE, LEFT_TO_ASK, ROW_TO_COMPARE};
use crate::state_graph::endless::find_livelock;
use crate::state_graph::rounds::{Standing, comes_round};
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::progress::livelock::LONGEST_ROUND;
use symx_interp::state::State;
use symx_interp::threads::thread::Thread;
use symx_trace::{Agent, ThreadId};

/// Rows of steps of one thread, and loops that it may be in.
pub(super) struct Loops<E: Environment> {
    /// The thread that took the last steps.
    thread: ThreadId,
    /// How many.
    pub in_a_row: u32,
    /// If it spins, a place in the loop, and whether it has been there.
    begin: Option<(Arc<Thread<E>>, bool)>,
    /// How many executions were left where a thread spun in a loop that only reads. One stands for all that
    /// an earlier process left.
    pub left: u64,
}

impl<E: Environment> Default for Loops<E> {
    fn default() -> Self {
        Self { thread: ThreadId::MAIN, in_a_row: 0, begin: None, left: 0 }
    }
}

impl<E: Environment> Loops<E> {
    /// No step counts that was taken before.
    pub fn restart(&mut self) {
        (self.in_a_row, self.begin) = (0, None);
    }

    /// Counts how many steps of one thread come one after the other.
    pub fn count(&mut self, agent: Agent) {
        let Agent::Thread(thread) = agent else { return };
        if self.thread != thread {
            self.thread = thread;
            self.restart();
        }
        self.in_a_row += 1;
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the thread that has just taken a step has iterated a loop that only reads.
    pub(super) fn spins(&mut self, state: &State<E>, agent: Agent) -> bool {
        let Agent::Thread(thread) = agent else { return false };
        if self.loops.in_a_row > 1 && self.loops.in_a_row.is_power_of_two() && self.loops.begin.is_none() {
            let begin = match self.takes_sections_whole() {
                true => self.executor.spin_position_outside_sections(state, thread),
                false => self.executor.spin_position(state, thread),
            };
            self.loops.begin = begin.map(|begin| (begin, false));
        }
        match &mut self.loops.begin {
            Some((begin, has_begun)) if self.executor.is_where_it_was(begin, state.thread(thread)) => {
                std::mem::replace(has_begun, true)
            }
            _ => false,
        }
    }

    /// Whether the thread that has just taken a step stands where it stood before some of its last steps,
    /// with everything as it was then. It has taken locks, looked, and given them back. All that can happen
    /// next could have happened there, so the others go on there.
    pub(super) fn has_undone_steps(&mut self, state: &State<E>, agent: Agent) -> bool {
        let Agent::Thread(thread) = agent else { return false };
        if self.loops.in_a_row < ROW_TO_COMPARE {
            return false;
        }
        let is_bounded = self.options.bound.is_some();
        let executor = &mut *self.executor;
        let time_stamps = executor.counters.time_stamps;
        let own = self.path.points.iter_mut().rev().map_while(|point| match point {
            Point::Schedule(schedule) if schedule.chosen == agent => Some(schedule),
            _ => None,
        });
        let mut places = own.take(LONGEST_ROUND).filter(|point| point.time_stamps == time_stamps);
        let begin = places.find(|point| {
            // To switch to another thread costs the same there only if the thread had taken
            // the step before, too.
            (!is_bounded || point.previous == Some(thread))
                && point
                    .state
                    .as_ref()
                    .is_some_and(|before| executor.has_only_read_since(before, state, thread))
        });
        match begin {
            // All that the bound allows is tried there anyway.
            Some(_) if is_bounded => true,
            Some(begin) => {
                begin.backtrack = begin.enabled.clone();
                true
            }
            None => false,
        }
    }

    /// Whether a thread stands where it stood before some of its last steps, and has learned nothing by them.
    /// Where reads may return old writes, this is how a loop shows. Whatever it could read next time it could
    /// have read this time, so that the loop need not be taken again for it.
    pub(super) fn has_only_read_since(&mut self, state: &State<E>) -> bool {
        let mut schedules = self.path.points.iter().rev().filter_map(Point::schedule);
        let Some(last) = schedules.next() else { return false };
        let Agent::Thread(thread) = last.chosen else { return false };
        let executor = &mut *self.executor;
        let time_stamps = executor.counters.time_stamps;
        let own = schedules.take_while(|point| point.chosen == last.chosen);
        std::iter::once(last)
            .chain(own.take(LONGEST_ROUND))
            .filter(|point| point.time_stamps == time_stamps)
            .filter_map(|point| point.state.as_ref())
            .any(|before| executor.has_only_read_since(before, state, thread))
    }

    /// Whether the walk has gone on for long, and threads come round in the present execution.
    pub(super) fn do_threads_come_round(&mut self) -> bool {
        // A few executions that come round for long count as many.
        let events = self.executor.counters.events - self.events_before;
        let executed = self.executed().max(events / EVENTS_OF_ONE);
        if !self.patience.as_mut().is_some_and(|patience| patience.is_over(executed)) {
            return false;
        }
        let points = self.path.points.iter().filter_map(Point::schedule);
        let states = points.filter_map(|point| Some((point.chosen, point.state.as_ref()?)));
        let states: Vec<_> = states.filter(|(agent, _)| !agent.is_buffer()).collect();
        let standing = |(at, (agent, state)): (usize, &(Agent, &State<E>))| {
            let thread = Arc::clone(&state.threads[agent.thread().index()]);
            let changes = states.get(at + 1).is_none_or(|(_, next)| {
                next.memory.version() != state.memory.version() || !Arc::ptr_eq(&next.data, &state.data)
            });
            Standing { thread, changes }
        };
        let steps: Vec<Standing<E>> = states.iter().enumerate().map(standing).collect();
        comes_round(self.executor.machine, &steps)
    }

    /// Notes that time may have passed in the last steps.
    fn note_sleep(&mut self, state: &State<E>) {
        let environment = &self.executor.machine.environment;
        let states = self.path.points.iter().rev().take(LONGEST_ROUND).filter_map(|point| match point {
            Point::Schedule(schedule) => schedule.state.as_ref(),
            Point::Ways(_) => None,
        });
        let mut earlier = states.filter(|earlier| !Arc::ptr_eq(&earlier.data, &state.data));
        self.executor.learned.sleeps_in_round |=
            earlier.any(|earlier| !environment.is_same(&earlier.data, &state.data));
    }

    /// Ends an execution in which a thread has iterated a loop that only reads: continuing there leads to no
    /// other states. Others can take steps before its last step, which is a part of the loop.
    pub(super) fn leave_loop(&mut self, mut state: State<E>) -> Go {
        self.loops.left += 1;
        self.note_sleep(&state);
        // Beside threads that come round, a walk has no end: it is where it would not get out of.
        let is_long = self.loops.left >= LEFT_TO_ASK && self.loops.left.is_power_of_two();
        let is_livelock = match is_long {
            true => find_livelock(self.executor, &mut state, &[]),
            false => self.executor.find_livelock(&mut state, &[]),
        };
        if is_livelock {
            return self.finish(&state);
        }
        self.abandon();
        self.cut_short(&state);
        self.discover(&state)
    }
}
