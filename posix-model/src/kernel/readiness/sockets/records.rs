//! Streams of records (`SOCK_SEQPACKET`): connected like streams, received message by message.
//!
//! A record travels in the connection's pipe after its length, so that all that is known of pipes holds.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EAGAIN, EMSGSIZE, EPIPE};
use crate::kernel::Kernel;
use crate::kernel::nodes::pipe_buffer::Message;
use crate::kernel::nodes::pipe_buffer::USUAL_CAPACITY;
use crate::kernel::readiness::pipe::{self, has_reader, wait_for_pipe};
use crate::kernel::readiness::sockets::datagrams::LONGEST_LOCAL;
use crate::sync::wait::PipeWait;
use symx_interp::memory::byte_string::Stretch;

/// Bytes of the length.
const HEAD: usize = 8;

/// Bytes of all records in the pipe `node`.
pub(super) fn length_of_all(kernel: &Kernel, node: u64) -> u64 {
    let records = pipe::part(kernel, node, 0, USUAL_CAPACITY).bytes;
    let (mut rest, mut all) = (&records[..], 0);
    while let Some((head, behind)) = rest.split_first_chunk::<HEAD>() {
        let length = u64::from_le_bytes(*head);
        all += length;
        rest = behind.get(length as usize..).unwrap_or_default();
    }
    all
}

/// Receives the next record from the pipe `node`: at most `count` bytes of it, and how long it is. Nothing if
/// the other side is gone. If it `keeps` it, it stays the next.
pub(super) fn take(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    count: u64,
    keeps: bool,
) -> Turn<Option<(Stretch, usize)>> {
    let head = match pipe::look(call, node, immediately, HEAD as u64) {
        Turn::Go(head) => head,
        Turn::Answer(answer) => return Turn::Answer(answer),
    };
    let Ok(length) = <[u8; HEAD]>::try_from(head.bytes.as_slice()) else {
        return Turn::Go(None);
    };
    let length = u64::from_le_bytes(length) as usize;
    let whole = (HEAD + length) as u64;
    let record = match if keeps { pipe::look } else { pipe::take }(call, node, true, whole) {
        Turn::Go(record) => record,
        Turn::Answer(answer) => return Turn::Answer(answer),
    };
    Turn::Go(Some((record.part(HEAD, length.min(count as usize)), length)))
}

/// Sends `stretch` as a record into the pipe `node`. No thread gets a signal because the other side is gone.
pub(super) fn put(call: &mut PosixCall<'_, '_>, node: u64, immediately: bool, message: &Message) -> Step {
    let stretch = &message.bytes;
    let needed = HEAD + stretch.len();
    if stretch.len() > LONGEST_LOCAL {
        return failed(EMSGSIZE);
    }
    let kernel = &call.state().data.kernel;
    if !has_reader(kernel, node) {
        return failed(EPIPE);
    }
    if needed > USUAL_CAPACITY {
        return Err(call.unsupported("a record longer than a socket surely has room for"));
    }
    if pipe::room(kernel, node) < needed {
        let wait = PipeWait { node, reading: false, room: needed, has_begun: false };
        return match () {
            () if immediately => failed(EAGAIN),
            () => Ok(wait_for_pipe(call, wait)),
        };
    }
    let mut record = Stretch::from((stretch.len() as u64).to_le_bytes().to_vec());
    record.append(stretch);
    pipe::put(call, node, true, &record)?;
    pipe::pass(&mut call.data().kernel, node, needed, message.extras.clone());
    word(stretch.len() as u64)
}
