//! Choices, concatenations, extractions and extensions, with their simplification.
//!
//! A value that byte-wise memory splits must be recovered. So `concat` of neighbouring extractions is one
//! extraction, and an extraction never stands above a concatenation, extension or extraction. Extractions of
//! bytes are therefore not pushed into other operators, where the parts would not find each other again.

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::values::bitvector::MAXIMUM_WIDTH;

/// What a mask makes of bits.
enum Masked {
    /// They are known.
    Constant(Term),
    /// They are those of the other operand.
    Unchanged,
    /// They are the other operand's, inverted.
    Inverted,
}

impl Terms {
    /// Whether an extraction from the term goes into its parts.
    pub(crate) fn splits(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Concat { .. } | Node::ZeroExtend { .. } | Node::SignExtend { .. })
    }

    /// `condition ? then : otherwise`.
    ///
    /// # Panics
    /// If the condition's width is not 1 or the branches' widths differ.
    pub fn if_then_else(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        let width = self.width(then);
        assert_eq!(self.width(condition), 1, "a condition has width 1");
        assert_eq!(width, self.width(otherwise), "both branches have one width");
        if then == otherwise || condition == Term::TRUE {
            return then;
        }
        if condition == Term::FALSE {
            return otherwise;
        }
        if let Some(negated) = self.as_unary(UnaryOperator::Not, condition) {
            return self.if_then_else(negated, otherwise, then);
        }
        let simplified = if width == 1 {
            self.truth_choice_rules(condition, then, otherwise)
        } else {
            self.constant_choice_rules(width, condition, then, otherwise)
        };
        simplified
            .or_else(|| self.choice_rules(condition, then, otherwise))
            .unwrap_or_else(|| self.intern(Node::IfThenElse { width, condition, then, otherwise }))
    }

    fn truth_choice_rules(&self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        if then == Term::TRUE || then == condition {
            return Some(self.or(condition, otherwise));
        }
        if then == Term::FALSE {
            return Some(self.and(self.not(condition), otherwise));
        }
        if otherwise == Term::TRUE {
            return Some(self.or(self.not(condition), then));
        }
        (otherwise == Term::FALSE || otherwise == condition).then(|| self.and(condition, then))
    }

    /// Zero and one, or all ones, are the condition itself, extended.
    fn constant_choice_rules(
        &self,
        width: u32,
        condition: Term,
        then: Term,
        otherwise: Term,
    ) -> Option<Term> {
        let (chosen, other) = (self.as_bitvector(then)?, self.as_bitvector(otherwise)?);
        if other.is_zero() {
            return if chosen.to_u64() == Some(1) {
                Some(self.intern(Node::ZeroExtend { width, operand: condition }))
            } else if chosen.is_all_ones() {
                Some(self.intern(Node::SignExtend { width, operand: condition }))
            } else {
                None
            };
        }
        (chosen.is_zero() && (other.to_u64() == Some(1) || other.is_all_ones()))
            .then(|| self.if_then_else_unswapped(self.not(condition), otherwise, then))
    }

    /// As `if_then_else`, where the condition may be a negation.
    fn if_then_else_unswapped(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        let width = self.width(then);
        self.constant_choice_rules(width, condition, then, otherwise)
            .unwrap_or_else(|| self.intern(Node::IfThenElse { width, condition, then, otherwise }))
    }

    fn choice_rules(&self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        if let Node::IfThenElse { condition: inner, then: a, otherwise: b, .. } = *self.node(then) {
            if inner == condition {
                return Some(self.if_then_else(condition, a, otherwise));
            }
            if b == otherwise {
                return Some(self.if_then_else(self.and(condition, inner), a, otherwise));
            }
        }
        if let Node::IfThenElse { condition: inner, then: a, otherwise: b, .. } = *self.node(otherwise) {
            if inner == condition {
                return Some(self.if_then_else(condition, then, b));
            }
            if a == then {
                return Some(self.if_then_else(self.or(condition, inner), then, b));
            }
        }
        let (a, b) = self.as_binary(BinaryOperator::Equal, condition)?;
        // Where the two are equal it does not matter which is taken.
        ((a, b) == (then, otherwise) || (b, a) == (then, otherwise)).then_some(otherwise)
    }

    /// `high` above `low`.
    ///
    /// # Panics
    /// If the sum of the widths is above [`MAXIMUM_WIDTH`].
    pub fn concat(&self, high: Term, low: Term) -> Term {
        let mut last = high;
        let mut pieces = Vec::new();
        while let Node::Concat { high, low, .. } = *self.node(last) {
            pieces.push(high);
            last = low;
        }
        let joined = self.join(last, low);
        pieces.into_iter().rev().fold(joined, |low, piece| self.join(piece, low))
    }

    /// Concatenates where `high` is no concatenation itself.
    fn join(&self, high: Term, low: Term) -> Term {
        let width = self.width(high) + self.width(low);
        assert!(width <= MAXIMUM_WIDTH, "a concatenation of {width} bits is too wide");
        if self.as_bitvector(high).is_some_and(|value| value.is_zero()) {
            return self.zero_extend(low, width);
        }
        if let Node::ZeroExtend { operand, .. } = *self.node(high) {
            return self.zero_extend(self.concat(operand, low), width);
        }
        if let Some(merged) = self.merge(high, low) {
            return merged;
        }
        if let Node::SignExtend { operand, .. } = *self.node(high) {
            return self.sign_extend(self.concat(operand, low), width);
        }
        match *self.node(low) {
            Node::Concat { high: middle, low, .. } => {
                if let Some(merged) = self.merge(high, middle) {
                    return self.concat(merged, low);
                }
            }
            Node::ZeroExtend { operand, width: low_width } if self.is_constant(high) => {
                let zeros = self.zero(low_width - self.width(operand));
                return self.concat(self.concat(high, zeros), operand);
            }
            _ => {}
        }
        self.intern(Node::Concat { width, high, low })
    }

    /// One term for two neighbours, where that is simpler than their concatenation.
    fn merge(&self, high: Term, low: Term) -> Option<Term> {
        if let (Some(high), Some(low)) = (self.as_bitvector(high), self.as_bitvector(low)) {
            return Some(self.bitvector(&high.concat(&low)));
        }
        let (high_width, low_width) = (self.width(high), self.width(low));
        if let Node::Extract { offset, operand, .. } = *self.node(high)
            && let Node::Extract { offset: below, operand: other, .. } = *self.node(low)
            && operand == other
            && offset == below + low_width
        {
            return Some(self.extract(operand, below, high_width + low_width));
        }
        if let Some(extended) = self.merge_sign(high, low) {
            return Some(extended);
        }
        if let Some((condition, [a, b], [c, d])) = self.common_choice(high, low) {
            return Some(self.if_then_else(condition, self.concat(a, b), self.concat(c, d)));
        }
        // The bytes of a cell that was written where an index says so make one choice again.
        match (self.node(high), self.node(low)) {
            (
                &Node::IfThenElse { condition, then: a, otherwise: c, .. },
                &Node::IfThenElse { condition: same, then: b, otherwise: d, .. },
            ) if condition == same => {
                Some(self.if_then_else(condition, self.concat(a, b), self.concat(c, d)))
            }
            _ => None,
        }
    }

    /// Copies of a sign bit above what they are the sign of.
    fn merge_sign(&self, high: Term, low: Term) -> Option<Term> {
        let copied = match *self.node(high) {
            Node::SignExtend { operand, .. } if self.width(operand) == 1 => operand,
            Node::Extract { width: 1, .. } => high,
            _ => return None,
        };
        let extended = self.width(high) + self.width(low);
        (self.top_bit(copied) == self.top_bit(low)).then(|| self.sign_extend(low, extended))
    }

    /// Where a term's most significant bit comes from: a term, and the bit's number in it.
    fn top_bit(&self, term: Term) -> (Term, u32) {
        match *self.node(term) {
            Node::SignExtend { operand, .. } => self.top_bit(operand),
            Node::Extract { operand, offset, width } => (operand, offset + width - 1),
            _ => (term, self.width(term) - 1),
        }
    }

    /// `width` bits of the operand from bit `offset` up.
    ///
    /// # Panics
    /// If the range is empty or leaves the operand.
    pub fn extract(&self, operand: Term, offset: u32, width: u32) -> Term {
        let whole = self.width(operand);
        assert!(width >= 1 && offset <= whole && width <= whole - offset, "bits are extracted from inside");
        let (mut operand, mut offset, mut width) = (operand, offset, width);
        // Parts already found, most significant first; `width` bits at `offset` of `operand` remain.
        let mut pieces = Vec::new();
        let last = loop {
            if width == self.width(operand) {
                break operand;
            }
            let end = offset + width;
            match *self.node(operand) {
                Node::Constant { .. } | Node::WideConstant { .. } => match self.as_bitvector(operand) {
                    Some(value) => break self.bitvector(&value.extract(offset, width)),
                    None => unreachable!("a constant node has a value"),
                },
                Node::Extract { offset: below, operand: inner, .. } => {
                    operand = inner;
                    offset += below;
                }
                Node::Concat { high, low, .. } => {
                    let cut = self.width(low);
                    if offset >= cut {
                        operand = high;
                        offset -= cut;
                    } else {
                        if end > cut {
                            pieces.push(self.extract(high, 0, end - cut));
                            width = cut - offset;
                        }
                        operand = low;
                    }
                }
                Node::ZeroExtend { operand: inner, .. } => {
                    let cut = self.width(inner);
                    if offset >= cut {
                        break self.zero(width);
                    }
                    if end > cut {
                        pieces.push(self.zero(end - cut));
                        width = cut - offset;
                    }
                    operand = inner;
                }
                Node::SignExtend { operand: inner, .. } => {
                    let cut = self.width(inner);
                    if end > cut {
                        let start = offset.min(cut - 1);
                        break self.sign_extend(self.extract(inner, start, cut - start), width);
                    }
                    operand = inner;
                }
                Node::Binary { operator, left, right, width: whole } => {
                    if let Some(moved) = self.extract_from_shift(operator, whole, right, offset, width) {
                        (operand, offset) = (left, moved);
                        continue;
                    }
                    match self.extract_from_mask(operator, right, offset, width) {
                        Some(Masked::Constant(bits)) => break bits,
                        Some(Masked::Unchanged) => operand = left,
                        Some(Masked::Inverted) => break self.not(self.extract(left, offset, width)),
                        None => break self.intern(Node::Extract { width, offset, operand }),
                    }
                }
                Node::IfThenElse { condition, then, otherwise, .. }
                    if self.is_constant(then) && self.is_constant(otherwise) =>
                {
                    let (then, otherwise) =
                        (self.extract(then, offset, width), self.extract(otherwise, offset, width));
                    break self.if_then_else(condition, then, otherwise);
                }
                _ => break self.intern(Node::Extract { width, offset, operand }),
            }
        };
        pieces.into_iter().rev().fold(last, |low, piece| self.concat(piece, low))
    }

    /// What bits that are no whole bytes are under a mask, if the mask is all zeros or all ones there.
    ///
    /// Bit-fields are written and read so. Memory splits values into whole bytes, which stay as they are.
    fn extract_from_mask(
        &self,
        operator: BinaryOperator,
        mask: Term,
        offset: u32,
        width: u32,
    ) -> Option<Masked> {
        use BinaryOperator::{And, Or, Xor};
        if offset.is_multiple_of(8) && width.is_multiple_of(8) {
            return None;
        }
        let bits = self.as_bitvector(mask)?.extract(offset, width);
        match operator {
            And | Or | Xor if !bits.is_zero() && !bits.is_all_ones() => None,
            And if bits.is_zero() => Some(Masked::Constant(self.bitvector(&bits))),
            Or if bits.is_all_ones() => Some(Masked::Constant(self.bitvector(&bits))),
            And | Or => Some(Masked::Unchanged),
            Xor if bits.is_zero() => Some(Masked::Unchanged),
            Xor => Some(Masked::Inverted),
            _ => None,
        }
    }

    /// Where the extracted bits were before a shift by a constant, if none of them was shifted in.
    fn extract_from_shift(
        &self,
        operator: BinaryOperator,
        whole: u32,
        amount: Term,
        offset: u32,
        width: u32,
    ) -> Option<u32> {
        use BinaryOperator::*;
        let shift = || u32::try_from(self.as_constant(amount)?).ok();
        match operator {
            ShiftLeft => offset.checked_sub(shift()?),
            LogicalShiftRight | ArithmeticShiftRight => {
                let moved = offset.checked_add(shift()?)?;
                (moved.checked_add(width)? <= whole).then_some(moved)
            }
            _ => None,
        }
    }

    /// The same unsigned value at a width not smaller.
    ///
    /// # Panics
    /// If the width is smaller than the operand's.
    pub fn zero_extend(&self, operand: Term, width: u32) -> Term {
        let narrow = self.width(operand);
        assert!((narrow..=MAXIMUM_WIDTH).contains(&width), "{narrow} bits are not extended to {width}");
        if narrow == width {
            return operand;
        }
        if let Some(value) = self.as_bitvector(operand) {
            return self.bitvector(&value.zero_extend(width));
        }
        if let Node::ZeroExtend { operand, .. } = *self.node(operand) {
            return self.zero_extend(operand, width);
        }
        if let Some((condition, then, otherwise)) = self.constant_choice(operand) {
            let (then, otherwise) = (self.zero_extend(then, width), self.zero_extend(otherwise, width));
            return self.if_then_else(condition, then, otherwise);
        }
        self.intern(Node::ZeroExtend { width, operand })
    }

    /// The same signed value at a width not smaller.
    ///
    /// # Panics
    /// If the width is smaller than the operand's.
    pub fn sign_extend(&self, operand: Term, width: u32) -> Term {
        let narrow = self.width(operand);
        assert!((narrow..=MAXIMUM_WIDTH).contains(&width), "{narrow} bits are not extended to {width}");
        if narrow == width {
            return operand;
        }
        if let Some(value) = self.as_bitvector(operand) {
            return self.bitvector(&value.sign_extend(width));
        }
        match *self.node(operand) {
            Node::IfThenElse { condition, then, otherwise, .. }
                if self.is_constant(then) && self.is_constant(otherwise) =>
            {
                let (then, otherwise) = (self.sign_extend(then, width), self.sign_extend(otherwise, width));
                self.if_then_else(condition, then, otherwise)
            }
            Node::SignExtend { operand, .. } => self.sign_extend(operand, width),
            Node::ZeroExtend { operand, .. } => self.zero_extend(operand, width),
            _ => self.intern(Node::SignExtend { width, operand }),
        }
    }
}
