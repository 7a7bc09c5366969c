//! Sending and receiving at sockets: `send`, `recv` and their kin, `read` and `write`.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{ECONNRESET, EINVAL, EISCONN, EMSGSIZE, ENOTCONN, EOPNOTSUPP, EPIPE};
use crate::kernel::nodes::changes::WRITABLE;
use crate::kernel::nodes::open_files::NONBLOCK;
use crate::kernel::nodes::socket::{Address, Family, Role, Socket};
use crate::kernel::nodes::{connection_of, socket_of};
use crate::kernel::readiness::pipe::{self, has_reader, has_writer, put};
use crate::kernel::readiness::sockets::addresses::{self};
use crate::kernel::readiness::sockets::datagrams::{self, Received};
use crate::kernel::readiness::sockets::{change, named, records, take_error};
use crate::kernel::signals::{BROKEN_PIPE, TO_PROCESS, deliver_sent, is_sent, send_announced};
use crate::kernel::system_calls::{self, argument};
use crate::kernel::transfers::vectors::{self, Buffers};
use crate::kernel::transfers::{fill, stand_before, stand_before_with};
use crate::places::{ADDRESSES, node_place, read, write};
use symx_interp::access::Purpose;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Mode};

// Flags of a message.
const PEEK: u64 = 2;
const CUT: u64 = 0x20;
const NOW: u64 = 0x40;
const ALL: u64 = 0x100;
const NO_SIGNAL: u64 = 0x4000;
/// Flags without observable effect: not over a gateway, end of a record, closing on `exec`.
const UNNOTICED: u64 = 0x4000_0084;

/// An address that a call gives: where it is, and how long.
type Given = (u64, u64);

/// Reads from the socket `node` after an announcement; nothing, if nothing is wanted.
pub(crate) fn take_from(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    count: u64,
) -> Turn<Stretch> {
    if count == 0 {
        return Turn::Go(Stretch::default());
    }
    match take(call, node, immediately, count, false) {
        Turn::Go(received) => Turn::Go(received.content),
        Turn::Answer(answer) => Turn::Answer(answer),
    }
}

/// Receives at the socket `node`, of which `count` bytes are wanted; what it `keeps` can be received again.
fn take(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    count: u64,
    keeps: bool,
) -> Turn<Received> {
    let kernel = &call.state().data.kernel;
    let Some(socket) = socket_of(kernel, node) else { return Turn::Answer(failed(EINVAL)) };
    let is_local = socket.family == Family::Local;
    let of_stream = |content: Stretch, from| {
        let length = content.len();
        Turn::Go(Received { content, length, from })
    };
    match &socket.role {
        Role::Connected(side) if side.is_reset && count > 0 && !pipe::has_bytes(kernel, side.receive) => {
            Turn::Answer(reset(call, node))
        }
        Role::Connected(side) if side.reads => {
            // Only local sockets say whence the bytes come.
            let from = Some(side.peer.clone()).filter(|peer| is_local && peer.len() > 2);
            let receive = side.receive;
            if socket.records {
                return match records::take(call, receive, immediately, count, keeps) {
                    Turn::Go(record) => {
                        Turn::Go(record.map_or_else(Received::default, |(content, length)| Received {
                            content,
                            length,
                            from,
                        }))
                    }
                    Turn::Answer(answer) => Turn::Answer(answer),
                };
            }
            let taken = match keeps {
                true => pipe::look(call, receive, immediately, count),
                false => pipe::take(call, receive, immediately, count),
            };
            match taken {
                Turn::Go(content) => {
                    // A local socket notifies the sender of a message that it has been received.
                    if is_local && !content.is_empty() && !keeps {
                        call.data().kernel.files.changed(receive, WRITABLE);
                    }
                    of_stream(content, from)
                }
                Turn::Answer(answer) => Turn::Answer(answer),
            }
        }
        Role::Connected(_) => of_stream(Stretch::default(), None),
        Role::Datagrams(_) => datagrams::take(call, node, immediately, count, keeps),
        Role::Fresh if socket.deaf && !is_local => of_stream(Stretch::default(), None),
        _ => Turn::Answer(failed(if is_local { EINVAL } else { ENOTCONN })),
    }
}

/// The footprint of sending a datagram at the socket in argument 0, besides that socket: its receiver. Others
/// may be about to change the receiver, so looking it up is a step.
pub(crate) fn touched_by_sending(
    call: &mut PosixCall<'_, '_>,
    to: Option<&Address>,
) -> Result<Turn<Vec<Access>>, Stop> {
    let Turn::Go((_, socket)) = named(call)? else { return Ok(Turn::Go(Vec::new())) };
    let Role::Datagrams(inbox) = &socket.role else { return Ok(Turn::Go(Vec::new())) };
    if let (None, Some(peer)) = (to, inbox.peer()) {
        return Ok(Turn::Go(vec![write(node_place(peer))]));
    }
    let address = to.or(inbox.peer_address()).cloned().unwrap_or_default();
    let mut touched = addresses::touched_names(call, &address, false).into_vec();
    if call.phase() == 0 {
        touched.push(read(ADDRESSES));
        return Ok(Turn::Answer(Ok(call.park(touched.into()))));
    }
    let binds_itself = socket.own.is_none() && socket.family != Family::Local;
    touched.push(if binds_itself { write(ADDRESSES) } else { read(ADDRESSES) });
    if let Ok(receiver) = datagrams::destination(call, &socket, to)? {
        touched.push(write(node_place(receiver)));
    }
    Ok(Turn::Go(touched))
}

/// Writes to the socket `node` after an announcement.
pub(crate) fn put_into(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    quietly: bool,
    stretch: &Stretch,
) -> Step {
    let kernel = &call.state().data.kernel;
    let Some(socket) = socket_of(kernel, node) else { return failed(EINVAL) };
    match &socket.role {
        Role::Connected(side) => {
            let gone = !side.writes || !has_reader(kernel, side.send);
            let send = side.send;
            match () {
                () if side.is_reset && socket.family != Family::Local => reset(call, node),
                () if gone && (quietly || socket.records) => failed(EPIPE),
                () if gone => broken(call),
                () if socket.records => records::put(call, send, immediately, stretch),
                () => put(call, send, immediately, stretch),
            }
        }
        Role::Datagrams(_) => datagrams::send(call, node, None, immediately, stretch),
        _ if socket.family == Family::Local => failed(ENOTCONN),
        _ if quietly => failed(EPIPE),
        _ => broken(call),
    }
}

/// Reports that the other side went without reading everything.
fn reset(call: &mut PosixCall<'_, '_>, node: u64) -> Step {
    change(call, node, |socket| {
        take_error(socket);
    });
    failed(ECONNRESET)
}

fn broken(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    send_announced(call, Some(me), BROKEN_PIPE, TO_PROCESS, failed(EPIPE))
}

/// Sends the bytes of `buffers`, of datagrams `to` an address if one is given.
fn send_from(call: &mut PosixCall<'_, '_>, buffers: &[(u64, u64)], flags: u64, to: Given) -> Step {
    if is_sent(call) {
        return deliver_sent(call, failed(EPIPE));
    }
    if flags & !(NOW | NO_SIGNAL | UNNOTICED) != 0 {
        let name = system_calls::name(call)?;
        return Err(call.unsupported(format!("{name} with flags {flags:#x}")));
    }
    let to = match recipient(call, to)? {
        Ok(to) => to,
        Err(error) => return failed(error),
    };
    let with_purpose: Vec<_> =
        buffers.iter().map(|&(address, length)| (address, length, Purpose::Read)).collect();
    let touched = match touched_by_sending(call, to.as_ref())? {
        Turn::Go(touched) => touched,
        Turn::Answer(answer) => return answer,
    };
    let file = match stand_before_with(call, Mode::Write, &with_purpose, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    if let Turn::Answer(answer) = named(call)? {
        return answer;
    }
    let mut stretch = Stretch::default();
    for &(address, length) in buffers {
        if length > 0 {
            stretch.append(&call.read_stretch(address, length)?);
        }
    }
    let open = call.state().data.kernel.open.get(file).clone();
    let immediately = open.flags & NONBLOCK != 0 || flags & NOW != 0;
    match to {
        Some(to) => datagrams::send(call, open.node, Some(&to), immediately, &stretch),
        None => put_into(call, open.node, immediately, flags & NO_SIGNAL != 0, &stretch),
    }
}

/// The address that a datagram is sent to, if one is given: streams have their peers.
fn recipient(call: &mut PosixCall<'_, '_>, to: Given) -> Result<Result<Option<Address>, i32>, Stop> {
    let (address, length) = to;
    if address == 0 || length == 0 {
        return Ok(Ok(None));
    }
    let Turn::Go((_, socket)) = named(call)? else { return Ok(Ok(None)) };
    match socket.role {
        Role::Datagrams(_) => {
            let given = addresses::given(call, address, length)?;
            let to = addresses::normal(socket.family, &given);
            Ok(to.map(|to| Some(addresses::concrete(socket.family, &to))))
        }
        Role::Connected(_) if socket.family == Family::Local => Ok(Err(EISCONN)),
        _ if socket.family == Family::Local => Ok(Err(EOPNOTSUPP)),
        _ => Ok(Ok(None)),
    }
}

/// `sendto(descriptor, buffer, length, flags, address, address length)`
pub(crate) fn send(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, flags) = ((argument(call, 1)?, argument(call, 2)?), argument(call, 3)? & 0xffff_ffff);
    let to = (argument(call, 4)?, argument(call, 5)? & 0xffff_ffff);
    send_from(call, &[buffer], flags, to)
}

/// Receives into `buffers`: how many bytes are there, and what else is known.
fn receive_into(
    call: &mut PosixCall<'_, '_>,
    buffers: &[(u64, u64)],
    flags: u64,
) -> Result<Turn<(u64, Received)>, Stop> {
    if flags & !(PEEK | CUT | NOW | ALL | NO_SIGNAL | UNNOTICED) != 0 {
        let name = system_calls::name(call)?;
        return Err(call.unsupported(format!("{name} with flags {flags:#x}")));
    }
    let with_purpose: Vec<_> =
        buffers.iter().map(|&(address, length)| (address, length, Purpose::Write)).collect();
    let file = match stand_before(call, Mode::Write, &with_purpose)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return Ok(Turn::Answer(answer)),
    };
    if let Turn::Answer(answer) = named(call)? {
        return Ok(Turn::Answer(answer));
    }
    let open = call.state().data.kernel.open.get(file).clone();
    let immediately = open.flags & NONBLOCK != 0 || flags & NOW != 0;
    let count = buffers.iter().fold(0_u64, |sum, buffer| sum.saturating_add(buffer.1));
    let received = match take(call, open.node, immediately, count, flags & PEEK != 0) {
        Turn::Go(received) => received,
        Turn::Answer(answer) => return Ok(Turn::Answer(answer)),
    };
    check_stream(call, open.node, flags, (received.length as u64) < count && !immediately)?;
    let done = fill(call, buffers, &received.content)? as u64;
    let keeps_bounds = |socket: &Socket| socket.records || !socket.is_stream();
    let is_told_whole =
        flags & CUT != 0 && socket_of(&call.state().data.kernel, open.node).is_some_and(keeps_bounds);
    let told = if is_told_whole { received.length as u64 } else { done };
    Ok(Turn::Go((told, received)))
}

/// Refuses flags that a stream would have to heed: waiting for all that was asked for, and dropping what it
/// reads.
fn check_stream(call: &PosixCall<'_, '_>, node: u64, flags: u64, is_short: bool) -> Result<(), Stop> {
    let kernel = &call.state().data.kernel;
    let Some(side) = connection_of(kernel, node) else { return Ok(()) };
    if socket_of(kernel, node).is_some_and(|socket| socket.records) {
        return Ok(());
    }
    if flags & ALL != 0 && flags & PEEK == 0 && is_short && has_writer(kernel, side.receive) {
        return Err(call.unsupported("MSG_WAITALL that has to wait for more"));
    }
    let is_local = socket_of(kernel, node).is_some_and(|socket| socket.family == Family::Local);
    if flags & CUT != 0 && !is_local {
        return Err(call.unsupported("MSG_TRUNC of a stream"));
    }
    Ok(())
}

/// `recvfrom(descriptor, buffer, length, flags, address, address length)`
pub(crate) fn receive(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, flags) = ((argument(call, 1)?, argument(call, 2)?), argument(call, 3)? & 0xffff_ffff);
    let (address, length) = (argument(call, 4)?, argument(call, 5)?);
    let (told, received) = match receive_into(call, &[buffer], flags)? {
        Turn::Go(received) => received,
        Turn::Answer(answer) => return answer,
    };
    addresses::put(call, received.from.as_deref().unwrap_or_default(), address, length)?;
    word(told)
}

/// The buffers of the `struct msghdr` in argument 1, which must hold nothing but them and an address.
fn message_buffers(call: &mut PosixCall<'_, '_>, sends: bool) -> Result<Result<Buffers, i32>, Stop> {
    let message = argument(call, 1)?;
    if sends && call.read_number(message + 40, 8)? != 0 {
        return Err(call.unsupported("sending more than bytes (sendmsg with control data)"));
    }
    let vector = (call.read_number(message + 16, 8)?, call.read_number(message + 24, 8)?);
    vectors::array(call, vector, EMSGSIZE)
}

/// Stands before a call that passes nothing, until its descriptor is known to be a socket's.
pub(super) fn stand_at_socket(call: &mut PosixCall<'_, '_>) -> Result<Turn<()>, Stop> {
    if let Turn::Answer(answer) = stand_before(call, Mode::Read, &[])? {
        return Ok(Turn::Answer(answer));
    }
    Ok(match named(call)? {
        Turn::Go(_) => Turn::Go(()),
        Turn::Answer(answer) => Turn::Answer(answer),
    })
}

/// Answers a call whose buffers are refused, if its descriptor is a socket's.
fn refuse_buffers(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    match stand_at_socket(call)? {
        Turn::Go(()) => failed(error),
        Turn::Answer(answer) => answer,
    }
}

/// Where the address of a message is, and how long that may be.
fn message_name(call: &mut PosixCall<'_, '_>) -> Result<Given, Stop> {
    let message = argument(call, 1)?;
    match call.read_number(message, 8)? {
        0 => Ok((0, 0)),
        name => Ok((name, call.read_number(message + 8, 4)?)),
    }
}

/// `sendmsg(descriptor, message, flags)`
pub(crate) fn send_message(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let buffers = match message_buffers(call, true)? {
        Ok(buffers) => buffers,
        Err(error) => return refuse_buffers(call, error),
    };
    let to = message_name(call)?;
    send_from(call, &buffers, flags, to)
}

/// `recvmsg(descriptor, message, flags)`
pub(crate) fn receive_message(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let buffers = match message_buffers(call, false)? {
        Ok(buffers) => buffers,
        Err(error) => return refuse_buffers(call, error),
    };
    let (name, message) = (message_name(call)?, argument(call, 1)?);
    let (told, received) = match receive_into(call, &buffers, flags)? {
        Turn::Go(received) => received,
        Turn::Answer(answer) => return answer,
    };
    let from = received.from.unwrap_or_else(|| [].into());
    if name.0 != 0 {
        addresses::put_cut(call, &from, name.0, name.1)?;
        call.write(message + 8, 4, Value::Concrete(from.len() as u64))?;
    }
    let cut = if received.content.len() < received.length { CUT } else { 0 };
    call.write(message + 40, 8, Value::Concrete(0))?;
    call.write(message + 48, 4, Value::Concrete(cut))?;
    word(told)
}
