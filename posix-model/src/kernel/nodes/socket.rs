//! What a socket is.

use crate::kernel::nodes::pipe_buffer::Extras;
use imbl::{OrdMap, Vector};
use std::sync::Arc;
use symx_interp::memory::byte_string::Stretch;

/// A normal address: a path ends with a zero, an address of the internet has its own length.
pub(crate) type Address = Arc<[u8]>;

/// The kind of a socket's addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Local = 1,
    Internet = 2,
    Internet6 = 10,
}

impl Family {
    /// Bytes of an address of the internet.
    pub fn extent(self) -> usize {
        match self {
            Self::Local => 2,
            Self::Internet => 16,
            Self::Internet6 => 28,
        }
    }
}

/// One side of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Connection {
    /// The pipe it reads from.
    pub receive: u64,
    /// The pipe it writes to.
    pub send: u64,
    /// Whether it may still read and write: it was not shut down for that.
    pub reads: bool,
    pub writes: bool,
    /// Whether it takes what is sent to it. One of the internet does even if it only writes.
    pub takes: bool,
    /// Whether the other side went without reading all it was sent, which is still to be reported.
    pub is_reset: bool,
    pub peer: Address,
}

/// What a socket does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A stream that is neither connected nor listening.
    Fresh,
    /// Connections not accepted yet, oldest first, and how many more than one there may be.
    Listening {
        waiting: Vector<u64>,
        backlog: u64,
    },
    Connected(Connection),
    Datagrams(Inbox),
}

/// A socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Socket {
    pub family: Family,
    /// Where it is bound, if it is.
    pub own: Option<Address>,
    pub options: SocketOptions,
    /// Whether it is a stream of records.
    pub records: bool,
    /// Of a stream without a peer: whether it was shut down for receiving, and for sending.
    pub deaf: bool,
    pub mute: bool,
    pub role: Role,
}

impl Socket {
    pub fn new(family: Family, role: Role) -> Self {
        let options = SocketOptions::default();
        Self { family, own: None, options, records: false, deaf: false, mute: false, role }
    }

    /// Whether it sends datagrams within the machine only.
    pub fn is_local_datagram(&self) -> bool {
        self.family == Family::Local && !self.is_stream()
    }

    /// Whether it is bound, so that others find it or cannot be bound there.
    pub fn has_address(&self) -> bool {
        self.own.is_some()
    }

    /// Whether it is one of streams.
    pub fn is_stream(&self) -> bool {
        !matches!(self.role, Role::Datagrams(_))
    }
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Datagram {
    /// Whence it comes, if that has a name.
    pub from: Option<Address>,
    pub content: Arc<Stretch>,
    pub extras: Extras,
}

/// Where a socket sends to if nothing else is asked, and from where alone it receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Peer {
    pub address: Address,
    /// Of local sockets, the peer itself.
    pub node: Option<u64>,
}

/// What a socket of datagrams has received and what it is connected to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Inbox {
    pub queue: Vector<Datagram>,
    pub peer: Option<Peer>,
    /// The address of the internet that it was to be bound to, if that was asked for.
    pub asked: Option<Address>,
    /// The error with which the next operation fails.
    pub error: Option<i32>,
    /// Whether it receives and sends no more.
    pub deaf: bool,
    pub mute: bool,
}

impl Inbox {
    /// The address it is connected to.
    pub fn peer_address(&self) -> Option<&Address> {
        self.peer.as_ref().map(|peer| &peer.address)
    }

    /// The local socket it is connected to.
    pub fn peer(&self) -> Option<u64> {
        self.peer.as_ref().and_then(|peer| peer.node)
    }

    /// Bytes of the message that is received next.
    pub fn length_of_next(&self) -> u64 {
        self.queue.front().map_or(0, |datagram| datagram.content.len() as u64)
    }

    /// Takes the error that is to be reported.
    pub fn take_error(&mut self) -> Option<i32> {
        self.error.take()
    }

    /// Has it receive or send no more.
    pub fn shut_down(&mut self, reads: bool, writes: bool) {
        (self.deaf, self.mute) = (self.deaf || !reads, self.mute || !writes);
    }
}

/// What was set at a socket.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SocketOptions {
    /// Whether others may be bound to its address (`SO_REUSEADDR`).
    pub reuses: bool,
    /// Whether closing it reports to the other side that the connection was aborted (`SO_LINGER`, no time).
    pub aborts: bool,
    pub limits: TimeLimits,
    /// Whether its messages are received with who sent them (`SO_PASSCRED`).
    pub asks_for_sender: bool,
    /// Level and number of an option, and what it was set to.
    pub set: OrdMap<(u64, u64), u64>,
}

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1000;
/// Microseconds a second.
const MICROSECONDS: u64 = 1_000_000;

/// Which of a socket's limits is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transfer {
    /// Of what receives or accepts.
    Receive,
    /// Of what sends.
    Send,
}

/// How long calls at a socket wait at most, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeLimits {
    receive: Option<u64>,
    send: Option<u64>,
}

impl TimeLimits {
    /// The limit of one.
    pub fn of(self, transfer: Transfer) -> Option<u64> {
        match transfer {
            Transfer::Receive => self.receive,
            Transfer::Send => self.send,
        }
    }

    /// Sets a limit from seconds and microseconds. None at all is no limit, one before now no wait. Whether
    /// that is a time.
    pub fn set(&mut self, transfer: Transfer, seconds: u64, microseconds: u64) -> bool {
        if microseconds >= MICROSECONDS {
            return false;
        }
        let limit = match (seconds as i64, microseconds) {
            (0, 0) => None,
            (..0, _) => Some(0),
            _ => Some(seconds.saturating_mul(SECOND).saturating_add(microseconds * MICROSECOND)),
        };
        match transfer {
            Transfer::Receive => self.receive = limit,
            Transfer::Send => self.send = limit,
        }
        true
    }

    /// A limit as a `struct timeval`.
    pub fn timeval(self, transfer: Transfer) -> [u8; 16] {
        let limit = self.of(transfer).unwrap_or(0);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&(limit / SECOND).to_le_bytes());
        bytes[8..].copy_from_slice(&(limit % SECOND / MICROSECOND).to_le_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reported_as_it_was_set() {
        let mut limits = TimeLimits::default();
        assert!(limits.set(Transfer::Send, 2, 500_000));
        assert_eq!(limits.of(Transfer::Send), Some(2_500_000_000));
        assert_eq!(limits.timeval(Transfer::Send)[..9], [2, 0, 0, 0, 0, 0, 0, 0, 0x20]);
        assert_eq!(limits.timeval(Transfer::Receive), [0; 16]);
        assert!(!limits.set(Transfer::Send, 0, 1_000_000), "no time");
        assert!(limits.set(Transfer::Send, -1_i64 as u64, 0) && limits.of(Transfer::Send) == Some(0));
        assert!(limits.set(Transfer::Send, 0, 0) && limits.of(Transfer::Send).is_none());
    }
}
