//! Terminators.

use super::Builder;
use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::shape::scalar_bits;
use crate::unsupported::{Translated, unsupported};
use symx_ir::function::{Edge, Switch};
use symx_ir::instruction::{Extended, Predicate};
use symx_ir::{Constant, Inst, Operand, SpanId};

/// Bits of a position among labels or cases.
const POSITION_BITS: u8 = 32;

impl<'m> Builder<'_, 'm> {
    /// Whether `compare` and the branch after it become one instruction.
    pub(super) fn fuses(&self, compare: Value<'m>, terminator: Value<'m>) -> bool {
        compare.opcode() == Opcode::LLVMICmp
            && terminator.opcode() == Opcode::LLVMBr
            && compare.only_user() == Some(terminator)
            && scalar_bits(compare.operand(0).type_of()).is_ok_and(|bits| bits <= 64)
    }

    /// Translates the terminator of `block`; `fused` is the comparison that is part of it.
    pub(super) fn terminator(
        &mut self,
        block: Block<'m>,
        value: Value<'m>,
        fused: Option<Value<'m>>,
    ) -> Translated<()> {
        let first_edge = self.edges(block, value)?;
        match value.opcode() {
            Opcode::LLVMBr => match (value.successors().len(), fused) {
                (1, _) => self.emit(Inst::Jump { edge: first_edge }),
                (_, Some(compare)) => {
                    let bits = scalar_bits(compare.operand(0).type_of())? as u8;
                    let (a, b) = (self.operand(compare.operand(0))?, self.operand(compare.operand(1))?);
                    let predicate = super::arithmetic::predicate(compare);
                    self.emit(Inst::CompareBranch { predicate, bits, a, b, edges: first_edge });
                }
                _ => {
                    let cond = self.operand(value.operand(0))?;
                    self.emit(Inst::Branch { cond, edges: first_edge });
                }
            },
            Opcode::LLVMSwitch => self.switch(value, first_edge)?,
            Opcode::LLVMRet => {
                let returned = match value.operand_count() {
                    0 => Operand::slot(0),
                    _ if value.operand(0).is_undefined() => {
                        let shape = self.source.shape(value.operand(0).type_of())?;
                        self.undefined(&shape)
                    }
                    _ => self.operand(value.operand(0))?,
                };
                if self.is_atomic_section() {
                    self.end_atomic_section();
                }
                self.emit(Inst::Return { value: returned });
            }
            Opcode::LLVMUnreachable => self.emit(Inst::Unreachable),
            Opcode::LLVMInvoke => self.call(value, Some((first_edge, first_edge + 1)))?,
            Opcode::LLVMResume => self.resume(value)?,
            Opcode::LLVMIndirectBr => self.computed_goto(value, first_edge)?,
            // Understood assembly holds no jump: control goes on at the first successor.
            Opcode::LLVMCallBr if self.known_assembly(value)? => self.emit(Inst::Jump { edge: first_edge }),
            Opcode::LLVMCallBr => {
                let (text, constraints) = value.callee().assembly();
                let text = text.escape_debug();
                return unsupported(format!("asm goto `{text}` with constraints `{constraints}`"));
            }
            opcode => return unsupported(format!("the instruction {opcode:?}").replace("LLVM", "")),
        }
        Ok(())
    }

    /// Adds the outgoing edges of `block`; returns the first one's index.
    fn edges(&mut self, block: Block<'m>, terminator: Value<'m>) -> Translated<u32> {
        let first_edge = self.out.edges.len() as u32;
        for successor in terminator.successors() {
            let moves = self.parallel_moves(block, successor)?;
            let (first_move, move_count) = self.place_moves(moves);
            let number = self.numbers[&successor];
            self.out.edges.push(Edge { block: number, target: 0, first_move, move_count });
        }
        Ok(first_edge)
    }

    /// Where a computed goto is. clang leads all of a function through one that has no location: then
    /// it is the first's.
    fn span_of_goto(&mut self, goto: Value<'m>) -> SpanId {
        let address = goto.operand(0);
        let of_first = || {
            let sources = if address.is_phi() { address.incoming() } else { Vec::new() };
            sources.into_iter().find_map(|(_, from)| from.instructions().last()?.location())
        };
        goto.location().or_else(of_first).map_or(SpanId::UNKNOWN, |location| self.spans.of_location(location))
    }

    /// A computed goto, as a switch on the position of its label among those it may lead to.
    fn computed_goto(&mut self, value: Value<'m>, first_edge: u32) -> Translated<()> {
        self.span = self.span_of_goto(value);
        let address = self.operand(value.operand(0))?;
        let mut entries = Vec::new();
        for block in value.successors() {
            let (symbol, offset) = self.source.label(self.value, block)?;
            entries.push(Constant::Address(symbol, offset));
        }
        let count = entries.len() as u32;
        let (dst, labels) = (self.fresh(1), self.pool(&entries));
        self.extended(Extended::LabelPosition { dst, address, labels, count });
        if count == 0 {
            self.emit(Inst::Unreachable);
            return Ok(());
        }
        let cases: Vec<(u64, u32)> = (0..count).map(|label| (label.into(), first_edge + label)).collect();
        self.emit_switch(Operand::slot(dst), POSITION_BITS, first_edge, cases);
        Ok(())
    }

    fn switch(&mut self, value: Value<'m>, default_edge: u32) -> Translated<()> {
        let subject = value.operand(0);
        let bits = scalar_bits(subject.type_of())?;
        if subject.type_of().kind() != TypeKind::LLVMIntegerTypeKind {
            return unsupported(format!("a switch on {bits} bits"));
        }
        if bits > 64 {
            return self.wide_switch(value, bits, default_edge);
        }
        let operand = self.operand(subject)?;
        let count = value.successors().len() as u32 - 1;
        let mut cases: Vec<(u64, u32)> =
            (0..count).map(|case| (value.case_value(case).low_bits(), default_edge + 1 + case)).collect();
        cases.sort_unstable();
        self.emit_switch(operand, bits as u8, default_edge, cases);
        Ok(())
    }

    /// A switch on more bits than a word has, as one on the position of the case that is equal: texts of some
    /// length are compared so.
    fn wide_switch(&mut self, value: Value<'m>, bits: u32, default_edge: u32) -> Translated<()> {
        let subject = self.operand(value.operand(0))?;
        let count = value.successors().len() as u32 - 1;
        let mut position = self.number(0);
        for case in 0..count {
            let (equal, chosen) = (self.fresh(1), self.fresh(1));
            let constant = self.operand(value.case_value(case))?;
            self.compare_lane(Predicate::Eq, bits, equal, subject, constant);
            let a = self.number(u64::from(case) + 1);
            self.emit(Inst::Select { dst: chosen, cond: Operand::slot(equal), a, b: position });
            position = Operand::slot(chosen);
        }
        let cases: Vec<(u64, u32)> = (1..=count).map(|case| (case.into(), default_edge + case)).collect();
        self.emit_switch(position, POSITION_BITS, default_edge, cases);
        Ok(())
    }

    /// Goes on along the edge of the value among the sorted `cases`, or along the default one.
    fn emit_switch(&mut self, value: Operand, bits: u8, default_edge: u32, cases: Vec<(u64, u32)>) {
        let (table, lowest) = dense_table(&cases, default_edge);
        let index = self.out.switches.len() as u32;
        self.out.switches.push(Switch { bits, default_edge, cases, table, lowest });
        self.emit(Inst::Switch { value, index });
    }
}

/// The edges by value, if the sorted `cases` lie close enough together; and the lowest value.
fn dense_table(cases: &[(u64, u32)], default_edge: u32) -> (Vec<u32>, u64) {
    let (Some(&(lowest, _)), Some(&(highest, _))) = (cases.first(), cases.last()) else {
        return (Vec::new(), 0);
    };
    if highest - lowest >= 4 * cases.len() as u64 + 16 {
        return (Vec::new(), 0);
    }
    let mut table = vec![default_edge; (highest - lowest) as usize + 1];
    for &(value, edge) in cases {
        table[(value - lowest) as usize] = edge;
    }
    (table, lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_tables_only_for_close_cases() {
        let cases = [(5, 1), (7, 2), (8, 3)];
        assert_eq!(dense_table(&cases, 0), (vec![1, 0, 2, 3], 5));
        assert_eq!(dense_table(&[(0, 1), (1 << 40, 2)], 0), (vec![], 0));
        assert_eq!(dense_table(&[], 0), (vec![], 0));
        let switch =
            Switch { bits: 8, default_edge: 0, cases: cases.to_vec(), table: vec![1, 0, 2, 3], lowest: 5 };
        assert_eq!([4, 5, 6, 7, 8, 9].map(|value| switch.edge(value)), [0, 1, 0, 2, 3, 0]);
    }
}
