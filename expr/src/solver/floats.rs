//! Queries with floating point: each goes to Z3 by itself, as text, through its tactic for floats.
//!
//! The tactic turns numbers into bits and gives them to a SAT solver, which beats the incremental solver by
//! far here. Its answers are not taken on trust: a model must satisfy the query by the evaluator, whose
//! arithmetic is that of execution.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::z3::ast::BV;
use ::z3::{SatResult, Tactic};
use rustc_hash::FxHashMap;

use super::Undecided;
use super::cutoff::watched;
use super::z3_encoding::symbols_of;
use super::z3_memory::{OutOfMemory, within_memory};
use super::z3_solver::{Z3Options, value_in};
use super::{Answer, Model, Solver, SolverStatistics};
use crate::text::references::symbol_name;
use crate::{Assignment, BitVector, Evaluator, Node, Term, Terms, query_to_smtlib};

/// Answers queries with floats; passes on all others.
#[derive(Debug)]
pub struct FloatQueries<S> {
    terms: Arc<Terms>,
    options: Z3Options,
    below: S,
    /// Whether a term has a floating-point operator in it.
    known: FxHashMap<Term, bool>,
    queries: u64,
    unknown: u64,
    time: Duration,
}

impl<S: Solver> FloatQueries<S> {
    /// A layer above `below`.
    pub fn new(terms: Arc<Terms>, options: Z3Options, below: S) -> Self {
        FloatQueries {
            terms,
            options,
            below,
            known: FxHashMap::default(),
            queries: 0,
            unknown: 0,
            time: Duration::ZERO,
        }
    }

    fn has_floats(&mut self, root: Term) -> bool {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.known.contains_key(&term) {
                open.pop();
                continue;
            }
            let node = self.terms.node(term);
            let before = open.len();
            let known = &self.known;
            open.extend(node.operands().filter(|operand| !known.contains_key(operand)));
            if open.len() == before {
                let inside = matches!(node, Node::Float { .. }) || node.operands().any(|part| known[&part]);
                self.known.insert(term, inside);
                open.pop();
            }
        }
        self.known[&root]
    }

    fn decide(&self, constraints: &[Term]) -> Answer {
        let solver = Tactic::new("qffp").solver();
        self.options.bound(&solver);
        solver.from_string(query_to_smtlib(&self.terms, constraints));
        if solver.get_assertions().len() != constraints.len() {
            return Answer::Unknown("Z3 did not read a query with floats".into());
        }
        if let Err(reason) = self.options.stop.check() {
            return Answer::Unknown(Undecided::Stopped(reason));
        }
        match watched(&self.options.stop, || solver.check()) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => Answer::Unknown(self.options.reason(&solver)),
            SatResult::Sat => self.model(&solver, constraints),
        }
    }

    fn model(&self, solver: &::z3::Solver, constraints: &[Term]) -> Answer {
        let Some(model) = solver.get_model() else {
            return Answer::Unknown("Z3 found the query satisfiable but gave no model".into());
        };
        let mut assignment = Assignment::new();
        for symbol in symbols_of(&self.terms, constraints) {
            let width = self.terms.width(symbol);
            let Node::Symbol { name, .. } = self.terms.node(symbol) else { continue };
            let vector = BV::new_const(symbol_name(name, width), width);
            // A symbol that the model leaves out may have any value; that is checked below.
            let value = value_in(&model, &vector, width).unwrap_or_else(|| BitVector::zero(width));
            assignment.set(symbol, value);
        }
        let mut evaluator = Evaluator::new(&self.terms, &assignment);
        if constraints.iter().all(|constraint| evaluator.is_true(*constraint)) {
            return Answer::Sat(Model::new(assignment));
        }
        Answer::Unknown(match self.options.stop.reason() {
            Some(reason) => Undecided::Stopped(reason),
            None => "Z3's model does not satisfy a query with floats".into(),
        })
    }
}

impl<S: Solver> Solver for FloatQueries<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        // All of them are looked at, so that none is walked again later.
        let floats = constraints.iter().filter(|constraint| self.has_floats(**constraint)).count();
        if floats == 0 {
            return self.below.check(constraints);
        }
        let start = Instant::now();
        let answer = within_memory(|| self.decide(constraints))
            .unwrap_or_else(|OutOfMemory| self.options.out_of_memory());
        self.time += start.elapsed();
        self.queries += 1;
        self.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        answer
    }

    fn statistics(&self) -> SolverStatistics {
        let below = self.below.statistics();
        SolverStatistics {
            solver_queries: below.solver_queries + self.queries,
            solver_unknown: below.solver_unknown + self.unknown,
            solver_time: below.solver_time + self.time,
            ..below
        }
    }
}
