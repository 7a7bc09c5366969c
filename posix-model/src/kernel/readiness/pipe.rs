//! Pipes.

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EAGAIN, EBADF, EBUSY, EINVAL, EPERM, EPIPE};
use crate::kernel::Kernel;
use crate::kernel::nodes::buffer_of;
use crate::kernel::nodes::changes::{READABLE, WRITABLE};
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::is_shut_down;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{FLAGS_OF_NAMELESS, READ_ONLY, WRITE_ONLY};
use crate::kernel::nodes::pipe_buffer::{Extras, PipeBuffer};
use crate::kernel::nodes::sets::touched_by_change;
pub(crate) use crate::kernel::nodes::{has_bytes, has_reader, has_writer};
use crate::kernel::signals::{BROKEN_PIPE, TO_PROCESS, deliver_sent, send_announced};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::options::Posix;
use crate::sync::wait::{PipeWait, PosixWait};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::value::Value;

pub(crate) const CALLS: &[SystemCall] = &[
    row(22, "pipe", |call| make(call, 0)),
    row(293, "pipe2", |call| match argument(call, 1)? & 0xffff_ffff {
        flags if flags & !FLAGS_OF_NAMELESS == 0 => make(call, flags),
        flags if flags & !(FLAGS_OF_NAMELESS | PACKETS) == 0 => {
            Err(call.unsupported("a pipe of packets (O_DIRECT)"))
        }
        _ => failed(EINVAL),
    }),
];

/// Flag of a pipe that keeps apart what is written at once.
const PACKETS: u64 = 0o40_000;

/// Writes up to this many bytes are done at once or not at all.
const ATOMIC: usize = 4096;

/// Bytes that are in the pipe.
pub(crate) fn length(kernel: &Kernel, node: u64) -> u64 {
    buffer_of(kernel, node).map_or(0, |buffer| buffer.len() as u64)
}

/// The first `count` bytes in the pipe from `offset` on.
pub(crate) fn part(kernel: &Kernel, node: u64, offset: usize, count: usize) -> Stretch {
    let bytes = buffer_of(kernel, node).cloned().unwrap_or_default();
    Stretch::of(bytes.iter().skip(offset).take(count).copied())
}

/// Bytes the pipe has room for.
pub(crate) fn room(kernel: &Kernel, node: u64) -> usize {
    buffer_of(kernel, node).map_or(0, PipeBuffer::room)
}

/// Whether a reader or writer need not wait any more; the other side being gone ends the wait, too, as a
/// shutdown does.
pub(crate) fn is_pipe_ready(kernel: &Kernel, wait: PipeWait) -> bool {
    let Some(buffer) = buffer_of(kernel, wait.node) else { return true };
    let is_ready = match wait.reading {
        true => !buffer.is_empty() || !has_writer(kernel, wait.node),
        false => buffer.room() >= wait.room || !has_reader(kernel, wait.node),
    };
    is_ready || is_shut_down(kernel, wait.node, wait.reading)
}

/// Bytes of a page, the least that a pipe holds.
const PAGE: u64 = 4096;
/// The most bytes that a pipe of a user without privileges can hold (`/proc/sys/fs/pipe-max-size`).
const LARGEST: u64 = 1 << 20;

/// How many bytes the pipe `node` holds, after it was asked to hold `wanted` if that is given; pages are
/// whole, and their number a power of two (`fcntl`, F_GETPIPE_SZ and F_SETPIPE_SZ).
pub(crate) fn sized(kernel: &mut Kernel, node: u64, wanted: Option<u64>) -> Step {
    let Some(buffer) = buffer_of(kernel, node) else { return failed(EBADF) };
    let Some(wanted) = wanted else { return word(buffer.capacity as u64) };
    let capacity = match wanted {
        0x8000_0001.. => return failed(EINVAL),
        _ => wanted.max(PAGE).next_power_of_two(),
    };
    if capacity > LARGEST {
        return failed(EPERM);
    }
    if capacity < buffer.len() as u64 {
        return failed(EBUSY);
    }
    kernel.changed(node, WRITABLE);
    kernel.files.change(node, |node| {
        if let NodeKind::Pipe(buffer) = &mut node.kind {
            buffer.capacity = capacity as usize;
        }
    });
    word(capacity)
}

/// `pipe2(descriptors, flags)`.
fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let result = argument(call, 0)?;
    call.object(result, 8, Purpose::Write)?;
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().collect()) {
        return Ok(park);
    }
    let made = call.data().kernel.open_both(opener, flags, |kernel| {
        let node = kernel.files.add(opener.thread, NodeKind::Pipe(PipeBuffer::default()), 0o600);
        [(node, READ_ONLY), (node, WRITE_ONLY)]
    });
    let descriptors = match made {
        Ok(descriptors) => descriptors,
        Err(error) => return failed(error),
    };
    for (index, descriptor) in descriptors.into_iter().enumerate() {
        call.write(result + 4 * index as u64, 4, Value::Concrete(u64::from(descriptor)))?;
    }
    word(0)
}

/// Takes at most `count` bytes out.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, node: u64, immediately: bool, count: u64) -> Turn<Stretch> {
    if let Some(answer) = wait_for_bytes(call, node, immediately, count) {
        return Turn::Answer(answer);
    }
    let mut taken = Stretch::default();
    let kernel = &mut call.data().kernel;
    if room(kernel, node) == 0 {
        kernel.changed(node, WRITABLE);
    }
    kernel.files.change(node, |node| {
        if let NodeKind::Pipe(buffer) = &mut node.kind {
            taken = Stretch::of(buffer.take_first(count as usize));
        }
    });
    Turn::Go(taken)
}

/// The bytes that [`take`] would take.
pub(crate) fn look(call: &mut PosixCall<'_, '_>, node: u64, immediately: bool, count: u64) -> Turn<Stretch> {
    if let Some(answer) = wait_for_bytes(call, node, immediately, count) {
        return Turn::Answer(answer);
    }
    Turn::Go(part(&call.state().data.kernel, node, 0, count as usize))
}

/// How many of `count` bytes one call receives from the pipe, and what is passed with them.
pub(crate) fn next(kernel: &Kernel, node: u64, count: u64, tells_sender: bool) -> (u64, Extras) {
    let next = buffer_of(kernel, node).map(|buffer| buffer.next(count as usize, tells_sender));
    next.map_or_else(|| (count, Extras::default()), |(count, extras)| (count as u64, extras))
}

/// The last `length` bytes in the pipe are a message that passes `extras`.
pub(crate) fn pass(kernel: &mut Kernel, node: u64, length: usize, extras: Extras) {
    if length == 0 {
        // Nothing is on its way.
        return;
    }
    for file in &extras.files {
        kernel.open.add_reference(*file);
    }
    kernel.files.change(node, |node| {
        if let NodeKind::Pipe(buffer) = &mut node.kind {
            buffer.pass(length, extras);
        }
    });
}

/// Bytes that a call has written to a pipe before it waited for more room, by its scratch.
pub(crate) fn written_before(scratch: &[u64]) -> u64 {
    scratch.get(1).copied().unwrap_or(0)
}

/// The answer to a write that got no further than `done` bytes.
pub(crate) fn written(done: u64, error: i32) -> Step {
    if done > 0 { word(done) } else { failed(error) }
}

/// Sends the signal of a write to what has no reader any more, and ends it: `done` bytes were written before.
pub(crate) fn broken(call: &mut PosixCall<'_, '_>, done: u64) -> Step {
    let me = call.thread();
    let step = send_announced(call, Some(me), BROKEN_PIPE, TO_PROCESS, written(done, EPIPE));
    call.scratch().push(done);
    step
}

/// Goes on with a write that has sent the signal of [`broken`].
pub(crate) fn deliver_broken(call: &mut PosixCall<'_, '_>) -> Step {
    let done = call.scratch().get(2).copied().unwrap_or(0);
    deliver_sent(call, written(done, EPIPE))
}

/// Waits until there are bytes, or says why not.
fn wait_for_bytes(call: &mut PosixCall<'_, '_>, node: u64, immediately: bool, count: u64) -> Option<Step> {
    let wait = PipeWait { node, reading: true, room: 0, has_begun: false };
    if count == 0 || is_pipe_ready(&call.state().data.kernel, wait) {
        return None;
    }
    Some(match () {
        () if immediately => failed(EAGAIN),
        () => Ok(wait_for_pipe(call, wait)),
    })
}

/// Waits at a pipe: as another phase of a call that goes on then.
pub(crate) fn wait_for_pipe(call: &mut PosixCall<'_, '_>, wait: PipeWait) -> Outcome<Posix> {
    let changed = if wait.reading { WRITABLE } else { READABLE };
    let footprint = touched_by_change(&call.state().data.kernel, wait.node, changed);
    call.synchronise(footprint, Some(PosixWait::Pipe(wait)))
}

/// Puts `stretch` in, waiting for room as needed. How many are in already is the second scratch word.
pub(crate) fn put(call: &mut PosixCall<'_, '_>, node: u64, immediately: bool, stretch: &Stretch) -> Step {
    let mut done = written_before(call.scratch()) as usize;
    if !has_reader(&call.state().data.kernel, node) {
        return broken(call, done as u64);
    }
    let needed = if stretch.len() <= ATOMIC { stretch.len() } else { 1 };
    let wait = PipeWait { node, reading: false, room: needed, has_begun: done > 0 };
    if is_pipe_ready(&call.state().data.kernel, wait) {
        let kernel = &mut call.data().kernel;
        kernel.changed(node, READABLE);
        kernel.files.change(node, |node| {
            if let NodeKind::Pipe(buffer) = &mut node.kind {
                let part = buffer.room().min(stretch.len() - done);
                buffer.put(stretch.part(done, part).iter());
                done += part;
            }
        });
    } else if immediately {
        return failed(EAGAIN);
    }
    if done == stretch.len() || immediately {
        return word(done as u64);
    }
    let scratch = call.scratch();
    scratch.truncate(1);
    scratch.push(done as u64);
    let wait = PipeWait { has_begun: done > 0, ..wait };
    Ok(wait_for_pipe(call, wait))
}
