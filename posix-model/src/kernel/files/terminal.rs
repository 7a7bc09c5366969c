//! Requests to devices. Terminals there are none.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EINVAL, ENOTSUP, ENOTTY};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::NONBLOCK;
use crate::kernel::readiness::sockets;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::transfers::stand_before;
use symx_interp::value::Value;
use symx_trace::Mode;

pub(crate) const CALLS: &[SystemCall] = &[row(16, "ioctl", control)];

/// Requests about network devices have numbers of this form.
const NETWORK_REQUESTS: u64 = 0x89;
/// Whether a file can share the content of another one.
const SHARE_CONTENT: [u64; 2] = [0x4004_9409, 0x4020_940d];
/// How many bytes could be read.
const COUNT_READABLE: u64 = 0x541b;
/// Whether reading and writing never wait.
const SET_NONBLOCK: u64 = 0x5421;

fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let request = argument(call, 1)?;
    if request >> 8 & 0xff == NETWORK_REQUESTS {
        return Err(call.unsupported(format!("ioctl request {request:#x}")));
    }
    let file = match stand_before(call, Mode::Read, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let kernel = &mut call.data().kernel;
    let open = kernel.open.get(file).clone();
    match request {
        COUNT_READABLE => {
            let count = match kernel.files.kind(open.node) {
                Some(NodeKind::File(content)) => content.length().saturating_sub(open.position),
                Some(NodeKind::Pipe(buffer)) => buffer.len() as u64,
                Some(NodeKind::Notifier(notifier)) => notifier.length(),
                Some(NodeKind::Socket(socket)) => match sockets::count_readable(kernel, socket) {
                    Some(count) => count,
                    None => return failed(EINVAL),
                },
                _ => return failed(ENOTTY),
            };
            let result = argument(call, 2)?;
            call.write(result, 4, Value::Concrete(count))?;
            word(0)
        }
        SET_NONBLOCK => {
            let flag = argument(call, 2)?;
            let set = call.read_number(flag, 4)? != 0;
            let flags = if set { open.flags | NONBLOCK } else { open.flags & !NONBLOCK };
            call.data().kernel.open.change(file, |file| file.flags = flags);
            word(0)
        }
        _ if SHARE_CONTENT.contains(&request) => failed(ENOTSUP),
        // Other requests are about devices that do not exist here.
        _ => failed(ENOTTY),
    }
}
