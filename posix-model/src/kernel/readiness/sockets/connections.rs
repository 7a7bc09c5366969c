//! Connections of streams, and peers of datagrams: `listen`, `connect`, `accept`, `shutdown`.

use crate::answer::{PosixCall, Step, Turn, failed, made, word};
use crate::errno::{EAGAIN, ECONNREFUSED, EINVAL, EISCONN, ENOTCONN, EOPNOTSUPP};
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::READABLE;
use crate::kernel::nodes::closing::reset_peers;
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{NONBLOCK, READ_AND_WRITE};
use crate::kernel::nodes::sets::{all_orders, orders_of_change, touched_by_change};
use crate::kernel::nodes::socket::{Address, Family, Role, Socket};
use crate::kernel::nodes::{connection_of, ends_with, pipes_of, socket_of};
use crate::kernel::readiness::sockets::addresses::{self};
use crate::kernel::readiness::sockets::binding::{bound_or_free, on_addresses, target};
use crate::kernel::readiness::sockets::{change, connection, datagrams, named};
use crate::kernel::readiness::wait_to_transfer;
use crate::kernel::system_calls::argument;
use crate::kernel::transfers::stand_before_with;
use crate::places::{ADDRESSES, write};
use imbl::Vector;
use symx_interp::stop::Stop;
use symx_trace::{Access, Mode};

/// `listen(descriptor, backlog)`
pub(crate) fn listen(call: &mut PosixCall<'_, '_>) -> Step {
    let backlog = argument(call, 1)? & 0xffff_ffff;
    if let Some(park) = on_addresses(call, []) {
        return park;
    }
    let (node, socket) = match named(call)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let mut role = match socket.role.clone() {
        Role::Fresh => Role::Listening { waiting: Vector::new(), backlog },
        role @ Role::Listening { .. } => role,
        Role::Connected(_) => return failed(EINVAL),
        Role::Datagrams(_) => return failed(EOPNOTSUPP),
    };
    if socket.family == Family::Local && socket.own.is_none() {
        return failed(EINVAL);
    }
    let own = bound_or_free(call, &socket, true)?;
    if let Role::Listening { backlog: known, .. } = &mut role {
        *known = backlog;
    }
    change(call, node, |socket| {
        (socket.own, socket.role) = (own, role);
        // Only local sockets that listen look at what was shut down.
        let is_local = socket.family == Family::Local;
        (socket.deaf, socket.mute) = (is_local && socket.deaf, is_local && socket.mute);
    });
    word(0)
}

/// `connect(descriptor, address, length)`
pub(crate) fn connect(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    let given = addresses::given(call, address, length)?;
    let mut touched = addresses::touched_names(call, &given, false);
    touched.extend(all_orders(&call.state().data.kernel));
    if let Turn::Go((node, socket)) = named(call)? {
        touched.extend(datagrams::touched_by_leaving(&call.state().data.kernel, node, &socket));
    }
    if let Some(park) = on_addresses(call, touched) {
        return park;
    }
    let (node, socket) = match named(call)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    if given.starts_with(&[0, 0]) && (!socket.is_stream() || socket.family != Family::Local) {
        return disconnect(call, node, &socket);
    }
    let wanted = match addresses::normal(socket.family, &given) {
        Ok(wanted) => addresses::concrete(socket.family, &wanted),
        Err(error) => return failed(error),
    };
    match &socket.role {
        Role::Fresh if socket.deaf || socket.mute => {
            Err(call.unsupported("a connection of a socket that was shut down before"))
        }
        Role::Fresh => connect_stream(call, node, &socket, wanted),
        Role::Listening { .. } if socket.family == Family::Local => failed(EINVAL),
        Role::Listening { .. } | Role::Connected(_) => failed(EISCONN),
        Role::Datagrams(_) => datagrams::connect(call, node, &socket, wanted),
    }
}

/// `connect` to no family: a socket of datagrams has no peer any more. One of the internet is bound to what
/// the program has asked for, and no more.
fn disconnect(call: &mut PosixCall<'_, '_>, node: u64, socket: &Socket) -> Step {
    let Role::Datagrams(inbox) = &socket.role else {
        return Err(call.unsupported("a stream of the internet that is disconnected by connect"));
    };
    let own = match &inbox.asked {
        _ if socket.family == Family::Local => socket.own.clone(),
        Some(asked) if addresses::port(asked) != 0 => Some(asked.clone()),
        Some(asked) if !addresses::is_any(asked) => {
            return Err(
                call.unsupported("a socket that is disconnected and keeps its address without a port")
            );
        }
        _ => None,
    };
    datagrams::leave(call, node, socket);
    change(call, node, |socket| socket.own = own);
    word(0)
}

fn connect_stream(call: &mut PosixCall<'_, '_>, node: u64, socket: &Socket, wanted: Address) -> Step {
    let server = match target(call, socket, &wanted)? {
        Ok(server) if is_deaf(call, server) => return failed(ECONNREFUSED),
        Ok(server) => server,
        Err(error) => return failed(error),
    };
    if is_full(call, server) {
        let immediately = is_immediate(call)?;
        return match socket.family {
            Family::Local if immediately => failed(EAGAIN),
            _ => Err(call.unsupported("a connection that waits until others are accepted")),
        };
    }
    let own = bound_or_free(call, socket, false)?;
    let me = call.thread();
    let kernel = &mut call.data().kernel;
    let own = own.map(|own| addresses::concrete(socket.family, &own));
    let mine = own.clone().unwrap_or_else(addresses::nameless);
    let [side, other] = connection(kernel, me, [mine, wanted.clone()]);
    let mut accepted = Socket {
        own: Some(wanted),
        records: socket.records,
        ..Socket::new(socket.family, Role::Connected(other))
    };
    // Over the internet it has what was set at the socket that listens, else little of that.
    if let Some(server) = socket_of(kernel, server) {
        match socket.family {
            Family::Local => accepted.options.asks_for_sender = server.options.asks_for_sender,
            _ => accepted.options = server.options.clone(),
        }
    }
    let accepted = kernel.files.add(me, NodeKind::Socket(accepted), 0o777);
    kernel.changed(server, READABLE);
    if socket.family != Family::Local {
        kernel.changed(node, 0);
    }
    change(call, server, |server| {
        if let Role::Listening { waiting, .. } = &mut server.role {
            waiting.push_back(accepted);
        }
    });
    change(call, node, |socket| (socket.own, socket.role) = (own, Role::Connected(side)));
    word(0)
}

/// Whether a listening socket takes no more connections.
fn is_deaf(call: &PosixCall<'_, '_>, server: u64) -> bool {
    socket_of(&call.state().data.kernel, server).is_some_and(|server| server.deaf)
}

/// Whether no more connections to a listening socket may wait.
fn is_full(call: &PosixCall<'_, '_>, server: u64) -> bool {
    let server = socket_of(&call.state().data.kernel, server);
    matches!(server.map(|server| &server.role),
        Some(Role::Listening { waiting, backlog, .. }) if waiting.len() as u64 > *backlog)
}

/// Whether the descriptor in argument 0 never waits.
fn is_immediate(call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    Ok(kernel.file_of(descriptor).is_some_and(|file| kernel.open.get(file).flags & NONBLOCK != 0))
}

/// `accept4(descriptor, address, length, flags)`
pub(crate) fn accept(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    let opener = Opener::of(call);
    if let Some(park) = on_addresses(call, opener.touched()) {
        return park;
    }
    let (node, socket) = match named(call)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    if let Err(error) = call.state().data.kernel.free_from(opener, 0) {
        return failed(error);
    }
    let deaf = socket.deaf;
    let mut waiting = match socket.role {
        Role::Listening { waiting, .. } => waiting,
        Role::Datagrams(_) => return failed(EOPNOTSUPP),
        _ => return failed(EINVAL),
    };
    let Some(accepted) = waiting.pop_front() else {
        return match () {
            () if is_immediate(call)? => failed(EAGAIN),
            () if deaf => failed(EINVAL),
            () => {
                let others: Vec<Access> = opener.touched().chain([write(ADDRESSES)]).collect();
                wait_to_transfer(call, READABLE, &others)
            }
        };
    };
    change(call, node, |socket| {
        if let Role::Listening { waiting: all, .. } = &mut socket.role {
            *all = waiting;
        }
    });
    let kernel = &call.state().data.kernel;
    let peer = connection_of(kernel, accepted).map_or_else(addresses::nameless, |side| side.peer.clone());
    addresses::put(call, &peer, address, length)?;
    made(call.data().kernel.open_new(opener, READ_AND_WRITE, flags, |_| accepted))
}

/// `shutdown(descriptor, how)`
pub(crate) fn shut_down(call: &mut PosixCall<'_, '_>) -> Step {
    let how = argument(call, 1)? & 0xffff_ffff;
    let mut touched = touched_by_listening_no_more(call)?;
    if let Turn::Go((node, _)) = named(call)? {
        let kernel = &call.state().data.kernel;
        let changed = pipes_of(kernel, node).chain([node]);
        touched.extend(changed.flat_map(|node| orders_of_change(kernel, node, 0)));
    }
    let named = match stand_before_with(call, Mode::Write, &[], &touched)? {
        Turn::Go(_) => named(call)?,
        Turn::Answer(answer) => return answer,
    };
    let (node, mut socket) = match named {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let (reads, writes) = match how {
        0 => (false, true),
        1 => (true, false),
        2 => (false, false),
        _ => return failed(EINVAL),
    };
    match &mut socket.role {
        Role::Connected(side) => {
            for pipe in [side.receive, side.send] {
                call.data().kernel.changed(pipe, 0);
            }
            (side.reads, side.writes) = (side.reads && reads, side.writes && writes);
            let is_local = socket.family == Family::Local;
            side.takes = side.reads || !is_local && side.writes;
        }
        Role::Datagrams(inbox) => {
            let is_connected = socket.family == Family::Local || inbox.peer_address().is_some();
            inbox.shut_down(reads, writes);
            call.data().kernel.changed(node, 0);
            change(call, node, |own| *own = socket);
            return if is_connected { word(0) } else { failed(ENOTCONN) };
        }
        Role::Listening { .. } if socket.family != Family::Local => {
            if !reads {
                listen_no_more(&mut call.data().kernel, node);
            }
            return word(0);
        }
        Role::Fresh | Role::Listening { .. } => {
            (socket.deaf, socket.mute) = (socket.deaf || !reads, socket.mute || !writes);
            let is_local = socket.family == Family::Local;
            call.data().kernel.changed(node, 0);
            change(call, node, |own| *own = socket);
            return if is_local { word(0) } else { failed(ENOTCONN) };
        }
    }
    change(call, node, |own| *own = socket);
    word(0)
}

/// The additional footprint, besides the socket in argument 0, of its end of listening. Connections that no
/// thread has accepted are gone, and the next connect is refused.
fn touched_by_listening_no_more(call: &mut PosixCall<'_, '_>) -> Result<Vec<Access>, Stop> {
    let Turn::Go((node, socket)) = named(call)? else { return Ok(Vec::new()) };
    let Role::Listening { .. } = socket.role else { return Ok(Vec::new()) };
    let pipes = ends_with(&call.state().data.kernel, node);
    let kernel = &call.state().data.kernel;
    Ok([write(ADDRESSES)]
        .into_iter()
        .chain(pipes.iter().flat_map(|pipe| touched_by_change(kernel, *pipe, 0)))
        .collect())
}

/// A socket of the internet listens no more, but stays bound.
fn listen_no_more(kernel: &mut Kernel, node: u64) {
    reset_peers(kernel, node);
    for pipe in ends_with(kernel, node) {
        kernel.changed(pipe, 0);
    }
    kernel.changed(node, 0);
    kernel.files.change(node, |node| {
        if let NodeKind::Socket(socket) = &mut node.kind {
            socket.role = Role::Fresh;
        }
    });
}
