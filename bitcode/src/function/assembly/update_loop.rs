//! A loop that tries an update until it holds: `1: mov arg, new; or eax, new; lock cmpxchg new, memory;
//! jne 1b`. It ends with one atomic update, whatever it found before, and is taken for that. A block has no
//! jumps inside.

use super::Assembly;
use super::Builder;
use super::constraints::named;
use super::flags::Flags;
use super::machine::{Location, arithmetic, common_width, name_and_width};
use super::written::Instruction;
use symx_ir::Operand;
use symx_ir::instruction::{AtomicOrdering, BinaryOp, Extended};

impl Builder<'_, '_> {
    /// Translates a loop that begins with a label. Returns what follows it; `None` if it is another loop.
    pub(super) fn update_loop<'i>(
        &mut self,
        assembly: &mut Assembly,
        instructions: &'i [Instruction],
    ) -> Option<&'i [Instruction]> {
        let [label, copy, compute, exchange, jump, after @ ..] = instructions else { return None };
        let is_loop = label.operands == jump.operands && ["jne", "jnz"].contains(&jump.name.as_str());
        let ((copies, _), (computes, width)) = (name_and_width(&copy.name)?, name_and_width(&compute.name)?);
        let (exchanges, exchanged) = name_and_width(&exchange.name)?;
        let is_tried = copies == "mov" && exchange.locked && exchanges == "cmpxchg";
        (is_loop && is_tried && !copy.locked && !compute.locked).then_some(())?;
        let [start, new] = self.both(assembly, copy)?;
        let [operand, target] = self.both(assembly, compute)?;
        let [replacement, Location::Memory(address)] = self.both(assembly, exchange)? else { return None };
        let accumulator = named(&assembly.constraints, "ax")?;
        let Location::Register(changed) = new else { return None };
        let is =
            |number: usize, location: Location| matches!(location, Location::Register(it) if it == number);
        (is(changed, target) && is(changed, replacement)).then_some(())?;
        let (binary, op) = arithmetic(computes)?;
        // The other operand is the same in each round.
        let other = match (is(accumulator, start), is(accumulator, operand)) {
            (true, false) => operand,
            (false, true) if binary != BinaryOp::Sub => start,
            _ => return None,
        };
        let is_kept = match other {
            Location::Register(number) => number != changed,
            Location::Memory(_) => false,
            Location::Immediate(_) => true,
        };
        is_kept.then_some(())?;
        let bits = width.or_else(|| common_width(assembly, &compute.operands, &[operand, target]))?;
        let exchanged =
            exchanged.or_else(|| common_width(assembly, &exchange.operands[..1], &[replacement]))?;
        (bits == exchanged).then_some(())?;
        self.machine_instruction(assembly, copy)?;
        let value = self.read(assembly, other, bits)?;
        let (dst, ordering) = (self.fresh(1), AtomicOrdering::SequentiallyConsistent);
        self.extended(Extended::AtomicRmw { op, bits: bits as u8, ordering, dst, address, value });
        let found = Operand::slot(dst);
        let result = self.computed(binary, bits, found, value);
        self.write(assembly, Location::Register(accumulator), bits, found)?;
        self.write(assembly, new, bits, result)?;
        // As the exchange leaves them.
        let same = self.number(1);
        assembly.flags = Flags { zero: Some(same), ..Flags::default() };
        Some(after)
    }

    /// Where the two operands of an instruction are.
    fn both(&mut self, assembly: &Assembly, instruction: &Instruction) -> Option<[Location; 2]> {
        let [from, to] = &instruction.operands[..] else { return None };
        Some([self.location(assembly, from)?, self.location(assembly, to)?])
    }
}
