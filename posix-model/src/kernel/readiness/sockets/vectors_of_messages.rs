//! Calls for several messages at once, where they are given one, or none to send. Several are as many steps;
//! that is refused.

use super::messages::{receive_message, send_message, stand_at_socket};
use super::time_limits::within_limit;
use crate::answer::{PosixCall, Step, Turn, word};
use crate::kernel::nodes::socket::Transfer;
use crate::kernel::system_calls::{self, argument};
use crate::options::Posix;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// Where a `struct mmsghdr`, which begins with a `struct msghdr`, has the number of bytes passed.
const LENGTH: u64 = 56;
/// Not to wait for more than one message.
const WAIT_FOR_ONE: u64 = 0x1_0000;

/// `sendmmsg(descriptor, messages, count, flags)`
pub(super) fn send(call: &mut PosixCall<'_, '_>) -> Step {
    if argument(call, 2)? & 0xffff_ffff == 0 {
        return match stand_at_socket(call)? {
            Turn::Go(()) => word(0),
            Turn::Answer(answer) => answer,
        };
    }
    let flags = flags_for_one(call)?;
    let done = within_limit(call, Transfer::Send, |call| send_message(call, flags))?;
    counted(call, done)
}

/// `recvmmsg(descriptor, messages, count, flags, limit)`
pub(super) fn receive(call: &mut PosixCall<'_, '_>) -> Step {
    let flags = flags_for_one(call)? & !WAIT_FOR_ONE;
    if argument(call, 4)? != 0 {
        return Err(call.unsupported("recvmmsg with a time limit"));
    }
    let done = within_limit(call, Transfer::Receive, |call| receive_message(call, flags))?;
    counted(call, done)
}

/// The flags of a call that is given one message.
fn flags_for_one(call: &mut PosixCall<'_, '_>) -> Result<u64, Stop> {
    let (count, flags) = (argument(call, 2)? & 0xffff_ffff, argument(call, 3)? & 0xffff_ffff);
    if count == 1 {
        return Ok(flags);
    }
    let name = system_calls::name(call)?;
    Err(call.unsupported(format!("{name} of {count} messages")))
}

/// What the call answers when the message was passed: one, and how many bytes it had.
fn counted(call: &mut PosixCall<'_, '_>, done: Outcome<Posix>) -> Step {
    match done {
        Outcome::Return(Value::Concrete(length)) if length as i64 >= 0 => {
            let message = argument(call, 1)?;
            call.write(message + LENGTH, 4, Value::Concrete(length))?;
            word(1)
        }
        failed_or_waiting => Ok(failed_or_waiting),
    }
}
