//! How well a predictor separates failing executions from passing ones.

use crate::weight::Weight;
use serde::{Deserialize, Serialize};

/// The weight of recall against precision in the F-measure: precision is favoured, so that what is shown
/// first is seldom wrong (Kasikci, section 4.4).
pub const BETA: f64 = 0.5;

/// In how many executions a predictor holds, and of how many. Of several executions that stand for recorded
/// runs together, each counts a part.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Score {
    /// Failing executions in which it holds.
    pub failing: f64,
    /// Passing executions in which it holds.
    pub passing: f64,
    /// All failing executions.
    pub all_failing: f64,
    /// All passing executions.
    pub all_passing: f64,
}

impl Score {
    /// Of failing and passing executions: those in which something holds, and all.
    pub fn of([failing, passing]: [Weight; 2], [all_failing, all_passing]: [Weight; 2]) -> Self {
        Self {
            failing: failing.runs(),
            passing: passing.runs(),
            all_failing: all_failing.runs(),
            all_passing: all_passing.runs(),
        }
    }

    /// Of the executions in which it holds, the share that fails; 0 if there are none.
    pub fn precision(&self) -> f64 {
        share(self.failing, self.failing + self.passing)
    }

    /// Of the executions that fail, the share in which it holds; 0 if there are none.
    pub fn recall(&self) -> f64 {
        share(self.failing, self.all_failing)
    }

    /// The weighted harmonic mean of precision and recall, with [`BETA`].
    pub fn f_measure(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        let weighted = BETA * BETA * precision + recall;
        if weighted == 0.0 { 0.0 } else { (1.0 + BETA * BETA) * precision * recall / weighted }
    }

    /// Whether executions in which it holds fail more often than others.
    pub fn discriminates(&self) -> bool {
        self.precision() > share(self.all_failing, self.all_failing + self.all_passing)
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(failing: u32, passing: u32) -> Score {
        let [failing, passing] = [failing, passing].map(f64::from);
        Score { failing, passing, all_failing: 10.0, all_passing: 30.0 }
    }

    #[test]
    fn the_f_measure_favours_precision() {
        assert!((score(10, 0).f_measure() - 1.0).abs() < 1e-9);
        // P = 1, R = 0.5: 1.25 * 0.5 / (0.25 + 0.5).
        assert!((score(5, 0).f_measure() - 0.625 / 0.75).abs() < 1e-9);
        // P = 0.5, R = 1: 1.25 * 0.5 / (0.125 + 1).
        assert!((score(10, 10).f_measure() - 0.625 / 1.125).abs() < 1e-9);
        assert_eq!(score(0, 7).f_measure(), 0.0);
    }

    #[test]
    fn a_predictor_that_always_holds_predicts_nothing() {
        assert!(
            !score(10, 30).discriminates() && score(10, 29).discriminates() && !score(1, 3).discriminates()
        );
        let none_passes = Score { failing: 4.0, all_failing: 4.0, ..Score::default() };
        assert!(!none_passes.discriminates());
    }
}
