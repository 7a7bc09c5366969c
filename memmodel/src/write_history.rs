//! Memory with a history of writes: a read returns any write that is not hidden from it.
//!
//! A write is hidden from a read if it comes in coherence order before another write that happens before the
//! read, or that an atomic load before an atomic load has returned. Of coherence order only that is fixed
//! which something has fixed (`coherence.rs`). A read of several bytes never takes two bytes from different
//! writes if both wrote both: accesses are not torn.
//! A read-modify-write takes the newest of the writes that were executed, and all that are executed later
//! come after it. Sequentially consistent operations come after all such stores, updates and fences before
//! them.

use crate::coherence::{Pair, Pairs, Write, Writes, have_order};
use crate::{ByteRange, Clock, Epoch, Ordering, Synchronisation};
use imbl::OrdMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// One way of reading.
#[derive(Clone, Debug)]
pub struct Reading<B> {
    /// The bytes.
    pub bytes: SmallVec<[B; 8]>,
    /// The clock that the writes they come from published.
    published: Clock,
    /// The write that each byte comes from: none where no write is remembered.
    sources: SmallVec<[Option<Epoch>; 8]>,
}

impl<B> Reading<B> {
    /// Whether a byte comes from writes that are remembered, or was there before those. If not, all are the
    /// one value that memory holds.
    pub fn is_remembered(&self) -> bool {
        self.sources.iter().any(Option::is_some)
    }

    /// The writes that the bytes come from, each once for bytes in a row; without the initial value.
    pub fn writes(&self) -> SmallVec<[Epoch; 4]> {
        let written = |source: &Option<Epoch>| source.filter(|write| write.time != 0);
        let mut writes: SmallVec<[Epoch; 4]> = self.sources.iter().filter_map(written).collect();
        writes.dedup();
        writes
    }
}

/// The writes of an execution, and what of them each thread is ordered after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WriteHistory<B> {
    order: Synchronisation,
    /// The clock that sequentially consistent operations come after.
    total: Clock,
    /// By byte, its writes.
    writes: OrdMap<u64, Arc<Writes<B>>>,
}

impl<B> Default for WriteHistory<B> {
    fn default() -> Self {
        Self { order: Synchronisation::default(), total: Clock::default(), writes: OrdMap::new() }
    }
}

impl<B: Clone + PartialEq> WriteHistory<B> {
    /// How threads synchronise.
    pub fn order(&mut self) -> &mut Synchronisation {
        &mut self.order
    }

    /// Whether no write is remembered, so that memory alone says what a read returns.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The event of a thread's next access.
    pub fn next_event(&self, thread: u32) -> Epoch {
        Epoch { thread, time: self.order.clock(thread).time(thread) + 1 }
    }

    /// The clock that a thread's access comes after.
    fn clock_before(&self, thread: u32, ordering: Ordering) -> Clock {
        let mut clock = self.order.clock(thread);
        if ordering == Ordering::SequentiallyConsistent {
            clock.join(&self.total);
        }
        clock
    }

    /// The ways in which a thread can read `range`: first one that may be the newest in coherence order, then
    /// those with newer writes. `memory` is what memory holds there.
    ///
    /// A write of several bytes has one place in coherence order. So there is no way in which reads of parts
    /// of it would see it before another one and after it.
    pub fn readings(
        &self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        memory: &[B],
    ) -> Vec<Reading<B>> {
        let clock = self.clock_before(thread, ordering);
        let is_atomic = ordering != Ordering::NotAtomic;
        self.ways(
            range,
            memory,
            |at| at.visible(&clock, is_atomic).map(Some).collect(),
            |at, source| at.pairs_fixed_by(&clock, is_atomic, source),
        )
    }

    /// The ways in which an update can read `range`: where nothing has fixed which of the writes so far is
    /// the newest, there are several.
    pub fn newest(&self, range: ByteRange, memory: &[B]) -> Vec<Reading<B>> {
        self.ways(range, memory, |at| at.newest().map(Some).collect(), Writes::pairs_fixed_by_update)
    }

    fn ways<'w>(
        &'w self,
        range: ByteRange,
        memory: &[B],
        sources: impl Fn(&'w Writes<B>) -> Sources<'w, B>,
        fixed: impl Fn(&'w Writes<B>, Epoch) -> Pairs<'w, B>,
    ) -> Vec<Reading<B>> {
        let sources: SmallVec<[Sources<'_, B>; 8]> = range
            .addresses()
            .map(|address| match self.writes.get(&address) {
                // A byte not written since writes are remembered has the one value that memory holds.
                None => SmallVec::from_iter([None]),
                Some(at) => sources(at),
            })
            .collect();
        let mut ways: Vec<Vec<Source<'_, B>>> = if are_whole(&sources, range) {
            (0..sources[0].len()).map(|way| sources.iter().map(|of_byte| of_byte[way]).collect()).collect()
        } else {
            combined(&sources, range)
        };
        if ways.len() > 1 {
            let fixed_at = |(address, source): (u64, &Source<'w, B>)| {
                let (at, source) = (self.writes.get(&address)?, (*source)?);
                Some(fixed(at, source.event))
            };
            ways.retain(|way| {
                let pairs: Vec<Pair<'_, B>> =
                    range.addresses().zip(way).filter_map(fixed_at).flatten().collect();
                have_order(&self.writes, &pairs)
            });
        }
        let reading = |way: &Vec<Source<'_, B>>| {
            let mut published = Clock::default();
            let bytes = way.iter().zip(range.addresses()).zip(memory).map(|((source, address), newest)| {
                let Some(write) = source else { return newest.clone() };
                published.join(&write.published);
                let offset = write.range.offset_of(address).expect("it covers the byte");
                write.bytes[offset as usize].clone()
            });
            let bytes = bytes.collect();
            Reading { bytes, published, sources: way.iter().map(|source| Some((*source)?.event)).collect() }
        };
        ways.iter().map(reading).collect()
    }

    /// A thread reads in one of the [ways](Self::readings) that were open to it.
    pub fn read(&mut self, thread: u32, ordering: Ordering, range: ByteRange, reading: &Reading<B>) {
        if ordering == Ordering::SequentiallyConsistent {
            self.order.join(thread, &self.total);
        }
        // Where no write is remembered, a load changes nothing, and needs no copy of the clock.
        let remembers = reading.is_remembered();
        let clock = if remembers { self.order.clock(thread) } else { Clock::default() };
        let load = self.order.event(thread);
        let is_atomic = ordering != Ordering::NotAtomic;
        for (address, source) in range.addresses().zip(&reading.sources) {
            if let (Some(source), Some(at)) = (*source, self.writes.get_mut(&address))
                && at.is_changed_by(&clock, is_atomic, source)
            {
                Arc::make_mut(at).load(&clock, is_atomic, load, source);
            }
        }
        self.order.load(thread, ordering, &reading.published);
    }

    /// The bytes of which a load may fix the coherence order, all that the writes have written whose order it
    /// is. Then it commutes with no other load there.
    pub fn fixed_by_load(&self, thread: u32, ordering: Ordering, range: ByteRange) -> Option<ByteRange> {
        let clock = self.clock_before(thread, ordering);
        let is_atomic = ordering != Ordering::NotAtomic;
        self.extent_of(range, |at| at.may_be_fixed(&clock, is_atomic))
    }

    /// The same of an update.
    pub fn fixed_by_update(&self, range: ByteRange) -> Option<ByteRange> {
        self.extent_of(range, |at| at.newest().nth(1).is_some())
    }

    /// The bytes of all writes that have written to those of a range which are meant.
    fn extent_of(&self, range: ByteRange, is_meant: impl Fn(&Writes<B>) -> bool) -> Option<ByteRange> {
        let at = range.addresses().filter_map(|address| self.writes.get(&address));
        at.filter(|at| is_meant(at)).filter_map(|at| at.extent()).reduce(ByteRange::up_to)
    }

    /// Whether only further reads of a thread, from which it has learned nothing, came after `before`.
    /// Others may have to come after them, if it has fences or sequentially consistent updates that
    /// failed. All that can follow then, could follow `before` as well.
    pub fn is_same_but_reads_of(&self, before: &Self, thread: u32) -> bool {
        self.order.is_same_but_events_of(&before.order, thread)
            && self.total.is_same_but_of(&before.total, thread)
            && (self.writes.ptr_eq(&before.writes) || self.has_only_repeated(before, thread))
    }

    fn has_only_repeated(&self, before: &Self, thread: u32) -> bool {
        let mut writes = self.writes.iter().zip(&before.writes);
        self.writes.len() == before.writes.len()
            && writes.all(|((address, now), (other, then))| {
                address == other && (Arc::ptr_eq(now, then) || now.is_same_but_repeated_by(then, thread))
            })
    }

    /// A thread writes `bytes` to `range`, where `memory` was the newest value. The event that is.
    pub fn write(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        bytes: &[B],
        memory: &[B],
    ) -> Epoch {
        let event = self.begin_total(thread, ordering);
        let published = self.order.store(thread, ordering);
        self.end_total(thread, ordering);
        let clock = self.order.clock(thread);
        self.push(Write { range, bytes: bytes.iter().cloned().collect(), event, clock, published }, memory);
        event
    }

    /// What an update is about to read is the newest so far: one of the ways [there are](Self::newest).
    pub fn settle(&mut self, range: ByteRange, newest: &Reading<B>) {
        for (address, source) in range.addresses().zip(&newest.sources) {
            if let (Some(source), Some(at)) = (source, self.writes.get_mut(&address)) {
                Arc::make_mut(at).settle(*source);
            }
        }
    }

    /// A thread reads the newest value of `range`, `memory`, and writes `bytes`, unless its compare fails, in
    /// one step. The event that is. Where there are [several](Self::newest), one has been
    /// [settled](Self::settle).
    pub fn update(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        bytes: Option<&[B]>,
        memory: &[B],
    ) -> Epoch {
        let before = self.order.clock(thread);
        let event = self.begin_total(thread, ordering);
        let mut read = Clock::default();
        for address in range.addresses() {
            let Some(at) = self.writes.get_mut(&address) else { continue };
            read.join(&at.last().published);
            let source = at.last().event;
            if at.is_changed_by_update(&before, source) {
                let at = Arc::make_mut(at);
                at.settle(source);
                at.load(&before, true, event, source);
            }
        }
        let published = self.order.update(thread, ordering, &read);
        self.end_total(thread, ordering);
        if let Some(bytes) = bytes {
            let clock = self.order.clock(thread);
            let bytes = bytes.iter().cloned().collect();
            self.push(Write { range, bytes, event, clock, published }, memory);
            for address in range.addresses() {
                if let Some(at) = self.writes.get_mut(&address) {
                    Arc::make_mut(at).settle(event);
                }
            }
        }
        event
    }

    /// A fence.
    pub fn fence(&mut self, thread: u32, ordering: Ordering) {
        self.begin_total(thread, ordering);
        self.order.fence(thread, ordering);
        self.end_total(thread, ordering);
    }

    fn begin_total(&mut self, thread: u32, ordering: Ordering) -> Epoch {
        if ordering == Ordering::SequentiallyConsistent {
            self.order.join(thread, &self.total);
        }
        self.order.event(thread)
    }

    fn end_total(&mut self, thread: u32, ordering: Ordering) {
        if ordering == Ordering::SequentiallyConsistent {
            self.total.join(&self.order.clock(thread));
        }
    }

    /// Adds a write to memory that held `memory`.
    fn push(&mut self, write: Write<B>, memory: &[B]) {
        let write = Arc::new(write);
        for (address, before) in write.range.addresses().zip(memory) {
            let writes = self.writes.entry(address).or_insert_with(|| {
                Arc::new(Writes::new(Arc::new(Write {
                    range: ByteRange::new(address, 1),
                    bytes: SmallVec::from_iter([before.clone()]),
                    event: Epoch::default(),
                    clock: Clock::default(),
                    published: Clock::default(),
                })))
            });
            Arc::make_mut(writes).push(Arc::clone(&write));
        }
    }

    /// Memory that ceases to exist, or that only one thread can see, has no writes but its present value.
    pub fn forget(&mut self, range: ByteRange) {
        if range.length == 0 || self.writes.is_empty() {
            return;
        }
        let within = self.writes.range(range.address..=range.address + (range.length - 1));
        let gone: SmallVec<[u64; 8]> = within.map(|(address, _)| *address).collect();
        for address in gone {
            self.writes.remove(&address);
        }
    }
}

/// Where a byte comes from; `None` for the value before all writes that are remembered.
type Source<'w, B> = Option<&'w Arc<Write<B>>>;
/// Where it can come from, newer writes first.
type Sources<'w, B> = SmallVec<[Source<'w, B>; 4]>;

/// Whether all bytes of `range` can come from the same writes, each of which wrote them all. Then no two
/// writes combine, as no access is torn.
fn are_whole<B>(sources: &[Sources<'_, B>], range: ByteRange) -> bool {
    let is_same = |one: &Source<'_, B>, other: &Source<'_, B>| match (one, other) {
        (Some(one), Some(other)) => {
            one.event.time == 0 && other.event.time == 0 || Arc::ptr_eq(one, other) && one.range.covers(range)
        }
        _ => false,
    };
    let Some(first) = sources.first() else { return false };
    sources.iter().all(|of_byte| {
        of_byte.len() == first.len() && first.iter().zip(of_byte).all(|(one, other)| is_same(one, other))
    })
}

/// The ways to take each byte of `range` from one of its sources, without tearing a write.
fn combined<'w, B>(sources: &[Sources<'w, B>], range: ByteRange) -> Vec<Vec<Source<'w, B>>> {
    let mut ways = vec![Vec::new()];
    for (address, of_byte) in range.addresses().zip(sources) {
        let mut extended = Vec::new();
        for way in &ways {
            for source in of_byte {
                if !is_torn(way, range.address, *source, address) {
                    let mut way = way.clone();
                    way.push(*source);
                    extended.push(way);
                }
            }
        }
        ways = extended;
    }
    ways
}

/// Whether a byte from `source` beside those of `way`, which begin at `start`, would tear a write. That is so
/// if two writes that both wrote both bytes show one each.
fn is_torn<B>(
    way: &[Option<&Arc<Write<B>>>],
    start: u64,
    source: Option<&Arc<Write<B>>>,
    address: u64,
) -> bool {
    let Some(source) = source else { return false };
    (start..).zip(way).any(|(other_address, other)| {
        other.is_some_and(|other| {
            let same = Arc::ptr_eq(other, source) || other.event.time == 0 && source.event.time == 0;
            !same && other.wrote(address) && source.wrote(other_address)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const WORD: ByteRange = ByteRange { address: 64, length: 2 };
    const PLAIN: Ordering = Ordering::NotAtomic;

    fn seen(history: &WriteHistory<u8>, thread: u32, range: ByteRange, memory: &[u8]) -> Vec<Vec<u8>> {
        history.readings(thread, PLAIN, range, memory).iter().map(|way| way.bytes.to_vec()).collect()
    }

    #[test]
    fn writes_of_other_threads_hide_nothing() {
        let mut history = WriteHistory::default();
        history.write(0, PLAIN, WORD, &[1, 1], &[0, 0]);
        history.write(0, PLAIN, WORD, &[2, 2], &[1, 1]);
        assert_eq!(seen(&history, 0, WORD, &[2, 2]), [[2, 2]], "its own newest");
        assert_eq!(seen(&history, 1, WORD, &[2, 2]), [[2, 2], [1, 1], [0, 0]], "in any order, but not torn");
        history.order().release(0, (9, 0));
        history.order().acquire(1, (9, 0));
        assert_eq!(seen(&history, 1, WORD, &[2, 2]), [[2, 2]]);
    }

    #[test]
    fn atomic_loads_of_one_thread_are_coherent() {
        let mut history = WriteHistory::default();
        let relaxed = Ordering::Monotonic;
        history.write(0, relaxed, WORD, &[1, 1], &[0, 0]);
        history.write(0, relaxed, WORD, &[2, 2], &[1, 1]);
        history.write(1, relaxed, WORD, &[3, 3], &[2, 2]);
        let ways = |history: &WriteHistory<u8>, thread: u32| {
            let ways = history.readings(thread, relaxed, WORD, &[3, 3]);
            ways.iter().map(|way| way.bytes[0]).collect::<Vec<_>>()
        };
        assert_eq!(ways(&history, 2), [3, 2, 1, 0]);
        let second = history.readings(2, relaxed, WORD, &[3, 3]).swap_remove(1);
        history.read(2, relaxed, WORD, &second);
        assert_eq!(ways(&history, 2), [3, 2], "none that comes before what it has read");
        let before = history.clone();
        history.read(2, relaxed, WORD, &second);
        assert!(history.is_same_but_reads_of(&before, 2), "the same again teaches it nothing");
        assert_eq!(ways(&history, 4), [3, 2, 1, 0], "what others read says nothing to a thread");
        history.order().follow(2, 4);
        assert_eq!(ways(&history, 4), [3, 2], "unless they come before");
        assert_eq!(seen(&history, 4, WORD, &[3, 3]).len(), 4, "plain loads need not be coherent");
    }

    #[test]
    fn narrow_writes_mix_with_wide_ones() {
        let mut history = WriteHistory::default();
        history.write(0, PLAIN, WORD, &[1, 1], &[0, 0]);
        history.write(1, PLAIN, ByteRange::new(65, 1), &[7], &[1]);
        let ways = seen(&history, 2, WORD, &[1, 7]);
        assert_eq!(ways, [[1, 7], [1, 1], [0, 7], [0, 0]]);
        assert_eq!(seen(&history, 2, ByteRange::new(66, 1), &[5]), [[5]], "what nobody wrote");
    }

    #[test]
    fn updates_come_one_after_another() {
        let mut history = WriteHistory::default();
        history.update(0, Ordering::Monotonic, WORD, Some(&[1, 0]), &[0, 0]);
        history.update(1, Ordering::Monotonic, WORD, Some(&[2, 0]), &[1, 0]);
        assert_eq!(seen(&history, 1, WORD, &[2, 0]), [[2, 0]]);
        history.order().follow(0, 2);
        history.order().follow(1, 2);
        assert_eq!(seen(&history, 2, WORD, &[2, 0]), [[2, 0]], "the first is hidden by the second");
    }

    /// Whether nothing is left of these pairs when those are taken away of which nothing comes before the
    /// first, as long as there are any.
    fn has_no_cycle(mut pairs: BTreeSet<(Epoch, Epoch)>) -> bool {
        loop {
            let (known, later) = (pairs.len(), pairs.iter().map(|pair| pair.1).collect::<BTreeSet<_>>());
            pairs.retain(|(first, _)| later.contains(first));
            if pairs.len() == known {
                return pairs.is_empty();
            }
        }
    }

    /// The ways by the definition: every combination of bytes of which none is hidden, no two tear a write,
    /// and that leaves all writes an order.
    fn defined(history: &WriteHistory<u8>, thread: u32, range: ByteRange, memory: &[u8]) -> Vec<Vec<u8>> {
        let clock = history.order.clock(thread);
        let at = range.addresses().map(|address| match history.writes.get(&address) {
            None => SmallVec::from_iter([None]),
            Some(at) => at.visible_by_definition(&clock, true).map(Some).collect(),
        });
        let sources: Vec<Sources<'_, u8>> = at.collect();
        let value = |(offset, source): (usize, &Source<'_, u8>)| match source {
            Some(write) => {
                write.bytes[write.range.offset_of(range.address + offset as u64).unwrap() as usize]
            }
            None => memory[offset],
        };
        let fixed: BTreeSet<(Epoch, Epoch)> =
            history.writes.values().flat_map(|at| at.order_by_definition()).collect();
        let keeps_order = |way: &&Vec<Source<'_, u8>>| {
            let mut pairs = fixed.clone();
            for (address, source) in range.addresses().zip(*way) {
                if let (Some(at), Some(source)) = (history.writes.get(&address), source) {
                    let known = at.known_by_definition(&clock, true).filter(|known| *known != source.event);
                    pairs.extend(known.map(|known| (known, source.event)));
                }
            }
            has_no_cycle(pairs)
        };
        let ways = combined(&sources, range);
        let ways = ways.iter().filter(keeps_order);
        ways.map(|way| way.iter().enumerate().map(value).collect()).collect()
    }

    #[test]
    fn readings_are_those_of_the_definition() {
        let mut state = 0x5EED_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut most = 0;
        for _ in 0..300 {
            let mut history = WriteHistory::default();
            let mut memory = [0_u8; 4];
            for value in 1..24 {
                let thread = below(3) as u32;
                // Mostly the whole word, as programs do.
                let (start, length) = if below(4) > 0 { (0, 4) } else { (below(3), 1 + below(2)) };
                let (range, inside) =
                    (ByteRange::new(64 + start, length), start as usize..(start + length) as usize);
                let ordering = [PLAIN, Ordering::Monotonic, Ordering::Release][below(3) as usize];
                match below(8) {
                    0 => history.order().release(thread, (9, 0)),
                    1 => history.order().acquire(thread, (9, 0)),
                    2 => {
                        let bytes = vec![value; length as usize];
                        let ways = history.newest(range, &memory[inside.clone()]);
                        history.settle(range, &ways[below(ways.len() as u64) as usize]);
                        history.update(thread, ordering, range, Some(&bytes), &memory[inside.clone()]);
                        memory[inside].fill(value);
                    }
                    3 => {
                        let ways = history.readings(thread, Ordering::Acquire, range, &memory[inside]);
                        let way = &ways[below(ways.len() as u64) as usize];
                        history.read(thread, Ordering::Acquire, range, way);
                    }
                    _ => {
                        let bytes = vec![value; length as usize];
                        history.write(thread, ordering, range, &bytes, &memory[inside.clone()]);
                        memory[inside].fill(value);
                    }
                }
                for reader in 0..3 {
                    let range = ByteRange::new(64, 4);
                    let ways = history.readings(reader, Ordering::Monotonic, range, &memory);
                    let mut ways: Vec<Vec<u8>> = ways.iter().map(|way| way.bytes.to_vec()).collect();
                    let mut defined = defined(&history, reader, range, &memory);
                    ways.sort_unstable();
                    defined.sort_unstable();
                    assert_eq!(ways, defined);
                    most = most.max(ways.len());
                }
            }
        }
        assert!(most > 10, "{most}");
    }

    /// What the readers can see, each of one byte and one after the other.
    fn bytes_seen(
        history: &WriteHistory<u8>,
        readers: &[(u32, u64)],
        seen: &mut Vec<u8>,
        all: &mut Vec<Vec<u8>>,
    ) {
        let Some(((reader, address), rest)) = readers.split_first() else {
            all.push(seen.clone());
            return;
        };
        let byte = ByteRange::new(*address, 1);
        let ways = history.readings(*reader, Ordering::Monotonic, byte, &[3]);
        assert!(!ways.is_empty());
        for way in ways {
            let mut after = history.clone();
            after.read(*reader, Ordering::Monotonic, byte, &way);
            seen.push(way.bytes[0]);
            bytes_seen(&after, rest, seen, all);
            seen.pop();
        }
    }

    #[test]
    fn a_word_has_one_place_whatever_bytes_of_it_are_read() {
        let mut history = WriteHistory::default();
        let three = ByteRange::new(64, 3);
        for thread in 0..3_u8 {
            let bytes = [thread + 1; 3];
            history.write(u32::from(thread), Ordering::Monotonic, three, &bytes, &[thread; 3]);
        }
        // The first reader knows two of the words, and so on around: 1 and 2, 2 and 3, 3 and 1.
        for reader in 0..3_u32 {
            history.order().follow(reader, 3 + reader);
            history.order().follow((reader + 1) % 3, 3 + reader);
        }
        let mut all = Vec::new();
        bytes_seen(&history, &[(3, 64), (4, 65), (5, 66)], &mut Vec::new(), &mut all);
        assert!(all.contains(&vec![1, 2, 1]) && all.contains(&vec![2, 3, 3]), "{all:?}");
        // What each knows last comes after what it knows first: no order has all three, either way.
        assert!(!all.contains(&vec![2, 3, 1]) && !all.contains(&vec![1, 2, 3]), "{all:?}");
    }

    #[test]
    fn bytes_leave_writes_an_order() {
        let mut history = WriteHistory::default();
        let relaxed = Ordering::Monotonic;
        history.write(0, relaxed, WORD, &[1, 1], &[0, 0]);
        history.write(1, relaxed, WORD, &[2, 2], &[1, 1]);
        let readings = |history: &WriteHistory<u8>, thread: u32, address: u64| {
            history.readings(thread, relaxed, ByteRange::new(address, 1), &[2])
        };
        let bytes = |ways: &[Reading<u8>]| ways.iter().map(|way| way.bytes[0]).collect::<Vec<_>>();
        assert_eq!(history.fixed_by_load(0, relaxed, ByteRange::new(64, 1)), Some(WORD));
        let ways = readings(&history, 0, 64);
        assert_eq!(bytes(&ways), [2, 1]);
        history.read(0, relaxed, ByteRange::new(64, 1), &ways[0]);
        assert_eq!(bytes(&readings(&history, 1, 65)), [2], "the first word comes before its own");
        assert_eq!(bytes(&history.newest(ByteRange::new(65, 1), &[2])), [2]);
        history.order().follow(0, 2);
        history.order().follow(1, 2);
        assert_eq!(seen(&history, 2, WORD, &[2, 2]), [[2, 2]]);
    }

    #[test]
    fn updates_that_fail_come_round() {
        let mut history = WriteHistory::default();
        let total = Ordering::SequentiallyConsistent;
        history.write(0, Ordering::Monotonic, WORD, &[1, 1], &[0, 0]);
        history.update(1, total, WORD, None, &[1, 1]);
        let before = history.clone();
        history.update(1, total, WORD, None, &[1, 1]);
        assert!(history.is_same_but_reads_of(&before, 1));
        history.fence(1, total);
        assert!(history.is_same_but_reads_of(&before, 1));
        history.fence(0, total);
        assert!(!history.is_same_but_reads_of(&before, 1), "another thread's fence");
    }

    #[test]
    fn updates_that_repeat_themselves_come_round() {
        let mut history = WriteHistory::default();
        let (acquire, byte) = (Ordering::Acquire, ByteRange::new(64, 1));
        history.update(0, acquire, byte, Some(&[1]), &[0]);
        let locked = history.clone();
        history.update(1, acquire, byte, Some(&[1]), &[1]);
        assert!(!history.is_same_but_reads_of(&locked, 1), "its own one is new");
        let before = history.clone();
        history.update(1, acquire, byte, Some(&[1]), &[1]);
        assert!(history.is_same_but_reads_of(&before, 1));
        history.update(0, acquire, byte, Some(&[1]), &[1]);
        assert!(!history.is_same_but_reads_of(&before, 1), "another thread's");
        let before = history.clone();
        history.update(0, acquire, byte, Some(&[2]), &[1]);
        assert!(!history.is_same_but_reads_of(&before, 0), "another number");
    }

    #[test]
    fn what_ends_is_forgotten() {
        let mut history = WriteHistory::default();
        history.write(0, PLAIN, WORD, &[1, 1], &[0, 0]);
        history.forget(ByteRange::new(60, 8));
        assert!(history.is_empty());
    }
}
