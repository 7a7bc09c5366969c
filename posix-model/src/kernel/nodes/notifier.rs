//! What a descriptor for notifications is: its watches, and the events that it has to report.

use imbl::{OrdMap, OrdSet, Vector};
use std::sync::Arc;

// Events, as `inotify` counts them.
pub(crate) const ACCESS: u32 = 1;
pub(crate) const MODIFY: u32 = 2;
pub(crate) const CHANGE_FACTS: u32 = 4;
pub(crate) const CLOSE_WRITE: u32 = 8;
pub(crate) const CLOSE: u32 = 0x10;
pub(crate) const OPEN: u32 = 0x20;
pub(crate) const MOVED_FROM: u32 = 0x40;
pub(crate) const MOVED_TO: u32 = 0x80;
pub(crate) const CREATE: u32 = 0x100;
pub(crate) const DELETE: u32 = 0x200;
pub(crate) const DELETE_SELF: u32 = 0x400;
pub(crate) const MOVE_SELF: u32 = 0x800;
/// All events that can be watched for.
pub(crate) const ALL: u32 = 0xfff;
/// The two events of a renaming.
pub(crate) const RENAMED: u32 = MOVED_FROM | MOVED_TO;
/// Events of which it is not said that they are a directory's.
pub(crate) const SELF: u32 = DELETE_SELF | MOVE_SELF;
// What the kernel says besides.
pub(crate) const OVERFLOW: u32 = 1 << 14;
pub(crate) const IGNORED: u32 = 1 << 15;
pub(crate) const IS_DIRECTORY: u32 = 1 << 30;

// Flags of a watch that matter when something happens.
/// No events of files that have no name any more.
pub(crate) const EXCEPT_REMOVED: u32 = 1 << 26;
pub(crate) const ONCE: u32 = 1 << 31;

/// Events that a queue holds.
pub(crate) const CAPACITY: usize = 16384;
/// Bytes of a `struct inotify_event` before its name, which has a multiple of them.
const HEAD: usize = 16;

/// A watch of a file or a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    pub node: u64,
    /// Events and flags.
    pub mask: u32,
}

/// Something that has happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    /// The watch's number.
    pub watch: u32,
    pub mask: u32,
    /// Connects the two events of a renaming.
    pub cookie: u32,
    /// Which entry of a directory; empty for what is watched itself.
    pub name: Arc<[u8]>,
}

impl Event {
    /// Bytes of its name with the zeros behind it.
    fn name_length(&self) -> usize {
        if self.name.is_empty() { 0 } else { (self.name.len() + 1).next_multiple_of(HEAD) }
    }

    /// Bytes it takes in a buffer.
    pub fn length(&self) -> usize {
        HEAD + self.name_length()
    }

    /// As a `struct inotify_event`.
    pub fn add_to(&self, bytes: &mut Vec<u8>) {
        let end = bytes.len() + self.length();
        for word in [self.watch, self.mask, self.cookie, self.name_length() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(self.name.iter());
        bytes.resize(end, 0);
    }
}

/// The watches and the queue of a descriptor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Notifier {
    /// By number, from 1; none comes back.
    pub watches: OrdMap<u32, Watch>,
    pub made: u32,
    /// Oldest first.
    pub events: Vector<Event>,
    /// Renamings that were reported.
    pub renamings: u32,
    /// The nodes that were ever watched. What happens to them touches the notifier even when the watch is
    /// gone: it matters what came before that.
    pub watched: OrdSet<u64>,
}

impl Notifier {
    /// Whether there is something to read.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Bytes that could be read.
    pub fn length(&self) -> u64 {
        self.events.iter().map(|event| event.length() as u64).sum()
    }

    /// The number of the watch of `node`.
    pub fn watch_of(&self, node: u64) -> Option<u32> {
        self.watches.iter().find(|(_, watch)| watch.node == node).map(|(number, _)| *number)
    }

    fn push(&mut self, event: Event) {
        // The last event says the same; that a watch is gone is said each time.
        let is_known = self.events.last().is_some_and(|last| {
            (last.watch, last.mask, &last.name) == (event.watch, event.mask, &event.name)
        });
        if is_known && event.mask & IGNORED == 0 {
            return;
        }
        let event = match self.events.len() {
            ..CAPACITY => event,
            CAPACITY => Event { watch: u32::MAX, mask: OVERFLOW, cookie: 0, name: Arc::from([]) },
            _ => return,
        };
        self.events.push_back(event);
    }

    /// Notes that `mask` has happened at `node`, to the entry `name` if that is not empty. `is_removed` says
    /// whether that has no name any more.
    pub fn note(&mut self, node: u64, mask: u32, name: &Arc<[u8]>, is_removed: bool) {
        let Some(number) = self.watch_of(node) else { return };
        let watch = self.watches[&number];
        if mask & watch.mask & ALL == 0 || is_removed && watch.mask & EXCEPT_REMOVED != 0 {
            return;
        }
        let mask = if mask & SELF != 0 { mask & !IS_DIRECTORY } else { mask };
        let cookie = if mask & RENAMED != 0 { self.renamings } else { 0 };
        self.push(Event { watch: number, mask, cookie, name: Arc::clone(name) });
        if watch.mask & ONCE != 0 {
            self.forget(number);
        }
    }

    /// Ends a watch, which is an event.
    pub fn forget(&mut self, number: u32) {
        self.watches.remove(&number);
        self.push(Event { watch: number, mask: IGNORED, cookie: 0, name: Arc::from([]) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watching(mask: u32) -> Notifier {
        let mut notifier = Notifier::default();
        notifier.watches.insert(1, Watch { node: 7, mask });
        notifier
    }

    fn name(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    #[test]
    fn an_event_like_the_last_one_is_the_same_event() {
        let mut notifier = watching(ALL);
        for entry in ["a", "a", "b", "a"] {
            notifier.note(7, MODIFY, &name(entry), false);
        }
        notifier.note(8, MODIFY, &name("a"), false);
        assert_eq!(notifier.events.len(), 3);
        assert_eq!(notifier.length(), 3 * 32);
    }

    #[test]
    fn a_watch_reports_what_it_is_for_and_may_end_with_that() {
        let mut notifier = watching(OPEN | ONCE);
        notifier.note(7, MODIFY, &name(""), false);
        assert!(!notifier.has_events());
        notifier.note(7, OPEN, &name(""), false);
        notifier.note(7, OPEN, &name(""), false);
        let masks: Vec<u32> = notifier.events.iter().map(|event| event.mask).collect();
        assert_eq!(masks, [OPEN, IGNORED]);
    }

    #[test]
    fn events_of_removed_files_can_be_left_out_and_a_directorys_own_end_is_no_entry() {
        let mut notifier = watching(ALL | EXCEPT_REMOVED);
        notifier.note(7, MODIFY, &name("a"), true);
        notifier.note(7, DELETE_SELF | IS_DIRECTORY, &name(""), false);
        let masks: Vec<u32> = notifier.events.iter().map(|event| event.mask).collect();
        assert_eq!(masks, [DELETE_SELF]);
    }

    #[test]
    fn a_name_has_zeros_up_to_a_multiple_of_the_head() {
        let event = Event { watch: 1, mask: CREATE, cookie: 0, name: name("0123456789abcdef") };
        let mut bytes = Vec::new();
        event.add_to(&mut bytes);
        assert_eq!((bytes.len(), bytes[12], bytes[16], bytes[32]), (48, 32, b'0', 0));
    }

    #[test]
    fn a_full_queue_says_so_once() {
        let mut notifier = watching(ALL);
        for index in 0..CAPACITY + 9 {
            notifier.note(7, if index % 2 == 0 { OPEN } else { MODIFY }, &name(""), false);
        }
        assert_eq!(notifier.events.len(), CAPACITY + 1);
        assert_eq!(notifier.events.last().map(|event| event.mask), Some(OVERFLOW));
    }
}
