//! Performing the next step of a thread: its event, what it does, and what follows from it for the graph.

use super::{Halt, Walk};
use crate::reads_from::backtracking::plan::DEPENDENT;
use crate::reads_from::choice_points::plan::Comes;
use crate::reads_from::graph::event::{Ended, Event, Kind};
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::run::RunStep;
use crate::reads_from::graph::way_back::Before;
use crate::reads_from::step::is_alone_in_memory;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::memory::Life;
use symx_interp::state::{End, State};
use symx_trace::{Agent, Decision, ThreadId};

/// The parts that a step may change, as they were before the step.
struct Earlier<E: Environment> {
    /// The version of memory.
    memory: u64,
    /// How many time stamps were given.
    time_stamps: u64,
    /// The library's bookkeeping, if the step may be the end of a round without effect.
    books: Option<Arc<E::Data>>,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Lets a thread take its next step. A free step that observes something becomes a choice point. The
    /// event may be known already, or foreseen.
    pub(super) fn perform(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        comes: Comes,
        foreseen: Option<Event>,
    ) -> Result<(), Halt> {
        let ordinal = self.graph.threads[thread.index()].executed;
        let is_foreseen = foreseen.is_some();
        let (index, is_new) = self.event_of_step(state, thread, foreseen)?;
        let observes = self.graph.events[usize::from(index)].observes();
        if is_new {
            self.rivals_of(index, state)?;
        }
        let is_alone = is_alone_in_memory(state, thread);
        let is_buffered = self.graph.events[usize::from(index)].is_buffered;
        if is_buffered {
            let number = state.thread(thread).stores_issued;
            self.graph.threads[thread.index()].stores.push((number, index));
        }
        let decisions = self.path.decisions.len();
        if !is_alone && self.is_step_elsewhere(state, thread) {
            self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
        }
        let may_be_round = is_new && self.graph.events[usize::from(index)].leaves_nothing();
        let earlier = Earlier {
            memory: state.memory.version(),
            time_stamps: self.executor.counters.time_stamps,
            books: may_be_round.then(|| Arc::clone(&state.data)),
        };
        let (was_alone, threads, children) =
            (state.unjoined <= 1, state.threads.len(), state.thread(thread).children);
        if state.unjoined <= 2 {
            self.find_contested(Some(index));
        }
        let (before, goes_on) = self.execute(state, thread, index, is_new)?;
        if is_alone {
            self.drain(state, thread);
        }
        if state.threads.len() > threads || state.thread(thread).children > children {
            self.note_new_threads(state, thread, was_alone)?;
        }
        if !goes_on || matches!(state.end, Some(End::Failed(_))) {
            if !is_new {
                return self.report_late_end(index, decisions, goes_on, state);
            }
            self.stop_there(index, decisions, goes_on, state)?;
            self.path.decisions.truncate(decisions);
            *state = self.state_before(before)?;
        } else {
            self.graph.threads[thread.index()].executed += 1;
            if is_new {
                self.note_effects(index, &before, earlier, state)?;
            }
            let overwritten = if is_buffered { SmallVec::new() } else { self.overwrite(index) };
            self.path.run.push(RunStep {
                thread,
                ordinal,
                commits: false,
                event: index,
                takes_effect: !is_buffered,
                decisions,
                overwritten,
                before,
            });
        }
        self.commit_own(state, thread)?;
        let goes_further = is_new && self.graph.events[usize::from(index)].end.is_none();
        if goes_further && self.ends_in_loop(state, index, comes)? {
            return Ok(());
        }
        if is_foreseen {
            self.enter_foreseen(index)?;
        } else if is_new {
            self.enter(index, comes == Comes::Freely && observes)?;
        }
        Ok(())
    }

    /// The state before the step that has just been taken.
    fn state_before(&mut self, before: Before<E>) -> Result<State<E>, Halt> {
        match before {
            Before::Kept(before) => Ok(*before),
            Before::Unknown | Before::Undo(_) => self.state_again(),
        }
    }

    /// Notes the threads that a step has created.
    fn note_new_threads(&mut self, state: &State<E>, creator: ThreadId, was_alone: bool) -> Result<(), Halt> {
        self.note_creation(state, creator)?;
        self.know_threads(state);
        if was_alone {
            self.graph.begin_phase();
        }
        Ok(())
    }

    /// Notes what the step of a new event has led to.
    fn note_effects(
        &mut self,
        index: Index,
        before: &Before<E>,
        earlier: Earlier<E>,
        state: &State<E>,
    ) -> Result<(), Halt> {
        self.note_result(state, index);
        self.note_return(index)?;
        self.note_sum(index, before, state);
        self.note_changes(index, earlier, state);
        Ok(())
    }

    /// Whether the path ends with a new event, which belongs to a round of a loop that leads to nothing new.
    /// Otherwise notes which round it is. On the way of a plan, events of other threads may come elsewhere
    /// than they did, so that what was none is such a round now: its thread goes on there all the same.
    fn ends_in_loop(&mut self, state: &mut State<E>, index: Index, comes: Comes) -> Result<bool, Halt> {
        let is_free = comes == Comes::Freely;
        if comes != Comes::OnTheWay
            && let Some(first) = self.start_of_reading_round(index, state)
        {
            let is_late = self.is_out_of_date(first, index, state)?;
            return self.end_in_round(state, (first, index), is_free, is_late);
        }
        if is_free && self.begins_again(index, state)? {
            return Ok(true);
        }
        self.note_round(index, state);
        Ok(false)
    }

    /// The event that a thread's next step is, added to the graph unless it is there. Whether it is new to
    /// the walk: neither known nor foreseen.
    fn event_of_step(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        foreseen: Option<Event>,
    ) -> Result<(Index, bool), Halt> {
        let ordinal = self.graph.threads[thread.index()].executed;
        let known = self.graph.threads[thread.index()].events.get(ordinal as usize).copied();
        let index = known.unwrap_or(self.graph.events.len() as Index);
        let is_new = known.is_none() && foreseen.is_none();
        if let Some(event) = foreseen {
            self.remember_start(state, &event);
            self.graph.events.push(event);
            self.graph.threads[thread.index()].events.push(index);
        } else if !known.is_some_and(|known| self.observes_the_same(state, known)) {
            let event = self.observe(state, thread, ordinal)?;
            if let Some(known) = known {
                let known = &self.graph.events[usize::from(known)];
                if known.name != known.named(event.name) {
                    let touches_others = self.places_of(known) != self.places_of(&event);
                    return Err(if touches_others {
                        DEPENDENT
                    } else {
                        Halt::Contradiction("another event")
                    });
                }
            } else {
                self.remember_start(state, &event);
                self.graph.events.push(event);
                self.graph.threads[thread.index()].events.push(index);
            }
        }
        Ok((index, is_new))
    }

    /// Executes the step that is an event, and the rounds of a loop that it begins. Returns the way back to
    /// the state before, and whether the thread goes on.
    fn execute(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        index: Index,
        is_new: bool,
    ) -> Result<(Before<E>, bool), Halt> {
        let event = &self.graph.events[usize::from(index)];
        let observes = event.observes();
        let is_chained = event.turns().next().is_some();
        // The first position is one to which there is always a way back. Before a chained event, the state is
        // needed to ask which event could have come there first.
        let is_undone = !self.path.run.is_empty() && !is_chained;
        let undo = if is_undone { self.executor.step_known(state, thread) } else { None };
        let (before, goes_on) = match undo {
            Some(undo) => {
                self.executor.note_taken(&mut self.graph.taken, usize::from(index), state, thread);
                (Before::Undo(undo), true)
            }
            None => {
                let commutes = self.graph.events[usize::from(index)].commuting.is_some();
                let is_kept = observes || commutes || self.path.run.is_empty() || self.ends_with_undo();
                let before = if is_kept { Before::Kept(Box::new(state.clone())) } else { Before::Unknown };
                self.begin_choice(index);
                let step = self.executor.step(state, Agent::Thread(thread));
                let goes_on = self.settle(state, thread, step)?;
                self.end_choice(index, is_new)?;
                (before, goes_on)
            }
        };
        let spin = if goes_on { self.spin(index, &before, state) } else { None };
        let Some((spin, before)) = spin else { return Ok((before, goes_on)) };
        self.graph.taken.forget(usize::from(index));
        self.graph.events[usize::from(index)].spins = true;
        let goes_on = self.finish_spin(state, thread, &spin, &before)?;
        Ok((Before::Kept(Box::new(before)), goes_on))
    }

    /// Notes what the step that is a new event has changed.
    fn note_changes(&mut self, index: Index, earlier: Earlier<E>, state: &State<E>) {
        let environment = &self.executor.machine.environment;
        let changed = earlier.books.filter(|books| !Arc::ptr_eq(books, &state.data));
        let is_only_later = |books: &Arc<E::Data>| environment.is_only_later(books, &state.data);
        let is_stamped = self.executor.counters.time_stamps != earlier.time_stamps;
        let event = &mut self.graph.events[usize::from(index)];
        let is_update = matches!(event.kind, Kind::Store(_));
        event.changes_memory = is_update || state.memory.version() != earlier.memory;
        event.sleeps = changed.as_ref().is_some_and(is_only_later);
        event.leaves_trace = changed.is_some() && !event.sleeps || is_stamped;
    }

    /// Takes back the last look of a round that begins with `first`: it did nothing, and is to be seen as the
    /// thread's last event. Returns whether the event is gone, as the thread is deferred until there is
    /// something else to see.
    fn end_in_round(
        &mut self,
        state: &mut State<E>,
        (first, index): (Index, Index),
        is_free: bool,
        is_late: bool,
    ) -> Result<bool, Halt> {
        self.is_late |= is_late;
        let Event { thread, ordinal, .. } = self.graph.events[usize::from(index)];
        if let Some(step) = self.path.run.pop() {
            self.path.decisions.truncate(step.decisions);
            self.graph.threads[thread.index()].executed = ordinal;
            if !matches!(step.before, Before::Unknown) {
                self.found.unfinished.note(state);
                self.discover(state)?;
            }
            match step.before {
                Before::Unknown => {}
                Before::Kept(before) => *state = *before,
                Before::Undo(undo) => undo.take_back(state),
            }
        }
        let is_alone_there = first == index && self.graph.events[usize::from(index)].touches.len() == 1;
        if is_free && !is_late && is_alone_there && !self.is_deferred(thread) {
            self.graph.threads[thread.index()].events.pop();
            if let Some(event) = self.graph.events.pop() {
                self.defer(thread, event.touches[0].location);
            }
            return Ok(true);
        }
        self.graph.events[usize::from(index)].end = Some(if is_late { Ended::Late } else { Ended::Waits });
        Ok(false)
    }

    /// A thread that fails or is not followed further stays before its last step, so that what
    /// others do is seen.
    fn stop_there(
        &mut self,
        index: Index,
        decisions: usize,
        has_failed: bool,
        state: &State<E>,
    ) -> Result<(), Halt> {
        if has_failed {
            self.collect_failure(state, index, decisions)?;
        }
        // An end that is of no concern is as an assumption that does not hold.
        let is_quiet = matches!(&state.end, Some(End::Failed(failure)) if self.options.quiet.counts(failure));
        self.graph.events[usize::from(index)].end =
            Some(if has_failed && !is_quiet { Ended::Failed } else { Ended::Blocked });
        if has_failed && self.is_in_ended_life(index, state) {
            // The end of the object's life could have observed the store.
            self.readers_of(index)?;
        }
        self.found.unfinished.note(state);
        self.discover(state)?;
        let event = &mut self.graph.events[usize::from(index)];
        event.touches.iter_mut().for_each(|touch| touch.writes = false);
        if event.is_buffered {
            event.is_buffered = false;
            self.graph.threads[event.thread.index()].stores.pop();
        }
        Ok(())
    }

    /// Whether an event touches memory of an object whose life has ended.
    fn is_in_ended_life(&self, index: Index, state: &State<E>) -> bool {
        let ranges = self.graph.events[usize::from(index)].touches.iter();
        ranges
            .filter_map(|touch| self.graph.locations.range(touch.location))
            .any(|(start, _)| state.memory.near(start).is_none_or(|object| object.life != Life::Live))
    }

    /// A known event fails if it is ordered after the end of an object's life. The failure is reported. What
    /// others do in this order, with the thread before its failure, is beyond this walk: where the event does
    /// not fail, the end of the life comes later, and so does all that follows it.
    fn report_late_end(
        &mut self,
        index: Index,
        decisions: usize,
        has_failed: bool,
        state: &State<E>,
    ) -> Result<(), Halt> {
        if !has_failed {
            return Err(Halt::Contradiction("the end of a known event"));
        }
        self.collect_failure(state, index, decisions)?;
        self.found.unfinished.note(state);
        self.discover(state)?;
        Err(Halt::Beyond("a failure of an event in another order"))
    }

    /// The state that the run has led to, once more.
    fn state_again(&mut self) -> Result<State<E>, Halt> {
        let none = Halt::Contradiction("no state to start from");
        let kept =
            self.path.run.iter().enumerate().rev().find_map(|(at, step)| Some((at, step.before.kept()?)));
        let (start, mut state) = kept.map(|(at, state)| (at, state.clone())).ok_or(none)?;
        let decisions = self.path.decisions.len();
        // They were counted when they were taken.
        let counted = self.executor.counters;
        for step in self.path.run[start..].iter().rev().filter(|step| !step.commits) {
            self.graph.threads[step.thread.index()].executed = step.ordinal;
        }
        for at in start..self.path.run.len() {
            let RunStep { thread, commits, event, .. } = self.path.run[at];
            if commits {
                let lane = self.lane_of(event)?;
                self.executor.step(&mut state, Agent::Buffer { thread, lane: lane.0 });
                continue;
            }
            while self.is_settled(&state, thread)? {
                self.perform_settled(&mut state, thread)?;
            }
            if state.unjoined <= 2 {
                self.find_contested(Some(event));
            }
            self.begin_choice(event);
            let step = self.executor.step(&mut state, Agent::Thread(thread));
            self.settle(&mut state, thread, step)?;
            self.end_choice(event, false)?;
            self.graph.threads[thread.index()].executed += 1;
            self.commit_own(&mut state, thread)?;
        }
        self.path.decisions.truncate(decisions);
        self.executor.counters.restore(counted);
        Ok(state)
    }
}
