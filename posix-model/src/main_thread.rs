//! The model that runs the main thread: process start, `main`, `exit`.

use crate::answer::{PosixCall, Step, function, invoke};
use crate::kernel::prepare_symbolic_input;
use crate::registry::{Row, row};
use crate::thread_destructors::exit_function;
use crate::thread_life::{after_exit, exit_event, keep_result, make_control_block, next_destructor};
use smallvec::smallvec;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// libc's function that is told the arguments and the environment.
pub(crate) const INITIALISE_LIBRARY: &str = "__symx_libc_init";
/// Kind of system object that argument and environment strings are.
const STRINGS: u32 = 1;

pub(crate) const ROWS: &[Row] = &[row(&["__symx_run_destructors"], run_destructors)];

// Where the model stands: the first scratch word. The others are argument count, `argv`, `envp` until `main` returns.
const ARRIVED: u64 = 0;
const BLOCK_READY: u64 = 1;
const CONSTRUCTING: u64 = 2;
const RUNNING: u64 = 3;
const LEAVING: u64 = 4;
const GONE: u64 = 5;
const ALONE: u64 = 6;

/// Runs the main thread. No arguments.
pub(crate) fn run(call: &mut PosixCall<'_, '_>) -> Step {
    loop {
        let stage = call.scratch().first().copied().unwrap_or(ARRIVED);
        match stage {
            ARRIVED => {
                let preparation = make_control_block(call)?;
                prepare_symbolic_input(call);
                let externals = &call.program().externals;
                call.data().may_cancel = externals.iter().any(|external| external.name == "pthread_cancel");
                *call.scratch() = smallvec![BLOCK_READY];
                if let Some(outcome) = preparation {
                    return Ok(outcome);
                }
            }
            BLOCK_READY => {
                let (count, arguments, environment) = lay_out_strings(call)?;
                *call.scratch() = smallvec![CONSTRUCTING, count, arguments, environment, 0];
                if let Some(initialise) = function(call, INITIALISE_LIBRARY) {
                    return invoke(initialise, [count, arguments, environment].map(Value::Concrete));
                }
            }
            CONSTRUCTING => {
                let &[_, count, arguments, environment, done] = call.scratch().as_slice() else { break };
                let program = call.program();
                let strings = [count, arguments, environment].map(Value::Concrete);
                if let Some(constructor) = program.constructors.get(done as usize) {
                    let constructor = program.function_address(*constructor);
                    call.scratch()[4] += 1;
                    return invoke(constructor, strings);
                }
                let Some(main) = function(call, "main") else {
                    return Err(call.unsupported("a program without a function `main`"));
                };
                call.scratch()[0] = RUNNING;
                // A `main` that declares fewer parameters takes only those.
                let program = call.program();
                let parameters =
                    program.function_named("main").map_or(0, |id| program.function(id).params.len());
                return invoke(main, strings.into_iter().take(parameters));
            }
            RUNNING => return leave_main(call),
            LEAVING => match next_destructor(call)? {
                Some(outcome) => return Ok(outcome),
                None => {
                    *call.scratch() = smallvec![GONE];
                    return exit_event(call);
                }
            },
            GONE => return after_exit(call),
            _ => break,
        }
    }
    Err(call.unsupported("a main thread that goes on after exit"))
}

/// `main` has returned, or `pthread_exit` was called in it.
fn leave_main(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    if let Some(result) = call.state().data.threads.get(&me).and_then(|record| record.result) {
        keep_result(call, result);
        *call.scratch() = smallvec![LEAVING, 0, 0];
        return run(call);
    }
    let status = call.invoked().unwrap_or(Value::Concrete(0));
    *call.scratch() = smallvec![ALONE];
    match exit_function(call) {
        Some(exit) => invoke(exit, [status]),
        None => crate::kernel::process::end(call, status),
    }
}

/// Lays `argv` and `envp` out: count of arguments, address of `argv`, address of `envp`.
fn lay_out_strings(call: &mut PosixCall<'_, '_>) -> Result<(u64, u64, u64), Stop> {
    let options = call.environment().options().clone();
    let arguments = lay_out(call, &options.arguments)?;
    let environment = lay_out(call, &options.environment)?;
    Ok((options.arguments.len() as u64, arguments, environment))
}

/// Makes an object a string and one for the null-terminated vector of their addresses, whose address it returns.
fn lay_out(call: &mut PosixCall<'_, '_>, strings: &[Vec<u8>]) -> Result<u64, Stop> {
    let mut vector = Vec::with_capacity(8 * (strings.len() + 1));
    for string in strings {
        let mut bytes = string.clone();
        bytes.push(0);
        let address = call.allocate_system(bytes.len() as u64, STRINGS, &bytes)?;
        vector.extend_from_slice(&address.to_le_bytes());
    }
    vector.extend_from_slice(&[0; 8]);
    call.allocate_system(vector.len() as u64, STRINGS, &vector)
}

/// Runs the program's destructors: what `exit` does after the routines registered with `atexit`.
fn run_destructors(call: &mut PosixCall<'_, '_>) -> Step {
    let done = call.scratch().first().copied().unwrap_or(0);
    let program = call.program();
    match program.destructors.get(done as usize) {
        Some(destructor) => {
            let destructor = program.function_address(*destructor);
            *call.scratch() = smallvec![done + 1];
            invoke(destructor, [])
        }
        None => crate::answer::nothing(),
    }
}
