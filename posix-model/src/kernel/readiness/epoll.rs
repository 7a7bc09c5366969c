//! `epoll`: a kept set of descriptors and events to wait for. Level-triggered, as it
//! is unless asked otherwise.

use crate::answer::{PosixCall, Step, announced, failed, word};
use crate::errno::{EBADF, EEXIST, EINVAL, ENOENT};
use crate::kernel::Kernel;
use crate::kernel::files::file_system::NodeKind;
use crate::kernel::files::open_files::node_place;
use crate::kernel::readiness::poll::{footprint_of, time_is_up};
use crate::kernel::readiness::{Interest, READABLE, found, wait_for};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{DESCRIPTORS, NAMES, read, write};
use imbl::OrdMap;
use smallvec::smallvec;

pub(crate) const CALLS: &[SystemCall] = &[
    row(213, "epoll_create", |call| make(call, 0)),
    row(291, "epoll_create1", |call| {
        let flags = argument(call, 0)?;
        make(call, flags)
    }),
    row(233, "epoll_ctl", control),
    row(232, "epoll_wait", wait),
    row(281, "epoll_pwait", wait),
];

const READ_AND_WRITE: u32 = 2;
const ADD: u64 = 1;
const DELETE: u64 = 2;
const MODIFY: u64 = 3;
/// Event flag: report once, then wait to be armed again.
const ONCE: u32 = 1 << 30;
/// Event flag: report changes only.
const EDGE: u32 = 1 << 31;
/// Bytes of a `struct epoll_event`.
const ENTRY: u64 = 12;

/// What is waited for at a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Watch {
    /// The open file it stood for: when that is closed, the watch is over.
    file: u64,
    events: u32,
    data: u64,
}

/// A set of descriptors with the events to wait for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Watches(OrdMap<u32, Watch>);

impl Watches {
    fn interests<'a>(&'a self, kernel: &'a Kernel) -> impl Iterator<Item = (Interest, Watch)> + 'a {
        self.0
            .iter()
            .filter(|(descriptor, watch)| kernel.open.file_of(**descriptor) == Some(watch.file))
            .filter(|(_, watch)| watch.events & !(ONCE | EDGE) != 0)
            .map(|(descriptor, watch)| {
                (Interest { descriptor: *descriptor, events: watch.events & !(ONCE | EDGE) }, *watch)
            })
    }

    /// Whether something is ready.
    pub fn is_any_ready(&self, kernel: &Kernel) -> bool {
        self.interests(kernel).any(|(interest, _)| found(kernel, interest) != 0)
    }
}

fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    if let Some(park) = announced(call, smallvec![write(DESCRIPTORS), write(NAMES)]) {
        return Ok(park);
    }
    let kernel = &mut call.data().kernel;
    let node = kernel.files.add(NodeKind::Epoll(Watches::default()), 0o600);
    word(u64::from(kernel.open_new(node, READ_AND_WRITE, flags)))
}

/// The node and watches of the descriptor in argument 0.
fn watches(call: &mut PosixCall<'_, '_>) -> Result<Option<(u64, Watches)>, symx_interp::stop::Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.open.file_of(descriptor) else { return Ok(None) };
    let node = kernel.open.get(file).node;
    Ok(match kernel.files.node(node).map(|node| &node.kind) {
        Some(NodeKind::Epoll(watches)) => Some((node, watches.clone())),
        _ => None,
    })
}

/// `epoll_ctl(epoll, operation, descriptor, event)`.
fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (operation, descriptor) = (argument(call, 1)?, argument(call, 2)? as u32);
    let Some((node, _)) = watches(call)? else { return failed(EBADF) };
    if let Some(park) = announced(call, smallvec![read(DESCRIPTORS), write(node_place(node))]) {
        return Ok(park);
    }
    let Some((node, Watches(mut watches))) = watches(call)? else { return failed(EBADF) };
    let Some(file) = call.state().data.kernel.open.file_of(descriptor) else { return failed(EBADF) };
    let known = watches.get(&descriptor).is_some_and(|watch| watch.file == file);
    match operation {
        ADD if known => return failed(EEXIST),
        DELETE | MODIFY if !known => return failed(ENOENT),
        DELETE => {
            watches.remove(&descriptor);
        }
        ADD | MODIFY => {
            let event = argument(call, 3)?;
            let (events, data) = (call.read_number(event, 4)? as u32, call.read_number(event + 4, 8)?);
            if events & EDGE != 0 {
                return Err(call.unsupported("epoll that reports changes only (EPOLLET)"));
            }
            watches.insert(descriptor, Watch { file, events, data });
        }
        _ => return failed(EINVAL),
    }
    call.data().kernel.files.change(node, |node| node.kind = NodeKind::Epoll(Watches(watches)));
    word(0)
}

/// `epoll_wait(epoll, events, count, milliseconds)`.
fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    let (events, most, limit) = (argument(call, 1)?, argument(call, 2)?, argument(call, 3)? as i32);
    let Some((node, set)) = watches(call)? else { return failed(EBADF) };
    let descriptors: Vec<u32> =
        set.interests(&call.state().data.kernel).map(|(interest, _)| interest.descriptor).collect();
    let mut footprint = footprint_of(call, &descriptors);
    footprint.push(write(node_place(node)));
    if let Some(park) = announced(call, footprint.clone()) {
        return Ok(park);
    }
    let Some((node, mut set)) = watches(call)? else { return failed(EBADF) };
    let kernel = &call.state().data.kernel;
    let ready: Vec<(Interest, Watch, u32)> = set
        .interests(kernel)
        .map(|(interest, watch)| (interest, watch, found(kernel, interest)))
        .filter(|found| found.2 != 0)
        .take(most as usize)
        .collect();
    if ready.is_empty() {
        if limit >= 0 {
            return time_is_up(call, limit as u64 * 1_000_000);
        }
        let descriptor = argument(call, 0)? as u32;
        return wait_for(call, footprint, vec![Interest { descriptor, events: READABLE }]);
    }
    let count = ready.len() as u64;
    for (index, (interest, watch, events_found)) in (0..).zip(ready) {
        let mut bytes = [0; ENTRY as usize];
        bytes[..4].copy_from_slice(&events_found.to_le_bytes());
        bytes[4..].copy_from_slice(&watch.data.to_le_bytes());
        call.write_bytes(events + ENTRY * index, &bytes)?;
        if watch.events & ONCE != 0 {
            set.0.insert(interest.descriptor, Watch { events: 0, ..watch });
        }
    }
    call.data().kernel.files.change(node, |node| node.kind = NodeKind::Epoll(set));
    word(count)
}
