//! Integer intrinsics wider than 64 bits, in terms of plain arithmetic.

use super::Builder;
use super::integers::minmax_op;
use crate::constants::mask;
use crate::llvm::Value;
use crate::shape::slots;
use crate::unsupported::Translated;
use symx_ir::instruction::{BinaryOp, BitOp, CastOp, Extended, MinmaxOp, Predicate, flags};
use symx_ir::{Constant, Inst, Operand, Slot};

impl<'m> Builder<'_, 'm> {
    /// Translates `name`, one of the intrinsics that [`integer_intrinsic`](Self::integer_intrinsic)
    /// knows, lane by lane.
    pub(super) fn wide_intrinsic(&mut self, call: Value<'m>, name: &str, bits: u32) -> Translated<bool> {
        let lanes = self.lanes(call.type_of())?;
        let dst = self.result(call)?;
        let mut inputs = Vec::new();
        // Arguments after the numbers are flags, as of `ctlz`.
        let count = match name {
            "fshl" | "fshr" => 3,
            _ if minmax_op(name).is_some() => 2,
            _ => 1,
        };
        for index in 0..count {
            inputs.push(self.operand(call.operand(index))?);
        }
        // Whether a count of the zeros of 0, or the absolute value of the least number, has no result.
        let partial = matches!(name, "ctlz" | "cttz" | "abs") && self.literal(call.operand(1)) == Some(1);
        for lane in 0..lanes.count {
            let at = lane * lanes.width;
            let dst = dst + at;
            let input = |index: usize| inputs[index].offset(at);
            match (name, minmax_op(name)) {
                ("fshl" | "fshr", _) => {
                    crate::shape::width(2 * bits)?;
                    self.wide_funnel(name == "fshl", bits, dst, [input(0), input(1), input(2)]);
                }
                (_, Some(op)) => self.wide_minmax(op, bits, dst, input(0), input(1))?,
                ("ctpop", _) => self.wide_population(bits, dst, input(0)),
                ("ctlz" | "cttz", _) => self.wide_zeros(name == "ctlz", partial, bits, dst, input(0)),
                ("bswap", _) => self.reversed(bits, 8, dst, input(0)),
                ("bitreverse", _) => self.reversed(bits, 1, dst, input(0)),
                ("abs", _) => {
                    let (zero, negative) = (self.wide_number(bits, |_| 0), self.fresh(slots(bits)));
                    let promised = if partial { flags::NO_SIGNED_WRAP } else { 0 };
                    self.binary_lane(BinaryOp::Sub, bits, promised, negative, [zero, input(0)]);
                    let b = Operand::slot(negative);
                    self.choose(Predicate::Slt, bits, dst, [input(0), zero], [b, input(0)]);
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The constant of `bits` whose 64-bit words `word` gives.
    fn wide_number(&mut self, bits: u32, word: impl Fn(u32) -> u64) -> Operand {
        let entries: Vec<Constant> = (0..slots(bits))
            .map(|index| Constant::Bits(word(index) & mask((bits - 64 * index).min(64))))
            .collect();
        self.pool(&entries)
    }

    /// `dst = compared.0 predicate compared.1 ? chosen.0 : chosen.1`.
    fn choose(
        &mut self,
        predicate: Predicate,
        bits: u32,
        dst: Slot,
        compared: [Operand; 2],
        chosen: [Operand; 2],
    ) {
        let holds = self.fresh(1);
        self.compare_lane(predicate, bits, holds, compared[0], compared[1]);
        let (cond, count) = (Operand::slot(holds), slots(bits));
        self.extended(Extended::SelectRun { dst, cond, a: chosen[0], b: chosen[1], count });
    }

    pub(super) fn wide_minmax(
        &mut self,
        op: MinmaxOp,
        bits: u32,
        dst: Slot,
        a: Operand,
        b: Operand,
    ) -> Translated<()> {
        let plain = match op {
            MinmaxOp::SMin => Some(Predicate::Slt),
            MinmaxOp::SMax => Some(Predicate::Sgt),
            MinmaxOp::UMin => Some(Predicate::Ult),
            MinmaxOp::UMax => Some(Predicate::Ugt),
            _ => None,
        };
        if let Some(predicate) = plain {
            self.choose(predicate, bits, dst, [a, b], [a, b]);
            return Ok(());
        }
        if matches!(op, MinmaxOp::SShlSat | MinmaxOp::UShlSat) {
            self.wide_saturating_shift(op == MinmaxOp::SShlSat, bits, dst, a, b);
            return Ok(());
        }
        let (signed, adds) = match op {
            MinmaxOp::SAddSat => (true, true),
            MinmaxOp::SSubSat => (true, false),
            MinmaxOp::UAddSat => (false, true),
            _ => (false, false),
        };
        crate::shape::width(2 * bits)?;
        let width = slots(bits);
        let both = self.fresh(width + 1);
        let operation = if adds { BinaryOp::Add } else { BinaryOp::Sub };
        self.extended(Extended::WithOverflow { op: operation, signed, bits, dst: both, a, b });
        let limit = match (signed, adds) {
            (true, _) => self.signed_end(bits, a),
            (false, true) => self.wide_number(bits, |_| u64::MAX),
            (false, false) => self.wide_number(bits, |_| 0),
        };
        let cond = Operand::slot(both + width);
        self.extended(Extended::SelectRun { dst, cond, a: limit, b: Operand::slot(both), count: width });
        Ok(())
    }

    /// The least or the greatest signed number, whichever lies on the side of `a`: an overflow goes there.
    fn signed_end(&mut self, bits: u32, a: Operand) -> Operand {
        let width = slots(bits);
        let top = |index| index == width - 1;
        let sign = 1 << ((bits - 1) % 64);
        let least = self.wide_number(bits, |index| if top(index) { sign } else { 0 });
        let most = self.wide_number(bits, |index| if top(index) { sign - 1 } else { u64::MAX });
        let (zero, end) = (self.wide_number(bits, |_| 0), self.fresh(width));
        self.choose(Predicate::Slt, bits, end, [a, zero], [least, most]);
        Operand::slot(end)
    }

    /// A left shift fits if shifting back gives the operand.
    fn wide_saturating_shift(&mut self, signed: bool, bits: u32, dst: Slot, a: Operand, b: Operand) {
        let end = if signed { self.signed_end(bits, a) } else { self.wide_number(bits, |_| u64::MAX) };
        let (shifted, back) = (self.fresh(slots(bits)), self.fresh(slots(bits)));
        self.binary_lane(BinaryOp::Shl, bits, 0, shifted, [a, b]);
        let shifted = Operand::slot(shifted);
        let right = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
        self.binary_lane(right, bits, 0, back, [shifted, b]);
        self.choose(Predicate::Eq, bits, dst, [Operand::slot(back), a], [shifted, end]);
    }

    /// Adds the words' counts up.
    fn wide_population(&mut self, bits: u32, dst: Slot, src: Operand) {
        let zero = self.number(0);
        let (sum, part) = (self.fresh(1), self.fresh(1));
        self.copy(sum, zero, 1);
        for word in 0..slots(bits) {
            let src = src.offset(word);
            self.extended(Extended::Bits {
                op: BitOp::PopulationCount,
                bits: 64,
                partial: false,
                dst: part,
                src,
            });
            let (a, b) = (Operand::slot(sum), Operand::slot(part));
            self.emit(Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst: sum, a, b });
        }
        self.widened_word(bits, dst, sum);
    }

    /// Leading or trailing zeros: those of the outermost word that is not zero, plus the bits beyond it.
    /// If `partial`, zero has no such count.
    fn wide_zeros(&mut self, leading: bool, partial: bool, bits: u32, dst: Slot, src: Operand) {
        let (count, part, holds) = (self.fresh(1), self.fresh(1), self.fresh(1));
        let (all, zero) = (self.number(bits.into()), self.number(0));
        self.copy(count, all, 1);
        let words = slots(bits);
        if partial {
            // The count of zeros of all words together is lost if they are zero, and replaced below if not.
            self.copy(count, zero, 1);
            for word in 0..words {
                let (a, b) = (Operand::slot(count), src.offset(word));
                self.emit(Inst::Binary { op: BinaryOp::Or, bits: 64, flags: 0, dst: count, a, b });
            }
            let (op, src) = (BitOp::TrailingZeros, Operand::slot(count));
            self.extended(Extended::Bits { op, bits: 64, partial: true, dst: count, src });
        }
        for step in 0..words {
            // The outermost word comes last and decides.
            let word = if leading { step } else { words - 1 - step };
            let width = (bits - 64 * word).min(64);
            let beyond = if leading { bits - 64 * word - width } else { 64 * word };
            let op = if leading { BitOp::LeadingZeros } else { BitOp::TrailingZeros };
            let src = src.offset(word);
            self.extended(Extended::Bits { op, bits: width as u8, partial: false, dst: part, src });
            let (a, b) = (Operand::slot(part), self.number(beyond.into()));
            self.emit(Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst: part, a, b });
            self.emit(Inst::Compare { predicate: Predicate::Ne, bits: 64, dst: holds, a: src, b: zero });
            let (cond, b) = (Operand::slot(holds), Operand::slot(count));
            self.emit(Inst::Select { dst: count, cond, a, b });
        }
        self.widened_word(bits, dst, count);
    }

    /// Zero-extends a word.
    fn widened_word(&mut self, bits: u32, dst: Slot, word: Slot) {
        self.copy(dst, Operand::slot(word), 1);
        let zero = self.number(0);
        for slot in 1..slots(bits) {
            self.copy(dst + slot, zero, 1);
        }
    }

    /// The groups of `size` bits in reverse order.
    fn reversed(&mut self, bits: u32, size: u32, dst: Slot, src: Operand) {
        let count = bits / size;
        let groups = vec![size as u8; count as usize];
        let words: Vec<u8> = (0..slots(bits)).map(|word| (bits - 64 * word).min(64) as u8).collect();
        let (forth, back) = (self.fresh(count), self.fresh(count));
        self.extended(Extended::Repack { from: words.clone(), to: groups.clone(), dst: forth, src });
        for group in 0..count {
            self.copy(back + group, Operand::slot(forth + count - 1 - group), 1);
        }
        self.extended(Extended::Repack { from: groups, to: words, dst, src: Operand::slot(back) });
    }

    /// In twice the width: the first two operands side by side, shifted.
    fn wide_funnel(&mut self, left: bool, bits: u32, dst: Slot, [high, low, shift]: [Operand; 3]) {
        let double = 2 * bits;
        let width = slots(double);
        let [top, whole, amount] = [(); 3].map(|()| self.fresh(width));
        let bits_number = self.wide_number(double, |index| if index == 0 { bits.into() } else { 0 });
        for (dst, src) in [(top, high), (whole, low), (amount, shift)] {
            self.extended(Extended::WideCast { op: CastOp::ZExt, from: bits, to: double, dst, src });
        }
        let [top_slot, whole_slot, amount_slot] = [top, whole, amount].map(Operand::slot);
        let wide = |builder: &mut Self, op, dst, a, b| builder.binary_lane(op, double, 0, dst, [a, b]);
        wide(self, BinaryOp::Shl, top, top_slot, bits_number);
        wide(self, BinaryOp::Or, whole, whole_slot, top_slot);
        wide(self, BinaryOp::URem, amount, amount_slot, bits_number);
        if left {
            wide(self, BinaryOp::Shl, whole, whole_slot, amount_slot);
            wide(self, BinaryOp::LShr, whole, whole_slot, bits_number);
        } else {
            wide(self, BinaryOp::LShr, whole, whole_slot, amount_slot);
        }
        self.extended(Extended::WideCast { op: CastOp::Trunc, from: double, to: bits, dst, src: whole_slot });
    }
}
