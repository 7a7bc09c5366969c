//! Notifications of what happens to files: `inotify`. A descriptor has watches and a queue of events, which
//! are read.
//!
//! An operation that a watch reports, or an earlier one would have, touches the descriptor's node, as a
//! reader does. Setting a watch conflicts with every look at a path, and with the open files that it
//! concerns. A file that is closed by then is none of these. So closing a file looks at names, too.

use crate::answer::{PosixCall, Step, Turn, announced, failed, made, word};
use crate::errno::{EAGAIN, EBADF, EEXIST, EINVAL, ENOENT, ENOTDIR};
use crate::kernel::Kernel;
use crate::kernel::mappings::mapped;
use crate::kernel::nodes::changes::READABLE;
use crate::kernel::nodes::descriptors::{Opener, descriptor_places};
use crate::kernel::nodes::events::{change, is_concerned, may_be_at};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::notifier::{
    ALL, EXCEPT_REMOVED, IGNORED, IS_DIRECTORY, Notifier, ONCE, OVERFLOW, Watch,
};
use crate::kernel::nodes::notifier_of;
use crate::kernel::nodes::open_files::{FLAGS_OF_NAMELESS, NONBLOCK, READ_ONLY};
use crate::kernel::nodes::paths::{Found, both, resolve};
use crate::kernel::readiness::{footprint_of_naming, wait_to_transfer};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{NAMES, file_place, node_place, read, write};
use smallvec::smallvec;
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

// Flags of a watch.
const ONLY_DIRECTORY: u32 = 1 << 24;
const DO_NOT_FOLLOW: u32 = 1 << 25;
const MUST_BE_NEW: u32 = 1 << 28;
const ADD_EVENTS: u32 = 1 << 29;
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

/// `inotify_init1(flags)`
fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    if flags & !FLAGS_OF_NAMELESS != 0 {
        return failed(EINVAL);
    }
    let opener = Opener::of(call);
    // From now on it is kept up under what names files are open, and closing one of them looks at names. All
    // descriptors are named, also where threads take numbers of their own.
    let footprint = descriptor_places().chain([NAMES]).map(write).collect();
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    made(call.data().kernel.open_new(opener, READ_ONLY, flags, |kernel| {
        let node = kernel.files.add(opener.thread, NodeKind::Notifier(Notifier::default()), 0o600);
        kernel.notifiers.insert(node);
        node
    }))
}

/// The node of the notifier whose descriptor is argument 0, or the error of there being none.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Result<u64, i32>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(node) = kernel.node_of(descriptor) else { return Ok(Err(EBADF)) };
    Ok(if notifier_of(kernel, node).is_some() { Ok(node) } else { Err(EINVAL) })
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
    let mut footprint = both(resolved.touched(), footprint_of_naming(call, notifier.ok())?);
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
    let is_directory = kernel.files.is_directory(node);
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
    let footprint = footprint_of_naming(call, notifier.ok())?;
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
        () => wait_to_transfer(call, READABLE, &[]),
    })
}
