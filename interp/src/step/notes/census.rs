//! What a [census](crate::paths::census::Census) has of steps.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::paths::census::{InstructionInstance, SilentAccess};
use crate::state::State;
use crate::threads::thread::{Activation, Thread};
use symx_ir::FunctionId;
use symx_ir::address::Cell;
use symx_trace::{Access, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// The instruction at which a thread is; `None` outside the program's own code.
    pub fn instruction_instance(&self, state: &State<E>, thread: ThreadId) -> Option<InstructionInstance> {
        let census = self.notes.census.as_deref()?;
        let (id, pc) = self.own_frame(state.thread(thread))?;
        let instruction = census.map.instruction(self.machine.program.function(id).module_index, pc)?;
        Some(InstructionInstance { instruction, occurrence: census.count(thread, instruction) })
    }

    /// Notes that `thread` touches an object that is not visible, if others touch it as well.
    pub(crate) fn note_silent(&mut self, state: &State<E>, thread: ThreadId, cell: Cell) {
        let Some(object) = state.memory.get(cell) else { return };
        let Some(census) = &self.notes.census else { return };
        if !census.silent.contains(&object.site) {
            return;
        }
        let running = census.running.filter(|(id, _)| self.machine.program.function(*id).in_program);
        let Some((id, pc)) = running.or_else(|| self.own_frame(state.thread(thread))) else { return };
        let function = self.machine.program.function(id);
        let Some(instruction) = census.map.instruction(function.module_index, pc) else { return };
        let span = function.spans[pc as usize];
        let instance = InstructionInstance { instruction, occurrence: census.count(thread, instruction) };
        let access = Access::write(object.base, object.size);
        if let Some(census) = &mut self.notes.census {
            census.accesses.push(SilentAccess { thread, instance, span, access });
        }
    }

    /// The innermost frame of the program's own code: its function, and its place in it.
    pub(crate) fn own_frame(&self, thread: &Thread<E>) -> Option<(FunctionId, u32)> {
        thread.stack.iter().rev().find_map(|activation| match activation {
            Activation::Program(frame) => {
                let function = self.machine.program.function(frame.function);
                function.in_program.then_some((frame.function, frame.pc))
            }
            Activation::Model(_) => None,
        })
    }
}
