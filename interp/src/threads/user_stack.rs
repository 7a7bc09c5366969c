//! Stacks in memory of the program's own: the one that a thread's attributes name, or that it
//! set aside for handlers.
//!
//! A stack variable is an object of its own, so that accesses past its end or after its function's end are
//! seen. Where the program gives the memory, variables lie there instead, one below the other, as natively. A
//! program may compare their addresses with its memory's, and read it. A frame holds [`Cell::NOWHERE`] for
//! each variable that has no object.

use std::ops::Range;
use symx_ir::address::Cell;
use symx_trace::ThreadId;

/// The lowest address of the stack that a thread is reported to have, if the program did not say. Its
/// variables are objects of their own, so nothing is there.
pub fn nominal_stack(thread: ThreadId) -> u64 {
    (0x7000_0000 + u64::from(thread.0) * 0x10) << 16
}

/// The reported address of the frame of an activation with `depth` others below it. It is the lower the
/// deeper the frame, as programs expect that look how much of their stack is left.
pub fn nominal_frame(thread: ThreadId, depth: u32) -> u64 {
    const BYTES: u64 = 0x80;
    nominal_stack(thread) + (1 << 20) - (u64::from(depth) + 1) * BYTES
}

/// Memory that a thread has variables in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenStack {
    /// Its addresses.
    memory: Range<u64>,
    /// Activations that have at most this many below them have their variables elsewhere; `None` if it is for
    /// all.
    above: Option<u32>,
    /// The variables there, outermost first: how many activations lie below their own, and their address. The
    /// last ones may be gone: their end is not reported.
    variables: Vec<(u32, u64)>,
}

impl GivenStack {
    /// A stack at `memory` for all activations, or for those that have more than `above` others below them.
    pub fn new(memory: Range<u64>, above: Option<u32>) -> Self {
        Self { memory, above, variables: Vec::new() }
    }

    /// Whether an activation with `depth` others below it has its variables here.
    pub fn serves(&self, depth: u32) -> bool {
        self.above.is_none_or(|above| depth > above)
    }

    /// Address for another variable of an activation with `depth` others below it, for which it holds
    /// `cells`. `None` if there is no room: compilers let variables share places, so that natively there may
    /// be.
    pub fn place(&mut self, depth: u32, cells: &[Cell], size: u64, align_log2: u8) -> Option<u64> {
        let outside = self.variables.partition_point(|(below, _)| *below < depth);
        let own = cells.iter().filter(|cell| **cell == Cell::NOWHERE).count();
        self.variables.truncate(outside + own);
        let top = self.variables.last().map_or(self.memory.end, |(_, address)| *address);
        let address = top.checked_sub(size)? >> align_log2 << align_log2;
        if address < self.memory.start {
            return None;
        }
        self.variables.push((depth, address));
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_fall_within_the_reported_stack() {
        let thread = ThreadId(3);
        assert!(nominal_frame(thread, 4) < nominal_frame(thread, 3));
        assert!((nominal_stack(thread)..nominal_stack(ThreadId(4))).contains(&nominal_frame(thread, 0)));
    }

    #[test]
    fn what_has_returned_leaves_its_place() {
        let mut stack = GivenStack::new(0x1000..0x2000, Some(2));
        assert!(!stack.serves(2) && stack.serves(3));
        assert_eq!(stack.place(3, &[], 12, 2), Some(0x1ff4));
        assert_eq!(stack.place(3, &[Cell::NOWHERE], 8, 4), Some(0x1fe0));
        assert_eq!(stack.place(4, &[], 0x10, 0), Some(0x1fd0));
        assert_eq!(stack.place(6, &[], 0x10, 0), Some(0x1fc0));
        // Another activation of that depth, the innermost having returned; one beside it has an
        // object of its own.
        assert_eq!(stack.place(4, &[Cell::small(1)], 0x20, 0), Some(0x1fc0));
        assert_eq!(stack.place(4, &[Cell::small(1), Cell::NOWHERE], 0xfc1, 0), None);
        // Back in the outermost: only its own two are there.
        assert_eq!(stack.place(3, &[Cell::NOWHERE, Cell::NOWHERE], 0xfe0, 0), Some(0x1000));
    }
}
