//! Building floating-point terms: each simplified on the way in, by rules that are exact to the bit.

use crate::node::{BinaryOperator, Node, Term};
use crate::pool::Terms;
use crate::values::bitvector::BitVector;

use crate::float_operator::{FloatFormat, FloatOperator, Rounding};

/// The pattern as a number; floats are at most 128 bits wide.
pub(super) fn word(value: &BitVector) -> u128 {
    let limbs = value.limbs();
    u128::from(limbs[0]) | u128::from(limbs.get(1).copied().unwrap_or(0)) << 64
}

/// The value of an operator on values.
pub(crate) fn apply(operator: FloatOperator, operands: &[BitVector]) -> BitVector {
    let mut words = [0; 3];
    for (place, operand) in words.iter_mut().zip(operands) {
        *place = word(operand);
    }
    let result = operator.apply(words);
    BitVector::from_limbs(operator.result_width(), &[result as u64, (result >> 64) as u64])
}

impl Terms {
    /// Applies a floating-point operator.
    ///
    /// # Panics
    /// If the number of operands or a width is not the operator's.
    pub fn float(&self, operator: FloatOperator, operands: &[Term]) -> Term {
        assert_eq!(operands.len(), operator.arity(), "{operator:?} has its number of operands");
        for operand in operands {
            assert_eq!(self.width(*operand), operator.operand_width(), "operands of {operator:?}");
        }
        let values: Option<Vec<BitVector>> =
            operands.iter().map(|operand| self.as_bitvector(*operand)).collect();
        if let Some(values) = values {
            return self.bitvector(&apply(operator, &values));
        }
        let simplified = match (operator, operands) {
            (_, &[operand]) => {
                self.lift_float(operator, operand).or_else(|| self.float_unary_rules(operator, operand))
            }
            (FloatOperator::Equal(_) | FloatOperator::Less(_) | FloatOperator::LessEqual(_), &[a, b]) => {
                self.float_compare_rules(operator, a, b)
            }
            (_, &[a, b]) => self.float_arithmetic_rules(operator, a, b),
            _ => None,
        };
        simplified.unwrap_or_else(|| self.intern_float(operator, operands))
    }

    pub(super) fn intern_float(&self, operator: FloatOperator, operands: &[Term]) -> Term {
        let mut places = [None; 3];
        for (place, operand) in places.iter_mut().zip(operands) {
            *place = Some(*operand);
        }
        self.intern(Node::Float { operator, operands: places })
    }

    pub(super) fn float_constant(&self, format: FloatFormat, bits: u128) -> Term {
        self.bitvector(&BitVector::from_limbs(format.width(), &[bits as u64, (bits >> 64) as u64]))
    }

    /// The operator and first operand of a term that is the result of an operator in this format. (Patterns
    /// of one format may be read as another's.)
    pub(super) fn as_float(&self, format: FloatFormat, term: Term) -> Option<(FloatOperator, Term)> {
        match *self.node(term) {
            Node::Float { operator, operands: [Some(first), ..] }
                if operator.result_format() == Some(format) =>
            {
                Some((operator, first))
            }
            _ => None,
        }
    }

    /// An operator on a choice of constants is such a choice.
    fn lift_float(&self, operator: FloatOperator, operand: Term) -> Option<Term> {
        let (condition, then, otherwise) = self.constant_choice(operand)?;
        Some(self.if_then_else(condition, self.float(operator, &[then]), self.float(operator, &[otherwise])))
    }

    /// Whether a pattern is a NaN; width 1.
    pub fn float_is_nan(&self, format: FloatFormat, term: Term) -> Term {
        if matches!(self.as_float(format, term), Some((FloatOperator::FromInteger { .. }, _))) {
            return Term::FALSE;
        }
        let magnitude_width = format.width() - 1;
        let magnitude = self.extract(term, 0, magnitude_width);
        let infinity = self.extract(self.float_constant(format, format.infinity()), 0, magnitude_width);
        let above = self.unsigned_less(infinity, magnitude);
        if !format.stores_integer_bit() {
            return above;
        }
        let integer = self.extract(term, format.fraction_bits(), 1);
        let exponent = self.extract(term, format.precision(), format.exponent_bits());
        self.and(self.is_nonzero(exponent), self.or(self.not(integer), above))
    }

    /// The value with a signalling NaN made quiet, as every operation leaves it.
    fn float_quieted(&self, format: FloatFormat, term: Term) -> Term {
        if self.as_float(format, term).is_some() {
            return term;
        }
        let quiet = self.or(term, self.float_constant(format, format.quieted(0)));
        self.if_then_else(self.float_is_nan(format, term), quiet, term)
    }

    /// The one in a format.
    fn float_one(&self, format: FloatFormat) -> Term {
        let one = FloatOperator::FromInteger { bits: 8, signed: false, to: format };
        self.float(one, &[self.constant(8, 1)])
    }

    fn float_arithmetic_rules(&self, operator: FloatOperator, a: Term, b: Term) -> Option<Term> {
        use FloatOperator::{Add, Divide, Multiply, Subtract};
        let format = operator.result_format()?;
        // Patterns of 80 bits that denote no number of their own would have to be normalised first.
        if format.stores_integer_bit() {
            return None;
        }
        let zero = self.zero(format.width());
        let minus_zero = self.float_constant(format, format.sign_bit());
        let never_minus_zero =
            |term| matches!(self.as_float(format, term), Some((FloatOperator::FromInteger { .. }, _)));
        let neutral = |term: Term, other: Term| match operator {
            Add(_) => term == minus_zero || term == zero && never_minus_zero(other),
            Multiply(_) => term == self.float_one(format),
            _ => false,
        };
        if neutral(b, a)
            || matches!(operator, Subtract(_)) && b == zero
            || matches!(operator, Divide(_)) && b == self.float_one(format)
        {
            return Some(self.float_quieted(format, a));
        }
        neutral(a, b).then(|| self.float_quieted(format, b))
    }

    fn float_unary_rules(&self, operator: FloatOperator, operand: Term) -> Option<Term> {
        use FloatOperator::{Convert, FromInteger, Round, ToInteger};
        if let Convert { from, to } = operator
            && from == to
        {
            return (!from.stores_integer_bit()).then(|| self.float_quieted(from, operand));
        }
        if let FromInteger { bits, signed: true, to } = operator
            && let Node::ZeroExtend { operand: narrow, .. } = *self.node(operand)
        {
            // A value that is never negative may be read as unsigned, at its own width.
            let narrow_bits = self.width(narrow) as u8;
            debug_assert!(narrow_bits < bits);
            return Some(self.float(FromInteger { bits: narrow_bits, signed: false, to }, &[narrow]));
        }
        if let FromInteger { signed, to, .. } = operator
            && let (Node::ZeroExtend { operand: narrow, .. }, false)
            | (Node::SignExtend { operand: narrow, .. }, true) = (self.node(operand), signed)
        {
            let bits = self.width(*narrow) as u8;
            return Some(self.float(FromInteger { bits, signed, to }, &[*narrow]));
        }
        let (inner, source) = self.as_float(operator.operand_format()?, operand)?;
        match (operator, inner) {
            (Convert { to, .. }, Convert { from, to: middle }) if from.is_within(middle) => {
                Some(self.float(Convert { from, to }, &[source]))
            }
            (Convert { to, .. }, FromInteger { bits, signed, to: middle })
                if is_exact(bits, signed, middle) =>
            {
                Some(self.float(FromInteger { bits, signed, to }, &[source]))
            }
            (Round(..), Round(..) | FromInteger { .. }) => Some(operand),
            (ToInteger { from, bits, signed, saturate }, Round(_, Rounding::TowardsZero)) => {
                Some(self.float(ToInteger { from, bits, signed, saturate }, &[source]))
            }
            (ToInteger { bits, signed, .. }, FromInteger { bits: narrow, signed: source_signed, to })
                if is_exact(narrow, source_signed, to) =>
            {
                let (bits, narrow) = (u32::from(bits), u32::from(narrow));
                // An unsigned integer needs one bit more to be a signed one.
                match (source_signed, signed) {
                    (true, true) if bits >= narrow => Some(self.sign_extend(source, bits)),
                    (false, _) if bits >= narrow + u32::from(signed) => Some(self.zero_extend(source, bits)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The integer that a term denotes exactly, as two's complement.
    pub(super) fn exact_integer(&self, format: FloatFormat, term: Term) -> Option<Term> {
        let (FloatOperator::FromInteger { bits, signed, to }, integer) = self.as_float(format, term)? else {
            return None;
        };
        if !is_exact(bits, signed, to) {
            return None;
        }
        Some(if signed { integer } else { self.zero_extend(integer, u32::from(bits) + 1) })
    }

    /// `left operator right` at the wider of the widths, both signed.
    pub(super) fn compare_integers(&self, operator: FloatOperator, left: Term, right: Term) -> Term {
        let width = self.width(left).max(self.width(right));
        let (left, right) = (self.sign_extend(left, width), self.sign_extend(right, width));
        self.binary(
            match operator {
                FloatOperator::Equal(_) => BinaryOperator::Equal,
                FloatOperator::Less(_) => BinaryOperator::SignedLess,
                _ => BinaryOperator::SignedLessEqual,
            },
            left,
            right,
        )
    }
}

/// Whether the format holds every integer of this width.
fn is_exact(bits: u8, signed: bool, format: FloatFormat) -> bool {
    u32::from(bits) - u32::from(signed) <= format.precision()
}
