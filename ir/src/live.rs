//! Which registers of a frame still matter: may be read before they are written again.

use crate::function::{CallSite, CallTarget, Edge, Function};
use crate::instruction::{Extended, Inst, Operand};
use crate::registers::{has_known_operands, reads, written};

/// The registers of a function that may be read at or after the instruction at `pc`, by slot. Instructions
/// with many operands are not examined: before one of those all registers count as live. Nor are the targets
/// of jumps: in a function that a jump may lead back into, all are live before every call. A load of several
/// words takes several steps, so that what it writes is live where it stands.
pub fn live_registers(function: &Function, pc: u32) -> Vec<bool> {
    live_at(function, pc, calls_of(function))
}

/// The registers that may be read once a block has been entered, before they are written again, by slot.
pub fn live_on_entering(function: &Function, block: usize) -> Vec<bool> {
    at_starts(function, calls_of(function)).swap_remove(block)
}

/// The registers, by slot, that may be read once control has left some blocks of a function, given by block,
/// on an edge.
pub fn live_on_leaving(function: &Function, blocks: &[bool]) -> Vec<bool> {
    on_leaving(function, blocks, calls_of(function))
}

/// As [`live_on_leaving`], where no `longjmp` leads into an activation of the function.
pub fn live_on_leaving_without_jumps(function: &Function, blocks: &[bool]) -> Vec<bool> {
    on_leaving(function, blocks, Calls::Return)
}

fn on_leaving(function: &Function, blocks: &[bool], calls: Calls) -> Vec<bool> {
    let at_start = at_starts(function, calls);
    let mut live = vec![false; function.slots as usize];
    for block in (0..function.blocks.len()).filter(|block| blocks[*block]) {
        for edge in &function.edges[function.blocks[block].edges()] {
            if !blocks[edge.block as usize] {
                add_through(function, &at_start, edge, &mut live);
            }
        }
    }
    live
}

/// As [`live_registers`], where no `longjmp` leads into an activation of the function: then calls read their
/// arguments and no more.
pub fn live_registers_without_jumps(function: &Function, pc: u32) -> Vec<bool> {
    live_at(function, pc, Calls::Return)
}

/// The possible effects of calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// Jump back into the function, where any register may be read.
    MayJump,
    /// Return, or leave the function.
    Return,
}

fn calls_of(function: &Function) -> Calls {
    let is_unknown = |site: &CallSite| matches!(site.target, CallTarget::Pointer(_));
    let may_jump = function.saves_points || function.calls.iter().any(is_unknown);
    if may_jump { Calls::MayJump } else { Calls::Return }
}

fn live_at(function: &Function, pc: u32, calls: Calls) -> Vec<bool> {
    let mut live = before(function, &at_starts(function, calls), function.block_at(pc), pc as usize, calls);
    let inst = &function.code[pc as usize];
    // Such a load may stand between its steps: the words that it has read matter.
    if let Inst::Extended { index } = inst
        && matches!(function.extended[*index as usize], Extended::LoadPieces { .. })
    {
        written(function, inst).for_each(|slot| live[slot as usize] = true);
    }
    live
}

/// The registers live where each block starts, after the moves of the edges that lead there.
fn at_starts(function: &Function, calls: Calls) -> Vec<Vec<bool>> {
    let blocks = function.blocks.len();
    let mut at_start = vec![vec![false; function.slots as usize]; blocks];
    loop {
        let mut changed = false;
        for block in (0..blocks).rev() {
            let start = function.blocks[block].start as usize;
            let live = before(function, &at_start, block, start, calls);
            if live != at_start[block] {
                at_start[block] = live;
                changed = true;
            }
        }
        if !changed {
            return at_start;
        }
    }
}

/// Adds what is live before the moves of an edge.
fn add_through(function: &Function, at_start: &[Vec<bool>], edge: &Edge, live: &mut [bool]) {
    let mut through = at_start[edge.block as usize].clone();
    let first = edge.first_move as usize;
    for step in function.moves[first..first + edge.move_count as usize].iter().rev() {
        through[step.dst as usize] = false;
        read(&mut through, step.src, 1);
    }
    live.iter_mut().zip(through).for_each(|(here, there)| *here |= there);
}

/// The registers live before the instruction at `from` in a block.
fn before(function: &Function, at_start: &[Vec<bool>], block: usize, from: usize, calls: Calls) -> Vec<bool> {
    let mut live = vec![false; function.slots as usize];
    for edge in &function.edges[function.blocks[block].edges()] {
        add_through(function, at_start, edge, &mut live);
    }
    for inst in function.code[from..function.range_of(block).end].iter().rev() {
        match *inst {
            Inst::Call { site } if calls == Calls::Return => call(&function.calls[site as usize], &mut live),
            _ => step(function, inst, &mut live),
        }
    }
    live
}

fn read(live: &mut [bool], operand: Operand, count: u32) {
    if !operand.is_constant() {
        let first = operand.index();
        live[first..first + count as usize].fill(true);
    }
}

/// From what is live after an instruction to what is live before it.
fn step(function: &Function, inst: &Inst, live: &mut [bool]) {
    let is_looked_at = match *inst {
        Inst::Alloca { .. } | Inst::Call { .. } => false,
        Inst::Extended { index } => has_known_operands(&function.extended[index as usize]),
        _ => true,
    };
    if !is_looked_at {
        live.fill(true);
        return;
    }
    written(function, inst).for_each(|slot| live[slot as usize] = false);
    reads(function, inst, |first, count| live[first as usize..(first + count) as usize].fill(true));
}

/// A call that returns, or leaves the function. Where it may also unwind into the function its
/// result is no matter.
fn call(site: &CallSite, live: &mut [bool]) {
    if matches!(site.target, CallTarget::Assembly(_)) {
        live.fill(true);
        return;
    }
    if site.invoke.is_none() && site.return_slots > 0 {
        live[site.dst as usize..(site.dst + site.return_slots) as usize].fill(false);
    }
    if let CallTarget::Pointer(target) = site.target {
        read(live, target, 1);
    }
    site.arguments.iter().for_each(|argument| read(live, argument.operand, argument.slots));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Block, Edge};
    use crate::instruction::Predicate;

    #[test]
    fn what_a_loop_reads_anew_does_not_matter_at_its_head() {
        // slot 0: an address; slot 1: what is loaded from it, until it is equal to slot 0.
        let [address, loaded] = [Operand::slot(0), Operand::slot(1)];
        let function = Function {
            slots: 3,
            code: vec![
                Inst::Load { bits: 64, volatile: false, align_log2: 3, dst: 1, address },
                Inst::CompareBranch { predicate: Predicate::Eq, bits: 64, a: address, b: loaded, edges: 0 },
                Inst::Return { value: loaded },
            ],
            return_slots: 1,
            blocks: vec![
                Block { start: 0, first_edge: 0, edge_count: 2 },
                Block { start: 2, first_edge: 2, edge_count: 0 },
            ],
            edges: vec![
                Edge { block: 1, target: 2, first_move: 0, move_count: 0 },
                Edge { block: 0, target: 0, first_move: 0, move_count: 0 },
            ],
            ..Function::default()
        };
        assert_eq!(live_registers_without_jumps(&function, 0), [true, false, false]);
        assert_eq!(live_registers(&function, 0), [true, false, false]);
        assert_eq!(live_registers(&function, 1), [true, true, false]);
        assert_eq!(live_registers(&function, 2), [false, true, false]);
    }

    #[test]
    fn the_end_of_a_stack_object_s_life_reads_its_address_only() {
        let address = Operand::slot(0);
        let function = Function {
            slots: 2,
            code: vec![Inst::Extended { index: 0 }, Inst::Return { value: Operand::slot(0) }],
            extended: vec![Extended::Lifetime { start: false, address }],
            blocks: vec![Block { start: 0, first_edge: 0, edge_count: 0 }],
            ..Function::default()
        };
        assert_eq!(live_registers(&function, 0), [true, false]);
    }
}
