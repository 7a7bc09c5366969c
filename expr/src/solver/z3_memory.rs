//! Z3 without memory. Its library then gives nothing; its crate panics where something was to come, and
//! passes over what gives nothing anyway, as asserting does.
//!
//! Every request to Z3 is made within [`within_memory`], so that neither spreads: then there is no answer.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ::z3::Context;
use z3_sys::{ErrorCode, Z3_context, Z3_set_error_handler};

thread_local! {
    /// Whether Z3 was given no memory in the work under way on this thread. The error handler that Z3 calls
    /// gets no data of ours, and the context, too, is the thread's.
    static FELL_SHORT: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in work with Z3 for which memory did not suffice. A panic is then caught,
/// and the query unknown.
pub fn z3_fell_short_of_memory() -> bool {
    FELL_SHORT.get()
}

/// Z3 was given no more memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfMemory;

/// Does `work` with Z3 on this thread. If memory runs out, nothing of Z3's that it has made or changed is
/// to be used again.
pub(super) fn within_memory<T>(work: impl FnOnce() -> T) -> Result<T, OutOfMemory> {
    // Nothing but memory is needed for the context, which is made when it is first asked for.
    FELL_SHORT.set(true);
    let context = catch_unwind(Context::thread_local);
    FELL_SHORT.set(context.is_err());
    let done = context.and_then(|context| {
        // SAFETY: the context is this thread's, and what is called is there as long as the process.
        unsafe { Z3_set_error_handler(context.get_z3_context(), Some(note)) };
        catch_unwind(AssertUnwindSafe(work))
    });
    match done {
        _ if FELL_SHORT.replace(false) => Err(OutOfMemory),
        Ok(done) => Ok(done),
        Err(panic) => resume_unwind(panic),
    }
}

/// Z3 calls this with each of its errors.
extern "C" fn note(_: Z3_context, error: ErrorCode) {
    if error == ErrorCode::MemoutFail {
        FELL_SHORT.set(true);
    }
}
