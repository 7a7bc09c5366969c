//! Floating point, lane by lane.

use super::Builder;
use crate::llvm::{Opcode, Value};
use crate::shape::{float_format, scalar_bits, slots};
use crate::unsupported::Translated;
use symx_ir::instruction::{Extended, FloatCast, FloatFormat, FloatOp, FloatPredicate, FloatUnary};
use symx_ir::{Inst, Operand, Slot};

/// The floating-point operation that an opcode denotes.
pub(super) fn float_op(opcode: Opcode) -> Option<FloatOp> {
    Some(match opcode {
        Opcode::LLVMFAdd => FloatOp::Add,
        Opcode::LLVMFSub => FloatOp::Sub,
        Opcode::LLVMFMul => FloatOp::Mul,
        Opcode::LLVMFDiv => FloatOp::Div,
        Opcode::LLVMFRem => FloatOp::Rem,
        _ => return None,
    })
}

/// The kind of a conversion, without its types.
#[derive(Clone, Copy)]
pub(super) enum FloatCastKind {
    /// Between formats.
    Convert,
    /// Float to integer.
    ToInteger { signed: bool },
    /// Integer to float.
    FromInteger { signed: bool },
}

/// The conversion that an opcode denotes.
pub(super) fn float_cast_kind(opcode: Opcode) -> Option<FloatCastKind> {
    Some(match opcode {
        Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => FloatCastKind::Convert,
        Opcode::LLVMFPToSI => FloatCastKind::ToInteger { signed: true },
        Opcode::LLVMFPToUI => FloatCastKind::ToInteger { signed: false },
        Opcode::LLVMSIToFP => FloatCastKind::FromInteger { signed: true },
        Opcode::LLVMUIToFP => FloatCastKind::FromInteger { signed: false },
        _ => return None,
    })
}

fn is_wide(format: FloatFormat) -> bool {
    format.bits() > 64
}

impl<'m> Builder<'_, 'm> {
    /// A two-operand instruction or intrinsic.
    pub(super) fn float_binary(&mut self, value: Value<'m>, op: FloatOp) -> Translated<()> {
        let lanes = self.lanes(value.type_of())?;
        let format = float_format(lanes.element)?;
        let dst = self.result(value)?;
        let (a, b) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        for at in (0..lanes.count).map(|lane| lane * lanes.width) {
            self.float_lane(op, format, dst + at, a.offset(at), b.offset(at));
        }
        Ok(())
    }

    pub(super) fn float_lane(&mut self, op: FloatOp, format: FloatFormat, dst: Slot, a: Operand, b: Operand) {
        if is_wide(format) {
            self.extended(Extended::WideFloat { op, format, dst, a, b });
        } else {
            self.emit(Inst::Float { op, format, dst, a, b });
        }
    }

    pub(super) fn float_negate(&mut self, value: Value<'m>) -> Translated<()> {
        self.float_unary(value, FloatUnary::Negate)
    }

    /// A one-operand instruction or intrinsic.
    pub(super) fn float_unary(&mut self, value: Value<'m>, op: FloatUnary) -> Translated<()> {
        let lanes = self.lanes(value.type_of())?;
        let format = float_format(lanes.element)?;
        let dst = self.result(value)?;
        let src = self.operand(value.operand(0))?;
        for at in (0..lanes.count).map(|lane| lane * lanes.width) {
            let (dst, src) = (dst + at, src.offset(at));
            if is_wide(format) {
                self.extended(Extended::WideFloatUnary { op, format, dst, src });
            } else {
                self.emit(Inst::FloatUnary { op, format, dst, src });
            }
        }
        Ok(())
    }

    pub(super) fn float_compare(&mut self, value: Value<'m>, predicate: FloatPredicate) -> Translated<()> {
        let lanes = self.lanes(value.operand(0).type_of())?;
        let format = float_format(lanes.element)?;
        let dst = self.result(value)?;
        let (a, b) = (self.operand(value.operand(0))?, self.operand(value.operand(1))?);
        for lane in 0..lanes.count {
            let (dst, at) = (dst + lane, lane * lanes.width);
            let (a, b) = (a.offset(at), b.offset(at));
            if is_wide(format) {
                self.extended(Extended::WideFloatCompare { predicate, format, dst, a, b });
            } else {
                self.emit(Inst::FloatCompare { predicate, format, dst, a, b });
            }
        }
        Ok(())
    }

    /// An instruction or intrinsic that converts.
    pub(super) fn float_cast(&mut self, value: Value<'m>, kind: FloatCastKind) -> Translated<()> {
        let (from, to) = (value.operand(0).type_of().scalar(), value.type_of().scalar());
        let cast = match kind {
            FloatCastKind::ToInteger { signed } => FloatCast::ToInteger {
                from: float_format(from)?,
                bits: scalar_bits(to)?,
                signed,
                saturate: false,
            },
            FloatCastKind::FromInteger { signed } => {
                FloatCast::FromInteger { bits: scalar_bits(from)?, signed, to: float_format(to)? }
            }
            FloatCastKind::Convert => FloatCast::Convert { from: float_format(from)?, to: float_format(to)? },
        };
        self.cast_floats(value, cast)
    }

    /// Applies `cast` to the lanes of the first operand of `value`.
    pub(super) fn cast_floats(&mut self, value: Value<'m>, cast: FloatCast) -> Translated<()> {
        let lanes = self.lanes(value.type_of())?;
        let from = slots(scalar_bits(value.operand(0).type_of().scalar())?);
        let dst = self.result(value)?;
        let src = self.operand(value.operand(0))?;
        for lane in 0..lanes.count {
            let (dst, src) = (dst + lane * lanes.width, src.offset(lane * from));
            self.extended(Extended::FloatCast { cast, dst, src });
        }
        Ok(())
    }

    /// `bitcast` between different divisions into slots.
    pub(super) fn reinterpret(&mut self, value: Value<'m>) -> Translated<()> {
        let src = self.operand(value.operand(0))?;
        let from = self.source.shape(value.operand(0).type_of())?.widths();
        let to = self.source.shape(value.type_of())?.widths();
        let dst = self.result(value)?;
        self.extended(Extended::Repack { from, to, dst, src });
        Ok(())
    }
}
