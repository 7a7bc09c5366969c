//! Loops that count: from a number, by one, up to a bound.

use super::addresses::Addresses;
use symx_ir::instruction::{BinaryOp, CastOp, Predicate};
use symx_ir::{Inst, Operand, Slot};

/// Which numbers a loop counts through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    start: u64,
    predicate: Predicate,
    bound: Bound,
    /// Whether the loop goes on where the comparison holds.
    stays: bool,
    /// Whether the bound is compared with the number after the step.
    is_after_step: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    Number(u64),
    Register(Slot),
}

impl Range {
    /// Whether it means something in its function alone.
    pub fn is_of_function(&self) -> bool {
        matches!(self.bound, Bound::Register(_))
    }
}

/// A counting loop around an instruction.
pub(super) struct Rounds {
    pub range: Range,
    /// The edges into it.
    pub entries: Vec<u32>,
    /// The edge out of it when the bound is reached.
    pub exit: u32,
    /// Whether a round executes the instruction always, and once at most.
    pub every_time: bool,
    pub at_most_once: bool,
}

/// The loop whose rounds `index` counts, around the instruction at `pc`.
pub(super) fn rounds(addresses: &Addresses<'_>, index: Operand, pc: u32) -> Option<Rounds> {
    let function = addresses.function;
    let counter = without_casts(addresses, index)?;
    let (mut header, mut entries, mut backs, mut start) = (None, Vec::new(), Vec::new(), None);
    for (edge, number) in function.edges.iter().zip(0..) {
        let moves = &function.moves[edge.first_move as usize..(edge.first_move + edge.move_count) as usize];
        let Some(step) = moves.iter().rev().find(|step| step.dst == counter) else { continue };
        if header.is_some_and(|header| header != edge.block) {
            return None;
        }
        header = Some(edge.block);
        if step.src.is_constant() {
            let value = *function.constants.get(step.src.index())?;
            if start.is_some_and(|start| start != value) {
                return None;
            }
            start = Some(value);
            entries.push(number);
        } else if is_next(addresses, step.src, counter) {
            backs.push(number);
        } else {
            return None;
        }
    }
    let (header, start) = (header?, start?);
    let into = function.edges.iter().filter(|edge| edge.block == header).count();
    if into != entries.len() + backs.len() || backs.is_empty() {
        return None;
    }
    let latches: Vec<u32> = backs.iter().map(|edge| function.block_of_edge(*edge)).collect();
    let body = body(addresses, header, &latches);
    let block = function.blocks.partition_point(|block| block.start <= pc) as u32 - 1;
    if !body[block as usize] {
        return None;
    }
    let tested = if latches.contains(&header) { None } else { test(addresses, header, counter, &body) };
    let Test { predicate, bound, exit, stays, is_after_step } = match (tested, &latches[..]) {
        (Some(found), _) => found,
        (None, [latch]) => test(addresses, *latch, counter, &body)?,
        _ => return None,
    };
    // The test is in every round: in the header, or in the only latch.
    let every_time = !latches.iter().any(|latch| leads(addresses, &body, header, *latch, block, None));
    let at_most_once = !leads(addresses, &body, block, block, u32::MAX, Some(header));
    let range = Range { start, predicate, bound, stays, is_after_step };
    Some(Rounds { range, entries, exit, every_time, at_most_once })
}

/// A counter that moves on edges write, through changes of width.
fn without_casts(addresses: &Addresses<'_>, operand: Operand) -> Option<Slot> {
    if operand.is_constant() {
        return None;
    }
    let slot = operand.index() as Slot;
    match addresses.definition(slot) {
        None => Some(slot),
        Some(pc) => match addresses.function.code[pc as usize] {
            Inst::Cast { op: CastOp::SExt | CastOp::ZExt, src, .. } => without_casts(addresses, src),
            _ => None,
        },
    }
}

/// Whether an operand is a counter plus one.
fn is_next(addresses: &Addresses<'_>, operand: Operand, counter: Slot) -> bool {
    let Some(pc) = addresses.definition(operand.index() as Slot) else { return false };
    let Inst::Binary { op: BinaryOp::Add, a, b, .. } = addresses.function.code[pc as usize] else {
        return false;
    };
    let is_one = b.is_constant() && addresses.function.constants[b.index()] == 1;
    is_one && !a.is_constant() && a.index() as Slot == counter
}

/// The blocks of a loop.
fn body(addresses: &Addresses<'_>, header: u32, latches: &[u32]) -> Vec<bool> {
    let function = addresses.function;
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); function.blocks.len()];
    for (block, number) in function.blocks.iter().zip(0..) {
        for edge in &function.edges[block.edges()] {
            before[edge.block as usize].push(number);
        }
    }
    let mut body = vec![false; function.blocks.len()];
    body[header as usize] = true;
    let mut open = latches.to_vec();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut body[block as usize], true) {
            open.extend(&before[block as usize]);
        }
    }
    body
}

/// How a loop is left.
struct Test {
    predicate: Predicate,
    bound: Bound,
    exit: u32,
    stays: bool,
    is_after_step: bool,
}

/// How the end of a block compares a counter and leaves the loop.
fn test(addresses: &Addresses<'_>, block: u32, counter: Slot, body: &[bool]) -> Option<Test> {
    let function = addresses.function;
    let next = function.blocks.get(block as usize + 1).map_or(function.code.len() as u32, |next| next.start);
    let (predicate, a, b, edges) = match function.code[next as usize - 1] {
        Inst::CompareBranch { predicate, a, b, edges, .. } => (predicate, a, b, edges),
        Inst::Branch { cond, edges } => {
            if cond.is_constant() {
                return None;
            }
            let pc = addresses.definition(cond.index() as Slot)?;
            let Inst::Compare { predicate, a, b, .. } = function.code[pc as usize] else { return None };
            (predicate, a, b, edges)
        }
        _ => return None,
    };
    let is_after_step = !a.is_constant() && is_next(addresses, a, counter);
    if !is_after_step && without_casts(addresses, a) != Some(counter) {
        return None;
    }
    let bound = if b.is_constant() {
        Bound::Number(*function.constants.get(b.index())?)
    } else {
        let slot = b.index() as Slot;
        let is_parameter = function.params.iter().any(|param| param.slot == slot);
        let definition = addresses.definition(slot);
        let is_fixed = definition.is_some_and(|pc| {
            let block = function.blocks.partition_point(|block| block.start <= pc) - 1;
            !body[block]
        });
        if !is_parameter && !is_fixed {
            return None;
        }
        Bound::Register(slot)
    };
    let [stays, leaves] = [edges, edges + 1].map(|edge| body[function.edges[edge as usize].block as usize]);
    let exit = match (stays, leaves) {
        (true, false) => edges + 1,
        // The comparison asks for the end.
        (false, true) => edges,
        _ => return None,
    };
    Some(Test { predicate, bound, exit, stays, is_after_step })
}

/// Whether a way within the loop leads from one block to another, not through `without`, and not through
/// `around` either.
fn leads(
    addresses: &Addresses<'_>,
    body: &[bool],
    from: u32,
    to: u32,
    without: u32,
    around: Option<u32>,
) -> bool {
    let function = addresses.function;
    if from == without {
        return false;
    }
    let mut seen = vec![false; function.blocks.len()];
    let mut open = vec![from];
    let mut is_first = true;
    while let Some(block) = open.pop() {
        if block == to && !(is_first && around.is_some()) {
            return true;
        }
        is_first = false;
        for edge in &function.edges[function.blocks[block as usize].edges()] {
            let next = edge.block;
            let is_open = body[next as usize] && next != without && Some(next) != around;
            if is_open && (next == to || !std::mem::replace(&mut seen[next as usize], true)) {
                if next == to {
                    return true;
                }
                open.push(next);
            }
        }
    }
    false
}
