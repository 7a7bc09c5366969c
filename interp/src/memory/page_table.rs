//! An entry for each page of a large object. Forks share what neither has changed, in groups.

use std::ops::Range;
use std::sync::Arc;

/// Pages of a group: 256 KiB of memory. A change after a fork copies one group, half a KiB.
const GROUP: usize = 64;

/// The entries of a group.
type Group<T> = [T; GROUP];

/// Entries for the pages of an object, by number. A clone copies a pointer for each group.
///
/// As long as all entries are equal there is one group: two gigabytes that are never written take half a KiB.
#[derive(Clone, Debug)]
pub(super) enum PageTable<T> {
    Equal(Arc<Equal<T>>),
    Grouped(Box<[Arc<Group<T>>]>),
}

/// Groups that are all the same.
#[derive(Clone, Debug)]
pub(super) struct Equal<T> {
    count: usize,
    group: Group<T>,
}

impl<T: Clone> Equal<T> {
    /// The entries of a group. A table in use soon has groups of its own, so this is off the hot path.
    #[cold]
    fn group(&self, number: usize) -> Option<&Group<T>> {
        (number < self.count).then_some(&self.group)
    }

    /// The groups, which share their entries until one changes.
    #[cold]
    fn grouped(&self) -> PageTable<T> {
        let group = Arc::new(self.group.clone());
        PageTable::Grouped(vec![group; self.count].into())
    }
}

impl<T: Clone> PageTable<T> {
    /// At least `count` entries, all of them `entry`. The last group is full, whether the object is or not.
    pub fn filled(count: usize, entry: T) -> Self {
        let group = std::array::from_fn(|_| entry.clone());
        Self::Equal(Arc::new(Equal { count: count.div_ceil(GROUP), group }))
    }

    /// The most bytes that `count` entries take once one of them is changed, without what they point to.
    pub fn bytes_of_filled(count: u64) -> u64 {
        (count.div_ceil(GROUP as u64) + 2) * size_of::<usize>() as u64 + size_of::<Group<T>>() as u64
    }

    /// How many groups there are.
    fn count(&self) -> usize {
        match self {
            Self::Equal(equal) => equal.count,
            Self::Grouped(groups) => groups.len(),
        }
    }

    /// The entries of a group.
    #[inline]
    fn group(&self, number: usize) -> Option<&Group<T>> {
        match self {
            Self::Grouped(groups) => groups.get(number).map(|group| &**group),
            Self::Equal(equal) => equal.group(number),
        }
    }

    /// The entry of a page.
    #[inline]
    pub fn get(&self, page: usize) -> Option<&T> {
        Some(&self.group(page / GROUP)?[page % GROUP])
    }

    /// As [`get`](Self::get), for changing.
    #[inline]
    pub fn get_mut(&mut self, page: usize) -> Option<&mut T> {
        Some(&mut Arc::make_mut(self.groups_mut().get_mut(page / GROUP)?)[page % GROUP])
    }

    /// Makes the entries of `pages` all `entry`. Whole groups share one.
    pub fn fill(&mut self, pages: Range<usize>, entry: &T) {
        let whole = pages.start.div_ceil(GROUP)..pages.end / GROUP;
        let group: Arc<Group<T>> = Arc::new(std::array::from_fn(|_| entry.clone()));
        let groups = self.groups_mut();
        if !whole.is_empty() {
            groups[whole.clone()].fill(group);
        }
        for page in pages.filter(|page| !whole.contains(&(page / GROUP))) {
            Arc::make_mut(&mut groups[page / GROUP])[page % GROUP] = entry.clone();
        }
    }

    /// The groups, each of which may change by itself from now on.
    #[inline]
    fn groups_mut(&mut self) -> &mut [Arc<Group<T>>] {
        if let Self::Equal(equal) = self {
            *self = equal.grouped();
        }
        match self {
            Self::Grouped(groups) => groups,
            Self::Equal(_) => &mut [],
        }
    }

    /// Whether entries are the same by `is_same`. Groups that both share are not looked at.
    pub fn agrees(&self, other: &Self, is_same: impl Fn(&T, &T) -> bool) -> bool {
        let distinct = match (self, other) {
            (Self::Equal(_), Self::Equal(_)) => self.count().min(1),
            _ => self.count(),
        };
        let same_group = |number: usize| match (self.group(number), other.group(number)) {
            (Some(one), Some(other)) => {
                std::ptr::eq(one, other) || one.iter().zip(other).all(|(one, other)| is_same(one, other))
            }
            _ => false,
        };
        self.count() == other.count() && (0..distinct).all(same_group)
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
    fn filled_entries_are_those_of_the_range() {
        for range in [0..4 * GROUP, 3..5, 10..GROUP, GROUP..2 * GROUP, 5..3 * GROUP + 9, 7..7] {
            let mut table = PageTable::filled(4 * GROUP, 1);
            table.fill(range.clone(), &2);
            let filled = (0..4 * GROUP).all(|page| (table.get(page) == Some(&2)) == range.contains(&page));
            assert!(filled, "{range:?}");
        }
    }

    #[test]
    fn equal_entries_take_one_group_until_one_changes() {
        let mut table = PageTable::filled((2 << 30) / 4096, 7_u8);
        let before = table.clone();
        assert!(matches!(table, PageTable::Equal(_)));
        *table.get_mut(5).expect("it is among them") = 7;
        assert!(matches!(table, PageTable::Grouped(_)));
        assert_eq!(table, before);
        *table.get_mut(5).expect("it is among them") = 8;
        assert_ne!(table, before);
        assert_ne!(table, PageTable::filled(GROUP, 7));
        assert_eq!(before.get((2 << 30) / 4096), None);
    }
}
