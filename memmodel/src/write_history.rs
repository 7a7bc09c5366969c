//! Memory with a history of writes: a read returns any write that happens-before does not hide.
//!
//! A write is hidden from a read if another one to the same byte comes after it and before the read. From an
//! atomic load it is hidden as well if an atomic load before has read that other one (C11 5.1.2.4, read-read
//! coherence). Two writes of which neither comes after the other have no order here. A read of several bytes
//! never takes two bytes from different writes if both wrote both: accesses are not torn.
//! Read-modify-writes take the newest value, and order their threads as releasing and acquiring ones do.
//! Sequentially consistent operations come after all such stores, updates and fences before them.

use crate::{ByteRange, Clock, Epoch, Ordering, Synchronisation};
use imbl::OrdMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// A write. `B` is the value of one byte.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Write<B> {
    range: ByteRange,
    bytes: SmallVec<[B; 8]>,
    /// The event it is; of time 0 for the initial value.
    event: Epoch,
    /// The clock of the write.
    clock: Clock,
    /// The clock that an acquiring load of it comes after.
    published: Clock,
}

impl<B> Write<B> {
    fn covers(&self, address: u64) -> bool {
        self.range.offset_of(address).is_some()
    }

    /// Whether it wrote both bytes, as the initial value counts as having done.
    fn wrote(&self, address: u64) -> bool {
        self.event.time == 0 || self.covers(address)
    }
}

/// One way of reading.
#[derive(Clone, Debug)]
pub struct Reading<B> {
    /// The bytes.
    pub bytes: SmallVec<[B; 8]>,
    /// The clock that the writes they come from published.
    published: Clock,
    /// The write that each byte comes from, unless it is the initial value.
    sources: SmallVec<[Option<Epoch>; 8]>,
}

impl<B> Reading<B> {
    /// The writes that the bytes come from, each once for bytes in a row; without the initial value.
    pub fn writes(&self) -> SmallVec<[Epoch; 4]> {
        let mut writes: SmallVec<[Epoch; 4]> = self.sources.iter().copied().flatten().collect();
        writes.dedup();
        writes
    }
}

/// An atomic load of a byte that showed its thread a write that it did not come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sight {
    load: Epoch,
    write: Epoch,
}

/// The writes of an execution, and what of them each thread is ordered after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WriteHistory<B> {
    order: Synchronisation,
    /// The clock that sequentially consistent operations come after.
    total: Clock,
    /// By byte, its writes, oldest first. The value before the first is a write, too.
    writes: OrdMap<u64, Arc<Vec<Arc<Write<B>>>>>,
    /// By byte, what atomic loads have shown.
    sights: OrdMap<u64, Arc<Vec<Sight>>>,
}

impl<B> Default for WriteHistory<B> {
    fn default() -> Self {
        Self {
            order: Synchronisation::default(),
            total: Clock::default(),
            writes: OrdMap::new(),
            sights: OrdMap::new(),
        }
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

    /// The ways in which a thread can read `range`, those with newer writes first: never none. `memory` is
    /// what memory holds there, the newest value of each byte.
    pub fn readings(
        &self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        memory: &[B],
    ) -> Vec<Reading<B>> {
        let mut clock = self.order.clock(thread);
        if ordering == Ordering::SequentiallyConsistent {
            clock.join(&self.total);
        }
        let sources: SmallVec<[Sources<'_, B>; 8]> = range
            .addresses()
            .map(|address| match self.writes.get(&address) {
                // A byte not written since writes are remembered has the one value that memory holds.
                None => SmallVec::from_iter([None]),
                Some(at) => visible(at, self.seen(address, ordering), &clock),
            })
            .collect();
        let ways = if are_whole(&sources, range) {
            (0..sources[0].len()).map(|way| sources.iter().map(|of_byte| of_byte[way]).collect()).collect()
        } else {
            combined(&sources, range)
        };
        let reading = |way: &Vec<Source<'_, B>>| {
            let mut published = Clock::default();
            let bytes = way.iter().zip(range.addresses()).zip(memory).map(|((source, address), newest)| {
                let Some(write) = source else { return newest.clone() };
                published.join(&write.published);
                let offset = write.range.offset_of(address).expect("it covers the byte");
                write.bytes[offset as usize].clone()
            });
            let bytes = bytes.collect();
            let source = |source: &Source<'_, B>| source.map(|write| write.event).filter(|it| it.time != 0);
            Reading { bytes, published, sources: way.iter().map(source).collect() }
        };
        ways.iter().map(reading).collect()
    }

    /// A thread reads in one of the [ways](Self::readings) that were open to it.
    pub fn read(&mut self, thread: u32, ordering: Ordering, range: ByteRange, reading: &Reading<B>) {
        if ordering == Ordering::SequentiallyConsistent {
            self.order.join(thread, &self.total);
        }
        let clock = (ordering != Ordering::NotAtomic).then(|| self.order.clock(thread));
        let load = self.order.event(thread);
        if let Some(clock) = clock {
            for (address, source) in range.addresses().zip(&reading.sources) {
                source.iter().for_each(|write| self.note(&clock, address, Sight { load, write: *write }));
            }
        }
        self.order.load(thread, ordering, &reading.published);
    }

    /// Notes what a thread that had come after `clock` saw. What it knew already teaches it nothing, so that
    /// a loop can come round.
    fn note(&mut self, clock: &Clock, address: u64, sight: Sight) {
        let is_it = |known: &Sight| known.write == sight.write && clock.includes(known.load);
        let is_known = self.sights.get(&address).is_some_and(|sights| sights.iter().any(is_it));
        if sight.write.time != 0 && !clock.includes(sight.write) && !is_known {
            Arc::make_mut(self.sights.entry(address).or_default()).push(sight);
        }
    }

    /// What atomic loads have shown of a byte, if that matters to an access.
    fn seen(&self, address: u64, ordering: Ordering) -> &[Sight] {
        let sights = self.sights.get(&address).filter(|_| ordering != Ordering::NotAtomic);
        sights.map_or(&[], |sights| sights.as_slice())
    }

    /// Whether only further reads of a thread, from which it has learned nothing, came after `before`.
    pub fn is_same_but_reads_of(&self, before: &Self, thread: u32) -> bool {
        self.order.is_same_but_events_of(&before.order, thread)
            && self.total == before.total
            && (self.writes.ptr_eq(&before.writes) || self.writes == before.writes)
            && (self.sights.ptr_eq(&before.sights) || self.sights == before.sights)
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

    /// A thread reads the newest value of `range`, `memory`, and writes `bytes`, unless its compare fails, in
    /// one step. The event that is.
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
            let Some(newest) = self.writes.get(&address).and_then(|at| at.last()) else { continue };
            read.join(&newest.published);
            let write = newest.event;
            self.note(&before, address, Sight { load: event, write });
        }
        // Updates of one place come one after another, whatever they ask for.
        let published = self.order.update(thread, Ordering::AcquireRelease, &read);
        self.end_total(thread, ordering);
        if let Some(bytes) = bytes {
            let clock = self.order.clock(thread);
            self.push(
                Write { range, bytes: bytes.iter().cloned().collect(), event, clock, published },
                memory,
            );
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
                Arc::new(vec![Arc::new(Write {
                    range: ByteRange::new(address, 1),
                    bytes: SmallVec::from_iter([before.clone()]),
                    event: Epoch::default(),
                    clock: Clock::default(),
                    published: Clock::default(),
                })])
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
            self.sights.remove(&address);
        }
    }
}

/// Where a byte comes from; `None` for the value before all writes that are remembered.
type Source<'w, B> = Option<&'w Arc<Write<B>>>;
/// Where it can come from, newer writes first.
type Sources<'w, B> = SmallVec<[Source<'w, B>; 4]>;

/// The writes of those `at` one byte that no other hides from a thread that has come after `clock`. Another
/// write hides one if it comes after it in happens-before, and `clock` includes it or a load that saw it.
///
/// Of each thread, its last write that `clock` includes is enough to ask: that comes after all that earlier
/// ones of the thread come after. If it is the write in question itself, then the thread's earlier ones do
/// not come after it.
fn visible<'w, B>(at: &'w [Arc<Write<B>>], sights: &[Sight], clock: &Clock) -> Sources<'w, B> {
    let mut last: SmallVec<[&Arc<Write<B>>; 4]> = SmallVec::new();
    for write in at.iter().rev() {
        let is_known = || last.iter().any(|known| known.event.thread == write.event.thread);
        if write.event.time > 0 && clock.includes(write.event) && !is_known() {
            last.push(write);
        }
    }
    let known = sights.iter().filter(|sight| clock.includes(sight.load));
    last.extend(known.filter_map(|sight| at.iter().find(|write| write.event == sight.write)));
    let is_hidden = |write: &Arc<Write<B>>| {
        last.iter().any(|other| !Arc::ptr_eq(other, write) && other.clock.includes(write.event))
    };
    at.iter().rev().filter(|write| !is_hidden(write)).map(Some).collect()
}

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

    /// The ways by the definition: every combination of bytes of which none is hidden and no
    /// two tear a write.
    fn defined(history: &WriteHistory<u8>, thread: u32, range: ByteRange, memory: &[u8]) -> Vec<Vec<u8>> {
        let clock = history.order.clock(thread);
        let mut sources: Vec<Sources<'_, u8>> = Vec::new();
        for address in range.addresses() {
            let at = history.writes.get(&address);
            let at: &[Arc<Write<u8>>] = at.map_or(&[], |at| at.as_slice());
            let hides = |other: &Arc<Write<u8>>, write: &Arc<Write<u8>>| {
                !Arc::ptr_eq(other, write)
                    && other.event.time > 0
                    && other.clock.includes(write.event)
                    && clock.includes(other.event)
            };
            let seen = at.iter().rev().filter(|write| !at.iter().any(|other| hides(other, write)));
            let seen: Sources<'_, u8> = seen.map(Some).collect();
            sources.push(if seen.is_empty() { SmallVec::from_iter([None]) } else { seen });
        }
        let value = |(offset, source): (usize, &Source<'_, u8>)| match source {
            Some(write) => {
                write.bytes[write.range.offset_of(range.address + offset as u64).unwrap() as usize]
            }
            None => memory[offset],
        };
        combined(&sources, range).iter().map(|way| way.iter().enumerate().map(value).collect()).collect()
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
                        history.update(thread, ordering, range, Some(&bytes), &memory[inside.clone()]);
                        memory[inside].fill(value);
                    }
                    3 => {
                        let ways = history.readings(thread, PLAIN, range, &memory[inside]);
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
                    let ways = seen(&history, reader, range, &memory);
                    assert_eq!(ways, defined(&history, reader, range, &memory));
                    most = most.max(ways.len());
                }
            }
        }
        assert!(most > 10, "{most}");
    }

    #[test]
    fn what_ends_is_forgotten() {
        let mut history = WriteHistory::default();
        history.write(0, PLAIN, WORD, &[1, 1], &[0, 0]);
        history.forget(ByteRange::new(60, 8));
        assert!(history.is_empty());
    }
}
