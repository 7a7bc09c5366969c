//! The class of a race where executions end early: none is derived from executions that were not examined.

use std::sync::Arc;
use symx_checkers::race_class::{Effort, Judgement, Unclassified, classify};
use symx_expr::solver::{Answer, Solver, SolverStatistics};
use symx_expr::{Term, Terms};
use symx_trace::IncompleteReason;
use symx_trace::race::{
    AccessOrder, Continuation, EndResult, Ending, Executions, RaceClass, RaceOrders, SideBySide, Written,
};

/// Nothing here depends on inputs.
struct NoSolver;

impl Solver for NoSolver {
    fn check(&mut self, _constraints: &[Term]) -> Answer {
        Answer::Unknown("nobody asks".into())
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics::default()
    }
}

/// A race seen in `witnesses` executions of a large program, which writes something else in each order.
struct Scripted {
    witnesses: usize,
    ways: usize,
    outputs: [&'static [u8]; 2],
    /// Executions that may be run; those after them have no result.
    most: usize,
    run: usize,
    /// Whether executions in the other order terminate.
    other_ends: bool,
}

impl Scripted {
    fn new(outputs: [&'static [u8]; 2]) -> Self {
        Self { witnesses: 3, ways: 1, outputs, most: usize::MAX, run: 0, other_ends: true }
    }

    fn classes(mut self) -> Result<Judgement, Unclassified> {
        let effort = Effort { paths: 3, schedules: 2, seed: 0 };
        classify(&mut self, &Arc::new(Terms::new()), NoSolver, &effort)
    }
}

impl RaceOrders for Scripted {
    fn witnesses(&self) -> usize {
        self.witnesses
    }

    fn ways(&self) -> usize {
        self.ways
    }

    fn side_by_side(&mut self, _witness: usize, _way: usize) -> SideBySide {
        SideBySide::Reached
    }

    fn executions(&mut self, order: AccessOrder, how: Continuation) -> Executions {
        let mut executions = Executions::default();
        if how == Continuation::Every {
            executions.cut = Some("the program is too large".into());
            return executions;
        }
        self.run += 1;
        if self.run > self.most || order == AccessOrder::Reversed && !self.other_ends {
            executions.cut = Some("it takes too long".into());
            return executions;
        }
        let bytes = self.outputs[usize::from(order == AccessOrder::Reversed)].to_vec();
        let result = EndResult::Exit {
            status: 0,
            output: Written { bytes, symbolic: Vec::new() },
            errors: Written::default(),
            files: Vec::new(),
        };
        let (path, decisions, threads, inputs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        executions.endings.push(Ending { path, result, decisions, threads, inputs });
        executions
    }

    fn ended(&mut self) -> Option<IncompleteReason> {
        (self.run > self.most).then_some(IncompleteReason::MaxTime)
    }
}

/// Each witness has two schedules of two orders: four executions, if both orders have the same result.
#[test]
fn where_time_ends_between_the_orders_of_a_race_it_has_no_class() {
    let complete = Scripted::new([b"1", b"1"]).classes().unwrap();
    assert_eq!((complete.class, complete.k), (RaceClass::KWitnessHarmless, 6));
    for (most, harmless) in [(0, 0), (1, 0), (3, 0), (4, 2), (9, 4), (11, 4)] {
        let ended = Scripted { most, ..Scripted::new([b"1", b"1"]) }.classes().unwrap_err();
        assert_eq!(
            ended,
            Unclassified::Ended { reason: IncompleteReason::MaxTime, harmless },
            "after {most} executions"
        );
    }
}

/// With one witness alone, its first way side by side has as many pairs as are wanted of all.
#[test]
fn as_many_harmless_pairs_as_are_wanted_make_a_class_though_time_ends() {
    for (most, complete) in [(11, false), (12, true), (20, true)] {
        let one = Scripted { witnesses: 1, ways: 2, most, ..Scripted::new([b"1", b"1"]) };
        let class = one.classes().map(|judgement| (judgement.class, judgement.k, judgement.is_exhaustive));
        let expected = (RaceClass::KWitnessHarmless, 6, false);
        assert_eq!(class.ok(), complete.then_some(expected), "after {most} executions");
    }
}

/// A difference needs four times as many schedules of the other order, that none of them removes it.
#[test]
fn what_one_order_writes_is_compared_with_the_other_followed_as_far() {
    let complete = Scripted::new([b"1", b"2"]).classes().unwrap();
    assert_eq!(complete.class, RaceClass::OutputDiffers);
    for most in [1, 4, 6, 11] {
        let ended = Scripted { most, ..Scripted::new([b"1", b"2"]) }.classes().unwrap_err();
        assert_eq!(
            ended,
            Unclassified::Ended { reason: IncompleteReason::MaxTime, harmless: 0 },
            "after {most} executions"
        );
    }
    // The first witness was compared to the end.
    let first = Scripted { most: 12, ..Scripted::new([b"1", b"2"]) }.classes().unwrap();
    assert_eq!(first.class, RaceClass::OutputDiffers);
}

#[test]
fn an_order_of_which_nothing_is_known_is_no_difference() {
    let unknown = Scripted { other_ends: false, ..Scripted::new([b"1", b"1"]) }.classes().unwrap_err();
    assert!(matches!(unknown, Unclassified::Unknown(_)), "{unknown}");
}
