//! Notifies a guide, a reference and a recorder of paths, in this order, of the ways of threads through the
//! program's functions.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::paths::recorder::CalledFunction;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::frame::Frame;
use crate::threads::modelled::Role;
use crate::threads::reference_cursor::Cursor;
use crate::threads::thread::Activation;
use crate::value::Value;
use symx_ir::address::Cell;
use symx_ir::program::LinkedFunction;
use symx_ir::{CallSite, CallTarget, Inst};
use symx_trace::ThreadId;

impl<E: Environment> Executor<'_, E> {
    /// A thread enters a function.
    pub(super) fn path_enters(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
    ) -> Result<(), Stop> {
        if let Some(guide) = &self.machine.options.guide {
            guide.enter(state, thread, function)?;
        }
        if let Some(reference) = &self.machine.options.reference {
            reference.enter(state, thread, function);
        }
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.enter(thread, function);
        }
        Ok(())
    }

    /// A thread takes a control-flow edge.
    #[inline(always)]
    pub(super) fn path_follows(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
        edge: u32,
    ) -> Result<(), Stop> {
        if let Some(guide) = &self.machine.options.guide {
            guide.follow(state, thread, function, edge)?;
        }
        if let Some(reference) = &self.machine.options.reference {
            reference.follow(&self.machine.program, state, thread, function, edge);
        }
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.follow(thread, function, edge);
        }
        Ok(())
    }

    /// A thread returns from a function.
    pub(super) fn path_leaves(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
    ) -> Result<(), Stop> {
        if let Some(guide) = &self.machine.options.guide {
            guide.leave(state, thread, function)?;
        }
        if let Some(reference) = &self.machine.options.reference {
            reference.leave(state, thread, function);
        }
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.leave(thread, function);
        }
        Ok(())
    }

    /// Control leaves a function without a return.
    pub(super) fn path_abandons(&mut self, state: &mut State<E>, thread: ThreadId, frame: &Frame) {
        let function = self.machine.program.function(frame.function);
        if let Some(guide) = &self.machine.options.guide {
            guide.abandon(state, thread, function);
        }
        if let Some(reference) = &self.machine.options.reference {
            reference.abandon(state, thread, function);
        }
        let Some(recorder) = &mut self.notes.recorder else { return };
        let is_resume = match function.code[frame.pc as usize] {
            Inst::Call { site } => {
                self.machine.has_role(&function.calls[site as usize].target, Role::Resumes)
            }
            _ => false,
        };
        match is_resume {
            true => recorder.leave(thread, function),
            false => recorder.abandon(thread, function),
        }
    }

    /// A function that returns twice has returned again at `pc` of the topmost frame.
    pub(super) fn path_jumps_back(&mut self, state: &mut State<E>, thread: ThreadId, pc: u32) {
        compared(state, thread, Cursor::jump_back);
        if let Some(recorder) = &mut self.notes.recorder
            && let Some(Activation::Program(frame)) = state.thread(thread).stack.last()
        {
            let function = self.machine.program.function(frame.function);
            let block = function.blocks.partition_point(|block| block.start <= pc) as u32 - 1;
            recorder.jump_back(thread, function, block);
        }
    }

    /// A function of the program calls one that is not the program's, called `name`; the caller is on
    /// top of the stack.
    pub(super) fn path_calls(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        (caller, site): (&LinkedFunction, &CallSite),
        name: &str,
        arguments: &[Value],
    ) {
        let is_direct = !matches!(site.target, CallTarget::Pointer(_));
        if let (Some(guide), true) = (&self.machine.options.guide, is_direct) {
            guide.call(state, thread, name);
        }
        if let Some(recorder) = &mut self.notes.recorder {
            let depth = state.thread(thread).stack.len();
            let mut bits = arguments.iter().map(|argument| argument.concrete().unwrap_or(0));
            let is_invoked = site.invoke.is_some();
            let called = CalledFunction { name, is_direct, is_invoked, arguments: &mut bits };
            recorder.call(thread, caller, depth, called);
        }
    }

    /// The model on top of the stack is about to call the handler of a signal.
    pub(super) fn path_is_interrupted(&mut self, state: &mut State<E>, thread: ThreadId) {
        let depth = state.thread(thread).stack.len();
        if state.thread(thread).guide.is_some()
            && let Some(cursor) = &mut state.thread_mut(thread).guide
        {
            cursor.begin_handler(depth);
        }
        compared(state, thread, |cursor| cursor.begin_handler(depth));
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.begin_handler(thread, depth);
        }
    }

    /// Control leaves the activations above the lowest `depth`.
    pub(super) fn path_leaves_above(&mut self, state: &mut State<E>, thread: ThreadId, depth: usize) {
        if state.thread(thread).guide.is_some()
            && let Some(cursor) = &mut state.thread_mut(thread).guide
        {
            cursor.leave_above(depth);
        }
        compared(state, thread, |cursor| cursor.leave_above(depth));
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.leave_above(thread, depth);
        }
    }

    /// A result is about to come to the activation on top of the stack.
    pub(super) fn path_gets_result(&mut self, state: &mut State<E>, thread: ThreadId, values: &[Value]) {
        if !self.machine.options.watches_calls() {
            return;
        }
        let depth = state.thread(thread).stack.len();
        if let Some(Activation::Model(_)) = state.thread(thread).stack.last() {
            compared(state, thread, |cursor| cursor.end_handler_at(depth));
            if state.thread(thread).guide.as_ref().is_some_and(|cursor| cursor.is_in_handler_at(depth))
                && let Some(cursor) = &mut state.thread_mut(thread).guide
            {
                cursor.end_handler();
            }
            if let Some(recorder) = &mut self.notes.recorder {
                recorder.returned_to_model(thread, depth);
            }
            return;
        }
        let Some(recorder) = &mut self.notes.recorder else { return };
        let stack = &state.thread(thread).stack;
        let Some(call) = recorder.over(thread, depth) else { return };
        let result = match values.first() {
            Some(value) => value.concrete(),
            None => Some(0),
        };
        let result = match stack.last() {
            // An `int` has its sign in 32 bits.
            Some(Activation::Program(frame)) => result.map(|bits| signed(bits, self.bits_returned(frame))),
            _ => None,
        };
        let answer = result.and_then(|result| {
            let bytes = match call.buffer(result) {
                Some((address, length)) => concrete_bytes(state, address, length)?,
                None => Vec::new(),
            };
            Some((result, bytes))
        });
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.note(thread, &call, answer);
        }
    }

    /// How many bits a frame expects of the call at which it stands.
    fn bits_returned(&self, frame: &Frame) -> u32 {
        let function = self.machine.program.function(frame.function);
        match function.code[frame.pc as usize] {
            Inst::Call { site } => function.calls[site as usize].return_bits,
            _ => 0,
        }
    }
}

/// Updates a thread's position beside its record, if there is one.
fn compared<E: Environment>(state: &mut State<E>, thread: ThreadId, tell: impl FnOnce(&mut Cursor)) {
    if state.thread(thread).reference.is_some()
        && let Some(cursor) = &mut state.thread_mut(thread).reference
    {
        tell(cursor);
    }
}

fn signed(bits: u64, width: u32) -> i64 {
    if (1..64).contains(&width) { (bits << (64 - width)) as i64 >> (64 - width) } else { bits as i64 }
}

/// Bytes of memory, if all are there and plain.
fn concrete_bytes<E: Environment>(state: &State<E>, address: u64, length: u64) -> Option<Vec<u8>> {
    let object = state.memory.get(Cell::of(address)?)?;
    let offset = address.wrapping_sub(object.base);
    if !object.contains(offset, length) || object.has_symbolic(offset, length) {
        return None;
    }
    let mut bytes = vec![0; length as usize];
    object.copy_out(offset, &mut bytes);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn results_have_the_sign_of_their_type() {
        assert_eq!(signed(0xFFFF_FFFF, 32), -1);
        assert_eq!(signed(0xFFFF_FFFF, 64), 0xFFFF_FFFF);
        assert_eq!(signed(u64::MAX, 64), -1);
        assert_eq!(signed(7, 0), 7);
    }
}
