//! Data races by happens-before: conflicting accesses of which one is not atomic and that nothing orders.
//!
//! Accesses are kept byte by byte, so that sizes and bit-fields need no rules of their own. The accesses kept
//! are enough to find each pair of places that race. An access is dropped when one from the same place that
//! comes after it would race with all that it would race with.

use crate::{ByteRange, Clock, Epoch, Ordering, Synchronisation};
use imbl::OrdMap;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessKind {
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
}

impl AccessKind {
    /// A read or a write of this ordering.
    pub fn of(writes: bool, ordering: Ordering) -> Self {
        Self { writes, atomic: ordering != Ordering::NotAtomic }
    }
}

/// Where an access comes from.
pub trait Origin {
    /// Whether a report would name one place for both.
    fn is_same_place(&self, other: &Self) -> bool;
}

impl<O: Origin> Origin for Arc<O> {
    fn is_same_place(&self, other: &Self) -> bool {
        (**self).is_same_place(other)
    }
}

/// An access that was made. `O` says where it comes from.
#[derive(Clone, Debug)]
struct Access<O> {
    event: Epoch,
    kind: AccessKind,
    origin: O,
}

/// Detects the races of an execution.
#[derive(Clone, Debug)]
pub struct RaceDetector<O> {
    order: Synchronisation,
    /// By byte, the clock that the newest atomic store there published.
    published: OrdMap<u64, Clock>,
    /// By thread and number, the clocks that stores in a buffer publish.
    buffered: OrdMap<(u32, u32), Clock>,
    /// The clocks that writes in the history published, by the event each is there.
    remembered: OrdMap<Epoch, Clock>,
    accesses: Accesses<O>,
}

impl<O> Default for RaceDetector<O> {
    fn default() -> Self {
        Self {
            order: Synchronisation::default(),
            published: OrdMap::new(),
            buffered: OrdMap::new(),
            remembered: OrdMap::new(),
            accesses: OrdMap::new(),
        }
    }
}

impl<O: Clone + Origin> RaceDetector<O> {
    /// How threads synchronise.
    pub fn order(&mut self) -> &mut Synchronisation {
        &mut self.order
    }

    /// A load; returns the accesses it races with. `own` says which bytes come from the thread's own buffer.
    pub fn load(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        own: impl Fn(u64) -> bool,
        origin: O,
    ) -> Vec<(AccessKind, O)> {
        let races = self.access(thread, AccessKind::of(false, ordering), range, origin);
        self.read(thread, ordering, range, own);
        races
    }

    /// A load of writes that memory remembers, not the newest perhaps; returns the accesses it races with.
    pub fn load_from(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        writes: &[Epoch],
        origin: O,
    ) -> Vec<(AccessKind, O)> {
        let races = self.access(thread, AccessKind::of(false, ordering), range, origin);
        let mut published = Clock::default();
        for write in writes {
            if let Some(of_write) = self.remembered.get(write) {
                published.join(of_write);
            }
        }
        self.order.load(thread, ordering, &published);
        races
    }

    /// Memory remembers the newest write to `range` as this event.
    pub fn remember(&mut self, write: Epoch, range: ByteRange) {
        if let Some(published) = self.published.get(&range.address) {
            self.remembered.insert(write, published.clone());
        }
    }

    /// Whether what threads are ordered after is the same as `before`, but for further events of a thread.
    pub fn is_same_but_events_of(&self, before: &Self, thread: u32) -> bool {
        self.order.is_same_but_events_of(&before.order, thread)
    }

    /// Applies the ordering of a load; the caller keeps the access.
    pub fn read(&mut self, thread: u32, ordering: Ordering, range: ByteRange, own: impl Fn(u64) -> bool) {
        if ordering != Ordering::NotAtomic {
            let published = self.published_at(range, own);
            self.order.load(thread, ordering, &published);
        }
    }

    /// A store that takes effect at once.
    pub fn store(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        origin: O,
    ) -> Vec<(AccessKind, O)> {
        let races = self.access(thread, AccessKind::of(true, ordering), range, origin);
        self.write(thread, ordering, range);
        races
    }

    /// Applies the ordering of a store that takes effect at once; the caller keeps the access.
    pub fn write(&mut self, thread: u32, ordering: Ordering, range: ByteRange) {
        let is_atomic = ordering != Ordering::NotAtomic;
        if is_atomic || !self.published.is_empty() {
            let published = self.order.store(thread, ordering);
            self.publish(range, is_atomic.then_some(published));
        }
    }

    /// A store that goes into the thread's buffer under a number.
    pub fn buffer(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        number: u32,
        origin: O,
    ) -> Vec<(AccessKind, O)> {
        let kind = AccessKind::of(true, ordering);
        let races = self.access(thread, kind, range, origin);
        if kind.atomic {
            let published = self.order.store(thread, ordering);
            self.buffered.insert((thread, number), published);
        }
        races
    }

    /// The buffered store of a number takes effect.
    pub fn commit(&mut self, thread: u32, number: u32, range: ByteRange) {
        let published = self.buffered.remove(&(thread, number));
        self.publish(range, published);
    }

    /// A read-modify-write; one whose compare fails does not write.
    pub fn update(
        &mut self,
        thread: u32,
        ordering: Ordering,
        range: ByteRange,
        writes: bool,
        origin: O,
    ) -> Vec<(AccessKind, O)> {
        let races = self.access(thread, AccessKind { writes, atomic: true }, range, origin);
        self.read_and_write(thread, ordering, range, writes);
        races
    }

    /// Applies the ordering of a read-modify-write; the caller keeps the access.
    pub fn read_and_write(&mut self, thread: u32, ordering: Ordering, range: ByteRange, writes: bool) {
        let read = self.published_at(range, |_| false);
        if writes {
            let published = self.order.update(thread, ordering, &read);
            self.publish(range, Some(published));
        } else {
            self.order.load(thread, ordering, &read);
        }
    }

    /// Memory ceases to exist: that conflicts with every access to it.
    pub fn end(&mut self, thread: u32, range: ByteRange) -> Vec<(AccessKind, O)> {
        self.unpublish(range);
        end(&mut self.accesses, &self.order, thread, range)
    }

    /// What atomic stores to `range` published is overwritten or gone.
    pub fn unpublish(&mut self, range: ByteRange) {
        for address in those_in(&self.published, range) {
            self.published.remove(&address);
        }
    }

    /// A fence.
    pub fn fence(&mut self, thread: u32, ordering: Ordering) {
        self.order.event(thread);
        self.order.fence(thread, ordering);
    }

    fn published_at(&self, range: ByteRange, own: impl Fn(u64) -> bool) -> Clock {
        let mut all = Clock::default();
        for address in range.addresses().filter(|address| !own(*address)) {
            if let Some(published) = self.published.get(&address) {
                all.join(published);
            }
        }
        all
    }

    fn publish(&mut self, range: ByteRange, published: Option<Clock>) {
        for address in range.addresses() {
            match &published {
                Some(published) => self.published.insert(address, published.clone()),
                None => self.published.remove(&address),
            };
        }
    }

    fn access(&mut self, thread: u32, kind: AccessKind, range: ByteRange, origin: O) -> Vec<(AccessKind, O)> {
        let event = self.order.event(thread);
        note(&mut self.accesses, &self.order, event, kind, range, origin)
    }
}

type Accesses<O> = OrdMap<u64, Arc<Vec<Access<O>>>>;

/// The bytes of `range` of which something is known.
fn those_in<T>(known: &OrdMap<u64, T>, range: ByteRange) -> SmallVec<[u64; 8]> {
    let last = range.address.saturating_add(range.length.saturating_sub(1));
    let bytes = known.range(range.address..=last).filter(|_| range.length > 0);
    bytes.map(|(at, _)| *at).collect()
}

/// The accesses to a byte that one of a thread races with.
fn races_at<'a, O>(
    accesses: &'a Accesses<O>,
    order: &'a Synchronisation,
    address: u64,
    thread: u32,
    kind: AccessKind,
) -> impl Iterator<Item = &'a Access<O>> {
    let known = accesses.get(&address).into_iter().flat_map(|known| known.iter());
    known.filter(move |access| {
        (kind.writes || access.kind.writes)
            && !(kind.atomic && access.kind.atomic)
            && !order.is_before(access.event, thread)
    })
}

fn note<O: Clone + Origin>(
    accesses: &mut Accesses<O>,
    order: &Synchronisation,
    event: Epoch,
    kind: AccessKind,
    range: ByteRange,
    origin: O,
) -> Vec<(AccessKind, O)> {
    let thread = event.thread;
    // Each access that it races with is reported once, whatever bytes they overlap in.
    let (mut met, mut races) = (SmallVec::<[Epoch; 4]>::new(), Vec::new());
    for address in range.addresses() {
        for access in races_at(accesses, order, address, thread, kind) {
            if !met.contains(&access.event) {
                met.push(access.event);
                races.push((access.kind, access.origin.clone()));
            }
        }
        // An access from another place makes another pair, which no other execution may have.
        let needed = |access: &Access<O>| {
            let as_telling = (kind.writes || !access.kind.writes) && (!kind.atomic || access.kind.atomic);
            let is_covered = as_telling && access.origin.is_same_place(&origin);
            !(is_covered && order.is_before(access.event, thread))
        };
        let known = Arc::make_mut(accesses.entry(address).or_default());
        known.retain(needed);
        known.push(Access { event, kind, origin: origin.clone() });
    }
    races
}

fn end<O: Clone>(
    accesses: &mut Accesses<O>,
    order: &Synchronisation,
    thread: u32,
    range: ByteRange,
) -> Vec<(AccessKind, O)> {
    let kind = AccessKind { writes: true, atomic: false };
    let bytes = those_in(accesses, range);
    let at = |address: &u64| races_at(accesses, order, *address, thread, kind);
    let mut met = FxHashSet::default();
    let first = bytes.iter().flat_map(at).filter(|access| met.insert(access.event));
    let races = first.map(|access| (access.kind, access.origin.clone())).collect();
    for address in bytes {
        accesses.remove(&address);
    }
    races
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::*;

    const X: ByteRange = ByteRange { address: 8, length: 4 };
    const FLAG: ByteRange = ByteRange { address: 16, length: 4 };

    impl Origin for char {
        fn is_same_place(&self, other: &Self) -> bool {
            self == other
        }
    }

    fn own(_: u64) -> bool {
        false
    }

    #[test]
    fn what_nothing_orders_races_by_bytes() {
        let mut detector = RaceDetector::default();
        assert!(detector.store(0, NotAtomic, X, 'a').is_empty());
        assert!(detector.load(1, NotAtomic, ByteRange::new(12, 4), own, 'b').is_empty(), "its neighbour");
        assert_eq!(detector.load(1, NotAtomic, ByteRange::new(11, 1), own, 'c').len(), 1);
        assert_eq!(detector.load(1, Monotonic, X, own, 'd').len(), 1, "atomic beside plain");
        assert!(detector.load(0, NotAtomic, X, own, 'e').is_empty(), "its own");
    }

    #[test]
    fn each_place_of_a_thread_races() {
        let mut detector = RaceDetector::default();
        for place in ['a', 'b', 'b'] {
            detector.store(0, NotAtomic, X, place);
        }
        let races = detector.load(1, NotAtomic, X, own, 'c');
        assert_eq!(races.iter().map(|race| race.1).collect::<Vec<_>>(), ['a', 'b']);
    }

    #[test]
    fn a_wide_access_races_with_every_narrow_one() {
        let mut detector = RaceDetector::default();
        detector.store(0, NotAtomic, ByteRange::new(8, 4), 'a');
        detector.store(0, NotAtomic, ByteRange::new(12, 4), 'b');
        let races = detector.load(1, NotAtomic, ByteRange::new(8, 8), own, 'c');
        assert_eq!(races.iter().map(|race| race.1).collect::<Vec<_>>(), ['a', 'b']);
    }

    #[test]
    fn atomics_do_not_race_and_order_what_they_release() {
        let mut detector = RaceDetector::default();
        detector.store(0, NotAtomic, X, 'a');
        detector.store(0, Release, FLAG, 'b');
        assert!(detector.load(1, Monotonic, FLAG, own, 'c').is_empty());
        assert_eq!(detector.clone().load(1, NotAtomic, X, own, 'd').len(), 1, "relaxed orders nothing");
        detector.fence(1, Acquire);
        assert!(detector.load(1, NotAtomic, X, own, 'e').is_empty());
    }

    #[test]
    fn a_plain_store_ends_what_was_published() {
        let mut detector = RaceDetector::default();
        detector.store(0, NotAtomic, X, 'a');
        detector.store(0, Release, FLAG, 'b');
        detector.store(0, NotAtomic, FLAG, 'c');
        detector.load(1, Acquire, FLAG, own, 'd');
        assert_eq!(detector.load(1, NotAtomic, X, own, 'e').len(), 1);
    }

    #[test]
    fn a_load_comes_after_the_write_it_reads() {
        let mut detector = RaceDetector::default();
        let [released, relaxed] = [1, 2].map(|time| Epoch { thread: 0, time });
        detector.store(0, NotAtomic, X, 'a');
        detector.store(0, Release, FLAG, 'b');
        detector.remember(released, FLAG);
        detector.store(0, Monotonic, FLAG, 'c');
        detector.remember(relaxed, FLAG);
        let mut newest = detector.clone();
        newest.load_from(1, Acquire, FLAG, &[relaxed], 'd');
        assert_eq!(newest.load_from(1, NotAtomic, X, &[], 'e').len(), 1);
        detector.load_from(1, Acquire, FLAG, &[released], 'd');
        assert!(detector.load_from(1, NotAtomic, X, &[], 'e').is_empty());
    }

    #[test]
    fn a_buffered_store_publishes_when_it_takes_effect() {
        let mut detector = RaceDetector::default();
        detector.store(0, NotAtomic, X, 'a');
        detector.buffer(0, Release, FLAG, 7, 'b');
        let mut early = detector.clone();
        early.load(1, Acquire, FLAG, own, 'c');
        assert_eq!(early.load(1, NotAtomic, X, own, 'd').len(), 1);
        detector.commit(0, 7, FLAG);
        detector.load(1, Acquire, FLAG, own, 'c');
        assert!(detector.load(1, NotAtomic, X, own, 'd').is_empty());
    }

    #[test]
    fn a_failed_compare_writes_nothing_and_ends_conflict_with_reads() {
        let mut detector = RaceDetector::default();
        detector.load(0, NotAtomic, X, own, 'a');
        assert!(detector.update(1, SequentiallyConsistent, X, false, 'b').is_empty());
        assert_eq!(detector.update(1, SequentiallyConsistent, X, true, 'b').len(), 1);
        assert_eq!(detector.end(2, X).len(), 2, "the read and the update");
    }

    #[test]
    fn what_ends_is_no_access_and_publishes_nothing_more() {
        let mut detector = RaceDetector::default();
        detector.store(0, NotAtomic, FLAG, 'a');
        detector.store(0, Release, X, 'b');
        assert!(detector.end(0, X).is_empty());
        assert!(detector.load(1, Acquire, X, own, 'c').is_empty());
        assert_eq!(detector.load(1, NotAtomic, FLAG, own, 'd').len(), 1);
    }

    #[test]
    fn an_older_read_is_not_forgotten_for_a_newer_one() {
        let mut detector = RaceDetector::default();
        detector.load(0, NotAtomic, X, own, 'a');
        detector.order().follow(0, 1);
        detector.store(1, Monotonic, X, 'b');
        // The atomic store comes after the plain read, but another atomic store races with the read alone.
        assert_eq!(detector.store(2, Monotonic, X, 'c').iter().map(|race| race.1).collect::<Vec<_>>(), ['a']);
    }
}
