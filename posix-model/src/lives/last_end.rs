//! The process after the end of the last thread, where main has left by `pthread_exit`: `exit(0)`.
//!
//! Natively the last thread to end calls `exit`. That makes a difference only if code of the program runs
//! there, which may ask on which thread it runs. It also does if a thread that has ended still has a lock
//! that `exit` needs. Then ends of threads do not commute. Elsewhere the main thread calls `exit` in a step
//! of its own, after the ends of all others, as if it had joined them. So these come in one order only.

use crate::answer::{PosixCall, Step, invoke};
use crate::data::PosixData;
use crate::linked::registers_callbacks;
use crate::options::Posix;
use crate::places::acquire;
use crate::sync::wait::PosixWait;
use crate::threads::destructors::exit_function;
use rustc_hash::FxHashSet;
use symx_interp::environment::{LastStep, Outcome};
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::modelled::ModelledFunction;
use symx_interp::threads::thread::Operation;
use symx_interp::value::Value;
use symx_ir::function::CallTarget;
use symx_ir::known_functions::EXIT;
use symx_ir::{FunctionId, Program};
use symx_trace::{CallEffect, Footprint, Place, ThreadId};

/// Whether `exit` may run code of the program.
pub(crate) fn runs_program_code(program: &Program) -> bool {
    !program.destructors.is_empty() || registers_callbacks(program) || is_replaced(program)
}

/// Whether `exit`, or something that it calls by name, is the program's own.
fn is_replaced(program: &Program) -> bool {
    let exit = match program.external_named(EXIT) {
        Some(modelled) => program.externals[modelled.0 as usize].fallback,
        None => program.function_named(EXIT),
    };
    let mut open: Vec<FunctionId> = exit.into_iter().collect();
    let mut seen: FxHashSet<FunctionId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let function = program.function(id);
        if function.in_program {
            return true;
        }
        for site in &function.calls {
            let callee = match &site.target {
                CallTarget::Function(callee) => Some(*callee),
                CallTarget::External(external) => program.externals[external.0 as usize].fallback,
                _ => None,
            };
            open.extend(callee.filter(|callee| seen.insert(*callee)));
        }
    }
    false
}

/// Whether the end of `thread`, which is about to end, makes it matter which thread ends last.
pub(crate) fn matters_after(data: &PosixData, thread: ThreadId) -> bool {
    data.exit_runs_program || data.library_locks.get(&thread).is_some_and(|count| *count > 0)
}

/// Whether it matters which thread ends last, all having ended but perhaps the one that asks.
pub(crate) fn matters(data: &PosixData) -> bool {
    data.exit_runs_program || data.library_locks.values().any(|count| *count > 0)
}

/// The main thread's step when all threads have ended.
pub(crate) fn step(executor: &Executor<'_, Posix>, state: &State<Posix>) -> LastStep<Posix> {
    let mut footprint = Footprint::new();
    for thread in others(state) {
        footprint.extend([acquire(Place::Thread(thread)), acquire(Place::Drained(thread))]);
    }
    let operation = Operation::new(footprint, executor.machine.model.synchronisation());
    let operation = Operation { wait: Some(PosixWait::AllEnds), ..operation };
    LastStep { model: end_process, function: &END_OF_ALL, operation }
}

/// The model of that step.
static END_OF_ALL: ModelledFunction = ModelledFunction::internal("end of all threads", CallEffect::Other);

/// The program's threads but for the main one.
fn others(state: &State<Posix>) -> impl Iterator<Item = ThreadId> {
    let is_other = |id: ThreadId, hidden: bool| id != ThreadId::MAIN && !hidden;
    let threads = state.threads.iter();
    threads
        .filter(move |thread| is_other(thread.id, thread.service || thread.is_to_come))
        .map(|thread| thread.id)
}

fn end_process(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() > 0 {
        return Err(call.unsupported("a call of exit that returns, at the end of the last thread"));
    }
    let ended: Vec<ThreadId> = others(call.state()).collect();
    for thread in ended {
        call.follow(thread);
        call.synchronises(Synchronisation::Join(thread));
    }
    match exit_function(call) {
        Some(exit) => invoke(exit, [Value::Concrete(0)]),
        None => Ok(Outcome::ProcessExit(0)),
    }
}
