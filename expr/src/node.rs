//! Terms: their identity, their operators, and the node that the identity denotes.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::float_operator::FloatOperator;

/// The identity of a term in a [`Terms`](crate::Terms) pool.
///
/// Two terms of one pool are structurally equal exactly when their identities are. The order is that of
/// construction: it depends on how workers interleave and means nothing else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(NonZeroU32);

impl Term {
    /// The constant 0 of width 1, in every pool.
    pub const FALSE: Term = Term::from_index(0);
    /// The constant 1 of width 1, in every pool.
    pub const TRUE: Term = Term::from_index(1);

    pub(crate) const fn from_index(index: u32) -> Term {
        match NonZeroU32::new(index.wrapping_add(1)) {
            Some(id) => Term(id),
            None => panic!("the term pool is full: 2^32 - 1 terms"),
        }
    }

    pub(crate) const fn index(self) -> u32 {
        self.0.get() - 1
    }

    /// The identity as a number, for keeping a term where a machine word is kept.
    pub const fn number(self) -> u32 {
        self.0.get()
    }

    /// The term with this [number](Term::number).
    ///
    /// # Panics
    /// If it is zero, which no term's is.
    pub const fn from_number(number: u32) -> Term {
        match NonZeroU32::new(number) {
            Some(id) => Term(id),
            None => panic!("no term has number 0"),
        }
    }

    /// [`Term::TRUE`] or [`Term::FALSE`].
    pub const fn truth(value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }
}

/// An operator of one operand; the result has the operand's width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnaryOperator {
    /// Bitwise complement.
    Not,
    /// Two's complement negation.
    Negate,
}

/// An operator of two operands of equal width.
///
/// Comparisons give width 1, all others the operands' width. Semantics are SMT-LIB's: unsigned division
/// by zero gives all ones, a remainder by zero the dividend, shifts by the width or more shift all out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BinaryOperator {
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Subtract,
    /// Product modulo 2^width.
    Multiply,
    /// Unsigned quotient.
    UnsignedDivide,
    /// Signed quotient, rounded towards zero.
    SignedDivide,
    /// Unsigned remainder.
    UnsignedRemainder,
    /// Signed remainder; its sign is the dividend's.
    SignedRemainder,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left, filling with zeros.
    ShiftLeft,
    /// Shift right, filling with zeros.
    LogicalShiftRight,
    /// Shift right, filling with the sign bit.
    ArithmeticShiftRight,
    /// Equality.
    Equal,
    /// Unsigned less-than.
    UnsignedLess,
    /// Unsigned less-or-equal.
    UnsignedLessEqual,
    /// Signed less-than.
    SignedLess,
    /// Signed less-or-equal.
    SignedLessEqual,
}

impl BinaryOperator {
    /// All operators, for tables and tests.
    pub const ALL: [BinaryOperator; 18] = {
        use BinaryOperator::*;
        [
            Add,
            Subtract,
            Multiply,
            UnsignedDivide,
            SignedDivide,
            UnsignedRemainder,
            SignedRemainder,
            And,
            Or,
            Xor,
            ShiftLeft,
            LogicalShiftRight,
            ArithmeticShiftRight,
            Equal,
            UnsignedLess,
            UnsignedLessEqual,
            SignedLess,
            SignedLessEqual,
        ]
    };

    /// Whether the result is a truth value of width 1.
    pub const fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Equal | UnsignedLess | UnsignedLessEqual | SignedLess | SignedLessEqual)
    }

    /// Whether operands may be swapped.
    pub const fn is_commutative(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Add | Multiply | And | Or | Xor | Equal)
    }
}

/// The structure of a [`Term`]. Widths are in bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A constant of at most 64 bits; `value` has no bit above `width`.
    Constant {
        /// 1 to 64.
        width: u32,
        /// The unsigned value.
        value: u64,
    },
    /// A constant of more than 64 bits.
    WideConstant {
        /// More than 64.
        width: u32,
        /// Least significant first; no bit above `width`.
        limbs: Box<[u64]>,
    },
    /// An unknown. Symbols are the same exactly when name, width and kind are.
    Symbol {
        /// Whether it denotes a value the program never gave, rather than an input.
        indeterminate: bool,
        /// Width of the unknown.
        width: u32,
        /// Its name.
        name: Box<str>,
    },
    /// An operator of one operand.
    Unary {
        /// Which operator.
        operator: UnaryOperator,
        /// Width of operand and result.
        width: u32,
        /// The operand.
        operand: Term,
    },
    /// An operator of two operands.
    Binary {
        /// Which operator.
        operator: BinaryOperator,
        /// Width of the result.
        width: u32,
        /// Left operand.
        left: Term,
        /// Right operand; the constant one where the operator is commutative.
        right: Term,
    },
    /// `condition ? then : otherwise`.
    IfThenElse {
        /// Width of both branches.
        width: u32,
        /// Of width 1.
        condition: Term,
        /// The value where the condition is 1.
        then: Term,
        /// The value where the condition is 0.
        otherwise: Term,
    },
    /// `high` above `low`. Chains nest to the right (in `low`).
    Concat {
        /// Sum of the parts' widths.
        width: u32,
        /// The most significant part.
        high: Term,
        /// The least significant part.
        low: Term,
    },
    /// `width` bits of the operand from bit `offset` up.
    Extract {
        /// Width of the result.
        width: u32,
        /// Lowest bit taken.
        offset: u32,
        /// Where they are taken from.
        operand: Term,
    },
    /// The operand with zeros above it.
    ZeroExtend {
        /// Width of the result.
        width: u32,
        /// Of smaller width.
        operand: Term,
    },
    /// The operand with copies of its sign bit above it.
    SignExtend {
        /// Width of the result.
        width: u32,
        /// Of smaller width.
        operand: Term,
    },
    /// A floating-point operator on patterns.
    Float {
        /// Which operator; it determines all widths.
        operator: FloatOperator,
        /// As many operands as it has, then none.
        operands: [Option<Term>; 3],
    },
}

impl Node {
    /// Width of the value in bits.
    pub const fn width(&self) -> u32 {
        match *self {
            Node::Constant { width, .. }
            | Node::WideConstant { width, .. }
            | Node::Symbol { width, .. }
            | Node::Unary { width, .. }
            | Node::Binary { width, .. }
            | Node::IfThenElse { width, .. }
            | Node::Concat { width, .. }
            | Node::Extract { width, .. }
            | Node::ZeroExtend { width, .. }
            | Node::SignExtend { width, .. } => width,
            Node::Float { operator, .. } => operator.result_width(),
        }
    }

    /// The operands, most significant or leftmost first; at most three.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = Term> + use<> {
        let operands = match *self {
            Node::Constant { .. } | Node::WideConstant { .. } | Node::Symbol { .. } => [None; 3],
            Node::Unary { operand, .. }
            | Node::Extract { operand, .. }
            | Node::ZeroExtend { operand, .. }
            | Node::SignExtend { operand, .. } => [Some(operand), None, None],
            Node::Binary { left, right, .. } => [Some(left), Some(right), None],
            Node::Concat { high, low, .. } => [Some(high), Some(low), None],
            Node::IfThenElse { condition, then, otherwise, .. } => {
                [Some(condition), Some(then), Some(otherwise)]
            }
            Node::Float { operands, .. } => operands,
        };
        operands.into_iter().flatten()
    }
}
