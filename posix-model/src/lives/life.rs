//! The model that runs every thread but the main one, and what both do at their ends: key destructors, exit.

use super::last_end;
use crate::answer::{PosixCall, Step, function, invoke, touching};
use crate::linked::{BLOCK_SIZE, INITIALISE_BLOCK};
use crate::options::Posix;
use crate::places::{KEYS, LAST_END, cancellation, read, release, write};
use crate::sync::mutex;
use crate::threads::cancellation::is_cancelled;
use crate::threads::destructors;
use crate::threads::keys::DESTRUCTOR_ROUNDS;
use crate::threads::stages::{ABANDONING, ARRIVED, ENDING, EXITING, READY, RUNNING};
use crate::threads::{thread_number, update};
use smallvec::smallvec;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::value::Value;
use symx_trace::{FailureDetail, Footprint, Place};

/// Kind of system object that control blocks are.
const CONTROL_BLOCK: u32 = 2;

/// The argument in whose place a thread's result is kept until it ends.
const RESULT: usize = 1;

/// Runs a thread: arguments are the start routine and its argument.
pub(crate) fn run(call: &mut PosixCall<'_, '_>) -> Step {
    loop {
        match call.scratch().first().copied().unwrap_or(ARRIVED) {
            ARRIVED => {
                let preparation = make_control_block(call)?;
                *call.scratch() = smallvec![READY];
                if let Some(outcome) = preparation {
                    return Ok(outcome);
                }
            }
            READY => {
                let routine = call.argument(0)?;
                let argument = call.value(1);
                *call.scratch() = smallvec![RUNNING];
                return invoke(routine, [argument]);
            }
            RUNNING => {
                // Until the thread has ended its result is not read. The bookkeeping stays what it is, so
                // that others find the same whether this thread has come here or not.
                let result = call.invoked().unwrap_or(Value::Concrete(0));
                call.keep_as_argument(RESULT, result);
                *call.scratch() = smallvec![ENDING, 0, 0];
            }
            ENDING => match next_destructor(call)? {
                Some(outcome) => return Ok(outcome),
                None => return announce_end(call, ABANDONING, EXITING),
            },
            ABANDONING => {
                mutex::abandon_next(call);
                return announce_end(call, ABANDONING, EXITING);
            }
            _ => {
                // A thread that is cancelled here returns something else.
                let result = call.invoked().unwrap_or(call.value(RESULT));
                keep_result(call, result);
                return after_exit(call);
            }
        }
    }
}

/// Announces what comes next at the end of the calling thread. Either a robust mutex it holds becomes free,
/// the first word of its scratch being `abandoning` from then on. Or it is the end itself, the word being
/// `exiting`.
///
/// Natively the kernel goes through the thread's robust mutexes before the thread has ended. So a thread that
/// gets EOWNERDEAD may find the owner not ended yet.
pub(crate) fn announce_end(call: &mut PosixCall<'_, '_>, abandoning: u64, exiting: u64) -> Step {
    let Some(mutex) = mutex::next_abandoned(call) else {
        *call.scratch() = smallvec![exiting];
        return exit_event(call);
    };
    *call.scratch() = smallvec![abandoning];
    Ok(call.synchronise(smallvec![release(Place::Object(mutex))], None))
}

/// The visible end of the calling thread, for which others may wait. The thread's stores may still
/// be on their way.
///
/// Where the main thread may end before the process (by `pthread_exit`) and it [matters](last_end) which
/// thread ends last, ends of threads do not commute. A mutex that the thread holds, and that is not robust,
/// stays locked forever.
fn exit_event(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    let mut footprint: Footprint = smallvec![release(Place::Thread(me))];
    let matters = last_end::matters_after(call.bookkeeping(), me);
    if call.is_about_to_end(matters) {
        footprint.push(write(LAST_END));
    }
    // Another thread may unlock those, which is misuse, or request that this one be cancelled.
    let held: Vec<u64> = mutex::held_by(call, me).collect();
    if !held.is_empty() {
        footprint.push(read(cancellation(me)));
        footprint.extend(held.into_iter().map(|address| read(Place::Object(address))));
    }
    Ok(call.park(footprint))
}

/// Reports that the ending thread holds a mutex that is not robust: no thread can lock it any more. A
/// cancelled thread is exempt, as it may have had no chance to unlock it.
fn reject_held_mutex(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    let me = call.thread();
    let held = mutex::held_by(call, me).next();
    match held {
        Some(address) if !is_cancelled(call.state(), me) => {
            let place = call.object_near(address).map_or_else(String::new, |object| call.describe(object));
            let message = format!("the thread ends while it holds the mutex in {place}");
            call.misuse(FailureDetail::ExitHoldingLock, message)
        }
        _ => Ok(()),
    }
}

/// The step after the end of the calling thread: none, or `exit(0)` if it was the last one and that matters.
pub(crate) fn after_exit(call: &mut PosixCall<'_, '_>) -> Step {
    reject_held_mutex(call)?;
    call.synchronises(Synchronisation::End);
    if call.others_go_on() || !last_end::matters(call.bookkeeping()) {
        return Ok(Outcome::ThreadExit);
    }
    match destructors::exit_function(call) {
        Some(exit) => invoke(exit, [Value::Concrete(0)]),
        None => Ok(Outcome::ProcessExit(0)),
    }
}

/// Notes what the calling thread returned.
pub(crate) fn keep_result(call: &mut PosixCall<'_, '_>, result: Value) {
    update(call, |own| own.result = Some(result));
}

/// Makes the calling thread's control block and has libc fill it in; `None` where there is no libc.
pub(crate) fn make_control_block(call: &mut PosixCall<'_, '_>) -> Result<Option<Outcome<Posix>>, Stop> {
    let size = call.program().global_named(BLOCK_SIZE).map(|global| global.address);
    let (Some(size), Some(initialise)) = (size, function(call, INITIALISE_BLOCK)) else {
        return Ok(None);
    };
    let size = call.read_number(size, 8)?;
    let block = call.allocate_system(size, CONTROL_BLOCK, &[])?;
    call.set_control_block(block);
    let number = thread_number(call.thread());
    invoke(initialise, [Value::Concrete(block), Value::Concrete(number)]).map(Some)
}

/// Runs the next destructor of a thread-local object or, after them, of a thread-specific value. `None` when
/// no value with a destructor is left, or the rounds are used up. Scratch: `[stage, round, next key]`, and
/// one word more in the step that looks at the keys, which others may delete.
pub(crate) fn next_destructor(call: &mut PosixCall<'_, '_>) -> Result<Option<Outcome<Posix>>, Stop> {
    if let Some(destructor) = destructors::next(call) {
        return destructor.map(Some);
    }
    let me = call.thread();
    loop {
        let is_announced = call.scratch().len() > 3;
        let &[stage, round, from, ..] = call.scratch().as_slice() else { return Ok(None) };
        if round >= u64::from(DESTRUCTOR_ROUNDS) {
            return Ok(None);
        }
        if !is_announced && call.bookkeeping().own.keys.has_set(me) {
            *call.scratch() = smallvec![stage, round, from, 1];
            return Ok(Some(call.park(touching(read(KEYS)))));
        }
        // Looked at first: taking the bookkeeping for writing copies it.
        if call.bookkeeping().own.keys.next_for_destruction(me, from as u32).is_some()
            && let Some((key, destructor, value)) = call.data().own.keys.take_for_destruction(me, from as u32)
        {
            *call.scratch() = smallvec![stage, round, u64::from(key) + 1];
            return invoke(destructor, [Value::Concrete(value)]).map(Some);
        }
        if from == 0 {
            return Ok(None);
        }
        *call.scratch() = smallvec![stage, round + 1, 0];
        if is_announced {
            call.scratch().push(1);
        }
    }
}
