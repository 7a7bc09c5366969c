//! Destructors of C++'s thread-local objects: last made, first destroyed, before
//! those of thread-specific values.

use crate::answer::{PosixCall, Step, function, int, invoke};
use crate::row::{Row, fast_path, row};
use symx_interp::environment::Outcome;
use symx_interp::value::Value;
use symx_ir::known_functions::EXIT;

pub(crate) const ROWS: &[Row] =
    &[row(&["__cxa_thread_atexit_impl", "__cxa_thread_atexit"], register), fast_path(&[EXIT], exit)];

/// `(destructor, object, library)`.
fn register(call: &mut PosixCall<'_, '_>) -> Step {
    let (destructor, object) = (call.argument(0)?, call.argument(1)?);
    let me = call.thread();
    call.data().thread_destructors.entry(me).or_default().push_back((destructor, object));
    int(0)
}

/// The call of the calling thread's next destructor, if one is left.
pub(crate) fn next(call: &mut PosixCall<'_, '_>) -> Option<Step> {
    let me = call.thread();
    // Looked at first: taking the bookkeeping for writing copies it.
    call.bookkeeping().thread_destructors.get(&me)?;
    let left = &mut call.data().thread_destructors;
    let list = left.get_mut(&me)?;
    let last = list.pop_back();
    if list.is_empty() {
        left.remove(&me);
    }
    last.map(|(destructor, object)| invoke(destructor, [Value::Concrete(object)]))
}

/// The function that ends the process: the program's own `exit`, else the one below.
pub(crate) fn exit_function(call: &PosixCall<'_, '_>) -> Option<u64> {
    let program = call.program();
    match program.external_named(EXIT) {
        Some(modelled) => Some(program.external_address(modelled)),
        None => function(call, EXIT),
    }
}

/// A process ends as libc has it, after the thread-local objects of the thread that ends it.
fn exit(call: &mut PosixCall<'_, '_>) -> Step {
    next(call).unwrap_or(Ok(Outcome::Fallback))
}
