//! Backtracking: further alternatives at the choice points of the path, and the next of them.

use super::descent::Taken;
use super::point::Point;
use super::{Go, Walk};
use crate::events::happens_before::Race;
use crate::exit_checks;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_interp::threads::thread::Thread;
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
            if !self.earlier.is_over() {
                self.lead_elsewhere();
            }
            if self.stopped
                || executed >= self.grain.most_executions()
                || self.result.incomplete.iter().any(|cut| cut.reason.ends_exploration())
            {
                return Backtrack::Stopped;
            }
            if self.path.points.len() <= self.elsewhere.shared {
                return Backtrack::Finished;
            }
            let Some(top) = self.path.points.last_mut() else { return Backtrack::Finished };
            match top {
                Point::Ways(ways) => {
                    let Some(way) = ways.left.pop() else {
                        self.path.points.pop();
                        continue;
                    };
                    self.progress.is_explored = false;
                    ways.since.next(executed);
                    self.path.order.truncate(ways.events);
                    self.path.decisions.truncate(ways.decisions);
                    self.path.decisions.extend(way.alternative().map(Decision::Choose));
                    let thread = way.thread();
                    self.path.section.clone_from(&ways.section);
                    let (mut state, step) = way.enter(self.executor);
                    let taken = self.settle(&mut state, thread, step);
                    return match self.go_on_in_section(&mut state, taken) {
                        Taken::Done => {
                            let (sleep, previous) = self.path.after_step(self.options.bound.is_some());
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
                        self.path.points.pop();
                        continue;
                    };
                    let mut state = point.state.clone().expect("there was a choice");
                    self.executor.counters.forks += 1;
                    point.chosen = agent;
                    self.progress.is_explored = false;
                    point.since.next(executed);
                    point.footprint = exit_checks::footprint(self.executor, &state, agent, self.options);
                    self.path.order.truncate(point.events);
                    self.path.decisions.truncate(point.decisions);
                    return match self.take(&mut state, agent) {
                        Taken::Done => {
                            let (sleep, previous) = self.path.after_step(self.options.bound.is_some());
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

    /// Makes sure that the race is reversed, here or where its earlier event is explored.
    pub(super) fn reverse(&mut self, race: &Race) {
        if let Some(request) = self.path.reverse(race, self.elsewhere.shared) {
            self.elsewhere.ask(request);
        }
    }

    /// An execution that ends while others are enabled hides their further steps. Enabled agents take these
    /// before its last step; those that wait might have come before what they wait for.
    pub(super) fn cut_short(&mut self, state: &State<E>) {
        let last = self.path.points.iter_mut().rev().find_map(|point| match point {
            Point::Schedule(schedule) => Some(schedule),
            Point::Ways(_) => None,
        });
        if self.options.bound.is_some() {
            if state.threads.iter().any(|thread| !thread.exited) {
                self.unseen.unfinished.note(state);
            }
            return;
        }
        if let Some(last) = last {
            if last.enabled.len() > 1 || self.executor.any_thread_waits(state) {
                self.unseen.has_cut_short = true;
                self.unseen.unfinished.note(state);
            }
            last.backtrack = last.enabled.clone();
        }
        self.waiting_races(state, &[]);
    }

    /// Threads that wait might have come before what they wait for; not those whose next steps are
    /// `seen_elsewhere`.
    pub(super) fn waiting_races(&mut self, state: &State<E>, seen_elsewhere: &[Agent]) {
        self.races_of_next(state, |thread| {
            thread.pending.is_some() && !seen_elsewhere.contains(&Agent::Thread(thread.id))
        });
    }

    /// The next step of the thread `ending` ends its process, one of several: the next steps of its other
    /// threads might have come before.
    pub(super) fn ended_races(&mut self, state: &State<E>, ending: ThreadId) {
        let process = state.process_of(ending);
        let is_ended = |thread: &Thread<E>| {
            thread.id != ending && state.process_of(thread.id) == process && !thread.is_to_come
        };
        self.unseen.has_cut_short |= state.threads.iter().any(|thread| !thread.exited && is_ended(thread));
        self.races_of_next(state, is_ended);
    }

    /// The races of the next steps of threads that may take none.
    fn races_of_next(&mut self, state: &State<E>, may_stop: impl Fn(&Thread<E>) -> bool) {
        if self.options.bound.is_some() {
            return;
        }
        for thread in &state.threads {
            let agent = Agent::Thread(thread.id);
            if !thread.exited && may_stop(thread) {
                self.deferred_races(state, agent);
                let footprint = exit_checks::footprint(self.executor, state, agent, self.options);
                self.reverse_all(agent, &footprint);
            }
        }
    }

    /// An operation that a signal puts off, or that a request to cancel ends, might have come before either
    /// was sent. If it waited then, it might have come before what it waits for. The signal is ordered
    /// after that, and so is the interruption.
    pub(super) fn deferred_races(&mut self, state: &State<E>, agent: Agent) {
        if self.options.bound.is_some() {
            return;
        }
        let footprint = self.executor.deferred_footprint(state, agent);
        if !footprint.is_empty() {
            self.reverse_all(agent, &footprint);
        }
    }

    /// Makes sure that the races are reversed which an event of an agent would be the later half of.
    fn reverse_all(&mut self, agent: Agent, footprint: &Footprint) {
        for race in self.path.order.races_of(agent, footprint) {
            self.reverse(&race);
        }
    }
}
