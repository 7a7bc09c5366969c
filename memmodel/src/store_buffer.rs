//! A thread's stores that have not reached memory yet.

use crate::{ByteRange, CommitOrder, Drain, Lane, MemoryModel};
use smallvec::SmallVec;
use std::sync::Arc;

/// A store that waits in a buffer. `B` is the value of one byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BufferedStore<B> {
    /// Address of the first byte.
    pub address: u64,
    /// The bytes, lowest address first.
    pub bytes: SmallVec<[B; 8]>,
    /// The event that issued the store, in its owner's numbering.
    pub event: u32,
}

impl<B> BufferedStore<B> {
    /// The bytes the store writes.
    pub fn range(&self) -> ByteRange {
        ByteRange::new(self.address, self.bytes.len() as u64)
    }
}

/// An entry of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Entry<B> {
    /// A pending store.
    Store(BufferedStore<B>),
    /// Stores before the marker commit before stores after it.
    StoreStore,
}

impl<B> Entry<B> {
    /// The store, unless the entry is a marker.
    pub fn store(&self) -> Option<&BufferedStore<B>> {
        match self {
            Self::Store(store) => Some(store),
            Self::StoreStore => None,
        }
    }
}

/// One byte a load takes from its own thread's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forwarded<'a, B> {
    /// Bytes from the start of the load.
    pub offset: u64,
    /// The byte.
    pub value: &'a B,
    /// The event that issued the store it comes from.
    pub event: u32,
}

/// A thread's store buffer: pending stores and StoreStore markers, oldest first.
///
/// A clone shares the entries until either copy changes. An empty buffer owns nothing. A marker stands only
/// between two pending stores or at the end after one, so a buffer without pending stores is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreBuffer<B> {
    /// `None` and never an empty vector, so that equal buffers compare equal.
    entries: Option<Arc<Vec<Entry<B>>>>,
}

impl<B> Default for StoreBuffer<B> {
    fn default() -> Self {
        Self { entries: None }
    }
}

impl<B> StoreBuffer<B> {
    /// Whether no store is pending.
    pub fn is_empty(&self) -> bool {
        self.entries.is_none()
    }

    /// Number of pending stores; markers do not count.
    pub fn len(&self) -> usize {
        self.stores().count()
    }

    /// Stores and markers, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry<B>> {
        self.entries.iter().flat_map(|entries| entries.iter())
    }

    /// Pending stores, oldest first.
    pub fn stores(&self) -> impl DoubleEndedIterator<Item = &BufferedStore<B>> {
        self.iter().filter_map(Entry::store)
    }

    /// The bytes of `range` that have pending stores, each with its newest value, in order of address. The
    /// other bytes of a load come from memory.
    pub fn forward(&self, range: ByteRange) -> impl Iterator<Item = Forwarded<'_, B>> {
        let newest_first: SmallVec<[_; 4]> =
            self.stores().rev().filter(|store| store.range().overlaps(range)).collect();
        let touched = if newest_first.is_empty() { 0 } else { range.length };
        (0..touched).filter_map(move |offset| {
            let address = range.address.wrapping_add(offset);
            newest_first.iter().find_map(|store| {
                let value = &store.bytes[store.range().offset_of(address)? as usize];
                Some(Forwarded { offset, value, event: store.event })
            })
        })
    }

    /// Whether a step that waits for `drain` is enabled.
    pub fn permits(&self, drain: Drain) -> bool {
        match drain {
            Drain::Nothing => true,
            Drain::Overlapping(range) => {
                self.iter().all(|entry| entry.store().is_some_and(|store| !store.range().overlaps(range)))
            }
            Drain::Everything => self.is_empty(),
        }
    }

    /// The lanes whose oldest store may commit now, in the order those stores were issued. Not empty unless
    /// the buffer is.
    pub fn committable(&self, model: &dyn MemoryModel) -> SmallVec<[Lane; 4]> {
        let order = model.commit_order();
        self.committable_stores(order).map(|(_, store)| order.lane(store.range())).collect()
    }

    /// The first of the stores that may commit now, in the order they were issued, and its lane. There is one
    /// unless the buffer is empty.
    pub fn first_committable(&self, model: &dyn MemoryModel) -> Option<(Lane, &BufferedStore<B>)> {
        if self.is_empty() {
            return None;
        }
        let order = model.commit_order();
        self.committable_stores(order).next().map(|(_, store)| (order.lane(store.range()), store))
    }

    /// The newest pending store to any byte of `range`.
    pub fn newest_to(&self, range: ByteRange) -> Option<&BufferedStore<B>> {
        self.stores().rev().find(|store| store.range().overlaps(range))
    }

    /// The store that [`commit`](Self::commit) of `lane` would take.
    pub fn next_in(&self, model: &dyn MemoryModel, lane: Lane) -> Option<&BufferedStore<B>> {
        self.find(model.commit_order(), lane).map(|(_, store)| store)
    }

    fn find(&self, order: CommitOrder, lane: Lane) -> Option<(usize, &BufferedStore<B>)> {
        // Stores of one lane commit in order: if its oldest may not commit, no other may.
        let mut before_marker = self.iter().map_while(Entry::store).enumerate();
        let oldest = before_marker.find(|(_, store)| order.lane(store.range()) == lane)?;
        self.is_committable(order, oldest).then_some(oldest)
    }

    /// Stores before the first marker that no older store holds back, with their positions.
    fn committable_stores(&self, order: CommitOrder) -> impl Iterator<Item = (usize, &BufferedStore<B>)> {
        let candidates = match order {
            CommitOrder::Program => 1,
            CommitOrder::Overlap => usize::MAX,
        };
        let before_marker = self.iter().take(candidates).map_while(Entry::store).enumerate();
        before_marker.filter(move |&candidate| self.is_committable(order, candidate))
    }

    /// Whether no older store holds back the one at a position before the first marker.
    fn is_committable(&self, order: CommitOrder, (position, store): (usize, &BufferedStore<B>)) -> bool {
        !self.stores().take(position).any(|older| order.orders(older.range(), store.range()))
    }
}

impl<B: Clone> StoreBuffer<B> {
    /// Adds a store as the newest. A store of no bytes is none.
    pub fn push(&mut self, store: BufferedStore<B>) {
        if !store.bytes.is_empty() {
            self.entries_mut().push(Entry::Store(store));
        }
    }

    /// Makes the stores pending now commit before those added later.
    pub fn push_store_store(&mut self) {
        if matches!(self.iter().next_back(), Some(Entry::Store(_))) {
            self.entries_mut().push(Entry::StoreStore);
        }
    }

    /// Takes out the store of `lane` that may commit now; the caller writes it to memory. `None`, and no
    /// change, if the lane has none.
    pub fn commit(&mut self, model: &dyn MemoryModel, lane: Lane) -> Option<BufferedStore<B>> {
        let (position, _) = self.find(model.commit_order(), lane)?;
        let entries = self.entries_mut();
        let Entry::Store(store) = entries.remove(position) else {
            unreachable!("a committable entry is a store")
        };
        if matches!(entries.first(), Some(Entry::StoreStore)) {
            entries.remove(0);
        }
        if entries.is_empty() {
            self.entries = None;
        }
        Some(store)
    }

    fn entries_mut(&mut self) -> &mut Vec<Entry<B>> {
        Arc::make_mut(self.entries.get_or_insert_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PartialStoreOrder, TotalStoreOrder};

    fn store(address: u64, bytes: &[u8], event: u32) -> BufferedStore<u8> {
        BufferedStore { address, bytes: SmallVec::from_slice(bytes), event }
    }

    fn buffer(stores: &[(u64, &[u8])]) -> StoreBuffer<u8> {
        let mut buffer = StoreBuffer::default();
        for (event, (address, bytes)) in stores.iter().enumerate() {
            buffer.push(store(*address, bytes, event as u32));
        }
        buffer
    }

    fn lanes(buffer: &StoreBuffer<u8>, model: &dyn MemoryModel) -> Vec<u64> {
        buffer.committable(model).iter().map(|lane| lane.0).collect()
    }

    #[test]
    fn a_load_merges_the_newest_bytes_of_several_stores() {
        let buffer = buffer(&[(100, &[1, 2, 3, 4]), (102, &[9]), (200, &[7])]);
        let merged: Vec<_> = buffer
            .forward(ByteRange::new(101, 4))
            .map(|byte| (byte.offset, *byte.value, byte.event))
            .collect();
        assert_eq!(merged, [(0, 2, 0), (1, 9, 1), (2, 4, 0)], "the byte at 104 has no pending store");
        assert_eq!(buffer.forward(ByteRange::new(300, 8)).count(), 0);
    }

    #[test]
    fn total_store_order_commits_oldest_first() {
        let mut buffer = buffer(&[(8, &[1]), (0, &[2])]);
        assert_eq!(lanes(&buffer, &TotalStoreOrder), [0]);
        assert_eq!(buffer.commit(&TotalStoreOrder, Lane(0)), Some(store(8, &[1], 0)));
        assert_eq!(buffer.commit(&TotalStoreOrder, Lane(0)), Some(store(0, &[2], 1)));
        assert_eq!(buffer.commit(&TotalStoreOrder, Lane(0)), None);
        assert_eq!(buffer, StoreBuffer::default(), "an emptied buffer is as a new one");
    }

    #[test]
    fn partial_store_order_holds_back_overlapping_stores_only() {
        let mut buffer = buffer(&[(4, &[1, 1]), (8, &[2]), (0, &[3; 8]), (4, &[4])]);
        assert_eq!(lanes(&buffer, &PartialStoreOrder), [4, 8]);
        let first = buffer.first_committable(&PartialStoreOrder).map(|(lane, store)| (lane.0, store.event));
        assert_eq!(first, Some((4, 0)));
        let newest = |address| buffer.newest_to(ByteRange::new(address, 1)).map(|store| store.event);
        assert_eq!([newest(4), newest(5), newest(9)], [Some(3), Some(2), None]);
        assert_eq!(buffer.commit(&PartialStoreOrder, Lane(0)), None, "the wide store waits for its overlap");
        assert_eq!(buffer.commit(&PartialStoreOrder, Lane(8)).unwrap().event, 1);
        assert_eq!(buffer.commit(&PartialStoreOrder, Lane(4)).unwrap().event, 0);
        assert_eq!(lanes(&buffer, &PartialStoreOrder), [0]);
        assert_eq!(buffer.next_in(&PartialStoreOrder, Lane(0)).unwrap().event, 2);
    }

    #[test]
    fn a_marker_holds_back_everything_after_it() {
        let mut buffer = buffer(&[(0, &[1]), (8, &[2])]);
        buffer.push_store_store();
        buffer.push_store_store();
        buffer.push(store(16, &[3], 2));
        assert_eq!(buffer.iter().count(), 4, "two adjacent markers are one");
        assert_eq!(buffer.len(), 3);
        assert_eq!(lanes(&buffer, &PartialStoreOrder), [0, 8]);
        buffer.commit(&PartialStoreOrder, Lane(8));
        assert_eq!(lanes(&buffer, &PartialStoreOrder), [0]);
        buffer.commit(&PartialStoreOrder, Lane(0));
        assert_eq!(lanes(&buffer, &PartialStoreOrder), [16]);
    }

    #[test]
    fn a_buffer_without_pending_stores_is_empty() {
        let mut buffer = StoreBuffer::default();
        buffer.push_store_store();
        buffer.push(store(0, &[], 0));
        assert!(buffer.is_empty() && buffer.permits(Drain::Everything));
        buffer.push(store(0, &[1], 1));
        buffer.push_store_store();
        assert!(!buffer.permits(Drain::Everything) && buffer.permits(Drain::Nothing));
        buffer.commit(&PartialStoreOrder, Lane(0));
        assert!(buffer.is_empty(), "the trailing marker went with the last store");
    }

    #[test]
    fn overlapping_stores_and_markers_hold_back_a_step_on_their_bytes() {
        let mut buffer = buffer(&[(0, &[1; 4])]);
        assert!(!buffer.permits(Drain::Overlapping(ByteRange::new(3, 2))));
        assert!(buffer.permits(Drain::Overlapping(ByteRange::new(4, 4))));
        buffer.push_store_store();
        assert!(!buffer.permits(Drain::Overlapping(ByteRange::new(4, 4))));
    }

    #[test]
    fn clones_do_not_see_each_other_change() {
        let original = buffer(&[(0, &[1])]);
        let mut fork = original.clone();
        fork.push(store(8, &[2], 1));
        assert_eq!((original.len(), fork.len()), (1, 2));
    }
}
