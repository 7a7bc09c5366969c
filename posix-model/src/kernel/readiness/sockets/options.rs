//! Options of sockets.
//!
//! An option that changes what a socket does is modelled, or refused by name. All others have one
//! observable effect: `getsockopt` returns what was set.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EDOM, EINVAL, ENOPROTOOPT, EOPNOTSUPP};
use crate::kernel::nodes::socket::{Family, Role, Socket, SocketOptions, Transfer};
use crate::kernel::process::{PROCESS, USER};
use crate::kernel::readiness::sockets::{change, on_socket, on_socket_with, take_error};
use crate::kernel::system_calls::argument;
use crate::places::{ADDRESSES, write};
use symx_interp::stop::Stop;
use symx_trace::Mode;

// Levels of options.
const SOCKET: u64 = 1;
const STREAMS: u64 = 6;
const INTERNET6: u64 = 41;

// Options that all sockets have.
const REUSE_ADDRESS: u64 = 2;
const KIND: u64 = 3;
const ERROR: u64 = 4;
const SEND_ROOM: u64 = 7;
const RECEIVE_ROOM: u64 = 8;
const LINGER: u64 = 13;
const REUSE_PORT: u64 = 15;
const ASKS_FOR_SENDER: u64 = 16;
const PEER_CREDENTIALS: u64 = 17;
const LEAST_RECEIVED: u64 = 18;
const RECEIVE_TIME: u64 = 20;
const SEND_TIME: u64 = 21;
const LISTENS: u64 = 30;
const PROTOCOL: u64 = 38;
const FAMILY: u64 = 39;

/// Bytes of a number, and of a `struct linger`.
const NUMBER: u64 = 4;
const LINGER_BYTES: u64 = 8;
/// Room that sockets have at first, the least they can be given, and the most that can be asked for.
const ROOM: u64 = 1 << 16;
const LEAST_ROOM: [u64; 2] = [4608, 2304];
const MOST_ASKED: u64 = 212_992;

/// Options that `getsockopt` returns as they were set: level, number, first value, and whether only zero and
/// one are distinguished.
const RETURNED_AS_SET: &[(u64, u64, u64, bool)] = &[
    (SOCKET, 5, 0, true),          // SO_DONTROUTE
    (SOCKET, 6, 0, true),          // SO_BROADCAST
    (SOCKET, 9, 0, true),          // SO_KEEPALIVE
    (SOCKET, 10, 0, true),         // SO_OOBINLINE
    (SOCKET, 12, 0, false),        // SO_PRIORITY
    (SOCKET, REUSE_PORT, 0, true), // SO_REUSEPORT
    (SOCKET, LEAST_RECEIVED, 1, false),
    (STREAMS, 1, 0, true),     // TCP_NODELAY
    (STREAMS, 3, 0, true),     // TCP_CORK
    (STREAMS, 4, 7200, false), // TCP_KEEPIDLE
    (STREAMS, 5, 75, false),   // TCP_KEEPINTVL
    (STREAMS, 6, 9, false),    // TCP_KEEPCNT
    (INTERNET6, 26, 0, true),  // IPV6_V6ONLY
];

/// `setsockopt(descriptor, level, name, value, length)`
pub(crate) fn set(call: &mut PosixCall<'_, '_>) -> Step {
    let (level, option) = (argument(call, 1)?, argument(call, 2)?);
    let (value, length) = (argument(call, 3)?, argument(call, 4)? & 0xffff_ffff);
    // Whether others may be bound to its address matters to their binding.
    let addresses =
        (level == SOCKET && matches!(option, REUSE_ADDRESS | REUSE_PORT)).then(|| write(ADDRESSES));
    let (node, socket) = match on_socket_with(call, Mode::Write, addresses.as_slice())? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    if let Some(error) = refused(&socket, level, length) {
        return failed(error);
    }
    let mut options = socket.options.clone();
    match (level, option) {
        (SOCKET, RECEIVE_TIME | SEND_TIME) if length < 16 => return failed(EINVAL),
        (SOCKET, RECEIVE_TIME | SEND_TIME) => {
            let (seconds, microseconds) = (call.read_number(value, 8)?, call.read_number(value + 8, 8)?);
            if !options.limits.set(transfer(option), seconds, microseconds) {
                return failed(EDOM);
            }
        }
        (SOCKET, LINGER) if length < LINGER_BYTES => return failed(EINVAL),
        (SOCKET, LINGER) => {
            let (is_on, time) = (call.read_number(value, 4)?, call.read_number(value + 4, 4)?);
            options.aborts = is_on != 0 && time == 0;
            options.set.insert((level, option), u64::from(is_on != 0) | time << 32);
        }
        _ if length < NUMBER => return word(0),
        _ => {
            let number = call.read_number(value, NUMBER)?;
            if (level, option) == (SOCKET, ASKS_FOR_SENDER) {
                refuse_late_asking(call, &socket)?;
            }
            set_number(call, &mut options, (level, option), number)?;
        }
    }
    change(call, node, |socket| socket.options = options);
    word(0)
}

/// The error of an option that this socket does not have, or that is too short.
fn refused(socket: &Socket, level: u64, length: u64) -> Option<i32> {
    match level {
        SOCKET if length < NUMBER => Some(EINVAL),
        STREAMS if socket.family == Family::Local => Some(EOPNOTSUPP),
        STREAMS if !socket.is_stream() => Some(ENOPROTOOPT),
        STREAMS if length < NUMBER => Some(EINVAL),
        _ => None,
    }
}

/// Refuses to have a socket ask who sends, if messages may be on their way of which that was not noted.
fn refuse_late_asking(call: &PosixCall<'_, '_>, socket: &Socket) -> Result<(), Stop> {
    let is_late = match &socket.role {
        Role::Connected(_) => socket.own.is_some(),
        Role::Listening { waiting, .. } => !waiting.is_empty(),
        Role::Fresh | Role::Datagrams(_) => false,
    };
    match is_late && socket.family == Family::Local {
        true => Err(call.unsupported("a connection that asks late who sends (SO_PASSCRED)")),
        false => Ok(()),
    }
}

fn set_number(
    call: &PosixCall<'_, '_>,
    options: &mut SocketOptions,
    key: (u64, u64),
    number: u64,
) -> Result<(), Stop> {
    match key {
        (SOCKET, LEAST_RECEIVED) if !matches!(number, 0 | 1) => {
            return Err(call.unsupported("a socket that is readable only with more bytes (SO_RCVLOWAT)"));
        }
        (SOCKET, LEAST_RECEIVED) => {}
        (SOCKET, ASKS_FOR_SENDER) => options.asks_for_sender = number != 0,
        (SOCKET, REUSE_ADDRESS | REUSE_PORT) => options.reuses = number != 0,
        (SOCKET, SEND_ROOM | RECEIVE_ROOM) => {
            let room = (2 * number.min(MOST_ASKED)).max(LEAST_ROOM[usize::from(key.1 == RECEIVE_ROOM)]);
            options.set.insert(key, room);
            return Ok(());
        }
        _ => {}
    }
    if let Some((.., is_flag)) = RETURNED_AS_SET.iter().find(|(level, option, ..)| (*level, *option) == key) {
        options.set.insert(key, if *is_flag { u64::from(number != 0) } else { number });
    }
    Ok(())
}

fn transfer(option: u64) -> Transfer {
    if option == SEND_TIME { Transfer::Send } else { Transfer::Receive }
}

/// `getsockopt(descriptor, level, name, value, length)`
pub(crate) fn get(call: &mut PosixCall<'_, '_>) -> Step {
    let (level, option) = (argument(call, 1)?, argument(call, 2)?);
    let (value, length) = (argument(call, 3)?, argument(call, 4)?);
    let (node, socket) = match on_socket(call, Mode::Write)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let room = call.read_number(length, 4)?;
    if (room as i32) < 0 {
        return failed(EINVAL);
    }
    if refused(&socket, level, NUMBER).is_some() {
        return failed(EOPNOTSUPP);
    }
    let known = socket.options.set.get(&(level, option)).copied();
    let number = match (level, option) {
        (SOCKET, RECEIVE_TIME | SEND_TIME) => {
            return answer(call, (value, length, room), &socket.options.limits.timeval(transfer(option)));
        }
        (SOCKET, LINGER) => {
            return answer(call, (value, length, room), &known.unwrap_or(0).to_le_bytes());
        }
        (SOCKET, PEER_CREDENTIALS) => {
            let credentials = match socket.role {
                Role::Connected(_) | Role::Listening { .. } if socket.family == Family::Local => {
                    [PROCESS as u32, USER as u32, USER as u32]
                }
                Role::Datagrams(_) if socket.family == Family::Local => {
                    return Err(call.unsupported("whose peer a local socket of datagrams is (SO_PEERCRED)"));
                }
                _ => [0, u32::MAX, u32::MAX],
            };
            let bytes: Vec<u8> = credentials.iter().flat_map(|number| number.to_le_bytes()).collect();
            return answer(call, (value, length, room), &bytes);
        }
        (SOCKET, REUSE_ADDRESS) => u64::from(socket.options.reuses),
        (SOCKET, ASKS_FOR_SENDER) => u64::from(socket.options.asks_for_sender),
        (SOCKET, KIND) => socket.kind(),
        (SOCKET, ERROR) => {
            let mut error = 0;
            change(call, node, |socket| error = take_error(socket).unwrap_or(0));
            error as u64
        }
        (SOCKET, SEND_ROOM | RECEIVE_ROOM) => known.unwrap_or(ROOM),
        (SOCKET, LISTENS) => u64::from(matches!(socket.role, Role::Listening { .. })),
        (SOCKET, PROTOCOL) => match (socket.family, socket.is_stream()) {
            (Family::Local, _) => 0,
            (_, true) => 6,
            (_, false) => 17,
        },
        (SOCKET, FAMILY) => socket.family as u64,
        key => match RETURNED_AS_SET.iter().find(|(level, option, ..)| (*level, *option) == key) {
            Some((_, _, first, _)) => known.unwrap_or(*first),
            None => return Err(call.unsupported(format!("getsockopt of option {option} at level {level}"))),
        },
    };
    answer(call, (value, length, room), &(number as u32).to_le_bytes())
}

/// Puts what fits of an option's value, and how long that is.
fn answer(call: &mut PosixCall<'_, '_>, place: (u64, u64, u64), bytes: &[u8]) -> Step {
    let (value, length, room) = place;
    let told = bytes.len().min(room as usize);
    call.write_bytes(value, &bytes[..told])?;
    call.write_bytes(length, &(told as u32).to_le_bytes())?;
    word(0)
}
