//! Rounds that undo what they did. A thread adds to a number, sees that it came too early, takes away what it
//! added, and is where it was. A lock that is tried by counting does so.
//!
//! If no other thread has seen the number while it was changed, the round might as well not have been. All
//! others find what they found, and the thread begins again as it did at first. So it stops there, as after a
//! round of looks. Updates whose result is never read may come in between: they leave as much more with the
//! round as without. Any other that reads what the round left in the meantime makes it count, and the thread
//! goes on.
//!
//! So it is with a thread that takes a lock, looks, and gives it back, to try again later. Let all be as it
//! was when the round began, time aside, and let the lock have blocked no other thread meanwhile. Then all
//! others find what they would have found without the round. That is seen where the round was taken without a
//! break, as one of the next rounds is.

use crate::reads_from::graph::event::{Event, Kind, Location};
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::update::Update;
use crate::reads_from::graph::way_back::Before;
use crate::reads_from::{EventGraph, Halt, Path, Walk};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::progress::livelock::{LONGEST_ROUND, is_same_position};
use symx_interp::state::State;
use symx_ir::address::Cell;
use symx_ir::instruction::RmwOp;
use symx_trace::ThreadId;

impl<E: Environment> Walk<'_, '_, E> {
    /// Notes what a new event has added to a number, if it did nothing else in its step.
    pub(in crate::reads_from) fn note_sum(&mut self, index: Index, before: &Before<E>, state: &State<E>) {
        let event = &self.graph.events[usize::from(index)];
        let sum = event
            .update
            .and_then(Update::sum)
            .filter(|_| event.touches.len() == 1 && event.touches[0].writes);
        let place = event.touches.first().and_then(|touch| self.graph.locations.range(touch.location));
        let (Some(sum), Some((start, _))) = (sum, place) else { return };
        let Some(before) = before.clone().reached_from(state) else { return };
        let is_alone = Cell::of(start).is_some_and(|cell| before.memory.is_same(&state.memory, &[cell]))
            && Arc::ptr_eq(&before.data, &state.data)
            && before.threads.len() == state.threads.len();
        if is_alone {
            self.graph.events[usize::from(index)].sum = Some(sum);
        }
    }

    /// Takes back a new update if its thread only begins again. The events before it were a round that it has
    /// undone, and the update leads where the one that began the round would lead now.
    pub(in crate::reads_from) fn begins_again(
        &mut self,
        index: Index,
        state: &mut State<E>,
    ) -> Result<bool, Halt> {
        let Some(first) = self.round_before(index, state) else { return Ok(false) };
        let place = self.graph.events[usize::from(first)].touches[0].location;
        if let Some(range) = self.graph.locations.range(place)
            && self.executor.learned.observed.insert(range)
        {
            // Events between the updates of the round are to be known, and threads that are about to begin
            // one.
            return Err(Halt::Learned);
        }
        let gets_on = self.takes_another_way(first, state);
        let Some(step) = self.path.run.pop() else { return Ok(false) };
        let Some(before) = step.before.reached_from(state) else {
            return Err(Halt::Contradiction("an update from nowhere"));
        };
        self.found.unfinished.note(state);
        self.discover(state)?;
        for (location, last) in step.overwritten.iter().rev() {
            self.graph.last[*location as usize] = *last;
        }
        self.path.decisions.truncate(step.decisions);
        self.graph.events.pop();
        let log = &mut self.graph.threads[step.thread.index()];
        log.executed = step.ordinal;
        log.events.pop();
        if let Some(last) = log.events.last() {
            let last = &mut self.graph.events[usize::from(*last)];
            last.undone = Some(first);
            let last = last.clone();
            self.is_late = gets_on && self.has_undone(&last);
        }
        *state = before;
        Ok(true)
    }

    /// Notes, after a new event that is a call, where a round began. It must have been taken without a break
    /// and have left everything as it was.
    pub(in crate::reads_from) fn note_round(&mut self, index: Index, state: &State<E>) {
        let last = &self.graph.events[usize::from(index)];
        if !matches!(last.kind, Kind::Operation { .. }) || last.leaves_trace || last.is_lasting {
            return;
        }
        let thread = last.thread;
        let own = self.path.run.iter().rev().take_while(|step| step.thread == thread && !step.commits);
        let round = own.take(LONGEST_ROUND).take_while(|step| {
            let event = &self.graph.events[usize::from(step.event)];
            let is_call = matches!(event.kind, Kind::Operation { .. });
            (is_call && !event.leaves_trace || event.leaves_nothing_behind())
                && !(event.undone.is_some() || event.is_lasting || event.ends_lives)
        });
        let executor = &mut *self.executor;
        let held = executor.machine.environment.held(state, thread);
        // A thread that stops keeps what it holds, so it stops where it holds no more than anywhere
        // else on its round.
        let holds_least = |before: &State<E>| {
            let earlier = (!held.is_empty()).then(|| executor.machine.environment.held(before, thread));
            earlier.is_none_or(|earlier| held.iter().all(|lock| earlier.contains(lock)))
        };
        let places = round.filter_map(|step| Some((step.event, step.before.kept()?)));
        let places: SmallVec<[(Index, &State<E>); 8]> =
            places.take_while(|(_, before)| holds_least(before)).collect();
        let mut begins = places.into_iter();
        let Some((first, before)) =
            begins.find(|(_, before)| executor.has_only_read_since(before, state, thread))
        else {
            return;
        };
        executor.learned.sleeps_in_round |= !Arc::ptr_eq(&before.data, &state.data)
            && !executor.machine.environment.is_same(&before.data, &state.data);
        self.graph.events[usize::from(index)].undone = Some(first);
    }

    /// Whether no other event has read what a round of calls left on its way, other than what it left at
    /// last.
    fn is_unseen(&self, first: &Event, last: &Event) -> bool {
        let log =
            &self.graph.threads[first.thread.index()].events[first.ordinal as usize..=last.ordinal as usize];
        let is_own = |event: &Event| {
            event.thread == first.thread && (first.ordinal..=last.ordinal).contains(&event.ordinal)
        };
        let passing = |place: Location| {
            let writes = |event: &&Index| {
                self.graph.events[usize::from(**event)].touch(place).is_some_and(|touch| touch.writes)
            };
            log.iter().rev().filter(writes).skip(1).copied().collect::<SmallVec<[Index; 4]>>()
        };
        let places = log.iter().flat_map(|event| &self.graph.events[usize::from(*event)].touches);
        places.filter(|touch| touch.writes).all(|touch| {
            let passing = passing(touch.location);
            let finds = |event: &Event| {
                event
                    .touch(touch.location)
                    .is_some_and(|found| found.reads && passing.contains(&found.source))
            };
            !self.graph.events.iter().any(|event| finds(event) && !event.stays() && !is_own(event))
        })
    }

    /// Whether the update that a thread has just begun again with leads it elsewhere than the one with which
    /// it began a round.
    fn takes_another_way(&self, first: Index, state: &State<E>) -> bool {
        let Event { thread, ordinal, .. } = self.graph.events[usize::from(first)];
        let next = self.graph.threads[thread.index()].events.get(ordinal as usize + 1);
        let step = next
            .and_then(|next| self.path.run.iter().rev().find(|step| step.event == *next && !step.commits));
        let after_first = step.and_then(|step| step.before.thread(thread));
        after_first.is_some_and(|after_first| !is_same_position(after_first, state.thread(thread)))
    }

    /// The first event of the round that a thread has undone before a new update, with which it begins again.
    fn round_before(&mut self, index: Index, state: &State<E>) -> Option<Index> {
        let Self { executor, graph: EventGraph { threads, events, .. }, path: Path { run, .. }, .. } = self;
        let update = &events[usize::from(index)];
        let (place, (bits, _)) = (update.touches.first()?.location, update.sum?);
        let thread = update.thread;
        let before = |event: Index| {
            let step = run.iter().rev().find(|step| step.event == event && !step.commits);
            step.map(|step| &step.before)
        };
        let here = before(index)?.clone().reached_from(state)?;
        let mut total = 0_u64;
        let earlier = threads[thread.index()].events.iter().rev().copied().skip(1);
        for first in earlier.take(LONGEST_ROUND) {
            let event = &events[usize::from(first)];
            // It has begun again already, as another thread has seen what it did.
            if event.undone.is_some() {
                return None;
            }
            let Some((_, added)) = event.sum.filter(|_| event.touches[0].location == place) else {
                if event.only_looks() {
                    continue;
                }
                return None;
            };
            total = total.wrapping_add(added);
            if total << (64 - u32::from(bits)) == 0
                && before(first)
                    .and_then(|before| before.thread(thread))
                    .is_some_and(|earlier| executor.could_step_from(earlier, &here, state))
            {
                return Some(first);
            }
        }
        None
    }

    /// Whether a thread has stopped after a round that it might as well not have begun.
    pub(in crate::reads_from) fn tries_again(&self, thread: ThreadId) -> bool {
        self.last_of(thread).is_some_and(|last| last.end.is_none() && self.has_undone(last))
    }

    /// Whether a thread's last event ends a round that is indistinguishable from none.
    pub(in crate::reads_from) fn has_undone(&self, last: &Event) -> bool {
        let Some(first) = last.undone else { return false };
        let (begin, thread) = (&self.graph.events[usize::from(first)], last.thread);
        if begin.sum.is_none() {
            return self.is_unseen(begin, last);
        }
        let is_own =
            |event: &Event| event.thread == thread && (begin.ordinal..=last.ordinal).contains(&event.ordinal);
        let place = begin.touches[0].location;
        let log = &self.graph.threads[thread.index()].events[begin.ordinal as usize..=last.ordinal as usize];
        let end =
            log.iter().rev().copied().find(|event| self.graph.events[usize::from(*event)].sum.is_some());
        let mut at = first;
        while Some(at) != end {
            let mut next = None;
            for (index, event) in (0..).zip(&self.graph.events) {
                let Some(touch) = event.touch(place).filter(|touch| touch.reads && touch.source == at) else {
                    continue;
                };
                if event.stays() || is_own(event) && !touch.writes {
                    continue;
                }
                if !touch.writes || !(is_own(event) || event.adds_unseen) {
                    return false;
                }
                next = Some(index);
            }
            let Some(next) = next else { return false };
            at = next;
        }
        true
    }
}

impl Update {
    /// The width in bits and the number that it adds, if that is what it does.
    fn sum(self) -> Option<(u8, u64)> {
        match self {
            Self::Combine { op: RmwOp::Add, bits, operand } => Some((bits, operand)),
            Self::Combine { op: RmwOp::Sub, bits, operand } => Some((bits, operand.wrapping_neg())),
            _ => None,
        }
    }
}
