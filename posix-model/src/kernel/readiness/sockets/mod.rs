//! Sockets within the process: streams and datagrams, over the loopback, by a path or an abstract name.
//! Nothing leaves the machine: there is none else.
//!
//! A connected stream is two pipes, one a direction; a socket of datagrams has an inbox. Streams of records
//! are streams, between which and plain ones nothing passes.

mod addresses;
mod binding;
mod connections;
pub(crate) mod datagrams;
mod messages;
mod options;
mod passing;
mod records;
pub(crate) mod time_limits;
mod vectors_of_messages;

use crate::answer::{PosixCall, Step, Turn, announced, failed, made, word};
use crate::errno::{
    EAFNOSUPPORT, EBADF, ECONNRESET, EINVAL, ENOTCONN, ENOTSOCK, EOPNOTSUPP, ESOCKTNOSUPPORT,
};
use crate::kernel::Kernel;
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{FLAGS_OF_NAMELESS, READ_AND_WRITE};
use crate::kernel::nodes::pipe_buffer::PipeBuffer;
use crate::kernel::nodes::socket::{Address, Connection, Family, Inbox, Role, Socket, Transfer};
use crate::kernel::nodes::socket_of;
use crate::kernel::readiness::pipe::{self};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::transfers::stand_before_with;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Mode, ThreadId};
use time_limits::within_limit;

pub(crate) use messages::{put_into, take_from, touched_by_sending};
pub(crate) use passing::touched_by_receiving;

pub(crate) const CALLS: &[SystemCall] = &[
    row(41, "socket", make),
    row(42, "connect", connections::connect),
    row(43, "accept", |call| within_limit(call, Transfer::Receive, |call| connections::accept(call, 0))),
    row(288, "accept4", |call| match argument(call, 3)? & 0xffff_ffff {
        flags if flags & !FLAGS_OF_NAMELESS == 0 => {
            within_limit(call, Transfer::Receive, |call| connections::accept(call, flags))
        }
        _ => failed(EINVAL),
    }),
    row(44, "sendto", |call| within_limit(call, Transfer::Send, messages::send)),
    row(45, "recvfrom", |call| within_limit(call, Transfer::Receive, messages::receive)),
    row(46, "sendmsg", |call| {
        let flags = argument(call, 2)? & 0xffff_ffff;
        within_limit(call, Transfer::Send, |call| messages::send_message(call, flags))
    }),
    row(47, "recvmsg", |call| {
        let flags = argument(call, 2)? & 0xffff_ffff;
        within_limit(call, Transfer::Receive, |call| messages::receive_message(call, flags))
    }),
    row(307, "sendmmsg", vectors_of_messages::send),
    row(299, "recvmmsg", vectors_of_messages::receive),
    row(48, "shutdown", connections::shut_down),
    row(49, "bind", binding::bind),
    row(50, "listen", connections::listen),
    row(51, "getsockname", |call| name(call, false)),
    row(52, "getpeername", |call| name(call, true)),
    row(53, "socketpair", make_pair),
    row(54, "setsockopt", options::set),
    row(55, "getsockopt", options::get),
];

const STREAM: u64 = 1;
const DATAGRAM: u64 = 2;
const RAW: u64 = 3;
const RECORDS: u64 = 5;
const KIND: u64 = 0xf;

impl Socket {
    /// Its kind, as programs say it.
    fn kind(&self) -> u64 {
        match self.role {
            Role::Datagrams(_) => DATAGRAM,
            _ if self.records => RECORDS,
            _ => STREAM,
        }
    }

    /// The address to report: of a socket bound to none, that of its family.
    fn reported_address(&self) -> Address {
        self.own.clone().unwrap_or_else(|| match self.family {
            Family::Local => addresses::nameless(),
            family => addresses::of_this_machine(family, 0, true),
        })
    }
}

/// The result of `FIONREAD` for a socket, if it may be asked: all of a stream, the next datagram.
pub(crate) fn count_readable(kernel: &Kernel, socket: &Socket) -> Option<u64> {
    Some(match &socket.role {
        Role::Connected(side) if socket.records => records::length_of_all(kernel, side.receive),
        Role::Connected(side) => pipe::length(kernel, side.receive),
        Role::Datagrams(inbox) => inbox.length_of_next(),
        Role::Fresh => 0,
        Role::Listening { .. } => return None,
    })
}

fn change(call: &mut PosixCall<'_, '_>, node: u64, change: impl FnOnce(&mut Socket)) {
    call.data().kernel.files.change(node, |node| {
        if let NodeKind::Socket(socket) = &mut node.kind {
            change(socket);
        }
    });
}

/// Takes the error that is to be reported.
fn take_error(socket: &mut Socket) -> Option<i32> {
    match &mut socket.role {
        Role::Datagrams(inbox) => inbox.take_error(),
        Role::Connected(side) => std::mem::take(&mut side.is_reset).then_some(ECONNRESET),
        _ => None,
    }
}

/// A new socket of this kind, or the error of there being none.
fn fresh(call: &PosixCall<'_, '_>, family: Family, kind: u64) -> Result<Result<Socket, i32>, Stop> {
    let is_local = family == Family::Local;
    if kind & 0xffff_ffff & !(KIND | FLAGS_OF_NAMELESS) != 0 {
        return Ok(Err(EINVAL));
    }
    Ok(Ok(match kind & KIND {
        STREAM => Socket::new(family, Role::Fresh),
        RECORDS if is_local => Socket { records: true, ..Socket::new(family, Role::Fresh) },
        RECORDS => return Ok(Err(ESOCKTNOSUPPORT)),
        DATAGRAM => Socket::new(family, Role::Datagrams(Inbox::default())),
        RAW if is_local => Socket::new(family, Role::Datagrams(Inbox::default())),
        other => return Err(call.unsupported(format!("sockets of kind {other}"))),
    }))
}

fn make(call: &mut PosixCall<'_, '_>) -> Step {
    let (family, kind) = (argument(call, 0)?, argument(call, 1)?);
    let family = match family {
        1 => Family::Local,
        2 => Family::Internet,
        10 => Family::Internet6,
        other => return Err(call.unsupported(format!("sockets of family {other}"))),
    };
    let socket = match fresh(call, family, kind)? {
        Ok(socket) => socket,
        Err(error) => return failed(error),
    };
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().collect()) {
        return Ok(park);
    }
    made(call.data().kernel.open_new(opener, READ_AND_WRITE, kind, |kernel| {
        kernel.files.add(opener.thread, NodeKind::Socket(socket), 0o777)
    }))
}

/// The two sides of a new connection, with the addresses of the first and of the second.
fn connection(kernel: &mut Kernel, thread: ThreadId, addresses: [Address; 2]) -> [Connection; 2] {
    let [there, back] =
        [(); 2].map(|()| kernel.files.add(thread, NodeKind::Pipe(PipeBuffer::default()), 0o600));
    let side = |receive, send, peer| Connection {
        receive,
        send,
        reads: true,
        writes: true,
        takes: true,
        is_reset: false,
        peer,
    };
    let [first, second] = addresses;
    [side(back, there, second), side(there, back, first)]
}

/// Two local sockets like `socket` that are connected to each other.
fn pair(kernel: &mut Kernel, thread: ThreadId, socket: &Socket) -> [u64; 2] {
    if !socket.is_stream() {
        return datagrams::pair(kernel, thread);
    }
    connection(kernel, thread, [addresses::nameless(), addresses::nameless()]).map(|side| {
        let side = Socket { role: Role::Connected(side), ..socket.clone() };
        kernel.files.add(thread, NodeKind::Socket(side), 0o777)
    })
}

/// `socketpair(family, kind, protocol, descriptors)`.
fn make_pair(call: &mut PosixCall<'_, '_>) -> Step {
    let (family, kind, result) = (argument(call, 0)?, argument(call, 1)?, argument(call, 3)?);
    match family {
        1 => {}
        2 | 10 => return failed(EOPNOTSUPP),
        _ => return failed(EAFNOSUPPORT),
    }
    let socket = match fresh(call, Family::Local, kind)? {
        Ok(socket) => socket,
        Err(error) => return failed(error),
    };
    call.object(result, 8, Purpose::Write)?;
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().collect()) {
        return Ok(park);
    }
    let made = call.data().kernel.open_both(opener, kind, |kernel| {
        pair(kernel, opener.thread, &socket).map(|node| (node, READ_AND_WRITE))
    });
    let descriptors = match made {
        Ok(descriptors) => descriptors,
        Err(error) => return failed(error),
    };
    for (index, descriptor) in descriptors.into_iter().enumerate() {
        call.write(result + 4 * index as u64, 4, Value::Concrete(u64::from(descriptor)))?;
    }
    word(0)
}

/// The socket of argument 0, after an announcement.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Turn<(u64, Socket)>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(node) = kernel.node_of(descriptor) else { return Ok(Turn::Answer(failed(EBADF))) };
    Ok(match socket_of(kernel, node) {
        Some(socket) => Turn::Go((node, socket.clone())),
        None => Turn::Answer(failed(ENOTSOCK)),
    })
}

/// Stands before an operation on the socket whose descriptor is argument 0: its node and what it is.
fn on_socket(call: &mut PosixCall<'_, '_>, mode: Mode) -> Result<Turn<(u64, Socket)>, Stop> {
    on_socket_with(call, mode, &[])
}

/// [`on_socket`], before an operation that touches something else in addition.
fn on_socket_with(
    call: &mut PosixCall<'_, '_>,
    mode: Mode,
    touched: &[Access],
) -> Result<Turn<(u64, Socket)>, Stop> {
    match stand_before_with(call, mode, &[], touched)? {
        Turn::Go(_) => named(call),
        Turn::Answer(answer) => Ok(Turn::Answer(answer)),
    }
}

fn name(call: &mut PosixCall<'_, '_>, of_peer: bool) -> Step {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    let socket = match on_socket(call, Mode::Read)? {
        Turn::Go((_, socket)) => socket,
        Turn::Answer(answer) => return answer,
    };
    let peer = match &socket.role {
        Role::Connected(side) => Some(&side.peer),
        Role::Datagrams(inbox) => inbox.peer_address(),
        _ => None,
    };
    let value = match peer {
        _ if !of_peer => socket.reported_address(),
        Some(peer) => peer.clone(),
        None => return failed(ENOTCONN),
    };
    addresses::put(call, &value, address, length)?;
    word(0)
}
