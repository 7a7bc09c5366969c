//! The accesses of one execution that goes forward only, for finding out quickly which memory races.
//!
//! It finds the races that [`RaceDetector`](crate::RaceDetector) finds. But its pages are changed in place,
//! and have an entry for all bytes of a word that were accessed alike. It does not record where an access
//! came from.

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
    /// Notes an access, which is this event; whether it races with an earlier one.
    pub fn access(
        &mut self,
        order: &Synchronisation,
        event: Epoch,
        kind: AccessKind,
        range: ByteRange,
    ) -> bool {
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
            races |= note(word, order, Entry { event, bytes, kind });
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
fn note(word: &mut Word, order: &Synchronisation, new: Entry) -> bool {
    let mut races = false;
    word.retain(|entry| {
        if entry.bytes & new.bytes == 0 {
            return true;
        }
        let is_before =
            entry.event.thread == new.event.thread || order.is_before(entry.event, new.event.thread);
        let conflicts = (new.kind.writes || entry.kind.writes) && !(new.kind.atomic && entry.kind.atomic);
        races |= conflicts && !is_before;
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
                        let found = shadow.access(&order, event, kind, range);
                        assert_eq!(found, !races.is_empty(), "seed {seed} step {step}");
                    }
                }
            }
        }
    }
}
