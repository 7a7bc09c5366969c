//! Z3 at the bottom of the stack: one incremental solver an object, constraints guarded by literals.
//!
//! Every constraint is asserted once, as the consequence of a fresh literal; a query assumes the literals
//! of its constraints. Lemmas that Z3 learns stay valid for all later queries, and the path's common prefix
//! is never asserted again. When literals pile up, the solver starts afresh.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::z3::ast::{BV, Bool};
use ::z3::{Params, SatResult};
use rustc_hash::FxHashMap;

use super::cutoff::watched;
use super::z3_encoding::{Encoding, symbols_of};
use super::z3_memory::{OutOfMemory, within_memory};
use super::{Answer, Model, Solver, SolverStatistics, Undecided};
use crate::{BitVector, Evaluator, StopReason, StopToken, Term, Terms};

/// Settings of the Z3 layer.
#[derive(Clone, Debug)]
pub struct Z3Options {
    /// Milliseconds after which a query is answered by `Unknown("timeout")`; without limit if none.
    pub timeout_milliseconds: Option<u32>,
    /// MiB that Z3 may have in all, after which queries are answered by `Unknown`, also later ones;
    /// without limit if none.
    pub memory_mebibytes: Option<u32>,
    /// How many guarded constraints are kept before the solver starts afresh; for larger queries, twice
    /// the query's own. Z3 looks at all of them in every query: as unrelated ones grew to 2,000, a query
    /// took 40 ms in the mean.
    pub most_guards: usize,
    /// How many encoded terms are kept before the solver starts afresh.
    pub most_expressions: usize,
    /// The token that ends queries from outside.
    pub stop: StopToken,
}

impl Default for Z3Options {
    fn default() -> Self {
        Z3Options {
            timeout_milliseconds: Some(30_000),
            memory_mebibytes: Some(4096),
            most_guards: 128,
            most_expressions: 1 << 20,
            stop: StopToken::default(),
        }
    }
}

impl Z3Options {
    /// Sets a solver's limits. The limit on memory is the process's: Z3 has no other.
    pub(super) fn bound(&self, solver: &::z3::Solver) {
        if let Some(mebibytes) = self.memory_mebibytes {
            ::z3::set_global_param("memory_max_size", &mebibytes.to_string());
        }
        let mut parameters = Params::new();
        // Z3 would take the signal for itself as long as a query runs, and the process would not hear of it.
        parameters.set_bool("ctrl_c", false);
        if let Some(milliseconds) = self.timeout_milliseconds {
            parameters.set_u32("timeout", milliseconds);
        }
        solver.set_params(&parameters);
    }

    /// Why a query stayed undecided.
    pub(super) fn reason(&self, solver: &::z3::Solver) -> Undecided {
        if let Some(reason) = self.stop.reason() {
            return reason.into();
        }
        let reason = solver.get_reason_unknown().unwrap_or_default();
        match reason.as_str() {
            // Z3 says "canceled" where the time given to it ran out.
            "timeout" | "canceled" => "timeout".into(),
            _ => reason.into(),
        }
    }

    /// The answer to a query for which there was too little memory.
    pub(super) fn out_of_memory(&self) -> Answer {
        let limit =
            self.memory_mebibytes.map_or(String::new(), |limit| format!(", which is given {limit} MiB"));
        Answer::Unknown(format!("max-memory: no more memory for Z3{limit}").into())
    }
}

/// Version of the Z3 library that is really linked, as major and minor number.
pub fn z3_version() -> Option<(u32, u32)> {
    let text = ::z3::full_version();
    let digits = text.find(|character: char| character.is_ascii_digit())?;
    let mut numbers = text[digits..].split(|character: char| !character.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Version of the Z3 library that is really linked, as it says itself: `Z3 5.0.0`.
pub fn z3_full_version() -> String {
    let text = ::z3::full_version();
    let version = text.trim_start_matches("Z3").trim();
    format!("Z3 {}", version.split_whitespace().next().unwrap_or("of unknown version"))
}

/// Z3's own answer to a script in SMT-LIB: whether its assertions can hold together, if it knows.
pub fn z3_on_script(script: &str) -> Option<bool> {
    let solver = ::z3::Solver::new();
    solver.from_string(script);
    match solver.check() {
        SatResult::Sat => Some(true),
        SatResult::Unsat => Some(false),
        SatResult::Unknown => None,
    }
}

/// The Z3 layer. It stays on the thread that made it, whose Z3 context it uses.
#[derive(Debug)]
pub struct Z3Solver {
    terms: Arc<Terms>,
    options: Z3Options,
    /// Made for the first query: most runs on concrete inputs have none, and a context takes 16 MiB.
    solver: Option<::z3::Solver>,
    encoding: Encoding,
    /// How many encoded terms Z3 has been asked about.
    simplified: usize,
    guards: FxHashMap<Term, Bool>,
    queries: u64,
    unknown: u64,
    time: Duration,
}

/// Bytes that Z3's simplifier takes for an encoded term, without looking for an interruption: 298 MiB for
/// 400,000 were measured.
const SIMPLIFIED_BYTES: u64 = 784;

fn fresh_solver(options: &Z3Options) -> ::z3::Solver {
    // The solver made for bit vectors is a SAT solver below: on choices from tables twenty
    // times the general one.
    let solver = ::z3::Solver::new_for_logic("QF_BV").unwrap_or_default();
    options.bound(&solver);
    solver
}

impl Z3Solver {
    /// A solver for terms of this pool.
    pub fn new(terms: Arc<Terms>, options: Z3Options) -> Self {
        Z3Solver {
            terms,
            options,
            solver: None,
            encoding: Encoding::default(),
            simplified: 0,
            guards: FxHashMap::default(),
            queries: 0,
            unknown: 0,
            time: Duration::ZERO,
        }
    }

    fn solver(&mut self) -> &::z3::Solver {
        self.solver.get_or_insert_with(|| fresh_solver(&self.options))
    }

    fn guard(&mut self, constraint: Term) -> Result<Bool, StopReason> {
        if let Some(guard) = self.guards.get(&constraint) {
            return Ok(guard.clone());
        }
        let truth = self.encoding.truth(&self.terms, constraint, &self.options.stop)?;
        let guard = Bool::fresh_const("guard");
        self.solver().assert(guard.implies(truth));
        self.guards.insert(constraint, guard.clone());
        Ok(guard)
    }

    /// Constraints that together contradict each other, of the query just answered by [`Answer::Unsat`]; all
    /// there are where Z3 has no memory to report them.
    pub fn failed(&mut self) -> Vec<Term> {
        let Ok(core) = within_memory(|| self.solver().get_unsat_core()) else {
            return self.guards.keys().copied().collect();
        };
        let needed = |(_, guard): &(&Term, &Bool)| core.contains(guard);
        self.guards.iter().filter(needed).map(|(constraint, _)| *constraint).collect()
    }

    fn start_afresh(&mut self) {
        self.guards.clear();
        self.encoding.clear();
        self.simplified = 0;
        self.solver = None;
    }

    fn decide(&mut self, constraints: &[Term]) -> Answer {
        let most_guards = self.options.most_guards.max(2 * constraints.len());
        let crowded = self.guards.len() + constraints.len() > most_guards
            || self.encoding.len() > self.options.most_expressions;
        if crowded {
            self.start_afresh();
        }
        let assumptions = match self.assumptions(constraints) {
            Ok(assumptions) => assumptions,
            Err(reason) => {
                self.start_afresh();
                return Answer::Unknown(Undecided::Stopped(reason));
            }
        };
        let stop = self.options.stop.clone();
        match watched(&stop, || self.solver().check_assumptions(&assumptions)) {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => self.model(constraints),
            SatResult::Unknown => {
                let options = self.options.clone();
                let reason = options.reason(self.solver());
                // Constraints that were too hard once would burden all later queries.
                self.start_afresh();
                Answer::Unknown(reason)
            }
        }
    }

    /// The guards of the constraints, once there is memory for what Z3 makes of them.
    fn assumptions(&mut self, constraints: &[Term]) -> Result<Vec<Bool>, StopReason> {
        let guards: Vec<Bool> =
            constraints.iter().map(|constraint| self.guard(*constraint)).collect::<Result<_, _>>()?;
        let fresh = self.encoding.len() - self.simplified;
        // Encoding has taken memory that was not asked for: what is left is measured first.
        self.options.stop.check()?;
        self.options.stop.ask(fresh as u64 * SIMPLIFIED_BYTES)?;
        self.simplified = self.encoding.len();
        Ok(guards)
    }

    fn model(&mut self, constraints: &[Term]) -> Answer {
        let Some(model) = self.solver().get_model() else {
            return Answer::Unknown("Z3 found the query satisfiable but gave no model".into());
        };
        let mut assignment = crate::Assignment::new();
        let mut is_whole = true;
        for symbol in symbols_of(&self.terms, constraints) {
            let width = self.terms.width(symbol);
            let value = value_in(&model, &self.encoding.symbol(&self.terms, symbol), width);
            is_whole &= value.is_some();
            assignment.set(symbol, value.unwrap_or_else(|| BitVector::zero(width)));
        }
        // A symbol that the model leaves out may have any value, unless Z3 was interrupted before it came to
        // it.
        let mut evaluator = Evaluator::new(&self.terms, &assignment);
        if is_whole || constraints.iter().all(|constraint| evaluator.is_true(*constraint)) {
            return Answer::Sat(Model::new(assignment));
        }
        self.start_afresh();
        Answer::Unknown(match self.options.stop.reason() {
            Some(reason) => Undecided::Stopped(reason),
            None => "Z3's model does not satisfy the query".into(),
        })
    }
}

/// The value that a model has for a constant, or gives a term over constants, if it has one. Constants are
/// looked up: having Z3 evaluate something fails if an interruption has come late.
pub(super) fn value_in(model: &::z3::Model, constant: &BV, width: u32) -> Option<BitVector> {
    let numeral = model.get_const_interp(constant).or_else(|| model.eval(constant, true))?;
    if width <= 64 {
        return numeral.as_u64().map(|value| BitVector::from_u64(width, value));
    }
    // Z3 writes numerals in hexadecimal where that is exact, else in binary.
    let text = numeral.to_string();
    let (digits, size) = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => (digits, 4),
        (_, Some(digits)) => (digits, 1),
        _ => return None,
    };
    let mut limbs = vec![0_u64; width.div_ceil(64) as usize];
    for (digit, at) in digits.chars().rev().zip((0..width).step_by(size)) {
        limbs[at as usize / 64] |= u64::from(digit.to_digit(1 << size)?) << (at % 64);
    }
    Some(BitVector::from_limbs(width, &limbs))
}

impl Solver for Z3Solver {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        let start = Instant::now();
        let answer = within_memory(|| self.decide(constraints)).unwrap_or_else(|OutOfMemory| {
            self.start_afresh();
            self.options.out_of_memory()
        });
        self.time += start.elapsed();
        self.queries += 1;
        self.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        answer
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics {
            solver_queries: self.queries,
            solver_unknown: self.unknown,
            solver_time: self.time,
            ..SolverStatistics::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_read_though_an_interruption_comes_late() {
        for width in [8, 64, 65, 128, 200] {
            let (solver, x) = (::z3::Solver::new(), BV::new_const("x", width));
            let bits: Vec<bool> = (0..width).map(|bit| bit % 3 == 0 || bit == width - 1).collect();
            let expected = BV::from_bits(&bits).expect("at least one bit");
            solver.assert(x.eq(&expected));
            assert_eq!(solver.check(), SatResult::Sat);
            let model = solver.get_model().expect("satisfiable");
            ::z3::Context::thread_local().handle().interrupt();
            let value = value_in(&model, &x, width).expect("the model has a value");
            assert!((0..width).all(|bit| value.bit(bit) == bits[bit as usize]), "{width}");
            assert_eq!(value_in(&model, &BV::new_const("y", width), width), None);
        }
    }
}
