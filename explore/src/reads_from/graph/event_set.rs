//! Small sets of events.

use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::limits::SET_WORDS;

/// A set of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(in crate::reads_from) struct Bits([u64; SET_WORDS]);

impl Bits {
    /// The first `count` events.
    pub fn first(count: usize) -> Self {
        let mut bits = Self::default();
        for (word, value) in bits.0.iter_mut().enumerate() {
            let left = count.saturating_sub(word * 64);
            *value = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        }
        bits
    }

    #[inline]
    pub fn has(&self, index: Index) -> bool {
        self.0[usize::from(index) / 64] >> (index % 64) & 1 == 1
    }

    #[inline]
    pub fn insert(&mut self, index: Index) {
        self.0[usize::from(index) / 64] |= 1 << (index % 64);
    }

    pub fn remove(&mut self, index: Index) {
        self.0[usize::from(index) / 64] &= !(1 << (index % 64));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many there are from number `base` on.
    pub fn count_from(&self, base: usize) -> usize {
        let first = self.0[base / 64] >> (base % 64);
        let others = self.0[base / 64 + 1..].iter();
        (first.count_ones() + others.map(|word| word.count_ones()).sum::<u32>()) as usize
    }

    /// Adds members.
    pub fn extend(&mut self, indices: impl IntoIterator<Item = Index>) {
        indices.into_iter().for_each(|index| self.insert(index));
    }

    #[inline]
    pub fn union(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    /// Whether some member is one of `other`.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Whether every member is one of `other`.
    #[inline]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(0, |missing, (mine, theirs)| missing | mine & !theirs) == 0
    }

    /// The same set where members from `base` on go by other numbers, if all have one.
    pub fn renumbered(&self, base: usize, numbers: &[Index]) -> Option<Self> {
        let mut renumbered = *self;
        let mut others = Self::default();
        let (first, below) = (base / 64, (1_u64 << (base % 64)) - 1);
        for word in first..SET_WORDS {
            let kept = if word == first { below } else { 0 };
            let mut moving = renumbered.0[word] & !kept;
            renumbered.0[word] &= kept;
            while moving != 0 {
                let number = numbers[word * 64 + moving.trailing_zeros() as usize - base];
                if number == INITIAL {
                    return None;
                }
                others.insert(number);
                moving &= moving - 1;
            }
        }
        renumbered.union(&others);
        Some(renumbered)
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = Index> + use<> {
        let words = self.0;
        let (mut word, mut left) = (0, words[0]);
        std::iter::from_fn(move || {
            while left == 0 {
                word += 1;
                left = *words.get(word)?;
            }
            let bit = left.trailing_zeros();
            left &= left - 1;
            Some((word as u32 * 64 + bit) as Index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads_from::limits::MOST_EVENTS;

    #[test]
    fn members_are_what_was_inserted() {
        let mut bits = Bits::first(65);
        bits.insert(200);
        let members: Vec<Index> = bits.iter().collect();
        assert_eq!(members.len(), 66);
        assert!(bits.has(200) && bits.has(64) && !bits.has(65));
        bits.remove(64);
        assert!(bits.has(63) && !bits.has(64));
        assert_eq!(
            (bits.count_from(0), bits.count_from(60), bits.count_from(64), bits.count_from(201)),
            (65, 5, 1, 0)
        );
        assert!(bits.meets(&Bits::first(1)) && !bits.meets(&Bits::default()));
        assert!(bits.is_within(&Bits::first(MOST_EVENTS)) && !Bits::first(MOST_EVENTS).is_within(&bits));
    }

    #[test]
    fn members_go_by_other_numbers_from_a_base_on() {
        let mut bits = Bits::default();
        bits.extend([3, 69, 70, 72]);
        let mut renumbered = Bits::default();
        renumbered.extend([3, 69, 72, 71]);
        assert_eq!(bits.renumbered(70, &[72, INITIAL, 71]), Some(renumbered));
        assert_eq!(bits.renumbered(70, &[72, 71, INITIAL]), None);
    }
}
