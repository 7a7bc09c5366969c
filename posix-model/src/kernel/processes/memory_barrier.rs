//! `membarrier`: a barrier of all threads of the process at once, by one of them. So the others, who act more
//! often, need none.

use crate::answer::{PosixCall, Step, announced, failed, word};
use crate::errno::{EINVAL, EPERM};
use crate::kernel::system_calls::argument;
use crate::places::{SETTINGS, read, write};
use crate::sync::wait::PosixWait;
use smallvec::smallvec;
use symx_trace::{Access, Footprint, Mode, Place};

// Commands; those of other processes' threads, of instruction streams and of restartable sequences are not
// there.
const QUERY: u32 = 0;
const PRIVATE_EXPEDITED: u32 = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: u32 = 1 << 4;

/// `membarrier(command, flags, processor)`.
pub(crate) fn membarrier(call: &mut PosixCall<'_, '_>) -> Step {
    let (command, flags) = (argument(call, 0)? as u32, argument(call, 1)? as u32);
    match (command, flags) {
        (QUERY, 0) => word((PRIVATE_EXPEDITED | REGISTER_PRIVATE_EXPEDITED).into()),
        (REGISTER_PRIVATE_EXPEDITED, 0) => register(call),
        (PRIVATE_EXPEDITED, 0) => order(call),
        _ => failed(EINVAL),
    }
}

fn register(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(park) = announced(call, smallvec![write(SETTINGS)]) {
        return Ok(park);
    }
    call.data().own.process.may_order_threads = true;
    word(0)
}

/// Waits until all threads' stores are in memory. Each thread is interrupted at a time of its own; what it
/// does after that is as if the barrier had come before, so that one time for all is as good.
fn order(call: &mut PosixCall<'_, '_>) -> Step {
    if call.remembers_order() {
        if call.phase() == 0 {
            // Whatever others access or store, they do before it or after it.
            let footprint: Footprint = smallvec![Access { place: Place::Everything, mode: Mode::Write }];
            return Ok(call.synchronise(footprint, Some(PosixWait::Stores)));
        }
    } else if let Some(park) = announced(call, smallvec![read(SETTINGS)]) {
        return Ok(park);
    }
    if !call.bookkeeping().own.process.may_order_threads {
        return failed(EPERM);
    }
    call.order_threads();
    word(0)
}
