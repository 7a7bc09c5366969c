//! Signals to read: `signalfd`. A read takes signals of its set that are pending for the thread that reads,
//! or for the process. A thread that does not block them gets them by their handlers as well, whichever comes
//! first.

use crate::answer::{PosixCall, Step, Turn, announced, failed, made, word};
use crate::errno::{EAGAIN, EBADF, EINVAL};
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::READABLE;
use crate::kernel::nodes::descriptors::{Opener, descriptor_place};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{FLAGS_OF_NAMELESS, NONBLOCK, READ_AND_WRITE};
use crate::kernel::notice::Information;
use crate::kernel::process::USER;
use crate::kernel::readiness::wait_to_transfer;
use crate::kernel::signals::timers::{self, BY_KERNEL, BY_TIMER};
use crate::kernel::signals::{KILL, STOP, TO_PROCESS, bit, take as take_signal};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{SIGNALS, node_place, write};
use crate::threads::process_numbers::process_number;
use smallvec::smallvec;
use symx_trace::{Footprint, ThreadId};

pub(crate) const CALLS: &[SystemCall] = &[
    row(282, "signalfd", |call| make(call, 0)),
    row(289, "signalfd4", |call| {
        let flags = argument(call, 3)? & 0xffff_ffff;
        make(call, flags)
    }),
];

/// Bytes of a set of signals.
const SET: u64 = 8;
/// Bytes of a `struct signalfd_siginfo`.
const ENTRY: usize = 128;

/// `signalfd4(descriptor, set, size, flags)`: a new descriptor if that is -1; else one gets another set.
fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let (descriptor, set, size) = (argument(call, 0)? as u32, argument(call, 1)?, argument(call, 2)?);
    if size != SET || flags & !FLAGS_OF_NAMELESS != 0 {
        return failed(EINVAL);
    }
    let set = call.read_number(set, SET)? & !bit(KILL) & !bit(STOP);
    let is_new = descriptor == u32::MAX;
    let node = call.state().data.kernel.node_of(descriptor).filter(|_| !is_new);
    let opener = Opener::of(call);
    let mut footprint: Footprint = smallvec![write(SIGNALS)];
    match is_new {
        true => footprint.extend(opener.touched()),
        false => footprint.push(write(descriptor_place(descriptor))),
    }
    footprint.extend(node.map(|node| write(node_place(node))));
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    if is_new {
        return made(kernel.open_new(opener, READ_AND_WRITE, flags, |kernel| {
            kernel.own.signals.count_sent();
            kernel.files.add(opener.thread, NodeKind::Signals(set), 0o600)
        }));
    }
    let Some(node) = node else { return failed(EBADF) };
    match kernel.files.kind(node) {
        Some(NodeKind::Signals(_)) => {}
        _ => return failed(EINVAL),
    }
    kernel.files.change(node, |node| node.kind = NodeKind::Signals(set));
    kernel.files.changed(node, 0);
    word(u64::from(descriptor))
}

/// Whether a read by `thread` of a descriptor for the signals `set` would proceed.
pub(crate) fn is_readable(kernel: &Kernel, thread: ThreadId, set: u64) -> bool {
    kernel.own.signals.pending(thread) & set != 0
}

/// Takes as many signals of `set` as `count` bytes have room for: a description each.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, set: u64, flags: u32, count: u64) -> Turn<Vec<u8>> {
    let room = count as usize / ENTRY;
    if room == 0 {
        return Turn::Answer(failed(EINVAL));
    }
    let me = call.thread();
    let mut bytes = Vec::new();
    while bytes.len() < room * ENTRY
        && let Some(signal) = call.state().data.kernel.own.signals.next_to_read(me, set)
    {
        let known = take_signal(call, signal);
        bytes.extend(description(&call.state().data.kernel, signal, known));
    }
    if !bytes.is_empty() {
        return Turn::Go(bytes);
    }
    Turn::Answer(match () {
        () if flags & NONBLOCK != 0 => failed(EAGAIN),
        () => wait_to_transfer(call, READABLE, &[]),
    })
}

/// A `struct signalfd_siginfo`: what is known depends on how the signal was sent.
fn description(kernel: &Kernel, signal: u32, known: Information) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    let mut put = |offset: usize, value: &[u8]| bytes[offset..offset + value.len()].copy_from_slice(value);
    put(0, &signal.to_le_bytes());
    put(8, &known.code.to_le_bytes());
    match known.code {
        BY_KERNEL => {}
        BY_TIMER => {
            let (number, overrun) = timers::sender(kernel, signal, known).unwrap_or_default();
            put(24, &(number as u32).to_le_bytes());
            put(32, &u32::try_from(overrun).unwrap_or(u32::MAX).to_le_bytes());
        }
        _ => {
            put(12, &(process_number(known.sender) as u32).to_le_bytes());
            put(16, &(USER as u32).to_le_bytes());
        }
    }
    if known.code < TO_PROCESS.code {
        put(44, &(known.value as u32).to_le_bytes());
        put(48, &known.value.to_le_bytes());
    }
    bytes
}
