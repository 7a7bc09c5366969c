//! Comparisons of a monotone operation with a constant: the operation goes, the constant moves.
//!
//! Rounding is monotone, so `x * 100 < c` holds up to some `x` and not beyond it. So do sums, quotients by a
//! constant, roots, roundings and conversions. The last value for which it holds is found by bisection with
//! the operator itself: exact, whatever the rounding does.

use crate::node::{Node, Term};
use crate::pool::Terms;
use crate::values::bitvector::BitVector;

use super::rules::word;
use crate::float_operator::{FloatFormat, FloatOperator};

/// How the comparison goes: the operation's result stands on the left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// The values of the one symbolic operand, in order.
#[derive(Clone, Copy)]
enum Domain {
    /// Numbers of a format from the given one up, infinities included.
    Floats(FloatFormat, Bottom),
    /// Integers.
    Integers { bits: u32, signed: bool },
}

/// The least number of a domain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bottom {
    MinusInfinity,
    MinusZero,
}

impl Domain {
    /// The first and the last key; keys are in order of value.
    fn keys(self) -> (i128, i128) {
        match self {
            Domain::Floats(format, Bottom::MinusInfinity) => {
                (-(format.infinity() as i128) - 1, format.infinity() as i128)
            }
            Domain::Floats(format, Bottom::MinusZero) => (-1, format.infinity() as i128),
            Domain::Integers { bits, signed: true } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Domain::Integers { bits, signed: false } => (0, (1 << bits) - 1),
        }
    }

    /// The pattern of a key.
    fn pattern(self, key: i128) -> u128 {
        match self {
            Domain::Floats(format, _) if key < 0 => format.sign_bit() | (-(key + 1)) as u128,
            Domain::Floats(..) => key as u128,
            Domain::Integers { bits, .. } => key as u128 & (u128::MAX >> (128 - bits)),
        }
    }
}

/// A monotone operation on one symbolic operand.
struct Monotone {
    operator: FloatOperator,
    /// The operands; the symbolic one's place holds anything.
    operands: [u128; 3],
    place: usize,
    source: Term,
    domain: Domain,
    increasing: bool,
}

impl Monotone {
    fn at(&self, key: i128) -> u128 {
        let mut operands = self.operands;
        operands[self.place] = self.domain.pattern(key);
        self.operator.apply(operands)
    }

    /// The first key for which `holds` of the result, as it does of all later ones; one past the
    /// last if of none.
    fn first(&self, holds: impl Fn(u128) -> bool) -> i128 {
        let (mut low, last) = self.domain.keys();
        let mut high = last + 1;
        while low < high {
            // Their mean, rounded down; the keys of quads are too far apart to be subtracted.
            let middle = (low & high) + ((low ^ high) >> 1);
            if holds(self.at(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

impl Terms {
    /// `term relation bound` without the operation that `term` is, if that is monotone.
    pub(super) fn float_monotone_rule(
        &self,
        format: FloatFormat,
        term: Term,
        relation: Relation,
        bound: u128,
    ) -> Option<Term> {
        let operation = self.monotone(format, term)?;
        let less = |result| FloatOperator::Less(format).apply([result, bound, 0]) == 1;
        let less_equal = |result| FloatOperator::LessEqual(format).apply([result, bound, 0]) == 1;
        let (first, last) = operation.domain.keys();
        // Where the results reach the bound, and where they pass it.
        let (reached, passed) = if operation.increasing {
            (operation.first(|result| !less(result)), operation.first(|result| !less_equal(result)))
        } else {
            (operation.first(less_equal), operation.first(less))
        };
        let upwards = operation.increasing;
        let (from, until) = match relation {
            Relation::Equal => (reached, passed),
            Relation::Less if upwards => (first, reached),
            Relation::LessEqual if upwards => (first, passed),
            Relation::Greater if upwards => (passed, last + 1),
            Relation::GreaterEqual if upwards => (reached, last + 1),
            Relation::Less => (passed, last + 1),
            Relation::LessEqual => (reached, last + 1),
            Relation::Greater => (first, reached),
            Relation::GreaterEqual => (first, passed),
        };
        Some(self.in_keys(operation.source, operation.domain, from, until))
    }

    /// The condition that the source's key is at least `from` and below `until`.
    fn in_keys(&self, source: Term, domain: Domain, from: i128, until: i128) -> Term {
        if from >= until {
            return Term::FALSE;
        }
        let (first, last) = domain.keys();
        let constant = |key| {
            let pattern = domain.pattern(key);
            self.bitvector(&BitVector::from_limbs(
                self.width(source),
                &[pattern as u64, (pattern >> 64) as u64],
            ))
        };
        let (lower, upper) = (constant(from), constant(until - 1));
        match domain {
            Domain::Integers { signed, .. } => {
                let order = |a, b| {
                    if signed { self.signed_less_equal(a, b) } else { self.unsigned_less_equal(a, b) }
                };
                self.and(order(lower, source), order(source, upper))
            }
            Domain::Floats(format, bottom) => {
                let order = |a, b| self.float(FloatOperator::LessEqual(format), &[a, b]);
                let below = (until <= last).then(|| order(source, upper));
                let above = (from > first || bottom == Bottom::MinusZero).then(|| order(lower, source));
                match (above, below) {
                    (Some(above), Some(below)) => self.and(above, below),
                    (Some(one), None) | (None, Some(one)) => one,
                    // Everything but NaN.
                    (None, None) => self.float(FloatOperator::Equal(format), &[source, source]),
                }
            }
        }
    }

    /// The term as a monotone operation that gives a number for every number of its domain.
    fn monotone(&self, format: FloatFormat, term: Term) -> Option<Monotone> {
        use FloatOperator::*;
        let Node::Float { operator, operands: [Some(left), right, None] } = *self.node(term) else {
            return None;
        };
        // Patterns of 80 bits are not in order of value.
        let orderly = |format: FloatFormat| !format.stores_integer_bit();
        if operator.result_format() != Some(format) || !operator.operand_format().is_none_or(orderly) {
            return None;
        }
        let everything = Domain::Floats(operator.operand_format().unwrap_or(format), Bottom::MinusInfinity);
        let one = |domain, source| Monotone {
            operator,
            operands: [0; 3],
            place: 0,
            source,
            domain,
            increasing: true,
        };
        let Some(right) = right else {
            return match operator {
                Round(..) | Convert { .. } => Some(one(everything, left)),
                SquareRoot(format) => Some(one(Domain::Floats(format, Bottom::MinusZero), left)),
                FromInteger { bits, signed, .. } if bits <= 64 => {
                    Some(one(Domain::Integers { bits: bits.into(), signed }, left))
                }
                _ => None,
            };
        };
        let (place, source, constant) = match (self.as_bitvector(left), self.as_bitvector(right)) {
            (Some(constant), None) => (1, right, word(&constant)),
            (None, Some(constant)) => (0, left, word(&constant)),
            _ => return None,
        };
        let magnitude = constant & !format.sign_bit();
        if magnitude >= format.infinity() {
            return None;
        }
        let negative = constant != magnitude;
        let increasing = match operator {
            Add(_) => true,
            Subtract(_) => place == 0,
            Multiply(_) if magnitude != 0 => !negative,
            Divide(_) if magnitude != 0 && place == 0 => !negative,
            _ => return None,
        };
        let mut operands = [0; 3];
        operands[1 - place] = constant;
        Some(Monotone { operator, operands, place, source, domain: everything, increasing })
    }
}
