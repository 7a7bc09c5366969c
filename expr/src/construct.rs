//! Building terms: constants, symbols, and operators, each simplified on the way in.
//!
//! The rules themselves are in the files of `rules`, by kind of operator. A rule answers with an equal term
//! that is smaller or nearer to a normal form, or with nothing. Then the node is interned as it is. Constants
//! stand on the right of commutative operators, other operands in order of identity.

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::values::bitvector::{BitVector, MAXIMUM_WIDTH};
use crate::values::word;

impl Terms {
    /// The constant `value` modulo 2^width. For more than 64 bits the value is zero-extended.
    ///
    /// # Panics
    /// If the width is zero or above [`MAXIMUM_WIDTH`]; so do all constructors that take a width.
    pub fn constant(&self, width: u32, value: u64) -> Term {
        if (1..=64).contains(&width) {
            self.intern(Node::Constant { width, value: value & word::mask(width) })
        } else {
            self.bitvector(&BitVector::from_u64(width, value))
        }
    }

    /// The constant of any width.
    pub fn bitvector(&self, value: &BitVector) -> Term {
        match value.limbs() {
            [word] => self.intern(Node::Constant { width: value.width(), value: *word }),
            limbs => self.intern_wide(value.width(), limbs),
        }
    }

    /// The constant with all bits zero.
    pub fn zero(&self, width: u32) -> Term {
        self.constant(width, 0)
    }

    /// The constant with all bits one.
    pub fn all_ones(&self, width: u32) -> Term {
        if width <= 64 { self.constant(width, u64::MAX) } else { self.bitvector(&BitVector::all_ones(width)) }
    }

    /// The unknown of this name and width; the same name at another width is another unknown.
    pub fn symbol(&self, name: &str, width: u32) -> Term {
        assert!((1..=MAXIMUM_WIDTH).contains(&width), "a width of {width} bits is not allowed");
        self.intern_symbol(false, width, name)
    }

    /// The unknown of this name and width that denotes a value the program never gave: uninitialised memory,
    /// or an undefined result of an operation.
    pub fn indeterminate(&self, name: &str, width: u32) -> Term {
        assert!((1..=MAXIMUM_WIDTH).contains(&width), "a width of {width} bits is not allowed");
        self.intern_symbol(true, width, name)
    }

    /// Applies an operator of one operand.
    pub fn unary(&self, operator: UnaryOperator, operand: Term) -> Term {
        if let Some(value) = self.as_bitvector(operand) {
            return self.bitvector(&value.unary(operator));
        }
        let width = self.width(operand);
        let simplified = self.lift_unary(operator, operand).or_else(|| match operator {
            UnaryOperator::Not => self.not_rules(width, operand),
            UnaryOperator::Negate => self.negate_rules(width, operand),
        });
        simplified.unwrap_or_else(|| self.intern(Node::Unary { operator, width, operand }))
    }

    /// Applies an operator to two operands of equal width.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn binary(&self, operator: BinaryOperator, left: Term, right: Term) -> Term {
        let (left_node, right_node) = (self.node(left), self.node(right));
        let width = left_node.width();
        assert_eq!(width, right_node.width(), "operands of {operator:?} have equal widths");
        let result_width = if operator.is_comparison() { 1 } else { width };
        if let (Node::Constant { value: a, .. }, Node::Constant { value: b, .. }) = (left_node, right_node) {
            return self.constant(result_width, word::binary(operator, width, *a, *b));
        }
        let (left_constant, right_constant) = (self.is_constant(left), self.is_constant(right));
        if left_constant
            && right_constant
            && let (Some(a), Some(b)) = (self.as_bitvector(left), self.as_bitvector(right))
        {
            return self.bitvector(&a.binary(operator, &b));
        }
        let swap = operator.is_commutative() && !right_constant && (left_constant || left > right);
        let (left, right) = if swap { (right, left) } else { (left, right) };
        if let Some(lifted) = self.lift_binary(operator, left, right) {
            return lifted;
        }
        use BinaryOperator::*;
        let simplified = match operator {
            Add => self.add_rules(width, left, right),
            Subtract => self.subtract_rules(width, left, right),
            Multiply => self.multiply_rules(width, left, right),
            UnsignedDivide | UnsignedRemainder => self.unsigned_division_rules(operator, width, left, right),
            SignedDivide | SignedRemainder => self.signed_division_rules(operator, width, left, right),
            And => self.and_rules(width, left, right),
            Or => self.or_rules(width, left, right),
            Xor => self.xor_rules(width, left, right),
            ShiftLeft | LogicalShiftRight | ArithmeticShiftRight => {
                self.shift_rules(operator, width, left, right)
            }
            Equal => self.equal_rules(width, left, right),
            UnsignedLess => self.unsigned_less_rules(width, left, right),
            UnsignedLessEqual => self.unsigned_less_equal_rules(width, left, right),
            SignedLess => self.signed_less_rules(width, left, right),
            SignedLessEqual => self.signed_less_equal_rules(width, left, right),
        };
        simplified.unwrap_or_else(|| self.intern(Node::Binary { operator, width: result_width, left, right }))
    }

    /// A choice between two constants: its condition and both. An extended truth value is one.
    pub(crate) fn constant_choice(&self, term: Term) -> Option<(Term, Term, Term)> {
        match *self.node(term) {
            Node::ZeroExtend { width, operand } if self.width(operand) == 1 => {
                Some((operand, self.constant(width, 1), self.zero(width)))
            }
            Node::SignExtend { width, operand } if self.width(operand) == 1 => {
                Some((operand, self.all_ones(width), self.zero(width)))
            }
            Node::IfThenElse { condition, then, otherwise, .. }
                if self.is_constant(then) && self.is_constant(otherwise) =>
            {
                Some((condition, then, otherwise))
            }
            _ => None,
        }
    }

    fn lift_unary(&self, operator: UnaryOperator, operand: Term) -> Option<Term> {
        let (condition, then, otherwise) = self.constant_choice(operand)?;
        Some(self.if_then_else(condition, self.unary(operator, then), self.unary(operator, otherwise)))
    }

    /// The choices of constants that both are by one condition; a constant is one by any condition.
    pub(crate) fn common_choice(&self, left: Term, right: Term) -> Option<(Term, [Term; 2], [Term; 2])> {
        let (one, other) = (self.constant_choice(left), self.constant_choice(right));
        match (one, other) {
            (Some((condition, a, b)), Some((same, c, d))) if condition == same => {
                Some((condition, [a, c], [b, d]))
            }
            (Some((condition, a, b)), None) if self.is_constant(right) => {
                Some((condition, [a, right], [b, right]))
            }
            (None, Some((condition, c, d))) if self.is_constant(left) => {
                Some((condition, [left, c], [left, d]))
            }
            _ => None,
        }
    }

    /// An operator between choices of constants by one condition is such a choice.
    fn lift_binary(&self, operator: BinaryOperator, left: Term, right: Term) -> Option<Term> {
        let (condition, [a, b], [c, d]) = self.common_choice(left, right)?;
        Some(self.if_then_else(condition, self.binary(operator, a, b), self.binary(operator, c, d)))
    }
}

macro_rules! binary_constructors {
    ($($(#[$documentation:meta])* $name:ident = $operator:ident;)*) => {
        /// One constructor an operator; operands have equal widths.
        impl Terms {
            $(
                $(#[$documentation])*
                pub fn $name(&self, left: Term, right: Term) -> Term {
                    self.binary(BinaryOperator::$operator, left, right)
                }
            )*
        }
    };
}

binary_constructors! {
    /// Sum modulo 2^width.
    add = Add;
    /// Difference modulo 2^width.
    subtract = Subtract;
    /// Product modulo 2^width.
    multiply = Multiply;
    /// Unsigned quotient; by zero all ones.
    unsigned_divide = UnsignedDivide;
    /// Signed quotient; by zero -1, or 1 where the dividend is negative.
    signed_divide = SignedDivide;
    /// Unsigned remainder; by zero the dividend.
    unsigned_remainder = UnsignedRemainder;
    /// Signed remainder with the dividend's sign; by zero the dividend.
    signed_remainder = SignedRemainder;
    /// Bitwise and; the conjunction at width 1.
    and = And;
    /// Bitwise or; the disjunction at width 1.
    or = Or;
    /// Bitwise exclusive or.
    xor = Xor;
    /// Shift left; 0 where the amount is the width or more.
    shift_left = ShiftLeft;
    /// Shift right with zeros; 0 where the amount is the width or more.
    logical_shift_right = LogicalShiftRight;
    /// Shift right with the sign bit; only sign bits where the amount is the width or more.
    arithmetic_shift_right = ArithmeticShiftRight;
    /// Whether both are equal; width 1.
    equal = Equal;
    /// Unsigned `left < right`; width 1.
    unsigned_less = UnsignedLess;
    /// Unsigned `left <= right`; width 1.
    unsigned_less_equal = UnsignedLessEqual;
    /// Signed `left < right`; width 1.
    signed_less = SignedLess;
    /// Signed `left <= right`; width 1.
    signed_less_equal = SignedLessEqual;
}

impl Terms {
    /// Bitwise complement; the negation at width 1.
    pub fn not(&self, operand: Term) -> Term {
        self.complement(operand, || self.unary(UnaryOperator::Not, operand))
    }

    /// Two's complement negation.
    pub fn negate(&self, operand: Term) -> Term {
        self.unary(UnaryOperator::Negate, operand)
    }

    /// Whether both differ; width 1.
    pub fn not_equal(&self, left: Term, right: Term) -> Term {
        self.not(self.equal(left, right))
    }

    /// Whether any bit is set, as C's conversion to a truth value; width 1.
    pub fn is_nonzero(&self, operand: Term) -> Term {
        self.not_equal(operand, self.zero(self.width(operand)))
    }

    /// The conjunction of truth values; true of none.
    pub fn all(&self, conditions: impl IntoIterator<Item = Term>) -> Term {
        conditions.into_iter().fold(Term::TRUE, |all, condition| self.and(all, condition))
    }

    /// The disjunction of truth values; false of none.
    pub fn any(&self, conditions: impl IntoIterator<Item = Term>) -> Term {
        conditions.into_iter().fold(Term::FALSE, |any, condition| self.or(any, condition))
    }
}
