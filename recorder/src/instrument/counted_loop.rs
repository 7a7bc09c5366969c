//! Loops with one way round whose rounds are counted in a register and logged where the loop is left. So a
//! round costs nothing, and the loop can be unrolled and vectorised as if it were not recorded.
//!
//! The path goes on after the loop from the sum with which it came there. While a thread is in such a loop
//! its frame says so (`unit::Rounds`): should the process end, the record lacks only the number of rounds. A
//! loop without a value that changes from round to round (no phi at its head) most likely waits for another
//! thread. The number of its polls is worth more there, so it is left as it is.

use super::slack::Slack;
use super::{FunctionPass, LogPlace, Slots};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::collections::HashMap;
use symx_ir::path_numbering::{Edge, EdgeAction, PathNumbering, WayRound};
use symx_trace::profile::unit::Rounds;

/// The loops of a function whose rounds are counted. No block is in two of them.
#[derive(Default)]
pub(super) struct CountedLoops {
    loops: Vec<CountedLoop>,
    /// For a block of a loop, which it is.
    of_block: HashMap<u32, usize>,
}

struct CountedLoop {
    /// The edge that closes it.
    latch: Edge,
    /// The block it begins with; the only one that is entered from elsewhere.
    head: u32,
    way: WayRound,
    /// Its number among the loops of its function with one way round.
    number: u32,
    /// Whether what it logs needs no check for room.
    is_in_slack: bool,
}

/// The role of an edge in the counted loops.
#[derive(Default)]
pub(super) struct Role<'l> {
    /// It leads from one block of a loop to the next.
    pub(super) is_within: bool,
    /// It closes one.
    pub(super) closes: bool,
    /// The loop it leaves, and the sum at its block.
    leaves: Option<(&'l CountedLoop, u32)>,
    enters: Option<&'l CountedLoop>,
}

impl Role<'_> {
    /// Whether it enters one.
    pub(super) fn enters_one(&self) -> bool {
        self.enters.is_some()
    }

    /// Whether it has nothing to do with them.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_within && !self.closes && self.leaves.is_none() && self.enters.is_none()
    }
}

impl CountedLoop {
    /// The sum at the loop's beginning after a round.
    fn restart(&self) -> u32 {
        self.way.sums.last().copied().unwrap_or_default()
    }
}

impl CountedLoops {
    pub(super) fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The role of an edge in the loops, given the block it leads to.
    pub(super) fn role(&self, edge: Edge, target: u32) -> Role<'_> {
        let mut role = Role::default();
        let of = |block| self.of_block.get(&block).map(|&index| &self.loops[index]);
        let (from, to) = (of(edge.block), of(target));
        if let Some(left) = from {
            role.closes = left.latch == edge;
            // Its other blocks are entered from within only.
            role.is_within = !role.closes && to.is_some_and(|to| to.latch == left.latch && to.head != target);
            if !role.closes && !role.is_within {
                let at = left.way.blocks.iter().position(|&block| block == edge.block);
                role.leaves = at.map(|at| (left, left.way.sums[at]));
            }
        }
        role.enters = to.filter(|to| to.head == target && !role.closes);
        role
    }
}

impl FunctionPass<'_> {
    /// Takes the loops that can be counted this way out of those that have one way round.
    pub(super) fn counted_loops(
        &self,
        numbering: &PathNumbering,
        ways_round: &mut HashMap<Edge, WayRound>,
        edges_into: &[u32],
        slack: &mut Slack,
    ) -> CountedLoops {
        let mut counted = CountedLoops::default();
        for (number, &(latch, _)) in numbering.ways_round().iter().enumerate() {
            let Some(way) = ways_round.get(&latch) else { continue };
            let number = number as u32;
            let Some((&head, others)) = way.blocks.split_last() else { continue };
            let is_free = way.blocks.iter().all(|block| !counted.of_block.contains_key(block));
            let is_own = others.iter().all(|&block| edges_into[block as usize] == 1);
            if number <= Rounds::NUMBER_MAX
                && is_free
                && is_own
                && self.changes_by_round(head)
                && self.can_be_split(head, &way.blocks)
            {
                counted.of_block.extend(way.blocks.iter().map(|&block| (block, counted.loops.len())));
                let is_in_slack = slack.take();
                let way = ways_round.remove(&latch);
                counted.loops.extend(way.map(|way| CountedLoop { latch, head, way, number, is_in_slack }));
            }
        }
        counted
    }

    fn changes_by_round(&self, head: u32) -> bool {
        // SAFETY: a block of the function, which has a terminator.
        unsafe {
            let first = LLVMGetFirstInstruction(self.blocks[head as usize]);
            LLVMGetInstructionOpcode(first) == LLVMOpcode::LLVMPHI
        }
    }

    /// Whether code can be put on the edges that lead to the head and out of the blocks, and one edge
    /// only closes the loop.
    fn can_be_split(&self, head: u32, blocks: &[u32]) -> bool {
        let mut closing = 0;
        for (block, successors) in self.successors.iter().enumerate() {
            let is_inside = blocks.contains(&(block as u32));
            let into = successors.iter().filter(|&&target| target == head).count();
            closing += if is_inside { into } else { 0 };
            if !is_inside && into == 0 {
                continue;
            }
            // SAFETY: every block has a terminator.
            let opcode = unsafe { LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(self.blocks[block])) };
            if !matches!(opcode, LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch) {
                return false;
            }
        }
        closing == 1
    }

    /// The slot of the count. To be called where the slots are made.
    pub(super) fn rounds_slot(&self) -> LLVMValueRef {
        // SAFETY: the builder stands in the entry block.
        unsafe { LLVMBuildAlloca(self.builder, self.count_type(), c"rounds".as_ptr()) }
    }

    fn count_type(&self) -> LLVMTypeRef {
        // SAFETY: a type of the module's context.
        unsafe { LLVMInt64TypeInContext(self.module.context) }
    }

    /// An edge that enters, closes or leaves a counted loop, or leaves one for another.
    pub(super) fn at_counted_loop(
        &self,
        place: LLVMValueRef,
        role: &Role<'_>,
        action: EdgeAction,
        log: &LogPlace,
        slots: &Slots,
    ) {
        let Some(rounds) = slots.rounds else { return };
        self.place_before(place);
        // SAFETY: the slot dominates the whole function and holds a number of the type.
        let (count, one, zero) = unsafe {
            let kind = self.count_type();
            let count = LLVMBuildLoad2(self.builder, kind, rounds, c"".as_ptr());
            (count, LLVMConstInt(kind, 1, 0), LLVMConstInt(kind, 0, 0))
        };
        if role.closes {
            // SAFETY: two numbers of one type.
            let next = unsafe { LLVMBuildAdd(self.builder, count, one, c"".as_ptr()) };
            self.store(rounds, next);
            return;
        }
        match log.cursor {
            Some(_) => self.in_stretch(role, action, count, log, slots),
            None => self.outside_stretches(role, action, count, log, slots),
        }
        if role.enters.is_some() {
            self.store(rounds, zero);
        }
    }

    /// Where the log holds the path so far, and the loop it is in.
    fn in_stretch(
        &self,
        role: &Role<'_>,
        action: EdgeAction,
        count: LLVMValueRef,
        log: &LogPlace,
        slots: &Slots,
    ) {
        let Some(cursor) = log.cursor else { return };
        let (EdgeAction::Continue { add } | EdgeAction::Cut { add, .. }) = action;
        let from_head = role.leaves.map_or(0, |(left, at)| at - left.restart());
        let sum = self.add_to_sum(slots, from_head + add);
        if let Some((left, _)) = role.leaves {
            let in_slack = self.int(u32::from(left.is_in_slack));
            self.call("out_of_loop", &mut [self.int(left.number), count, sum, in_slack, cursor]);
            self.end_run(slots);
        }
        match action {
            EdgeAction::Continue { .. } => self.store_sum(slots, sum),
            EdgeAction::Cut { restart, .. } => {
                let is_published = role.leaves.is_some() || add == 0 && log.is_published;
                self.log_path(sum, is_published, restart, log, slots);
                self.store_sum(slots, self.int(restart));
                self.end_run(slots);
            }
        }
        if !log.enters_stretch {
            self.tell_loop(role, slots);
        }
    }

    /// In a stretch, an edge that enters a loop.
    pub(super) fn tell_loop(&self, role: &Role<'_>, slots: &Slots) {
        if let (Some(entered), Some(cursor)) = (role.enters, slots.cursor) {
            let sum = self.load_sum(slots);
            self.call("into_loop", &mut [self.int(entered.number), sum, cursor]);
        }
    }

    /// Where the frame holds the path so far.
    fn outside_stretches(
        &self,
        role: &Role<'_>,
        action: EdgeAction,
        count: LLVMValueRef,
        log: &LogPlace,
        slots: &Slots,
    ) {
        let mut sum = self.load_sum(slots);
        if let Some((left, at)) = role.leaves {
            self.call("rounds", &mut [self.int(left.number), count, self.int(u32::from(left.is_in_slack))]);
            // SAFETY: two numbers of one type.
            sum = unsafe { LLVMBuildAdd(self.builder, sum, self.int(at - left.restart()), c"".as_ptr()) };
            self.end_run(slots);
        }
        // The frame's mark of a loop is in the bits above the sum: one store writes both.
        let entered = role.enters.filter(|_| !log.enters_stretch);
        let mark = entered.map_or(0, |entered| Rounds { number: entered.number, sum: 0 }.word());
        match action {
            EdgeAction::Continue { add } => {
                // SAFETY: as above.
                sum = unsafe { LLVMBuildAdd(self.builder, sum, self.int(add), c"".as_ptr()) };
                self.store_sum(slots, sum);
                if role.leaves.is_some() || add != 0 {
                    // SAFETY: as above.
                    let marked = unsafe { LLVMBuildAdd(self.builder, sum, self.int(mark), c"".as_ptr()) };
                    self.call("sum", &mut [slots.frame, marked]);
                } else if let Some(entered) = entered {
                    self.call("in_loop", &mut [slots.frame, self.int(entered.number)]);
                }
            }
            EdgeAction::Cut { add, restart } => {
                if role.leaves.is_some() {
                    // Else a process that ends before the path is logged would seem to be in the loop, where
                    // a path led that was logged.
                    self.call("sum", &mut [slots.frame, sum]);
                }
                // SAFETY: as above.
                let path = unsafe { LLVMBuildAdd(self.builder, sum, self.int(add), c"".as_ptr()) };
                self.log_path(path, false, restart + mark, log, slots);
                self.store_sum(slots, self.int(restart));
                self.end_run(slots);
            }
        }
    }
}
