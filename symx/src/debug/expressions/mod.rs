//! Expressions of C over the program's variables.

mod evaluate;
mod parse;
mod words;

pub use evaluate::{Names, evaluate, is_true};
pub use parse::parse;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// An integer.
    Integer {
        /// Its bits.
        bits: u64,
        /// Bytes of its type.
        size: u64,
        /// Whether its type is signed.
        signed: bool,
    },
    /// A floating-point number.
    Float {
        /// Its value.
        number: f64,
        /// Whether it is of type `float`.
        is_single: bool,
    },
    /// A variable, function or enumerator.
    Name(String),
    /// An operation on one operand.
    Unary(Unary, Box<Expression>),
    /// An operation on two.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `a[b]`.
    Index(Box<Expression>, Box<Expression>),
    /// `a.b`, or `a->b`.
    Member {
        /// The whole that it is a member of.
        whole: Box<Expression>,
        /// Its name.
        name: String,
        /// Whether the whole is pointed to.
        is_arrow: bool,
    },
    /// `a ? b : c`.
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// Operators before an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // their names say it
pub enum Unary {
    Dereference,
    Address,
    Negate,
    Not,
    Complement,
    SizeOf,
}

/// Operators between operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // their names say it
pub enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// Why an expression has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unevaluable {
    /// It is not one.
    #[error("{0}")]
    Syntax(String),
    /// A name means nothing here.
    #[error("no variable `{0}` is visible here")]
    Unknown(String),
    /// There is no such member.
    #[error("`{of}` has no member `{name}`")]
    NoMember {
        /// The type.
        of: String,
        /// The member.
        name: String,
    },
    /// An operator does not go with its operands.
    #[error("{0}")]
    Operands(String),
    /// The value is not there.
    #[error("{0}")]
    NoValue(String),
}
