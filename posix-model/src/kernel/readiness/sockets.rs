//! Sockets: connected streams within the process, over the loopback or by a path. Nothing leaves the machine:
//! there is none else.
//!
//! A connected socket is two pipes, one a direction. A datagram socket, or an option that changes what a
//! stream does, is unsupported by name.

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{
    EADDRINUSE, EAFNOSUPPORT, EAGAIN, ECONNREFUSED, EINVAL, EISCONN, ENOTCONN, ENOTSOCK, EPIPE,
};
use crate::kernel::Kernel;
use crate::kernel::files::file_system::NodeKind;
use crate::kernel::files::open_files::{NONBLOCK, fill, node_place, stand_before};
use crate::kernel::readiness::pipe::{PipeBuffer, put, take};
use crate::kernel::readiness::{Interest, READABLE, WRITABLE, wait_for};
use crate::kernel::signals::{deliver_sent, is_sent};
use crate::kernel::system_calls::{self, SystemCall, argument, call as row};
use crate::places::{DESCRIPTORS, NAMES, write};
use imbl::Vector;
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Mode;

pub(crate) const CALLS: &[SystemCall] = &[
    row(41, "socket", make),
    row(42, "connect", connect),
    row(43, "accept", |call| accept(call, 0)),
    row(288, "accept4", |call| {
        let flags = argument(call, 3)?;
        accept(call, flags)
    }),
    row(44, "sendto", send),
    row(45, "recvfrom", receive),
    row(46, "sendmsg", send_message),
    row(47, "recvmsg", receive_message),
    row(48, "shutdown", shut_down),
    row(49, "bind", bind),
    row(50, "listen", listen),
    row(51, "getsockname", |call| name(call, false)),
    row(52, "getpeername", |call| name(call, true)),
    row(53, "socketpair", make_pair),
    row(54, "setsockopt", |call| match on_socket(call, Mode::Read)? {
        Turn::Go(_) => word(0),
        Turn::Answer(answer) => answer,
    }),
    row(55, "getsockopt", option),
];

const UNIX: u64 = 1;
const INTERNET: u64 = 2;
const INTERNET_6: u64 = 10;
const STREAM: u64 = 1;
const KIND: u64 = 0xf;
const READ_AND_WRITE: u32 = 2;
// Flags of a message.
const PEEK: u64 = 2;
const NOW: u64 = 0x40;
const NO_SIGNAL: u64 = 0x4000;
/// The first port given to who asks for none.
const FIRST_FREE_PORT: u16 = 32768;

/// An address as programs give it: a `struct sockaddr`.
type Address = Arc<[u8]>;

/// One side of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Connection {
    /// The pipe it reads from.
    pub receive: u64,
    /// The pipe it writes to.
    pub send: u64,
    /// Whether it may still read and write.
    pub reads: bool,
    pub writes: bool,
    own: Address,
    peer: Address,
}

/// A socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Socket {
    /// Neither connected nor listening, perhaps bound.
    Fresh {
        family: u16,
        own: Option<Address>,
    },
    /// Connections that nobody has accepted, oldest first.
    Listening {
        own: Address,
        waiting: Vector<u64>,
    },
    Connected(Connection),
}

/// The pipes of a connected socket.
pub(crate) fn pipes_of(kernel: &Kernel, node: u64) -> impl Iterator<Item = u64> + use<> {
    let pipes = match kernel.files.node(node).map(|node| &node.kind) {
        Some(NodeKind::Socket(Socket::Connected(side))) => Some([side.receive, side.send]),
        _ => None,
    };
    pipes.into_iter().flatten()
}

fn is_local(address: &[u8]) -> bool {
    address.first().copied().map(u64::from) == Some(UNIX)
}

/// The address of a socket without one: its family.
fn nameless(family: u16) -> Address {
    match u64::from(family) {
        INTERNET => loopback(0),
        _ => family.to_le_bytes().into(),
    }
}

fn loopback(port: u16) -> Address {
    let mut bytes = [0; 16];
    bytes[0] = INTERNET as u8;
    bytes[2..4].copy_from_slice(&port.to_be_bytes());
    bytes[4..8].copy_from_slice(&[127, 0, 0, 1]);
    Arc::from(bytes)
}

fn port(address: &[u8]) -> u16 {
    address.get(2..4).map_or(0, |port| u16::from_be_bytes([port[0], port[1]]))
}

/// Whether a connection to `wanted` is one to who listens at `own`: of the internet's, any host is this one.
fn reaches(wanted: &[u8], own: &[u8]) -> bool {
    match wanted.first().copied().map(u64::from) {
        Some(INTERNET) => own.first() == wanted.first() && port(own) == port(wanted),
        _ => path(own) == path(wanted),
    }
}

/// The path of a local address, up to its end.
fn path(address: &[u8]) -> &[u8] {
    let bytes = address.get(2..).unwrap_or_default();
    let end = bytes.iter().skip(1).position(|byte| *byte == 0).map_or(bytes.len(), |end| end + 1);
    &bytes[..end]
}

fn make(call: &mut PosixCall<'_, '_>) -> Step {
    let (family, kind) = (argument(call, 0)?, argument(call, 1)?);
    match family {
        UNIX | INTERNET => {}
        INTERNET_6 => return failed(EAFNOSUPPORT),
        other => return Err(call.unsupported(format!("sockets of family {other}"))),
    }
    if kind & KIND != STREAM {
        return Err(call.unsupported(format!("sockets of kind {}", kind & KIND)));
    }
    if let Some(park) = announced(call, smallvec![write(DESCRIPTORS), write(NAMES)]) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    let socket = Socket::Fresh { family: family as u16, own: None };
    let node = kernel.files.add(NodeKind::Socket(socket), 0o777);
    word(u64::from(kernel.open_new(node, READ_AND_WRITE, kind)))
}

/// Two sockets connected to each other, the addresses of the first.
fn pair(call: &mut PosixCall<'_, '_>, own: Address, peer: Address) -> [Connection; 2] {
    let files = &mut call.data().kernel.files;
    let [there, back] = [(); 2].map(|()| files.add(NodeKind::Pipe(PipeBuffer::new()), 0o600));
    let side = |receive, send, own: &Address, peer: &Address| Connection {
        receive,
        send,
        reads: true,
        writes: true,
        own: own.clone(),
        peer: peer.clone(),
    };
    [side(back, there, &own, &peer), side(there, back, &peer, &own)]
}

/// `socketpair(family, kind, protocol, descriptors)`.
fn make_pair(call: &mut PosixCall<'_, '_>) -> Step {
    let (family, kind, result) = (argument(call, 0)?, argument(call, 1)?, argument(call, 3)?);
    if family != UNIX || kind & KIND != STREAM {
        return Err(call.unsupported(format!("socketpair of family {family} and kind {}", kind & KIND)));
    }
    call.object(result, 8, Purpose::Write)?;
    if let Some(park) = announced(call, smallvec![write(DESCRIPTORS), write(NAMES)]) {
        return Ok(park);
    }
    let sides = pair(call, nameless(UNIX as u16), nameless(UNIX as u16));
    for (index, side) in sides.into_iter().enumerate() {
        let kernel = &mut call.data().kernel;
        let node = kernel.files.add(NodeKind::Socket(Socket::Connected(side)), 0o777);
        let descriptor = kernel.open_new(node, READ_AND_WRITE, kind);
        call.write(result + 4 * index as u64, 4, Value::Concrete(u64::from(descriptor)))?;
    }
    word(0)
}

/// Stands before an operation on the socket whose descriptor is argument 0: its node and what it is.
fn on_socket(call: &mut PosixCall<'_, '_>, mode: Mode) -> Result<Turn<(u64, Socket)>, Stop> {
    let file = match stand_before(call, mode, &[])? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return Ok(Turn::Answer(answer)),
    };
    let kernel = &call.state().data.kernel;
    let node = kernel.open.get(file).node;
    Ok(match kernel.files.node(node).map(|node| node.kind.clone()) {
        Some(NodeKind::Socket(socket)) => Turn::Go((node, socket)),
        _ => Turn::Answer(failed(ENOTSOCK)),
    })
}

fn set(call: &mut PosixCall<'_, '_>, node: u64, socket: Socket) {
    call.data().kernel.files.change(node, |node| node.kind = NodeKind::Socket(socket));
}

/// The address in arguments 1 and 2.
fn given_address(call: &mut PosixCall<'_, '_>) -> Result<Address, Stop> {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    Ok(call.read_bytes(address, length.min(128))?.into())
}

/// The open socket that listens at `wanted`.
fn listener(call: &PosixCall<'_, '_>, wanted: &[u8]) -> Option<u64> {
    call.state().data.kernel.open.nodes().find(|node| {
        let found = call.state().data.kernel.files.node(*node).map(|node| &node.kind);
        matches!(found, Some(NodeKind::Socket(Socket::Listening { own, .. })) if reaches(wanted, own))
    })
}

/// Binding and connecting concern the table of addresses, which names stand for in footprints.
fn on_addresses(call: &mut PosixCall<'_, '_>) -> Option<crate::answer::Step> {
    let descriptor = argument(call, 0).ok()? as u32;
    let open = &call.state().data.kernel.open;
    let mut footprint: symx_trace::Footprint = smallvec![write(DESCRIPTORS), write(NAMES)];
    footprint.extend(open.file_of(descriptor).map(|file| write(node_place(open.get(file).node))));
    announced(call, footprint).map(Ok)
}

fn bind(call: &mut PosixCall<'_, '_>) -> Step {
    let mut own = given_address(call)?;
    if let Some(park) = on_addresses(call) {
        return park;
    }
    let (node, family) = match socket_of(call)? {
        Turn::Go((node, Socket::Fresh { family, own: None })) => (node, family),
        Turn::Go(_) => return failed(EINVAL),
        Turn::Answer(answer) => return answer,
    };
    if u64::from(family) == UNIX {
        if path(&own).first().is_none_or(|byte| *byte == 0) {
            return Err(call.unsupported("a local socket without a path"));
        }
        return Err(call.unsupported("a local socket bound to a path"));
    }
    if port(&own) == 0 {
        let kernel = &mut call.data().kernel;
        let free = FIRST_FREE_PORT + kernel.ports;
        kernel.ports += 1;
        let mut bytes = own.to_vec();
        bytes.resize(16, 0);
        bytes[2..4].copy_from_slice(&free.to_be_bytes());
        own = bytes.into();
    } else if listener(call, &own).is_some() {
        return failed(EADDRINUSE);
    }
    set(call, node, Socket::Fresh { family, own: Some(own) });
    word(0)
}

/// The socket of argument 0, after an announcement.
fn socket_of(call: &mut PosixCall<'_, '_>) -> Result<Turn<(u64, Socket)>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.open.file_of(descriptor) else {
        return Ok(Turn::Answer(failed(crate::errno::EBADF)));
    };
    let node = kernel.open.get(file).node;
    Ok(match kernel.files.node(node).map(|node| node.kind.clone()) {
        Some(NodeKind::Socket(socket)) => Turn::Go((node, socket)),
        _ => Turn::Answer(failed(ENOTSOCK)),
    })
}

fn listen(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(park) = on_addresses(call) {
        return park;
    }
    match socket_of(call)? {
        Turn::Go((node, Socket::Fresh { own: Some(own), .. })) => {
            set(call, node, Socket::Listening { own, waiting: Vector::new() });
            word(0)
        }
        Turn::Go((_, Socket::Listening { .. })) => word(0),
        Turn::Go(_) => failed(EINVAL),
        Turn::Answer(answer) => answer,
    }
}

fn connect(call: &mut PosixCall<'_, '_>) -> Step {
    let wanted = given_address(call)?;
    if let Some(park) = on_addresses(call) {
        return park;
    }
    let (node, own) = match socket_of(call)? {
        Turn::Go((node, Socket::Fresh { own, .. })) => (node, own),
        Turn::Go(_) => return failed(EISCONN),
        Turn::Answer(answer) => return answer,
    };
    let Some(server) = listener(call, &wanted) else { return failed(ECONNREFUSED) };
    let own = own.unwrap_or_else(|| {
        let kernel = &mut call.data().kernel;
        kernel.ports += 1;
        loopback(FIRST_FREE_PORT + kernel.ports - 1)
    });
    let [mine, theirs] = pair(call, own, wanted);
    set(call, node, Socket::Connected(mine));
    let files = &mut call.data().kernel.files;
    let accepted = files.add(NodeKind::Socket(Socket::Connected(theirs)), 0o777);
    files.change(server, |node| {
        if let NodeKind::Socket(Socket::Listening { waiting, .. }) = &mut node.kind {
            waiting.push_back(accepted);
        }
    });
    files.changed(server, READABLE);
    files.changed(node, 0);
    word(0)
}

fn accept(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    if let Some(park) = on_addresses(call) {
        return park;
    }
    let (node, mut waiting, own) = match socket_of(call)? {
        Turn::Go((node, Socket::Listening { waiting, own })) => (node, waiting, own),
        Turn::Go(_) => return failed(EINVAL),
        Turn::Answer(answer) => return answer,
    };
    let Some(accepted) = waiting.pop_front() else {
        let descriptor = argument(call, 0)? as u32;
        let open = &call.state().data.kernel.open;
        let immediately = open.file_of(descriptor).is_some_and(|file| open.get(file).flags & NONBLOCK != 0);
        if immediately {
            return failed(EAGAIN);
        }
        let footprint = smallvec![write(DESCRIPTORS), write(NAMES), write(node_place(node))];
        let interest = Interest::new(&call.state().data.kernel, descriptor, READABLE);
        return wait_for(call, footprint, vec![interest]);
    };
    set(call, node, Socket::Listening { own, waiting });
    let peer = match call.state().data.kernel.files.node(accepted).map(|node| &node.kind) {
        Some(NodeKind::Socket(Socket::Connected(side))) => side.peer.clone(),
        _ => nameless(UNIX as u16),
    };
    put_address(call, &peer, address, length)?;
    word(u64::from(call.data().kernel.open_new(accepted, READ_AND_WRITE, flags)))
}

/// Stores an address, as far as there is room, and its length.
fn put_address(call: &mut PosixCall<'_, '_>, value: &[u8], address: u64, length: u64) -> Result<(), Stop> {
    if address != 0 {
        let room = call.read_number(length, 4)? as usize;
        call.write_bytes(address, &value[..value.len().min(room)])?;
        call.write(length, 4, Value::Concrete(value.len() as u64))?;
    }
    Ok(())
}

fn name(call: &mut PosixCall<'_, '_>, of_peer: bool) -> Step {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    let socket = match on_socket(call, Mode::Read)? {
        Turn::Go((_, socket)) => socket,
        Turn::Answer(answer) => return answer,
    };
    let value = match socket {
        Socket::Connected(side) if of_peer => side.peer,
        _ if of_peer => return failed(ENOTCONN),
        Socket::Connected(side) => side.own,
        Socket::Listening { own, .. } => own,
        Socket::Fresh { family, own } => own.unwrap_or_else(|| nameless(family)),
    };
    put_address(call, &value, address, length)?;
    word(0)
}

/// `getsockopt(descriptor, level, name, value, length)`: no error is pending, it is a stream.
fn option(call: &mut PosixCall<'_, '_>) -> Step {
    let (level, name) = (argument(call, 1)?, argument(call, 2)?);
    let (value, length) = (argument(call, 3)?, argument(call, 4)?);
    if let Turn::Answer(answer) = on_socket(call, Mode::Read)? {
        return answer;
    }
    let answer = match (level, name) {
        (1, 3) => STREAM,
        (1, 4) => 0,
        (1, 7 | 8) => 1 << 16,
        _ => return Err(call.unsupported(format!("getsockopt of option {name} at level {level}"))),
    };
    call.write(value, 4, Value::Concrete(answer))?;
    call.write(length, 4, Value::Concrete(4))?;
    word(0)
}

fn shut_down(call: &mut PosixCall<'_, '_>) -> Step {
    let how = argument(call, 1)?;
    match on_socket(call, Mode::Write)? {
        Turn::Go((node, Socket::Connected(mut side))) => {
            side.reads &= how == 1;
            side.writes &= how == 0;
            for pipe in [side.receive, side.send] {
                call.data().kernel.files.changed(pipe, 0);
            }
            set(call, node, Socket::Connected(side));
            word(0)
        }
        Turn::Go(_) => failed(ENOTCONN),
        Turn::Answer(answer) => answer,
    }
}

/// Reads from the socket `node` after an announcement.
pub(crate) fn take_from(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    count: u64,
) -> Turn<Stretch> {
    match call.state().data.kernel.files.node(node).map(|node| node.kind.clone()) {
        Some(NodeKind::Socket(Socket::Connected(side))) if side.reads => {
            let taken = take(call, side.receive, immediately, count);
            // A local socket tells who sent a message that it has been received.
            if is_local(&side.own) && matches!(&taken, Turn::Go(taken) if !taken.is_empty()) {
                call.data().kernel.files.changed(side.receive, WRITABLE);
            }
            taken
        }
        Some(NodeKind::Socket(Socket::Connected(_))) => Turn::Go(Stretch::default()),
        _ => Turn::Answer(failed(ENOTCONN)),
    }
}

/// Writes to the socket `node` after an announcement.
pub(crate) fn put_into(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    quietly: bool,
    stretch: &Stretch,
) -> Step {
    match call.state().data.kernel.files.node(node).map(|node| node.kind.clone()) {
        Some(NodeKind::Socket(Socket::Connected(side))) => {
            let gone = !side.writes
                || !crate::kernel::readiness::pipe::has_reader(&call.state().data.kernel, side.send);
            if gone && quietly { failed(EPIPE) } else { put(call, side.send, immediately, stretch) }
        }
        _ => failed(ENOTCONN),
    }
}

/// Sends the bytes of `buffers`.
fn send_from(call: &mut PosixCall<'_, '_>, buffers: &[(u64, u64)], flags: u64) -> Step {
    if is_sent(call) {
        return deliver_sent(call, failed(EPIPE));
    }
    let with_purpose: Vec<_> =
        buffers.iter().map(|&(address, length)| (address, length, Purpose::Read)).collect();
    let file = match stand_before(call, Mode::Write, &with_purpose)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let mut stretch = Stretch::default();
    for &(address, length) in buffers {
        stretch.append(&call.read_stretch(address, length)?);
    }
    let open = call.state().data.kernel.open.get(file).clone();
    let immediately = open.flags & NONBLOCK != 0 || flags & NOW != 0;
    put_into(call, open.node, immediately, flags & NO_SIGNAL != 0, &stretch)
}

fn send(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, flags) = ((argument(call, 1)?, argument(call, 2)?), argument(call, 3)?);
    send_from(call, &[buffer], flags)
}

/// Receives into `buffers`.
fn receive_into(call: &mut PosixCall<'_, '_>, buffers: &[(u64, u64)], flags: u64) -> Step {
    if flags & PEEK != 0 {
        let name = system_calls::name(call)?;
        return Err(call.unsupported(format!("{name} that leaves what it read (MSG_PEEK)")));
    }
    let with_purpose: Vec<_> =
        buffers.iter().map(|&(address, length)| (address, length, Purpose::Write)).collect();
    let file = match stand_before(call, Mode::Write, &with_purpose)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let open = call.state().data.kernel.open.get(file).clone();
    let immediately = open.flags & NONBLOCK != 0 || flags & NOW != 0;
    let count = buffers.iter().map(|buffer| buffer.1).sum();
    let stretch = match take_from(call, open.node, immediately, count) {
        Turn::Go(stretch) => stretch,
        Turn::Answer(answer) => return answer,
    };
    let done = fill(call, buffers, &stretch)?;
    word(done as u64)
}

/// `recvfrom(descriptor, buffer, length, flags, address, address length)`: a stream says no sender.
fn receive(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, flags) = ((argument(call, 1)?, argument(call, 2)?), argument(call, 3)?);
    receive_into(call, &[buffer], flags)
}

/// The buffers of the `struct msghdr` in argument 1, which must hold nothing but them.
fn message_buffers(call: &mut PosixCall<'_, '_>, sends: bool) -> Result<Vec<(u64, u64)>, Stop> {
    let message = argument(call, 1)?;
    if sends && call.read_number(message + 40, 8)? != 0 {
        return Err(call.unsupported("sending more than bytes (sendmsg with control data)"));
    }
    let (vector, count) = (call.read_number(message + 16, 8)?, call.read_number(message + 24, 8)?);
    (0..count)
        .map(|index| {
            let entry = vector + 16 * index;
            Ok((call.read_number(entry, 8)?, call.read_number(entry + 8, 8)?))
        })
        .collect()
}

fn send_message(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffers, flags) = (message_buffers(call, true)?, argument(call, 2)?);
    send_from(call, &buffers, flags)
}

fn receive_message(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffers, flags, message) = (message_buffers(call, false)?, argument(call, 2)?, argument(call, 1)?);
    let answer = receive_into(call, &buffers, flags)?;
    if matches!(answer, symx_interp::environment::Outcome::Return(_)) {
        call.write(message + 8, 4, Value::Concrete(0))?;
        call.write(message + 40, 8, Value::Concrete(0))?;
        call.write(message + 48, 4, Value::Concrete(0))?;
    }
    Ok(answer)
}
