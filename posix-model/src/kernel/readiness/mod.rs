//! Whether a descriptor would let a read or a write proceed, and waiting until one of several does.

pub(crate) mod changes;
pub(crate) mod epoll;
pub(crate) mod event_counters;
mod masked;
pub(crate) mod pipe;
pub(crate) mod poll;
pub(crate) mod signal_descriptors;
pub(crate) mod sockets;
pub(crate) mod timer_descriptors;

use crate::answer::{PosixCall, Step};
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::{BROKEN, HUNG_UP, INVALID, PEER_CLOSED, READABLE, WRITABLE};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::OpenFile;
use crate::kernel::nodes::pipes_of;
use crate::kernel::nodes::socket::{Role, Socket};
use crate::kernel::readiness::pipe::{has_reader, has_writer, room};
use crate::kernel::system_calls::argument;
use crate::kernel::transfers::{footprint_of_transfer, orders_of_transfer};
use crate::options::Posix;
use crate::places::{SIGNALS, node_place, read, write};
use crate::sync::wait::PosixWait;
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_trace::{Access, Footprint, Mode, ThreadId};

/// Events that a thread waits for at a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interest {
    pub descriptor: u32,
    pub events: u32,
    /// How often the set of descriptors that it refers to, if any, had been changed. A change ends the wait,
    /// so that what is waited for then is in the footprint.
    set: u64,
}

impl Interest {
    pub fn new(kernel: &Kernel, descriptor: u32, events: u32) -> Self {
        Self { descriptor, events, set: set_changes(kernel, descriptor) }
    }
}

/// What a thread waits for that looks at descriptors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Awaited {
    interests: Arc<[Interest]>,
    /// Signals that end the wait, though the thread blocks them otherwise; bit 0 for signal 1.
    pub let_in: u64,
}

impl Awaited {
    pub fn new(interests: impl Into<Arc<[Interest]>>) -> Self {
        Self { interests: interests.into(), let_in: 0 }
    }
}

fn set_changes(kernel: &Kernel, descriptor: u32) -> u64 {
    let node = kernel.node_of(descriptor);
    match node.and_then(|node| kernel.files.node(node)).map(|node| &node.kind) {
        Some(NodeKind::Epoll(watches)) => watches.changes,
        _ => 0,
    }
}

/// The events of `interest` that have occurred now for `thread`.
pub(crate) fn found(kernel: &Kernel, thread: ThreadId, interest: Interest) -> u32 {
    let Some(file) = kernel.file_of(interest.descriptor) else { return INVALID };
    found_at(kernel, thread, file, interest.events)
}

/// The events of `events` that have occurred now for `thread` at an open file.
fn found_at(kernel: &Kernel, thread: ThreadId, file: u64, events: u32) -> u32 {
    state(kernel, thread, kernel.open.get(file)) & (events | BROKEN | HUNG_UP)
}

fn pick(events: &[(bool, u32)]) -> u32 {
    events.iter().filter(|event| event.0).map(|event| event.1).sum()
}

fn state(kernel: &Kernel, thread: ThreadId, open: &OpenFile) -> u32 {
    match kernel.files.kind(open.node) {
        Some(NodeKind::Pipe(bytes)) => pick(&[
            (open.is_readable() && !bytes.is_empty(), READABLE),
            (open.is_readable() && !has_writer(kernel, open.node), HUNG_UP),
            (open.is_writable() && room(kernel, open.node) > 0, WRITABLE),
            (open.is_writable() && !has_reader(kernel, open.node), BROKEN),
        ]),
        Some(NodeKind::Event(count)) => pick(&[(count.value > 0, READABLE), (count.has_room(), WRITABLE)]),
        Some(NodeKind::Socket(socket)) => state_of_socket(kernel, open.node, socket),
        Some(NodeKind::Notifier(notifier)) => pick(&[(notifier.has_events(), READABLE)]),
        Some(NodeKind::Queue(queue)) => {
            pick(&[(queue.has_message(), READABLE), (queue.has_room(), WRITABLE)])
        }
        Some(NodeKind::Signals(set)) => {
            pick(&[(signal_descriptors::is_readable(kernel, thread, *set), READABLE)])
        }
        Some(NodeKind::Timer(number)) => {
            pick(&[(timer_descriptors::is_readable(kernel, thread, *number), READABLE)])
        }
        Some(NodeKind::Epoll(watches)) => pick(&[(watches.is_any_ready(kernel, thread), READABLE)]),
        _ => READABLE | WRITABLE,
    }
}

fn state_of_socket(kernel: &Kernel, node: u64, socket: &Socket) -> u32 {
    match &socket.role {
        Role::Connected(side) => {
            let bytes = pipe::has_bytes(kernel, side.receive);
            let ended = !side.reads || !has_writer(kernel, side.receive);
            let deaf = !has_reader(kernel, side.send);
            pick(&[
                (bytes || ended, READABLE),
                (ended, PEER_CLOSED),
                (side.is_reset, BROKEN),
                (deaf || room(kernel, side.send) > 0, WRITABLE),
                (ended && (deaf || !side.writes), HUNG_UP),
            ])
        }
        Role::Listening { waiting, .. } => pick(&[
            (!waiting.is_empty() || socket.deaf, READABLE),
            (socket.deaf, PEER_CLOSED),
            (socket.deaf && socket.mute, HUNG_UP),
        ]),
        Role::Fresh => WRITABLE | HUNG_UP | pick(&[(socket.deaf, READABLE | PEER_CLOSED)]),
        Role::Datagrams(inbox) => sockets::datagrams::state(kernel, node, inbox),
    }
}

/// Adds to `footprint` what it depends on whether `node` is ready.
pub(crate) fn add_dependences(kernel: &Kernel, node: u64, footprint: &mut Footprint) {
    let own = read(node_place(node));
    let kind = kernel.files.kind(node);
    // Sets that watch sets have many ways to one of them: what it depends on is added once.
    if matches!(kind, Some(NodeKind::Epoll(_))) && footprint.contains(&own) {
        return;
    }
    footprint.push(own);
    footprint.extend(pipes_of(kernel, node).map(|pipe| read(node_place(pipe))));
    match kind {
        Some(NodeKind::Epoll(watches)) => {
            for watched in watches.nodes(kernel) {
                add_dependences(kernel, watched, footprint);
            }
        }
        Some(NodeKind::Signals(_)) => footprint.push(read(SIGNALS)),
        Some(NodeKind::Socket(Socket { role: Role::Datagrams(inbox), .. })) => {
            footprint.extend(inbox.peer().map(|peer| read(node_place(peer))));
        }
        _ => {}
    }
}

/// What a system call touches by naming the object at `node`, if that is what it is for, in argument 0.
pub(crate) fn footprint_of_naming(
    call: &mut PosixCall<'_, '_>,
    node: Option<u64>,
) -> Result<Footprint, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let object = node.map(|node| smallvec![write(node_place(node))]);
    Ok(call.state().data.kernel.own.descriptors.touched_by_use(descriptor, call.thread(), object))
}

/// Parks before it is looked up what sets of descriptors among `descriptors` watch: others may be about to
/// change that, so looking is a step. `None` in later phases, and if there is no set.
pub(crate) fn before_looking_into_sets(
    call: &mut PosixCall<'_, '_>,
    descriptors: &[u32],
) -> Option<Outcome<Posix>> {
    if call.phase() > 0 {
        return None;
    }
    let kernel = &call.state().data.kernel;
    let nodes = descriptors.iter().filter_map(|descriptor| kernel.node_of(*descriptor));
    let is_set = |node: &u64| matches!(kernel.files.kind(*node), Some(NodeKind::Epoll(_)));
    let sets = nodes.filter(is_set);
    let footprint: Footprint = sets.map(|set| read(node_place(set))).collect();
    if footprint.is_empty() { None } else { Some(call.park(footprint)) }
}

/// Whether something that `thread` waits for is there, or what it waits for has changed, or a signal comes
/// that its wait lets in.
pub(crate) fn is_any_found(kernel: &Kernel, thread: ThreadId) -> bool {
    let has_changed = |interest: &Interest| set_changes(kernel, interest.descriptor) != interest.set;
    is_one_ready(kernel, thread) != Some(false)
        || kernel.interests.get(&thread).is_some_and(|awaited| {
            awaited.interests.iter().any(has_changed)
                || kernel.own.signals.is_any_deliverable(thread, awaited.let_in)
        })
}

/// Whether a descriptor that `thread` waits for is ready. `None` if it waits for none.
pub(crate) fn is_one_ready(kernel: &Kernel, thread: ThreadId) -> Option<bool> {
    let awaited = kernel.interests.get(&thread)?;
    Some(awaited.interests.iter().any(|interest| found(kernel, thread, *interest) != 0))
}

/// Waits until there is one of `interests`; the model is then asked again, with this footprint announced.
pub(crate) fn wait_for(call: &mut PosixCall<'_, '_>, footprint: Footprint, interests: Vec<Interest>) -> Step {
    let thread = call.thread();
    call.data().kernel.interests.insert(thread, Awaited::new(interests));
    Ok(call.synchronise(footprint, Some(PosixWait::Descriptors)))
}

/// Waits, as a read or a write does, until there is one of `events` at the descriptor in argument 0. A
/// handler that is to restart calls restarts the wait; after another one `has_interrupted` holds. The
/// footprint of the operation besides the object is in `others`.
pub(crate) fn wait_to_transfer(call: &mut PosixCall<'_, '_>, events: u32, others: &[Access]) -> Step {
    let (thread, descriptor) = (call.thread(), argument(call, 0)? as u32);
    let mut footprint = Footprint::from_slice(others);
    let kernel = &mut call.data().kernel;
    footprint.extend(kernel.own.descriptors.touched_by_naming(descriptor, thread));
    if let Some(file) = kernel.file_of(descriptor) {
        footprint.extend(footprint_of_transfer(kernel, file, Mode::Write));
        footprint.extend(orders_of_transfer(kernel, file, events == READABLE));
    }
    let interest = Interest::new(kernel, descriptor, events);
    kernel.interests.insert(thread, Awaited::new([interest]));
    Ok(call.synchronise(footprint, Some(PosixWait::Transfer)))
}
