//! Loops of functions, and what registers do in them.

pub mod counted_rounds;
pub mod pacing;

use crate::function::Function;
use crate::instruction::{Inst, Operand};
use crate::symbol::Constant;

/// Blocks of a function in which loops are looked for.
const MOST_BLOCKS: usize = 1024;

/// The instructions of a block.
fn code(function: &Function, block: usize) -> &[Inst] {
    &function.code[function.range_of(block)]
}

fn is_constant(function: &Function, operand: Operand, value: u64) -> bool {
    operand.is_constant()
        && matches!(function.constants.get(operand.index()), Some(Constant::Bits(bits)) if *bits == value)
}

/// Whether an edge leads on within a loop, whose blocks are `body`. It may not lead out, nor to a block that
/// only asks whether to go on if the edge carries a "no" (`counter && look()`).
fn stays(function: &Function, body: &[bool], edge: u32) -> bool {
    let edge = &function.edges[edge as usize];
    let (target, first) = (edge.block as usize, edge.first_move as usize);
    let [Inst::Branch { cond, edges }] = *code(function, target) else { return body[target] };
    let moves = &function.moves[first..first + edge.move_count as usize];
    let carried = moves.iter().find(|step| Operand::slot(step.dst) == cond).map(|step| step.src);
    let next = match carried {
        Some(value) if is_constant(function, value, 0) => edges + 1,
        Some(value) if is_constant(function, value, 1) => edges,
        _ => return body[target],
    };
    body[target] && body[function.edges[next as usize].block as usize]
}

/// Whether the first of the two edges from the branch at `pc` leads on in the innermost loop around it, and
/// the second one leaves that.
pub fn goes_on_first(function: &Function, pc: u32, first_edge: u32) -> bool {
    innermost_loop(function, function.block_at(pc)).is_some_and(|(_, body)| {
        stays(function, &body, first_edge) && !stays(function, &body, first_edge + 1)
    })
}

/// The smallest natural loop around a block: its header, which dominates the others, and by block whether it
/// belongs to the loop.
fn innermost_loop(function: &Function, around: usize) -> Option<(usize, Vec<bool>)> {
    let count = function.blocks.len();
    if count > MOST_BLOCKS {
        return None;
    }
    let targets =
        |block: usize| function.edges[function.blocks[block].edges()].iter().map(|edge| edge.block as usize);
    // Most blocks are in none, which is found out sooner.
    let (mut reached, mut open) = (vec![false; count], vec![around]);
    while let Some(block) = open.pop() {
        open.extend(targets(block).filter(|target| !std::mem::replace(&mut reached[*target], true)));
    }
    if !reached[around] {
        return None;
    }
    let mut sources = vec![Vec::new(); count];
    for block in 0..count {
        targets(block).for_each(|target| sources[target].push(block));
    }
    // A block that can be reached from the entry without the header is not dominated by it.
    let dominates = |header: usize| -> Vec<bool> {
        let mut reached = vec![false; count];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if block != header && !std::mem::replace(&mut reached[block], true) {
                open.extend(targets(block));
            }
        }
        reached.into_iter().map(|reached| !reached).collect()
    };
    let mut smallest: Option<(usize, Vec<bool>)> = None;
    for header in 0..count {
        let dominated = dominates(header);
        if !dominated[around] {
            continue;
        }
        let mut body = vec![false; count];
        body[header] = true;
        let mut open: Vec<usize> =
            sources[header].iter().copied().filter(|latch| dominated[*latch]).collect();
        let is_loop = !open.is_empty();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut body[block], true) {
                open.extend(&sources[block]);
            }
        }
        let size = |body: &[bool]| body.iter().filter(|is_part| **is_part).count();
        if is_loop && body[around] && smallest.as_ref().is_none_or(|(_, known)| size(&body) < size(known)) {
            smallest = Some((header, body));
        }
    }
    smallest
}
