//! The writes of one byte, and what is fixed of their coherence order.
//!
//! A write that is executed gets no place in coherence order. What fixes the order of two writes is
//! happens-before, an update between them, or a load: it returns no write that comes before one which it
//! comes after itself, or which an atomic load before it has returned. All of this says that one write comes
//! before another (the four coherence requirements of C11 5.1.2.4). So there is an order of all writes as
//! long as what is fixed has no cycle, and what is open may still be fixed either way.

use crate::{ByteRange, Clock, Epoch};
use imbl::OrdMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// A write. `B` is the value of one byte.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Write<B> {
    pub range: ByteRange,
    pub bytes: SmallVec<[B; 8]>,
    /// The event it is; of time 0 for the initial value.
    pub event: Epoch,
    /// The clock of the write.
    pub clock: Clock,
    /// The clock that an acquiring load of it comes after.
    pub published: Clock,
}

impl<B> Write<B> {
    /// Whether it wrote both bytes, as the initial value counts as having done.
    pub fn wrote(&self, address: u64) -> bool {
        self.event.time == 0 || self.range.offset_of(address).is_some()
    }
}

/// A write among those of its byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Placed<B> {
    write: Arc<Write<B>>,
    /// Whether all that stand before it come before it in coherence order.
    follows_all: bool,
}

/// An atomic load that showed its thread a write that it did not come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sight {
    load: Epoch,
    write: Epoch,
}

/// The writes of one byte, in the order in which they were executed, but that one which an update has read
/// comes last. The value before them is the first of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Writes<B> {
    placed: Vec<Placed<B>>,
    /// Whether the last one comes after the others in coherence order, and all to come after it.
    is_settled: bool,
    /// What atomic loads have shown.
    sights: Vec<Sight>,
    /// Pairs of which the first comes before the second, which neither happens-before nor an update says.
    fixed: Vec<(Epoch, Epoch)>,
}

/// Two writes of one byte, of which the first comes before the second.
pub(crate) type Pair<'w, B> = (&'w Arc<Write<B>>, &'w Arc<Write<B>>);
/// Pairs that something is about to fix.
pub(crate) type Pairs<'w, B> = SmallVec<[Pair<'w, B>; 2]>;
/// Positions among the writes of a byte.
type Positions = SmallVec<[usize; 4]>;

impl<B> Writes<B> {
    /// A byte that has this value before all writes.
    pub fn new(initial: Arc<Write<B>>) -> Self {
        let placed = vec![Placed { write: initial, follows_all: true }];
        Self { placed, is_settled: false, sights: Vec::new(), fixed: Vec::new() }
    }

    fn write(&self, at: usize) -> &Arc<Write<B>> {
        &self.placed[at].write
    }

    fn position(&self, event: Epoch) -> usize {
        let at = self.placed.iter().rposition(|placed| placed.write.event == event);
        at.expect("writes are remembered as long as what refers to them")
    }

    /// The writes that a load by a thread which has come after `clock` may return: first one that may be the
    /// newest in coherence order, then the others, those executed last first.
    pub fn visible(&self, clock: &Clock, is_atomic: bool) -> impl Iterator<Item = &Arc<Write<B>>> {
        let newest = self.newest_positions().next();
        let older = self.visible_positions(clock, is_atomic).filter(move |at| Some(*at) != newest);
        newest.into_iter().chain(older).map(|at| self.write(at))
    }

    fn visible_positions(&self, clock: &Clock, is_atomic: bool) -> impl Iterator<Item = usize> {
        let mut later = self.known(clock, is_atomic);
        let known = later.len();
        self.add_fixed_before(&mut later);
        let floor = later.iter().max().map_or(0, |newest| self.start_of_open(*newest));
        let is_hidden = move |at: usize| {
            let event = self.write(at).event;
            later[known..].contains(&at)
                || later.iter().any(|other| *other != at && self.write(*other).clock.includes(event))
        };
        (floor..self.placed.len()).rev().filter(move |at| !is_hidden(*at))
    }

    /// Which writes the next event of a thread that has come after `clock` must not come before: of each
    /// thread, the last that happens before, which comes after its earlier ones; and what atomic loads have
    /// shown, for an atomic access.
    fn known(&self, clock: &Clock, is_atomic: bool) -> Positions {
        let mut last = Positions::new();
        for at in (0..self.placed.len()).rev() {
            let event = self.write(at).event;
            let is_earlier = || last.iter().any(|known| self.write(*known).event.thread == event.thread);
            if event.time > 0 && clock.includes(event) && !is_earlier() {
                last.push(at);
            }
        }
        let sights = self.sights.iter().filter(|sight| is_atomic && clock.includes(sight.load));
        last.extend(sights.map(|sight| self.position(sight.write)));
        last
    }

    /// Adds the first writes of fixed pairs whose second is among `later`, or happens before one of those.
    fn add_fixed_before(&self, later: &mut Positions) {
        let mut pairs: SmallVec<[(Epoch, Epoch); 4]> = self.fixed.iter().copied().collect();
        let mut is_new = true;
        while std::mem::take(&mut is_new) {
            pairs.retain(|(earlier, second)| {
                let comes_before = |other: &usize| self.write(*other).clock.includes(*second);
                let found = later.iter().any(comes_before);
                if found {
                    later.push(self.position(*earlier));
                    is_new = true;
                }
                !found
            });
        }
    }

    /// Where the writes begin that may still come in any order with the one at this position.
    fn start_of_open(&self, position: usize) -> usize {
        (0..=position).rev().find(|at| self.placed[*at].follows_all).unwrap_or(0)
    }

    /// The writes that come before this one here: by happens-before, by an update between them, or since it
    /// is fixed. Those that only follow from others need not be among them.
    pub fn before(&self, event: Epoch) -> impl Iterator<Item = &Arc<Write<B>>> {
        let at = self.placed.iter().rposition(|placed| placed.write.event == event);
        let earlier = move |at: usize| {
            let settled = self.start_of_open(at);
            let comes_before = move |one: &usize| *one < settled || self.is_fixed_before(*one, at);
            (1..self.placed.len()).filter(move |one| *one != at && comes_before(one))
        };
        at.into_iter().flat_map(earlier).map(|one| self.write(one))
    }

    /// Whether happens-before or what is fixed says that the first of two positions comes before the second.
    fn is_fixed_before(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.write(one), self.write(other));
        other.clock.includes(one.event) || self.fixed.contains(&(one.event, other.event))
    }

    /// The pairs that an update fixes which reads `newest`.
    pub fn pairs_fixed_by_update(&self, newest: Epoch) -> Pairs<'_, B> {
        let last = self.placed.len() - 1;
        if self.is_settled {
            return Pairs::new();
        }
        let at = self.position(newest);
        let others = (self.start_of_open(last).max(1)..=last).filter(|other| *other != at);
        others.map(|other| (self.write(other), self.write(at))).collect()
    }

    /// The pairs that a load fixes which returns `source`.
    pub fn pairs_fixed_by(&self, clock: &Clock, is_atomic: bool, source: Epoch) -> Pairs<'_, B> {
        if self.placed.len() <= 2 || self.is_settled && self.write(self.placed.len() - 1).event == source {
            return Pairs::new();
        }
        let at = self.position(source);
        let open = self.start_of_open(at);
        let known = self.known(clock, is_atomic).into_iter().filter(|known| *known != at && *known >= open);
        let new = known.filter(|known| !self.is_fixed_before(*known, at));
        new.map(|known| (self.write(known), self.write(at))).collect()
    }

    /// The bytes of all writes that were executed, in a row.
    pub fn extent(&self) -> Option<ByteRange> {
        self.placed[1..].iter().map(|placed| placed.write.range).reduce(ByteRange::up_to)
    }

    /// Whether a load may fix the order of two writes, so that it commutes with no other load.
    pub fn may_be_fixed(&self, clock: &Clock, is_atomic: bool) -> bool {
        let fixes = |source: &Arc<Write<B>>| !self.pairs_fixed_by(clock, is_atomic, source.event).is_empty();
        self.placed.len() > 2 && self.visible(clock, is_atomic).any(fixes)
    }

    /// Whether a load of a thread that had come after `clock` changes what is known here.
    pub fn is_changed_by(&self, clock: &Clock, is_atomic: bool, source: Epoch) -> bool {
        is_atomic && self.shows(clock, source) || !self.pairs_fixed_by(clock, is_atomic, source).is_empty()
    }

    /// The same for an update, which reads the last write.
    pub fn is_changed_by_update(&self, clock: &Clock, source: Epoch) -> bool {
        !self.is_settled || self.shows(clock, source)
    }

    /// Whether a write is news to a thread. What it knew already teaches it nothing, so that a loop can come
    /// round.
    fn shows(&self, clock: &Clock, write: Epoch) -> bool {
        let is_it = |known: &Sight| known.write == write && clock.includes(known.load);
        write.time != 0 && !clock.includes(write) && !self.sights.iter().any(is_it)
    }

    /// A thread that had come after `clock` loads `source`.
    pub fn load(&mut self, clock: &Clock, is_atomic: bool, load: Epoch, source: Epoch) {
        let pairs = self.pairs_fixed_by(clock, is_atomic, source).into_iter();
        let pairs: SmallVec<[(Epoch, Epoch); 2]> =
            pairs.map(|(one, other)| (one.event, other.event)).collect();
        self.fixed.extend(pairs);
        if is_atomic && self.shows(clock, source) {
            self.sights.push(Sight { load, write: source });
        }
    }

    /// Adds a write, which comes after what its thread has seen.
    pub fn push(&mut self, write: Arc<Write<B>>) {
        let follows_all = std::mem::take(&mut self.is_settled);
        if !follows_all {
            let open = self.start_of_open(self.placed.len() - 1);
            let is_open = |seen: &Epoch| self.position(*seen) >= open && !write.clock.includes(*seen);
            let sights = self.sights.iter().filter(|sight| write.clock.includes(sight.load));
            let seen: SmallVec<[Epoch; 4]> = sights.map(|sight| sight.write).filter(is_open).collect();
            for seen in seen {
                if !self.fixed.contains(&(seen, write.event)) {
                    self.fixed.push((seen, write.event));
                }
            }
        }
        self.placed.push(Placed { write, follows_all });
    }

    /// Whether only updates of a thread came after `before` that repeat its own, as those of a lock that it
    /// spins for. Whatever can be read of them can be read of the first one.
    pub fn is_same_but_repeated_by(&self, before: &Self, thread: u32) -> bool
    where
        B: PartialEq,
    {
        let repeats = |earlier: &Placed<B>, later: &Placed<B>| {
            let [earlier, later] = [earlier, later].map(|placed| &placed.write);
            [earlier, later].iter().all(|write| write.event.thread == thread && write.event.time > 0)
                && (earlier.range, &earlier.bytes) == (later.range, &later.bytes)
                && earlier.published.is_same_but_of(&later.published, thread)
                && earlier.clock.is_same_but_of(&later.clock, thread)
        };
        let known = before.placed.len();
        let has_repeated = |placed: &[Placed<B>]| placed.windows(2).all(|pair| repeats(&pair[0], &pair[1]));
        self == before
            || (self.is_settled && before.is_settled)
                && (&self.sights, &self.fixed) == (&before.sights, &before.fixed)
                && self.placed.len() > known
                && self.placed[..known] == before.placed[..]
                && has_repeated(&self.placed[known - 1..])
    }

    /// The writes that may be the newest in coherence order, those executed last first.
    pub fn newest(&self) -> impl Iterator<Item = &Arc<Write<B>>> {
        self.newest_positions().map(|at| self.write(at))
    }

    fn newest_positions(&self) -> impl Iterator<Item = usize> {
        let last = self.placed.len() - 1;
        let open = if self.is_settled { last } else { self.start_of_open(last) };
        let is_newest =
            move |at: &usize| !(open..=last).any(|other| other != *at && self.is_fixed_before(*at, other));
        (open..=last).rev().filter(is_newest)
    }

    /// All writes so far come before this one of the [newest](Self::newest), or are it, and all to come after
    /// it.
    pub fn settle(&mut self, newest: Epoch) {
        let (at, last) = (self.position(newest), self.placed.len() - 1);
        if at < last {
            let moved = self.placed.remove(at);
            self.placed[at].follows_all |= moved.follows_all;
            self.placed.push(moved);
        }
        self.placed[last].follows_all = true;
        self.is_settled = true;
    }

    /// The write that an update has read, or wrote.
    pub fn last(&self) -> &Arc<Write<B>> {
        self.write(self.placed.len() - 1)
    }
}

/// Whether all writes have an order in which these pairs are, too.
///
/// What fixes the order of two writes fixes it at one byte. Writes of several bytes meet at others, too,
/// where other loads may fix it the other way, in one pair or around several. A write is performed as one on
/// every machine. So all that is fixed, at whatever byte, must have no cycle.
pub(crate) fn have_order<B>(writes: &OrdMap<u64, Arc<Writes<B>>>, pairs: &[Pair<'_, B>]) -> bool {
    let is_before = |one: Epoch, other: &Arc<Write<B>>| {
        let mut found: SmallVec<[&Arc<Write<B>>; 8]> = SmallVec::from_iter([other]);
        let mut next = 0;
        while let Some(write) = found.get(next).copied() {
            let at = write.range.addresses().filter_map(|address| writes.get(&address));
            let asked = pairs.iter().filter(|(_, second)| second.event == write.event);
            for before in at.flat_map(|at| at.before(write.event)).chain(asked.map(|(first, _)| *first)) {
                if before.event == one {
                    return true;
                }
                if found.iter().all(|known| known.event != before.event) {
                    found.push(before);
                }
            }
            next += 1;
        }
        false
    };
    pairs.iter().all(|(first, second)| !is_before(second.event, first))
}

#[cfg(test)]
impl<B> Writes<B> {
    fn comes_before_by_definition(&self, one: usize, other: usize) -> bool {
        let [before, after] = [one, other].map(|at| self.write(at));
        one != other
            && (after.clock.includes(before.event)
                || self.fixed.contains(&(before.event, after.event))
                || one < other && self.placed[one + 1..=other].iter().any(|placed| placed.follows_all))
    }

    /// All pairs of writes of which the first comes before the second.
    pub fn order_by_definition(&self) -> impl Iterator<Item = (Epoch, Epoch)> {
        let executed = 1..self.placed.len();
        let pairs = executed.clone().flat_map(move |one| executed.clone().map(move |other| (one, other)));
        let ordered = pairs.filter(|(one, other)| self.comes_before_by_definition(*one, *other));
        ordered.map(|(one, other)| (self.write(one).event, self.write(other).event))
    }

    /// The writes that happen before a thread's next event, or that it has seen.
    pub fn known_by_definition(&self, clock: &Clock, is_atomic: bool) -> impl Iterator<Item = Epoch> {
        let is_known = move |event: &Epoch| {
            let sees = |sight: &Sight| is_atomic && sight.write == *event && clock.includes(sight.load);
            clock.includes(*event) || self.sights.iter().any(sees)
        };
        self.placed.iter().map(|placed| placed.write.event).filter(is_known)
    }

    /// The visible writes, from all pairs of the order that is fixed.
    pub fn visible_by_definition(
        &self,
        clock: &Clock,
        is_atomic: bool,
    ) -> impl Iterator<Item = &Arc<Write<B>>> {
        let all = 0..self.placed.len();
        let known: Vec<Epoch> = self.known_by_definition(clock, is_atomic).collect();
        let is_known = |at: usize| known.contains(&self.write(at).event);
        let mut hidden = vec![false; self.placed.len()];
        for _ in all.clone() {
            for one in all.clone() {
                hidden[one] |= all.clone().any(|other| {
                    self.comes_before_by_definition(one, other) && (hidden[other] || is_known(other))
                });
            }
        }
        all.rev().filter(move |at| !hidden[*at]).map(|at| self.write(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes of one byte, each by the thread of its number and after nothing, but the value before them.
    fn writes(threads: u32) -> Writes<u32> {
        let write = |thread: u32| {
            let mut clock = Clock::default();
            let event = if thread == 0 { Epoch::default() } else { clock.advance(thread) };
            let (range, bytes) = (ByteRange::new(0, 1), SmallVec::from_iter([thread]));
            Arc::new(Write { range, bytes, event, clock, published: Clock::default() })
        };
        let mut writes = Writes::new(write(0));
        (1..=threads).for_each(|thread| writes.push(write(thread)));
        writes
    }

    fn event(thread: u32) -> Epoch {
        Epoch { thread, time: 1 }
    }

    fn after(events: &[Epoch]) -> Clock {
        let mut clock = Clock::default();
        for event in events {
            while clock.time(event.thread) < event.time {
                clock.advance(event.thread);
            }
        }
        clock
    }

    fn seen(writes: &Writes<u32>, clock: &Clock) -> Vec<u32> {
        writes.visible(clock, true).map(|write| write.bytes[0]).collect()
    }

    #[test]
    fn what_one_load_fixes_holds_for_all_threads() {
        let mut writes = writes(2);
        let (both, nothing) = (after(&[event(1), event(2)]), Clock::default());
        assert_eq!(seen(&writes, &nothing), [2, 1, 0]);
        assert_eq!(seen(&writes, &both), [2, 1]);
        assert!(writes.may_be_fixed(&both, true) && !writes.may_be_fixed(&nothing, true));
        writes.load(&both, true, event(7), event(1));
        assert_eq!(seen(&writes, &both), [1], "the other one comes before it");
        assert!(!writes.may_be_fixed(&both, true));
        assert_eq!(seen(&writes, &after(&[event(1)])), [1], "for every thread that knows it");
        assert_eq!(seen(&writes, &after(&[event(2)])), [1, 2], "what may be the newest comes first");
        assert_eq!(writes.newest().map(|write| write.bytes[0]).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn what_is_fixed_leads_on() {
        let mut writes = writes(3);
        writes.load(&after(&[event(1)]), true, event(7), event(2));
        writes.load(&after(&[event(2)]), true, event(8), event(3));
        assert_eq!(seen(&writes, &after(&[event(3)])), [3], "1 before 2 before 3");
        assert_eq!(seen(&writes, &after(&[event(2)])), [3, 2]);
    }

    #[test]
    fn a_write_comes_after_what_its_thread_has_seen() {
        let mut writes = writes(1);
        let nothing = Clock::default();
        writes.load(&nothing, true, event(2), event(1));
        let mut clock = after(&[event(2)]);
        let second = clock.advance(2);
        let (range, bytes) = (ByteRange::new(0, 1), SmallVec::from_iter([9]));
        writes.push(Arc::new(Write { range, bytes, event: second, clock, published: Clock::default() }));
        assert_eq!(seen(&writes, &after(&[second])), [9]);
        assert_eq!(seen(&writes, &after(&[event(1)])), [9, 1]);
    }

    #[test]
    fn an_update_comes_between_all_before_and_all_after() {
        let mut writes = writes(2);
        assert_eq!(writes.newest().map(|write| write.bytes[0]).collect::<Vec<_>>(), [2, 1]);
        writes.settle(event(1));
        assert_eq!(writes.last().bytes[0], 1);
        let both = after(&[event(1), event(2)]);
        assert_eq!(seen(&writes, &both), [1]);
        assert_eq!(seen(&writes, &after(&[event(2)])), [1, 2], "it may be missed where it is not known");
        let mut clock = Clock::default();
        let third = clock.advance(3);
        let (range, bytes) = (ByteRange::new(0, 1), SmallVec::from_iter([3]));
        writes.push(Arc::new(Write { range, bytes, event: third, clock, published: Clock::default() }));
        assert_eq!(seen(&writes, &after(&[third])), [3]);
        assert_eq!(writes.newest().map(|write| write.bytes[0]).collect::<Vec<_>>(), [3]);
    }
}
