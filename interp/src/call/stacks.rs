//! The stacks of threads: who called, and memory of the program in which models give threads and functions
//! their variables.

use crate::environment::Call;
use crate::environment::Environment;
use crate::threads::thread::Activation;
use crate::threads::user_stack::GivenStack;
use std::ops::Range;
use symx_trace::ThreadId;

impl<E: Environment> Call<'_, '_, E> {
    /// The names of the program's functions that are active on the calling thread, innermost first.
    pub fn callers(&self) -> impl Iterator<Item = &str> {
        let stack = &self.state.thread(self.thread).stack;
        stack.iter().rev().filter_map(|activation| match activation {
            Activation::Program(frame) => Some(self.program().function(frame.function).name.as_str()),
            Activation::Model(_) => None,
        })
    }

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
