//! The end of an open file: what goes with the last reference to it, and what that touches.
//!
//! Descriptors and mappings refer to open files, and so do messages that pass them. A message that is not
//! received any more lets go of its files.

use crate::kernel::Kernel;
use crate::kernel::nodes::file_locks::LockOwner;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::notifier::Notifier;
use crate::kernel::nodes::sets::{set_at, touched_by_change};
use crate::kernel::nodes::socket::{Family, Role, Socket};
use crate::kernel::nodes::{
    connection_of, ends_with, events, files_in_pipe, has_bytes, has_reader, has_writer, socket_of, sockets,
};
use crate::places::{ADDRESSES, TIMER, file_place, locks_of, node_place, release, write};
use rustc_hash::FxHashSet;
use smallvec::smallvec;
use symx_trace::{Access, Footprint, Mode, Place};

/// Which files a message passes is known once others have sent or received: what a step touches that may end
/// them depends on that. So it counts as one that looks at all.
pub(crate) const ANY_END: Access = Access { place: Place::Everything, mode: Mode::Read };

/// The places that the end of a reference to `file` touches, and to the files that end with it.
pub(crate) fn footprint_of_letting_go(kernel: &Kernel, file: u64) -> Footprint {
    let mut footprint = Footprint::new();
    let (mut open, mut seen) = (vec![file], FxHashSet::default());
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            footprint.extend(touched_by_end(kernel, file));
            open.extend(received_by(kernel, kernel.open.get(file).node));
        }
    }
    if seen.len() > 1 {
        footprint.push(ANY_END);
    }
    footprint
}

/// The places that the end of a reference to `file` touches: the end of a pipe's last writer or reader is
/// something the other side sees.
pub(crate) fn touched_by_end(kernel: &Kernel, file: u64) -> Footprint {
    let node = kernel.open.get(file).node;
    let mut footprint: Footprint = smallvec![write(file_place(file))];
    footprint.extend(touched_by_change(kernel, node, 0));
    footprint.extend(events::touched_by_closing(kernel, file));
    footprint.extend(ends_with(kernel, node).into_iter().flat_map(|pipe| touched_by_change(kernel, pipe, 0)));
    // Sets that watch it do not any more.
    let watches = |set: &u64| {
        set_at(kernel, *set).is_some_and(|set| set.watches.keys().any(|(_, watched)| *watched == file))
    };
    footprint.extend(kernel.sets.iter().copied().filter(watches).map(|set| write(node_place(set))));
    if !kernel.file_locks.of(node).is_empty() {
        footprint.push(release(locks_of(node)));
    }
    match kernel.files.kind(node) {
        Some(NodeKind::Timer(_)) => footprint.push(write(TIMER)),
        // Its address is free for others.
        Some(NodeKind::Socket(socket)) if socket.has_address() => footprint.push(write(ADDRESSES)),
        _ => {}
    }
    footprint
}

/// The open files that are on their way to the socket `node`, or to connections that it has not accepted.
pub(crate) fn received_by(kernel: &Kernel, node: u64) -> Vec<u64> {
    let inside = |node| connection_of(kernel, node).map(|side| files_in_pipe(kernel, side.receive));
    match socket_of(kernel, node).map(|socket| &socket.role) {
        Some(Role::Connected(_)) => inside(node).unwrap_or_default(),
        Some(Role::Listening { waiting, .. }) => {
            waiting.iter().filter_map(|accepted| inside(*accepted)).flatten().collect()
        }
        Some(Role::Datagrams(inbox)) => {
            inbox.queue.iter().flat_map(|datagram| datagram.extras.files.iter().copied()).collect()
        }
        Some(Role::Fresh) | None => Vec::new(),
    }
}

/// Ends a reference to `file`, and wakes threads that wait at the other side if that closes it.
pub(crate) fn let_go(kernel: &mut Kernel, file: u64) {
    let node = kernel.open.get(file).node;
    if kernel.open.has_one_reference(file) {
        events::closing(kernel, file);
    }
    if kernel.open.drop_reference(file).is_none() {
        return;
    }
    kernel.file_locks.give_all_back(node, LockOwner::OpenFile(file));
    events::ends_if_unused(kernel, node);
    match kernel.files.kind(node) {
        Some(NodeKind::Pipe(_)) => {
            if has_reader(kernel, node) != has_writer(kernel, node) {
                kernel.changed(node, 0);
            }
        }
        Some(NodeKind::Timer(number)) => {
            let number = *number;
            kernel.own.timers.close(number);
        }
        Some(NodeKind::Notifier(_)) => end_notifications(kernel, node),
        Some(NodeKind::Epoll(_)) => {
            kernel.sets.remove(&node);
        }
        _ => {
            let lost = received_by(kernel, node);
            reset_peers(kernel, node);
            for pipe in ends_with(kernel, node) {
                kernel.changed(pipe, 0);
            }
            for file in lost {
                let_go(kernel, file);
            }
        }
    }
}

/// The last descriptor for notifications of `node` is closed: nothing watches for it any more.
fn end_notifications(kernel: &mut Kernel, node: u64) {
    kernel.notifiers.remove(&node);
    kernel.files.change(node, |node| {
        node.kind = NodeKind::Notifier(Notifier::default());
        node.changes = Default::default();
    });
}

/// The socket `node` is closed: the socket connected to it is notified, if that loses what it has sent.
pub(crate) fn reset_peers(kernel: &mut Kernel, node: u64) {
    let Some(socket) = socket_of(kernel, node) else { return };
    let aborts = socket.options.aborts && socket.family != Family::Local;
    let lost: Vec<u64> = match &socket.role {
        Role::Connected(side) if aborts || has_bytes(kernel, side.receive) => vec![side.send],
        Role::Listening { waiting, .. } => {
            waiting.iter().filter_map(|node| connection_of(kernel, *node)).map(|side| side.send).collect()
        }
        _ => return,
    };
    let is_told = |node: &u64| connection_of(kernel, *node).is_some_and(|side| lost.contains(&side.receive));
    let told: Vec<u64> = sockets(kernel).filter(is_told).collect();
    for node in told {
        kernel.files.change(node, |node| {
            if let NodeKind::Socket(Socket { role: Role::Connected(side), .. }) = &mut node.kind {
                side.is_reset = true;
            }
        });
    }
}
