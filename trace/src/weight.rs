//! How much an execution counts among others.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// How many recorded runs an execution stands for. One that was observed stands for itself. Several that
/// follow the path of some recorded runs share these. Sums are exact: a weight is kept in parts of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(u64);

/// Parts of one: every number up to [`Weight::MOST_SHARES`] divides it.
const PARTS: u64 = 720_720;

impl Weight {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// One execution that was observed.
    pub const ONE: Self = Self(PARTS);
    /// Most executions that share runs.
    pub const MOST_SHARES: usize = 16;

    /// The share of each of some executions, at most [`MOST_SHARES`](Self::MOST_SHARES), that stand for
    /// recorded runs together.
    pub fn share(runs: u32, executions: usize) -> Self {
        Self(u64::from(runs) * PARTS / executions.max(1) as u64)
    }

    /// As a number of runs.
    pub fn runs(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::ONE
    }
}

impl Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Self>>(weights: I) -> Self {
        weights.fold(Self::ZERO, Self::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_runs_are_those_runs_together() {
        for executions in 1..=Weight::MOST_SHARES {
            let shares = vec![Weight::share(7, executions); executions];
            assert_eq!(shares.into_iter().sum::<Weight>().runs(), 7.0, "{executions}");
        }
        assert_eq!(Weight::share(21, 2).runs(), 10.5);
        assert_eq!(Weight::default().runs(), 1.0);
    }
}
