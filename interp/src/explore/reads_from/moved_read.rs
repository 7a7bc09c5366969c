//! Orders for one read that is to observe another write: mostly it can be moved within the order there is.

use super::event::{Choice, INITIAL, Index, Location, Touch};
use super::linearisation::{Changed, Question};
use smallvec::SmallVec;

impl Question<'_> {
    /// The order there is, with the one event that changes moved to where it observes its new source, if that is all it takes.
    /// Nothing goes through a store buffer.
    pub(super) fn with_moved_read(&self) -> Option<Vec<Index>> {
        self.with_later_read().or_else(|| self.with_earlier_read())
    }

    /// The order there is, with the one event that changes put behind its new source, if that is all it takes: it only reads,
    /// one place, and came before that source. Then nothing that comes in between waits for it.
    fn with_later_read(&self) -> Option<Vec<Index>> {
        let [Changed { event: reader, source, writes: false, .. }] = *self.changed else { return None };
        let [touch] = self.events[usize::from(reader)].touches[..] else { return None };
        if touch.choice != Choice::Source || self.events.get(usize::from(source))?.commuting.is_some() {
            return None;
        }
        let count = self.members.count();
        let mut order = Vec::with_capacity(count);
        let mut is_behind = false;
        for index in self.present.iter().copied().filter(|index| self.members.has(*index)) {
            if index == reader {
                is_behind = true;
                continue;
            }
            order.push(index);
            if index == source {
                if !is_behind {
                    return None;
                }
                order.push(reader);
            }
        }
        // Those that are not part of the present order have to find their places.
        (order.len() == count && is_behind).then_some(order)
    }

    /// The order there is, with the one event that changes put in front of the first write that comes after its new source, and
    /// in front of both all that takes effect before the event in every order; if that is all it takes, and the event only
    /// reads one place.
    ///
    /// What comes before an event in every order comes before it here: that of one that has moved has moved, too, or was
    /// in front already. Each event finds its sources as before: a write that moves must not have been behind anything else,
    /// left where it was, that touches its place, nor write where the changed event reads.
    fn with_earlier_read(&self) -> Option<Vec<Index>> {
        let [Changed { event: reader, location, source, writes: false }] = *self.changed else { return None };
        let event = &self.events[usize::from(reader)];
        let [Touch { choice: Choice::Source, .. }] = event.touches[..] else { return None };
        if source != INITIAL && self.events[usize::from(source)].commuting.is_some() {
            return None;
        }
        let mut ahead = event.before;
        for earlier in event.before.iter() {
            ahead.union(&self.events[usize::from(earlier)].ahead);
        }
        let bit = |location: Location| 1_u64 << (location % 64);
        let count = self.members.count();
        let mut order = Vec::with_capacity(count);
        let mut members = self.present.iter().copied().filter(|index| self.members.has(*index));
        let mut behind: SmallVec<[Index; 64]> = SmallVec::new();
        let mut has_source = source == INITIAL;
        for index in members.by_ref() {
            let touch = self.events[usize::from(index)].touch(location);
            if index == reader {
                return None;
            }
            if has_source && touch.is_some_and(|touch| touch.writes) {
                behind.push(index);
                break;
            }
            has_source |= index == source;
            order.push(index);
        }
        // Where those that stay behind touch anything; the places of several may count as one.
        let mut touched = bit(location);
        let places = |index: Index, writes: bool| {
            let touches = self.events[usize::from(index)].touches.iter();
            let counts = |touch: &&Touch| touch.choice != Choice::Nothing && (touch.writes || !writes);
            touches.filter(counts).fold(0, |places, touch| places | bit(touch.location))
        };
        if ahead.has(*behind.first()?) {
            return None;
        }
        touched |= places(behind[0], false);
        for index in members.filter(|index| *index != reader) {
            if !ahead.has(index) {
                touched |= places(index, false);
                behind.push(index);
            } else if places(index, true) & touched == 0 {
                order.push(index);
            } else {
                return None;
            }
        }
        order.push(reader);
        order.extend_from_slice(&behind);
        (order.len() == count).then_some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::Bits;
    use super::super::event::{Event, Kind, Name};
    use super::*;
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
                update: None,
                commuting: None,
                changes_memory: false,
                value: None,
                adds_unseen: false,
                sum: None,
                undone: None,
            });
        }
        events
    }

    /// Whether each member comes once, after those of its thread that come before it, and each read observes its source.
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
    fn a_read_that_moves_takes_along_what_comes_before_it_and_nobody_misses_a_source() {
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
                    let question =
                        Question { events: &events, members, changed: &changed, present: &present };
                    asked += 1;
                    let orders = [question.with_later_read(), question.with_earlier_read()];
                    for order in orders.iter().flatten() {
                        assert!(is_answer(&question, order), "{order:?} of {question:?}");
                    }
                    later += u32::from(orders[0].is_some());
                    earlier += u32::from(orders[1].is_some());
                }
            }
        }
        assert!(later > asked / 10 && earlier > asked / 10, "{later} and {earlier} of {asked}");
    }
}
