//! Solvers: one small trait, layers that answer what they can and pass on the rest, Z3 at the bottom.
//!
//! [`standard`] stacks them: constants and contradictions ([`Truth`]), slices that share no symbol
//! ([`Independence`]), conditions on one byte ([`Domains`]), and orders of unknowns ([`Orders`]). Below are
//! models and answers seen before ([`Counterexamples`]), queries with floats ([`FloatQueries`]), and
//! [`Z3Solver`]. [`PathQueries`] asks the questions an interpreter has.

mod answers;
mod counterexamples;
mod cutoff;
mod domains;
mod floats;
mod independence;
mod orders;
mod path_queries;
mod truth;
mod z3_encoding;
mod z3_memory;
mod z3_solver;

use std::sync::Arc;
use std::time::Duration;

pub use counterexamples::{CounterexampleLimits, Counterexamples};
pub use domains::Domains;
pub use floats::FloatQueries;
pub use independence::Independence;
pub use orders::Orders;
pub use path_queries::{Branch, PathQueries, Unresolved};
pub use truth::Truth;
pub use z3_memory::z3_fell_short_of_memory;
pub use z3_solver::{Z3Options, Z3Solver, z3_full_version, z3_on_script, z3_version};

use thiserror::Error;

use crate::{Assignment, StopReason, Term, Terms};

/// An assignment under which all constraints of a query hold. Symbols it leaves out may have any value;
/// evaluation takes zero.
pub type Model = Arc<Assignment>;

/// A solver's answer about a conjunction of constraints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Satisfiable, by this model.
    Sat(Model),
    /// Not satisfiable.
    Unsat,
    /// Undecided.
    Unknown(Undecided),
}

/// Why a query stays undecided.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Undecided {
    /// It was ended from outside: asked again, it may be decided.
    #[error("{0}")]
    Stopped(StopReason),
    /// It is beyond the solver: `timeout`, or the solver's own words.
    #[error("{0}")]
    Beyond(String),
}

impl From<String> for Undecided {
    fn from(why: String) -> Self {
        Self::Beyond(why)
    }
}

impl From<&str> for Undecided {
    fn from(why: &str) -> Self {
        Self::Beyond(why.into())
    }
}

impl From<StopReason> for Undecided {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// Decides conjunctions of terms of width 1.
pub trait Solver {
    /// Decides whether all constraints can hold together.
    ///
    /// # Panics
    /// If a constraint's width is not 1.
    fn check(&mut self, constraints: &[Term]) -> Answer;

    /// The same for distinct constraints, none of them constant, that are connected by shared symbols: layers
    /// that would look for that need not.
    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        self.check(constraints)
    }

    /// The counts so far, of this layer and those below.
    fn statistics(&self) -> SolverStatistics;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        (**self).check(constraints)
    }

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        (**self).check_connected(constraints)
    }

    fn statistics(&self) -> SolverStatistics {
        (**self).statistics()
    }
}

/// Counts of a stack of solver layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SolverStatistics {
    /// Queries that reached the topmost layer with a counter of its own ([`Truth`]).
    pub queries: u64,
    /// Queries answered by constants or a contradiction on the face of it.
    pub trivial: u64,
    /// Independent slices that were asked about, in all queries.
    pub slices: u64,
    /// Slices answered by an earlier answer or model.
    pub cache_hits: u64,
    /// Slices decided by the values of one byte, or as an order of unknowns.
    pub decided: u64,
    /// Queries that reached Z3.
    pub solver_queries: u64,
    /// Of those, how many stayed unknown.
    pub solver_unknown: u64,
    /// Time spent in Z3, encoding included.
    pub solver_time: Duration,
}

impl SolverStatistics {
    /// Adds those of another stack.
    pub fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.trivial += other.trivial;
        self.slices += other.slices;
        self.cache_hits += other.cache_hits;
        self.decided += other.decided;
        self.solver_queries += other.solver_queries;
        self.solver_unknown += other.solver_unknown;
        self.solver_time += other.solver_time;
    }
}

/// All layers over Z3, for one worker.
pub fn standard(terms: &Arc<Terms>, options: Z3Options) -> impl Solver + use<> {
    let bottom = Z3Solver::new(terms.clone(), options.clone());
    let floats = FloatQueries::new(terms.clone(), options, bottom);
    let cached = Counterexamples::new(terms.clone(), CounterexampleLimits::default(), floats);
    let ordered = Orders::new(terms.clone(), cached);
    let bytes = Domains::new(terms.clone(), ordered);
    Truth::new(terms.clone(), Independence::new(terms.clone(), bytes))
}
