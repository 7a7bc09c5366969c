//! The effects of instructions on pointers.

use super::{Analysis, NodeId, Source};
use crate::objects::Object;
use crate::offsets::Shift;
use symx_expr::StopReason;
use symx_ir::instruction::{BinaryOp, Extended, Piece, RmwOp};
use symx_ir::program::LinkedFunction;
use symx_ir::{FunctionId, Inst, Operand, Slot};

impl Analysis<'_> {
    pub(super) fn function(&mut self, id: FunctionId) -> Result<(), StopReason> {
        let program = self.program;
        let function = program.function(id);
        for step in &function.moves {
            self.assign(id, step.dst, step.src);
        }
        for (inst, pc) in function.code.iter().zip(0..) {
            self.solver.budget.proceed()?;
            self.instruction(id, function, inst, pc);
        }
        Ok(())
    }

    fn assign(&mut self, id: FunctionId, dst: Slot, src: Operand) {
        let (source, dst) = (self.source(id, src), self.register(id, dst));
        self.flow(source, dst, Shift::NONE);
    }

    fn instruction(&mut self, id: FunctionId, function: &LinkedFunction, inst: &Inst, pc: u32) {
        match *inst {
            Inst::Binary { op, bits: 64, dst, a, b, .. } => self.arithmetic(id, function, op, dst, [a, b]),
            Inst::PointerIndex { scale, dst, base, index, index_bits } => {
                let shift = index_shift(function, index, index_bits, scale);
                let (source, dst) = (self.source(id, base), self.register(id, dst));
                self.flow(source, dst, shift);
            }
            Inst::Select { dst, a, b, .. } => [a, b].into_iter().for_each(|src| self.assign(id, dst, src)),
            Inst::Copy { dst, src, count } => {
                (0..count).for_each(|slot| self.assign(id, dst + slot, src.offset(slot)));
            }
            Inst::Load { bits: 64, dst, address, .. } => {
                let into = self.register(id, dst);
                self.load(id, address, Shift::NONE, into);
            }
            Inst::Store { bits: 64, address, value, .. } => self.store(id, address, Shift::NONE, value),
            Inst::Alloca { site, dst, .. } => {
                let place = self.solver.objects.start(Object::Stack(id, site));
                let dst = self.register(id, dst);
                self.solver.add(dst, place);
            }
            Inst::Call { site } => self.call(id, function, site, pc),
            Inst::Return { value } => {
                for slot in 0..function.return_slots {
                    let result = NodeId(self.results[id.0 as usize] + slot);
                    let source = self.source(id, value.offset(slot));
                    self.flow(source, result, Shift::NONE);
                }
            }
            Inst::Extended { index } => self.extended(id, function, &function.extended[index as usize]),
            _ => {}
        }
    }

    fn arithmetic(
        &mut self,
        id: FunctionId,
        function: &LinkedFunction,
        op: BinaryOp,
        dst: Slot,
        [a, b]: [Operand; 2],
    ) {
        let dst = self.register(id, dst);
        let number = |operand: Operand| operand.is_constant().then(|| function.constants[operand.index()]);
        let (left, right) = (self.source(id, a), self.source(id, b));
        match (op, number(b)) {
            (BinaryOp::Add, Some(by)) if matches!(right, Source::Nothing) => {
                self.flow(left, dst, Shift::by(by as i64));
            }
            (BinaryOp::Sub, Some(by)) if matches!(right, Source::Nothing) => {
                self.flow(left, dst, Shift::by((by as i64).wrapping_neg()));
            }
            (BinaryOp::Sub, _) => self.flow(left, dst, Shift::ANYWHERE),
            (BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, _) => {
                self.flow(left, dst, Shift::ANYWHERE);
                self.flow(right, dst, Shift::ANYWHERE);
            }
            _ => {}
        }
    }

    fn extended(&mut self, id: FunctionId, function: &LinkedFunction, inst: &Extended) {
        match *inst {
            Extended::Repack { ref from, ref to, dst, src } => {
                for (slot, into) in
                    (0..from.len() as u32).flat_map(|slot| (0..to.len() as u32).map(move |to| (slot, to)))
                {
                    self.assign(id, dst + into, src.offset(slot));
                }
            }
            Extended::LoadPieces { ref pieces, dst, address, .. } => {
                for (piece, slot) in pieces.iter().zip(0..).filter(|(piece, _)| piece.bits == 64) {
                    let into = self.register(id, dst + slot);
                    self.load(id, address, at(piece), into);
                }
            }
            Extended::StorePieces { ref pieces, address, value, .. } => {
                for (piece, slot) in pieces.iter().zip(0..).filter(|(piece, _)| piece.bits == 64) {
                    self.store(id, address, at(piece), value.offset(slot));
                }
            }
            Extended::MaskedLoad { bits: 64, lanes, dst, address, otherwise, .. } => {
                self.load_words(id, address, dst, lanes);
                (0..lanes).for_each(|lane| self.assign(id, dst + lane, otherwise.offset(lane)));
            }
            Extended::MaskedStore { bits: 64, lanes, value, address, .. } => {
                self.store_words(id, address, value, lanes);
            }
            Extended::SelectRun { dst, a, b, count, .. } => {
                for slot in 0..count {
                    [a, b].into_iter().for_each(|src| self.assign(id, dst + slot, src.offset(slot)));
                }
            }
            Extended::ExtractElement { dst, vector, width, lanes, .. } => {
                for slot in 0..width * lanes {
                    self.assign(id, dst + slot % width, vector.offset(slot));
                }
            }
            Extended::InsertElement { dst, vector, element, width, lanes, .. } => {
                for slot in 0..width * lanes {
                    self.assign(id, dst + slot, vector.offset(slot));
                    self.assign(id, dst + slot, element.offset(slot % width));
                }
            }
            Extended::AtomicLoad { bits, dst, address, .. } if bits >= 64 => {
                self.load_words(id, address, dst, u32::from(bits) / 64);
            }
            Extended::AtomicStore { bits, address, value, .. } if bits >= 64 => {
                self.store_words(id, address, value, u32::from(bits) / 64);
            }
            Extended::AtomicRmw { op, bits: 64, dst, address, value, .. } => {
                self.read_modify_write(id, op, dst, address, value);
            }
            Extended::CompareExchange { bits, dst, address, replacement, .. } if bits >= 64 => {
                self.load_words(id, address, dst, u32::from(bits) / 64);
                self.store_words(id, address, replacement, u32::from(bits) / 64);
            }
            Extended::MemoryCopy { to, from, size, .. } => {
                self.copy_memory(id, to, from, number(function, size))
            }
            Extended::ThreadLocalAddress { dst, global } => {
                let (source, dst) = (self.source(id, global), self.register(id, dst));
                self.flow(source, dst, Shift::NONE);
            }
            Extended::VariadicStart { list } => self.start_variadic(id, list),
            Extended::VariadicCopy { to, from } => self.copy_memory(id, to, from, None),
            Extended::LandingPad { dst, .. } => {
                let dst = self.register(id, dst);
                self.solver.copy(self.thrown, dst, Shift::NONE);
            }
            _ => {}
        }
    }

    /// Loads `count` words into registers one after another.
    fn load_words(&mut self, id: FunctionId, address: Operand, dst: Slot, count: u32) {
        for word in 0..count {
            let into = self.register(id, dst + word);
            self.load(id, address, Shift::by(8 * i64::from(word)), into);
        }
    }

    /// Stores `count` words from operands one after another.
    fn store_words(&mut self, id: FunctionId, address: Operand, value: Operand, count: u32) {
        for word in 0..count {
            self.store(id, address, Shift::by(8 * i64::from(word)), value.offset(word));
        }
    }

    fn read_modify_write(&mut self, id: FunctionId, op: RmwOp, dst: Slot, address: Operand, value: Operand) {
        let into = self.register(id, dst);
        self.load(id, address, Shift::NONE, into);
        self.store(id, address, Shift::NONE, value);
        if op != RmwOp::Exchange {
            // The new value is computed from the old.
            let new = self.solver.nodes(1);
            self.solver.copy(into, new, Shift::ANYWHERE);
            if let Some(address) = self.node(id, address) {
                self.solver.store(address, new);
            }
        }
    }

    /// A list of the function's variable arguments begins.
    fn start_variadic(&mut self, id: FunctionId, list: Operand) {
        let place = self.solver.objects.start(Object::Variadic(id));
        let place = self.solver.objects.shifted(place, Shift::ANYWHERE);
        let arguments = self.solver.nodes(1);
        self.solver.add(arguments, place);
        if let Some(list) = self.behind(id, list, Shift::ANYWHERE) {
            self.solver.store(list, arguments);
        }
    }

    pub(super) fn copy_memory(&mut self, id: FunctionId, to: Operand, from: Operand, size: Option<u64>) {
        if let (Some(to), Some(from)) = (self.node(id, to), self.node(id, from)) {
            self.solver.copy_memory(to, from, size);
        }
    }
}

fn at(piece: &Piece) -> Shift {
    Shift::by(i64::from(piece.offset))
}

/// A constant's value.
pub(crate) fn number(function: &LinkedFunction, operand: Operand) -> Option<u64> {
    operand.is_constant().then(|| function.constants[operand.index()])
}

/// How far an index leads from its base.
pub(crate) fn index_shift(function: &LinkedFunction, index: Operand, bits: u8, scale: u16) -> Shift {
    match number(function, index) {
        Some(index) => {
            let unused = 64 - u32::from(bits);
            let index = ((index << unused) as i64) >> unused;
            Shift::by(index.wrapping_mul(i64::from(scale)))
        }
        None => Shift { add: 0, stride: u32::from(scale) },
    }
}
