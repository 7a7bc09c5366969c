//! Solvers whose counts are known when explorations have used them up.

use std::sync::{Arc, Mutex, PoisonError};
use symx_expr::StopToken;
use symx_expr::solver::{Answer, Solver, SolverStatistics, Z3Options, standard};
use symx_expr::{Term, Terms};

/// The counts of all solvers that were made with it and are gone.
#[derive(Clone, Debug, Default)]
pub struct SolverCounts(Arc<Mutex<SolverStatistics>>);

impl SolverCounts {
    /// Their sum.
    pub fn get(&self) -> SolverStatistics {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, counts: &SolverStatistics) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(counts);
    }
}

struct Counted<S: Solver> {
    solver: S,
    counts: SolverCounts,
}

impl<S: Solver> Drop for Counted<S> {
    fn drop(&mut self) {
        self.counts.add(&self.solver.statistics());
    }
}

impl<S: Solver> Solver for Counted<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        self.solver.check(constraints)
    }

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        self.solver.check_connected(constraints)
    }

    fn statistics(&self) -> SolverStatistics {
        self.solver.statistics()
    }
}

/// The standard solver for these terms, which adds to these counts when it is gone.
pub fn counted_solver(terms: &Arc<Terms>, stop: StopToken, counts: &SolverCounts) -> Box<dyn Solver> {
    let options = Z3Options { stop, ..Z3Options::default() };
    Box::new(Counted { solver: standard(terms, options), counts: counts.clone() })
}
