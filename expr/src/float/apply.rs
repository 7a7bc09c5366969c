//! The results of operators: single and double by the host where it is fast, the rest in software.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::float_operator::{FloatFormat, FloatOperator, Rounding};

/// Runs `$body` with `$F` as the software type of a format.
macro_rules! with_format {
    ($format:expr, $F:ident => $body:expr) => {
        match $format {
            FloatFormat::Half => {
                type $F = Half;
                $body
            }
            FloatFormat::BFloat => {
                type $F = BFloat;
                $body
            }
            FloatFormat::Single => {
                type $F = Single;
                $body
            }
            FloatFormat::Double => {
                type $F = Double;
                $body
            }
            FloatFormat::Extended80 => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatFormat::Quad => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// An arithmetic operator of two operands; `None` for NaN.
macro_rules! arithmetic {
    ($format:expr, $a:expr, $b:expr, $operator:tt) => {
        match $format {
            FloatFormat::Double => {
                let result = f64::from_bits($a as u64) $operator f64::from_bits($b as u64);
                (!result.is_nan()).then(|| result.to_bits().into())
            }
            FloatFormat::Single => {
                let result = f32::from_bits($a as u32) $operator f32::from_bits($b as u32);
                (!result.is_nan()).then(|| result.to_bits().into())
            }
            format => with_format!(format, F => number((F::from_bits($a) $operator F::from_bits($b)).value)),
        }
    };
}

/// A result's pattern, if it is a number.
fn number<F: Float>(value: F) -> Option<u128> {
    (!value.is_nan()).then(|| value.to_bits())
}

fn nan(format: FloatFormat, operands: &[u128]) -> u128 {
    format.nan_of(operands)
}

impl FloatOperator {
    /// Applies the operator to patterns; operands beyond its number of them are not looked at.
    ///
    /// Patterns have no bit above their width, neither operands nor the result.
    pub fn apply(self, operands: [u128; 3]) -> u128 {
        let [a, b, c] = operands;
        match self {
            Self::Add(format) => arithmetic!(format, a, b, +).unwrap_or_else(|| nan(format, &[a, b])),
            Self::Subtract(format) => arithmetic!(format, a, b, -).unwrap_or_else(|| nan(format, &[a, b])),
            Self::Multiply(format) => arithmetic!(format, a, b, *).unwrap_or_else(|| nan(format, &[a, b])),
            Self::Divide(format) => arithmetic!(format, a, b, /).unwrap_or_else(|| nan(format, &[a, b])),
            Self::MultiplyAdd(format) => with_format!(format, F => {
                number(F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value)
            })
            .unwrap_or_else(|| nan(format, &operands)),
            Self::SquareRoot(format) => root(format, a).unwrap_or_else(|| nan(format, &[a])),
            Self::Round(format, rounding) => round(format, rounding, a).unwrap_or_else(|| nan(format, &[a])),
            Self::Equal(format) => compare(format, a, b).is_some_and(|order| order.is_eq()).into(),
            Self::Less(format) => compare(format, a, b).is_some_and(|order| order.is_lt()).into(),
            Self::LessEqual(format) => compare(format, a, b).is_some_and(|order| order.is_le()).into(),
            Self::Convert { from, to } if from.is_nan(a) => convert_nan(from, to, a),
            Self::Convert { from, to } => convert(from, to, a),
            Self::FromInteger { bits, signed, to } => from_integer(bits, signed, to, a),
            Self::ToInteger { from, bits, signed, saturate } => to_integer(from, bits, signed, saturate, a),
        }
    }
}

fn mode(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::TowardsZero => Round::TowardZero,
    }
}

fn round(format: FloatFormat, rounding: Rounding, a: u128) -> Option<u128> {
    if format == FloatFormat::Double {
        let x = f64::from_bits(a as u64);
        let rounded = match rounding {
            Rounding::NearestEven => x.round_ties_even(),
            Rounding::NearestAway => x.round(),
            Rounding::Down => x.floor(),
            Rounding::Up => x.ceil(),
            Rounding::TowardsZero => x.trunc(),
        };
        return (!rounded.is_nan()).then(|| rounded.to_bits().into());
    }
    with_format!(format, F => number(F::from_bits(a).round_to_integral(mode(rounding)).value))
}

fn compare(format: FloatFormat, a: u128, b: u128) -> Option<std::cmp::Ordering> {
    match format {
        FloatFormat::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        FloatFormat::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => with_format!(format, F => F::from_bits(a).partial_cmp(&F::from_bits(b))),
    }
}

fn root(format: FloatFormat, a: u128) -> Option<u128> {
    match format {
        FloatFormat::Double => {
            let root = f64::from_bits(a as u64).sqrt();
            (!root.is_nan()).then(|| root.to_bits().into())
        }
        FloatFormat::Single => {
            let root = f32::from_bits(a as u32).sqrt();
            (!root.is_nan()).then(|| root.to_bits().into())
        }
        _ => with_format!(format, F => number(square_root(F::from_bits(a)))),
    }
}

/// Square root, correctly rounded to nearest: Newton's iteration from above, then the closest of the
/// neighbours by their squares, which a fused operation distinguishes.
fn square_root<F: Float>(x: F) -> F {
    if x.is_zero() || x.is_nan() || (x.is_infinite() && !x.is_negative()) {
        return x;
    }
    if x.is_negative() {
        return F::NAN;
    }
    // Near the ends of the range squares overflow and errors vanish: the root is taken nearer to one.
    let exponent = x.ilogb() & !1;
    let scaled = x.scalbn(-exponent);
    let two = F::from_u128(2).value;
    // A power of two above the root of what lies in [1, 4).
    let mut guess = two;
    for _ in 0..256 {
        let next = ((guess + (scaled / guess).value).value / two).value;
        if next >= guess {
            break;
        }
        guess = next;
    }
    let error = |root: F| root.mul_add(root, -scaled).value.abs();
    let closest = [guess, guess.next_down().value, guess.next_up().value]
        .into_iter()
        .min_by(|a, b| error(*a).partial_cmp(&error(*b)).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap_or(guess);
    closest.scalbn(exponent / 2)
}

/// A number of one format in another. Quad holds the numbers of all formats, so going through it rounds once.
fn convert(from: FloatFormat, to: FloatFormat, a: u128) -> u128 {
    match (from, to) {
        (FloatFormat::Single, FloatFormat::Double) => {
            return f64::from(f32::from_bits(a as u32)).to_bits().into();
        }
        (FloatFormat::Double, FloatFormat::Single) => {
            return (f64::from_bits(a as u64) as f32).to_bits().into();
        }
        _ => {}
    }
    let mut loses = false;
    let wide: Quad = with_format!(from, F => F::from_bits(a).convert(&mut loses).value);
    with_format!(to, T => {
        let narrow: T = wide.convert(&mut loses).value;
        narrow.to_bits()
    })
}

/// A NaN's sign and the upper bits of its fraction, quiet.
fn convert_nan(from: FloatFormat, to: FloatFormat, a: u128) -> u128 {
    let fraction = a & ((1 << from.fraction_bits()) - 1);
    let fraction = match to.fraction_bits().checked_sub(from.fraction_bits()) {
        Some(wider) => fraction << wider,
        None => fraction >> (from.fraction_bits() - to.fraction_bits()),
    };
    let sign = if a & from.sign_bit() == 0 { 0 } else { to.sign_bit() };
    to.quieted(sign | fraction)
}

fn from_integer(bits: u8, signed: bool, to: FloatFormat, a: u128) -> u128 {
    let unused = 128 - u32::from(bits);
    let value = ((a << unused) as i128) >> unused;
    match (to, signed) {
        (FloatFormat::Double, true) => (value as f64).to_bits().into(),
        (FloatFormat::Double, false) => (a as f64).to_bits().into(),
        (FloatFormat::Single, true) => (value as f32).to_bits().into(),
        (FloatFormat::Single, false) => (a as f32).to_bits().into(),
        (_, true) => with_format!(to, F => F::from_i128(value).value.to_bits()),
        (_, false) => with_format!(to, F => F::from_u128(a).value.to_bits()),
    }
}

fn to_integer(from: FloatFormat, bits: u8, signed: bool, saturate: bool, a: u128) -> u128 {
    if from.is_nan(a) {
        return 0;
    }
    let unused = 128 - u32::from(bits);
    if from == FloatFormat::Double && bits <= 64 {
        let whole = f64::from_bits(a as u64).trunc();
        let above = (1_u128 << (bits - u8::from(signed))) as f64;
        if whole < above && whole >= if signed { -above } else { 0.0 } {
            return whole as i128 as u128 & (u128::MAX >> unused);
        }
    }
    let mut exact = false;
    // At full width first: the library does not know signed integers of one bit.
    let (value, in_range) = with_format!(from, F => if signed {
        let wide = F::from_bits(a).to_i128_r(128, Round::TowardZero, &mut exact);
        let bounded = wide.value.clamp(i128::MIN >> unused, i128::MAX >> unused);
        (bounded as u128, bounded == wide.value && !wide.status.contains(Status::INVALID_OP))
    } else {
        let wide = F::from_bits(a).to_u128_r(128, Round::TowardZero, &mut exact);
        let bounded = wide.value.min(u128::MAX >> unused);
        (bounded, bounded == wide.value && !wide.status.contains(Status::INVALID_OP))
    });
    if in_range || saturate { value & (u128::MAX >> unused) } else { 0 }
}
