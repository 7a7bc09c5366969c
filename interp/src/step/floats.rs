//! Floating point, concretely: single and double by the host, all other formats in software.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, StatusAnd};
use symx_ir::instruction::{FloatCast, FloatFormat, FloatOp, FloatPredicate, FloatUnary};

/// A value of a format that takes one slot: `a op b`.
pub(crate) fn binary(op: FloatOp, format: FloatFormat, a: u64, b: u64) -> u64 {
    match format {
        FloatFormat::Double => host_double(op, f64::from_bits(a), f64::from_bits(b)).to_bits(),
        FloatFormat::Single => {
            host_single(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into()
        }
        _ => wide_binary(op, format, a.into(), b.into()) as u64,
    }
}

macro_rules! host {
    ($name:ident, $float:ty) => {
        fn $name(op: FloatOp, a: $float, b: $float) -> $float {
            match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
                FloatOp::Rem => a % b,
                FloatOp::Minimum => a.min(b),
                FloatOp::Maximum => a.max(b),
                FloatOp::CopySign => a.copysign(b),
            }
        }
    };
}
host!(host_single, f32);
host!(host_double, f64);

/// One-slot formats: `op src`.
pub(crate) fn unary(op: FloatUnary, format: FloatFormat, src: u64) -> u64 {
    match (op, format) {
        (FloatUnary::SquareRoot, FloatFormat::Double) => f64::from_bits(src).sqrt().to_bits(),
        (FloatUnary::SquareRoot, FloatFormat::Single) => f32::from_bits(src as u32).sqrt().to_bits().into(),
        _ => wide_unary(op, format, src.into()) as u64,
    }
}

/// One-slot formats: whether the predicate holds.
pub(crate) fn compare(predicate: FloatPredicate, format: FloatFormat, a: u64, b: u64) -> bool {
    let ordering = match format {
        FloatFormat::Double => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        FloatFormat::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => return wide_compare(predicate, format, a.into(), b.into()),
    };
    holds(predicate, ordering)
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

/// Runs `$body` with `$F` standing for the software type of a format.
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

/// Any format: `a op b`.
pub(crate) fn wide_binary(op: FloatOp, format: FloatFormat, a: u128, b: u128) -> u128 {
    with_format!(format, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        match op {
            FloatOp::Add => (a + b).value,
            FloatOp::Sub => (a - b).value,
            FloatOp::Mul => (a * b).value,
            FloatOp::Div => (a / b).value,
            FloatOp::Rem => a.c_fmod(b).value,
            FloatOp::Minimum => a.min(b),
            FloatOp::Maximum => a.max(b),
            FloatOp::CopySign => a.copy_sign(b),
        }
        .to_bits()
    })
}

/// Any format: `op src`.
pub(crate) fn wide_unary(op: FloatUnary, format: FloatFormat, src: u128) -> u128 {
    with_format!(format, F => {
        let x = F::from_bits(src);
        let rounded = |round| x.round_to_integral(round).value;
        match op {
            FloatUnary::Negate => -x,
            FloatUnary::Absolute => x.abs(),
            FloatUnary::SquareRoot => square_root(x),
            FloatUnary::Floor => rounded(Round::TowardNegative),
            FloatUnary::Ceiling => rounded(Round::TowardPositive),
            FloatUnary::Truncate => rounded(Round::TowardZero),
            FloatUnary::RoundEven => rounded(Round::NearestTiesToEven),
            FloatUnary::RoundAway => rounded(Round::NearestTiesToAway),
        }
        .to_bits()
    })
}

/// Square root, correctly rounded to nearest: Newton's iteration from above, then the closest of the neighbours by
/// their squares, which a quad (or wider) remainder tells apart.
fn square_root<F: Float>(x: F) -> F {
    if x.is_zero() || x.is_nan() || (x.is_infinite() && !x.is_negative()) {
        return x;
    }
    if x.is_negative() {
        return F::NAN;
    }
    let two = F::from_u128(2).value;
    // A power of two above the root.
    let mut guess = F::from_u128(1).value.scalbn(x.ilogb() / 2 + 1);
    for _ in 0..256 {
        let next = ((guess + (x / guess).value).value / two).value;
        if next >= guess {
            break;
        }
        guess = next;
    }
    // The iteration ends within one unit in the last place; |guess^2 - x| by a fused operation decides.
    let error = |root: F| root.mul_add(root, -x).value.abs();
    [guess, guess.next_down().value, guess.next_up().value]
        .into_iter()
        .min_by(|a, b| error(*a).partial_cmp(&error(*b)).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap_or(guess)
}

/// Any format: whether the predicate holds.
pub(crate) fn wide_compare(predicate: FloatPredicate, format: FloatFormat, a: u128, b: u128) -> bool {
    with_format!(format, F => holds(predicate, F::from_bits(a).partial_cmp(&F::from_bits(b))))
}

/// `a * b + c`, with one rounding or two.
pub(crate) fn multiply_add(format: FloatFormat, fused: bool, a: u128, b: u128, c: u128) -> u128 {
    with_format!(format, F => {
        let (a, b, c) = (F::from_bits(a), F::from_bits(b), F::from_bits(c));
        if fused { a.mul_add(b, c).value } else { ((a * b).value + c).value }.to_bits()
    })
}

/// Conversions. Integers of up to 128 bits.
pub(crate) fn convert(cast: FloatCast, src: u128) -> u128 {
    match cast {
        FloatCast::Convert { from, to } => {
            with_format!(from, F => with_format!(to, T => convert_between::<F, T>(F::from_bits(src)).to_bits()))
        }
        FloatCast::FromInteger { bits, signed, to } => with_format!(to, F => {
            if signed {
                let shift = 128 - bits;
                F::from_i128(((src << shift) as i128) >> shift).value
            } else {
                F::from_u128(src).value
            }
            .to_bits()
        }),
        FloatCast::ToInteger { from, bits, signed, saturate } => with_format!(from, F => {
            let x = F::from_bits(src);
            let mut exact = false;
            let all = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
            if signed {
                let StatusAnd { value, status } = x.to_i128_r(bits as usize, Round::TowardZero, &mut exact);
                if (!saturate || x.is_nan()) && status.contains(rustc_apfloat::Status::INVALID_OP) {
                    0
                } else {
                    value as u128 & all
                }
            } else {
                let StatusAnd { value, status } = x.to_u128_r(bits as usize, Round::TowardZero, &mut exact);
                if (!saturate || x.is_nan()) && status.contains(rustc_apfloat::Status::INVALID_OP) {
                    0
                } else {
                    value & all
                }
            }
        }),
    }
}

/// Converts between formats. The library converts only between distinct types where both are known; going through
/// the wider of the two is exact.
fn convert_between<F: Float + ConvertTo, T: Float + ConvertFrom>(from: F) -> T {
    T::from_quad_or_extended(from.to_wide())
}

/// A value in a format that holds every other exactly: quad holds all but nothing is lost from x86_fp80 either
/// (64 bits of significand, 15 of exponent fit into 113 and 15).
trait ConvertTo {
    fn to_wide(self) -> Quad;
}

trait ConvertFrom: Sized {
    fn from_quad_or_extended(wide: Quad) -> Self;
}

macro_rules! convertible {
    ($($F:ty),*) => {$(
        impl ConvertTo for $F {
            fn to_wide(self) -> Quad {
                let mut loses = false;
                self.convert(&mut loses).value
            }
        }
        impl ConvertFrom for $F {
            fn from_quad_or_extended(wide: Quad) -> Self {
                let mut loses = false;
                wide.convert(&mut loses).value
            }
        }
    )*};
}
convertible!(Half, BFloat, Single, Double, X87DoubleExtended, Quad);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_agrees_with_the_host() {
        let values = [0.0, -0.0, 1.0, 2.0, 0.1, -3.75, 1e300, 5e-324, f64::INFINITY, 12345.678, 2.5, 3.5];
        for a in values {
            for b in values {
                for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem] {
                    let host = host_double(op, a, b);
                    let soft = f64::from_bits(wide_binary(
                        op,
                        FloatFormat::Double,
                        a.to_bits().into(),
                        b.to_bits().into(),
                    ) as u64);
                    assert!(
                        host.to_bits() == soft.to_bits() || host.is_nan() && soft.is_nan(),
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
