//! What is in a pipe: bytes and, between local sockets, what messages pass besides.

use imbl::Vector;
use std::ops::Deref;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::value::Byte;
use symx_trace::ThreadId;

/// What a message passes besides its bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Extras {
    /// Open files. On the way, each has a reference that keeps it open.
    pub files: Vec<u64>,
    /// The process that sent it, if one of the sockets asks for that.
    pub sender: Option<ThreadId>,
}

impl Extras {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.sender.is_none()
    }
}

/// What is sent.
pub(crate) struct Message {
    pub bytes: Stretch,
    pub extras: Extras,
}

impl From<Stretch> for Message {
    fn from(bytes: Stretch) -> Self {
        Self { bytes, extras: Extras::default() }
    }
}

/// Where a message with extras is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Passed {
    start: usize,
    end: usize,
    extras: Extras,
}

/// Bytes that a pipe holds unless the program asks for more or less.
pub(crate) const USUAL_CAPACITY: usize = 1 << 16;

/// Bytes in a pipe, oldest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PipeBuffer {
    /// How many bytes it holds at most.
    pub capacity: usize,
    bytes: Vector<Byte>,
    /// Messages with extras, oldest first.
    passed: Vector<Passed>,
}

impl Deref for PipeBuffer {
    type Target = Vector<Byte>;

    fn deref(&self) -> &Vector<Byte> {
        &self.bytes
    }
}

impl Default for PipeBuffer {
    fn default() -> Self {
        Self { capacity: USUAL_CAPACITY, bytes: Vector::new(), passed: Vector::new() }
    }
}

impl PipeBuffer {
    /// Bytes it has room for.
    pub fn room(&self) -> usize {
        self.capacity - self.bytes.len()
    }

    /// Adds bytes.
    pub fn put(&mut self, bytes: impl Iterator<Item = Byte>) {
        self.bytes.extend(bytes);
    }

    /// The last `length` bytes are a message that passes `extras`.
    pub fn pass(&mut self, length: usize, extras: Extras) {
        let end = self.bytes.len();
        if !extras.is_empty() {
            self.passed.push_back(Passed { start: end - length, end, extras });
        }
    }

    /// The open files on their way.
    pub fn files(&self) -> impl Iterator<Item = u64> {
        self.passed.iter().flat_map(|passed| passed.extras.files.iter().copied())
    }

    fn sender_at(&self, place: usize) -> Option<ThreadId> {
        let there = self.passed.iter().find(|passed| passed.start <= place && place < passed.end);
        there.and_then(|there| there.extras.sender)
    }

    /// How many of `count` bytes one call receives, and what it gets with them. The message that passes files
    /// is the last one that it receives of. If it is to know the sender, it receives of one sender only.
    pub fn next(&self, count: usize, tells_sender: bool) -> (usize, Extras) {
        let (mut end, mut extras) = (count, Extras::default());
        if tells_sender {
            extras.sender = self.sender_at(0);
            let bounds = self.passed.iter().flat_map(|passed| [passed.start, passed.end]);
            let is_other = |place: &usize| *place > 0 && self.sender_at(*place) != extras.sender;
            end = bounds.filter(|place| *place < self.bytes.len()).find(is_other).unwrap_or(end).min(end);
        }
        let mut with_files = self.passed.iter().filter(|passed| !passed.extras.files.is_empty());
        if let Some(first) = with_files.next().filter(|first| first.start < end) {
            end = end.min(first.end);
            extras.files = first.extras.files.clone();
        }
        (end, extras)
    }

    /// Takes the first `count` bytes out. Files passed with one of them go with it.
    pub fn take_first(&mut self, count: usize) -> Vector<Byte> {
        let rest = self.bytes.split_off(count.min(self.bytes.len()));
        let left = self.passed.iter().filter(|passed| passed.end > count).map(|passed| {
            let (start, end) = (passed.start.saturating_sub(count), passed.end - count);
            let files = if passed.start < count { Vec::new() } else { passed.extras.files.clone() };
            Passed { start, end, extras: Extras { files, ..passed.extras } }
        });
        self.passed = left.filter(|passed| !passed.extras.is_empty()).collect();
        std::mem::replace(&mut self.bytes, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(buffer: &mut PipeBuffer, length: usize, files: &[u64], sender: Option<ThreadId>) {
        buffer.put((0..length).map(|_| Byte::Concrete(0)));
        buffer.pass(length, Extras { files: files.to_vec(), sender });
    }

    #[test]
    fn files_come_with_the_first_byte_of_their_message_and_end_what_is_received() {
        let mut buffer = PipeBuffer::default();
        put(&mut buffer, 2, &[], None);
        put(&mut buffer, 3, &[7], None);
        put(&mut buffer, 1, &[8], None);
        assert_eq!(buffer.next(2, false), (2, Extras::default()));
        assert_eq!(buffer.next(9, false), (5, Extras { files: vec![7], sender: None }));
        assert_eq!(buffer.take_first(3).len(), 3);
        assert_eq!(buffer.files().collect::<Vec<_>>(), [8]);
        assert_eq!(buffer.next(9, false), (3, Extras { files: vec![8], sender: None }));
    }

    #[test]
    fn bytes_of_two_senders_are_received_apart() {
        let (one, other) = (Some(ThreadId(1)), Some(ThreadId(2)));
        let mut buffer = PipeBuffer::default();
        put(&mut buffer, 2, &[], one);
        put(&mut buffer, 2, &[], one);
        put(&mut buffer, 2, &[7], other);
        assert_eq!(buffer.next(9, true), (4, Extras { files: Vec::new(), sender: one }));
        buffer.take_first(3);
        assert_eq!(buffer.next(9, true), (1, Extras { files: Vec::new(), sender: one }));
        buffer.take_first(1);
        assert_eq!(buffer.next(9, true), (2, Extras { files: vec![7], sender: other }));
        assert_eq!(buffer.next(9, false).0, 2);
    }
}
