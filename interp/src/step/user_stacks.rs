//! Stacks in memory of the program's own, when activations have returned.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use symx_trace::ThreadId;

impl<E: Environment> Executor<'_, E> {
    /// Stacks for activations above the lowest `depth` of `thread` serve no more: those have returned,
    /// or are being left.
    pub(crate) fn take_stacks_back(&mut self, state: &mut State<E>, thread: ThreadId, depth: u32) {
        if state.thread(thread).given_stacks.iter().any(|stack| !stack.serves(depth)) {
            state.thread_mut(thread).given_stacks.retain(|stack| stack.serves(depth));
        }
    }
}
