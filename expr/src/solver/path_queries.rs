//! The questions of an interpreter about a path: which way a branch can go, what a term can be.

use std::sync::Arc;

use thiserror::Error;

use super::answers::{Answers, Fingerprint};
use super::independence::connected;
use super::{Answer, Model, Solver, Undecided};
use crate::{BitVector, Evaluator, PathCondition, StopReason, StopToken, SymbolSets, Term, Terms, evaluate};

/// Which ways a condition can go under a path condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Branch {
    /// It always holds.
    True,
    /// It never holds.
    False,
    /// It may hold or not.
    Both,
    /// The solver could not decide one of the sides, for this reason.
    Unknown(Undecided),
}

/// Why there is no value to give.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unresolved {
    /// No execution takes the path.
    #[error("the path condition is unsatisfiable")]
    Infeasible,
    /// The solver gave up.
    #[error("the solver could not decide: {0}")]
    Unknown(#[from] Undecided),
}

/// Questions about paths, put to a solver.
///
/// Every path condition passed in must be satisfiable: only the constraints connected with the question are
/// looked at. An interpreter's are, if it forks only where both sides can be reached.
#[derive(Debug)]
pub struct PathQueries<S> {
    terms: Arc<Terms>,
    solver: S,
    symbols: SymbolSets,
    answers: Answers,
    leaves_unanswered: bool,
    /// The token that ends the search for a question's slice; queries are ended by the solver's own.
    stop: StopToken,
}

/// The constraints of a path that share symbols with a question, directly or through others.
struct Slice {
    /// Oldest first; room for the question after them.
    constraints: Vec<Term>,
    fingerprint: Fingerprint,
}

impl<S: Solver> PathQueries<S> {
    /// Questions about terms of this pool.
    pub fn new(terms: Arc<Terms>, solver: S) -> Self {
        PathQueries {
            terms,
            solver,
            symbols: SymbolSets::new(),
            answers: Answers::default(),
            leaves_unanswered: false,
            stop: StopToken::default(),
        }
    }

    /// The same, ended from outside.
    pub fn until(self, stop: StopToken) -> Self {
        Self { stop, ..self }
    }

    /// Sets whether questions stay unanswered, for callers that would rather abandon an attempt than wait
    /// for a solver.
    pub fn leave_unanswered(&mut self, leaves_unanswered: bool) {
        self.leaves_unanswered = leaves_unanswered;
    }

    /// The solver itself, for queries of another kind.
    pub fn solver(&mut self) -> &mut S {
        &mut self.solver
    }

    /// The constraints that share symbols with `about`; on a path that is false on its face, that.
    fn slice(&mut self, path: &PathCondition, about: Term) -> Result<Slice, StopReason> {
        self.stop.check()?;
        let mut slice = Slice { constraints: Vec::new(), fingerprint: Fingerprint::default() };
        if path.is_contradictory() {
            slice.constraints.push(Term::FALSE);
            slice.fingerprint = slice.fingerprint.with(Term::FALSE);
        } else if path.support().meets(self.terms.support(about)) {
            slice.constraints = connected(&self.terms, &mut self.symbols, path, about, &self.stop)?;
            for constraint in &slice.constraints {
                slice.fingerprint = slice.fingerprint.with(*constraint);
            }
        }
        Ok(slice)
    }

    /// A model of the slice alone, if one is at hand.
    fn model_at_hand(&self, slice: &Slice) -> Option<Model> {
        if slice.constraints.is_empty() {
            return Some(Model::default());
        }
        self.answers.model(slice.fingerprint)
    }

    /// Puts slice and condition to the solver.
    fn solve(&mut self, slice: &mut Slice, condition: Term) -> Answer {
        if condition == Term::TRUE || condition == Term::FALSE {
            return self.solver.check(&[&slice.constraints[..], &[condition]].concat());
        }
        slice.constraints.push(condition);
        let answer = self.solver.check_connected(&slice.constraints);
        slice.constraints.pop();
        self.answers.insert(slice.fingerprint.with(condition), &answer);
        answer
    }

    /// Asks whether the slice and the condition can hold together.
    fn ask(&mut self, slice: &mut Slice, condition: Term) -> Answer {
        if self.leaves_unanswered {
            return Answer::Unknown("no query was made".into());
        }
        if let Some(answer) = self.answers.get(slice.fingerprint.with(condition)) {
            return answer;
        }
        if let Some(model) = self.model_at_hand(slice)
            && Evaluator::new(&self.terms, &model).is_true(condition)
        {
            let answer = Answer::Sat(model);
            self.answers.insert(slice.fingerprint.with(condition), &answer);
            return answer;
        }
        self.solve(slice, condition)
    }

    /// Which ways the condition can go. It takes at most two queries, or one where the first side is
    /// impossible or a model at hand shows that one side is possible.
    pub fn branch(&mut self, path: &PathCondition, condition: Term) -> Branch {
        if let Some(holds) = path.decided(&self.terms, condition) {
            return if holds { Branch::True } else { Branch::False };
        }
        let negation = self.terms.not(condition);
        let mut slice = match self.slice(path, condition) {
            Ok(slice) => slice,
            Err(reason) => return Branch::Unknown(reason.into()),
        };
        match self.ask(&mut slice, condition) {
            Answer::Unsat => Branch::False,
            Answer::Sat(_) => match self.ask(&mut slice, negation) {
                Answer::Unsat => Branch::True,
                Answer::Sat(_) => Branch::Both,
                Answer::Unknown(reason) => Branch::Unknown(reason),
            },
            Answer::Unknown(reason) => match self.ask(&mut slice, negation) {
                Answer::Unsat => Branch::True,
                _ => Branch::Unknown(reason),
            },
        }
    }

    /// Whether the condition can hold on the path.
    pub fn may_be_true(&mut self, path: &PathCondition, condition: Term) -> Result<bool, Unresolved> {
        let mut slice = self.slice(path, condition).map_err(Undecided::from)?;
        match self.ask(&mut slice, condition) {
            Answer::Sat(_) => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// Whether the condition holds however the path is taken.
    pub fn must_be_true(&mut self, path: &PathCondition, condition: Term) -> Result<bool, Unresolved> {
        let negation = self.terms.not(condition);
        self.may_be_true(path, negation).map(|may| !may)
    }

    /// A model of the whole path condition: inputs that take the path.
    pub fn model(&mut self, path: &PathCondition) -> Result<Model, Unresolved> {
        match self.solver.check(&path.to_vec()) {
            Answer::Sat(model) => Ok(model),
            Answer::Unsat => Err(Unresolved::Infeasible),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// One value that the term can have.
    pub fn value(&mut self, path: &PathCondition, term: Term) -> Result<BitVector, Unresolved> {
        self.value_where(path, term, Term::TRUE)?.ok_or(Unresolved::Infeasible)
    }

    fn value_where(
        &mut self,
        path: &PathCondition,
        term: Term,
        condition: Term,
    ) -> Result<Option<BitVector>, Unresolved> {
        if let Some(value) = self.terms.as_bitvector(term) {
            return Ok((condition == Term::TRUE).then_some(value));
        }
        let mut slice = self.slice(path, term).map_err(Undecided::from)?;
        match self.ask(&mut slice, condition) {
            Answer::Sat(model) => Ok(Some(evaluate(&self.terms, term, &model))),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// All values the term can have, up to `limit` of them; whether these are all.
    pub fn values(
        &mut self,
        path: &PathCondition,
        term: Term,
        limit: usize,
    ) -> Result<(Vec<BitVector>, bool), Unresolved> {
        let mut found = Vec::new();
        let mut other = Term::TRUE;
        while let Some(value) = self.value_where(path, term, other)? {
            if found.len() == limit {
                return Ok((found, false));
            }
            other = self.terms.and(other, self.terms.not_equal(term, self.terms.bitvector(&value)));
            found.push(value);
            if other == Term::FALSE || self.terms.is_constant(term) {
                break;
            }
        }
        if found.is_empty() { Err(Unresolved::Infeasible) } else { Ok((found, true)) }
    }

    /// The least and the greatest unsigned value of a term of at most 64 bits, by bisection.
    ///
    /// # Panics
    /// If the term is wider.
    pub fn unsigned_range(&mut self, path: &PathCondition, term: Term) -> Result<(u64, u64), Unresolved> {
        let width = self.terms.width(term);
        assert!(width <= 64, "a range is computed for at most 64 bits");
        let example = self.value(path, term)?.to_u64().unwrap_or(0);
        let least = self.least_from(path, term, (0, example))?;
        let (mut greatest, mut above) = (example, u64::MAX >> (64 - width));
        while greatest < above {
            let middle = above - (above - greatest) / 2;
            let bound = self.terms.constant(width, middle);
            match self.value_where(path, term, self.terms.unsigned_less_equal(bound, term))? {
                Some(value) => greatest = value.to_u64().unwrap_or(middle),
                None => above = middle - 1,
            }
        }
        Ok((least, greatest))
    }

    /// An unsigned value of a term of at most 64 bits that is at most `low`, if it has one; else its least.
    /// The term can be `example`.
    pub fn low_value(
        &mut self,
        path: &PathCondition,
        term: Term,
        (low, example): (u64, u64),
    ) -> Result<u64, Unresolved> {
        let width = self.terms.width(term);
        let bound = self.terms.constant(width, low.min(u64::MAX >> (64 - width)));
        if let Some(value) = self.value_where(path, term, self.terms.unsigned_less_equal(term, bound))? {
            return Ok(value.to_u64().unwrap_or(low));
        }
        self.least_from(path, term, (low.saturating_add(1), example))
    }

    /// The least unsigned value of a term, by bisection: none is less than `below`, and it can be `least`.
    fn least_from(
        &mut self,
        path: &PathCondition,
        term: Term,
        (mut below, mut least): (u64, u64),
    ) -> Result<u64, Unresolved> {
        let width = self.terms.width(term);
        while below < least {
            let middle = below + (least - below) / 2;
            let bound = self.terms.constant(width, middle);
            match self.value_where(path, term, self.terms.unsigned_less_equal(term, bound))? {
                Some(value) => least = value.to_u64().unwrap_or(middle),
                None => below = middle + 1,
            }
        }
        Ok(least)
    }
}
