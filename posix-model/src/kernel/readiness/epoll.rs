//! `epoll`: a kept set of descriptors and events to wait for. The watch is on the open file, under the
//! descriptor it was added by, until the open file is closed.

use crate::answer::{PosixCall, Step, announced, failed, made, word};
use crate::errno::{EBADF, EEXIST, EINTR, EINVAL, ELOOP, ENOENT, EPERM};
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::{READABLE, WRITABLE};
use crate::kernel::nodes::descriptors::{Opener, descriptor_place};
use crate::kernel::nodes::kinds::{EpollKey, EpollSet, EpollWatch, NodeKind};
use crate::kernel::nodes::open_files::{CLOSE_ON_EXEC, READ_AND_WRITE};
use crate::kernel::nodes::sets::{orders_of_change, set_at};
use crate::kernel::readiness::changes::changes_of;
use crate::kernel::readiness::masked::with_mask;
use crate::kernel::readiness::poll::{announced_with_limit, limited, time_is_up};
use crate::kernel::readiness::{
    Interest, add_dependences, before_looking_into_sets, footprint_of_naming, found_at, wait_for,
};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{order_of_reports, read, write};
use crate::threads::has_interrupted;
use imbl::Vector;
use rustc_hash::FxHashSet;
use symx_interp::stop::Stop;
use symx_trace::{Footprint, ThreadId};

pub(crate) const CALLS: &[SystemCall] = &[
    row(213, "epoll_create", |call| match argument(call, 0)? as i32 {
        1.. => make(call, 0),
        _ => failed(EINVAL),
    }),
    row(291, "epoll_create1", |call| match argument(call, 0)? as u32 {
        flags if u64::from(flags) & !CLOSE_ON_EXEC == 0 => make(call, u64::from(flags)),
        _ => failed(EINVAL),
    }),
    row(233, "epoll_ctl", control),
    row(232, "epoll_wait", wait),
    row(281, "epoll_pwait", |call| {
        let mask = argument(call, 4)?;
        let limit = limit(call)?;
        with_mask(call, mask, limit, wait)
    }),
];

const ADD: u64 = 1;
const DELETE: u64 = 2;
const MODIFY: u64 = 3;
/// Event flag: wake one of several sets. Linux may wake more, and all are woken here.
const EXCLUSIVE: u32 = 1 << 28;
/// Event flag: report once, then wait to be armed again.
const ONCE: u32 = 1 << 30;
/// Event flag: report changes only.
const EDGE: u32 = 1 << 31;
/// All flags among the events.
const FLAGS: u32 = 0xf << 28;
/// Bytes of a `struct epoll_event`.
const ENTRY: u64 = 12;

impl EpollWatch {
    /// The events to be reported to `thread` of this watch of an open file.
    fn found(&self, kernel: &Kernel, thread: ThreadId, file: u64) -> u32 {
        let node = kernel.open.get(file).node;
        let is_news = |reported| changes_of(kernel, thread, node).concern(reported, self.events);
        let is_quiet = self.disarmed
            || self.events & EDGE != 0 && self.reported.is_some_and(|reported| !is_news(reported));
        if is_quiet { 0 } else { found_at(kernel, thread, file, self.events & !FLAGS) }
    }
}

impl EpollSet {
    /// Whether something is ready for `thread`.
    pub fn is_any_ready(&self, kernel: &Kernel, thread: ThreadId) -> bool {
        self.is_any_ready_beside(kernel, thread, &mut FxHashSet::default())
    }

    /// The same where nothing is ready in the sets `idle`. Many ways may lead to one set: it is looked
    /// through once.
    fn is_any_ready_beside(&self, kernel: &Kernel, thread: ThreadId, idle: &mut FxHashSet<u64>) -> bool {
        self.open(kernel).any(|((_, file), watch)| {
            let node = kernel.open.get(file).node;
            let Some(inner) = set_at(kernel, node) else { return watch.found(kernel, thread, file) != 0 };
            // Changes of another set cannot be asked for.
            let is_heard = !watch.disarmed && watch.events & READABLE != 0;
            if !is_heard || idle.contains(&node) {
                return false;
            }
            let is_ready = inner.is_any_ready_beside(kernel, thread, idle);
            if !is_ready {
                idle.insert(node);
            }
            is_ready
        })
    }

    /// Takes at most `most` events out for `thread`: events and data of each. Those that found no room come
    /// first in the next report, and what stays ready after one comes last.
    fn report(&mut self, kernel: &Kernel, thread: ThreadId, most: usize) -> Vec<(u32, u64)> {
        // What comes by the clock alone has not been queued.
        let is_missed = |(key, watch): &(EpollKey, &EpollWatch)| {
            !self.ready.contains(key) && watch.found(kernel, thread, key.1) != 0
        };
        let missed = self.open(kernel).filter(is_missed).map(|(key, _)| key);
        let queued: Vec<EpollKey> = self.ready.iter().copied().chain(missed).collect();
        let (mut left, mut again, mut reports) = (Vector::new(), Vector::new(), Vec::new());
        for key in queued.into_iter().filter(|(_, file)| kernel.open.is_open(*file)) {
            let Some(watch) = self.watches.get(&key).copied() else { continue };
            if reports.len() == most {
                left.push_back(key);
                continue;
            }
            let events = watch.found(kernel, thread, key.1);
            if events == 0 {
                continue;
            }
            reports.push((events, watch.data));
            let reported = Some(changes_of(kernel, thread, kernel.open.get(key.1).node));
            let disarmed = watch.events & ONCE != 0;
            self.watches.insert(key, EpollWatch { disarmed, reported, ..watch });
            if watch.events & (ONCE | EDGE) == 0 {
                again.push_back(key);
            }
        }
        left.append(again);
        self.ready = left;
        reports
    }
}

fn make(call: &mut PosixCall<'_, '_>, flags: u64) -> Step {
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().collect()) {
        return Ok(park);
    }
    made(call.data().kernel.open_new(opener, READ_AND_WRITE, flags, |kernel| {
        let node = kernel.files.add(opener.thread, NodeKind::Epoll(EpollSet::default()), 0o600);
        kernel.sets.insert(node);
        node
    }))
}

/// The node and watches of the descriptor in argument 0, or the error of there being none.
fn watches(call: &mut PosixCall<'_, '_>) -> Result<Result<(u64, EpollSet), i32>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(node) = kernel.node_of(descriptor) else { return Ok(Err(EBADF)) };
    Ok(set_at(kernel, node).map(|watches| (node, watches.clone())).ok_or(EINVAL))
}

/// Whether the set `from` watches `to`, itself or through sets that it watches.
fn reaches(kernel: &Kernel, from: u64, to: u64) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![from]);
    while let Some(set) = open.pop() {
        for node in set_at(kernel, set).into_iter().flat_map(|watches| watches.nodes(kernel)) {
            if node == to {
                return true;
            }
            if seen.insert(node) {
                open.push(node);
            }
        }
    }
    false
}

/// The footprint of `epoll_ctl`: what is to be watched may be ready already. Another set is looked through.
fn footprint_of_control(call: &mut PosixCall<'_, '_>) -> Result<Footprint, Stop> {
    let descriptor = argument(call, 2)? as u32;
    let set = watches(call)?.ok().map(|(node, _)| node);
    let mut footprint = footprint_of_naming(call, set)?;
    footprint.push(read(descriptor_place(descriptor)));
    let removes = argument(call, 1)? as u32 == DELETE as u32;
    let kernel = &call.state().data.kernel;
    if let Some(set) = set.filter(|_| !removes) {
        footprint.push(write(order_of_reports(set)));
        footprint.extend(orders_of_change(kernel, set, READABLE));
    }
    if let Some(node) = kernel.node_of(descriptor)
        && (!removes || set_at(kernel, node).is_some())
    {
        add_dependences(kernel, node, &mut footprint);
    }
    Ok(footprint)
}

/// The edges that are asked for and not counted at the object.
fn uncounted(kernel: &Kernel, node: u64, events: u32) -> Option<&'static str> {
    match kernel.files.kind(node) {
        _ if events & EDGE == 0 => None,
        Some(NodeKind::Epoll(_)) => Some("epoll that reports changes (EPOLLET) of another epoll"),
        Some(NodeKind::Socket(socket)) if events & WRITABLE != 0 && socket.is_local_datagram() => {
            Some("changes of room (EPOLLET, EPOLLOUT) at a local socket of datagrams")
        }
        _ => None,
    }
}

/// `epoll_ctl(epoll, operation, descriptor, event)`.
fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (operation, descriptor) = (argument(call, 1)? as u32, argument(call, 2)? as u32);
    if let Some(park) = before_looking_into_sets(call, &[descriptor]) {
        return Ok(park);
    }
    let footprint = footprint_of_control(call)?;
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let set = watches(call)?;
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.file_of(descriptor).filter(|_| set != Err(EBADF)) else {
        return failed(EBADF);
    };
    let target = kernel.open.get(file).node;
    if matches!(
        kernel.files.kind(target),
        Some(NodeKind::File(_) | NodeKind::Unread(_) | NodeKind::Directory)
    ) {
        return failed(EPERM);
    }
    let (node, mut set) = match set {
        Ok((node, set)) if node != target => (node, set),
        _ => return failed(EINVAL),
    };
    let (key, operation) = ((descriptor, file), u64::from(operation));
    let known = set.watches.get(&key).copied();
    let watches_set = set_at(kernel, target).is_some();
    if operation == ADD && reaches(kernel, target, node) {
        return failed(ELOOP);
    }
    match (operation, known) {
        (ADD, Some(_)) => return failed(EEXIST),
        (DELETE | MODIFY, None) => return failed(ENOENT),
        (DELETE, _) => {
            set.watches.remove(&key);
            set.ready.retain(|queued| *queued != key);
        }
        (ADD | MODIFY, _) => {
            let event = argument(call, 3)?;
            let (events, data) = (call.read_number(event, 4)? as u32, call.read_number(event + 4, 8)?);
            let was_exclusive = known.is_some_and(|watch| watch.events & EXCLUSIVE != 0);
            let is_exclusive = events & EXCLUSIVE != 0;
            if was_exclusive || is_exclusive && (operation == MODIFY || events & ONCE != 0 || watches_set) {
                return failed(EINVAL);
            }
            if let Some(what) = uncounted(&call.state().data.kernel, target, events) {
                return Err(call.unsupported(what));
            }
            set.watches.insert(key, EpollWatch { events, data, disarmed: false, reported: None });
        }
        _ => return failed(EINVAL),
    }
    set.changes += 1;
    let thread = call.thread();
    let kernel = &mut call.data().kernel;
    let is_there = set.watches.get(&key).is_some_and(|watch| watch.found(kernel, thread, file) != 0);
    kernel.files.change(node, |node| node.kind = NodeKind::Epoll(set));
    if is_there {
        kernel.is_there_already(node, key);
    }
    word(0)
}

/// `epoll_wait(epoll, events, count, milliseconds)`.
fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    let limit = limit(call)?;
    limited(call, limit, wait_until)
}

/// The time limit in nanoseconds.
fn limit(call: &mut PosixCall<'_, '_>) -> Result<Option<u64>, Stop> {
    let milliseconds = argument(call, 3)? as i32;
    Ok(u64::try_from(milliseconds).ok().map(|limit| limit * 1_000_000))
}

fn wait_until(call: &mut PosixCall<'_, '_>, limit: Option<u64>) -> Step {
    let (events, most) = (argument(call, 1)?, argument(call, 2)? as i32);
    let (descriptor, thread) = (argument(call, 0)? as u32, call.thread());
    if let Some(park) = before_looking_into_sets(call, &[descriptor]) {
        return Ok(park);
    }
    let watched = watches(call)?;
    let node = watched.as_ref().ok().map(|(node, _)| *node);
    let mut footprint = footprint_of_naming(call, node)?;
    if let Some(node) = node {
        footprint.push(write(order_of_reports(node)));
        add_dependences(&call.state().data.kernel, node, &mut footprint);
    }
    let interests = vec![Interest::new(&call.state().data.kernel, descriptor, READABLE)];
    if let Some(park) = announced_with_limit(call, &footprint, limit, &interests) {
        return Ok(park);
    }
    if has_interrupted(call) {
        return failed(EINTR);
    }
    let (node, mut set) = match watched {
        _ if most <= 0 => return failed(EINVAL),
        Ok(found) => found,
        Err(error) => return failed(error),
    };
    let had_changes = !set.ready.is_empty();
    let ready = set.report(&call.state().data.kernel, thread, most as usize);
    let is_ready = !ready.is_empty();
    if is_ready || had_changes {
        call.data().kernel.files.change(node, |node| node.kind = NodeKind::Epoll(set));
    }
    if !is_ready {
        return match limit {
            Some(limit) => time_is_up(call, limit),
            None => wait_for(call, footprint, interests),
        };
    }
    let count = ready.len() as u64;
    for (index, (found, data)) in (0..).zip(ready) {
        let mut bytes = [0; ENTRY as usize];
        bytes[..4].copy_from_slice(&found.to_le_bytes());
        bytes[4..].copy_from_slice(&data.to_le_bytes());
        call.write_bytes(events + ENTRY * index, &bytes)?;
    }
    word(count)
}
