//! Datagrams: what sockets without connections send each other. A message is received whole or cut, never in
//! parts.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{
    EAGAIN, ECONNREFUSED, ECONNRESET, EDESTADDRREQ, EINVAL, EMSGSIZE, ENOTCONN, EPERM, EPIPE,
};
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::{BROKEN, HUNG_UP, PEER_CLOSED, READABLE, WRITABLE};
use crate::kernel::nodes::closing::{footprint_of_letting_go, received_by};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::pipe_buffer::{Extras, Message};
use crate::kernel::nodes::sets::{orders_of_change, touched_by_change};
use crate::kernel::nodes::socket::{Address, Datagram, Family, Inbox, Peer, Role, Socket};
use crate::kernel::nodes::socket_of;
use crate::kernel::readiness::sockets::addresses::{self};
use crate::kernel::readiness::sockets::binding::{bound_or_free, target};
use crate::kernel::readiness::sockets::change;
use crate::kernel::readiness::sockets::passing::discard;
use crate::kernel::readiness::{pick, wait_to_transfer};
use imbl::Vector;
use std::sync::Arc;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_trace::{Footprint, ThreadId};

/// Datagrams that wait at a local socket before a sender that is not its peer has to wait.
const LOCAL_QUEUE: usize = 11;
/// Datagrams, and bytes in them, that any socket has room for.
const ROOM: (usize, usize) = (128, 100_000);
/// Longest datagram: what UDP bears, and what a local socket's buffer does.
const LONGEST: usize = 65_507;
pub(super) const LONGEST_LOCAL: usize = 212_960;

/// A received message.
#[derive(Default)]
pub(crate) struct Received {
    /// As much as there was room for.
    pub content: Stretch,
    /// How long the message was.
    pub length: usize,
    pub from: Option<Address>,
    /// What came with it.
    pub extras: Extras,
}

impl Inbox {
    /// Whether a local socket that is not its peer has to wait.
    fn is_full(&self) -> bool {
        self.queue.len() >= LOCAL_QUEUE
    }

    fn has_room_for(&self, length: usize) -> bool {
        let held: usize = self.queue.iter().map(|datagram| datagram.content.len()).sum();
        self.queue.len() < ROOM.0 && (self.queue.is_empty() || held + length <= ROOM.1)
    }
}

fn inbox_of(kernel: &Kernel, node: u64) -> Option<&Inbox> {
    match socket_of(kernel, node).map(|socket| &socket.role) {
        Some(Role::Datagrams(inbox)) => Some(inbox),
        _ => None,
    }
}

fn change_inbox(call: &mut PosixCall<'_, '_>, node: u64, change_it: impl FnOnce(&mut Inbox)) {
    change(call, node, |socket| {
        if let Role::Datagrams(inbox) = &mut socket.role {
            change_it(inbox);
        }
    });
}

/// The state of the socket `node` with this inbox.
pub(crate) fn state(kernel: &Kernel, node: u64, inbox: &Inbox) -> u32 {
    pick(&[
        (!inbox.queue.is_empty() || inbox.deaf, READABLE),
        (inbox.error.is_some(), BROKEN),
        (inbox.deaf, PEER_CLOSED),
        (inbox.deaf && inbox.mute, HUNG_UP),
        (!inbox.peer().is_some_and(|peer| keeps_waiting(kernel, node, peer)), WRITABLE),
    ])
}

/// Whether the local socket `from` has to wait until `to` has room.
fn keeps_waiting(kernel: &Kernel, from: u64, to: u64) -> bool {
    inbox_of(kernel, to).is_some_and(|inbox| inbox.peer() != Some(from) && inbox.is_full())
}

/// Two local sockets that are each other's peers.
pub(crate) fn pair(kernel: &mut Kernel, thread: ThreadId) -> [u64; 2] {
    let nodes = [(); 2].map(|()| {
        let socket = Socket::new(Family::Local, Role::Datagrams(Inbox::default()));
        kernel.files.add(thread, NodeKind::Socket(socket), 0o777)
    });
    for (own, other) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
        let peer = Some(Peer { address: addresses::nameless(), node: Some(other) });
        let socket = Socket::new(Family::Local, Role::Datagrams(Inbox { peer, ..Inbox::default() }));
        kernel.files.change(own, |node| node.kind = NodeKind::Socket(socket));
    }
    nodes
}

/// Makes `wanted` the peer of the socket `node`.
pub(crate) fn connect(call: &mut PosixCall<'_, '_>, node: u64, socket: &Socket, wanted: Address) -> Step {
    let peer = match socket.family {
        Family::Local => match target(call, socket, &wanted)? {
            Ok(peer) if is_anothers(&call.state().data.kernel, node, peer) => return failed(EPERM),
            Ok(peer) => Some(peer),
            Err(error) => return failed(error),
        },
        _ if !addresses::is_of_this_machine(&wanted) => {
            return Err(call.unsupported("a datagram socket connected to another machine"));
        }
        _ => None,
    };
    let own = bound_or_free(call, socket, false)?;
    let own = own.map(|own| addresses::concrete(socket.family, &own));
    if matches!(&socket.role, Role::Datagrams(inbox) if inbox.peer() != peer) {
        leave(call, node, socket);
    }
    change(call, node, |socket| socket.own = own);
    change_inbox(call, node, |inbox| inbox.peer = Some(Peer { address: wanted, node: peer }));
    word(0)
}

/// Whether the local socket `to` is connected to another one than `from`, so that it takes nothing of that.
fn is_anothers(kernel: &Kernel, from: u64, to: u64) -> bool {
    inbox_of(kernel, to).and_then(Inbox::peer).is_some_and(|peer| peer != from)
}

/// What leaving its peer touches besides the socket `node`: the peer, and files that were passed to `node`.
pub(crate) fn touched_by_leaving(kernel: &Kernel, node: u64, socket: &Socket) -> Footprint {
    let Role::Datagrams(inbox) = &socket.role else { return Footprint::new() };
    let lost = inbox.peer().map(|_| received_by(kernel, node)).unwrap_or_default();
    let lost = lost.into_iter().flat_map(|file| footprint_of_letting_go(kernel, file));
    let peer = inbox.peer().into_iter().flat_map(|peer| touched_by_change(kernel, peer, 0));
    peer.chain(orders_of_change(kernel, node, WRITABLE)).chain(lost).collect()
}

/// A socket of datagrams has no peer any more. A local one loses what it has not received, which its peer
/// hears of.
pub(crate) fn leave(call: &mut PosixCall<'_, '_>, node: u64, socket: &Socket) {
    let Role::Datagrams(inbox) = &socket.role else { return };
    change_inbox(call, node, |inbox| inbox.peer = None);
    let Some(peer) = inbox.peer().filter(|_| !inbox.queue.is_empty()) else { return };
    let kernel = &mut call.data().kernel;
    let lost = received_by(kernel, node);
    kernel.changed(node, WRITABLE);
    let is_mutual = inbox_of(kernel, peer).and_then(Inbox::peer) == Some(node);
    change_inbox(call, node, |inbox| inbox.queue = Vector::new());
    if is_mutual {
        change_inbox(call, peer, |inbox| inbox.error = Some(ECONNRESET));
        call.data().kernel.changed(peer, 0);
    }
    discard(call, &lost);
}

/// The socket that gets what `socket` sends `to` an address, or to its peer; else the error.
pub(crate) fn destination(
    call: &mut PosixCall<'_, '_>,
    socket: &Socket,
    to: Option<&Address>,
) -> Result<Result<u64, i32>, Stop> {
    let Role::Datagrams(inbox) = &socket.role else { return Ok(Err(EINVAL)) };
    if to.is_none()
        && let Some(peer) = inbox.peer()
    {
        let is_open = call.state().data.kernel.open.nodes().any(|open| open == peer);
        return Ok(if is_open { Ok(peer) } else { Err(ECONNREFUSED) });
    }
    match to.or(inbox.peer_address()) {
        Some(to) => target(call, socket, &to.clone()),
        None if socket.family == Family::Local => Ok(Err(ENOTCONN)),
        None => Ok(Err(EDESTADDRREQ)),
    }
}

/// Sends a datagram `to` an address, or to the peer of the socket `node`, after an announcement.
pub(crate) fn send(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    to: Option<&Address>,
    immediately: bool,
    message: &Message,
) -> Step {
    let stretch = &message.bytes;
    let mut error = None;
    change_inbox(call, node, |inbox| error = inbox.error.take());
    if let Some(error) = error {
        return failed(error);
    }
    let Some(mut socket) = socket_of(&call.state().data.kernel, node).cloned() else { return failed(EINVAL) };
    let is_local = socket.family == Family::Local;
    let Role::Datagrams(inbox) = &socket.role else { return failed(EINVAL) };
    let to_peer = to.is_none() || to == inbox.peer_address();
    let is_connected = inbox.peer_address().is_some();
    if inbox.mute {
        return failed(EPIPE);
    }
    if stretch.len() > if is_local { LONGEST_LOCAL } else { LONGEST } {
        return failed(EMSGSIZE);
    }
    if !is_local && to.is_some_and(|to| addresses::port(to) == 0) {
        return failed(EINVAL);
    }
    if socket.own.is_none() && (to.is_some() || is_connected) {
        socket.own = bound_or_free(call, &socket, true)?;
        let own = socket.own.clone();
        change(call, node, |socket| socket.own = own);
    }
    let receiver = match destination(call, &socket, to)? {
        Ok(receiver) => receiver,
        Err(ECONNREFUSED) if !is_local => {
            // It is lost, which is reported to a connected socket later.
            if to_peer && is_connected {
                change_inbox(call, node, |inbox| inbox.error = Some(ECONNREFUSED));
            }
            return word(stretch.len() as u64);
        }
        Err(error) => return failed(error),
    };
    if is_local && let Some(answer) = refused(call, node, receiver, immediately, to_peer)? {
        return answer;
    }
    put(call, &socket, receiver, message)?;
    if !is_local {
        call.data().kernel.changed(node, WRITABLE);
    }
    word(stretch.len() as u64)
}

/// Why the local socket `receiver` does not take a datagram from `node` now, if it does not.
fn refused(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    receiver: u64,
    immediately: bool,
    to_peer: bool,
) -> Result<Option<Step>, Stop> {
    let kernel = &call.state().data.kernel;
    if is_anothers(kernel, node, receiver) {
        return Ok(Some(failed(EPERM)));
    }
    if inbox_of(kernel, receiver).is_some_and(|inbox| inbox.deaf) {
        return Ok(Some(failed(EPIPE)));
    }
    if !keeps_waiting(kernel, node, receiver) {
        return Ok(None);
    }
    Ok(Some(match () {
        () if immediately => failed(EAGAIN),
        () if to_peer => {
            let touched = touched_by_change(kernel, receiver, READABLE);
            wait_to_transfer(call, WRITABLE, &touched)
        }
        () => return Err(call.unsupported("a datagram to no peer that waits for room")),
    }))
}

fn put(call: &mut PosixCall<'_, '_>, sender: &Socket, receiver: u64, message: &Message) -> Result<(), Stop> {
    let (bytes, extras) = (&message.bytes, message.extras.clone());
    let has_room =
        inbox_of(&call.state().data.kernel, receiver).is_some_and(|inbox| inbox.has_room_for(bytes.len()));
    if !has_room {
        return Err(call.unsupported("more datagrams than a socket surely has room for"));
    }
    let from = sender.own.as_ref().map(|own| addresses::concrete(sender.family, own));
    for file in &extras.files {
        call.data().kernel.open.add_reference(*file);
    }
    let datagram = Datagram { from, content: Arc::new(bytes.clone()), extras };
    change_inbox(call, receiver, |inbox| inbox.queue.push_back(datagram));
    call.data().kernel.changed(receiver, READABLE);
    Ok(())
}

/// Receives a datagram at the socket `node`, of which `count` bytes are wanted. If it `keeps` it, it stays
/// the next.
pub(crate) fn take(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    count: u64,
    keeps: bool,
) -> Turn<Received> {
    let mut error = None;
    change_inbox(call, node, |inbox| error = inbox.error.take());
    if let Some(error) = error {
        return Turn::Answer(failed(error));
    }
    let Some(inbox) = inbox_of(&call.state().data.kernel, node) else { return Turn::Answer(failed(EINVAL)) };
    let (first, was_full, deaf) = (inbox.queue.front().cloned(), inbox.is_full(), inbox.deaf);
    let Some(datagram) = first else {
        return match () {
            () if immediately => Turn::Answer(failed(EAGAIN)),
            () if deaf => Turn::Go(Received::default()),
            () => Turn::Answer(wait_to_transfer(call, READABLE, &[])),
        };
    };
    if !keeps {
        change_inbox(call, node, |inbox| {
            inbox.queue.pop_front();
        });
        if was_full {
            call.data().kernel.changed(node, WRITABLE);
        }
    }
    let length = datagram.content.len();
    let content = datagram.content.part(0, length.min(count as usize));
    Turn::Go(Received { content, length, from: datagram.from, extras: datagram.extras })
}
