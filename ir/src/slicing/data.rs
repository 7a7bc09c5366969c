//! Where the values of registers come from.

use super::terminator;
use crate::function::{Function, Param};
use crate::instruction::Slot;
use crate::registers::written;
use rustc_hash::{FxHashMap, FxHashSet};

/// By register, what writes it. Values are in static single assignment form, so what writes a register
/// reaches all that reads it.
pub(super) struct Definitions {
    instructions: FxHashMap<Slot, Vec<u32>>,
    /// Moves on edges: the register moved from, if it is one, and the end of the block before the edge. How
    /// control came there decides which value a phi node takes.
    moves: FxHashMap<Slot, Vec<(Option<Slot>, u32)>>,
    params: Vec<Param>,
}

/// Where a value comes from.
#[derive(Default)]
pub(super) struct Sources {
    /// Instructions: those that compute it, and branches that decide which value a phi node takes.
    pub instructions: Vec<u32>,
    /// Numbers of parameters.
    pub parameters: Vec<usize>,
}

impl Definitions {
    pub fn of(function: &Function) -> Self {
        let mut instructions: FxHashMap<Slot, Vec<u32>> = FxHashMap::default();
        for (inst, pc) in function.code.iter().zip(0..) {
            written(function, inst).for_each(|slot| instructions.entry(slot).or_default().push(pc));
        }
        let mut moves: FxHashMap<Slot, Vec<(Option<Slot>, u32)>> = FxHashMap::default();
        for (block, number) in function.blocks.iter().zip(0..) {
            let end = terminator(function, number);
            for edge in &function.edges[block.edges()] {
                let first = edge.first_move as usize;
                for step in &function.moves[first..first + edge.move_count as usize] {
                    let from = (!step.src.is_constant()).then_some(step.src.index() as Slot);
                    moves.entry(step.dst).or_default().push((from, end));
                }
            }
        }
        Self { instructions, moves, params: function.params.clone() }
    }

    /// Where the value of a register comes from, through phi nodes.
    pub fn sources(&self, slot: Slot, sources: &mut Sources) {
        let mut seen = FxHashSet::default();
        let mut open = vec![slot];
        while let Some(slot) = open.pop() {
            if !seen.insert(slot) {
                continue;
            }
            sources.instructions.extend(self.instructions.get(&slot).into_iter().flatten());
            let holds = |param: &Param| (param.slot..param.slot + param.slots).contains(&slot);
            sources.parameters.extend(self.params.iter().position(holds));
            for (from, end) in self.moves.get(&slot).into_iter().flatten() {
                sources.instructions.push(*end);
                open.extend(from.filter(|from| !seen.contains(from)));
            }
        }
    }
}
