//! The topmost layer: constants, repeated constraints, and a constraint beside its negation.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Answer, Model, Solver, SolverStatistics};
use crate::{Term, Terms};

/// Answers what shows on the face of a query; passes on the distinct constraints that are not constant.
#[derive(Debug)]
pub struct Truth<S> {
    terms: Arc<Terms>,
    below: S,
    queries: u64,
    trivial: u64,
}

impl<S: Solver> Truth<S> {
    /// A layer above `below`.
    pub fn new(terms: Arc<Terms>, below: S) -> Self {
        Truth { terms, below, queries: 0, trivial: 0 }
    }

    fn decide(&self, constraints: &[Term]) -> Result<Vec<Term>, Answer> {
        let mut seen = FxHashSet::default();
        let mut distinct = Vec::with_capacity(constraints.len());
        for &constraint in constraints {
            assert_eq!(self.terms.width(constraint), 1, "a constraint has width 1");
            if constraint == Term::FALSE || seen.contains(&self.terms.not(constraint)) {
                return Err(Answer::Unsat);
            }
            if constraint != Term::TRUE && seen.insert(constraint) {
                distinct.push(constraint);
            }
        }
        if distinct.is_empty() { Err(Answer::Sat(Model::default())) } else { Ok(distinct) }
    }
}

impl<S: Solver> Solver for Truth<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        self.queries += 1;
        match self.decide(constraints) {
            Ok(distinct) => self.below.check(&distinct),
            Err(answer) => {
                self.trivial += 1;
                answer
            }
        }
    }

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        self.queries += 1;
        self.below.check_connected(constraints)
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics { queries: self.queries, trivial: self.trivial, ..self.below.statistics() }
    }
}
