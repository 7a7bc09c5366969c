//! Floating point on bit patterns: the formats and the operators.
//!
//! A value is its pattern, a bit vector as wide as its format. Rounding is to nearest, ties to even. A NaN
//! has a pattern too, so operators say which one they give. It is the first operand that is NaN, made quiet,
//! or the format's [default](FloatFormat::default_nan) where the operation itself is invalid. Negation,
//! absolute value, copying of signs and classification are operations on bits and need no operator of their
//! own.

use serde::{Deserialize, Serialize};

/// How a real number is laid out in bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloatFormat {
    /// IEEE binary16.
    Half,
    /// The upper half of a single.
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// x86's 80 bits, with an explicit integer bit.
    Extended80,
    /// IEEE binary128.
    Quad,
}

impl FloatFormat {
    /// All formats, for tables and tests.
    pub const ALL: [FloatFormat; 6] =
        [Self::Half, Self::BFloat, Self::Single, Self::Double, Self::Extended80, Self::Quad];

    /// Width of a value in bits.
    pub const fn width(self) -> u32 {
        match self {
            Self::Half | Self::BFloat => 16,
            Self::Single => 32,
            Self::Double => 64,
            Self::Extended80 => 80,
            Self::Quad => 128,
        }
    }

    /// Width of the exponent field.
    pub const fn exponent_bits(self) -> u32 {
        match self {
            Self::Half => 5,
            Self::BFloat | Self::Single => 8,
            Self::Double => 11,
            Self::Extended80 | Self::Quad => 15,
        }
    }

    /// Binary digits of the significand, the integer bit included, whether it is stored or not.
    pub const fn precision(self) -> u32 {
        match self {
            Self::Half => 11,
            Self::BFloat => 8,
            Self::Single => 24,
            Self::Double => 53,
            Self::Extended80 => 64,
            Self::Quad => 113,
        }
    }

    /// Width of the fraction, without the integer bit.
    pub(crate) const fn fraction_bits(self) -> u32 {
        self.precision() - 1
    }

    /// Whether the integer bit is stored.
    pub(crate) const fn stores_integer_bit(self) -> bool {
        matches!(self, Self::Extended80)
    }

    /// The sign bit.
    pub const fn sign_bit(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The bit that distinguishes a quiet NaN from a signalling one.
    pub(crate) const fn quiet_bit(self) -> u128 {
        1 << (self.fraction_bits() - 1)
    }

    /// Positive infinity.
    pub const fn infinity(self) -> u128 {
        let exponent = (1 << self.exponent_bits()) - 1;
        let stored = if self.stores_integer_bit() { 1 } else { 0 };
        ((exponent << stored) | stored) << self.fraction_bits()
    }

    /// The result of an invalid operation: the quiet NaN with the sign bit set and no payload, as x86 does.
    pub const fn default_nan(self) -> u128 {
        self.sign_bit() | self.infinity() | self.quiet_bit()
    }

    /// Whether a pattern is a NaN. So are 80-bit patterns that no operation gives, whose integer bit is
    /// missing.
    pub const fn is_nan(self, bits: u128) -> bool {
        let magnitude = bits & !self.sign_bit();
        if self.stores_integer_bit() {
            let exponent = magnitude >> self.precision();
            let integer = bits >> self.fraction_bits() & 1 == 1;
            return exponent != 0 && (!integer || magnitude > self.infinity());
        }
        magnitude > self.infinity()
    }

    /// A NaN made quiet.
    pub(crate) const fn quieted(self, nan: u128) -> u128 {
        nan | self.infinity() | self.quiet_bit()
    }

    /// The NaN that an operation on these operands gives: the first of them that is NaN, or the default.
    pub fn nan_of(self, operands: &[u128]) -> u128 {
        let first = operands.iter().find(|operand| self.is_nan(**operand));
        first.map_or(self.default_nan(), |nan| self.quieted(*nan))
    }

    /// Whether every value of this format is one of the other.
    pub const fn is_within(self, other: FloatFormat) -> bool {
        self.precision() <= other.precision() && self.exponent_bits() <= other.exponent_bits()
    }
}

/// To which integer a value is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// The nearest, of two the even one.
    NearestEven,
    /// The nearest, of two the one farther from zero.
    NearestAway,
    /// The next one not greater.
    Down,
    /// The next one not less.
    Up,
    /// The next one not farther from zero.
    TowardsZero,
}

impl Rounding {
    /// All ways to round.
    pub const ALL: [Rounding; 5] =
        [Self::NearestEven, Self::NearestAway, Self::Down, Self::Up, Self::TowardsZero];
}

/// A floating-point operator. Operands are patterns of the format named, results too unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloatOperator {
    /// Sum.
    Add(FloatFormat),
    /// Difference.
    Subtract(FloatFormat),
    /// Product.
    Multiply(FloatFormat),
    /// Quotient.
    Divide(FloatFormat),
    /// `a * b + c`, rounded once.
    MultiplyAdd(FloatFormat),
    /// Square root.
    SquareRoot(FloatFormat),
    /// An integer nearby, as a float; the sign stays.
    Round(FloatFormat, Rounding),
    /// Whether both are equal, which zeros of both signs are and NaN never is; width 1.
    Equal(FloatFormat),
    /// Whether the left is less; width 1.
    Less(FloatFormat),
    /// Whether the left is less or equal; width 1.
    LessEqual(FloatFormat),
    /// The nearest value of another format. A NaN keeps the upper bits of its payload and becomes quiet.
    Convert {
        /// The operand's format.
        from: FloatFormat,
        /// The result's.
        to: FloatFormat,
    },
    /// The value nearest to an integer.
    FromInteger {
        /// Width of the integer, 1 to 128.
        bits: u8,
        /// Whether it is read as two's complement.
        signed: bool,
        /// The result's format.
        to: FloatFormat,
    },
    /// The integer part. NaN gives zero.
    ToInteger {
        /// The operand's format.
        from: FloatFormat,
        /// Width of the result, 1 to 128.
        bits: u8,
        /// Whether the result is two's complement.
        signed: bool,
        /// Whether a number out of range gives the nearest integer in range; else zero.
        saturate: bool,
    },
}

impl FloatOperator {
    /// Width of the result.
    pub const fn result_width(self) -> u32 {
        match self {
            Self::Equal(_) | Self::Less(_) | Self::LessEqual(_) => 1,
            Self::ToInteger { bits, .. } => bits as u32,
            _ => match self.result_format() {
                Some(format) => format.width(),
                None => unreachable!(),
            },
        }
    }

    /// Width of every operand.
    pub const fn operand_width(self) -> u32 {
        match self {
            Self::FromInteger { bits, .. } => bits as u32,
            _ => match self.operand_format() {
                Some(format) => format.width(),
                None => unreachable!(),
            },
        }
    }

    /// How many operands there are.
    pub const fn arity(self) -> usize {
        match self {
            Self::SquareRoot(_)
            | Self::Round(..)
            | Self::Convert { .. }
            | Self::FromInteger { .. }
            | Self::ToInteger { .. } => 1,
            Self::MultiplyAdd(_) => 3,
            _ => 2,
        }
    }

    /// The format of the result, if that is a float.
    pub const fn result_format(self) -> Option<FloatFormat> {
        match self {
            Self::Add(format)
            | Self::Subtract(format)
            | Self::Multiply(format)
            | Self::Divide(format)
            | Self::MultiplyAdd(format)
            | Self::SquareRoot(format)
            | Self::Round(format, _)
            | Self::Convert { to: format, .. }
            | Self::FromInteger { to: format, .. } => Some(format),
            Self::Equal(_) | Self::Less(_) | Self::LessEqual(_) | Self::ToInteger { .. } => None,
        }
    }

    /// The format of the operands, if they are floats.
    pub const fn operand_format(self) -> Option<FloatFormat> {
        match self {
            Self::Add(format)
            | Self::Subtract(format)
            | Self::Multiply(format)
            | Self::Divide(format)
            | Self::MultiplyAdd(format)
            | Self::SquareRoot(format)
            | Self::Round(format, _)
            | Self::Equal(format)
            | Self::Less(format)
            | Self::LessEqual(format)
            | Self::Convert { from: format, .. }
            | Self::ToInteger { from: format, .. } => Some(format),
            Self::FromInteger { .. } => None,
        }
    }

    /// For people: the operator as a function's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Add(_) => "fadd",
            Self::Subtract(_) => "fsub",
            Self::Multiply(_) => "fmul",
            Self::Divide(_) => "fdiv",
            Self::MultiplyAdd(_) => "fma",
            Self::SquareRoot(_) => "sqrt",
            Self::Round(_, Rounding::NearestEven) => "roundeven",
            Self::Round(_, Rounding::NearestAway) => "round",
            Self::Round(_, Rounding::Down) => "floor",
            Self::Round(_, Rounding::Up) => "ceil",
            Self::Round(_, Rounding::TowardsZero) => "trunc",
            Self::Equal(_) => "feq",
            Self::Less(_) => "flt",
            Self::LessEqual(_) => "fle",
            Self::Convert { .. } => "fconvert",
            Self::FromInteger { signed: true, .. } => "sitofp",
            Self::FromInteger { .. } => "uitofp",
            Self::ToInteger { signed: true, .. } => "fptosi",
            Self::ToInteger { .. } => "fptoui",
        }
    }
}
