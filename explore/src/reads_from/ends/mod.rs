//! Ends of executions: of the process, of threads that have nothing else left to do, and what is
//! to be noted then.

pub(super) mod bystanders;

use super::walk::LastEnd;
use super::{Halt, Node, SEVERAL_CREATORS, Walk};
use crate::execution::{self, Collected};
use crate::reads_from::ends::bystanders::Replays;
use crate::reads_from::graph::event::{Ended, Location, Touch, bit_of};
use crate::reads_from::graph::index::Index;
use crate::replays::lookahead;
use crate::state_graph::endless::find_livelock;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::state::{End, State};
use symx_ir::address::Cell;
use symx_trace::{Agent, Decision, IncompleteReason, ThreadId};

/// Where threads have come to that have nothing left to do but to end.
pub(super) enum Together {
    /// There is something that they have to do in one order or the other, or that is unknown.
    Apart,
    /// To the end of the process.
    Ended,
    /// To the end of the process, and nothing is to be reported but that there was one more execution.
    EndedAgain,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Goes to the end of the execution if threads have nothing left to do there but to end. Nothing comes
    /// after these events, and nothing else could be observed by them, so they need not be known.
    pub(super) fn end_together(&mut self, state: &mut State<E>) -> Result<Together, Halt> {
        if !self.executor.has_only_ends_left(state)
            || self.graph.events.iter().any(|event| event.end.is_some())
        {
            return Ok(Together::Apart);
        }
        self.find_contested(None);
        let locations = &self.graph.locations;
        let shared = (0..locations.len() as Location)
            .filter_map(|location| locations.range(location).and_then(|(start, _)| Cell::of(start)));
        let Some(known) = self.executor.ends_together_audited(state, shared) else {
            return Ok(Together::Apart);
        };
        let Some(together) = known.together() else { return Ok(Together::Apart) };
        let LastEnd { touched, mask, outcome, .. } = match self.path.last_end.take() {
            Some(last) if Arc::ptr_eq(&last.known, &known) => self.path.last_end.insert(last),
            _ => {
                let touched = self.touched_by(together)?;
                let mask = touched.iter().fold(0, |mask, (location, _)| mask | bit_of(*location));
                let known = Arc::clone(&known);
                self.path.last_end.insert(LastEnd { known, touched, mask, outcome: None })
            }
        };
        let is_rival = |touch: &Touch| {
            let is_here = |(location, changes): &(Location, bool)| {
                *location == touch.location && (*changes || touch.writes || touch.choice.is_turn())
            };
            touched.iter().any(is_here)
        };
        let mut nearby = self.graph.events.iter().filter(|event| event.places & *mask != 0);
        if nearby.any(|event| event.touches.iter().any(is_rival)) {
            return Ok(Together::Apart);
        }
        self.executor.counters.events += together.steps.len() as u64;
        self.executor.counters.instructions += together.instructions;
        self.executor.counters.known += together.instructions;
        if let Some(outcome) = outcome
            && self.found.unfinished.is_empty()
            && !self.creations.has_unnumbered
            && let Some(executions) = self.found.result.outcomes.get_mut(outcome)
        {
            *executions += 1;
            self.found.result.progress.executions += 1;
            self.tell_count(false);
            return Ok(Together::EndedAgain);
        }
        self.leave_for(state, known.follow(state));
        self.path.decisions.extend(together.steps.iter().map(|thread| Decision::Run(Agent::Thread(*thread))));
        Ok(Together::Ended)
    }

    fn touched_by(
        &mut self,
        together: &symx_interp::caches::endings::Together,
    ) -> Result<SmallVec<[(Location, bool); 8]>, Halt> {
        let mut touched = SmallVec::new();
        for (place, changes) in &together.touched {
            touched.extend(self.places(*place)?.into_iter().map(|location| (location, *changes)));
        }
        Ok(touched)
    }

    /// Notes the outcome of an execution whose threads ended together, if it is the same of all that end so.
    /// It was reported now, and depends on nothing but the end.
    pub(super) fn know_outcome(&mut self, state: &State<E>) {
        let options = self.options;
        let is_reported = !self.counts.is_repeating
            && !options.symmetry
            && options.max_executions.is_none()
            && execution::collects_outcomes_only(self.executor, self.observer, options);
        if is_reported
            && let Some(End::Exit(exit)) = state.end
            && let Some(last) = &mut self.path.last_end
        {
            let written = self.executor.machine.environment.standard_output(&state.data);
            last.outcome = written.is_concrete().then_some((written.bytes, exit.status));
        }
    }

    /// Ends the process. Others have done all they can; had they done less, that would be unobservable.
    pub(super) fn end_all(&mut self, state: &mut State<E>, thread: ThreadId) -> Result<(), Halt> {
        let past = self.graph.threads[thread.index()]
            .events
            .last()
            .map(|last| self.graph.events[usize::from(*last)].past)
            .unwrap_or_default();
        if (0..).zip(&self.graph.events).any(|(index, event)| event.is_lasting && !past.has(index)) {
            return Err(Halt::Beyond("output beside the end of the process"));
        }
        // Which threads have ended by then, and what they point to, is looked at.
        let looks_at_threads = self.options.looks_at_threads_at_end();
        if looks_at_threads && (0..self.graph.events.len()).any(|index| !past.has(index as Index)) {
            return Err(Halt::Beyond("threads beside the end of a process whose threads are looked at"));
        }
        let mut others = state.threads.iter().filter(|other| other.id != thread && !other.exited);
        if others.any(|other| other.is_about_to_end_all()) {
            return Err(Halt::Beyond("several threads that end the process"));
        }
        if self.graph.events.iter().any(|event| event.end == Some(Ended::Failed)) {
            return Err(Halt::Beyond("a failure beside the end of the process"));
        }
        // A thread that waits for a lock that the end takes could have had it first, and have ended the
        // process otherwise.
        self.waiting_rivals(state)?;
        self.keep_way_back(state);
        self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
        let step = self.executor.step(state, Agent::Thread(thread));
        if self.settle(state, thread, step)? { Ok(()) } else { Err(Halt::Beyond("an end that fails")) }
    }

    /// Notes which thread has created another. Where several do, all threads are to have numbers that do not
    /// depend on which comes first. If they do not yet, this execution is completed to know all threads.
    pub(super) fn note_creation(&mut self, state: &State<E>, creator: ThreadId) -> Result<(), Halt> {
        let learned = &self.executor.learned.threads;
        if *self.creations.creator.get_or_insert(creator) == creator && learned.is_empty() {
            return Ok(());
        }
        if self.options.symmetry || state.threads.iter().any(|thread| thread.service) {
            return Err(Halt::Beyond(SEVERAL_CREATORS));
        }
        let creator = state.thread(creator);
        self.creations.has_unnumbered |= !learned.contains(&creator.name.child(creator.children));
        Ok(())
    }

    /// Takes stock at the end of an execution.
    pub(super) fn finish(&mut self, state: &mut State<E>) -> Result<(), Halt> {
        self.keep_way_back(state);
        if self.executor.learned.apply_notes() {
            return Err(Halt::Learned);
        }
        if self.creations.has_unnumbered {
            let has_learned = self.executor.learn_numbers(state);
            return Err(if has_learned { Halt::Learned } else { Halt::Beyond(SEVERAL_CREATORS) });
        }
        if self.executor.parked_too_early(state) {
            return self.discover(state);
        }
        self.find_distinguished(state)?;
        let (mut has_failed, mut waits, mut is_blocked) = (false, false, false);
        for end in self.graph.events.iter().filter_map(|event| event.end) {
            has_failed |= end == Ended::Failed;
            waits |= end == Ended::Waits;
            is_blocked |= end == Ended::Blocked;
        }
        let waits = waits || state.threads.iter().any(|thread| self.tries_again(thread.id));
        // What follows a sleeping event has been found elsewhere.
        for thread in &state.threads {
            is_blocked |= !thread.exited && self.sleeps(state, thread.id)?;
        }
        if waits && state.end.is_none() && self.executor.stops_at_fences && self.waits_at_barrier(state) {
            return Err(Halt::Beyond("a loop that waits at barriers alone"));
        }
        // A thread that has stopped there is not waited for: the process has an end.
        let has_ended = state.end.is_some();
        if !has_ended {
            self.waiting_rivals(state)?;
        }
        if has_ended && self.executor.memory_matters_at_end && !self.has_final_memory() {
            return Err(Halt::Beyond("writes in any order before an end that looks at memory"));
        }
        if has_failed {
            // Counted when it failed; the rest was to find out what others would do.
        } else if has_ended || waits && !is_blocked && self.executor.find_livelock(state, &[]) {
            self.collect(state)?;
        } else if waits || is_blocked {
            let seeming = if is_blocked { None } else { self.seeming_livelock(state)? };
            if seeming.is_some() && find_livelock(self.executor, state, &[]) {
                self.collect(state)?;
            } else {
                seeming.into_iter().for_each(|cut| self.found.result.cut(cut));
                self.found.result.progress.blocked += 1;
            }
        } else {
            self.executor.stuck(state);
            self.collect(state)?;
        }
        self.discover(state)
    }

    /// Whether a thread has stopped in a loop before a step that is none in a replay: there it would run on.
    fn waits_at_barrier(&self, state: &State<E>) -> bool {
        state.threads.iter().any(|thread| {
            !thread.exited
                && self.last_of(thread.id).is_some_and(|last| last.end == Some(Ended::Waits))
                && !self.is_step_elsewhere(state, thread.id)
        })
    }

    /// Whether the last write to each place in memory comes after all others in every execution of the class:
    /// no event observes the order of those that are overwritten.
    fn has_final_memory(&self) -> bool {
        let is_final =
            |place| self.graph.locations.range(place).is_none() || self.has_last_write(place, None);
        (0..self.graph.locations.len() as Location).all(is_final)
    }

    /// Operations that wait at the end of an execution might have come before what they wait for.
    pub(super) fn waiting_rivals(&mut self, state: &State<E>) -> Result<(), Halt> {
        for thread in &state.threads {
            if thread.exited || thread.pending.is_none() || self.has_stopped(thread.id) {
                continue;
            }
            let ordinal = self.graph.threads[thread.id.index()].executed;
            let event = self.observe(state, thread.id, ordinal)?;
            let index = self.graph.events.len() as Index;
            self.graph.events.push(event);
            let result = self.rivals_of(index, state);
            self.graph.events.pop();
            result?;
        }
        Ok(())
    }

    /// Counts an execution that ends with the failure of an event, whose decisions begin at `start`.
    pub(super) fn collect_failure(
        &mut self,
        state: &State<E>,
        event: Index,
        start: usize,
    ) -> Result<(), Halt> {
        if !self.executor.stops_at_fences {
            return self.collect(state);
        }
        match self.replays(state, event, start) {
            Replays::AsTaken => self.collect(state),
            Replays::Without(decisions) => {
                let taken = std::mem::replace(&mut self.path.decisions, decisions);
                let result = self.collect(state);
                self.path.decisions = taken;
                result
            }
            Replays::Never => Ok(()),
        }
    }

    fn collect(&mut self, state: &State<E>) -> Result<(), Halt> {
        if self.counts.is_repeating {
            return Ok(());
        }
        self.counts.ends += 1;
        if self.counts.ends <= self.counts.counted {
            return Ok(());
        }
        // Some operations, as a fence, are steps only here. One is out of turn if its memory turns out to be
        // shared.
        if self.executor.stops_at_fences {
            self.found.discovered.extend(lookahead::scout_from_barriers(
                self.executor,
                state,
                &self.path.decisions,
            ));
            self.discover(state)?;
        }
        let (executor, result) = (&mut *self.executor, &mut self.found.result);
        let collected =
            execution::collect(executor, state, &self.path.decisions, result, self.observer, self.options);
        if collected == Collected::Halted {
            return Err(Halt::Stopped);
        }
        self.counts.counted = self.counts.ends;
        self.tell_count(false);
        if collected == Collected::Enough {
            return Err(Halt::Stopped);
        }
        let found = lookahead::scout_after_failure(self.executor, state, &self.path.decisions);
        if !found.is_empty() {
            self.found.discovered.extend(found);
            return Err(Halt::Discovered);
        }
        if self.options.max_executions.is_some_and(|max| self.found.result.progress.executions >= max)
            && self.path.nodes.iter().any(Node::has_pending)
        {
            // If more is to be known as shared, everything restarts.
            let _ = self.discover(state);
            self.found.result.cut(IncompleteReason::MaxExecutions.into());
            return Err(Halt::Stopped);
        }
        Ok(())
    }
}
