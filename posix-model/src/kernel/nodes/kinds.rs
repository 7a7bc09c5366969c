//! What a node is, of each kind.

use crate::kernel::OutputStream;
use crate::kernel::nodes::changes::Changes;
use crate::kernel::nodes::content::Content;
use crate::kernel::nodes::notifier::Notifier;
use crate::kernel::nodes::pipe_buffer::PipeBuffer;
use crate::kernel::nodes::socket::Socket;
use crate::kernel::notice::Notice;
use imbl::{OrdMap, Vector};
use std::sync::Arc;
use symx_interp::memory::byte_string::Stretch;

/// A device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Device {
    /// Takes everything, gives nothing.
    Null,
    /// Gives zeros.
    Zero,
    /// Gives random bytes.
    Random,
    /// Standard output or error.
    Stream(OutputStream),
}

/// A page of text that tells of the process that reads it, as it is then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Page {
    Status,
    Name,
    Limits,
}

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    File(Content),
    /// A page of text.
    Page(Page),
    /// A host file of this size that has not been opened yet.
    Unread(u64),
    Directory,
    Link(Arc<str>),
    Device(Device),
    Pipe(PipeBuffer),
    Socket(Socket),
    /// The path of the local socket that is this node.
    Bound(u64),
    Event(EventCounter),
    Epoll(EpollSet),
    Queue(Queue),
    Notifier(Notifier),
    /// The number of a timer to read from.
    Timer(u64),
    /// Signals to read, a bit each.
    Signals(u64),
}

impl NodeKind {
    /// Whether what is read is gone, so that there are no positions.
    pub fn is_taken_by_reading(&self) -> bool {
        matches!(
            self,
            Self::Pipe(_)
                | Self::Socket(_)
                | Self::Event(_)
                | Self::Notifier(_)
                | Self::Timer(_)
                | Self::Signals(_)
        )
    }
}

/// A counter to wait at (`eventfd`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EventCounter {
    pub value: u64,
    /// Whether reading takes one only.
    pub one_by_one: bool,
}

impl EventCounter {
    /// Whether one could be added.
    pub fn has_room(&self) -> bool {
        self.value < u64::MAX - 1
    }
}

/// The events that such a set waits for at a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EpollWatch {
    /// Events and flags.
    pub events: u32,
    pub data: u64,
    /// Whether it has been reported and is to be armed again first.
    pub disarmed: bool,
    /// How often the object had changed when it was reported, if that was since the watch was set.
    pub reported: Option<Changes>,
}

/// The descriptor that a watch was added by, and the open file that it stood for.
pub(crate) type EpollKey = (u32, u64);

/// A set of descriptors with the events to wait for (`epoll`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct EpollSet {
    pub watches: OrdMap<EpollKey, EpollWatch>,
    /// How often `epoll_ctl` has changed the set.
    pub changes: u64,
    /// Those whose objects have changed, in the order in which they are to be reported. Not all need be
    /// ready.
    pub ready: Vector<EpollKey>,
}

/// A message queue (`mq_open`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Queue {
    /// The message received next comes first.
    pub messages: Vector<Message>,
    /// Messages it holds.
    pub capacity: u64,
    /// Bytes a message.
    pub size: u64,
    /// How the process is notified of the next message in the empty queue.
    pub notice: Option<Notice>,
}

/// A message in a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    pub priority: u64,
    pub content: Arc<Stretch>,
}

impl Queue {
    /// Whether there is a message to receive.
    pub fn has_message(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        (self.messages.len() as u64) < self.capacity
    }

    /// Adds a message after those of the same priority.
    pub fn add(&mut self, message: Message) {
        let later = self.messages.iter().position(|other| other.priority < message.priority);
        self.messages.insert(later.unwrap_or(self.messages.len()), message);
    }
}
