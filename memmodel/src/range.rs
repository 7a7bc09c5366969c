//! A range of byte addresses.

/// The bytes one access touches. Addresses wrap around at the end of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub length: u64,
}

impl ByteRange {
    /// `length` bytes from `address` on.
    pub fn new(address: u64, length: u64) -> Self {
        Self { address, length }
    }

    /// How many bytes into the range `address` is, if it is inside.
    pub fn offset_of(self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.address);
        (offset < self.length).then_some(offset)
    }

    /// Whether the two ranges share at least one byte.
    pub fn overlaps(self, other: Self) -> bool {
        self.length != 0
            && other.length != 0
            && (self.offset_of(other.address).is_some() || other.offset_of(self.address).is_some())
    }

    /// Whether every byte of `other` is in this range.
    pub fn covers(self, other: Self) -> bool {
        other.length == 0
            || self.offset_of(other.address).is_some_and(|offset| other.length <= self.length - offset)
    }

    /// From the first byte of both ranges to the last one. Neither wraps around.
    pub fn up_to(self, other: Self) -> Self {
        let address = self.address.min(other.address);
        let end = (self.address + self.length).max(other.address + other.length);
        Self { address, length: end - address }
    }

    /// The addresses of the range, in order.
    pub fn addresses(self) -> impl Iterator<Item = u64> {
        (0..self.length).map(move |offset| self.address.wrapping_add(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_overlap_by_bytes_not_by_start() {
        let word = ByteRange::new(100, 4);
        assert!(word.overlaps(ByteRange::new(103, 1)));
        assert!(word.overlaps(ByteRange::new(98, 3)));
        assert!(!word.overlaps(ByteRange::new(104, 4)));
        assert!(!word.overlaps(ByteRange::new(96, 4)));
        assert!(!word.overlaps(ByteRange::new(101, 0)), "an empty range overlaps nothing");
        assert!(ByteRange::new(u64::MAX, 2).overlaps(ByteRange::new(0, 1)), "addresses wrap");
    }

    #[test]
    fn covering_needs_every_byte() {
        let word = ByteRange::new(100, 4);
        assert!(word.covers(word) && word.covers(ByteRange::new(102, 2)));
        assert!(!word.covers(ByteRange::new(102, 3)) && !word.covers(ByteRange::new(99, 2)));
    }
}
