//! `bt`, `bts`, `btr` and `btc`: the carry becomes a bit, which is then set, reset or complemented.

use super::machine::Location;
use super::{Assembly, Builder, Flags};
use crate::constants::mask;
use symx_ir::instruction::{AtomicOrdering, BinaryOp, Extended, RmwOp};
use symx_ir::{Inst, Operand};

/// The change of the bit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    Set,
    Reset,
    Complement,
}

impl Change {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "bt" => Self::None,
            "bts" => Self::Set,
            "btr" => Self::Reset,
            "btc" => Self::Complement,
            _ => return None,
        })
    }

    fn operations(self) -> Option<(BinaryOp, RmwOp)> {
        match self {
            Self::None => None,
            Self::Set => Some((BinaryOp::Or, RmwOp::Or)),
            Self::Reset => Some((BinaryOp::And, RmwOp::And)),
            Self::Complement => Some((BinaryOp::Xor, RmwOp::Xor)),
        }
    }
}

impl Builder<'_, '_> {
    /// Translates an instruction of this file; `None` if it is none of them, `Some(None)` if it is not
    /// understood.
    pub(super) fn bit_test(
        &mut self,
        assembly: &mut Assembly,
        locked: bool,
        name: &str,
        bits: u32,
        operands: &[Location],
    ) -> Option<Option<()>> {
        let change = Change::of(name)?;
        let &[number, target] = operands else { return Some(None) };
        Some(self.test_and_change(assembly, locked, change, bits, [number, target]))
    }

    fn test_and_change(
        &mut self,
        assembly: &mut Assembly,
        locked: bool,
        change: Change,
        bits: u32,
        [number, target]: [Location; 2],
    ) -> Option<()> {
        (bits >= 16).then_some(())?;
        let position = self.read(assembly, number, bits)?;
        let target = match (target, number) {
            // A number in a register counts on beyond the operand, in both directions.
            (Location::Memory(base), Location::Register(_)) => {
                let word = self.word_of_bit(base, position, bits);
                Location::Memory(word)
            }
            _ => target,
        };
        let last = self.number(u64::from(bits) - 1);
        let position = self.computed(BinaryOp::And, bits, position, last);
        let one = self.number(1);
        let mut changed = self.computed(BinaryOp::Shl, bits, one, position);
        if change == Change::Reset {
            let all = self.number(mask(bits));
            changed = self.computed(BinaryOp::Xor, bits, changed, all);
        }
        let old = match (change.operations(), target) {
            (Some((_, op)), Location::Memory(address)) if locked => {
                let (dst, ordering) = (self.fresh(1), AtomicOrdering::SequentiallyConsistent);
                let bits = bits as u8;
                self.extended(Extended::AtomicRmw { op, bits, ordering, dst, address, value: changed });
                Operand::slot(dst)
            }
            _ if locked => return None,
            (operations, target) => {
                let old = self.read(assembly, target, bits)?;
                if let Some((op, _)) = operations {
                    let new = self.computed(op, bits, old, changed);
                    self.write(assembly, target, bits, new)?;
                }
                old
            }
        };
        let shifted = self.computed(BinaryOp::LShr, bits, old, position);
        let carry = Some(self.resized(shifted, bits, 1));
        assembly.flags = Flags { carry, ..Flags::default() };
        Some(())
    }

    /// The address of the word that bit number `position` (signed) from `base` lies in.
    fn word_of_bit(&mut self, base: Operand, position: Operand, bits: u32) -> Operand {
        let shift = self.number(u64::from(bits.trailing_zeros()));
        let index = self.computed(BinaryOp::AShr, bits, position, shift);
        let dst = self.fresh(1);
        let (index_bits, scale) = (bits as u8, bits as u16 / 8);
        self.emit(Inst::PointerIndex { index_bits, scale, dst, base, index });
        Operand::slot(dst)
    }
}
