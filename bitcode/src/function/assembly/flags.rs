//! The flags that machine instructions leave, as far as later ones look at them.

use super::Builder;
use symx_ir::instruction::{BinaryOp, Predicate};
use symx_ir::{Inst, Operand};

/// One bit each; `None` if not known.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    pub zero: Option<Operand>,
    pub sign: Option<Operand>,
    pub carry: Option<Operand>,
}

impl Builder<'_, '_> {
    /// Zero and sign of a result; the carry is what the caller says.
    pub(super) fn result_flags(&mut self, bits: u32, result: Operand, carry: Option<Operand>) -> Flags {
        let none = self.number(0);
        let zero = Some(self.compared(Predicate::Eq, bits, result, none));
        let sign = Some(self.compared(Predicate::Slt, bits, result, none));
        Flags { zero, sign, carry }
    }

    /// A comparison's outcome.
    pub(super) fn compared(&mut self, predicate: Predicate, bits: u32, a: Operand, b: Operand) -> Operand {
        let dst = self.fresh(1);
        self.compare_lane(predicate, bits, dst, a, b);
        Operand::slot(dst)
    }

    /// The condition `code` (`z`, `nc`, ...) as 0 or 1, of any width.
    pub(super) fn condition(&mut self, flags: &Flags, code: &str) -> Option<Operand> {
        let (flag, holds_if) = match code {
            "z" | "e" => (flags.zero, true),
            "nz" | "ne" => (flags.zero, false),
            "c" | "b" | "nae" => (flags.carry, true),
            "nc" | "ae" | "nb" => (flags.carry, false),
            "s" => (flags.sign, true),
            "ns" => (flags.sign, false),
            _ => return None,
        };
        let flag = flag?;
        if holds_if {
            return Some(flag);
        }
        let (dst, b) = (self.fresh(1), self.number(1));
        self.emit(Inst::Binary { op: BinaryOp::Xor, bits: 1, flags: 0, dst, a: flag, b });
        Some(Operand::slot(dst))
    }
}
