//! Floating point, concretely: what instructions compute, by the operators that terms have, too.

mod symbolic;

use symx_expr::{FloatFormat as Format, FloatOperator, Rounding};
use symx_ir::instruction::{FloatCast, FloatFormat, FloatOp, FloatPredicate, FloatUnary};

/// The terms' word for a format.
pub(in crate::step) const fn format(format: FloatFormat) -> Format {
    match format {
        FloatFormat::Half => Format::Half,
        FloatFormat::BFloat => Format::BFloat,
        FloatFormat::Single => Format::Single,
        FloatFormat::Double => Format::Double,
        FloatFormat::Extended80 => Format::Extended80,
        FloatFormat::Quad => Format::Quad,
    }
}

/// The operator of an arithmetic instruction; `None` for those that are made of others.
pub(in crate::step) const fn arithmetic(op: FloatOp, format: Format) -> Option<FloatOperator> {
    match op {
        FloatOp::Add => Some(FloatOperator::Add(format)),
        FloatOp::Sub => Some(FloatOperator::Subtract(format)),
        FloatOp::Mul => Some(FloatOperator::Multiply(format)),
        FloatOp::Div => Some(FloatOperator::Divide(format)),
        FloatOp::Rem | FloatOp::Minimum | FloatOp::Maximum | FloatOp::CopySign => None,
    }
}

/// The operator of an instruction of one operand; `None` for those that only touch the sign bit.
pub(in crate::step) const fn one_operand(op: FloatUnary, format: Format) -> Option<FloatOperator> {
    let rounding = match op {
        FloatUnary::Negate | FloatUnary::Absolute => return None,
        FloatUnary::SquareRoot => return Some(FloatOperator::SquareRoot(format)),
        FloatUnary::Floor => Rounding::Down,
        FloatUnary::Ceiling => Rounding::Up,
        FloatUnary::Truncate => Rounding::TowardsZero,
        FloatUnary::RoundEven => Rounding::NearestEven,
        FloatUnary::RoundAway => Rounding::NearestAway,
    };
    Some(FloatOperator::Round(format, rounding))
}

/// The operator of a conversion; `None` where the integer has more than 128 bits.
pub(in crate::step) fn conversion(cast: FloatCast) -> Option<FloatOperator> {
    let narrow = |bits: u32| u8::try_from(bits).ok().filter(|bits| *bits <= 128);
    Some(match cast {
        FloatCast::Convert { from, to } => FloatOperator::Convert { from: format(from), to: format(to) },
        FloatCast::FromInteger { bits, signed, to } => {
            FloatOperator::FromInteger { bits: narrow(bits)?, signed, to: format(to) }
        }
        FloatCast::ToInteger { from, bits, signed, saturate } => {
            FloatOperator::ToInteger { from: format(from), bits: narrow(bits)?, signed, saturate }
        }
    })
}

/// What a truncated value must be for a conversion to an integer to be defined.
pub(in crate::step) struct IntegerRange {
    /// The float's format.
    pub from: Format,
    /// The least number, or negative infinity, which is none.
    pub least: u128,
    /// Whether `least` is a number that fits.
    pub includes_least: bool,
    /// The first number beyond, or infinity.
    pub end: u128,
}

/// The range of a conversion to an integer that has no result elsewhere; `None` of one that always has.
pub(in crate::step) fn integer_range(cast: FloatCast) -> Option<IntegerRange> {
    let FloatCast::ToInteger { from, bits, signed, saturate: false } = cast else { return None };
    let from = format(from);
    let bits = u8::try_from(bits).ok().filter(|bits| (1..=128).contains(bits))?;
    // Powers of two are exact, or infinite.
    let half = FloatOperator::FromInteger { bits, signed: false, to: from }.apply([1 << (bits - 1), 0, 0]);
    let double = |x| FloatOperator::Add(from).apply([x, x, 0]);
    let is_infinite = double(half) == half;
    Some(match signed {
        true => IntegerRange { from, least: half ^ from.sign_bit(), includes_least: !is_infinite, end: half },
        false => IntegerRange { from, least: 0, includes_least: true, end: double(half) },
    })
}

/// Whether a conversion has a result.
pub(in crate::step) fn fits(cast: FloatCast, src: u128) -> bool {
    let Some(IntegerRange { from, least, includes_least, end }) = integer_range(cast) else { return true };
    let whole = FloatOperator::Round(from, Rounding::TowardsZero).apply([src, 0, 0]);
    let lower = if includes_least { FloatOperator::LessEqual(from) } else { FloatOperator::Less(from) };
    lower.apply([least, whole, 0]) == 1 && FloatOperator::Less(from).apply([whole, end, 0]) == 1
}

/// A value of a format that takes one slot: `a op b`.
pub(crate) fn binary(op: FloatOp, format: FloatFormat, a: u64, b: u64) -> u64 {
    // The host's own arithmetic, except that which NaN comes out is not left to its compiler.
    macro_rules! host {
        ($float:ty, $bits:ty) => {{
            let (x, y) = (<$float>::from_bits(a as $bits), <$float>::from_bits(b as $bits));
            let result = match op {
                FloatOp::Add => x + y,
                FloatOp::Sub => x - y,
                FloatOp::Mul => x * y,
                FloatOp::Div => x / y,
                FloatOp::Rem | FloatOp::Minimum | FloatOp::Maximum | FloatOp::CopySign => <$float>::NAN,
            };
            if !result.is_nan() {
                return result.to_bits().into();
            }
        }};
    }
    match format {
        FloatFormat::Double => host!(f64, u64),
        FloatFormat::Single => host!(f32, u32),
        _ => {}
    }
    wide_binary(op, format, a.into(), b.into()) as u64
}

/// One-slot formats: `op src`.
pub(crate) fn unary(op: FloatUnary, format: FloatFormat, src: u64) -> u64 {
    wide_unary(op, format, src.into()) as u64
}

/// One-slot formats: whether the predicate holds.
pub(crate) fn compare(predicate: FloatPredicate, format: FloatFormat, a: u64, b: u64) -> bool {
    match format {
        FloatFormat::Double => holds(predicate, f64::from_bits(a).partial_cmp(&f64::from_bits(b))),
        FloatFormat::Single => {
            holds(predicate, f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)))
        }
        _ => wide_compare(predicate, format, a.into(), b.into()),
    }
}

fn holds(predicate: FloatPredicate, ordering: Option<std::cmp::Ordering>) -> bool {
    let outcome = match ordering {
        Some(std::cmp::Ordering::Equal) => 1,
        Some(std::cmp::Ordering::Greater) => 2,
        Some(std::cmp::Ordering::Less) => 4,
        None => 8,
    };
    predicate.0 & outcome != 0
}

/// Any format: `a op b`.
pub(crate) fn wide_binary(op: FloatOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    let format = self::format(format);
    match op {
        FloatOp::CopySign => a & !format.sign_bit() | b & format.sign_bit(),
        FloatOp::Minimum | FloatOp::Maximum => {
            // A NaN gives way to the other operand; of zeros the negative one is the lesser.
            if format.is_nan(a) {
                return b;
            }
            let least = op == FloatOp::Minimum;
            let (low, high) = if least { (a, b) } else { (b, a) };
            let first_sign = a & format.sign_bit() != 0;
            let before = FloatOperator::Less(format).apply([low, high, 0]) == 1;
            let tie = FloatOperator::Equal(format).apply([a, b, 0]) == 1 && first_sign == least;
            if format.is_nan(b) || before || tie { a } else { b }
        }
        FloatOp::Rem => remainder(format, a, b),
        FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div => match arithmetic(op, format) {
            Some(operator) => operator.apply([a, b, 0]),
            None => unreachable!("these have operators"),
        },
    }
}

/// C's `fmod`, which is exact.
fn remainder(format: Format, a: u128, b: u128) -> u128 {
    use rustc_apfloat::{Float, ieee};
    macro_rules! software {
        ($($format:ident => $software:ident),*) => {
            match format {
                $(Format::$format => {
                    let result = ieee::$software::from_bits(a).c_fmod(ieee::$software::from_bits(b)).value;
                    (!result.is_nan()).then(|| result.to_bits())
                })*
            }
        };
    }
    let result = software!(Half => Half, BFloat => BFloat, Single => Single, Double => Double,
                           Extended80 => X87DoubleExtended, Quad => Quad);
    result.unwrap_or_else(|| format.nan_of(&[a, b]))
}

/// Any format: `op src`.
pub(crate) fn wide_unary(op: FloatUnary, format: FloatFormat, src: u128) -> u128 {
    let format = self::format(format);
    match one_operand(op, format) {
        Some(operator) => operator.apply([src, 0, 0]),
        None if op == FloatUnary::Negate => src ^ format.sign_bit(),
        None => src & !format.sign_bit(),
    }
}

/// Any format: whether the predicate holds.
pub(crate) fn wide_compare(predicate: FloatPredicate, format: FloatFormat, a: u128, b: u128) -> bool {
    let format = self::format(format);
    let is = |operator: FloatOperator, a, b| operator.apply([a, b, 0]) == 1;
    let ordering = if is(FloatOperator::Equal(format), a, b) {
        Some(std::cmp::Ordering::Equal)
    } else if is(FloatOperator::Less(format), a, b) {
        Some(std::cmp::Ordering::Less)
    } else if is(FloatOperator::Less(format), b, a) {
        Some(std::cmp::Ordering::Greater)
    } else {
        None
    };
    holds(predicate, ordering)
}

/// `a * b + c`, with one rounding or two.
pub(crate) fn multiply_add(format: FloatFormat, fused: bool, a: u128, b: u128, c: u128) -> u128 {
    let format = self::format(format);
    if fused {
        return FloatOperator::MultiplyAdd(format).apply([a, b, c]);
    }
    let product = FloatOperator::Multiply(format).apply([a, b, 0]);
    FloatOperator::Add(format).apply([product, c, 0])
}

/// Conversions. Integers of up to 128 bits.
pub(crate) fn convert(cast: FloatCast, src: u128) -> u128 {
    conversion(cast).map_or(0, |operator| operator.apply([src, 0, 0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_agrees() {
        let values = [0.0, -0.0, 1.0, 2.0, 0.1, -3.75, 1e300, 5e-324, f64::INFINITY, 12345.678, 2.5, 3.5];
        for a in values {
            for b in values {
                for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem] {
                    let host = match op {
                        FloatOp::Add => a + b,
                        FloatOp::Sub => a - b,
                        FloatOp::Mul => a * b,
                        FloatOp::Div => a / b,
                        _ => a % b,
                    };
                    let ours = f64::from_bits(binary(op, FloatFormat::Double, a.to_bits(), b.to_bits()));
                    assert!(
                        host.to_bits() == ours.to_bits() || host.is_nan() && ours.is_nan(),
                        "{a} {op:?} {b}"
                    );
                }
            }
            let soft =
                wide_unary(FloatUnary::SquareRoot, FloatFormat::Double, a.abs().to_bits().into()) as u64;
            assert_eq!(f64::from_bits(soft), a.abs().sqrt(), "sqrt {a}");
            let soft = wide_unary(FloatUnary::RoundEven, FloatFormat::Double, a.to_bits().into()) as u64;
            assert_eq!(f64::from_bits(soft), a.round_ties_even());
        }
    }

    #[test]
    fn a_conversion_has_a_result_if_the_whole_part_fits() {
        let from = FloatFormat::Double;
        let to = |bits, signed| FloatCast::ToInteger { from, bits, signed, saturate: false };
        let fits_double = |cast, x: f64| fits(cast, x.to_bits().into());
        for (x, as_signed, as_unsigned) in [
            (127.9, true, true),
            (128.0, false, true),
            (255.9, false, true),
            (256.0, false, false),
            (-0.9, true, true),
            (-1.0, true, false),
            (-128.9, true, false),
            (-129.0, false, false),
            (f64::NAN, false, false),
            (f64::INFINITY, false, false),
        ] {
            assert_eq!(fits_double(to(8, true), x), as_signed, "{x}");
            assert_eq!(fits_double(to(8, false), x), as_unsigned, "{x}");
        }
        let beyond = (1_u64 << 63) as f64;
        assert!(!fits_double(to(64, true), beyond) && fits_double(to(64, true), -beyond));
        let half = FloatCast::ToInteger { from: FloatFormat::Half, bits: 32, signed: true, saturate: false };
        assert!(fits(half, 0x7bff) && !fits(half, 0x7c00) && !fits(half, 0xfc00));
    }

    #[test]
    fn conversions_round_and_saturate() {
        let convert_double = |cast, x: f64| convert(cast, x.to_bits().into());
        let narrow = FloatCast::Convert { from: FloatFormat::Double, to: FloatFormat::Single };
        assert_eq!(f32::from_bits(convert_double(narrow, 0.1) as u32), 0.1_f32);
        let to_i8 =
            |saturate| FloatCast::ToInteger { from: FloatFormat::Double, bits: 8, signed: true, saturate };
        assert_eq!(convert_double(to_i8(false), -3.9), 0xfd);
        assert_eq!(convert_double(to_i8(true), 1e9), 0x7f);
        assert_eq!(convert_double(to_i8(false), 1e9), 0);
        let extended = FloatCast::Convert { from: FloatFormat::Double, to: FloatFormat::Extended80 };
        let one = convert_double(extended, 1.0);
        assert_eq!(one, 0x3fff_8000_0000_0000_0000);
        let sum = wide_binary(FloatOp::Add, FloatFormat::Extended80, one, one);
        let back = FloatCast::Convert { from: FloatFormat::Extended80, to: FloatFormat::Double };
        assert_eq!(f64::from_bits(convert(back, sum) as u64), 2.0);
        let unsigned = FloatCast::FromInteger { bits: 64, signed: false, to: FloatFormat::Double };
        assert_eq!(f64::from_bits(convert(unsigned, u64::MAX.into()) as u64), u64::MAX as f64);
    }
}
