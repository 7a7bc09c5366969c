//! Loops that wait: a thread that comes back to where it was, in the state it was in, having
//! done nothing but look.
//!
//! One more round is no execution of its own: what the thread sees at last it could as well have seen at
//! once. So the thread stops there, and the executions in which it sees something else are alternatives of
//! its reads. The same holds of a compare-and-exchange that fails and returns the number found. Its thread is
//! then where it would be had it read that number in the first place, when it began to look. The execution in
//! which it did so is the one that goes on.
//!
//! A thread that would progress if it began its round now has not come to wait, it is late ([`Ended::Late`]).
//! Another thread has written between its looks, so that an exchange that was to make sure of a number has
//! failed. That execution is abandoned at once, uncounted. In an execution that has an end the thread is not
//! late in its last round. The rounds before are looks that may be left out. That execution is found without
//! the abandoned one. Where a round is taken without a break nothing makes the thread late. So of the choices
//! at its first look there is one in which it is not. All that others do is found there, with one exception.
//! It may come of a write that takes the place of the round's own, as updates do with each other's. That
//! write has been proposed to all looks of the round, the one after which it is late included, before the
//! execution is abandoned. Events after it are found where the round begins with it. All this is so only if
//! the number does not come back, for then the exchange could succeed after all. Where one has come back in
//! any execution, such a thread counts as one that waits.
//!
//! A thread that has stopped so, or at an assumption that does not hold, has left nothing. It is as if it had
//! stayed where it was before its last look: that look blocks no other event, whatever it saw
//! ([`Walk::known_before`]). So all that others do meanwhile is explored once, with the thread where it is,
//! and not for each number that stops it ([`Walk::stay_once`]). Each write that makes it go on is still one
//! alternative: it is found among what others do.

use crate::reads_from::choice_points::plan::Foreseen;
use crate::reads_from::graph::event::{Choice, Ended, Event, Kind, Location, Name};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::update::Update;
use crate::reads_from::limits::MOST_EVENTS;
use crate::reads_from::linearisation::Changed;
use crate::reads_from::{EventGraph, Halt, Node, Path, Plan, Walk, Why};
use symx_interp::environment::Environment;
use symx_interp::progress::livelock::LONGEST_ROUND;
use symx_interp::state::State;
use symx_interp::stop::Incomplete;
use symx_trace::{IncompleteReason, ThreadId};

impl<E: Environment> Walk<'_, '_, E> {
    /// The first of the events that did nothing but look, up to a new one that has just happened. Its thread
    /// must be where it was before them, or where the first of them alone would lead it now.
    pub(in crate::reads_from) fn start_of_reading_round(
        &mut self,
        index: Index,
        state: &State<E>,
    ) -> Option<Index> {
        let Self { executor, graph: EventGraph { threads, events, .. }, path: Path { run, .. }, .. } = self;
        let last = &events[usize::from(index)];
        let thread = last.thread;
        if !last.leaves_nothing() {
            return None;
        }
        let before = |event: Index| {
            let step = run.iter().rev().find(|step| step.event == event && !step.commits);
            step.map(|step| &step.before)
        };
        let earlier = threads[thread.index()].events.iter().rev().copied().skip(1).take(LONGEST_ROUND);
        let looks = earlier.take_while(|event| events[usize::from(*event)].leaves_nothing_behind());
        // Whether the thread has written to memory of its own since, and whether it has slept.
        let (mut wrote, mut slept) = (false, last.sleeps);
        let first = std::iter::once(index).chain(looks).find(|event| {
            let event = *event;
            let begins = &events[usize::from(event)];
            wrote |= event != index && begins.changes_memory;
            slept |= begins.sleeps;
            let Some((way, earlier)) = before(event).and_then(|way| Some((way, way.thread(thread)?))) else {
                return false;
            };
            let is_as_it_was = || way.kept().is_some_and(|before| state.memory.is_as_in(&before.memory));
            let is_round = !last.leaves_trace
                && executor.is_where_it_was(earlier, state.thread(thread))
                && (!wrote && !last.changes_memory || is_as_it_was());
            let is_retry = event != index && !wrote && begins.is_confirmed_by(last);
            is_round
                || is_retry
                    && before(index)
                        .and_then(|before| before.clone().reached_from(state))
                        .is_some_and(|before| executor.could_step_from(earlier, &before, state))
        });
        executor.learned.sleeps_in_round |= first.is_some() && slept;
        first
    }

    /// Whether a round of looks ends with an exchange that has failed because others have written there since
    /// an earlier look. Its thread would progress if it restarted.
    pub(in crate::reads_from) fn is_out_of_date(
        &mut self,
        first: Index,
        index: Index,
        state: &State<E>,
    ) -> Result<bool, Halt> {
        let last = &self.graph.events[usize::from(index)];
        let (Some(Update::Exchange { expected, .. }), [touch]) = (last.update, &last.touches[..]) else {
            return Ok(false);
        };
        let (thread, location) = (last.thread, touch.location);
        let looks =
            self.graph.threads[thread.index()].events.iter().rev().skip(1).take_while(|look| **look >= first);
        let has_found = |look: &Index| {
            let touch = self.graph.events[usize::from(*look)].touch(location);
            touch.is_some_and(|touch| self.value_of(touch.source, location) == Some(expected))
        };
        let is_confirmed = looks.copied().any(|look| has_found(&look));
        let Some(range) = self.graph.locations.range(location).filter(|_| is_confirmed) else {
            return Ok(false);
        };
        if self.executor.learned.returning.contains(&range) || !self.executor.makes_progress(state, thread) {
            return Ok(false);
        }
        if self.executor.learned.confirmed.insert(range) {
            return Err(Halt::Learned);
        }
        Ok(true)
    }

    /// Notes that a new event has written a number that was there before, or may have, where that matters.
    pub(in crate::reads_from) fn note_return(&mut self, index: Index) -> Result<(), Halt> {
        let event = &self.graph.events[usize::from(index)];
        for touch in event.touches.iter().filter(|touch| touch.writes && touch.choice == Choice::Source) {
            let Some(range) = self.graph.locations.range(touch.location) else { continue };
            if !self.executor.learned.confirmed.contains(&range) {
                continue;
            }
            let is_it =
                |number: Option<u64>| number.is_none() || event.value.is_none() || number == event.value;
            let location = touch.location as usize;
            let mut writes =
                self.graph.writes[location].iter().map(|write| self.graph.events[usize::from(*write)].value);
            if (self.graph.starts.all(touch.location).any(is_it) || writes.any(is_it))
                && self.executor.learned.returning.insert(range)
            {
                return Err(Halt::Learned);
            }
        }
        Ok(())
    }

    /// A thread that stays in a loop sees the final values. Perhaps no other event observes which of several
    /// writes is the last. Then the execution at hand may have another one last than the one that lets the
    /// thread wait forever. Such a choice is beyond this walk.
    fn find_final_values_certain(&mut self) -> Result<(), Halt> {
        for thread in 0..self.graph.threads.len() {
            let log = &self.graph.threads[thread].events;
            let Some(&last) = log.last() else { continue };
            if self.graph.events[usize::from(last)].end != Some(Ended::Waits) {
                continue;
            }
            let looks = log.iter().rev().map(|look| &self.graph.events[usize::from(*look)]);
            let round = looks.take(LONGEST_ROUND).take_while(|look| look.leaves_nothing());
            let mut places: Vec<Location> =
                round.flat_map(|look| look.touches.iter().map(|touch| touch.location)).collect();
            places.sort_unstable();
            places.dedup();
            for place in places {
                if !self.has_last_write(place, None) && self.could_end_otherwise(last, place)? {
                    return Err(Halt::Beyond("a loop that waits for the last of several writes"));
                }
            }
        }
        Ok(())
    }

    /// Whether another number than now could be in a place when all events have happened, each of which
    /// observes what it observes now. The question is asked for a further look of the thread that waits.
    fn could_end_otherwise(&mut self, look: Index, location: Location) -> Result<bool, Halt> {
        let present = self.graph.last[location as usize];
        let now = self.value_of(present, location);
        let number = self.graph.events.len();
        if number + 1 >= MOST_EVENTS {
            return Err(Halt::Beyond("very long executions"));
        }
        for write in self.graph.writes[location as usize].clone() {
            let value = self.value_of(write, location);
            if write == present || value.is_some() && value == now {
                continue;
            }
            let mut members = self.known_before(number);
            let mut event = self.graph.events[usize::from(look)].clone();
            event.touches.retain(|touch| touch.location == location);
            if event.touches.is_empty() {
                // An earlier look of the round is at this place.
                return Ok(true);
            }
            event.before = members;
            event.end = None;
            self.graph.events.push(event);
            members.insert(number as Index);
            let changed = [Changed { event: number as Index, location, source: write, writes: false }];
            let steps = self.steps_to(members, &changed);
            self.graph.events.pop();
            if steps?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The verdict on threads that seem to wait forever at the end of an execution, if that is not known for
    /// sure. All others have done all they can.
    pub(in crate::reads_from) fn seeming_livelock(
        &mut self,
        state: &State<E>,
    ) -> Result<Option<Incomplete>, Halt> {
        self.find_final_values_certain()?;
        let mut state = state.clone();
        let waiting: Vec<ThreadId> = state
            .threads
            .iter()
            .map(|thread| thread.id)
            .filter(|thread| {
                self.tries_again(*thread)
                    || self.last_of(*thread).is_some_and(|event| event.end == Some(Ended::Waits))
            })
            .collect();
        let others: Vec<ThreadId> = state
            .threads
            .iter()
            .filter(|thread| !thread.exited && !waiting.contains(&thread.id) && !self.has_stopped(thread.id))
            .map(|thread| thread.id)
            .collect();
        for thread in &waiting {
            let undoes = self.tries_again(*thread);
            let mut places: Vec<State<E>> = vec![state.clone()];
            loop {
                // A thread that has come out of the loop and waits for something else now is not in it
                // forever. Nor does it wait forever if another one waits for what it gives back on its round:
                // that one goes on in another execution.
                let can_step = |other: &ThreadId| self.executor.can_step(&state, state.thread(*other));
                if !can_step(thread) || others.iter().any(can_step) {
                    return Ok(None);
                }
                let version = state.memory.version();
                let step = self.executor.step(&mut state, symx_trace::Agent::Thread(*thread));
                let decisions = self.path.decisions.len();
                let goes_on = self.settle(&mut state, *thread, step)?;
                self.path.decisions.truncate(decisions);
                let now = state.thread(*thread);
                // A store that waits in a buffer reaches memory in the end.
                let stores = state.memory.version() != version || !now.buffer.is_empty();
                let changes = stores && !undoes;
                if !goes_on || state.end.is_some() || now.exited || changes {
                    return Ok(None);
                }
                // It sees final values: coming to the same place twice, it does so forever.
                let is_in_earlier_state = |earlier: &State<E>| {
                    self.executor.is_where_it_was(earlier.thread(*thread), now)
                        && (!undoes || self.executor.is_unchanged(earlier, &state, *thread))
                };
                if places.iter().any(is_in_earlier_state) {
                    break;
                }
                if places.len() > LONGEST_ROUND {
                    return Ok(None);
                }
                places.push(state.clone());
            }
        }
        let names: Vec<String> = waiting.iter().map(|thread| self.executor.title(&state, *thread)).collect();
        let Some(first) = waiting.first() else { return Ok(None) };
        let span = self.executor.position(&state, *first);
        let what = format!("{} polls in a loop for a value that no other thread can write", names.join(", "));
        Ok(Some(Incomplete { reason: IncompleteReason::Livelock, what, span }))
    }

    /// The events known before a choice point, without those in which a thread only came to stay where it is.
    pub(in crate::reads_from) fn known_before(&self, base: usize) -> Bits {
        let mut known = Bits::first(base);
        for last in self.graph.threads.iter().filter_map(|log| log.events.last()) {
            if self.graph.events[usize::from(*last)].stays() {
                known.remove(*last);
            }
        }
        known
    }

    /// The thread of a choice point's event stays where it is, which was to be seen in none of the executions
    /// so far. Others go on from there, and it does not.
    pub(in crate::reads_from) fn stay_once(&mut self, node: &Node, end: Ended) -> Result<(), Halt> {
        if !node.alternatives().seen.insert(Name::STAYING) {
            return Ok(());
        }
        let Event { thread, ordinal, .. } = self.graph.events[usize::from(node.event)];
        let members = self.known_before(node.base);
        let Some(steps) = self.steps_to(members, &[])? else {
            return Err(Halt::Contradiction("no way to where a thread stays"));
        };
        let (name, why) = (Name::STAYING, Why::Stays(end));
        let choices = self.planned_choices(members.iter(), |_| false);
        let (places, foreseen) = (None, Foreseen::new());
        let (is_together, asleep) = (false, Vec::new());
        let plan = Plan { steps, choices, thread, ordinal, name, places, why, is_together, asleep, foreseen };
        node.alternatives().pending.push(plan);
        Ok(())
    }

    /// Lets the thread of a plan stay before its event.
    pub(in crate::reads_from) fn stay(
        &mut self,
        state: &State<E>,
        plan: &Plan,
        end: Ended,
    ) -> Result<(), Halt> {
        if self.graph.threads.get(plan.thread.index()).is_none_or(|log| log.executed != plan.ordinal) {
            return Err(Halt::Contradiction("a thread that cannot stay"));
        }
        let mut event = self.observe(state, plan.thread, plan.ordinal)?;
        event.end = Some(end);
        event.touches.iter_mut().for_each(|touch| touch.writes = false);
        let index = self.graph.events.len() as Index;
        self.remember_start(state, &event);
        self.graph.events.push(event);
        self.graph.threads[plan.thread.index()].events.push(index);
        self.found.unfinished.note(state);
        self.enter(index, false)
    }

    pub(in crate::reads_from) fn last_of(&self, thread: ThreadId) -> Option<&Event> {
        let last = self.graph.threads.get(thread.index())?.events.last()?;
        Some(&self.graph.events[usize::from(*last)])
    }
}

impl Event {
    /// Whether a later update of its thread, which has left what it found, may have found that this event
    /// is no longer true.
    fn is_confirmed_by(&self, later: &Self) -> bool {
        matches!(later.kind, Kind::Update(_))
            && self.touches.iter().any(|touch| later.touch(touch.location).is_some())
    }

    /// Whether its thread has read something that blocks it, and has stayed where it was before.
    pub(in crate::reads_from) fn stays(&self) -> bool {
        matches!(self.end, Some(Ended::Waits | Ended::Late | Ended::Blocked))
            && matches!(self.kind, Kind::Load(_) | Kind::Update(_))
            && self.commuting.is_none()
    }

    /// Whether only its own thread could observe that it happened.
    pub(in crate::reads_from) fn only_looks(&self) -> bool {
        self.leaves_nothing_behind() && !self.changes_memory
    }

    /// Whether all it may have changed is memory of its thread's own.
    pub(in crate::reads_from) fn leaves_nothing_behind(&self) -> bool {
        self.leaves_nothing() && !self.leaves_trace
    }

    /// Whether no other thread can observe it, whatever its thread does in the same step.
    pub(in crate::reads_from) fn leaves_nothing(&self) -> bool {
        let writes = self.touches.iter().any(|touch| touch.writes);
        let is_look = match self.kind {
            Kind::Load(_) | Kind::Update(_) => true,
            Kind::Operation { .. } => self.touches.iter().all(|touch| touch.choice == Choice::Source),
            _ => false,
        };
        is_look && !writes && !self.is_lasting
    }
}
