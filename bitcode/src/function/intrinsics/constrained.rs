//! `llvm.experimental.constrained.*`: floating point where the program may change the rounding mode and
//! look at exception flags.
//!
//! The instruction set has one rounding mode, to nearest, and no flags; changing the mode takes inline
//! assembly, which the interpreter does not run. So these are the plain operations.

use super::Builder;
use crate::function::floats::FloatCastKind;
use crate::llvm::Value;
use crate::unsupported::Translated;
use symx_ir::instruction::{FloatOp, FloatPredicate};

/// The set of outcomes that a predicate's name denotes.
fn predicate(name: &str) -> Option<FloatPredicate> {
    const NAMES: [&str; 16] = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule",
        "une", "true",
    ];
    let position = NAMES.iter().position(|&known| known == name)?;
    Some(FloatPredicate(position as u8))
}

impl<'m> Builder<'_, 'm> {
    /// Translates a constrained intrinsic; says whether `name` is one.
    pub(super) fn constrained_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        let Some(name) = name.strip_prefix("experimental.constrained.") else { return Ok(false) };
        let texts: Vec<String> =
            call.arguments().into_iter().filter_map(|argument| argument.metadata_text()).collect();
        let rounds_to_nearest = texts
            .iter()
            .filter(|text| text.starts_with("round."))
            .all(|text| matches!(text.as_str(), "round.dynamic" | "round.tonearest"));
        if !rounds_to_nearest {
            return Ok(false);
        }
        let binary = match name {
            "fadd" => Some(FloatOp::Add),
            "fsub" => Some(FloatOp::Sub),
            "fmul" => Some(FloatOp::Mul),
            "fdiv" => Some(FloatOp::Div),
            "frem" => Some(FloatOp::Rem),
            _ => None,
        };
        let cast = match name {
            "fptrunc" | "fpext" => Some(FloatCastKind::Convert),
            "fptosi" => Some(FloatCastKind::ToInteger { signed: true }),
            "fptoui" => Some(FloatCastKind::ToInteger { signed: false }),
            "sitofp" => Some(FloatCastKind::FromInteger { signed: true }),
            "uitofp" => Some(FloatCastKind::FromInteger { signed: false }),
            _ => None,
        };
        match (binary, cast, name) {
            (Some(op), ..) => self.float_binary(call, op)?,
            (_, Some(kind), _) => self.float_cast(call, kind)?,
            (.., "fcmp" | "fcmps") => {
                let Some(predicate) = texts.iter().find_map(|text| predicate(text)) else { return Ok(false) };
                self.float_compare(call, predicate)?;
            }
            _ => return self.float_intrinsic(call, name),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_sets_of_outcomes() {
        assert_eq!(predicate("oeq"), Some(FloatPredicate(0b0001)));
        assert_eq!(predicate("uno"), Some(FloatPredicate(0b1000)));
        assert_eq!(predicate("une"), Some(FloatPredicate(0b1110)));
        assert_eq!(predicate("round.dynamic"), None);
    }
}
