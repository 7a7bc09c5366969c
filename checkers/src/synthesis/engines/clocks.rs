//! Z3 on the constraint system: an event's place in the order is a number, everything is a
//! term over bit vectors.
//!
//! The same terms are the system's export as SMT-LIB.

use crate::synthesis::Unknown;
use crate::synthesis::engines::{Answer, Engine};
use crate::synthesis::execution::model::Model;
use crate::synthesis::limits::{CLAUSES_A_MEBIBYTE, MOST_CLAUSES};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{Atom, Literal, System};
use std::sync::Arc;
use symx_expr::solver::{self, FloatQueries, Solver, Z3Options, Z3Solver};
use symx_expr::{Assignment, StopToken, Term, Terms, evaluate, query_to_smtlib};

/// The encoding of a system.
struct Encoding {
    terms: Arc<Terms>,
    /// By event.
    clocks: Vec<Term>,
}

impl Encoding {
    fn new(problem: &Problem) -> Self {
        let width = (problem.event_count().max(2) as u64).next_power_of_two().ilog2();
        let clock = |event: EventId| problem.terms.symbol(&format!("clock {}", event.0), width);
        Self { terms: problem.terms.clone(), clocks: problem.events().map(clock).collect() }
    }

    fn before(&self, earlier: EventId, later: EventId) -> Term {
        self.terms.unsigned_less(self.clocks[earlier.index()], self.clocks[later.index()])
    }

    fn literal(&self, literal: Literal) -> Term {
        if let Some((earlier, later)) = literal.order() {
            return self.before(earlier, later);
        }
        let unknown = |name: String| self.terms.symbol(&name, 1);
        let truth = match literal.atom {
            Atom::Holds(condition) => condition,
            Atom::ReadsFrom { location, read, write: Some(write) } => {
                unknown(format!("reads {location} {} {}", read.0, write.0))
            }
            Atom::ReadsFrom { location, read, write: None } => {
                unknown(format!("reads {location} {} -", read.0))
            }
            Atom::Wakes { signal, wait } => unknown(format!("wakes {} {}", signal.0, wait.0)),
            Atom::Choice(number) => unknown(format!("choice {number}")),
            Atom::Before(..) => unreachable!("orders were taken care of"),
        };
        if literal.positive { truth } else { self.terms.not(truth) }
    }

    fn clause(&self, clause: &[Literal]) -> Term {
        self.terms.any(clause.iter().map(|literal| self.literal(*literal)))
    }

    fn system(&self, system: &System) -> Vec<Term> {
        let edges = system.edges.iter().map(|(earlier, later)| self.before(*earlier, *later));
        edges.chain(system.clauses.iter().map(|clause| self.clause(clause))).collect()
    }
}

/// The system in SMT-LIB, with `(check-sat)`: satisfiable if there is an execution.
pub fn to_smtlib(problem: &Problem, system: &System) -> String {
    query_to_smtlib(&problem.terms, &Encoding::new(problem).system(system))
}

/// Z3, given the system as terms.
pub struct Clocks<'p> {
    problem: &'p Problem,
    encoding: Encoding,
    constraints: Vec<Term>,
    wakes: Vec<(EventId, EventId)>,
    plain: Z3Solver,
    /// The solver where there are floats; it gives no cores.
    floats: Option<FloatQueries<Z3Solver>>,
    /// Whether the system is beyond [`MOST_CLAUSES`].
    is_too_large: bool,
    stop: StopToken,
}

/// How many clauses Z3 is given, with the memory that it may take.
fn most_clauses(options: &Z3Options) -> usize {
    let mebibytes = options.memory_mebibytes.map_or(usize::MAX, |mebibytes| mebibytes as usize);
    MOST_CLAUSES.min(mebibytes.saturating_mul(CLAUSES_A_MEBIBYTE))
}

impl<'p> Clocks<'p> {
    /// An engine for a system.
    pub fn new(problem: &'p Problem, system: &System, options: Z3Options) -> Self {
        Self::stopped_by(problem, system, options, StopToken::default())
    }

    /// The same, which ends with other work.
    pub fn stopped_by(problem: &'p Problem, system: &System, options: Z3Options, stop: StopToken) -> Self {
        let encoding = Encoding::new(problem);
        let clauses = system.edges.len() + system.clauses.len();
        let is_too_large = system.is_truncated || clauses > most_clauses(&options);
        let constraints = if is_too_large { Vec::new() } else { encoding.system(system) };
        let terms = &problem.terms;
        let (inner, outer) = (stop.clone(), options.stop.clone());
        let either = StopToken::when(move || outer.reason().or_else(|| inner.reason()));
        let (most_guards, most_expressions) = (usize::MAX, usize::MAX);
        let options = Z3Options { most_guards, most_expressions, stop: either, ..options };
        let z3 = || Z3Solver::new(terms.clone(), options.clone());
        let has_floats = crate::synthesis::engines::order_theory::has_floats(terms, &constraints);
        let floats = has_floats.then(|| FloatQueries::new(terms.clone(), options.clone(), z3()));
        let mut engine = Self {
            problem,
            encoding,
            constraints,
            wakes: Vec::new(),
            plain: z3(),
            floats,
            is_too_large,
            stop,
        };
        let clauses = system.clauses.iter().filter(|_| !is_too_large);
        clauses.for_each(|clause| engine.note_wakes(clause));
        engine
    }

    fn note_wakes(&mut self, clause: &[Literal]) {
        self.wakes.extend(clause.iter().filter_map(|literal| match literal.atom {
            Atom::Wakes { signal, wait } => Some((signal, wait)),
            _ => None,
        }));
        self.wakes.sort_unstable();
        self.wakes.dedup();
    }

    fn model(&self, values: &Assignment) -> Model {
        let terms = &self.problem.terms;
        let clock = |event: &EventId| {
            let value = evaluate(terms, self.encoding.clocks[event.index()], values);
            value.to_u64().unwrap_or(u64::MAX)
        };
        let mut order: Vec<EventId> = self.problem.events().collect();
        order.sort_by_key(clock);
        let woken = |(signal, wait): &(EventId, EventId)| {
            let wakes = Literal::of(Atom::Wakes { signal: *signal, wait: *wait });
            !evaluate(terms, self.encoding.literal(wakes), values).is_zero()
        };
        let wakes = self.wakes.iter().copied().filter(woken).collect();
        let inputs = self.problem.inputs().chain(self.problem.free_symbols());
        let inputs = inputs.map(|symbol| (symbol, evaluate(terms, symbol, values))).collect();
        Model { order, wakes, inputs, moves: None }
    }
}

impl Engine for Clocks<'_> {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn add(&mut self, clause: &[Literal]) {
        self.constraints.push(self.encoding.clause(clause));
        self.note_wakes(clause);
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Answer {
        if let Some(reason) = self.stop.reason() {
            return Answer::Unknown(reason.into());
        }
        if self.is_too_large {
            return Answer::Unknown(Unknown::ClauseLimit);
        }
        let assumed: Vec<Term> = assumptions.iter().map(|literal| self.encoding.literal(*literal)).collect();
        let query: Vec<Term> = self.constraints.iter().chain(&assumed).copied().collect();
        let answer = match &mut self.floats {
            Some(floats) => floats.check(&query),
            None => self.plain.check(&query),
        };
        match answer {
            solver::Answer::Sat(values) => Answer::Model(self.model(&values)),
            solver::Answer::Unsat => {
                let failed = self.plain.failed();
                let needed = |(_, term): &(&Literal, &Term)| self.floats.is_some() || failed.contains(term);
                let core = assumptions.iter().zip(&assumed).filter(needed);
                Answer::Core(core.map(|(literal, _)| *literal).collect())
            }
            solver::Answer::Unknown(undecided) => Answer::Unknown(Unknown::Solver(undecided)),
        }
    }

    fn stop(&self) -> StopToken {
        self.stop.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z3_is_given_no_more_clauses_than_it_has_memory_for() {
        let with = |memory_mebibytes| most_clauses(&Z3Options { memory_mebibytes, ..Z3Options::default() });
        assert_eq!(with(Some(100)), 25_600);
        assert_eq!(with(Some(4_096)), MOST_CLAUSES);
        assert_eq!(with(None), MOST_CLAUSES);
    }
}
