//! Notifications of what happens to files: `inotify`. A descriptor has watches and a queue of events, which
//! are read.
//!
//! An operation that a watch reports, or an earlier one would have, touches the descriptor's node, as a
//! reader does. Setting a watch conflicts with every look at a path, and with the open files that it
//! concerns. A file that is closed by then is none of these. So closing a file looks at names, too.

pub(crate) mod events;

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EAGAIN, EBADF, EEXIST, EINTR, EINVAL, ENOENT, ENOTDIR};
use crate::kernel::Kernel;
use crate::kernel::files::descriptors::{Opener, descriptor_place, descriptor_places};
use crate::kernel::files::file_system::NodeKind;
use crate::kernel::files::names::resolve;
use crate::kernel::files::open_files::{NONBLOCK, READ_ONLY, file_place, node_place};
use crate::kernel::files::paths::{Found, both};
use crate::kernel::mappings::mapped;
use crate::kernel::readiness::{READABLE, wait_to_transfer};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{NAMES, read, write};
use crate::threads::has_interrupted;
use events::{ALL, IGNORED, IS_DIRECTORY, OVERFLOW, RENAMED, SELF, is_concerned, may_be_at};
use imbl::{OrdMap, OrdSet, Vector};
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::stop::Stop;
use symx_trace::Footprint;

pub(crate) const CALLS: &[SystemCall] = &[
    row(253, "inotify_init", |call| make(call, 0)),
    row(294, "inotify_init1", |call| {
        let flags = argument(call, 0)? & u64::from(u32::MAX);
        make(call, flags)
    }),
    row(254, "inotify_add_watch", add_watch),
    row(255, "inotify_rm_watch", remove_watch),
];

const CLOSE_ON_EXEC: u64 = 0o2_000_000;

// Flags of a watch.
const ONLY_DIRECTORY: u32 = 1 << 24;
const DO_NOT_FOLLOW: u32 = 1 << 25;
/// No events of files that have no name any more.
const EXCEPT_REMOVED: u32 = 1 << 26;
const MUST_BE_NEW: u32 = 1 << 28;
const ADD_EVENTS: u32 = 1 << 29;
const ONCE: u32 = 1 << 31;
/// What a mask may have, reports of the kernel's own included.
const KNOWN: u32 = ALL
    | UNMOUNTED
    | OVERFLOW
    | IGNORED
    | IS_DIRECTORY
    | ONLY_DIRECTORY
    | DO_NOT_FOLLOW
    | EXCEPT_REMOVED
    | MUST_BE_NEW
    | ADD_EVENTS
    | ONCE;
const UNMOUNTED: u32 = 1 << 13;

/// Events that a queue holds.
const CAPACITY: usize = 16384;
/// Bytes of a `struct inotify_event` before its name, which has a multiple of them.
const HEAD: usize = 16;

/// A watch of a file or a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Watch {
    node: u64,
    /// Events and flags.
    mask: u32,
}

/// Something that has happened.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Event {
    /// The watch's number.
    watch: u32,
    mask: u32,
    /// Connects the two events of a renaming.
    cookie: u32,
    /// Which entry of a directory; empty for what is watched itself.
    name: Arc<[u8]>,
}

impl Event {
    /// Bytes of its name with the zeros behind it.
    fn name_length(&self) -> usize {
        if self.name.is_empty() { 0 } else { (self.name.len() + 1).next_multiple_of(HEAD) }
    }

    fn length(&self) -> usize {
        HEAD + self.name_length()
    }

    /// As a `struct inotify_event`.
    fn add_to(&self, bytes: &mut Vec<u8>) {
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
    watches: OrdMap<u32, Watch>,
    made: u32,
    /// Oldest first.
    events: Vector<Event>,
    /// Renamings that were reported.
    renamings: u32,
    /// The nodes that were ever watched. What happens to them touches the notifier even when the watch is
    /// gone: it matters what came before that.
    watched: OrdSet<u64>,
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
    fn watch_of(&self, node: u64) -> Option<u32> {
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
    fn note(&mut self, node: u64, mask: u32, name: &Arc<[u8]>, is_removed: bool) {
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
    fn forget(&mut self, number: u32) {
        self.watches.remove(&number);
        self.push(Event { watch: number, mask: IGNORED, cookie: 0, name: Arc::from([]) });
    }
}

/// What the node `node` is, if it is a descriptor for notifications.
fn notifier_of(kernel: &Kernel, node: u64) -> Option<&Notifier> {
    match &kernel.files.node(node)?.kind {
        NodeKind::Notifier(notifier) => Some(notifier),
        _ => None,
    }
}

/// Changes the notifier `node`, of which threads that wait for events hear if it has more of them.
fn change(kernel: &mut Kernel, node: u64, change: impl FnOnce(&mut Notifier)) {
    let mut has_more = false;
    kernel.files.change(node, |node| {
        if let NodeKind::Notifier(notifier) = &mut node.kind {
            let before = notifier.events.len();
            change(notifier);
            has_more = notifier.events.len() > before;
        }
    });
    if has_more {
        kernel.files.changed(node, READABLE);
    }
}

/// `inotify_init1(flags)`
fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    if flags & !(CLOSE_ON_EXEC | u64::from(NONBLOCK)) != 0 {
        return failed(EINVAL);
    }
    let opener = Opener::of(call);
    // From now on it is kept up under what names files are open, and closing one of them looks at names. All
    // descriptors are named, also where threads take numbers of their own.
    let footprint = descriptor_places().chain([NAMES]).map(write).collect();
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    let node = kernel.files.add(opener.thread, NodeKind::Notifier(Notifier::default()), 0o600);
    kernel.notifiers.insert(node);
    word(u64::from(kernel.open_new(opener, node, READ_ONLY, flags)))
}

/// The last descriptor of `node` is closed: nothing watches for it any more.
pub(crate) fn closed(kernel: &mut Kernel, node: u64) {
    kernel.notifiers.remove(&node);
    kernel.files.change(node, |node| {
        node.kind = NodeKind::Notifier(Notifier::default());
        node.changes = Default::default();
    });
}

/// The node of the notifier whose descriptor is argument 0, or the error of there being none.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Result<u64, i32>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(node) = kernel.node_of(descriptor) else { return Ok(Err(EBADF)) };
    Ok(if notifier_of(kernel, node).is_some() { Ok(node) } else { Err(EINVAL) })
}

/// What naming the notifier in argument 0 touches.
fn footprint_of_naming(call: &mut PosixCall<'_, '_>, notifier: Result<u64, i32>) -> Result<Footprint, Stop> {
    let descriptor = argument(call, 0)? as u32;
    Ok(smallvec![match notifier {
        Ok(node) => write(node_place(node)),
        Err(_) => read(descriptor_place(descriptor)),
    }])
}

/// What a first watch of `watched` touches: what was not reported before it.
fn footprint_of_watching(kernel: &Kernel, watched: u64) -> Footprint {
    let mut footprint: Footprint = smallvec![write(NAMES)];
    footprint = both(footprint, mapped(kernel).map(|node| read(node_place(node))).collect());
    for file in kernel.open.all().filter(|file| is_concerned(kernel, *file, watched)) {
        let node = kernel.open.get(file).node;
        footprint = both(footprint, smallvec![write(file_place(file)), write(node_place(node))]);
    }
    footprint
}

/// `inotify_add_watch(descriptor, path, mask)`
fn add_watch(call: &mut PosixCall<'_, '_>) -> Step {
    let mask = argument(call, 2)? as u32;
    if mask & !KNOWN != 0 || mask == 0 {
        return failed(EINVAL);
    }
    let notifier = named(call)?;
    let resolved = resolve(call, None, 1, mask & DO_NOT_FOLLOW == 0)?;
    let mut footprint = both(resolved.touched(), footprint_of_naming(call, notifier)?);
    if let Ok(Found { node: Some(node), .. }) = resolved.found {
        footprint = both(footprint, footprint_of_watching(&call.state().data.kernel, node));
    }
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let notifier = match notifier {
        Err(EBADF) => return failed(EBADF),
        _ if mask & ADD_EVENTS != 0 && mask & MUST_BE_NEW != 0 => return failed(EINVAL),
        Err(error) => return failed(error),
        Ok(notifier) => notifier,
    };
    let node = match resolved.found {
        Err(error) => return failed(error),
        Ok(Found { node: None, .. }) => return failed(ENOENT),
        Ok(Found { node: Some(node), .. }) => node,
    };
    let kernel = &call.state().data.kernel;
    let is_directory = matches!(kernel.files.node(node).map(|node| &node.kind), Some(NodeKind::Directory));
    if mask & ONLY_DIRECTORY != 0 && !is_directory {
        return failed(ENOTDIR);
    }
    if mapped(kernel).any(|mapped| may_be_at(kernel, mapped, node)) {
        // It is closed with the mapping's end.
        return Err(call.unsupported("a watch of a file that is mapped"));
    }
    let kept = mask & (ALL | EXCEPT_REMOVED | ONCE);
    let known = notifier_of(kernel, notifier).and_then(|known| known.watch_of(node));
    let number = match known {
        Some(_) if mask & MUST_BE_NEW != 0 => return failed(EEXIST),
        Some(number) => number,
        None => notifier_of(kernel, notifier).map_or(1, |known| known.made + 1),
    };
    change(&mut call.data().kernel, notifier, |notifier| {
        let before = notifier.watches.get(&number).filter(|_| mask & ADD_EVENTS != 0);
        let mask = kept | before.map_or(0, |watch| watch.mask);
        notifier.watches.insert(number, Watch { node, mask });
        notifier.made = notifier.made.max(number);
        notifier.watched.insert(node);
    });
    word(u64::from(number))
}

/// `inotify_rm_watch(descriptor, watch)`
fn remove_watch(call: &mut PosixCall<'_, '_>) -> Step {
    let number = argument(call, 1)? as u32;
    let notifier = named(call)?;
    let footprint = footprint_of_naming(call, notifier)?;
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let node = match notifier {
        Err(error) => return failed(error),
        Ok(node) => node,
    };
    let known = notifier_of(&call.state().data.kernel, node);
    if known.is_none_or(|notifier| !notifier.watches.contains_key(&number)) {
        return failed(EINVAL);
    }
    change(&mut call.data().kernel, node, |notifier| notifier.forget(number));
    word(0)
}

/// Takes events out of the queue of the notifier `node`, as many as `count` bytes have room for.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, node: u64, flags: u32, count: u64) -> Turn<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut taken = 0;
    let is_empty = match notifier_of(&call.state().data.kernel, node) {
        None => return Turn::Answer(failed(EINVAL)),
        Some(notifier) => {
            for event in &notifier.events {
                if (bytes.len() + event.length()) as u64 > count {
                    break;
                }
                event.add_to(&mut bytes);
                taken += 1;
            }
            !notifier.has_events()
        }
    };
    if taken > 0 {
        change(&mut call.data().kernel, node, |notifier| {
            notifier.events = notifier.events.skip(taken);
        });
        return Turn::Go(bytes);
    }
    Turn::Answer(match () {
        // The first event has no room.
        () if !is_empty => failed(EINVAL),
        () if flags & NONBLOCK != 0 => failed(EAGAIN),
        () if has_interrupted(call) => failed(EINTR),
        () => wait_to_transfer(call, READABLE, &[]),
    })
}

#[cfg(test)]
mod tests {
    use super::events::{CREATE, DELETE_SELF, MODIFY, OPEN};
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
