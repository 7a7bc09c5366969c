//! Backtracking: further alternatives at the choice points of the path, and the next of them.

use super::descent::Taken;
use super::point::Point;
use super::{Go, Walk};
use crate::events::happens_before::Race;
use crate::exit_checks;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::{Agent, Decision, Footprint, ThreadId};

#[allow(clippy::large_enum_variant)] // moved once, at once
pub(super) enum Backtrack<E: Environment> {
    Finished,
    Stopped,
    Resumed(State<E>, Vec<(Agent, Footprint)>, Option<ThreadId>),
    Ended,
}

impl<E: Environment> Walk<'_, '_, E> {
    pub(super) fn backtrack(&mut self) -> Backtrack<E> {
        let executed = self.executed();
        loop {
            if !self.resumed.as_slice().is_empty() {
                self.lead_elsewhere();
            }
            if self.stopped
                || executed >= self.patience
                || self.result.incomplete.iter().any(|cut| cut.reason.ends_exploration())
            {
                return Backtrack::Stopped;
            }
            if self.stack.len() <= self.shared {
                return Backtrack::Finished;
            }
            let Some(top) = self.stack.last_mut() else { return Backtrack::Finished };
            match top {
                Point::Ways(ways) => {
                    let Some(way) = ways.left.pop() else {
                        self.stack.pop();
                        continue;
                    };
                    self.is_explored = false;
                    ways.since.next(executed);
                    self.order.truncate(ways.events);
                    self.decisions.truncate(ways.decisions);
                    self.decisions.extend(way.alternative().map(Decision::Choose));
                    let thread = way.thread();
                    self.section.clone_from(&ways.section);
                    let (mut state, step) = way.enter(self.executor);
                    let taken = self.settle(&mut state, thread, step);
                    return match self.go_on_in_section(&mut state, taken) {
                        Taken::Done => {
                            let (sleep, previous) = self.after_step();
                            Backtrack::Resumed(state, sleep, previous)
                        }
                        Taken::Ended => self.ended(&state),
                    };
                }
                Point::Schedule(point) => {
                    let mut touched = std::mem::take(&mut point.footprint);
                    touched.append(&mut point.sections);
                    point.sleep.push((point.chosen, touched));
                    let Some(agent) = point.next() else {
                        self.stack.pop();
                        continue;
                    };
                    let mut state = point.state.clone().expect("there was a choice");
                    self.executor.counters.forks += 1;
                    point.chosen = agent;
                    self.is_explored = false;
                    point.since.next(executed);
                    point.footprint = exit_checks::footprint(self.executor, &state, agent, self.options);
                    self.order.truncate(point.events);
                    self.decisions.truncate(point.decisions);
                    return match self.take(&mut state, agent) {
                        Taken::Done => {
                            let (sleep, previous) = self.after_step();
                            Backtrack::Resumed(state, sleep, previous)
                        }
                        Taken::Ended => self.ended(&state),
                    };
                }
            }
        }
    }

    fn ended(&mut self, state: &State<E>) -> Backtrack<E> {
        match self.discover(state) {
            Go::On => Backtrack::Ended,
            Go::Stop => Backtrack::Stopped,
        }
    }

    /// Makes sure that one of the race's initials is tried where its earlier event was scheduled.
    pub(super) fn reverse(&mut self, race: &Race) {
        let Point::Schedule(point) = &mut self.stack[race.node] else {
            unreachable!("events are scheduled at scheduling points")
        };
        if race.initials.iter().any(|agent| point.backtrack.contains(agent)) {
            return;
        }
        if race.node < self.shared {
            return self.ask(race.node, &race.initials);
        }
        match race.initials.iter().rev().find(|agent| point.enabled.contains(agent)) {
            Some(agent) => point.backtrack.push(*agent),
            // None of them could run there: one of those that could must enable them.
            None => point.backtrack = point.enabled.clone(),
        }
    }

    /// An execution that ends while others are enabled hides their further steps. Enabled agents take these
    /// before its last step; those that wait might have come before what they wait for.
    pub(super) fn cut_short(&mut self, state: &State<E>) {
        let last = self.stack.iter_mut().rev().find_map(|point| match point {
            Point::Schedule(schedule) => Some(schedule),
            Point::Ways(_) => None,
        });
        if self.options.bound.is_some() {
            if state.threads.iter().any(|thread| !thread.exited) {
                self.unfinished.note(state);
            }
            return;
        }
        if let Some(last) = last {
            if last.enabled.len() > 1 || self.executor.any_thread_waits(state) {
                self.has_cut_short = true;
                self.unfinished.note(state);
            }
            last.backtrack = last.enabled.clone();
        }
        self.waiting_races(state);
    }

    /// Threads that wait might have come before what they wait for.
    pub(super) fn waiting_races(&mut self, state: &State<E>) {
        if self.options.bound.is_some() {
            return;
        }
        for thread in &state.threads {
            if !thread.exited && thread.pending.is_some() {
                let agent = Agent::Thread(thread.id);
                let footprint = exit_checks::footprint(self.executor, state, agent, self.options);
                for race in self.order.races_of(agent, &footprint) {
                    self.reverse(&race);
                }
            }
        }
    }

    pub(super) fn anything_left(&self) -> bool {
        self.stack.iter().any(|point| match point {
            Point::Schedule(schedule) => schedule.next().is_some(),
            Point::Ways(ways) => !ways.left.is_empty(),
        })
    }
}
