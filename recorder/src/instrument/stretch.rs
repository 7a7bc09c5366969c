//! Stretches of a function without calls: there the code keeps the log's cursor itself, in a register. It
//! does not read it from the thread's data and write it back at each event. It publishes its path so far
//! where the cursor points (`published.rs`).
//!
//! A stretch is a loop no block of which calls anything, as far out as there is one, or a whole function
//! without calls. Nothing else logs meanwhile: the runtime puts the cursors away while a handler runs, and
//! the log needs no cursor to be read.

use super::{FunctionPass, Slots};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::collections::HashSet;

/// Where a program names this function, it has no stretches: it lets a thread leave one without its code.
const INTERRUPTING: &str = "pthread_setcanceltype";

/// The stretches of a function.
pub(super) struct Stretches {
    /// For each block, which it is in.
    of_block: Vec<Option<u32>>,
}

impl Stretches {
    /// Whether there is one.
    pub(super) fn is_empty(&self) -> bool {
        self.of_block.iter().all(Option::is_none)
    }

    /// Whether a block is in one.
    pub(super) fn contains(&self, block: u32) -> bool {
        self.of_block[block as usize].is_some()
    }

    /// Whether an edge leads from a block of one to a block of the same.
    pub(super) fn goes_on(&self, block: u32, target: u32) -> bool {
        self.contains(block) && self.of_block[block as usize] == self.of_block[target as usize]
    }

    /// Whether an edge leads into one.
    pub(super) fn enters(&self, block: u32, target: u32) -> bool {
        self.contains(target) && !self.goes_on(block, target)
    }

    /// Whether an edge leads out of one.
    pub(super) fn leaves(&self, block: u32, target: u32) -> bool {
        self.contains(block) && !self.goes_on(block, target)
    }
}

impl FunctionPass<'_> {
    /// The stretches without calls. A function whose paths do not fit a unit has none.
    pub(super) fn stretches(&self, is_wide: bool) -> Stretches {
        let count = self.blocks.len();
        if is_wide || self.module.function(INTERRUPTING).is_some() {
            return Stretches { of_block: vec![None; count] };
        }
        if self.calls.is_empty() {
            return Stretches { of_block: vec![Some(0); count] };
        }
        let calls: HashSet<u32> = self.calls.iter().map(|call| call.block).collect();
        let mut of_block = vec![None; count];
        let mut open = cycles(&self.successors, &(0..count as u32).collect::<Vec<_>>());
        let mut number = 0;
        while let Some(cycle) = open.pop() {
            let inside: HashSet<u32> = cycle.iter().copied().collect();
            if cycle.iter().any(|block| calls.contains(block)) {
                let heads: HashSet<u32> = (0..count as u32)
                    .filter(|block| !inside.contains(block))
                    .flat_map(|block| self.successors[block as usize].iter().copied())
                    .filter(|target| inside.contains(target))
                    .collect();
                let rest: Vec<u32> = cycle.iter().copied().filter(|block| !heads.contains(block)).collect();
                if rest.len() < cycle.len() {
                    open.extend(cycles(&self.successors, &rest));
                }
            } else if self.can_be_entered_and_left(&inside) {
                cycle.iter().for_each(|&block| of_block[block as usize] = Some(number));
                number += 1;
            }
        }
        Stretches { of_block }
    }

    /// Whether code can be put on the edges that lead there and from there.
    fn can_be_entered_and_left(&self, inside: &HashSet<u32>) -> bool {
        if inside.contains(&0) {
            return false;
        }
        self.successors.iter().enumerate().all(|(block, successors)| {
            let is_inside = inside.contains(&(block as u32));
            if successors.iter().all(|target| inside.contains(target) == is_inside) {
                return true;
            }
            // SAFETY: every block has a terminator.
            let opcode = unsafe { LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(self.blocks[block])) };
            matches!(opcode, LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch)
        })
    }

    /// The slot of the cursor. To be called where the slots are made.
    pub(super) fn cursor_slot(&self) -> LLVMValueRef {
        // SAFETY: the builder stands in the entry block.
        unsafe { LLVMBuildAlloca(self.builder, LLVMTypeOf(self.no_cursor()), c"cursor".as_ptr()) }
    }

    /// The constant that denotes the thread's own cursor.
    pub(super) fn no_cursor(&self) -> LLVMValueRef {
        // SAFETY: a type of the module's context.
        unsafe { LLVMConstNull(LLVMPointerTypeInContext(self.module.context, 0)) }
    }

    /// At the beginning of a stretch.
    pub(super) fn begin_stretch(&self, slots: &Slots) {
        let Some(slot) = slots.cursor else { return };
        let at = match self.calls.is_empty() {
            true => self.call("begin_function", &mut [slots.frame]),
            false => {
                let sum = self.load_sum(slots);
                self.call("begin_stretch", &mut [slots.frame, sum])
            }
        };
        self.store(slot, at);
    }

    /// At the end of one.
    pub(super) fn end_stretch(&self, slots: &Slots) {
        let Some(slot) = slots.cursor else { return };
        // SAFETY: the slot is of that type.
        let at = unsafe { LLVMBuildLoad2(self.builder, LLVMTypeOf(self.no_cursor()), slot, c"".as_ptr()) };
        if self.calls.is_empty() {
            self.call("end_function", &mut [at]);
        } else {
            let sum = self.load_sum(slots);
            self.call("end_stretch", &mut [slots.frame, sum, at]);
        }
    }
}

/// The strongly connected components of the given blocks (Tarjan's algorithm), without single blocks that do
/// not lead to themselves.
fn cycles(successors: &[Vec<u32>], blocks: &[u32]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut order = vec![UNSEEN; successors.len()];
    let mut low = order.clone();
    let mut is_in = vec![false; successors.len()];
    blocks.iter().for_each(|&block| is_in[block as usize] = true);
    let (mut found, mut path, mut next) = (Vec::new(), Vec::new(), 0);
    let mut is_on_path = vec![false; successors.len()];
    for &root in blocks {
        let mut walk = if order[root as usize] == UNSEEN { vec![(root, 0)] } else { Vec::new() };
        while let Some((block, edge)) = walk.last_mut() {
            let at = *block as usize;
            if *edge == 0 {
                (order[at], low[at]) = (next, next);
                next += 1;
                path.push(*block);
                is_on_path[at] = true;
            }
            if let Some(&target) = successors[at].get(*edge) {
                *edge += 1;
                let to = target as usize;
                if is_in[to] && order[to] == UNSEEN {
                    walk.push((target, 0));
                } else if is_on_path[to] {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            walk.pop();
            if let Some(&(parent, _)) = walk.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == order[at] {
                let first = path.iter().position(|&b| b as usize == at).unwrap_or_default();
                let cycle = path.split_off(first);
                cycle.iter().for_each(|&b| is_on_path[b as usize] = false);
                if cycle.len() > 1 || successors[at].contains(&cycle[0]) {
                    found.push(cycle);
                }
            }
        }
    }
    found
}
