//! The stacks of threads: who called, and memory of the program in which models give threads and functions
//! their variables.

use crate::access::object_names::Names;
use crate::environment::Call;
use crate::environment::Environment;
use crate::threads::thread::Activation;
use crate::threads::user_stack::GivenStack;
use std::ops::Range;
use symx_ir::SourceName;
use symx_trace::{StackFrame, ThreadId};

impl<E: Environment> Call<'_, '_, E> {
    /// The names of the program's functions that are active on the calling thread, innermost first.
    pub fn callers(&self) -> impl Iterator<Item = &str> {
        let stack = &self.state.thread(self.thread).stack;
        stack.iter().rev().filter_map(|activation| match activation {
            Activation::Program(frame) => Some(self.program().function(frame.function).name.as_str()),
            Activation::Model(_) => None,
        })
    }

    /// The same as the source names them, with those that are inlined into others.
    pub fn source_stack(&self) -> Vec<StackFrame> {
        self.executor.stack(self.state(), self.thread)
    }

    /// The first argument of the innermost of these functions of the program, by their names for the linker.
    /// `None` if none is active, or if its first argument is no number.
    pub fn first_argument_of(&self, names: &[&str]) -> Option<u64> {
        let stack = &self.state().thread(self.thread).stack;
        let frame = stack.iter().rev().find_map(|activation| match activation {
            Activation::Program(frame) => {
                let name = self.program().function(frame.function).name.as_str();
                names.contains(&name).then_some(frame)
            }
            Activation::Model(_) => None,
        })?;
        (!frame.is_symbolic(0)).then(|| frame.registers().first().copied()).flatten()
    }

    /// The name for people of `length` bytes at an address.
    pub fn name_of(&self, address: u64, length: u64) -> SourceName {
        Names::default().name(self.executor, self.state(), address, length)
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
