//! Calls answered as they were in a recorded run: what time it was, what came over a pipe.
//!
//! Each thread has its record; its n-th call of a noted function from the program's own code is the n-th in
//! there. A call that does not fit leaves the record, and all after it are answered as without one.

use crate::answer::{Model, PosixCall, Step, announced, fail, finish_failure, touching, word};
use crate::options::{Posix, PosixOptions};
use crate::places::{RANDOM, write};
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::state::State;
use symx_interp::value::Value;
use symx_trace::ThreadId;
use symx_trace::profile::{InputFunction, Returned, TIME_STAMP, input_function};

/// How far a thread is in its record: the entry of its next call, and how many calls of that entry were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    entry: u32,
    made: u32,
}

/// Notes a call that `thread` makes; the model that answers it if the record does.
pub(crate) fn next(
    options: &PosixOptions,
    state: &mut State<Posix>,
    thread: ThreadId,
    function: &str,
) -> Option<(&'static InputFunction, Model)> {
    if options.recorded_calls.is_empty() {
        return None;
    }
    let row = input_function(function)?;
    let calls = options.recorded_calls.get(&state.thread(thread).name.to_string())?;
    let position = Arc::make_mut(&mut state.data).recorded_calls.entry(thread).or_default();
    let call = calls.get(position.entry as usize)?;
    if call.function != function {
        position.entry = u32::MAX;
        return None;
    }
    position.made += 1;
    if position.made >= call.times {
        *position = Position { entry: position.entry + 1, made: 0 };
    }
    call.answer.as_ref().map(|_| (row, answer as Model))
}

/// The time stamp that `thread` reads, if its record has one next.
pub(crate) fn time_stamp(options: &PosixOptions, state: &mut State<Posix>, thread: ThreadId) -> Option<u64> {
    if options.recorded_calls.is_empty() {
        return None;
    }
    let calls = options.recorded_calls.get(&state.thread(thread).name.to_string())?;
    let position = state.data.recorded_calls.get(&thread).copied().unwrap_or_default();
    let call = calls.get(position.entry as usize).filter(|call| call.function == TIME_STAMP)?;
    let next = Position { entry: position.entry + 1, made: 0 };
    Arc::make_mut(&mut state.data).recorded_calls.insert(thread, next);
    call.answer.as_ref().map(|answer| answer.result as u64)
}

/// Answers the call noted last.
fn answer(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(done) = finish_failure(call) {
        return done;
    }
    let thread = call.thread();
    let name = call.thread_name(thread).to_string();
    let entry = call.data().recorded_calls.get(&thread).copied().unwrap_or_default().entry;
    let calls = Arc::clone(&call.environment().options().recorded_calls);
    let noted = calls.get(&name).and_then(|calls| calls.get(entry.checked_sub(1)? as usize));
    let found = noted.and_then(|noted| Some((input_function(&noted.function)?, noted.answer.as_ref()?)));
    let Some((row, answer)) = found else {
        return Err(call.unsupported("a recorded call without an answer"));
    };
    let buffer = match row.buffer {
        Some(index) => call.argument(index)?,
        None => 0,
    };
    if buffer != 0 && !answer.bytes.is_empty() {
        call.object(buffer, answer.bytes.len() as u64, Purpose::Write)?;
        if let Some(park) = announced(call, touching(write(RANDOM))) {
            return Ok(park);
        }
        call.write_bytes(buffer, &answer.bytes)?;
    }
    let result = match row.returns {
        Returned::Int => u64::from(answer.result as u32),
        Returned::Word => answer.result as u64,
    };
    if answer.result == -1 && answer.error != 0 {
        return fail(call, answer.error, Value::Concrete(result));
    }
    word(result)
}
