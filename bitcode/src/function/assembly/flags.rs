//! The flags that machine instructions leave, as far as later ones look at them.

use super::Builder;
use symx_ir::Operand;
use symx_ir::instruction::{BinaryOp, Predicate};

/// One bit each; `None` if not known.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    pub zero: Option<Operand>,
    pub sign: Option<Operand>,
    pub carry: Option<Operand>,
    pub overflow: Option<Operand>,
}

impl Builder<'_, '_> {
    /// Zero and sign of a result; the carry is what the caller says, signed overflow not known.
    pub(super) fn result_flags(&mut self, bits: u32, result: Operand, carry: Option<Operand>) -> Flags {
        let none = self.number(0);
        let zero = Some(self.compared(Predicate::Eq, bits, result, none));
        let sign = Some(self.compared(Predicate::Slt, bits, result, none));
        Flags { zero, sign, carry, overflow: None }
    }

    /// Whether `a op b` leaves the range of signed numbers.
    pub(super) fn signed_overflow(
        &mut self,
        op: BinaryOp,
        bits: u32,
        [a, b]: [Operand; 2],
        result: Operand,
    ) -> Operand {
        // The sign of the result differs from that of `a`, and from that of what was added to it.
        let added = match op {
            BinaryOp::Add => result,
            BinaryOp::Sub => a,
            _ => return self.number(0),
        };
        let (first, second) =
            (self.computed(BinaryOp::Xor, bits, a, result), self.computed(BinaryOp::Xor, bits, b, added));
        let both = self.computed(BinaryOp::And, bits, first, second);
        let none = self.number(0);
        self.compared(Predicate::Slt, bits, both, none)
    }

    /// A comparison's outcome.
    pub(super) fn compared(&mut self, predicate: Predicate, bits: u32, a: Operand, b: Operand) -> Operand {
        let dst = self.fresh(1);
        self.compare_lane(predicate, bits, dst, a, b);
        Operand::slot(dst)
    }

    /// The condition `code` (`z`, `nc`, ...) as 0 or 1, of any width.
    pub(super) fn condition(&mut self, flags: &Flags, code: &str) -> Option<Operand> {
        if let Some(found) = self.plain_condition(flags, code) {
            return Some(found);
        }
        let opposite = code.strip_prefix('n').filter(|rest| !rest.is_empty())?;
        let (holds, one) = (self.plain_condition(flags, opposite)?, self.number(1));
        Some(self.computed(BinaryOp::Xor, 1, holds, one))
    }

    /// A condition that is not the opposite of another.
    fn plain_condition(&mut self, flags: &Flags, code: &str) -> Option<Operand> {
        Some(match code {
            "z" | "e" => flags.zero?,
            "c" | "b" => flags.carry?,
            "s" => flags.sign?,
            "o" => flags.overflow?,
            "ae" => return self.condition(flags, "nc"),
            "a" => return self.condition(flags, "nbe"),
            "g" => return self.condition(flags, "nle"),
            "ge" => return self.condition(flags, "nl"),
            "be" | "na" => self.computed(BinaryOp::Or, 1, flags.carry?, flags.zero?),
            "l" => self.computed(BinaryOp::Xor, 1, flags.sign?, flags.overflow?),
            "le" => {
                let less = self.plain_condition(flags, "l")?;
                self.computed(BinaryOp::Or, 1, less, flags.zero?)
            }
            _ => return None,
        })
    }
}
