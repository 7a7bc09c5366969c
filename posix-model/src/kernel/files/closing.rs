//! Closing descriptors: what that touches, and what goes with the last one of an open file.

use crate::kernel::Kernel;
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::{ends_with, events};
use crate::kernel::readiness::pipe::{has_reader, has_writer};
use crate::kernel::readiness::sockets;
use crate::kernel::{notifications, queues};
use crate::places::{ADDRESSES, TIMER, file_place, node_place, write};
use smallvec::smallvec;
use symx_trace::Footprint;

/// The footprint of closing `descriptor`: the end of a pipe's last writer or reader is something the other
/// side sees.
pub(crate) fn footprint_of_closing(kernel: &Kernel, descriptor: u32) -> Footprint {
    let mut footprint: Footprint = smallvec![write(descriptor_place(descriptor))];
    if let Some(file) = kernel.file_of(descriptor) {
        let node = kernel.open.get(file).node;
        footprint.extend([write(file_place(file)), write(node_place(node))]);
        footprint.extend(events::touched_by_closing(kernel, file));
        footprint.extend(ends_with(kernel, node).into_iter().map(|pipe| write(node_place(pipe))));
        // Sets that watch it do not any more.
        let watches = |set: &u64| match kernel.files.kind(*set) {
            Some(NodeKind::Epoll(set)) => set.watches.keys().any(|(_, watched)| *watched == file),
            _ => false,
        };
        footprint.extend(kernel.open.nodes().filter(watches).map(|set| write(node_place(set))));
        match kernel.files.kind(node) {
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
    match kernel.files.kind(node) {
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
