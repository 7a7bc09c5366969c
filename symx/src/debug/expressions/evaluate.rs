//! The value of an expression, by C's rules for operands.

use super::{Binary, Expression, Unary, Unevaluable};
use crate::debug::types::{Form, Kind};
use crate::debug::values::{Datum, Scene, Stored};
use symx_ir::debug_info::Encoding;

/// The meaning of names where an expression is evaluated.
pub trait Names {
    /// The variable, function or enumerator of this name.
    fn find(&self, name: &str) -> Option<Datum>;
}

/// A number or a pointer.
#[derive(Clone, PartialEq, Debug)]
enum Scalar {
    Integer {
        bits: u64,
        size: u64,
        signed: bool,
    },
    /// `is_single` of C's `float`, whose sums are rounded to it.
    Float {
        number: f64,
        is_single: bool,
    },
    Pointer {
        bits: u64,
        to: Option<Kind>,
    },
}

/// The value of an expression.
pub fn evaluate(expression: &Expression, scene: &Scene<'_>, names: &dyn Names) -> Result<Datum, Unevaluable> {
    Evaluator { scene, names }.datum(expression)
}

/// Whether the value of an expression is not zero.
pub fn is_true(expression: &Expression, scene: &Scene<'_>, names: &dyn Names) -> Result<bool, Unevaluable> {
    Evaluator { scene, names }.truth(expression)
}

struct Evaluator<'e> {
    scene: &'e Scene<'e>,
    names: &'e dyn Names,
}

fn operands(why: impl Into<String>) -> Unevaluable {
    Unevaluable::Operands(why.into())
}

fn truth_of(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Integer { bits, .. } | Scalar::Pointer { bits, .. } => *bits != 0,
        Scalar::Float { number, .. } => *number != 0.0,
    }
}

/// The low bytes of a number, extended to 64 bits.
fn cut(bits: u64, size: u64, signed: bool) -> u64 {
    let unused = 64 - 8 * size.clamp(1, 8);
    if signed { ((bits << unused) as i64 >> unused) as u64 } else { bits << unused >> unused }
}

fn as_float(scalar: &Scalar) -> f64 {
    match scalar {
        Scalar::Float { number, .. } => *number,
        Scalar::Integer { bits, signed: true, .. } => *bits as i64 as f64,
        Scalar::Integer { bits, .. } | Scalar::Pointer { bits, .. } => *bits as f64,
    }
}

/// Both operands converted, if one is a number with a point; whether both are `float` then.
fn as_floats(left: &Scalar, right: &Scalar) -> Option<(f64, f64, bool)> {
    let is_float = |scalar: &Scalar| matches!(scalar, Scalar::Float { .. });
    let is_double = |scalar: &Scalar| matches!(scalar, Scalar::Float { is_single: false, .. });
    if !is_float(left) && !is_float(right) {
        return None;
    }
    let is_single = !is_double(left) && !is_double(right);
    let convert = |scalar: &Scalar| match as_float(scalar) {
        number if is_single => f64::from(number as f32),
        number => number,
    };
    Some((convert(left), convert(right), is_single))
}

impl Evaluator<'_> {
    fn datum(&self, expression: &Expression) -> Result<Datum, Unevaluable> {
        match expression {
            Expression::Integer { bits, size, signed } => {
                Ok(Datum::held(Kind::Integer { size: *size, signed: *signed }, *bits))
            }
            Expression::Float { number, is_single } => {
                Ok(Self::of_scalar(Scalar::Float { number: *number, is_single: *is_single }))
            }
            Expression::Name(name) => {
                let found = self.names.find(name).ok_or_else(|| Unevaluable::Unknown(name.clone()))?;
                self.referred(found)
            }
            Expression::Unary(operator, operand) => self.unary(*operator, operand),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Index(whole, index) => {
                let sum = self.add(self.scalar(whole)?, self.scalar(index)?, false)?;
                self.behind(&sum)
            }
            Expression::Member { whole, name, is_arrow } => {
                let whole = match is_arrow {
                    true => self.behind(&self.scalar(whole)?)?,
                    false => self.datum(whole)?,
                };
                let found = self.scene.member_named(&whole, name).ok_or_else(|| Unevaluable::NoMember {
                    of: self.scene.types.name(&whole.kind),
                    name: name.clone(),
                })?;
                self.referred(found)
            }
            Expression::Conditional(condition, then, otherwise) => {
                self.datum(if self.truth(condition)? { then } else { otherwise })
            }
        }
    }

    fn truth(&self, expression: &Expression) -> Result<bool, Unevaluable> {
        Ok(truth_of(&self.scalar(expression)?))
    }

    /// The target of a reference; anything else as it is.
    fn referred(&self, datum: Datum) -> Result<Datum, Unevaluable> {
        match self.scene.types.form(&datum.kind) {
            Form::Pointer { to: Some(to), is_reference: true } => {
                let address = self.scene.bits_of(&datum).map_err(Unevaluable::NoValue)?;
                Ok(Datum { kind: to, stored: Stored::At(address) })
            }
            _ => Ok(datum),
        }
    }

    fn scalar(&self, expression: &Expression) -> Result<Scalar, Unevaluable> {
        self.scalar_of(&self.datum(expression)?)
    }

    fn scalar_of(&self, datum: &Datum) -> Result<Scalar, Unevaluable> {
        let bits = || self.scene.bits_of(datum).map_err(Unevaluable::NoValue);
        let address = || datum.address().ok_or_else(|| operands("what is in registers has no address"));
        match self.scene.types.form(&datum.kind) {
            Form::Number(Encoding::Float, 4) => {
                let number = f64::from(f32::from_bits(bits()? as u32));
                Ok(Scalar::Float { number, is_single: true })
            }
            Form::Number(Encoding::Float, 8) => {
                Ok(Scalar::Float { number: f64::from_bits(bits()?), is_single: false })
            }
            Form::Number(encoding, size @ 1..=8) if encoding != Encoding::Float => {
                let signed = encoding.is_signed();
                let bits = cut(bits()?, size, signed);
                // A bit-field whose values are all of `int` becomes one (C11, 6.3.1.1).
                Ok(match datum.stored {
                    Stored::Bits(_, _, count) if count < 32 => {
                        Scalar::Integer { bits, size: 4, signed: true }
                    }
                    _ => Scalar::Integer { bits, size, signed },
                })
            }
            Form::Enumeration { size, is_signed, .. } => {
                Ok(Scalar::Integer { bits: cut(bits()?, size, is_signed), size, signed: is_signed })
            }
            Form::Pointer { to, .. } => Ok(Scalar::Pointer { bits: bits()?, to }),
            Form::Array { element, .. } => Ok(Scalar::Pointer { bits: address()?, to: Some(element) }),
            Form::Function => Ok(Scalar::Pointer { bits: address()?, to: Some(Kind::Function) }),
            _ => {
                let name = self.scene.types.name(&datum.kind);
                Err(operands(format!("a value of type `{name}` is no number")))
            }
        }
    }

    fn of_scalar(scalar: Scalar) -> Datum {
        match scalar {
            Scalar::Integer { bits, size, signed } => Datum::held(Kind::Integer { size, signed }, bits),
            Scalar::Float { number, is_single: true } => {
                Datum::held(Kind::Float, u64::from((number as f32).to_bits()))
            }
            Scalar::Float { number, .. } => Datum::held(Kind::Double, number.to_bits()),
            Scalar::Pointer { bits, to } => Datum::held(Kind::Pointer(to.map(Box::new)), bits),
        }
    }

    fn of_truth(is_true: bool) -> Datum {
        Datum::held(Kind::Integer { size: 4, signed: true }, is_true.into())
    }

    /// The target of a pointer.
    fn behind(&self, pointer: &Scalar) -> Result<Datum, Unevaluable> {
        match pointer {
            Scalar::Pointer { bits: 0, .. } => Err(Unevaluable::NoValue("the pointer is NULL".into())),
            Scalar::Pointer { bits, to: Some(to) } => {
                Ok(Datum { kind: to.clone(), stored: Stored::At(*bits) })
            }
            Scalar::Pointer { to: None, .. } => Err(operands("a pointer to void leads to no value")),
            _ => Err(operands("a pointer is needed")),
        }
    }

    fn unary(&self, operator: Unary, operand: &Expression) -> Result<Datum, Unevaluable> {
        match operator {
            Unary::Dereference => self.behind(&self.scalar(operand)?),
            Unary::Address => {
                let datum = self.datum(operand)?;
                let address = datum.address().ok_or_else(|| operands("what is in registers has no address"));
                Ok(Datum::held(Kind::Pointer(Some(Box::new(datum.kind.clone()))), address?))
            }
            Unary::SizeOf => {
                let size = self.scene.types.size(&self.datum(operand)?.kind);
                Ok(Datum::held(Kind::Integer { size: 8, signed: false }, size))
            }
            Unary::Not => Ok(Self::of_truth(!self.truth(operand)?)),
            Unary::Negate => match self.scalar(operand)? {
                Scalar::Float { number, is_single } => {
                    Ok(Self::of_scalar(Scalar::Float { number: -number, is_single }))
                }
                operand => self.arithmetic(Binary::Subtract, zero(), operand).map(Self::of_scalar),
            },
            Unary::Complement => {
                let all = Scalar::Integer { bits: u64::MAX, size: 4, signed: true };
                self.arithmetic(Binary::BitXor, self.scalar(operand)?, all).map(Self::of_scalar)
            }
        }
    }

    fn binary(&self, operator: Binary, left: &Expression, right: &Expression) -> Result<Datum, Unevaluable> {
        match operator {
            Binary::And => return Ok(Self::of_truth(self.truth(left)? && self.truth(right)?)),
            Binary::Or => return Ok(Self::of_truth(self.truth(left)? || self.truth(right)?)),
            _ => {}
        }
        let (left, right) = (self.scalar(left)?, self.scalar(right)?);
        let has_pointer = matches!(left, Scalar::Pointer { .. }) || matches!(right, Scalar::Pointer { .. });
        match operator {
            Binary::Add if has_pointer => self.add(left, right, false).map(Self::of_scalar),
            Binary::Subtract if has_pointer => self.add(left, right, true).map(Self::of_scalar),
            Binary::Less
            | Binary::LessOrEqual
            | Binary::Greater
            | Binary::GreaterOrEqual
            | Binary::Equal
            | Binary::Unequal => Ok(Self::of_truth(compares(operator, &left, &right))),
            _ => self.arithmetic(operator, left, right).map(Self::of_scalar),
        }
    }

    /// A sum or difference with pointers in it, which counts in elements.
    fn add(&self, left: Scalar, right: Scalar, subtracts: bool) -> Result<Scalar, Unevaluable> {
        let size = |to: &Option<Kind>| to.as_ref().map_or(1, |to| self.scene.types.size(to).max(1));
        match (left, right) {
            (Scalar::Pointer { bits, to }, Scalar::Integer { bits: index, .. }) => {
                let distance = index.wrapping_mul(size(&to));
                let bits = if subtracts { bits.wrapping_sub(distance) } else { bits.wrapping_add(distance) };
                Ok(Scalar::Pointer { bits, to })
            }
            (index @ Scalar::Integer { .. }, pointer @ Scalar::Pointer { .. }) if !subtracts => {
                self.add(pointer, index, false)
            }
            (Scalar::Pointer { bits: left, to }, Scalar::Pointer { bits: right, .. }) if subtracts => {
                let distance = left.wrapping_sub(right) as i64;
                let elements = i64::try_from(size(&to)).map_or(0, |size| distance / size);
                Ok(Scalar::Integer { bits: elements as u64, size: 8, signed: true })
            }
            _ => Err(operands("a pointer and an integer are needed")),
        }
    }

    /// Arithmetic after the usual conversions (C11, 6.3.1.8).
    fn arithmetic(&self, operator: Binary, left: Scalar, right: Scalar) -> Result<Scalar, Unevaluable> {
        if let Some((left, right, is_single)) = as_floats(&left, &right) {
            let number = match operator {
                Binary::Add => left + right,
                Binary::Subtract => left - right,
                Binary::Multiply => left * right,
                Binary::Divide => left / right,
                _ => return Err(operands("integers are needed")),
            };
            // A `double` has room for rounding twice to come to the same.
            let number = if is_single { f64::from(number as f32) } else { number };
            return Ok(Scalar::Float { number, is_single });
        }
        let (
            Scalar::Integer { bits: a, size: a_size, signed: a_signed },
            Scalar::Integer { bits: b, size: b_size, signed: b_signed },
        ) = (left, right)
        else {
            return Err(operands("numbers are needed"));
        };
        let is_shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
        let size = if is_shift { a_size.max(4) } else { a_size.max(b_size).max(4) };
        let keeps_sign = |own: u64, signed: bool| signed || own < size;
        let signed = keeps_sign(a_size, a_signed) && (is_shift || keeps_sign(b_size, b_signed));
        let (a, b) = (cut(a, size, signed), if is_shift { b } else { cut(b, size, signed) });
        let divided = |quotient: Option<u64>| quotient.ok_or_else(|| operands("division by zero"));
        let (x, y) = (a as i64, b as i64);
        let bits = match operator {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide if signed => divided((y != 0).then(|| x.wrapping_div(y) as u64))?,
            Binary::Divide => divided(a.checked_div(b))?,
            Binary::Remainder if signed => divided((y != 0).then(|| x.wrapping_rem(y) as u64))?,
            Binary::Remainder => divided(a.checked_rem(b))?,
            Binary::ShiftLeft | Binary::ShiftRight if b >= 8 * size => {
                return Err(operands("the shift is wider than the number"));
            }
            Binary::ShiftLeft => a << b,
            Binary::ShiftRight if signed => (x >> b) as u64,
            Binary::ShiftRight => a >> b,
            Binary::BitAnd => a & b,
            Binary::BitXor => a ^ b,
            Binary::BitOr => a | b,
            _ => return Err(operands("numbers are needed")),
        };
        Ok(Scalar::Integer { bits: cut(bits, size, signed), size, signed })
    }
}

fn zero() -> Scalar {
    Scalar::Integer { bits: 0, size: 4, signed: true }
}

fn compares(operator: Binary, left: &Scalar, right: &Scalar) -> bool {
    if let Some((left, right, _)) = as_floats(left, right) {
        return holds(operator, left.partial_cmp(&right));
    }
    let ordering = match (left, right) {
        (
            Scalar::Integer { bits: a, size: a_size, signed: a_signed },
            Scalar::Integer { bits: b, size: b_size, signed: b_signed },
        ) => {
            let size = (*a_size).max(*b_size).max(4);
            let signed = (*a_signed || *a_size < size) && (*b_signed || *b_size < size);
            let (a, b) = (cut(*a, size, signed), cut(*b, size, signed));
            Some(if signed { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) })
        }
        (
            Scalar::Integer { bits: a, .. } | Scalar::Pointer { bits: a, .. },
            Scalar::Integer { bits: b, .. } | Scalar::Pointer { bits: b, .. },
        ) => Some(a.cmp(b)),
        _ => None,
    };
    holds(operator, ordering)
}

/// Whether a comparison holds for operands in this order.
fn holds(operator: Binary, ordering: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match operator {
        Binary::Less => ordering == Some(Less),
        Binary::LessOrEqual => matches!(ordering, Some(Less | Equal)),
        Binary::Greater => ordering == Some(Greater),
        Binary::GreaterOrEqual => matches!(ordering, Some(Greater | Equal)),
        Binary::Equal => ordering == Some(Equal),
        _ => ordering != Some(Equal),
    }
}
