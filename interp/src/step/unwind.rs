//! Unwinding: where on a stack an exception can land, and landing there.
//!
//! At which pad an exception lands is not decided here but by a model of the unwinder. That asks the
//! language's own runtime whether a type catches the exception.

use crate::environment::{Call, Environment};
use crate::machine::Executor;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::frame::Frame;
use crate::threads::modelled::ModelledFunction;
use crate::threads::running::Running;
use crate::threads::thread::Activation;
use crate::value::Value;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::address::Cell;
use symx_ir::instruction::{Clause, Extended};
use symx_ir::program::LinkedFunction;
use symx_ir::{Inst, Operand};
use symx_trace::{Footprint, ThreadId};

/// A landing pad of an activation that waits for an `invoke` to return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LandingPad {
    /// How many activations there are up to and including this one.
    pub depth: u32,
    /// Its clauses, in the order in which they are asked.
    pub clauses: SmallVec<[PadClause; 2]>,
    /// Whether it also lands what no clause does, to clean up.
    pub cleanup: bool,
}

/// A clause of a landing pad; types are addresses of type information.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PadClause {
    /// Lands exceptions of this type; of any if it is 0.
    Catch(u64),
    /// Lands exceptions of none of these types.
    Filter(SmallVec<[u64; 2]>),
}

/// The selector of exceptions caught by the type information at `address`: a number of its own for each. It
/// is never 0 nor negative; type information is where an object starts, so that the object's cell names it.
pub fn type_selector(address: u64) -> u32 {
    match Cell::of(address) {
        Some(cell) if cell.is_large() => 0x4000_0000 | cell.index(),
        Some(cell) => cell.index() + 1,
        None => 0x7fff_ffff,
    }
}

/// The unwind edge of the `invoke` that `frame` waits for.
fn unwind_edge(frame: &Frame, function: &LinkedFunction) -> Option<u32> {
    match function.code[frame.pc as usize] {
        Inst::Call { site } => function.calls[site as usize].invoke.map(|(_, unwind)| unwind),
        _ => None,
    }
}

/// The landing pad that an edge leads to; `None` if it is not supported, which executing it says.
fn pad_at(function: &LinkedFunction, edge: u32) -> Option<(u32, &[Clause], bool)> {
    let Inst::Extended { index } = function.code[function.edges[edge as usize].target as usize] else {
        return None;
    };
    match &function.extended[index as usize] {
        Extended::LandingPad { dst, clauses, cleanup } => Some((*dst, clauses, *cleanup)),
        _ => None,
    }
}

impl<E: Environment> Call<'_, '_, E> {
    /// How many activations lie below this call.
    pub fn depth(&self) -> u32 {
        self.state.thread(self.thread).stack.len() as u32
    }

    /// The innermost landing pad among the lowest `depth` activations.
    pub fn landing_pad(&self, depth: u32) -> Option<LandingPad> {
        let program = self.program();
        let stack = &self.state.thread(self.thread).stack[..depth as usize];
        stack.iter().enumerate().rev().find_map(|(below, activation)| {
            let Activation::Program(frame) = activation else { return None };
            let function = program.function(frame.function);
            let edge = unwind_edge(frame, function)?;
            let depth = below as u32 + 1;
            let Some((_, clauses, cleanup)) = pad_at(function, edge) else {
                return Some(LandingPad { depth, clauses: SmallVec::new(), cleanup: true });
            };
            // Type information is constant: clauses read the constant pool.
            let bits = |operand: &Operand| match operand.is_constant() {
                true => function.constants[operand.index()],
                false => frame.slots[operand.index()],
            };
            let clauses = clauses.iter().map(|clause| match clause {
                Clause::Catch(of) => PadClause::Catch(bits(of)),
                Clause::Filter(types) => PadClause::Filter(types.iter().map(bits).collect()),
            });
            Some(LandingPad { depth, clauses: clauses.collect(), cleanup })
        })
    }

    /// The part of leaving the activations above the lowest `depth` that other threads can see: the ends of
    /// stack objects that they can reach.
    pub fn footprint_of_leaving(&mut self, depth: u32) -> Footprint {
        self.reach_beyond();
        let activations = &self.state.thread(self.thread).stack[depth as usize..];
        let cells = activations.iter().flat_map(|activation| match activation {
            Activation::Program(frame) => &frame.allocas[..],
            Activation::Model(_) => &[],
        });
        let cells: Vec<_> = cells.copied().collect();
        self.executor.shared_objects(self.state, self.thread, &cells)
    }

    /// The modelled functions in progress above the lowest `depth` activations, with their first arguments.
    pub fn models_above(&self, depth: u32) -> SmallVec<[(&'static ModelledFunction, Value); 2]> {
        let activations = self.state.thread(self.thread).stack[depth as usize..].iter();
        let models = activations.filter_map(|activation| match activation {
            Activation::Model(frame) => {
                Some((frame.function, frame.arguments.first().copied().unwrap_or(Value::Concrete(0))))
            }
            Activation::Program(_) => None,
        });
        models.collect()
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Takes the unwind edge of the call that the topmost activation waits for.
    pub(super) fn land_exception(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        exception: u64,
        selector: i32,
    ) -> Result<(), Stop> {
        let machine = self.machine;
        let Some(mut shared) = state.thread_mut(thread).pop_frame() else { return Ok(()) };
        let frame = Arc::make_mut(&mut shared);
        let function = machine.program.function(frame.function);
        let result = match unwind_edge(frame, function) {
            None => Err(Stop::unsupported("unwinding to a call without a landing pad")),
            Some(edge) => {
                let result = self.take_edge(state, &mut Running { frame, function, thread }, edge);
                if let Some((dst, ..)) = pad_at(function, edge) {
                    frame.set(dst, Value::Concrete(exception));
                    frame.set(dst + 1, Value::Concrete(u64::from(selector as u32)));
                    frame.pc += 1;
                }
                result
            }
        };
        state.thread_mut(thread).stack.push(Activation::Program(shared));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_distinguish_types_and_are_positive() {
        let small = Cell::small(0).base(3);
        let large = Cell::large(0).base(3);
        let selectors = [small, Cell::small(1).base(3), large, Cell::large(1).base(3), 0].map(type_selector);
        for (index, selector) in selectors.iter().enumerate() {
            assert!(*selector as i32 > 0);
            assert!(!selectors[..index].contains(selector), "{selectors:x?}");
        }
    }
}
