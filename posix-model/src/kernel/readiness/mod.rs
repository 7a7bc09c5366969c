//! Whether a descriptor would let a read or a write proceed, and waiting until one of several does.

pub(crate) mod changes;
pub(crate) mod epoll;
pub(crate) mod event_counters;
pub(crate) mod pipe;
pub(crate) mod poll;
pub(crate) mod signal_descriptors;
pub(crate) mod sockets;
pub(crate) mod timer_descriptors;

use crate::answer::{PosixCall, Step, Turn, failed};
use crate::errno::EINVAL;
use crate::kernel::files::descriptors::descriptor_place;
use crate::kernel::files::file_system::NodeKind;
use crate::kernel::files::open_files::{NONBLOCK, OpenFile, file_place, node_place};
use crate::kernel::files::transfers::footprint_of_transfer;
use crate::kernel::notifications::{self, events};
use crate::kernel::readiness::pipe::{has_reader, has_writer, room};
use crate::kernel::readiness::sockets::{Role, Socket, pipes_of};
use crate::kernel::system_calls::argument;
use crate::kernel::{Kernel, queues};
use crate::options::Posix;
use crate::places::{ADDRESSES, SIGNALS, TIMER, read, write};
use crate::sync::wait::PosixWait;
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::environment::Outcome;
use symx_interp::memory::byte_string::Stretch;
use symx_trace::{Access, Footprint, Mode, ThreadId};

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
    /// How often the set of descriptors that it refers to, if any, had been changed. A change ends the wait,
    /// so that what is waited for then is in the footprint.
    set: u64,
}

impl Interest {
    pub fn new(kernel: &Kernel, descriptor: u32, events: u32) -> Self {
        Self { descriptor, events, set: set_changes(kernel, descriptor) }
    }
}

fn set_changes(kernel: &Kernel, descriptor: u32) -> u64 {
    let node = kernel.node_of(descriptor);
    match node.and_then(|node| kernel.files.node(node)).map(|node| &node.kind) {
        Some(NodeKind::Epoll(watches)) => watches.changes(),
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
    match kernel.files.node(open.node).map(|node| &node.kind) {
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
            let ended = !has_writer(kernel, side.receive);
            let deaf = !has_reader(kernel, side.send);
            pick(&[
                (bytes || ended, READABLE),
                (ended, PEER_CLOSED),
                (side.is_reset, BROKEN),
                (deaf || room(kernel, side.send) > 0, WRITABLE),
                (ended && deaf, HUNG_UP),
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
    let kind = kernel.files.node(node).map(|node| &node.kind);
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
    let is_set =
        |node: &u64| matches!(kernel.files.node(*node).map(|node| &node.kind), Some(NodeKind::Epoll(_)));
    let sets = nodes.filter(is_set);
    let footprint: Footprint = sets.map(|set| read(node_place(set))).collect();
    if footprint.is_empty() { None } else { Some(call.park(footprint)) }
}

/// Whether something that `thread` waits for is there, or what it waits for has changed.
pub(crate) fn is_any_found(kernel: &Kernel, thread: ThreadId) -> bool {
    let is_there = |interest: &Interest| {
        found(kernel, thread, *interest) != 0 || set_changes(kernel, interest.descriptor) != interest.set
    };
    kernel.interests.get(&thread).is_none_or(|all| all.iter().any(is_there))
}

/// Waits until there is one of `interests`; the model is then asked again, with this footprint announced.
pub(crate) fn wait_for(call: &mut PosixCall<'_, '_>, footprint: Footprint, interests: Vec<Interest>) -> Step {
    let thread = call.thread();
    call.data().kernel.interests.insert(thread, Arc::from(interests));
    Ok(call.synchronise(footprint, Some(PosixWait::Descriptors)))
}

/// Waits, as a read or a write does, until there is one of `events` at the descriptor in argument 0. A
/// handler that is to restart calls restarts the wait; after another one `has_interrupted` holds. The
/// footprint of the operation besides the object is in `others`.
pub(crate) fn wait_to_transfer(call: &mut PosixCall<'_, '_>, events: u32, others: &[Access]) -> Step {
    let (thread, descriptor) = (call.thread(), argument(call, 0)? as u32);
    let mut footprint = Footprint::from_slice(others);
    let kernel = &mut call.data().kernel;
    match kernel.file_of(descriptor) {
        Some(file) => footprint.extend(footprint_of_transfer(kernel, file, Mode::Write)),
        None => footprint.push(read(descriptor_place(descriptor))),
    }
    let interest = Interest::new(kernel, descriptor, events);
    kernel.interests.insert(thread, Arc::from([interest]));
    Ok(call.synchronise(footprint, Some(PosixWait::Transfer)))
}

/// Takes at most `count` bytes out of an open object, after an announcement.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, open: &OpenFile, count: u64) -> Turn<Stretch> {
    let bytes = |turn| match turn {
        Turn::Go(bytes) => Turn::Go(Vec::into(bytes)),
        Turn::Answer(answer) => Turn::Answer(answer),
    };
    let immediately = open.flags & NONBLOCK != 0;
    match call.state().data.kernel.files.node(open.node).map(|node| &node.kind) {
        Some(NodeKind::Pipe(_)) => pipe::take(call, open.node, immediately, count),
        Some(NodeKind::Socket(_)) => sockets::take_from(call, open.node, immediately, count),
        Some(NodeKind::Notifier(_)) => bytes(notifications::take(call, open.node, open.flags, count)),
        Some(NodeKind::Event(_)) => bytes(event_counters::take(call, open.node, open.flags, count)),
        Some(NodeKind::Timer(number)) => {
            let timer = (open.node, *number);
            bytes(timer_descriptors::take(call, timer, open.flags, count))
        }
        Some(NodeKind::Signals(set)) => {
            let set = *set;
            bytes(signal_descriptors::take(call, set, open.flags, count))
        }
        _ => Turn::Answer(failed(EINVAL)),
    }
}

/// The footprint of closing `descriptor`: the end of a pipe's last writer or reader is something the other
/// side sees.
pub(crate) fn footprint_of_closing(kernel: &Kernel, descriptor: u32) -> Footprint {
    let mut footprint: Footprint = smallvec![write(descriptor_place(descriptor))];
    if let Some(file) = kernel.file_of(descriptor) {
        let node = kernel.open.get(file).node;
        footprint.extend([write(file_place(file)), write(node_place(node))]);
        footprint.extend(events::touched_by_closing(kernel, file));
        footprint.extend(ends_with(kernel, node).into_iter().map(|pipe| write(node_place(pipe))));
        match kernel.files.node(node).map(|node| &node.kind) {
            Some(NodeKind::Timer(_)) => footprint.push(write(TIMER)),
            // Its address is free for others.
            Some(NodeKind::Socket(socket)) if socket.has_address() => footprint.push(write(ADDRESSES)),
            _ => {}
        }
    }
    footprint
}

/// Frees `descriptor` and wakes threads that wait at the other side, if that closes the file.
pub(crate) fn close(kernel: &mut Kernel, descriptor: u32) {
    let Some(file) = kernel.file_of(descriptor) else { return };
    let node = kernel.open.get(file).node;
    if kernel.open.has_one_reference(file) {
        events::closing(kernel, file);
    }
    let closed = kernel.unbind(descriptor);
    queues::closed(kernel, node);
    if closed.is_none() {
        return;
    }
    events::ends_if_unused(kernel, node);
    match kernel.files.node(node).map(|node| &node.kind) {
        Some(NodeKind::Pipe(_)) => {
            if has_reader(kernel, node) != has_writer(kernel, node) {
                kernel.files.changed(node, 0);
            }
        }
        Some(NodeKind::Timer(number)) => {
            let number = *number;
            kernel.own.timers.close(number);
        }
        Some(NodeKind::Notifier(_)) => notifications::closed(kernel, node),
        _ => {
            sockets::reset_peers(kernel, node);
            for pipe in ends_with(kernel, node) {
                kernel.files.changed(pipe, 0);
            }
        }
    }
}

/// The pipes of which an end goes when the socket `node` is closed: its own, and of connections it has not
/// accepted.
fn ends_with(kernel: &Kernel, node: u64) -> Vec<u64> {
    match kernel.files.node(node).map(|node| &node.kind) {
        Some(NodeKind::Socket(Socket { role: Role::Listening { waiting, .. }, .. })) => {
            waiting.iter().flat_map(|accepted| pipes_of(kernel, *accepted)).collect()
        }
        _ => pipes_of(kernel, node).collect(),
    }
}
