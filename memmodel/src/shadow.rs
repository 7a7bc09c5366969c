//! The accesses of one execution that goes forward only, for finding out quickly which memory races.
//!
//! It finds the races that [`RaceDetector`](crate::RaceDetector) finds. But its pages are changed in place,
//! and have an entry for all bytes of a word that were accessed alike. Of where an access came from it keeps
//! a number.

use crate::{AccessKind, ByteRange, Epoch, Synchronisation};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const WORD_LOG2: u32 = 3;
/// Words of a page.
const WORDS_LOG2: u32 = 6;
const PAGE_LOG2: u32 = WORD_LOG2 + WORDS_LOG2;

/// An access to bytes of a word.
#[derive(Clone, Copy, Debug)]
struct Entry {
    event: Epoch,
    /// A bit for each byte.
    bytes: u8,
    kind: AccessKind,
    origin: u32,
}

/// An access, as those that follow it see it.
#[derive(Clone, Copy, Debug)]
pub struct ShadowedAccess {
    /// Which event it is, of which thread.
    pub event: Epoch,
    /// What it does.
    pub kind: AccessKind,
    /// Where it came from: a number of the caller's.
    pub origin: u32,
}

/// The accesses to a word that a later one may race with.
type Word = SmallVec<[Entry; 2]>;
type Page = [Word; 1 << WORDS_LOG2];

/// Accesses by address.
#[derive(Debug, Default)]
pub struct AccessShadow {
    pages: FxHashMap<u64, Box<Page>>,
}

impl AccessShadow {
    /// Notes an access; whether it races with an earlier one. `ordered` is called with the origin and kind of
    /// each earlier access of another thread that conflicts with it and comes before it.
    ///
    /// Earlier accesses that a later one hides are not among them: whatever races with the hidden one races
    /// with that one, too.
    pub fn access(
        &mut self,
        order: &Synchronisation,
        access: ShadowedAccess,
        range: ByteRange,
        mut ordered: impl FnMut(u32, AccessKind),
    ) -> bool {
        let ShadowedAccess { event, kind, origin } = access;
        let (mut races, mut at, mut left) = (false, range.address, range.length);
        while left > 0 {
            let first = at & ((1 << WORD_LOG2) - 1);
            let count = left.min((1 << WORD_LOG2) - first);
            let bytes = ((0xff_u16 >> (8 - count)) << first) as u8;
            let page = self
                .pages
                .entry(at >> PAGE_LOG2)
                .or_insert_with(|| Box::new(std::array::from_fn(|_| Word::new())));
            let word = &mut page[(at >> WORD_LOG2) as usize % (1 << WORDS_LOG2)];
            races |= note(word, order, Entry { event, bytes, kind, origin }, &mut ordered);
            (at, left) = (at.wrapping_add(count), left - count);
        }
        races
    }

    /// Memory ceases to exist, which conflicts with every access to it; whether it races with one.
    pub fn end(&mut self, order: &Synchronisation, thread: u32, range: ByteRange) -> bool {
        let last = range.address + range.length.saturating_sub(1);
        let numbers = range.address >> PAGE_LOG2..=last >> PAGE_LOG2;
        // Bytes beside the range in its first and last word do not end.
        let end = |number: u64, page: &mut Page| {
            let mut races = false;
            for (index, word) in (0_u64..).zip(page.iter_mut()) {
                let start = (number << PAGE_LOG2) + (index << WORD_LOG2);
                let ends = |byte: &u32| (range.address..=last).contains(&(start + u64::from(*byte)));
                let ended = (0..8).filter(ends).fold(0_u8, |bytes, byte| bytes | 1 << byte);
                for entry in word.iter_mut() {
                    races |= entry.bytes & ended != 0 && !order.is_before(entry.event, thread);
                    entry.bytes &= !ended;
                }
                word.retain(|entry| entry.bytes != 0);
            }
            races
        };
        let mut races = false;
        if numbers.end() - numbers.start() < self.pages.len() as u64 {
            for number in numbers {
                races |= self.pages.get_mut(&number).is_some_and(|page| end(number, page));
            }
        } else {
            for (number, page) in self.pages.iter_mut().filter(|(number, _)| numbers.contains(number)) {
                races |= end(*number, page);
            }
        }
        races
    }
}

/// Adds an access to a word; whether it races with an earlier one.
fn note(
    word: &mut Word,
    order: &Synchronisation,
    new: Entry,
    ordered: &mut impl FnMut(u32, AccessKind),
) -> bool {
    let mut races = false;
    word.retain(|entry| {
        if entry.bytes & new.bytes == 0 {
            return true;
        }
        let is_own = entry.event.thread == new.event.thread;
        let is_before = is_own || order.is_before(entry.event, new.event.thread);
        let conflicts = (new.kind.writes || entry.kind.writes) && !(new.kind.atomic && entry.kind.atomic);
        races |= conflicts && !is_before;
        if conflicts && is_before && !is_own {
            ordered(entry.origin, entry.kind);
        }
        // Whatever races with the earlier one from now on races with this one, too.
        let as_telling = (new.kind.writes || !entry.kind.writes) && (!new.kind.atomic || entry.kind.atomic);
        if is_before && as_telling {
            entry.bytes &= !new.bytes;
        }
        entry.bytes != 0
    });
    word.push(new);
    races
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ordering, Origin, RaceDetector};

    impl Origin for () {
        fn is_same_place(&self, _: &Self) -> bool {
            true
        }
    }

    #[test]
    fn an_earlier_access_that_is_ordered_is_passed_on() {
        let (mut shadow, mut order) = (AccessShadow::default(), Synchronisation::default());
        let range = ByteRange::new(4, 8);
        let mut access = |order: &mut Synchronisation, thread, writes, origin| {
            let kind = AccessKind { writes, atomic: false };
            let access = ShadowedAccess { event: order.event(thread), kind, origin };
            let mut met = Vec::new();
            let races = shadow.access(order, access, range, |earlier, kind| met.push((earlier, kind.writes)));
            (races, met)
        };
        assert_eq!(access(&mut order, 0, true, 1), (false, vec![]));
        assert_eq!(access(&mut order, 1, false, 2), (true, vec![]), "a race is no ordered pair");
        order.release(0, (1, 0));
        order.acquire(2, (1, 0));
        let (races, met) = access(&mut order, 2, false, 3);
        assert!(!races && !met.is_empty() && met.iter().all(|earlier| *earlier == (1, true)));
        assert_eq!(access(&mut order, 2, false, 3), (false, met), "reads do not conflict with each other");
    }

    /// The same accesses of three threads, some of them ordered, are given to both. They are a word at a
    /// time, since the detector has no memory of where it looked before.
    #[test]
    fn it_finds_what_the_detector_finds() {
        for seed in 0..300_u64 {
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = |below: u64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random % below
            };
            let (mut detector, mut shadow) = (RaceDetector::default(), AccessShadow::default());
            let mut order = Synchronisation::default();
            for step in 0..30 {
                let thread = next(3) as u32;
                let range = ByteRange::new(next(24), 1 + next(12));
                let (writes, is_atomic) = (next(2) == 0, next(3) == 0);
                match next(6) {
                    0 => {
                        detector.order().release(thread, (1, 0));
                        order.release(thread, (1, 0));
                    }
                    1 => {
                        detector.order().acquire(thread, (1, 0));
                        order.acquire(thread, (1, 0));
                    }
                    2 => {
                        let found = shadow.end(&order, thread, range);
                        assert_eq!(found, !detector.end(thread, range).is_empty(), "seed {seed} step {step}");
                    }
                    _ => {
                        let kind = AccessKind { writes, atomic: is_atomic };
                        let event = order.event(thread);
                        let ordering = if is_atomic { Ordering::Monotonic } else { Ordering::NotAtomic };
                        let races = if writes {
                            detector.store(thread, ordering, range, ())
                        } else {
                            detector.load(thread, ordering, range, |_| false, ())
                        };
                        let access = ShadowedAccess { event, kind, origin: 0 };
                        let found = shadow.access(&order, access, range, |_, _| {});
                        assert_eq!(found, !races.is_empty(), "seed {seed} step {step}");
                    }
                }
            }
        }
    }
}
