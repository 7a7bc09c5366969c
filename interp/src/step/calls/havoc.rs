//! Calls of unknown external functions, where the user lets them return any value.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::step::inputs::NewInput;
use crate::stop::{Stop, unknown_external};
use crate::threads::thread::Activation;
use crate::value::{Byte, Value};
use smallvec::SmallVec;
use symx_ir::{ExternalId, Inst};
use symx_trace::{InputOrigin, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// The call at which the topmost frame stands returns any value and has no other effect.
    pub(crate) fn havoc(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        id: ExternalId,
    ) -> Result<(), Stop> {
        let machine = self.machine;
        let name = &machine.program.externals[id.0 as usize].name;
        let Some(Activation::Program(frame)) = state.thread(thread).stack.last() else {
            unreachable!("a program frame calls")
        };
        let function = machine.program.function(frame.function);
        let (call, next) = (&function.code[frame.pc as usize], function.code.get(frame.pc as usize + 1));
        let Inst::Call { site } = call else { unreachable!("the instruction is a call") };
        let site = &function.calls[*site as usize];
        self.notes.havocked.insert(id);
        if site.invoke.is_none() && matches!(next, Some(Inst::Unreachable)) {
            // It does not return.
            return Err(Stop::Infeasible);
        }
        let mut result: SmallVec<[Value; 1]> = SmallVec::new();
        match (site.return_slots, site.return_bits) {
            (0, _) => {}
            (1, bits @ 1..=64) => {
                let (length, origin) = (bits.div_ceil(8).into(), InputOrigin::External(name.clone()));
                let bytes = self.new_input(state, length, NewInput::untyped(name, origin))?;
                result.push(Byte::join(&machine.terms, bytes.iter().map(|term| Byte::Symbolic(*term))));
            }
            (_, bits) => {
                let what = format!("{}, which returns {bits} bits", unknown_external(name));
                return Err(Stop::unsupported(what));
            }
        }
        self.deliver(state, thread, &result)
    }
}
