//! Where exceptions land: frames are left without a return, and edges cannot be split.

use super::{FunctionPass, InstrumentError, LogPlace, Slots};
use crate::edge::{first_place, instructions};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use symx_ir::path_numbering::{Edge, EdgeAction, PathNumbering};

impl FunctionPass<'_> {
    /// Whether exceptions land in a block.
    pub(super) fn is_landing_pad(&self, block: u32) -> bool {
        // SAFETY: instructions of the block.
        let is_pad = |i: &LLVMValueRef| unsafe { LLVMGetInstructionOpcode(*i) == LLVMOpcode::LLVMLandingPad };
        instructions(self.blocks[block as usize]).iter().any(is_pad)
    }

    /// Several invokes unwind to one landing pad. Such an edge cannot be split, so each invoke notes
    /// beforehand what its edge would add, and the pad does the adding.
    pub(super) fn at_shared_pad(
        &self,
        pad: u32,
        numbering: &PathNumbering,
        is_wide: bool,
        slots: &Slots,
    ) -> Result<(), InstrumentError> {
        let edges = self.successors.iter().enumerate().flat_map(|(block, successors)| {
            let into = successors.iter().enumerate().filter(|(_, target)| **target == pad);
            into.map(move |(successor, _)| Edge { block: block as u32, successor: successor as u32 })
        });
        let actions: Vec<_> = edges.map(|edge| (edge.block, numbering.edge_action(edge))).collect();
        if actions.iter().all(|(_, action)| *action == EdgeAction::Continue { add: 0 }) {
            return Ok(());
        }
        let restart_of = |action| match action {
            EdgeAction::Cut { restart, .. } => Some(restart),
            EdgeAction::Continue { .. } => None,
        };
        let restart = restart_of(actions[0].1);
        if actions.iter().any(|&(_, action)| restart_of(action) != restart) {
            return Err(self.unsupported("a landing pad that is entered from before and from within a loop"));
        }
        self.place_before(first_place(self.blocks[0]));
        // SAFETY: the builder stands in the entry block, which dominates all uses.
        let pending = unsafe { LLVMBuildAlloca(self.builder, self.runtime.int, c"path.pending".as_ptr()) };
        for &(block, EdgeAction::Continue { add } | EdgeAction::Cut { add, .. }) in &actions {
            // SAFETY: every block has a terminator.
            self.place_before(unsafe { LLVMGetBasicBlockTerminator(self.blocks[block as usize]) });
            // SAFETY: an integer into a slot of its type.
            unsafe { LLVMBuildStore(self.builder, self.int(add), pending) };
        }
        self.place_before(first_place(self.blocks[pad as usize]));
        let sum = self.load_sum(slots);
        // SAFETY: as above.
        let sum = unsafe {
            let add = LLVMBuildLoad2(self.builder, self.runtime.int, pending, c"".as_ptr());
            LLVMBuildAdd(self.builder, sum, add, c"".as_ptr())
        };
        match restart {
            None => {
                self.store_sum(slots, sum);
                self.call("sum", &mut [slots.frame, sum]);
            }
            Some(restart) => {
                let log = LogPlace {
                    cursor: None,
                    is_published: false,
                    enters_stretch: false,
                    is_wide,
                    is_in_slack: false,
                };
                self.log_path(sum, false, restart, &log, slots);
                self.store_sum(slots, self.int(restart));
                self.end_run(slots);
            }
        }
        Ok(())
    }

    /// Has the frames an exception skipped taken off the shadow stack.
    pub(super) fn at_landing_pad(&self, block: u32, slots: &Slots) {
        if self.is_landing_pad(block) {
            self.place_before(first_place(self.blocks[block as usize]));
            self.call("caught", &mut [slots.frame]);
        }
    }
}
