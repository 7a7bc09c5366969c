//! At which places states came to nothing.
//!
//! Where walks end again and again, what such a place holds matters more than elsewhere: states that differ there are worth
//! keeping (as conflicts weigh constraints in "Boosting systematic search by weighting constraints", ECAI 2004).

/// By location, how often nobody could go on from a state because of what was there.
#[derive(Debug)]
pub(in crate::synthesis::forward) struct Blame(Vec<u64>);

impl Blame {
    pub(in crate::synthesis::forward) fn new(locations: usize) -> Self {
        Self(vec![0; locations])
    }

    pub(super) fn add(&mut self, location: usize) {
        self.0[location] += 1;
    }

    /// A location, by chance, the likelier the more often it was to blame; none if none was.
    pub(super) fn one(&self, chance: u64) -> Option<usize> {
        let mut left = chance.checked_rem(self.0.iter().sum())?;
        self.0.iter().position(|count| {
            let is_it = left < *count;
            left = left.saturating_sub(*count);
            is_it
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Blame;

    #[test]
    fn who_was_to_blame_more_often_is_chosen_more_often() {
        let mut blame = Blame::new(4);
        assert_eq!(blame.one(7), None);
        [1, 3, 3].into_iter().for_each(|location| blame.add(location));
        assert_eq!([0, 1, 2, 3].map(|chance| blame.one(chance)), [Some(1), Some(3), Some(3), Some(1)]);
    }
}
