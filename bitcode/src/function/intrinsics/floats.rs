//! Floating-point intrinsics.

use super::Builder;
use super::extremum::Extremum;
use crate::llvm::Value;
use crate::shape::{float_format, scalar_bits};
use crate::unsupported::Translated;
use symx_ir::instruction::{Extended, FloatCast, FloatFormat, FloatOp, FloatUnary};

/// Suffix of the C library's functions on a format.
fn library_suffix(format: FloatFormat) -> Option<&'static str> {
    match format {
        FloatFormat::Single => Some("f"),
        FloatFormat::Double => Some(""),
        FloatFormat::Extended80 => Some("l"),
        FloatFormat::Half | FloatFormat::BFloat | FloatFormat::Quad => None,
    }
}

impl<'m> Builder<'_, 'm> {
    /// Translates a floating-point intrinsic; says whether `name` is one.
    pub(super) fn float_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        let unary = match name {
            "fabs" => Some(FloatUnary::Absolute),
            "sqrt" => Some(FloatUnary::SquareRoot),
            "floor" => Some(FloatUnary::Floor),
            "ceil" => Some(FloatUnary::Ceiling),
            "trunc" => Some(FloatUnary::Truncate),
            "rint" | "nearbyint" | "roundeven" => Some(FloatUnary::RoundEven),
            "round" => Some(FloatUnary::RoundAway),
            _ => None,
        };
        let binary = match name {
            "minnum" => Some(FloatOp::Minimum),
            "maxnum" => Some(FloatOp::Maximum),
            "copysign" => Some(FloatOp::CopySign),
            _ => None,
        };
        match (unary, binary, name) {
            (Some(op), ..) => self.float_unary(call, op)?,
            (_, Some(op), _) => self.float_binary(call, op)?,
            (.., "fma" | "fmuladd") => self.multiply_add(call, name == "fma")?,
            (.., "minimum" | "maximum" | "minimumnum" | "maximumnum") => {
                let extremum =
                    Extremum { least: name.starts_with("min"), prefers_numbers: name.ends_with("num") };
                self.ordered_extremum(call, extremum)?;
            }
            (.., "canonicalize") => {
                let (dst, src) = (self.result(call)?, self.operand(call.operand(0))?);
                let count = self.source.shape(call.type_of())?.slots();
                self.copy(dst, src, count);
            }
            (.., "fptosi.sat" | "fptoui.sat") => {
                let cast = FloatCast::ToInteger {
                    from: float_format(call.operand(0).type_of().scalar())?,
                    bits: scalar_bits(call.type_of().scalar())?,
                    signed: name == "fptosi.sat",
                    saturate: true,
                };
                self.cast_floats(call, cast)?;
            }
            (.., "is.fpclass") => self.classify(call)?,
            (
                ..,
                "pow" | "exp" | "exp2" | "exp10" | "log" | "log2" | "log10" | "sin" | "cos" | "tan" | "asin"
                | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "ldexp" | "lround" | "llround"
                | "lrint" | "llrint",
            ) => {
                let format = float_format(call.operand(0).type_of().scalar())?;
                let returns_long =
                    name.starts_with('l') && (name.ends_with("round") || name.ends_with("rint"));
                if returns_long && scalar_bits(call.type_of().scalar())? != 64 {
                    return Ok(false);
                }
                let Some(suffix) = library_suffix(format) else { return Ok(false) };
                self.library_call(call, &format!("{name}{suffix}"))?;
            }
            (.., "modf" | "frexp" | "sincos") => {
                let format = float_format(call.operand(0).type_of().scalar())?;
                let Some(suffix) = library_suffix(format) else { return Ok(false) };
                self.pointer_results(call, &format!("{name}{suffix}"), name != "sincos")?;
            }
            (.., "powi") => {
                let function = match float_format(call.operand(0).type_of().scalar())? {
                    FloatFormat::Single => "__powisf2",
                    FloatFormat::Double => "__powidf2",
                    FloatFormat::Extended80 => "__powixf2",
                    _ => return Ok(false),
                };
                self.library_call(call, function)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn multiply_add(&mut self, call: Value<'m>, fused: bool) -> Translated<()> {
        let lanes = self.lanes(call.type_of())?;
        let format = float_format(lanes.element)?;
        let dst = self.result(call)?;
        let a = self.operand(call.operand(0))?;
        let (b, c) = (self.operand(call.operand(1))?, self.operand(call.operand(2))?);
        for at in (0..lanes.count).map(|lane| lane * lanes.width) {
            let (dst, a, b, c) = (dst + at, a.offset(at), b.offset(at), c.offset(at));
            self.extended(Extended::FloatMultiplyAdd { format, fused, dst, a, b, c });
        }
        Ok(())
    }
}
