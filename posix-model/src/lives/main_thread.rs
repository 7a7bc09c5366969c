//! The model that runs the main thread: process start, `main`, `exit`.

use super::last_end;
use super::life::{after_exit, announce_end, keep_result, make_control_block, next_destructor};
use crate::answer::{PosixCall, Step, function, invoke};
use crate::kernel::files::symbolic;
use crate::kernel::may_call_to_signal;
use crate::linked::INITIALISE_LIBRARY;
use crate::row::{Row, row};
use crate::sync::mutex;
use crate::threads::destructors::exit_function;
use smallvec::smallvec;
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_trace::InputOrigin;

/// Kind of system object that argument and environment strings are.
const STRINGS: u32 = 1;

pub(crate) const ROWS: &[Row] = &[row(&["__symx_run_destructors"], run_destructors)];

// Where the model stands: the first scratch word. The others are argument count, `argv`,
// `envp` until `main` returns.
const ARRIVED: u64 = 0;
const BLOCK_READY: u64 = 1;
const CONSTRUCTING: u64 = 2;
const RUNNING: u64 = 3;
const LEAVING: u64 = 4;
const ABANDONING: u64 = 5;
const GONE: u64 = 6;
const ALONE: u64 = 7;

/// Runs the main thread. No arguments.
pub(crate) fn run(call: &mut PosixCall<'_, '_>) -> Step {
    loop {
        let stage = call.scratch().first().copied().unwrap_or(ARRIVED);
        match stage {
            ARRIVED => {
                // First of all: once the choice is made, this phase runs again from its start.
                let combination = choose_argument_counts(call)?;
                let preparation = make_control_block(call)?;
                if call.bookkeeping().own.process.image.is_none() {
                    symbolic::prepare(call)?;
                }
                let program = call.program();
                let may_cancel = call.calls_any(Role::Cancels);
                let may_signal = call.calls_any(Role::Signals) || may_call_to_signal(program);
                let exit_runs_program = may_cancel || may_signal || last_end::runs_program_code(program);
                let data = call.data();
                (data.may_cancel, data.may_signal) = (may_cancel, data.may_signal || may_signal);
                data.exit_runs_program = exit_runs_program;
                *call.scratch() = smallvec![BLOCK_READY, combination.into()];
                if let Some(outcome) = preparation {
                    return Ok(outcome);
                }
            }
            BLOCK_READY => {
                let combination = call.scratch().get(1).map_or(0, |combination| *combination as u32);
                let (count, arguments, environment) = lay_out_strings(call, combination)?;
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
                call.scratch()[0] = RUNNING;
                if let Some(entry) = call.environment().options().symbolic.entry.clone() {
                    return super::entry::start(call, &entry);
                }
                let Some(main) = call.program().main() else {
                    return Err(call.unsupported("a program without a function `main`"));
                };
                // A `main` that declares fewer parameters takes only those.
                let program = call.program();
                let parameters = program.function(main).params.len();
                return invoke(program.function_address(main), strings.into_iter().take(parameters));
            }
            RUNNING => return leave_main(call),
            LEAVING => match next_destructor(call)? {
                Some(outcome) => return Ok(outcome),
                None => return announce_end(call, ABANDONING, GONE),
            },
            ABANDONING => {
                mutex::abandon_next(call);
                return announce_end(call, ABANDONING, GONE);
            }
            GONE => return after_exit(call),
            _ => break,
        }
    }
    Err(call.unsupported("a call of exit that returns, in the main thread"))
}

/// `main` has returned, or `pthread_exit` was called in it.
fn leave_main(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    if let Some(result) = call.state().data.threads.get(&me).and_then(|record| record.result) {
        keep_result(call, result);
        *call.scratch() = smallvec![LEAVING, 0, 0];
        return run(call);
    }
    // The result of another function than `main` is no exit status.
    let is_main = call.environment().options().symbolic.entry.is_none();
    let status = call.invoked().filter(|_| is_main).unwrap_or(Value::Concrete(0));
    *call.scratch() = smallvec![ALONE];
    match exit_function(call) {
        Some(exit) => invoke(exit, [status]),
        None => crate::kernel::process::end(call, status),
    }
}

/// How many arguments each group of symbolic ones has, as one number.
fn choose_argument_counts(call: &mut PosixCall<'_, '_>) -> Result<u32, Stop> {
    if call.bookkeeping().own.process.image.is_some() {
        return Ok(0);
    }
    let groups = &call.environment().options().symbolic.arguments;
    let combinations = groups.iter().map(|group| group.most - group.least + 1).fold(1, u32::saturating_mul);
    call.choose(combinations)
}

/// Lays `argv` and `envp` out: count of arguments, address of `argv`, address of `envp`.
fn lay_out_strings(call: &mut PosixCall<'_, '_>, mut combination: u32) -> Result<(u64, u64, u64), Stop> {
    if let Some(image) = call.bookkeeping().own.process.image.clone() {
        let mut arguments = in_one_object(call, &[&image.arguments[..], &image.environment].concat())?;
        let environment = arguments.split_off(image.arguments.len());
        let count = arguments.len() as u64;
        return Ok((count, vector(call, &arguments)?, vector(call, &environment)?));
    }
    let options = call.environment().options().clone();
    let strings = [&options.arguments[..], &options.environment[..]].concat();
    let mut arguments = in_one_object(call, &strings)?;
    let environment = arguments.split_off(options.arguments.len());
    for group in &options.symbolic.arguments {
        let alternatives = group.most - group.least + 1;
        for _ in 0..group.least + combination % alternatives {
            let number = arguments.len() as u32;
            let address = call.allocate_system(group.length + 1, STRINGS, &[])?;
            let name = format!("arg{number}");
            call.make_symbolic(address, group.length, &name, InputOrigin::Argument(number))?;
            arguments.push(address);
        }
        combination /= alternatives;
    }
    let count = arguments.len() as u64;
    Ok((count, vector(call, &arguments)?, vector(call, &environment)?))
}

/// Lays strings out one after the other, as the kernel does. Programs that show what they do in their
/// arguments (`setproctitle`) write over all of them. (Symbolic arguments are objects of their own: an access
/// beyond one is an error.)
fn in_one_object(call: &mut PosixCall<'_, '_>, strings: &[Vec<u8>]) -> Result<Vec<u64>, Stop> {
    let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
    for string in strings {
        offsets.push(bytes.len() as u64);
        bytes.extend_from_slice(string);
        bytes.push(0);
    }
    let block = call.allocate_system(bytes.len() as u64, STRINGS, &bytes)?;
    Ok(offsets.iter().map(|offset| block + offset).collect())
}

/// Makes an object of the addresses and a null pointer.
fn vector(call: &mut PosixCall<'_, '_>, addresses: &[u64]) -> Result<u64, Stop> {
    let words = addresses.iter().chain(&[0]);
    let bytes: Vec<u8> = words.flat_map(|address| address.to_le_bytes()).collect();
    call.allocate_system(bytes.len() as u64, STRINGS, &bytes)
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
