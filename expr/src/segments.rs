//! An append-only table read without locks: segments of doubling size, so that entries never move.

use std::sync::OnceLock;

/// Binary logarithm of the first segment's length.
const FIRST_BITS: u32 = 10;

/// Entries are written once, at indices handed out by the caller, and live as long as the table.
pub(crate) struct Segments<T> {
    segments: [OnceLock<Box<[OnceLock<T>]>>; (32 - FIRST_BITS + 1) as usize],
}

/// Segment number, length of that segment, and place inside it.
fn locate(index: u32) -> (usize, usize, usize) {
    let position = u64::from(index) + (1 << FIRST_BITS);
    let bits = position.ilog2();
    let length = 1u64 << bits;
    ((bits - FIRST_BITS) as usize, length as usize, (position - length) as usize)
}

impl<T> Segments<T> {
    pub(crate) fn new() -> Self {
        Segments { segments: [const { OnceLock::new() }; (32 - FIRST_BITS + 1) as usize] }
    }

    /// Writes the entry at `index`, which no one else may write.
    pub(crate) fn set(&self, index: u32, value: T) {
        let (segment, length, place) = locate(index);
        let entries = self.segments[segment].get_or_init(|| (0..length).map(|_| OnceLock::new()).collect());
        if entries[place].set(value).is_err() {
            unreachable!("an index of the term pool was handed out twice");
        }
    }

    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let (segment, _, place) = locate(index);
        self.segments[segment].get()?[place].get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_fill_segments_without_gap_or_overlap() {
        let mut expected = (0, 0);
        for index in 0..100_000 {
            let (segment, length, place) = locate(index);
            assert_eq!((segment, place), expected);
            expected = if place + 1 == length { (segment + 1, 0) } else { (segment, place + 1) };
        }
        let (segment, length, place) = locate(u32::MAX);
        assert!(segment < (32 - FIRST_BITS + 1) as usize && place < length);
    }
}
