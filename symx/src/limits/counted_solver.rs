//! A solver whose counts can still be read after an exploration has used it up.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use symx_expr::StopToken;
use symx_expr::solver::{Answer, Solver, SolverStatistics, Z3Options, standard};
use symx_expr::{Term, Terms};

/// The counts, shared with the solver.
#[derive(Clone, Default)]
pub struct SharedCounts(Rc<Cell<SolverStatistics>>);

impl SharedCounts {
    /// The counts up to the last query.
    pub fn get(&self) -> SolverStatistics {
        self.0.get()
    }
}

struct Counted<S> {
    solver: S,
    counts: SharedCounts,
}

impl<S: Solver> Solver for Counted<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        let answer = self.solver.check(constraints);
        self.counts.0.set(self.solver.statistics());
        answer
    }

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        let answer = self.solver.check_connected(constraints);
        self.counts.0.set(self.solver.statistics());
        answer
    }

    fn statistics(&self) -> SolverStatistics {
        self.solver.statistics()
    }
}

/// The standard solver for these terms, and its counts.
pub fn counted_solver(terms: &Arc<Terms>, stop: StopToken) -> (Box<dyn Solver>, SharedCounts) {
    let counts = SharedCounts::default();
    let options = Z3Options { stop, ..Z3Options::default() };
    let solver = Counted { solver: standard(terms, options), counts: counts.clone() };
    (Box::new(solver), counts)
}
