//! Queues of messages with types: `msgget`, `msgsnd`, `msgrcv` and what goes with them. Threads that wait at
//! one compete for its room and its messages.

use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::{E2BIG, EACCES, EAGAIN, EIDRM, EINTR, EINVAL, ENOMSG, EPERM};
use crate::kernel::Kernel;
use crate::kernel::buffers::{Buffer, add_buffers};
use crate::kernel::process::PROCESS;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::system_v::{
    Content, Kind, LIMITS, NO_WAIT, Object, Objects, PERMISSIONS, REMOVE, SET, STATUS, SystemV, TO_READ,
    TO_WRITE, carrier, change, find, get, identifier, new_permissions, refuse, remove, stand_before,
    time_of_event,
};
use crate::places::{acquire, read, write};
use crate::sync::wait::{MessageGoal, MessageTypes, MessageWait, PosixWait};
use crate::threads::has_interrupted;
use imbl::Vector;
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Footprint;

pub(crate) const CALLS: &[SystemCall] = &[
    row(68, "msgget", |call| {
        let flags = argument(call, 1)? as u32;
        get(call, flags, |_: &MessageQueue| Ok(()), || Ok(MessageQueue::default()))
    }),
    row(69, "msgsnd", send),
    row(70, "msgrcv", receive),
    row(71, "msgctl", control),
];

// Flags of `msgrcv`.
/// A message that is too long is cut off.
const CUT_OFF: u32 = 0o10000;
/// One of any type but the one that is named.
const EXCEPT: u32 = 0o20000;
/// The message stays.
const COPY: u32 = 0o40000;

/// Bytes of the longest message.
const LONGEST: u64 = 8192;
/// Bytes that the messages of a queue have, unless less is asked for; a queue holds as many messages at most.
const CAPACITY: u64 = 16384;
/// Bytes of a message's type, before its text.
const TYPE: u64 = 8;

/// Commands that are not modelled.
fn unmodelled(command: u32) -> Option<&'static str> {
    Some(match command {
        LIMITS => "IPC_INFO",
        11 => "MSG_STAT",
        12 => "MSG_INFO",
        13 => "MSG_STAT_ANY",
        _ => return None,
    })
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Message {
    number: i64,
    text: Arc<Stretch>,
}

/// A queue of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MessageQueue {
    /// Oldest first.
    messages: Vector<Message>,
    /// Bytes that they have.
    length: u64,
    /// Bytes that they may have.
    capacity: u64,
    has_sent: bool,
    has_received: bool,
}

impl Default for MessageQueue {
    fn default() -> Self {
        Self { messages: Vector::new(), length: 0, capacity: CAPACITY, has_sent: false, has_received: false }
    }
}

impl Content for MessageQueue {
    const KIND: Kind = Kind::Messages;

    fn among(all: &SystemV) -> &Objects<Self> {
        &all.queues
    }

    fn among_mut(all: &mut SystemV) -> &mut Objects<Self> {
        &mut all.queues
    }
}

/// What `msgrcv` means by a type and flags.
fn wanted(number: i64, flags: u32) -> MessageTypes {
    match number {
        0 => MessageTypes::Any,
        ..0 => MessageTypes::UpTo(number.saturating_neg()),
        _ if flags & EXCEPT != 0 => MessageTypes::Except(number),
        _ => MessageTypes::Of(number),
    }
}

/// For people: what is waited for.
pub(crate) fn describe(MessageWait { id, goal }: MessageWait) -> String {
    let what = match goal {
        MessageGoal::Message(MessageTypes::Any) => "a message".to_owned(),
        MessageGoal::Message(MessageTypes::Of(number)) => format!("a message of type {number}"),
        MessageGoal::Message(MessageTypes::Except(number)) => {
            format!("a message of another type than {number}")
        }
        MessageGoal::Message(MessageTypes::UpTo(number)) => format!("a message of a type up to {number}"),
        MessageGoal::Room(length) => format!("room for {length} bytes"),
    };
    format!("{what} in the System V queue {id}")
}

impl MessageQueue {
    /// Where the message is that a receiver gets.
    fn find(&self, wanted: MessageTypes) -> Option<usize> {
        let first = |is_meant: &dyn Fn(i64) -> bool| {
            self.messages.iter().position(|message| is_meant(message.number))
        };
        match wanted {
            MessageTypes::Any => first(&|_| true),
            MessageTypes::Of(number) => first(&|other| other == number),
            MessageTypes::Except(number) => first(&|other| other != number),
            MessageTypes::UpTo(most) => {
                let lowest = self.messages.iter().map(|message| message.number).min()?;
                first(&|other| other == lowest && lowest <= most)
            }
        }
    }

    fn has_room(&self, length: u64) -> bool {
        self.length + length <= self.capacity && (self.messages.len() as u64) < self.capacity
    }
}

/// Whether the wait at a queue is over.
pub(crate) fn is_over(kernel: &Kernel, wait: MessageWait) -> bool {
    kernel.system_v.queues.known.get(&wait.id).is_none_or(|queue| match wait.goal {
        MessageGoal::Message(types) => queue.content.find(types).is_some(),
        MessageGoal::Room(length) => queue.content.has_room(length),
    })
}

/// Waits for `goal`, or says why not. Scratch: the announcement, and a word more of one that has waited.
fn wait(call: &mut PosixCall<'_, '_>, id: u64, goal: MessageGoal, flags: u32) -> Step {
    if flags & NO_WAIT != 0 {
        return failed(if matches!(goal, MessageGoal::Message(_)) { ENOMSG } else { EAGAIN });
    }
    call.scratch().truncate(1);
    call.scratch().push(1);
    let footprint = smallvec![acquire(Kind::Messages.place(id))];
    Ok(call.synchronise(footprint, Some(PosixWait::Message(MessageWait { id, goal }))))
}

/// Stands before an operation on the queue `id` that touches a buffer; then the queue, or the error of there
/// being none to operate on.
fn stand_before_queue(
    call: &mut PosixCall<'_, '_>,
    id: u64,
    buffer: Buffer,
    permissions: u32,
) -> Result<Result<Object<MessageQueue>, Step>, Stop> {
    let mut footprint: Footprint = smallvec![write(Kind::Messages.place(id))];
    add_buffers(call, &mut footprint, &[buffer])?;
    if let Some(park) = stand_before(call, footprint) {
        return Ok(Err(Ok(park)));
    }
    if has_interrupted(call) {
        return Ok(Err(failed(EINTR)));
    }
    let has_waited = call.scratch().len() > 1;
    Ok(match find::<MessageQueue>(call, id).cloned() {
        None => Err(failed(if has_waited { EIDRM } else { EINVAL })),
        Some(queue) if !queue.permits(permissions) => Err(failed(EACCES)),
        Some(queue) => Ok(queue),
    })
}

/// `msgsnd(queue, message, length, flags)`
fn send(call: &mut PosixCall<'_, '_>) -> Step {
    let (id, message, length) = (identifier(call)?, argument(call, 1)?, argument(call, 2)?);
    let flags = argument(call, 3)? as u32;
    if id > i32::MAX as u64 || length > LONGEST {
        return failed(EINVAL);
    }
    let number = call.read_number(message, TYPE)? as i64;
    if number < 1 {
        return failed(EINVAL);
    }
    let buffer = (message, TYPE + length, Purpose::Read);
    let queue = match stand_before_queue(call, id, buffer, TO_WRITE)? {
        Ok(queue) => queue.content,
        Err(answer) => return answer,
    };
    if !queue.has_room(length) {
        return wait(call, id, MessageGoal::Room(length), flags);
    }
    let text = Arc::new(match length {
        0 => Stretch::default(),
        _ => call.read_stretch(message + TYPE, length)?,
    });
    change::<MessageQueue>(call, id, |queue| {
        queue.content.messages.push_back(Message { number, text });
        queue.content.length += length;
        queue.content.has_sent = true;
    });
    call.release(carrier(Kind::Messages, id));
    word(0)
}

/// `msgrcv(queue, message, length, type, flags)`
fn receive(call: &mut PosixCall<'_, '_>) -> Step {
    let (id, message, length) = (identifier(call)?, argument(call, 1)?, argument(call, 2)?);
    let (number, flags) = (argument(call, 3)? as i64, argument(call, 4)? as u32);
    if id > i32::MAX as u64 || length > i64::MAX as u64 {
        return failed(EINVAL);
    }
    if flags & COPY != 0 {
        return Err(call.unsupported("msgrcv of a copy (MSG_COPY)"));
    }
    let types = wanted(number, flags);
    // What it will find: nothing is written where there is no message.
    let coming = find::<MessageQueue>(call, id)
        .and_then(|queue| Some(queue.content.messages[queue.content.find(types)?].text.len() as u64));
    let filled = coming.map_or(0, |text| TYPE + text.min(length));
    let queue = match stand_before_queue(call, id, (message, filled, Purpose::Write), TO_READ)? {
        Ok(queue) => queue.content,
        Err(answer) => return answer,
    };
    let Some(index) = queue.find(types) else {
        return wait(call, id, MessageGoal::Message(types), flags);
    };
    let found = queue.messages[index].clone();
    let whole = found.text.len() as u64;
    if whole > length && flags & CUT_OFF == 0 {
        return failed(E2BIG);
    }
    let copied = whole.min(length);
    call.write(message, TYPE, Value::Concrete(found.number as u64))?;
    if copied > 0 {
        call.write_stretch(message + TYPE, &found.text.part(0, copied as usize))?;
    }
    change::<MessageQueue>(call, id, |queue| {
        queue.content.messages.remove(index);
        queue.content.length -= whole;
        queue.content.has_received = true;
    });
    call.acquire(carrier(Kind::Messages, id));
    word(copied)
}

/// `msgctl(queue, command, description)`
fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (id, command) = (identifier(call)?, argument(call, 1)? as u32);
    let address = argument(call, 2)?;
    let place = Kind::Messages.place(id);
    let footprint: Footprint = match command {
        REMOVE => smallvec![write(Kind::Messages.keys()), write(place)],
        SET => smallvec![write(place)],
        STATUS => smallvec![read(place)],
        other => return refuse(call, "msgctl", unmodelled(other)),
    };
    if let Some(park) = stand_before(call, footprint) {
        return Ok(park);
    }
    let Some(queue) = find::<MessageQueue>(call, id).cloned() else { return failed(EINVAL) };
    match command {
        REMOVE => remove::<MessageQueue>(call, id),
        SET => {
            let permissions = new_permissions(call, address)?;
            let capacity = call.read_number(address + 88, 8)?;
            // More is for a privileged process.
            if capacity > CAPACITY {
                return failed(EPERM);
            }
            change::<MessageQueue>(call, id, |queue| {
                queue.permissions = permissions;
                queue.content.capacity = capacity;
            });
        }
        _ if !queue.permits(TO_READ) => return failed(EACCES),
        _ => {
            let bytes = status(call, &queue);
            call.write_bytes(address, &bytes)?;
        }
    }
    word(0)
}

/// A `struct msqid_ds`.
fn status(call: &PosixCall<'_, '_>, queue: &Object<MessageQueue>) -> [u8; 120] {
    let mut bytes = [0; 120];
    bytes[..PERMISSIONS].copy_from_slice(&queue.describe(0));
    let content = &queue.content;
    let process = |has_been: bool| if has_been { PROCESS } else { 0 };
    let words = [
        (48, time_of_event(call, content.has_sent)),
        (56, time_of_event(call, content.has_received)),
        (64, time_of_event(call, true)),
        (72, content.length),
        (80, content.messages.len() as u64),
        (88, content.capacity),
        (96, process(content.has_sent) | process(content.has_received) << 32),
    ];
    for (offset, word) in words {
        bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(numbers: &[i64]) -> MessageQueue {
        let text = Arc::new(Stretch::default());
        let messages = numbers.iter().map(|number| Message { number: *number, text: text.clone() });
        MessageQueue { messages: messages.collect(), ..MessageQueue::default() }
    }

    #[test]
    fn a_receiver_gets_the_first_message_of_a_type_that_it_takes() {
        let queue = queue(&[5, 3, 2, 3, 2]);
        let find = |number, flags| queue.find(wanted(number, flags));
        assert_eq!((find(0, 0), find(3, 0), find(4, 0)), (Some(0), Some(1), None));
        assert_eq!((find(5, EXCEPT), find(4, EXCEPT)), (Some(1), Some(0)));
        assert_eq!((find(-4, 0), find(-1, 0), find(i64::MIN, 0)), (Some(2), None, Some(2)));
        assert_eq!(find(-4, EXCEPT), Some(2), "of a range there is no exception");
    }

    #[test]
    fn a_queue_is_full_by_bytes_or_by_messages() {
        let mut full = queue(&[1, 1]);
        full.capacity = 2;
        assert!(!full.has_room(0));
        full.capacity = 3;
        full.length = 2;
        assert!(full.has_room(1) && !full.has_room(2));
    }
}
