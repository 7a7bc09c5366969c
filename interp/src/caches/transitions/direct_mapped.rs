//! A direct-mapped table, as in a direct-mapped cache: an entry has one slot, and the newest stays there.

/// Entries by the hashes of their keys, each in the one slot that its hash chooses.
///
/// It keeps no keys: whether an entry is the one looked for is for its user to compare.
#[derive(Debug)]
pub(super) struct DirectMapped<T>(Vec<Option<T>>);

impl<T> Default for DirectMapped<T> {
    /// A table without slots, which holds no memory.
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> DirectMapped<T> {
    /// An empty table of `count` slots, a power of two.
    pub(super) fn with_slots(count: usize) -> Self {
        Self((0..count).map(|_| None).collect())
    }

    /// How many slots it has.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.0.len()
    }

    /// The number of the slot for a hash. The table must have slots.
    #[inline]
    pub(super) fn slot(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.0.len().trailing_zeros())) as usize
    }

    /// The entry in a slot, if there is one.
    #[inline]
    pub(super) fn get(&self, slot: usize) -> Option<&T> {
        self.0.get(slot)?.as_ref()
    }

    /// The slot for a hash. The table must have slots.
    #[inline]
    pub(super) fn slot_mut(&mut self, hash: u64) -> &mut Option<T> {
        let slot = self.slot(hash);
        &mut self.0[slot]
    }

    /// All entries.
    pub(super) fn into_entries(self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }
}
