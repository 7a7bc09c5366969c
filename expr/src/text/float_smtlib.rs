//! Floating-point terms as SMT-LIB text.
//!
//! A term of a float operator has two names: one for the number, of a floating-point sort, and one for its
//! pattern. Operators use the number, whose NaN has no pattern; the pattern of a NaN is put together from
//! those of the operands.

use super::references::reference;
use crate::float_operator::{FloatFormat, FloatOperator, Rounding};
use crate::node::{Node, Term};
use crate::pool::Terms;

fn sort(format: FloatFormat) -> String {
    format!("{} {}", format.exponent_bits(), format.precision())
}

fn literal(width: u32, bits: u128) -> String {
    format!("(_ bv{bits} {width})")
}

fn extract(pattern: &str, high: u32, low: u32) -> String {
    format!("((_ extract {high} {low}) {pattern})")
}

/// Whether a pattern is a NaN.
fn is_nan(format: FloatFormat, pattern: &str) -> String {
    let magnitude = extract(pattern, format.width() - 2, 0);
    let above = format!("(bvugt {magnitude} {})", literal(format.width() - 1, format.infinity()));
    if !format.stores_integer_bit() {
        return above;
    }
    let top = format.width() - 2;
    let exponent = extract(pattern, top, format.precision());
    let integer = extract(pattern, format.fraction_bits(), format.fraction_bits());
    let zero = literal(format.exponent_bits(), 0);
    format!("(and (not (= {exponent} {zero})) (or (= {integer} #b0) {above}))")
}

/// The number that a pattern denotes.
fn number(format: FloatFormat, pattern: &str) -> String {
    let sort = sort(format);
    if !format.stores_integer_bit() {
        return format!("((_ to_fp {sort}) {pattern})");
    }
    let top = format.width() - 1;
    let exponent = extract(pattern, top - 1, format.precision());
    let integer = extract(pattern, format.fraction_bits(), format.fraction_bits());
    let (zero, one) = (literal(format.exponent_bits(), 0), literal(format.exponent_bits(), 1));
    // With the integer bit set, an exponent of zero means the same as one.
    let exponent = format!("(ite (and (= {exponent} {zero}) (= {integer} #b1)) {one} {exponent})");
    let (sign, fraction) = (extract(pattern, top, top), extract(pattern, format.fraction_bits() - 1, 0));
    let ieee = format!("((_ to_fp {sort}) (concat {sign} (concat {exponent} {fraction})))");
    format!("(ite {} (_ NaN {sort}) {ieee})", is_nan(format, pattern))
}

/// The pattern of a number that is no NaN.
fn pattern(format: FloatFormat, number: &str) -> String {
    let ieee = format!("(fp.to_ieee_bv {number})");
    if !format.stores_integer_bit() {
        return ieee;
    }
    let fraction_bits = format.fraction_bits();
    let top = fraction_bits + format.exponent_bits();
    let exponent = extract(&ieee, top - 1, fraction_bits);
    let integer = format!("(ite (= {exponent} {}) #b0 #b1)", literal(format.exponent_bits(), 0));
    let fraction = extract(&ieee, fraction_bits - 1, 0);
    format!("(concat {} (concat {integer} {fraction}))", extract(&ieee, top, fraction_bits))
}

/// The name of a float operator's number.
fn name(term: Term) -> String {
    format!("f{}", term.index())
}

/// How an operator refers to an operand's number.
fn operand(terms: &Terms, format: FloatFormat, term: Term) -> String {
    match *terms.node(term) {
        Node::Float { operator, .. } if operator.result_format() == Some(format) => name(term),
        _ => number(format, &reference(terms, term)),
    }
}

fn mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Down => "RTN",
        Rounding::Up => "RTP",
        Rounding::TowardsZero => "RTZ",
    }
}

/// Name, sort and definition of the number of a term of an operator whose result is a float.
pub(crate) fn float_definition(terms: &Terms, term: Term) -> Option<(String, String, String)> {
    let Node::Float { operator, ref operands } = *terms.node(term) else { return None };
    let format = operator.result_format()?;
    let numbers: Vec<String> = match operator.operand_format() {
        Some(format) => operands.iter().flatten().map(|term| operand(terms, format, *term)).collect(),
        None => operands.iter().flatten().map(|term| reference(terms, *term)).collect(),
    };
    let arguments = numbers.join(" ");
    let sort = sort(format);
    use FloatOperator::*;
    let definition = match operator {
        Add(_) => format!("(fp.add RNE {arguments})"),
        Subtract(_) => format!("(fp.sub RNE {arguments})"),
        Multiply(_) => format!("(fp.mul RNE {arguments})"),
        Divide(_) => format!("(fp.div RNE {arguments})"),
        MultiplyAdd(_) => format!("(fp.fma RNE {arguments})"),
        SquareRoot(_) => format!("(fp.sqrt RNE {arguments})"),
        Round(_, rounding) => format!("(fp.roundToIntegral {} {arguments})", mode(rounding)),
        Convert { .. } | FromInteger { signed: true, .. } => format!("((_ to_fp {sort}) RNE {arguments})"),
        FromInteger { .. } => format!("((_ to_fp_unsigned {sort}) RNE {arguments})"),
        Equal(_) | Less(_) | LessEqual(_) | ToInteger { .. } => return None,
    };
    Some((name(term), format!("(_ FloatingPoint {sort})"), definition))
}

/// The definition of a float operator's pattern, or of its result that is no float.
pub(crate) fn definition(terms: &Terms, term: Term, operator: FloatOperator, operands: &[Term]) -> String {
    use FloatOperator::*;
    let numbers = |format| -> String {
        let names: Vec<String> = operands.iter().map(|term| operand(terms, format, *term)).collect();
        names.join(" ")
    };
    let truth = |condition: String| format!("(ite {condition} #b1 #b0)");
    match operator {
        Equal(format) => return truth(format!("(fp.eq {})", numbers(format))),
        Less(format) => return truth(format!("(fp.lt {})", numbers(format))),
        LessEqual(format) => return truth(format!("(fp.leq {})", numbers(format))),
        ToInteger { from, bits, signed, saturate } => {
            return to_integer(from, bits.into(), signed, saturate, &numbers(from));
        }
        _ => {}
    }
    let Some(format) = operator.result_format() else { unreachable!("the others were dealt with") };
    let pattern = pattern(format, &name(term));
    let Some(from) = operator.operand_format() else { return pattern };
    // The first operand that is NaN decides; where none is, the operation was invalid.
    let invalid = format!(
        "(ite (fp.isNaN {}) {} {pattern})",
        name(term),
        literal(format.width(), format.default_nan())
    );
    operands.iter().rev().fold(invalid, |rest, term| {
        let nan = quiet_nan(from, format, &reference(terms, *term));
        format!("(ite (fp.isNaN {}) {nan} {rest})", operand(terms, from, *term))
    })
}

/// A NaN's pattern in a format, made quiet.
fn quiet_nan(from: FloatFormat, to: FloatFormat, nan: &str) -> String {
    let (have, want) = (from.fraction_bits(), to.fraction_bits());
    let sign = extract(nan, from.width() - 1, from.width() - 1);
    let fraction = match want.cmp(&have) {
        std::cmp::Ordering::Greater => {
            format!("(concat {} {})", extract(nan, have - 1, 0), literal(want - have, 0))
        }
        _ => extract(nan, have - 1, have - want),
    };
    let above = to.width() - 1 - want;
    let whole = format!("(concat {sign} (concat {} {fraction}))", literal(above, 0));
    format!("(bvor {whole} {})", literal(to.width(), to.quieted(0)))
}

fn to_integer(from: FloatFormat, bits: u32, signed: bool, saturate: bool, number: &str) -> String {
    let (least, most): (u128, u128) = if signed {
        (1 << (bits - 1), (u128::MAX >> (128 - bits)) >> 1)
    } else {
        (0, u128::MAX >> (128 - bits))
    };
    // The least integer in range, and a power of two, the least one above the range. It is infinite where the
    // format has no such number.
    let power = |exponent: u32| {
        let one = FloatOperator::FromInteger { bits: 128, signed: false, to: from };
        let power = |exponent: u32| one.apply([1 << exponent, 0, 0]);
        match exponent {
            128 => FloatOperator::Multiply(from).apply([power(127), power(1), 0]),
            _ => power(exponent),
        }
    };
    let constant = |bits: u128| self::number(from, &literal(from.width(), bits));
    let low = constant(if signed { power(bits - 1) | from.sign_bit() } else { 0 });
    let high = constant(power(bits - u32::from(signed)));
    let whole = format!("(fp.roundToIntegral RTZ {number})");
    let in_range =
        format!("(and (not (fp.isInfinite {number})) (fp.leq {low} {whole}) (fp.lt {whole} {high}))");
    let converted = format!("((_ fp.to_{}bv {bits}) RTZ {number})", if signed { 's' } else { 'u' });
    let zero = literal(bits, 0);
    let outside = if saturate {
        let bound =
            format!("(ite (fp.isNegative {number}) {} {})", literal(bits, least), literal(bits, most));
        format!("(ite (fp.isNaN {number}) {zero} {bound})")
    } else {
        zero
    };
    format!("(ite {in_range} {converted} {outside})")
}
