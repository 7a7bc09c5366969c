//! Simplification of comparisons: what came from integers or from a narrower format is compared there.

use crate::node::Term;
use crate::pool::Terms;

use super::rules::word;
use super::{FloatFormat, FloatOperator, Rounding};

impl Terms {
    pub(super) fn float_compare_rules(&self, operator: FloatOperator, a: Term, b: Term) -> Option<Term> {
        use FloatOperator::{Equal, Less, LessEqual};
        let format = operator.operand_format()?;
        if a == b {
            // Only NaN is not equal to itself.
            return match operator {
                Less(_) => Some(Term::FALSE),
                _ if self.exact_integer(format, a).is_some() => Some(Term::TRUE),
                LessEqual(_) => Some(self.float(Equal(format), &[a, b])),
                _ => None,
            };
        }
        let (left, right) = (self.as_bitvector(a), self.as_bitvector(b));
        if left.iter().chain(&right).any(|value| format.is_nan(word(value))) {
            return Some(Term::FALSE);
        }
        if matches!(operator, Equal(_)) && a > b {
            return Some(self.float(operator, &[b, a]));
        }
        match (self.exact_integer(format, a), self.exact_integer(format, b)) {
            (Some(a), Some(b)) => return Some(self.compare_integers(operator, a, b)),
            (Some(a), None) => {
                let bound = self.integer_bound(format, word(&right?), Side::Right, operator, self.width(a));
                return Some(bound.map_or(Term::FALSE, |bound| self.compare_integers(operator, a, bound)));
            }
            (None, Some(b)) => {
                let bound = self.integer_bound(format, word(&left?), Side::Left, operator, self.width(b));
                return Some(bound.map_or(Term::FALSE, |bound| self.compare_integers(operator, bound, b)));
            }
            (None, None) => {}
        }
        let widened = |term| match self.as_float(format, term) {
            Some((FloatOperator::Convert { from, to }, source)) if to == format && from.is_within(to) => {
                Some((from, source))
            }
            _ => None,
        };
        match (widened(a), widened(b)) {
            (Some((from, a)), Some((other, b))) if from == other => {
                Some(self.float(at(operator, from), &[a, b]))
            }
            (Some((from, a)), None) => {
                let (bound, order) = narrowed(format, from, word(&right?));
                let bound = self.float_constant(from, bound);
                // A bound rounded up is beyond all values below it, one rounded down is none of those above.
                Some(match (operator, order) {
                    (_, std::cmp::Ordering::Equal) => self.float(at(operator, from), &[a, bound]),
                    (Equal(_), _) => Term::FALSE,
                    (_, std::cmp::Ordering::Greater) => self.float(Less(from), &[a, bound]),
                    (_, std::cmp::Ordering::Less) => self.float(LessEqual(from), &[a, bound]),
                })
            }
            (None, Some((from, b))) => {
                let (bound, order) = narrowed(format, from, word(&left?));
                let bound = self.float_constant(from, bound);
                Some(match (operator, order) {
                    (_, std::cmp::Ordering::Equal) => self.float(at(operator, from), &[bound, b]),
                    (Equal(_), _) => Term::FALSE,
                    (_, std::cmp::Ordering::Greater) => self.float(LessEqual(from), &[bound, b]),
                    (_, std::cmp::Ordering::Less) => self.float(Less(from), &[bound, b]),
                })
            }
            _ => None,
        }
    }

    /// The integer that an integer of `width` bits compares with as with `value`, which is no NaN; `None` where they
    /// are never equal.
    fn integer_bound(
        &self,
        format: FloatFormat,
        value: u128,
        side: Side,
        operator: FloatOperator,
        width: u32,
    ) -> Option<Term> {
        let rounded = |rounding| FloatOperator::Round(format, rounding).apply([value, 0, 0]);
        let (down, up) = (rounded(Rounding::Down), rounded(Rounding::Up));
        let bound = match (operator, side) {
            (FloatOperator::Equal(_), _) if down != up => return None,
            (FloatOperator::Less(_), Side::Right) | (FloatOperator::LessEqual(_), Side::Left) => up,
            _ => down,
        };
        // One bit more than the integer's own: what is out of its range stays out of it.
        let bits = width + 1;
        let integer =
            FloatOperator::ToInteger { from: format, bits: bits as u8, signed: true, saturate: true }
                .apply([bound, 0, 0]);
        let limbs = [integer as u64, (integer >> 64) as u64];
        Some(self.bitvector(&crate::BitVector::from_limbs(bits, &limbs)))
    }
}

/// On which side of a comparison a constant stands.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// The comparison in another format.
fn at(operator: FloatOperator, format: FloatFormat) -> FloatOperator {
    match operator {
        FloatOperator::Equal(_) => FloatOperator::Equal(format),
        FloatOperator::Less(_) => FloatOperator::Less(format),
        _ => FloatOperator::LessEqual(format),
    }
}

/// The value of a narrower format next to `value`, and how it compares with it.
fn narrowed(wide: FloatFormat, narrow: FloatFormat, value: u128) -> (u128, std::cmp::Ordering) {
    let bound = FloatOperator::Convert { from: wide, to: narrow }.apply([value, 0, 0]);
    let back = FloatOperator::Convert { from: narrow, to: wide }.apply([bound, 0, 0]);
    let holds = |operator: FloatOperator| operator.apply([back, value, 0]) == 1;
    let order = if holds(FloatOperator::Equal(wide)) {
        std::cmp::Ordering::Equal
    } else if holds(FloatOperator::Less(wide)) {
        std::cmp::Ordering::Less
    } else {
        std::cmp::Ordering::Greater
    };
    (bound, order)
}
