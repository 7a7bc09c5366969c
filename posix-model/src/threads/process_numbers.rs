//! The numbers that processes have for programs: those of their first threads.

use crate::answer::PosixCall;
use crate::threads::{thread_number, thread_numbered};
use symx_trace::ThreadId;

/// The number of a process towards programs: that of its first thread.
pub(crate) fn process_number(process: ThreadId) -> u64 {
    thread_number(process)
}

/// The number of the calling process.
pub(crate) fn own_number(call: &PosixCall<'_, '_>) -> u64 {
    process_number(call.process())
}

/// The call whose recorded answer is the number of the recorded process.
const GETPID: &str = "getpid";

/// The number by which a program means a process, or with a minus sign a group. Along a recorded run,
/// `getpid` answers as it did there: that number is the process's own, too.
pub(crate) fn meant(call: &PosixCall<'_, '_>, number: i32) -> i32 {
    let mut noted = call.environment().options().recorded_calls.values().flatten();
    let recorded = noted.find_map(|noted| {
        let answer = noted.answer.as_ref().filter(|_| noted.function == GETPID)?;
        u32::try_from(answer.result).ok()
    });
    match recorded.filter(|recorded| *recorded == number.unsigned_abs()) {
        Some(_) => number.signum() * own_number(call) as i32,
        None => number,
    }
}

/// The process with this number.
pub(crate) fn process_numbered(call: &PosixCall<'_, '_>, number: i32) -> Option<ThreadId> {
    let process = thread_numbered(u64::try_from(number).ok()?)?;
    call.bookkeeping().processes.exists(process).then_some(process)
}
