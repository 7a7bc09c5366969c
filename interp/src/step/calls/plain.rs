//! Calls and returns that move nothing but registers: from one function of the program to another and back.
//!
//! They make most of all calls, so they keep to themselves: no stop is possible, and nothing else is asked.
//! The frames of functions that have returned are used again. Everything else goes through `calls`.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::threads::frame::Frame;
use crate::threads::running::{Running, value_in};
use crate::threads::thread::Activation;
use std::sync::Arc;
use symx_ir::instruction::Inst;
use symx_ir::program::LinkedFunction;
use symx_ir::{FunctionId, Operand};
use symx_trace::ThreadId;

/// Frames kept for further calls.
const SPARE_FRAMES: usize = 64;

impl<E: Environment> Executor<'_, E> {
    /// The frame of the function that the call at which `caller` stands calls, if it is a plain one.
    pub(crate) fn plain_call(&mut self, caller: &Running<'_>) -> Option<Arc<Frame>> {
        let machine = self.machine;
        let prepared = machine.prepared.of(&machine.program, caller.frame.function)?;
        let Inst::Call { site } = caller.function.code[caller.frame.pc as usize] else { return None };
        let call = prepared.calls[site as usize].as_ref()?;
        let mut fresh = self.fresh_frame(call.callee, machine.program.function(call.callee));
        let frame = Arc::make_mut(&mut fresh);
        if caller.concrete() {
            for (slot, argument) in frame.slots.iter_mut().zip(&call.arguments) {
                *slot = caller.bits(*argument);
            }
        } else {
            for (slot, argument) in call.arguments.iter().enumerate() {
                frame.set(slot as u32, caller.value(*argument));
            }
        }
        Some(fresh)
    }

    fn fresh_frame(&mut self, id: FunctionId, function: &LinkedFunction) -> Arc<Frame> {
        if let Some(mut spare) = self.caches.spare_frames.pop()
            && let Some(frame) = Arc::get_mut(&mut spare)
        {
            frame.renew(id, function.slots);
            return spare;
        }
        Arc::new(Frame::new(id, function.slots))
    }

    /// Returns from `frame` (taken off the stack) with the value at `operand` to a function of the program,
    /// if no more is to be done. Gives the caller's frame, taken off the stack, after its call.
    pub(crate) fn plain_return(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        frame: &mut Arc<Frame>,
        operand: Operand,
    ) -> Option<Arc<Frame>> {
        let machine = self.machine;
        if self.present.granted || machine.options.watches_calls() {
            return None;
        }
        let Some(Activation::Program(caller)) = state.thread(thread).stack.last() else {
            return None;
        };
        let calling = machine.program.function(caller.function);
        let Inst::Call { site } = calling.code[caller.pc as usize] else { return None };
        let site = &calling.calls[site as usize];
        let function = machine.program.function(frame.function);
        let ends_shared = state.unjoined > 1 && !frame.allocas.is_empty();
        if site.invoke.is_some() || ends_shared || site.return_slots > function.return_slots {
            return None;
        }
        for cell in &frame.allocas {
            self.present.effects += 1;
            self.release_stack_object(state, *cell);
        }
        let mut caller = state.thread_mut(thread).pop_frame()?;
        let to = Arc::make_mut(&mut caller);
        for slot in 0..site.return_slots {
            let value = value_in(frame, function, operand.offset(slot));
            let value = if site.return_slots == 1 { self.fit(value, site.return_bits) } else { value };
            to.set(site.dst + slot, value);
        }
        to.pc += 1;
        Some(caller)
    }

    /// Keeps the frame of a function that has returned, for another call.
    pub(crate) fn keep_frame(&mut self, frame: Arc<Frame>) {
        if self.caches.spare_frames.len() < SPARE_FRAMES {
            self.caches.spare_frames.push(frame);
        }
    }
}
