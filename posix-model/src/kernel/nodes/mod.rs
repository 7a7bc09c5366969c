//! What the kernel keeps: nodes of the file system, open files, descriptors and names.
//!
//! All is plain data, with what looks at it. Calls are in the folders and files beside, by subject.

pub(crate) mod changes;
pub(crate) mod closing;
pub(crate) mod content;
pub(crate) mod descriptors;
pub(crate) mod events;
pub(crate) mod file_locks;
pub(crate) mod file_system;
pub(crate) mod kinds;
pub(crate) mod notifier;
pub(crate) mod open_files;
pub(crate) mod paths;
pub(crate) mod pipe_buffer;
pub(crate) mod sets;
pub(crate) mod socket;
mod symbolic_paths;

use crate::kernel::Kernel;
use kinds::NodeKind;
use notifier::Notifier;
use open_files::OpenFile;
use pipe_buffer::PipeBuffer;
use socket::{Connection, Role, Socket};

/// The socket `node`.
pub(crate) fn socket_of(kernel: &Kernel, node: u64) -> Option<&Socket> {
    match kernel.files.kind(node) {
        Some(NodeKind::Socket(socket)) => Some(socket),
        _ => None,
    }
}

/// The connection of the socket `node`.
pub(crate) fn connection_of(kernel: &Kernel, node: u64) -> Option<&Connection> {
    match socket_of(kernel, node).map(|socket| &socket.role) {
        Some(Role::Connected(side)) => Some(side),
        _ => None,
    }
}

/// The sockets that are open or wait to be accepted.
pub(crate) fn sockets(kernel: &Kernel) -> impl Iterator<Item = u64> {
    let waiting = kernel.open.nodes().filter_map(|node| socket_of(kernel, node));
    let waiting = waiting.flat_map(|socket| match &socket.role {
        Role::Listening { waiting, .. } => waiting.iter().copied().collect(),
        _ => Vec::new(),
    });
    kernel.open.nodes().chain(waiting)
}

/// The bytes in the pipe `node`.
pub(crate) fn buffer_of(kernel: &Kernel, node: u64) -> Option<&PipeBuffer> {
    match kernel.files.kind(node) {
        Some(NodeKind::Pipe(buffer)) => Some(buffer),
        _ => None,
    }
}

/// Whether the pipe may still be read from: by an open end of it, or by a socket, even one not accepted yet.
pub(crate) fn has_reader(kernel: &Kernel, node: u64) -> bool {
    kernel.open.count(node, OpenFile::is_readable) > 0
        || sides(kernel).any(|side| side.receive == node && side.takes)
}

/// Whether the pipe may still be written to.
pub(crate) fn has_writer(kernel: &Kernel, node: u64) -> bool {
    kernel.open.count(node, OpenFile::is_writable) > 0
        || sides(kernel).any(|side| side.send == node && side.writes)
}

/// Whether the socket that reads from the pipe, or else writes to it, was shut down for that.
pub(crate) fn is_shut_down(kernel: &Kernel, node: u64, reads: bool) -> bool {
    sides(kernel).any(|side| match reads {
        true => side.receive == node && !side.reads,
        false => side.send == node && !side.writes,
    })
}

/// The connected sockets that are open or wait to be accepted.
fn sides(kernel: &Kernel) -> impl Iterator<Item = &Connection> {
    sockets(kernel).filter_map(|node| connection_of(kernel, node))
}

/// Whether there is something in the pipe.
pub(crate) fn has_bytes(kernel: &Kernel, node: u64) -> bool {
    buffer_of(kernel, node).is_some_and(|buffer| !buffer.is_empty())
}

/// The open files on their way in the pipe.
fn files_in_pipe(kernel: &Kernel, node: u64) -> Vec<u64> {
    buffer_of(kernel, node).map_or_else(Vec::new, |buffer| buffer.files().collect())
}

/// The pipes of a connected socket.
pub(crate) fn pipes_of(kernel: &Kernel, node: u64) -> impl Iterator<Item = u64> + use<> {
    connection_of(kernel, node).map(|side| [side.receive, side.send]).into_iter().flatten()
}

/// The pipes of which an end goes when the socket `node` is closed: its own, and of connections it has not
/// accepted.
pub(crate) fn ends_with(kernel: &Kernel, node: u64) -> Vec<u64> {
    match kernel.files.kind(node) {
        Some(NodeKind::Socket(Socket { role: Role::Listening { waiting, .. }, .. })) => {
            waiting.iter().flat_map(|accepted| pipes_of(kernel, *accepted)).collect()
        }
        _ => pipes_of(kernel, node).collect(),
    }
}

/// What the node `node` is, if it is a descriptor for notifications.
pub(crate) fn notifier_of(kernel: &Kernel, node: u64) -> Option<&Notifier> {
    match kernel.files.kind(node) {
        Some(NodeKind::Notifier(notifier)) => Some(notifier),
        _ => None,
    }
}
