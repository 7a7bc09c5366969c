//! The function of its own that the program starts a thread for, before the thread has come there from the
//! library that begins it (`std::thread`, Rust's `thread::spawn`).

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Life, Object, SiteKind};
use crate::state::State;
use rustc_hash::FxHashSet;
use symx_ir::known_functions::cxx_names::is_of_lifetime;
use symx_ir::{CallTarget, Code, FunctionId, Inst};
use symx_trace::ThreadId;

/// Bytes of a pointer.
const POINTER: u64 = 8;

impl<E: Environment> Executor<'_, E> {
    /// The function of the program's own that a thread begins in as far as its argument says: an object that
    /// refers to a table of functions, the last of which runs the thread, or that holds a pointer to the
    /// function. So do libstdc++ (`std::thread::_State_impl`) and Rust's library (`Box<dyn FnOnce()>`).
    pub(crate) fn foretold_beginning(&self, state: &State<E>, thread: ThreadId) -> Option<&str> {
        let argument = state.thread(thread).beginning?.argument;
        let pointers = self.pointers_in(state, argument);
        let by_table = pointers.iter().find_map(|pointer| {
            let table = state.memory.near(*pointer).filter(|object| self.is_constant(object))?;
            let runs =
                self.pointers_in(state, table.base).into_iter().rev().find_map(|at| self.body_at(at))?;
            self.first_own_function(runs, &mut FxHashSet::default())
        });
        // What is called comes behind its arguments, which may be functions, too.
        by_table.or_else(|| {
            pointers.iter().rev().find_map(|pointer| {
                let function = self.machine.program.function(self.body_at(*pointer)?);
                function.in_program.then(|| self.machine.program.written_outermost(function.span))?
            })
        })
    }

    /// The concrete words of the live object at an address.
    fn pointers_in(&self, state: &State<E>, address: u64) -> Vec<u64> {
        let object = state.memory.near(address).filter(|object| object.life == Life::Live);
        let Some(object) = object.filter(|object| object.base == address) else { return Vec::new() };
        let words = (0..object.size / POINTER).map(|word| word * POINTER);
        words
            .filter(|offset| object.is_concrete(*offset, POINTER))
            .map(|offset| object.read_word(offset, POINTER))
            .collect()
    }

    fn is_constant(&self, object: &Object) -> bool {
        let globals = &self.machine.program.globals;
        matches!(object.site.kind(), SiteKind::Global(number) if globals[number as usize].constant)
    }

    fn body_at(&self, address: u64) -> Option<FunctionId> {
        match self.machine.program.code_at(address)? {
            Code::Function(id) => Some(id),
            Code::External(_) => None,
        }
    }

    /// The first function of the program's own sources, in order of the code, that a function is, has inlined
    /// or calls by name. What makes or destroys an argument is not what the thread is for.
    fn first_own_function(&self, id: FunctionId, seen: &mut FxHashSet<u32>) -> Option<&str> {
        let program = &self.machine.program;
        let function = program.function(id);
        if !function.in_program || !seen.insert(id.0) {
            return None;
        }
        let purpose = |span| program.written_outermost(span).filter(|name| !is_of_lifetime(name));
        if program.written_outermost(function.span).is_some() {
            return purpose(function.span);
        }
        function.code.iter().zip(&function.spans).find_map(|(instruction, span)| {
            purpose(*span).or_else(|| {
                let Inst::Call { site } = instruction else { return None };
                let CallTarget::Function(called) = function.calls[*site as usize].target else { return None };
                self.first_own_function(called, seen)
            })
        })
    }
}
