//! Locks of libc's own: around streams, the environment, lists of exit routines.
//!
//! Interpreted libc code calls these hooks instead of spinning on a futex. A lock is a word of libc's memory: 0 while
//! free, else its holder's number. Other code of libc takes and frees the same words with atomic instructions, so the
//! state is the word, and the footprints are about its bytes.

use crate::answer::{PosixCall, Step, nothing, touching, word};
use crate::kernel::process::thread_number;
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use symx_interp::access::Purpose;
use symx_interp::value::Value;
use symx_trace::{Access, Mode, Place};

pub(crate) const ROWS: &[Row] = &[
    row(&["__symx_lock"], lock),
    row(&["__symx_unlock"], unlock),
    row(&["__symx_tp"], |call| word(call.control_block())),
];

fn access(address: u64, mode: Mode) -> Access {
    Access { place: Place::Memory { start: address, end: address + 4 }, mode }
}

fn lock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    call.object(address, 4, Purpose::Write)?;
    if call.phase() == 0 {
        let footprint = touching(access(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::LibraryLock(address))));
    }
    let holder = thread_number(call.thread());
    call.write(address, 4, Value::Concrete(holder))?;
    nothing()
}

fn unlock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    call.object(address, 4, Purpose::Write)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(access(address, Mode::Release)), None));
    }
    call.write(address, 4, Value::Concrete(0))?;
    nothing()
}
