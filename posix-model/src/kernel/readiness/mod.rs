//! Whether a descriptor would let a read or a write go on, and waiting until one of several does.

pub(crate) mod epoll;
pub(crate) mod event_counters;
pub(crate) mod pipe;
pub(crate) mod poll;
pub(crate) mod sockets;

use crate::answer::{PosixCall, Step};
use crate::kernel::Kernel;
use crate::kernel::files::file_system::NodeKind;
use crate::kernel::files::open_files::OpenFile;
use crate::kernel::readiness::pipe::{has_reader, has_writer, room};
use crate::kernel::readiness::sockets::Socket;
use crate::sync::wait::PosixWait;
use std::sync::Arc;
use symx_trace::{Footprint, ThreadId};

// Events, as `poll` counts them. The last three are found whether asked for or not.
pub(crate) const READABLE: u32 = 1;
pub(crate) const WRITABLE: u32 = 4;
pub(crate) const BROKEN: u32 = 8;
pub(crate) const HUNG_UP: u32 = 0x10;
pub(crate) const INVALID: u32 = 0x20;
const PEER_CLOSED: u32 = 0x2000;

/// Events that a thread waits for at a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interest {
    pub descriptor: u32,
    pub events: u32,
}

/// What of `interest` there is now.
pub(crate) fn found(kernel: &Kernel, interest: Interest) -> u32 {
    let Some(file) = kernel.open.file_of(interest.descriptor) else { return INVALID };
    state(kernel, kernel.open.get(file)) & (interest.events | BROKEN | HUNG_UP)
}

fn pick(events: &[(bool, u32)]) -> u32 {
    events.iter().filter(|event| event.0).map(|event| event.1).sum()
}

fn state(kernel: &Kernel, open: &OpenFile) -> u32 {
    match kernel.files.node(open.node).map(|node| &node.kind) {
        Some(NodeKind::Pipe(bytes)) => pick(&[
            (open.is_readable() && !bytes.is_empty(), READABLE),
            (open.is_readable() && !has_writer(kernel, open.node), HUNG_UP),
            (open.is_writable() && room(kernel, open.node) > 0, WRITABLE),
            (open.is_writable() && !has_reader(kernel, open.node), BROKEN),
        ]),
        Some(NodeKind::Event(count)) => pick(&[(count.value > 0, READABLE), (true, WRITABLE)]),
        Some(NodeKind::Socket(Socket::Connected(pair))) => {
            let bytes = matches!(kernel.files.node(pair.receive).map(|node| &node.kind),
                Some(NodeKind::Pipe(bytes)) if !bytes.is_empty());
            let ended = !has_writer(kernel, pair.receive);
            let deaf = !has_reader(kernel, pair.send);
            pick(&[
                (bytes || ended, READABLE),
                (ended, PEER_CLOSED),
                (deaf || room(kernel, pair.send) > 0, WRITABLE),
                (ended && deaf, HUNG_UP),
            ])
        }
        Some(NodeKind::Socket(Socket::Listening { waiting, .. })) => pick(&[(!waiting.is_empty(), READABLE)]),
        Some(NodeKind::Socket(Socket::Fresh { .. })) => WRITABLE | HUNG_UP,
        Some(NodeKind::Queue(queue)) => {
            pick(&[(queue.has_message(), READABLE), (queue.has_room(), WRITABLE)])
        }
        Some(NodeKind::Epoll(interests)) => pick(&[(interests.is_any_ready(kernel), READABLE)]),
        _ => READABLE | WRITABLE,
    }
}

/// Whether something that `thread` waits for is there.
pub(crate) fn is_any_found(kernel: &Kernel, thread: ThreadId) -> bool {
    kernel.interests.get(&thread).is_none_or(|all| all.iter().any(|interest| found(kernel, *interest) != 0))
}

/// Waits until there is one of `interests`; the model is then asked again, with this footprint announced.
pub(crate) fn wait_for(call: &mut PosixCall<'_, '_>, footprint: Footprint, interests: Vec<Interest>) -> Step {
    let thread = call.thread();
    call.data().kernel.interests.insert(thread, Arc::from(interests));
    Ok(call.synchronise(footprint, Some(PosixWait::Descriptors)))
}
