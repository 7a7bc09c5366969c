//! Orders of unknowns: conjunctions of comparisons between numbers that can be anything.
//!
//! Queries of sorting, searching and ranges are of the form `a < b`, `a <= 7`, `a == b`. Every operand is a
//! constant or a number put together from whole symbols of its own. Read as differences (`b >= a + 1`), such
//! a conjunction has a least solution or none; `a != b` is `a < b` or `b < a`.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Answer, Model, Solver, SolverStatistics};
use crate::node::{BinaryOperator, Node, UnaryOperator};
use crate::{Assignment, BitVector, Term, Terms, values::word};

/// How many ways of telling unequal numbers apart are tried before the query is left to the layers below.
const MOST_ATTEMPTS: u32 = 64;
/// Longer queries are left to the layers below: solving one takes quadratic time.
const MOST_CONSTRAINTS: usize = 512;
/// How many constraints are remembered; beyond, all are forgotten.
const MOST_RELATIONS: usize = 1 << 16;

/// The relation of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Less,
    LessEqual,
    Equal,
    Unequal,
}

/// A constraint as a comparison.
#[derive(Clone, Copy, Debug)]
struct Relation {
    left: Term,
    comparison: Comparison,
    right: Term,
    /// For `Less` and `LessEqual`: whether numbers are read as signed.
    signed: Option<bool>,
}

/// Decides conjunctions of comparisons between constants and numbers that share no symbol with each other.
#[derive(Debug)]
pub struct Orders<S> {
    terms: Arc<Terms>,
    below: S,
    /// Constraints met before; `None` for those that are no such comparison.
    known: FxHashMap<Term, Option<Relation>>,
    decided: u64,
}

impl<S: Solver> Orders<S> {
    /// A layer above `below`.
    pub fn new(terms: Arc<Terms>, below: S) -> Self {
        Orders { terms, below, known: FxHashMap::default(), decided: 0 }
    }

    fn relation(&mut self, constraint: Term) -> Option<Relation> {
        if let Some(known) = self.known.get(&constraint) {
            return *known;
        }
        if self.known.len() >= MOST_RELATIONS {
            self.known.clear();
        }
        let relation = relation_of(&self.terms, constraint);
        self.known.insert(constraint, relation);
        relation
    }

    fn decide(&mut self, constraints: &[Term]) -> Option<Answer> {
        if constraints.len() > MOST_CONSTRAINTS {
            return None;
        }
        // The newest constraint is the likeliest to be of another kind.
        let relations: Option<Vec<Relation>> =
            constraints.iter().rev().map(|constraint| self.relation(*constraint)).collect();
        let relations = relations?;
        let width = self.terms.width(relations.first()?.left);
        let mut signs = relations.iter().filter_map(|relation| relation.signed);
        let signed = signs.next().unwrap_or(false);
        if signs.any(|other| other != signed)
            || relations.iter().any(|relation| self.terms.width(relation.left) != width)
        {
            return None;
        }
        let mut system = System::new(width, signed);
        for relation in relations {
            let left = system.number(&self.terms, relation.left);
            let right = system.number(&self.terms, relation.right);
            system.relate(left, relation.comparison, right);
        }
        if !share_no_symbol(&self.terms, &system.unknowns) {
            return None;
        }
        let mut attempts = MOST_ATTEMPTS;
        match system.solve(&mut attempts)? {
            None => Some(Answer::Unsat),
            Some(values) => {
                let mut model = Assignment::new();
                for (unknown, value) in system.unknowns.iter().zip(values) {
                    if let Some(unknown) = unknown {
                        assign(&self.terms, *unknown, value as u64, &mut model);
                    }
                }
                Some(Answer::Sat(Model::new(model)))
            }
        }
    }
}

/// The constraint as a comparison of constants and numbers made of whole symbols, of at most 64 bits.
fn relation_of(terms: &Terms, constraint: Term) -> Option<Relation> {
    use BinaryOperator::{Equal, SignedLess, SignedLessEqual, UnsignedLess, UnsignedLessEqual};
    let (negated, comparison) = match *terms.node(constraint) {
        Node::Unary { operator: UnaryOperator::Not, operand, .. } => (true, operand),
        _ => (false, constraint),
    };
    let Node::Binary { operator, left, right, .. } = *terms.node(comparison) else { return None };
    let (comparison, signed) = match operator {
        Equal => (Comparison::Equal, None),
        UnsignedLess => (Comparison::Less, Some(false)),
        UnsignedLessEqual => (Comparison::LessEqual, Some(false)),
        SignedLess => (Comparison::Less, Some(true)),
        SignedLessEqual => (Comparison::LessEqual, Some(true)),
        _ => return None,
    };
    if terms.width(left) > 64 || !is_number(terms, left) || !is_number(terms, right) {
        return None;
    }
    Some(match (negated, comparison) {
        (false, comparison) => Relation { left, comparison, right, signed },
        (true, Comparison::Less) => {
            Relation { left: right, comparison: Comparison::LessEqual, right: left, signed }
        }
        (true, Comparison::LessEqual) => {
            Relation { left: right, comparison: Comparison::Less, right: left, signed }
        }
        (true, _) => Relation { left, comparison: Comparison::Unequal, right, signed },
    })
}

/// Whether a term is a constant, or takes every value of its width: a symbol or a row of different symbols.
fn is_number(terms: &Terms, term: Term) -> bool {
    if terms.is_constant(term) {
        return true;
    }
    let mut seen = FxHashSet::default();
    parts(terms, term, &mut |symbol| seen.insert(symbol))
}

/// Calls `visit` with the symbols a number is made of, the most significant first, until it returns false.
/// Returns whether that and everything else went well: the term is nothing but a row of symbols.
fn parts(terms: &Terms, term: Term, visit: &mut impl FnMut(Term) -> bool) -> bool {
    let mut rest = term;
    // Rows of parts nest to the right.
    while let Node::Concat { high, low, .. } = *terms.node(rest) {
        if !matches!(terms.node(high), Node::Symbol { .. }) || !visit(high) {
            return false;
        }
        rest = low;
    }
    matches!(terms.node(rest), Node::Symbol { .. }) && visit(rest)
}

fn share_no_symbol(terms: &Terms, unknowns: &[Option<Term>]) -> bool {
    let mut seen = FxHashSet::default();
    unknowns.iter().flatten().all(|unknown| parts(terms, *unknown, &mut |symbol| seen.insert(symbol)))
}

/// Gives the symbols of a number the values that make it `value`.
fn assign(terms: &Terms, number: Term, value: u64, model: &mut Assignment) {
    let mut left = terms.width(number);
    parts(terms, number, &mut |symbol| {
        let width = terms.width(symbol);
        left -= width;
        model.set(symbol, BitVector::from_u64(width, value >> left));
        true
    });
}

/// Numbers between bounds, and the least distances between them.
struct System {
    width: u32,
    signed: bool,
    /// The unknown that a number is; `None` for constants.
    unknowns: Vec<Option<Term>>,
    places: FxHashMap<Term, usize>,
    bounds: Vec<(i128, i128)>,
    /// `(a, b, d)`: number `b` is at least number `a` plus `d`.
    distances: Vec<(usize, usize, i128)>,
    unequal: Vec<(usize, usize)>,
}

impl System {
    fn new(width: u32, signed: bool) -> Self {
        System {
            width,
            signed,
            unknowns: Vec::new(),
            places: FxHashMap::default(),
            bounds: Vec::new(),
            distances: Vec::new(),
            unequal: Vec::new(),
        }
    }

    /// The place of a constant or an unknown.
    fn number(&mut self, terms: &Terms, term: Term) -> usize {
        if let Some(place) = self.places.get(&term) {
            return *place;
        }
        let place = self.bounds.len();
        self.places.insert(term, place);
        if let Some(value) = terms.as_constant(term) {
            let value =
                if self.signed { i128::from(word::signed(self.width, value)) } else { i128::from(value) };
            self.unknowns.push(None);
            self.bounds.push((value, value));
        } else {
            let half = 1_i128 << (self.width - 1);
            self.unknowns.push(Some(term));
            self.bounds.push(if self.signed { (-half, half - 1) } else { (0, 2 * half - 1) });
        }
        place
    }

    fn relate(&mut self, left: usize, comparison: Comparison, right: usize) {
        match comparison {
            Comparison::Less => self.distances.push((left, right, 1)),
            Comparison::LessEqual => self.distances.push((left, right, 0)),
            Comparison::Equal => self.distances.extend([(left, right, 0), (right, left, 0)]),
            Comparison::Unequal => self.unequal.push((left, right)),
        }
    }

    /// The least values that keep all distances; none if there are none within the bounds.
    fn least(&self) -> Option<Vec<i128>> {
        let mut values: Vec<i128> = self.bounds.iter().map(|bounds| bounds.0).collect();
        // A distance can propagate through at most all numbers; values that still grow then, grow forever.
        for _ in 0..=values.len() {
            let mut changed = false;
            for &(from, to, distance) in &self.distances {
                let least = values[from] + distance;
                if least > values[to] {
                    if least > self.bounds[to].1 {
                        return None;
                    }
                    values[to] = least;
                    changed = true;
                }
            }
            if !changed {
                return Some(values);
            }
        }
        None
    }

    /// Values that satisfy everything, or none if there are none. `None` once no attempts are left.
    fn solve(&mut self, attempts: &mut u32) -> Option<Option<Vec<i128>>> {
        *attempts = attempts.checked_sub(1)?;
        let Some(values) = self.least() else { return Some(None) };
        let equal = self.unequal.iter().find(|(one, other)| values[*one] == values[*other]);
        let Some(&(one, other)) = equal else { return Some(Some(values)) };
        if one == other {
            return Some(None);
        }
        for (less, more) in [(one, other), (other, one)] {
            self.distances.push((less, more, 1));
            let found = self.solve(attempts);
            self.distances.pop();
            match found? {
                Some(values) => return Some(Some(values)),
                None => continue,
            }
        }
        Some(None)
    }
}

impl<S: Solver> Solver for Orders<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        self.check_connected(constraints)
    }

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        match self.decide(constraints) {
            Some(answer) => {
                self.decided += 1;
                answer
            }
            None => self.below.check_connected(constraints),
        }
    }

    fn statistics(&self) -> SolverStatistics {
        let below = self.below.statistics();
        SolverStatistics { decided: below.decided + self.decided, ..below }
    }
}
