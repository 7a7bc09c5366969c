//! Terminals: there are none.

use super::open_files::stand_before;
use super::system_calls::{SystemCall, argument, call as row};
use crate::answer::{PosixCall, Step, Turn, failed};
use crate::errno::ENOTTY;
use symx_trace::Mode;

pub(crate) const CALLS: &[SystemCall] = &[row(16, "ioctl", control)];

/// Requests to terminals have numbers of this form; others are about devices that do not exist here.
const TERMINAL_REQUESTS: u64 = 0x54;

fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let request = argument(call, 1)?;
    if request >> 8 & 0xff != TERMINAL_REQUESTS {
        return Err(call.unsupported(format!("ioctl request {request:#x}")));
    }
    match stand_before(call, Mode::Read, &[])? {
        Turn::Go(_) => failed(ENOTTY),
        Turn::Answer(answer) => answer,
    }
}
