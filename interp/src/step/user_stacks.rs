//! Stacks in memory of the program's own, when activations have returned; addresses of frames.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::step::program::place_on_given_stack;
use crate::threads::running::Running;
use crate::threads::user_stack::nominal_frame;
use symx_ir::address::Cell;
use symx_trace::ThreadId;

impl<E: Environment> Executor<'_, E> {
    /// Stacks for activations above the lowest `depth` of `thread` serve no more: those have returned,
    /// or are being left.
    pub(crate) fn take_stacks_back(&mut self, state: &mut State<E>, thread: ThreadId, depth: u32) {
        if state.thread(thread).given_stacks.iter().any(|stack| !stack.serves(depth)) {
            state.thread_mut(thread).given_stacks.retain(|stack| stack.serves(depth));
        }
    }

    /// The address of the frame that is `level` above the running one; null above the outermost.
    pub(super) fn frame_address(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        level: u32,
    ) -> u64 {
        if level == 0
            && let Some(address) = place_on_given_stack(state, running, 0, 4)
        {
            running.frame.allocas.push(Cell::NOWHERE);
            return address;
        }
        let thread = state.thread(running.thread);
        // Threads that begin alike differ in it.
        if let Some(beginning) = thread.beginning {
            self.learned.distinguished.insert(beginning);
        }
        let depth = (thread.stack.len() as u32).checked_sub(level);
        depth.map_or(0, |depth| nominal_frame(running.thread, depth))
    }
}
