//! Futexes, for programs that use them directly: libc's own waiting is modelled above them.

use super::system_calls::{SystemCall, argument, call as row};
use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::{EAGAIN, ETIMEDOUT};
use crate::places::{acquire, release, wake_up, write};
use crate::wait::PosixWait;
use smallvec::smallvec;
use symx_trace::{Access, Place};

pub(crate) const CALLS: &[SystemCall] = &[row(202, "futex", futex)];

/// Bits of the operation that say what it is; others choose the clock and forbid sharing.
const OPERATION: u64 = 0x7f;
const WAIT: u64 = 0;
const WAKE: u64 = 1;
const WAIT_BITS: u64 = 9;
const WAKE_BITS: u64 = 10;

/// `futex(address, operation, value, limit, ...)`.
fn futex(call: &mut PosixCall<'_, '_>) -> Step {
    match argument(call, 1)? & OPERATION {
        WAIT | WAIT_BITS => wait(call),
        WAKE | WAKE_BITS => wake(call),
        other => Err(call.unsupported(format!("futex operation {other}"))),
    }
}

fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, expected, limit) = (argument(call, 0)?, argument(call, 2)? as u32, argument(call, 3)?);
    let me = call.thread();
    match call.phase() {
        0 => {
            let footprint = smallvec![Access::read(address, 4), write(Place::Object(address))];
            Ok(call.synchronise(footprint, None))
        }
        1 => {
            if call.read_number(address, 4)? as u32 != expected {
                return failed(EAGAIN);
            }
            if limit != 0 {
                return failed(ETIMEDOUT);
            }
            call.data().kernel.futexes.entry(address).or_default().push_back(me);
            Ok(call.synchronise(smallvec![acquire(wake_up(address))], Some(PosixWait::Futex(address))))
        }
        _ => word(0),
    }
}

/// Wakes the longest sleepers. Which ones is up to the kernel; with several asleep and one to wake, any may be.
fn wake(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, most) = (argument(call, 0)?, argument(call, 2)? as i32);
    if call.phase() == 0 {
        let footprint = smallvec![write(Place::Object(address)), release(wake_up(address))];
        return Ok(call.synchronise(footprint, None));
    }
    let asleep = call.state().data.kernel.futexes.get(&address).map_or(0, |sleepers| sleepers.len());
    let first = if most == 1 { call.choose(asleep as u32)? as usize } else { 0 };
    let Some(sleepers) = call.data().kernel.futexes.get_mut(&address) else { return word(0) };
    let count = asleep.min(most.max(0) as usize);
    for _ in 0..count {
        sleepers.remove(first);
    }
    word(count as u64)
}
