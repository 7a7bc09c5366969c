//! Which threads may run at a point of the thread that creates them: for each creating call, how many may not
//! have been joined.

use std::rc::Rc;

/// Number of a call that creates threads.
pub(crate) type Site = u32;

/// How the number of a site's threads changes on the way to a point: what 0, 1 and more become.
pub(crate) type Change = [u8; 3];

/// More than one thread.
pub(crate) const MANY: u8 = 2;
/// One is created.
pub(crate) const CREATED: Change = [1, MANY, MANY];
/// The only one is waited for.
pub(crate) const JOINED: Change = [0, 0, MANY];
/// Any number is created.
pub(crate) const ANY: Change = [MANY, MANY, MANY];
const SAME: Change = [0, 1, MANY];

/// The changes of all sites, those without one left out; ascending by site.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Alive(Rc<[(Site, Change)]>);

impl Alive {
    pub fn one(site: Site, change: Change) -> Self {
        Self([(site, change)].into())
    }

    /// The same change at each of some sites.
    pub fn all(sites: impl Iterator<Item = Site>, change: Change) -> Self {
        let mut sites: Vec<Site> = sites.collect();
        sites.sort_unstable();
        sites.dedup();
        Self(sites.into_iter().map(|site| (site, change)).collect())
    }

    fn change(&self, site: Site) -> Change {
        match self.0.binary_search_by_key(&site, |entry| entry.0) {
            Ok(at) => self.0[at].1,
            Err(_) => SAME,
        }
    }

    fn combined(&self, other: &Self, combine: impl Fn(Change, Change) -> Change) -> Self {
        let sites = self.0.iter().chain(other.0.iter()).map(|entry| entry.0);
        let mut sites: Vec<Site> = sites.collect();
        sites.sort_unstable();
        sites.dedup();
        let entries = sites.into_iter().map(|site| (site, combine(self.change(site), other.change(site))));
        Self(entries.filter(|(_, change)| *change != SAME).collect())
    }

    /// First these changes, then others.
    pub fn then(&self, next: &Self) -> Self {
        match (self.0.is_empty(), next.0.is_empty()) {
            (true, _) => next.clone(),
            (_, true) => self.clone(),
            _ => self.combined(next, |first, second| first.map(|count| second[usize::from(count)])),
        }
    }

    /// On one way or the other.
    pub fn or(&self, other: &Self) -> Self {
        if Rc::ptr_eq(&self.0, &other.0) || self == other {
            return self.clone();
        }
        self.combined(other, |one, other| std::array::from_fn(|count| one[count].max(other[count])))
    }

    /// The sites of which there may be threads if there were none at the beginning, and how many.
    pub fn of_none(&self) -> impl Iterator<Item = (Site, u8)> {
        self.0.iter().map(|(site, change)| (*site, change[0])).filter(|(_, count)| *count > 0)
    }

    /// The sites at which anything changes.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.0.iter().map(|(site, _)| *site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_waited_for_is_gone() {
        let (create, join) = (Alive::one(3, CREATED), Alive::one(3, JOINED));
        assert_eq!(create.of_none().collect::<Vec<_>>(), [(3, 1)]);
        assert_eq!(create.then(&join).of_none().count(), 0);
        let twice = create.then(&create).then(&join);
        assert_eq!(twice.of_none().collect::<Vec<_>>(), [(3, MANY)], "which of them is not known");
    }

    #[test]
    fn on_either_way_there_may_be_one() {
        let create = Alive::one(3, CREATED);
        let either = create.or(&Alive::default());
        assert_eq!(either.of_none().collect::<Vec<_>>(), [(3, 1)]);
        assert_eq!(either.then(&Alive::one(3, JOINED)).of_none().count(), 0);
    }
}
