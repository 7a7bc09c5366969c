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

/// The process with this number.
pub(crate) fn process_numbered(call: &PosixCall<'_, '_>, number: i32) -> Option<ThreadId> {
    let process = thread_numbered(u64::try_from(number).ok()?)?;
    call.bookkeeping().processes.exists(process).then_some(process)
}
