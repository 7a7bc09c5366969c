//! Memory of the program in which models give threads and functions their variables.

use crate::environment::Call;
use crate::environment::Environment;
use crate::threads::user_stack::GivenStack;
use std::ops::Range;
use symx_trace::ThreadId;

impl<E: Environment> Call<'_, '_, E> {
    /// Gives `thread`, which has not begun, the program's `memory` to have its variables in.
    pub fn give_stack(&mut self, thread: ThreadId, memory: Range<u64>) {
        self.state.thread_mut(thread).given_stacks.push(GivenStack::new(memory, None));
    }

    /// The functions called from here next have their variables in the program's `memory`, until that is
    /// [taken back](Self::take_stack_back).
    pub fn lend_stack(&mut self, memory: Range<u64>) {
        let depth = self.depth();
        let stack = GivenStack::new(memory, Some(depth));
        self.state.thread_mut(self.thread).given_stacks.push(stack);
    }

    /// The function called from here with a stack of its own has returned.
    pub fn take_stack_back(&mut self) {
        let depth = self.depth();
        self.executor.take_stacks_back(self.state, self.thread, depth);
    }
}
