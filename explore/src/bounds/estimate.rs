//! How much of a depth-first walk is done, estimated from the choice points on its present path.
//!
//! The open part of a choice point is taken to be as large as the average of its other alternatives. This is
//! the weighted backtrack estimator (Kilby, Slaney, Thiébaux and Walsh, "Estimating search tree size",
//! AAAI 2006). Alternatives that are found later make the estimate too high at first.

use serde::{Deserialize, Serialize};

/// One part of a hundred million.
const WHOLE: u32 = 100_000_000;

/// How much of a walk is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Done(u32);

/// The known facts about a choice point on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Passed {
    /// How many of its alternatives are done.
    pub done: usize,
    /// How many executions these took.
    pub executions: u64,
    /// How many alternatives wait.
    pub waiting: usize,
}

/// When, in executions, a choice point was met, and when its present alternative was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Since {
    met: u64,
    present: u64,
}

impl Since {
    /// A choice point that is met now.
    pub fn now(executions: u64) -> Self {
        Self { met: executions, present: executions }
    }

    /// Its next alternative is tried now.
    pub fn next(&mut self, executions: u64) {
        self.present = executions;
    }

    /// Executions of the alternatives before the present one.
    pub fn executions(self) -> u64 {
        self.present.saturating_sub(self.met)
    }
}

impl Done {
    /// As the walk stands after this many executions with these choice points on its path, innermost first.
    pub(crate) fn estimate(executions: u64, points: impl IntoIterator<Item = Passed>) -> Self {
        // The size below the present alternatives of the points further in: at least the present execution.
        let mut all = 1.0;
        for point in points {
            let known = point.executions as f64 + all;
            all = known + point.waiting as f64 * known / (point.done + 1) as f64;
        }
        Self::part(executions as f64 / all)
    }

    /// A part of it all, from 0 to 1.
    pub(crate) fn part(part: f64) -> Self {
        Self((part.clamp(0.0, 1.0) * f64::from(WHOLE)) as u32)
    }

    /// In parts of a million.
    pub fn per_million(self) -> u32 {
        self.0 / 100
    }

    /// From 0 to 1.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_as_much_as_what_was_done() {
        let point = |done, executions, waiting| Passed { done, executions, waiting };
        assert_eq!(Done::estimate(1, []).fraction(), 1.0);
        // One alternative of ten executions is done, the second is one, one waits: 11 of 16.5.
        let done = Done::estimate(11, [point(1, 10, 1)]).fraction();
        assert!((done - 11.0 / 16.5).abs() < 1e-6, "{done}");
        // The same below a point whose first alternative waits for one more: twice as much.
        let twice = Done::estimate(11, [point(1, 10, 1), point(0, 0, 1)]).fraction();
        assert!((twice - done / 2.0).abs() < 1e-6, "{twice}");
        assert_eq!(Done::estimate(0, [point(0, 0, 3)]).fraction(), 0.0);
    }

    #[test]
    fn executions_belong_to_the_alternative_they_follow() {
        let mut since = Since::now(5);
        assert_eq!(since.executions(), 0);
        since.next(9);
        assert_eq!(since.executions(), 4);
    }
}
