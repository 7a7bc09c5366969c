//! An entry for each page of a large object. Neighbours share what no fork has changed, in groups.

use std::sync::Arc;

/// Pages of a group: 256 KiB of memory. A change after a fork copies one group, half a KiB.
const GROUP: usize = 64;

/// Entries for the pages of an object, by number. A clone copies a pointer for each group.
///
/// As long as all entries are equal, all groups are one: two gigabytes that are never written take 64 KiB.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PageTable<T>(Box<[Arc<[T; GROUP]>]>);

impl<T: Clone> PageTable<T> {
    /// At least `count` entries, all of them `entry`. The last group is full, whether the object is or not.
    pub fn filled(count: usize, entry: T) -> Self {
        let group = Arc::new(std::array::from_fn(|_| entry.clone()));
        Self(vec![group; count.div_ceil(GROUP)].into())
    }

    /// The most bytes that `count` equal entries take, without what they point to.
    pub fn bytes_of_filled(count: u64) -> u64 {
        (count.div_ceil(GROUP as u64) + 2) * size_of::<usize>() as u64 + size_of::<[T; GROUP]>() as u64
    }

    /// The entry of a page.
    #[inline]
    pub fn get(&self, page: usize) -> Option<&T> {
        Some(&self.0.get(page / GROUP)?[page % GROUP])
    }

    /// As [`get`](Self::get), for changing.
    #[inline]
    pub fn get_mut(&mut self, page: usize) -> Option<&mut T> {
        Some(&mut Arc::make_mut(self.0.get_mut(page / GROUP)?)[page % GROUP])
    }

    /// Whether entries are the same by `is_same`. Groups that both share are not looked at.
    pub fn agrees(&self, other: &Self, is_same: impl Fn(&T, &T) -> bool) -> bool {
        let same_group = |(one, other): (&Arc<[T; GROUP]>, _)| {
            Arc::ptr_eq(one, other) || one.iter().zip(&**other).all(|(one, other)| is_same(one, other))
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same_group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_of_one_page_and_of_one_copy() {
        let mut table = PageTable::filled(3 * GROUP + 1, 7_u8);
        let before = table.clone();
        *table.get_mut(GROUP + 5).expect("there are four groups") = 8;
        let changed: Vec<usize> = (0..4 * GROUP).filter(|page| table.get(*page) == Some(&8)).collect();
        assert_eq!(changed, [GROUP + 5]);
        assert_eq!(before.get(GROUP + 5), Some(&7));
        assert_eq!(table.get(4 * GROUP), None);
        assert!(!table.agrees(&before, |one, other| one == other));
        assert!(table.agrees(&before, |one, other| one.abs_diff(*other) < 2));
    }

    #[test]
    fn equal_entries_take_a_pointer_for_each_group() {
        assert!(PageTable::<Arc<u8>>::bytes_of_filled((2 << 30) / 4096) < 70_000);
    }
}
