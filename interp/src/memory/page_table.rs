//! An entry for each page of a large object. Forks share what neither has changed, in groups.

use std::sync::Arc;

/// Pages of a group: 256 KiB of memory. A change after a fork copies one group, half a KiB.
const GROUP: usize = 64;

/// Entries for the pages of an object, by number. A clone copies a pointer for each group.
///
/// As long as all entries are equal there is one group: two gigabytes that are never written take half a KiB.
#[derive(Clone, Debug)]
pub(super) struct PageTable<T> {
    groups: Box<[Arc<[T; GROUP]>]>,
    /// How many groups the object has.
    count: usize,
    /// A group's place is its number masked with this: nothing as long as one group stands for all.
    mask: usize,
}

impl<T: Clone> PageTable<T> {
    /// At least `count` entries, all of them `entry`. The last group is full, whether the object is or not.
    pub fn filled(count: usize, entry: T) -> Self {
        let group = Arc::new(std::array::from_fn(|_| entry.clone()));
        Self { groups: Box::new([group]), count: count.div_ceil(GROUP), mask: 0 }
    }

    /// The most bytes that `count` entries take once one of them is changed, without what they point to.
    pub fn bytes_of_filled(count: u64) -> u64 {
        (count.div_ceil(GROUP as u64) + 2) * size_of::<usize>() as u64 + size_of::<[T; GROUP]>() as u64
    }

    /// The entry of a page.
    #[inline]
    pub fn get(&self, page: usize) -> Option<&T> {
        let group = page / GROUP;
        if group >= self.count {
            return None;
        }
        Some(&self.groups[group & self.mask][page % GROUP])
    }

    /// As [`get`](Self::get), for changing.
    #[inline]
    pub fn get_mut(&mut self, page: usize) -> Option<&mut T> {
        let group = page / GROUP;
        if group >= self.count {
            return None;
        }
        if self.mask == 0 {
            self.spread();
        }
        Some(&mut Arc::make_mut(&mut self.groups[group])[page % GROUP])
    }

    /// Gives each group a place of its own.
    #[cold]
    fn spread(&mut self) {
        self.groups = vec![Arc::clone(&self.groups[0]); self.count].into();
        self.mask = usize::MAX;
    }

    /// Whether entries are the same by `is_same`. Groups that both share are not looked at.
    pub fn agrees(&self, other: &Self, is_same: impl Fn(&T, &T) -> bool) -> bool {
        let distinct = if self.mask | other.mask == 0 { self.count.min(1) } else { self.count };
        let same_group = |group: usize| {
            let (one, other) = (&self.groups[group & self.mask], &other.groups[group & other.mask]);
            Arc::ptr_eq(one, other) || one.iter().zip(&**other).all(|(one, other)| is_same(one, other))
        };
        self.count == other.count && (0..distinct).all(same_group)
    }
}

impl<T: Clone + PartialEq> PartialEq for PageTable<T> {
    fn eq(&self, other: &Self) -> bool {
        self.agrees(other, T::eq)
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
    fn equal_entries_take_one_group_until_one_changes() {
        let mut table = PageTable::filled((2 << 30) / 4096, 7_u8);
        let before = table.clone();
        assert_eq!(table.groups.len(), 1);
        *table.get_mut(5).expect("it is among them") = 7;
        assert_eq!(table.groups.len(), 8192);
        assert_eq!(table, before);
        *table.get_mut(5).expect("it is among them") = 8;
        assert_ne!(table, before);
        assert_ne!(table, PageTable::filled(GROUP, 7));
    }
}
