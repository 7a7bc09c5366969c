//! Sending and receiving at sockets: `send`, `recv` and their kin, `read` and `write`.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EAGAIN, ECONNRESET, EINVAL, EISCONN, EMSGSIZE, ENOTCONN, EOPNOTSUPP, EPIPE};
use crate::kernel::buffers::Buffer;
use crate::kernel::nodes::changes::{READABLE, WRITABLE};
use crate::kernel::nodes::open_files::NONBLOCK;
use crate::kernel::nodes::pipe_buffer::Message;
use crate::kernel::nodes::sets::touched_by_change;
use crate::kernel::nodes::socket::{Address, Family, Role, Socket};
use crate::kernel::nodes::{connection_of, socket_of};
use crate::kernel::readiness::pipe::{self, has_reader, has_writer, put, wait_for_pipe};
use crate::kernel::readiness::sockets::addresses::{self};
use crate::kernel::readiness::sockets::datagrams::{self, Received};
use crate::kernel::readiness::sockets::passing::{
    self, Given, comes_with_more, coming, discard, extras, given, room, touched_by_passing,
    touched_by_receiving,
};
use crate::kernel::readiness::sockets::{change, named, records, take_error};
use crate::kernel::signals::is_sent;
use crate::kernel::system_calls::{self, argument};
use crate::kernel::transfers::vectors::{self, Buffers};
use crate::kernel::transfers::{fill, stand_before, stand_before_with};
use crate::places::{ADDRESSES, read, write};
use crate::sync::wait::PipeWait;
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
/// Files that come are closed on `exec`.
const CLOSE_ON_EXEC: u64 = 0x4000_0000;
/// Flags without other effect: not over a gateway, end of a record, closing on `exec`.
const UNNOTICED: u64 = 0x84 | CLOSE_ON_EXEC;

/// An address that a call gives: where it is, and how long.
type Place = (u64, u64);

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
        Turn::Go(received) => {
            discard(call, &received.extras.files);
            Turn::Go(received.content)
        }
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
    let asks_for_sender = socket.options.asks_for_sender;
    let of_stream = |content: Stretch, from, extras| {
        let length = content.len();
        Turn::Go(Received { content, length, from, extras })
    };
    match &socket.role {
        Role::Connected(side) if side.is_reset && count > 0 && !pipe::has_bytes(kernel, side.receive) => {
            Turn::Answer(reset(call, node))
        }
        Role::Connected(side) => {
            // Only local sockets say whence the bytes come.
            let from = Some(side.peer.clone()).filter(|peer| is_local && peer.len() > 2);
            let receive = side.receive;
            if socket.records {
                let extras = coming(kernel, node, count);
                return match records::take(call, receive, immediately, count, keeps) {
                    Turn::Go(record) => {
                        Turn::Go(record.map_or_else(Received::default, |(content, length)| Received {
                            content,
                            length,
                            from,
                            extras,
                        }))
                    }
                    Turn::Answer(answer) => Turn::Answer(answer),
                };
            }
            let (count, extras) = pipe::next(kernel, receive, count, asks_for_sender);
            let taken = match keeps {
                true => pipe::look(call, receive, immediately, count),
                false => pipe::take(call, receive, immediately, count),
            };
            match taken {
                Turn::Go(content) => {
                    // A local socket notifies the sender of a message that it has been received.
                    if is_local && !content.is_empty() && !keeps {
                        call.data().kernel.changed(receive, WRITABLE);
                    }
                    of_stream(content, from, extras)
                }
                Turn::Answer(answer) => Turn::Answer(answer),
            }
        }
        Role::Datagrams(_) => datagrams::take(call, node, immediately, count, keeps),
        Role::Fresh if socket.deaf && !is_local => Turn::Go(Received::default()),
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
    let is_local = socket.family == Family::Local;
    let binds_itself = socket.own.is_none() && (!is_local || socket.options.asks_for_sender);
    if let (None, Some(peer), false) = (to, inbox.peer(), binds_itself) {
        return Ok(Turn::Go(touched_by_change(&call.state().data.kernel, peer, READABLE).into_vec()));
    }
    let address = to.or(inbox.peer_address()).cloned().unwrap_or_default();
    let mut touched = addresses::touched_names(call, &address, false).into_vec();
    if call.phase() == 0 {
        touched.push(read(ADDRESSES));
        return Ok(Turn::Answer(Ok(call.park(touched.into()))));
    }
    touched.push(if binds_itself { write(ADDRESSES) } else { read(ADDRESSES) });
    if let Ok(receiver) = datagrams::destination(call, &socket, to)? {
        touched.extend(touched_by_change(&call.state().data.kernel, receiver, READABLE));
    }
    Ok(Turn::Go(touched))
}

/// Writes to the socket `node` after an announcement.
pub(crate) fn put_into(
    call: &mut PosixCall<'_, '_>,
    node: u64,
    immediately: bool,
    quietly: bool,
    message: &Message,
) -> Step {
    let written = pipe::written_before(call.scratch());
    let kernel = &call.state().data.kernel;
    let Some(socket) = socket_of(kernel, node) else { return failed(EINVAL) };
    match &socket.role {
        Role::Connected(side) => {
            let is_stream = !socket.records;
            let gone = !side.writes || !has_reader(kernel, side.send);
            let send = side.send;
            match () {
                // The next call says that the other side is gone.
                () if (gone || side.is_reset) && is_stream && written > 0 => word(written),
                () if side.is_reset && socket.family != Family::Local => reset(call, node),
                () if gone && (quietly || socket.records) => failed(EPIPE),
                () if gone => pipe::broken(call, 0),
                () if socket.records => records::put(call, send, immediately, message),
                () if !message.extras.is_empty() => put_whole(call, send, immediately, message),
                () => put(call, send, immediately, &message.bytes),
            }
        }
        Role::Datagrams(_) => datagrams::send(call, node, None, immediately, message),
        _ if socket.family == Family::Local => failed(ENOTCONN),
        _ if quietly => failed(EPIPE),
        _ => pipe::broken(call, 0),
    }
}

/// Writes a message with more than bytes to a stream, whole or not at all.
fn put_whole(call: &mut PosixCall<'_, '_>, pipe: u64, immediately: bool, message: &Message) -> Step {
    /// Bytes that Linux surely has in one piece, with which all else comes.
    const MOST: usize = 1 << 15;
    let length = message.bytes.len();
    if length > MOST {
        return Err(call.unsupported("a long message that passes more than bytes"));
    }
    let wait = PipeWait { node: pipe, reading: false, room: length, has_begun: false };
    if !pipe::is_pipe_ready(&call.state().data.kernel, wait) {
        return match () {
            () if immediately => failed(EAGAIN),
            () => Ok(wait_for_pipe(call, wait)),
        };
    }
    put(call, pipe, true, &message.bytes)?;
    pipe::pass(&mut call.data().kernel, pipe, length, message.extras.clone());
    word(length as u64)
}

/// Reports that the other side went without reading everything.
fn reset(call: &mut PosixCall<'_, '_>, node: u64) -> Step {
    change(call, node, |socket| {
        take_error(socket);
    });
    failed(ECONNRESET)
}

/// Sends the bytes of `buffers` and what is `given` besides, of datagrams `to` an address if there is one.
fn send_from(
    call: &mut PosixCall<'_, '_>,
    buffers: &[(u64, u64)],
    flags: u64,
    to: Place,
    given: &Given,
) -> Step {
    if is_sent(call) {
        return pipe::deliver_broken(call);
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
    let mut touched = match touched_by_sending(call, to.as_ref())? {
        Turn::Go(touched) => touched,
        Turn::Answer(answer) => return answer,
    };
    touched.extend(touched_by_passing(call, given));
    let file = match stand_before_with(call, Mode::Write, &with_purpose, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return answer,
    };
    let (node, socket) = match named(call)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let receiver = match &socket.role {
        Role::Connected(side) => Some(side.send),
        Role::Datagrams(_) if socket.family == Family::Local => {
            datagrams::destination(call, &socket, to.as_ref())?.ok()
        }
        _ => None,
    };
    let extras = match extras(call, &socket, receiver, given)? {
        Ok(extras) => extras,
        Err(error) => return failed(error),
    };
    let mut message = Message { bytes: Stretch::default(), extras };
    for &(address, length) in buffers {
        if length > 0 {
            message.bytes.append(&call.read_stretch(address, length)?);
        }
    }
    let open = call.state().data.kernel.open.get(file).clone();
    let immediately = open.flags & NONBLOCK != 0 || flags & NOW != 0;
    match to {
        Some(to) => datagrams::send(call, node, Some(&to), immediately, &message),
        None => put_into(call, node, immediately, flags & NO_SIGNAL != 0, &message),
    }
}

/// The address that a datagram is sent to, if one is given: streams have their peers.
fn recipient(call: &mut PosixCall<'_, '_>, to: Place) -> Result<Result<Option<Address>, i32>, Stop> {
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
    send_from(call, &[buffer], flags, to, &Given::default())
}

/// Receives into `buffers`: how many bytes are there, and what else is known. There is `room` for control
/// data, or none is wanted.
fn receive_into(
    call: &mut PosixCall<'_, '_>,
    buffers: &[(u64, u64)],
    flags: u64,
    room: Option<Buffer>,
) -> Result<Turn<(u64, Received)>, Stop> {
    if flags & !(PEEK | CUT | NOW | ALL | NO_SIGNAL | UNNOTICED) != 0 {
        let name = system_calls::name(call)?;
        return Err(call.unsupported(format!("{name} with flags {flags:#x}")));
    }
    let count = buffers.iter().fold(0_u64, |sum, buffer| sum.saturating_add(buffer.1));
    let drops = flags & CUT != 0 && is_tcp(call)?;
    let filled = if drops { &[] } else { buffers };
    let mut with_purpose: Vec<_> =
        filled.iter().map(|&(address, length)| (address, length, Purpose::Write)).collect();
    let touched = touched_by_receiving(call, count, room.is_some())?;
    if comes_with_more(call, count)? {
        with_purpose.extend(room);
    }
    let file = match stand_before_with(call, Mode::Write, &with_purpose, &touched)? {
        Turn::Go(file) => file,
        Turn::Answer(answer) => return Ok(Turn::Answer(answer)),
    };
    if let Turn::Answer(answer) = named(call)? {
        return Ok(Turn::Answer(answer));
    }
    let open = call.state().data.kernel.open.get(file).clone();
    let immediately = open.flags & NONBLOCK != 0 || flags & NOW != 0;
    let received = match take(call, open.node, immediately, count, flags & PEEK != 0) {
        Turn::Go(received) => received,
        Turn::Answer(answer) => return Ok(Turn::Answer(answer)),
    };
    check_stream(call, open.node, flags, (received.length as u64) < count && !immediately)?;
    if drops {
        return Ok(Turn::Go((received.length as u64, received)));
    }
    let done = fill(call, buffers, &received.content)? as u64;
    let keeps_bounds = |socket: &Socket| socket.records || !socket.is_stream();
    let is_told_whole =
        flags & CUT != 0 && socket_of(&call.state().data.kernel, open.node).is_some_and(keeps_bounds);
    let told = if is_told_whole { received.length as u64 } else { done };
    Ok(Turn::Go((told, received)))
}

/// Refuses a flag that a stream would have to heed: waiting for all that was asked for.
fn check_stream(call: &PosixCall<'_, '_>, node: u64, flags: u64, is_short: bool) -> Result<(), Stop> {
    let kernel = &call.state().data.kernel;
    let Some(side) = connection_of(kernel, node) else { return Ok(()) };
    if socket_of(kernel, node).is_some_and(|socket| socket.records) {
        return Ok(());
    }
    if flags & ALL != 0 && flags & PEEK == 0 && is_short && has_writer(kernel, side.receive) {
        return Err(call.unsupported("MSG_WAITALL that has to wait for more"));
    }
    Ok(())
}

/// Whether the descriptor in argument 0 is a socket of TCP. With `MSG_TRUNC` such a one drops what it
/// receives, and does not look at the buffer (`tcp(7)`).
fn is_tcp(call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let node = kernel.file_of(descriptor).map(|file| kernel.open.get(file).node);
    let socket = node.and_then(|node| socket_of(kernel, node));
    Ok(socket.is_some_and(|socket| socket.is_stream() && !socket.records && socket.family != Family::Local))
}

/// `recvfrom(descriptor, buffer, length, flags, address, address length)`
pub(crate) fn receive(call: &mut PosixCall<'_, '_>) -> Step {
    let (buffer, flags) = ((argument(call, 1)?, argument(call, 2)?), argument(call, 3)? & 0xffff_ffff);
    let (address, length) = (argument(call, 4)?, argument(call, 5)?);
    let (told, received) = match receive_into(call, &[buffer], flags, None)? {
        Turn::Go(received) => received,
        Turn::Answer(answer) => return answer,
    };
    if flags & PEEK == 0 {
        discard(call, &received.extras.files);
    }
    addresses::put(call, received.from.as_deref().unwrap_or_default(), address, length)?;
    word(told)
}

/// The buffers of the `struct msghdr` in argument 1.
fn message_buffers(call: &mut PosixCall<'_, '_>) -> Result<Result<Buffers, i32>, Stop> {
    let message = argument(call, 1)?;
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

/// Answers a call whose message is refused, if its descriptor is a socket's.
fn refuse_message(call: &mut PosixCall<'_, '_>, error: i32) -> Step {
    match stand_at_socket(call)? {
        Turn::Go(()) => failed(error),
        Turn::Answer(answer) => answer,
    }
}

/// Where the address of a message is, and how long that may be.
fn message_name(call: &mut PosixCall<'_, '_>) -> Result<Place, Stop> {
    let message = argument(call, 1)?;
    match call.read_number(message, 8)? {
        0 => Ok((0, 0)),
        name => Ok((name, call.read_number(message + 8, 4)?)),
    }
}

/// `sendmsg(descriptor, message, flags)`
pub(crate) fn send_message(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let (buffers, given) = match (message_buffers(call)?, given(call)?) {
        (Ok(buffers), Ok(given)) => (buffers, given),
        (Err(error), _) | (_, Err(error)) => return refuse_message(call, error),
    };
    let to = message_name(call)?;
    send_from(call, &buffers, flags, to, &given)
}

/// `recvmsg(descriptor, message, flags)`
pub(crate) fn receive_message(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let buffers = match message_buffers(call)? {
        Ok(buffers) => buffers,
        Err(error) => return refuse_message(call, error),
    };
    let (name, message, room) = (message_name(call)?, argument(call, 1)?, room(call)?);
    let (told, received) = match receive_into(call, &buffers, flags, Some(room))? {
        Turn::Go(received) => received,
        Turn::Answer(answer) => return answer,
    };
    let asks = matches!(named(call)?, Turn::Go((_, socket)) if socket.options.asks_for_sender);
    let closes = flags & CLOSE_ON_EXEC != 0;
    let (used, lost) = passing::put(call, (room.0, room.1), &received.extras, asks, closes)?;
    if flags & PEEK == 0 {
        discard(call, &received.extras.files);
    }
    let from = received.from.unwrap_or_else(|| [].into());
    if name.0 != 0 {
        addresses::put_cut(call, &from, name.0, name.1)?;
        call.write(message + 8, 4, Value::Concrete(from.len() as u64))?;
    }
    let cut = if received.content.len() < received.length { CUT } else { 0 };
    call.write(message + 40, 8, Value::Concrete(used))?;
    call.write(message + 48, 4, Value::Concrete(cut | lost))?;
    word(told)
}
