//! The agents that may take the next step, and at which cost.

use super::Search;
use super::frontier::Entry;
use super::past::{Point, Turn};
use crate::exit_checks;
use crate::recorded::limits::{MOST_IN_A_ROW, MOST_STEPS, ROW_TO_LOOK};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::stop::Incomplete;
use symx_trace::{Agent, IncompleteReason, ThreadId};

impl<E: Environment> Search<'_, '_, E> {
    /// The agent whose step is next; all others that could take one are deferred. None if the execution goes
    /// no further.
    pub(super) fn expand(&mut self, point: &mut Point<E>) -> Option<Turn> {
        let enabled = self.executor.enabled(&point.state);
        if enabled.is_empty() {
            if self.executor.parked_too_early(&point.state) {
                self.leave(&point.state);
                return None;
            }
            self.executor.stuck(&mut point.state);
            self.finish(&point.state, &point.past);
            return None;
        }
        if point.past.steps >= MOST_STEPS {
            let what = format!("executions of more than {MOST_STEPS} visible steps");
            self.result.cut(Incomplete { what, ..IncompleteReason::MaxSteps.into() });
            self.leave(&point.state);
            return None;
        }
        if let ([only], 1) = (&enabled[..], point.state.threads.len()) {
            return Some(self.turn(point, *only));
        }
        let running = Agent::Thread(point.past.running);
        let row = self.row(point);
        if point.state.end.is_some() {
            self.finish(&point.state, &point.past);
            return None;
        }
        let is_deferred = |agent: &Agent| {
            let deferred = |(thread, _): &(ThreadId, _)| *agent == Agent::Thread(*thread);
            point.past.deferred.iter().any(deferred)
        };
        let mut candidates: SmallVec<[Agent; 8]> =
            enabled.iter().copied().filter(|agent| !is_deferred(agent)).collect();
        let stays = candidates.contains(&running) && row == Row::Short;
        let key = point.past.key(stays.then_some(point.past.running));
        let preemptions = point.past.preemptions;
        match self.seen.get_mut(&key) {
            Some(fewest) if *fewest <= preemptions => {
                self.result.progress.blocked += 1;
                return None;
            }
            Some(fewest) => *fewest = preemptions,
            None => drop(self.seen.insert(key, preemptions)),
        }
        // Where all others are deferred, those executions are explored in which they go on first.
        if row == Row::Waits && enabled.len() > 1 {
            candidates.retain(|agent| *agent != running);
        }
        let Some(first) = self.first(&candidates, running, stays) else {
            if self.executor.find_livelock(&mut point.state, &[]) {
                self.finish(&point.state, &point.past);
                return None;
            }
            self.result.progress.blocked += 1;
            self.leave(&point.state);
            return None;
        };
        self.defer_others(point, &candidates, first, stays.then_some(point.past.running));
        Some(self.turn(point, first))
    }

    /// Has the others be tried later, at their cost.
    fn defer_others(
        &mut self,
        point: &Point<E>,
        candidates: &[Agent],
        first: Agent,
        running: Option<ThreadId>,
    ) {
        if candidates.len() < 2 {
            return;
        }
        let mut shared = None;
        for agent in candidates.iter().copied().filter(|agent| *agent != first) {
            let preempted = running.filter(|_| !agent.is_buffer());
            if preempted.is_some() && point.past.preemptions >= self.nearness.preemptions {
                continue;
            }
            let footprint = |agent| exit_checks::footprint(self.executor, &point.state, agent, self.options);
            let preempts = preempted.map(|thread| (thread, footprint(Agent::Thread(thread))));
            let turn = Turn { agent, footprint: footprint(agent), is_departure: true, preempts };
            let from = Arc::clone(shared.get_or_insert_with(|| Arc::new(point.clone())));
            self.frontier.add(point.past.distance() + 1, Entry::Step { from, turn });
        }
    }

    /// A step by the agent that the plain scheduler would choose.
    fn turn(&self, point: &Point<E>, agent: Agent) -> Turn {
        let footprint = exit_checks::footprint(self.executor, &point.state, agent, self.options);
        Turn { agent, footprint, is_departure: false, preempts: None }
    }

    /// The thread that runs goes on while it can, then the next one does; store buffers empty when no thread
    /// can run.
    fn first(&self, candidates: &[Agent], running: Agent, stays: bool) -> Option<Agent> {
        if stays && candidates.contains(&running) {
            return Some(running);
        }
        let behind = |agent: &&Agent| !agent.is_buffer() && agent.thread() > running.thread();
        let other = |agent: &&Agent| **agent != running;
        let next = candidates.iter().find(behind).or(candidates.iter().find(other));
        next.or(candidates.first()).copied()
    }

    /// The kind of the last steps of the running thread; the execution ends if all threads wait.
    fn row(&mut self, point: &mut Point<E>) -> Row {
        let in_a_row = point.past.in_a_row;
        if in_a_row < ROW_TO_LOOK || !in_a_row.is_power_of_two() {
            return Row::Short;
        }
        let long = if in_a_row < MOST_IN_A_ROW { Row::Short } else { Row::Long };
        if self.executor.spin_position(&point.state, point.past.running).is_some() {
            self.executor.find_livelock(&mut point.state, &[]);
            return Row::Waits;
        }
        // It may take locks, look, and give them back.
        match self.executor.returns_to_earlier_state(&point.state, point.past.running) {
            true => Row::Waits,
            false => long,
        }
    }
}

/// Steps of one thread that come one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Row {
    Short,
    /// This many, so that others go on first, without a preemption: now and then, ever more seldom.
    Long,
    /// In a loop that changes nothing until others do.
    Waits,
}
