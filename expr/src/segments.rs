//! An append-only table read without locks. Its segments double in size up to a bound, so that entries never
//! move and the table grows in small steps: memory is measured between them.

use std::sync::OnceLock;

/// Binary logarithm of the first segment's length.
const FIRST_BITS: u32 = 10;

/// Binary logarithm of the longest segment's length: some ten MiB of terms.
const LAST_BITS: u32 = 18;

/// Segments for all indices of 32 bits: those that double, and those that are as long as the longest.
const SEGMENTS: usize = (LAST_BITS - FIRST_BITS) as usize + (1 << (32 - LAST_BITS));

/// Entries are written once, at indices handed out by the caller, and live as long as the table.
pub(crate) struct Segments<T> {
    segments: Box<[OnceLock<Segment<T>>]>,
}

type Segment<T> = Box<[OnceLock<T>]>;

/// Segment number, length of that segment, and place inside it.
fn locate(index: u32) -> (usize, usize, usize) {
    let position = u64::from(index) + (1 << FIRST_BITS);
    let bits = position.ilog2().min(LAST_BITS);
    let length = 1u64 << bits;
    // The first of the longest segments begins at its own length.
    let number = u64::from(bits - FIRST_BITS) + (position >> bits) - 1;
    (number as usize, length as usize, (position & (length - 1)) as usize)
}

impl<T> Segments<T> {
    pub(crate) fn new() -> Self {
        Segments { segments: (0..SEGMENTS).map(|_| OnceLock::new()).collect() }
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
        for index in 0..1_000_000 {
            let (segment, length, place) = locate(index);
            assert_eq!((segment, place), expected);
            expected = if place + 1 == length { (segment + 1, 0) } else { (segment, place + 1) };
        }
        let (segment, length, place) = locate(u32::MAX);
        assert!(segment < SEGMENTS && place < length);
    }
}
