//! Orders for one read that is to observe another write: mostly it can be moved within the order there is.

use crate::reads_from::graph::event::{Choice, Event, Location, Touch, bit_of};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::linearisation::{Changed, Question};
use smallvec::SmallVec;

impl Question<'_> {
    /// The present order, with the one event that changes moved to where it observes its new source, if that
    /// is all it takes. It only reads, and one place.
    pub(in crate::reads_from) fn with_moved_read(&self) -> Option<Vec<Index>> {
        let [Changed { event: reader, location, source, writes: false }] = *self.changed else { return None };
        let [Touch { choice: Choice::Source, .. }] = self.events[usize::from(reader)].touches[..] else {
            return None;
        };
        if source != INITIAL && self.events[usize::from(source)].commuting.is_some() {
            return None;
        }
        let count = self.members.count();
        let mut order = Vec::with_capacity(count);
        order.extend(self.present.iter().copied().filter(|index| self.members.has(*index)));
        let at = |event: Index| order.iter().position(|index| *index == event);
        let (present, source) = (at(reader), if source == INITIAL { None } else { Some(at(source)?) });
        // Those that are not part of the present order have to find their places.
        if order.len() + usize::from(present.is_none()) != count {
            return None;
        }
        let from = source.map_or(0, |source| source + 1);
        if self.has_buffers && self.has_own_store(&order[from..], reader, location) {
            return None;
        }
        if let (Some(present), Some(source)) = (present, source)
            && present < source
        {
            // Nothing that comes in between waits for it.
            order[present..=source].rotate_left(1);
            return Some(order);
        }
        self.with_earlier_read(order, reader, location, from)
    }

    /// Whether one of these events is a store to the place that the reader's thread issues before it reads
    /// there: in its buffer until it takes effect, it hides all other writes from that thread.
    fn has_own_store(&self, events: &[Index], reader: Index, location: Location) -> bool {
        let Event { thread, ordinal, .. } = self.events[usize::from(reader)];
        events.iter().any(|index| {
            let event = &self.events[usize::from(*index)];
            event.is_buffered
                && event.thread == thread
                && event.ordinal < ordinal
                && event.touch(location).is_some_and(|touch| touch.writes)
        })
    }

    /// The order with an event in front of the first write to its place from position `from` on. In front of
    /// both is all that takes effect before the event in every order. `None` if that is not all it takes.
    ///
    /// Predecessors of an event in every order come before it here. If the event has moved, its predecessors
    /// have moved, too, or were in front already. Each event finds its sources as before. So a write that
    /// moves must not have been after anything else, left where it was, that touches its place. Nor must it
    /// write where the changed event reads.
    ///
    /// A store that a thread reads from its own buffer need not be a predecessor. Where it stays and its
    /// reader moves, it takes effect after it, and is read from the buffer. Any other event that reads there
    /// in memory has its thread's own stores in front: a source does not move ahead of them.
    fn with_earlier_read(
        &self,
        mut order: Vec<Index>,
        reader: Index,
        location: Location,
        from: usize,
    ) -> Option<Vec<Index>> {
        let event = &self.events[usize::from(reader)];
        let mut ahead = event.before;
        for earlier in event.before.iter() {
            ahead.union(&self.events[usize::from(earlier)].ahead);
        }
        let overwrites = |index: &Index| {
            let touch = self.events[usize::from(*index)].touch(location);
            *index == reader || touch.is_some_and(|touch| touch.writes)
        };
        let first = from + order[from..].iter().position(overwrites)?;
        if order[first] == reader || ahead.has(order[first]) {
            return None;
        }
        // Where events that stay touch anything; the places of several may count as one.
        let mut touched = 0;
        let places = |index: Index, only_writes: bool| {
            let touches = self.events[usize::from(index)].touches.iter();
            let counts = |touch: &&Touch| touch.choice != Choice::Nothing && (touch.writes || !only_writes);
            touches.filter(counts).fold(0, |places, touch| places | bit_of(touch.location))
        };
        let mut behind: SmallVec<[Index; 64]> = SmallVec::new();
        let mut moved = first;
        for at in first..order.len() {
            let index = order[at];
            if index == reader {
                continue;
            }
            if !ahead.has(index) {
                touched |= places(index, false);
                behind.push(index);
            } else if places(index, true) & touched == 0 {
                order[moved] = index;
                moved += 1;
            } else {
                return None;
            }
        }
        order.truncate(moved);
        order.push(reader);
        order.extend_from_slice(&behind);
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads_from::graph::event::Event;
    use crate::reads_from::graph::event_set::Bits;
    use crate::reads_from::linearisation::Linearisation;
    use std::collections::VecDeque;
    use symx_trace::ThreadId;

    const LOCATIONS: u32 = 3;

    /// A random execution of three threads, half of whose events are reads, and the order in which its events
    /// take effect. With buffers, stores do some time after they are issued.
    fn execution(seed: &mut u32, has_buffers: bool) -> (Vec<Event>, Vec<Index>) {
        let mut next = |bound: u32| {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*seed >> 16) % bound
        };
        let (mut events, mut effects): (Vec<Event>, Vec<Index>) = (Vec::new(), Vec::new());
        let mut last = [INITIAL; LOCATIONS as usize];
        let mut buffers: [VecDeque<Index>; 3] = Default::default();
        while events.len() < 14 || buffers.iter().any(|buffer| !buffer.is_empty()) {
            let thread = next(3);
            if events.len() == 14 || next(3) == 0 {
                if let Some(store) = buffers[thread as usize].pop_front() {
                    last[events[usize::from(store)].touches[0].location as usize] = store;
                    effects.push(store);
                }
                continue;
            }
            let (index, location, writes) = (events.len() as Index, next(LOCATIONS), next(2) == 0);
            let mut own = buffers[thread as usize].iter().rev().copied();
            let own = own.find(|store| events[usize::from(*store)].touches[0].location == location);
            let source = if writes { INITIAL } else { own.unwrap_or(last[location as usize]) };
            let of_thread = |other: &Index| events[usize::from(*other)].thread.0 == thread;
            let earlier: Vec<Index> = (0..index).filter(of_thread).collect();
            let mut before = Bits::default();
            let keeps = |other: &Index| writes || !events[usize::from(*other)].is_buffered;
            before.extend(earlier.iter().copied().filter(keeps));
            let (mut ahead, mut past) = (before, Bits::default());
            let from_memory =
                (source != INITIAL && own.is_none() && !earlier.contains(&source)).then_some(source);
            for other in before.iter().chain(from_memory) {
                ahead.union(&events[usize::from(other)].ahead);
                ahead.insert(other);
            }
            for other in earlier.iter().copied().chain((source != INITIAL).then_some(source)) {
                past.union(&events[usize::from(other)].past);
            }
            past.insert(index);
            let is_buffered = has_buffers && writes;
            if is_buffered {
                buffers[thread as usize].push_back(index);
            } else {
                effects.push(index);
                if writes {
                    last[location as usize] = index;
                }
            }
            let access = (writes, location, source);
            let event = Event::access(ThreadId(thread), earlier.len() as u32, access, before);
            events.push(Event { past, ahead, is_buffered, ..event });
        }
        (events, effects)
    }

    /// Whether each member comes once, after those of its thread that come before it, and each
    /// read observes its source: its thread's newest store in the buffer, if there is one.
    fn is_answer(question: &Question<'_>, order: &[Index]) -> bool {
        let changed = question.changed[0];
        let mut done = Bits::default();
        let mut last = [INITIAL; LOCATIONS as usize];
        let all_fit = order.iter().all(|index| {
            let event = &question.events[usize::from(*index)];
            let touch = event.touches[0];
            let source = if *index == changed.event { changed.source } else { touch.source };
            let is_in_buffer = |other: &Index| {
                let store = &question.events[usize::from(*other)];
                store.is_buffered
                    && (store.thread, store.touches[0].location) == (event.thread, touch.location)
                    && store.ordinal < event.ordinal
                    && !done.has(*other)
            };
            let own = question.members.iter().filter(is_in_buffer).last();
            let fits = !done.has(*index)
                && event.before.is_within(&done)
                && (!touch.reads || own.unwrap_or(last[touch.location as usize]) == source);
            done.insert(*index);
            if touch.writes {
                last[touch.location as usize] = *index;
            }
            fits
        });
        all_fit && done == question.members
    }

    /// Asks, of each read of random executions, for an order in which it observes another write. How many
    /// times it was to move forward, and back, within the present order, and how often that was asked.
    fn ask(has_buffers: bool) -> (u32, u32, u32) {
        let (mut seed, mut earlier, mut later, mut asked) = (7, 0, 0, 0);
        for _ in 0..400 {
            let (events, present) = execution(&mut seed, has_buffers);
            for reader in present.iter().copied().filter(|index| events[usize::from(*index)].touches[0].reads)
            {
                let Touch { location, source: now, .. } = events[usize::from(reader)].touches[0];
                let mut members = Bits::first(events.len());
                for index in present.iter().copied() {
                    if index != reader && events[usize::from(index)].past.has(reader) {
                        members.remove(index);
                    }
                }
                let is_source = |index: &Index| {
                    let touch = events[usize::from(*index)].touches[0];
                    touch.writes && touch.location == location && members.has(*index)
                };
                let sources = present.iter().copied().filter(is_source).chain([INITIAL]);
                for source in sources.filter(|source| *source != now) {
                    let changed = [Changed { event: reader, location, source, writes: false }];
                    let (changed, present) = (&changed[..], &present[..]);
                    let question = Question { events: &events, members, changed, present, has_buffers };
                    asked += 1;
                    if let Some(order) = question.with_moved_read() {
                        assert!(is_answer(&question, &order), "{order:?} of {question:?}");
                        let is_later = source != INITIAL && reader < source;
                        (later, earlier) = (later + u32::from(is_later), earlier + u32::from(!is_later));
                    }
                    let mut linearisation = Linearisation::default();
                    linearisation.make_room(LOCATIONS as usize);
                    let wanted = linearisation.wanted(&question);
                    if let Some(order) = linearisation.place_at_once(&question, &wanted) {
                        assert!(is_answer(&question, &order), "{order:?} of {question:?}");
                    }
                }
            }
        }
        (later, earlier, asked)
    }

    #[test]
    fn a_read_that_moves_takes_along_what_comes_before_it_and_no_event_misses_a_source() {
        let (later, earlier, asked) = ask(false);
        assert!(later > asked / 10 && earlier > asked / 10, "{later} and {earlier} of {asked}");
    }

    #[test]
    fn a_read_that_moves_finds_its_source_behind_its_own_stores() {
        let (later, earlier, asked) = ask(true);
        assert!(later > asked / 20 && earlier > asked / 20, "{later} and {earlier} of {asked}");
    }
}
