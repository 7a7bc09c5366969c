//! Counters to wait at: `eventfd`.

use crate::answer::{PosixCall, Step, Turn, announced, failed, made, word};
use crate::errno::{EAGAIN, EINVAL};
use crate::kernel::nodes::changes::{READABLE, WRITABLE};
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::kinds::{EventCounter, NodeKind};
use crate::kernel::nodes::open_files::{FLAGS_OF_NAMELESS, NONBLOCK, READ_AND_WRITE};
use crate::kernel::readiness::wait_to_transfer;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use symx_interp::memory::byte_string::Stretch;

pub(crate) const CALLS: &[SystemCall] = &[
    row(284, "eventfd", |call| make(call, 0)),
    row(290, "eventfd2", |call| match argument(call, 1)? & 0xffff_ffff {
        flags if flags & !(FLAGS_OF_NAMELESS | SEMAPHORE) == 0 => make(call, flags),
        _ => failed(EINVAL),
    }),
];

const SEMAPHORE: u64 = 1;

fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let value = argument(call, 0)? & 0xffff_ffff;
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().collect()) {
        return Ok(park);
    }
    let counter = EventCounter { value, one_by_one: flags & SEMAPHORE != 0 };
    made(call.data().kernel.open_new(opener, READ_AND_WRITE, flags, |kernel| {
        kernel.files.add(opener.thread, NodeKind::Event(counter), 0o600)
    }))
}

/// Takes from the counter `node`: the eight bytes to read.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, node: u64, flags: u32, count: u64) -> Turn<Vec<u8>> {
    if count < 8 {
        return Turn::Answer(failed(EINVAL));
    }
    let Some(NodeKind::Event(counter)) =
        call.state().data.kernel.files.node(node).map(|node| node.kind.clone())
    else {
        return Turn::Answer(failed(EINVAL));
    };
    if counter.value == 0 {
        return Turn::Answer(wait(call, flags, READABLE));
    }
    let taken = if counter.one_by_one { 1 } else { counter.value };
    set(call, node, EventCounter { value: counter.value - taken, ..counter }, WRITABLE);
    Turn::Go(taken.to_le_bytes().to_vec())
}

/// Waits for one of `events`, or says why not.
fn wait(call: &mut PosixCall<'_, '_>, flags: u32, events: u32) -> Step {
    if flags & NONBLOCK != 0 {
        return failed(EAGAIN);
    }
    wait_to_transfer(call, events, &[])
}

fn set(call: &mut PosixCall<'_, '_>, node: u64, counter: EventCounter, changed: u32) {
    let kernel = &mut call.data().kernel;
    kernel.files.change(node, |node| node.kind = NodeKind::Event(counter));
    kernel.changed(node, changed);
}

/// Adds the eight bytes written.
pub(crate) fn add(call: &mut PosixCall<'_, '_>, node: u64, flags: u32, written: &Stretch) -> Step {
    if !written.is_concrete() {
        return Err(call.unsupported("a symbolic number written to an eventfd"));
    }
    let added = written.bytes.first_chunk().map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes));
    let Some(NodeKind::Event(counter)) =
        call.state().data.kernel.files.node(node).map(|node| node.kind.clone())
    else {
        return failed(EINVAL);
    };
    if added == u64::MAX {
        return failed(EINVAL);
    }
    match counter.value.checked_add(added) {
        Some(value) if value < u64::MAX => {
            set(call, node, EventCounter { value, ..counter }, READABLE);
            word(8)
        }
        _ if flags & NONBLOCK != 0 => failed(EAGAIN),
        _ => Err(call.unsupported("a write to an eventfd that has to wait")),
    }
}
