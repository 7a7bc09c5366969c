//! Orders for one read that is to observe another write: mostly it can be moved within the order there is.

use crate::reads_from::graph::event::{Choice, Location, Touch};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::linearisation::{Changed, Question};
use smallvec::SmallVec;

impl Question<'_> {
    /// The present order, with the one event that changes moved to where it observes its new source, if that
    /// is all it takes. It only reads, and one place. Nothing goes through a store buffer.
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
        if let (Some(present), Some(source)) = (present, source)
            && present < source
        {
            // Nothing that comes in between waits for it.
            order[present..=source].rotate_left(1);
            return Some(order);
        }
        self.with_earlier_read(order, reader, location, source.map_or(0, |source| source + 1))
    }

    /// The order with an event in front of the first write to its place from position `from` on. In front of
    /// both is all that takes effect before the event in every order. `None` if that is not all it takes.
    ///
    /// Predecessors of an event in every order come before it here. If the event has moved, its predecessors
    /// have moved, too, or were in front already. Each event finds its sources as before. So a write that
    /// moves must not have been after anything else, left where it was, that touches its place. Nor must it
    /// write where the changed event reads.
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
            touches.filter(counts).fold(0, |places, touch| places | 1_u64 << (touch.location % 64))
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
    use crate::reads_from::graph::event::{Event, Kind, Name};
    use crate::reads_from::graph::event_set::Bits;
    use smallvec::smallvec;
    use symx_memmodel::Ordering;
    use symx_trace::ThreadId;

    const LOCATIONS: u32 = 3;

    /// A random execution of three threads: its events in their order, every other one a read.
    fn execution(seed: &mut u32) -> Vec<Event> {
        let mut next = |bound: u32| {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*seed >> 16) % bound
        };
        let mut events: Vec<Event> = Vec::new();
        let mut last = [INITIAL; LOCATIONS as usize];
        for index in 0..14 {
            let (thread, location, writes) = (ThreadId(next(3)), next(LOCATIONS), next(2) == 0);
            let source = if writes { INITIAL } else { last[location as usize] };
            let own = events.iter().filter(|event| event.thread == thread).count();
            let mut before = Bits::default();
            before.extend((0..index).rev().find(|other| events[usize::from(*other)].thread == thread));
            let mut ahead = before;
            for earlier in before.iter().chain((source != INITIAL).then_some(source)) {
                ahead.union(&events[usize::from(earlier)].ahead);
                ahead.insert(earlier);
            }
            let mut past = ahead;
            past.insert(index);
            if writes {
                last[location as usize] = index;
            }
            events.push(Event {
                thread,
                ordinal: own as u32,
                kind: Kind::Load(Ordering::Monotonic),
                touches: smallvec![Touch {
                    location,
                    reads: !writes,
                    writes,
                    choice: Choice::Source,
                    source
                }],
                name: Name::INITIAL,
                past,
                before,
                ahead,
                is_buffered: false,
                end: None,
                is_lasting: false,
                ends_lives: false,
                arrives_at: None,
                update: None,
                commuting: None,
                changes_memory: false,
                leaves_trace: false,
                sleeps: false,
                alternative: None,
                value: None,
                adds_unseen: false,
                sum: None,
                spins: false,
                undone: None,
            });
        }
        events
    }

    /// Whether each member comes once, after those of its thread that come before it, and each
    /// read observes its source.
    fn is_answer(question: &Question<'_>, order: &[Index]) -> bool {
        let changed = question.changed[0];
        let mut done = Bits::default();
        let mut last = [INITIAL; LOCATIONS as usize];
        let all_fit = order.iter().all(|index| {
            let event = &question.events[usize::from(*index)];
            let touch = event.touches[0];
            let source = if *index == changed.event { changed.source } else { touch.source };
            let fits = !done.has(*index)
                && event.before.is_within(&done)
                && (!touch.reads || last[touch.location as usize] == source);
            done.insert(*index);
            if touch.writes {
                last[touch.location as usize] = *index;
            }
            fits
        });
        all_fit && done == question.members
    }

    #[test]
    fn a_read_that_moves_takes_along_what_comes_before_it_and_no_event_misses_a_source() {
        let (mut seed, mut earlier, mut later, mut asked) = (7, 0, 0, 0);
        for _ in 0..400 {
            let events = execution(&mut seed);
            let present: Vec<Index> = (0..events.len() as Index).collect();
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
                    let question = Question {
                        events: &events,
                        members,
                        changed: &changed,
                        present: &present,
                        has_buffers: false,
                    };
                    asked += 1;
                    if let Some(order) = question.with_moved_read() {
                        assert!(is_answer(&question, &order), "{order:?} of {question:?}");
                        let is_later = source != INITIAL && reader < source;
                        (later, earlier) = (later + u32::from(is_later), earlier + u32::from(!is_later));
                    }
                }
            }
        }
        assert!(later > asked / 10 && earlier > asked / 10, "{later} and {earlier} of {asked}");
    }
}
