//! Which socket an address means: binding, free ports, looking up.

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EADDRINUSE, EADDRNOTAVAIL, ECONNREFUSED, EINVAL, ENOENT, EPROTOTYPE};
use crate::file_names_as_text::file_name_text;
use crate::kernel::Kernel;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::paths::Found;
use crate::kernel::nodes::socket::{Address, Family, Role, Socket};
use crate::kernel::nodes::{events, socket_of};
use crate::kernel::readiness::sockets::DATAGRAM;
use crate::kernel::readiness::sockets::addresses::{self};
use crate::kernel::system_calls::argument;
use crate::places::{ADDRESSES, node_place, write};
use smallvec::smallvec;
use symx_interp::stop::Stop;
use symx_trace::{Access, Footprint};

/// The first port given to a socket that asks for none.
const FIRST_FREE_PORT: u16 = 32768;
/// Names that the kernel gives to local sockets.
const CHOSEN_NAMES: u32 = 1 << 20;

/// Stands before an operation on the socket in argument 0 that concerns the addresses of sockets, and
/// `others`.
pub(crate) fn on_addresses(
    call: &mut PosixCall<'_, '_>,
    others: impl IntoIterator<Item = Access>,
) -> Option<Step> {
    let descriptor = argument(call, 0).ok()? as u32;
    let kernel = &call.state().data.kernel;
    let mut footprint: Footprint = smallvec![write(ADDRESSES)];
    footprint.extend(others);
    footprint.extend(kernel.own.descriptors.touched_by_naming(descriptor, call.thread()));
    footprint.extend(kernel.node_of(descriptor).map(|node| write(node_place(node))));
    announced(call, footprint).map(Ok)
}

/// The open sockets of this family and kind.
fn sockets(kernel: &Kernel, family: Family, kind: u64) -> impl Iterator<Item = (u64, &Socket)> {
    let sockets = kernel.open.nodes().filter_map(|node| Some((node, socket_of(kernel, node)?)));
    sockets.filter(move |(_, socket)| socket.family == family && socket.kind() == kind)
}

/// Whether `own` is taken, so that another socket cannot be bound to it.
fn is_taken(kernel: &Kernel, own: &Address, wanting: &Socket) -> bool {
    sockets(kernel, wanting.family, wanting.kind()).any(|(_, socket)| {
        let shares =
            wanting.options.reuses && socket.options.reuses && !matches!(socket.role, Role::Listening { .. });
        let other = socket.own.as_ref().filter(|_| !shares);
        other.is_some_and(|other| addresses::overlap(wanting.family, own, other))
    })
}

/// A port that no socket like `wanting` has.
fn free_port(call: &mut PosixCall<'_, '_>, wanting: &Socket) -> Result<u16, Stop> {
    let mut alone = wanting.clone();
    alone.options.reuses = false;
    for _ in FIRST_FREE_PORT..u16::MAX {
        call.proceed()?;
        let kernel = &mut call.data().kernel;
        let port = FIRST_FREE_PORT + kernel.ports % (u16::MAX - FIRST_FREE_PORT);
        kernel.ports = kernel.ports.wrapping_add(1);
        let own = addresses::of_this_machine(wanting.family, port, true);
        if !is_taken(kernel, &own, &alone) {
            return Ok(port);
        }
    }
    Err(call.unsupported("more sockets than there are free ports"))
}

/// Whether a local socket of the kind of `wanting` has this abstract name. Each kind has names of its own.
fn is_name_taken(kernel: &Kernel, own: &Address, wanting: &Socket) -> bool {
    sockets(kernel, Family::Local, wanting.kind()).any(|(_, other)| other.own.as_ref() == Some(own))
}

/// An abstract name that no local socket like `wanting` has.
fn free_name(call: &mut PosixCall<'_, '_>, wanting: &Socket) -> Result<Address, Stop> {
    for number in 0..CHOSEN_NAMES {
        call.proceed()?;
        let own = addresses::numbered(number);
        if !is_name_taken(&call.state().data.kernel, &own, wanting) {
            return Ok(own);
        }
    }
    Err(call.unsupported("more local sockets than there are names of the kernel's"))
}

/// The address of a socket. One of the internet that is bound to none gets one: all of the machine's, at a
/// free port. A local socket stays without a name, unless it asks who sends.
pub(crate) fn bound_or_free(
    call: &mut PosixCall<'_, '_>,
    socket: &Socket,
    any: bool,
) -> Result<Option<Address>, Stop> {
    Ok(match socket.family {
        _ if socket.own.is_some() => socket.own.clone(),
        Family::Local if socket.options.asks_for_sender => Some(free_name(call, socket)?),
        Family::Local => None,
        family => Some(addresses::of_this_machine(family, free_port(call, socket)?, any)),
    })
}

/// `bind(descriptor, address, length)`
pub(crate) fn bind(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, length) = (argument(call, 1)?, argument(call, 2)?);
    let given = addresses::given(call, address, length)?;
    let names = addresses::touched_names(call, &given, true);
    if let Some(park) = on_addresses(call, names) {
        return park;
    }
    let (node, socket) = match super::named(call)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let own = match addresses::normal(socket.family, &given) {
        Ok(own) => own,
        Err(error) => return failed(error),
    };
    let asked = Some(own.clone()).filter(|_| socket.family != Family::Local);
    let bound = match socket.family {
        Family::Local => bind_locally(call, node, &socket, own)?,
        _ => bind_to_port(call, &socket, own)?,
    };
    match bound {
        Ok(own) => {
            super::change(call, node, |socket| {
                socket.own = Some(own);
                if let Role::Datagrams(inbox) = &mut socket.role {
                    inbox.asked = asked;
                }
            });
            word(0)
        }
        Err(error) => failed(error),
    }
}

fn bind_to_port(
    call: &mut PosixCall<'_, '_>,
    socket: &Socket,
    own: Address,
) -> Result<Result<Address, i32>, Stop> {
    if socket.own.is_some() || !matches!(socket.role, Role::Fresh | Role::Datagrams(_)) {
        return Ok(Err(EINVAL));
    }
    if !addresses::is_of_this_machine(&own) {
        return Ok(Err(EADDRNOTAVAIL));
    }
    if addresses::port(&own) == 0 {
        let port = free_port(call, socket)?;
        return Ok(Ok(addresses::with_port(&own, port)));
    }
    let kernel = &call.state().data.kernel;
    if is_taken(kernel, &own, socket) {
        return Ok(Err(EADDRINUSE));
    }
    let shared = sockets(kernel, socket.family, DATAGRAM).any(|(_, other)| {
        other.own.as_ref().is_some_and(|other| addresses::overlap(socket.family, &own, other))
    });
    if shared && !socket.is_stream() {
        return Err(call.unsupported("two datagram sockets at one address (SO_REUSEADDR)"));
    }
    Ok(Ok(own))
}

/// Binds to a path, which is made, or to an abstract name.
fn bind_locally(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    socket: &Socket,
    own: Address,
) -> Result<Result<Address, i32>, Stop> {
    if own.len() == 2 {
        return match &socket.own {
            Some(own) => Ok(Ok(own.clone())),
            None => free_name(call, socket).map(Ok),
        };
    }
    let Some(path) = addresses::path(&own).map(file_name_text) else {
        let taken = is_name_taken(&call.state().data.kernel, &own, socket);
        return Ok(match () {
            () if socket.own.is_some() => Err(EINVAL),
            () if taken => Err(EADDRINUSE),
            () => Ok(own),
        });
    };
    let host = call.environment().options().host.clone();
    let me = call.thread();
    let kernel = &mut call.data().kernel;
    let directory = kernel.own.directory.clone();
    Ok(match kernel.files.resolve(&*host, &directory, &path, false) {
        Err(error) => Err(error),
        Ok(Found { node: Some(_), .. }) => Err(EADDRINUSE),
        Ok(_) if socket.own.is_some() => Err(EINVAL),
        Ok(Found { path, node: None }) => {
            let permissions = 0o777 & !kernel.own.mask;
            let named = kernel.files.create(me, &path, NodeKind::Bound(node), permissions);
            events::happened_to_entry(kernel, &path, named, events::CREATE);
            Ok(own)
        }
    })
}

/// The socket that `wanted` means to a socket like `from`, if it takes connections or datagrams; else the
/// error.
pub(crate) fn target(
    call: &mut PosixCall<'_, '_>,
    from: &Socket,
    wanted: &Address,
) -> Result<Result<u64, i32>, Stop> {
    match (from.family, addresses::path(wanted)) {
        (Family::Local, Some(path)) => {
            let path = file_name_text(path);
            let host = call.environment().options().host.clone();
            let kernel = &mut call.data().kernel;
            let directory = kernel.own.directory.clone();
            Ok(match kernel.files.resolve(&*host, &directory, &path, true) {
                Err(error) => Err(error),
                Ok(Found { node: None, .. }) => Err(ENOENT),
                Ok(Found { node: Some(named), .. }) => bound_to(kernel, from, named),
            })
        }
        (Family::Local, None) => Ok(local_named(&call.state().data.kernel, from, wanted)),
        (family, _) => {
            let kernel = &call.state().data.kernel;
            if let Some(found) = of_internet(kernel, from, wanted) {
                return Ok(Ok(found));
            }
            let takes_both = |(_, socket): (u64, &Socket)| {
                let own = socket.own.as_ref().filter(|own| addresses::is_any(own));
                own.is_some_and(|own| addresses::port(own) == addresses::port(wanted))
            };
            let is_both =
                family == Family::Internet && sockets(kernel, Family::Internet6, from.kind()).any(takes_both);
            let mapped = family == Family::Internet6 && addresses::is_mapped(wanted);
            if mapped || is_both {
                return Err(call.unsupported("a socket of IPv6 that talks to one of IPv4"));
            }
            if !from.is_stream() && !addresses::is_of_this_machine(wanted) {
                return Err(call.unsupported("a datagram to another machine"));
            }
            Ok(Err(ECONNREFUSED))
        }
    }
}

/// The socket of the internet that gets what is sent to `wanted`: one that is connected to the sender comes
/// first.
fn of_internet(kernel: &Kernel, from: &Socket, wanted: &Address) -> Option<u64> {
    let reached = sockets(kernel, from.family, from.kind()).filter(|(_, socket)| {
        let own = socket.own.as_ref();
        own.is_some_and(|own| addresses::reaches(from.family, wanted, own)) && receives(socket, from)
    });
    let connected =
        |socket: &Socket| matches!(&socket.role, Role::Datagrams(inbox) if inbox.peer_address().is_some());
    reached.max_by_key(|(_, socket)| connected(socket)).map(|(node, _)| node)
}

/// Whether `socket` accepts connections, or datagrams from `from`: a connected one those of its peer only.
fn receives(socket: &Socket, from: &Socket) -> bool {
    match &socket.role {
        Role::Listening { .. } => true,
        Role::Datagrams(inbox) => inbox.peer_address().is_none_or(|peer| {
            from.own.as_ref().is_some_and(|own| addresses::concrete(from.family, own) == *peer)
        }),
        _ => false,
    }
}

/// The socket bound to the file `named`.
fn bound_to(kernel: &Kernel, from: &Socket, named: u64) -> Result<u64, i32> {
    let Some(NodeKind::Bound(node)) = kernel.files.kind(named) else {
        return Err(ECONNREFUSED);
    };
    let is_open = kernel.open.nodes().any(|open| open == *node);
    match socket_of(kernel, *node).filter(|_| is_open) {
        Some(socket) => answers(*node, socket, from),
        None => Err(ECONNREFUSED),
    }
}

fn local_named(kernel: &Kernel, from: &Socket, wanted: &Address) -> Result<u64, i32> {
    let mut all = sockets(kernel, Family::Local, from.kind());
    let found = all.find(|(_, socket)| {
        socket.own.as_ref() == Some(wanted) && !matches!(socket.role, Role::Connected(_))
    });
    found.map_or(Err(ECONNREFUSED), |(node, socket)| answers(node, socket, from))
}

/// Whether a local socket takes what `from` sends, by its kind and role.
fn answers(node: u64, socket: &Socket, from: &Socket) -> Result<u64, i32> {
    match socket.role {
        _ if socket.kind() != from.kind() => Err(EPROTOTYPE),
        Role::Listening { .. } | Role::Datagrams(_) => Ok(node),
        _ => Err(ECONNREFUSED),
    }
}
