//! Message queues: `mq_open` and what goes with it.
//!
//! As Linux has them: a queue is a file, its descriptor a file descriptor. The limits are those of a
//! privileged process, which may make queues as large as the kernel bears.

use crate::answer::{
    PosixCall, Step, announced, announced_synchronisation, fail, fail_int, finish_failure, int, word,
};
use crate::errno::{
    EACCES, EAGAIN, EBADF, EBUSY, EEXIST, EINTR, EINVAL, EMSGSIZE, ENAMETOOLONG, ENOENT, ETIMEDOUT,
};
use crate::kernel::Kernel;
use crate::kernel::buffers::{Buffer, add_buffers};
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::kinds::{Message, NodeKind, Queue};
use crate::kernel::nodes::open_files::{
    ACCESS_MODE, CLOSE_ON_EXEC, NONBLOCK, OpenFile, READ_ONLY, WRITE_ONLY,
};
use crate::kernel::nodes::sets::touched_by_change;
use crate::kernel::notice::{self, Notice};
use crate::kernel::signals::{deliver_sent, is_sent, receivers, send_announced};
use crate::places::{QUEUE_NAMES, file_place, write};
use crate::row::{Row, row};
use crate::sync::deadline::{Deadline, REALTIME, time_is_up};
use crate::sync::wait::{Goal, PosixWait, QueueWait, is_any_thread_waiting};
use crate::threads::alone::is_no_longer_alone;
use crate::threads::cancellation::point;
use crate::threads::has_interrupted;
use imbl::Vector;
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::access::Purpose;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_trace::Footprint;

pub(crate) const ROWS: &[Row] = &[
    row(&["mq_open"], open),
    row(&["mq_unlink"], unlink),
    row(&["mq_notify"], notify).in_role(Role::Signals),
    row(&["mq_getattr"], |call| attributes(call, None, 1)),
    row(&["mq_setattr"], |call| attributes(call, Some(1), 2)),
    row(&["mq_send"], |call| point(call, |call| send(call, None))),
    row(&["mq_timedsend"], |call| point(call, |call| send(call, Some(4)))),
    row(&["mq_receive"], |call| point(call, |call| receive(call, None))),
    row(&["mq_timedreceive"], |call| point(call, |call| receive(call, Some(4)))),
];

const CREATE: u64 = 0o100;
const EXCLUSIVE: u64 = 0o200;
/// Messages and bytes a message of a queue for which neither is asked.
const DEFAULT: (u64, u64) = (10, 8192);
/// As many as the kernel bears.
const MAXIMUM: (u64, u64) = (1 << 16, 1 << 24);
const LONGEST_NAME: usize = 255;
/// Priorities are below this.
const PRIORITIES: u64 = 1 << 15;
/// Bytes of a `struct mq_attr`: four numbers, and as many reserved.
const ATTRIBUTES: u64 = 64;
/// `SI_MESGQ`
const BY_QUEUE: i32 = -3;
const INT_MINUS_ONE: u64 = u32::MAX as u64;

fn queue_of(kernel: &Kernel, node: u64) -> Option<&Queue> {
    match &kernel.files.node(node)?.kind {
        NodeKind::Queue(queue) => Some(queue),
        _ => None,
    }
}

fn change(call: &mut PosixCall<'_, '_>, node: u64, change: impl FnOnce(&mut Queue)) {
    call.data().kernel.files.change(node, |node| {
        if let NodeKind::Queue(queue) = &mut node.kind {
            change(queue);
        }
    });
}

/// Whether the wait at a queue is over.
pub(crate) fn is_queue_ready(kernel: &Kernel, wait: QueueWait) -> bool {
    let ready = if wait.receiving { Queue::has_message } else { Queue::has_room };
    queue_of(kernel, wait.node).is_none_or(ready)
}

/// A descriptor of `node` is closed: the process is not to be notified any more.
pub(crate) fn closed(kernel: &mut Kernel, node: u64) {
    kernel.files.change(node, |node| {
        if let NodeKind::Queue(queue) = &mut node.kind {
            queue.notice = None;
        }
    });
}

/// The name in argument 0, without the slash that each begins with.
fn name(call: &mut PosixCall<'_, '_>) -> Result<Result<Vec<u8>, i32>, Stop> {
    let address = call.argument(0)?;
    let text = call.read_string(address)?;
    Ok(match text.strip_prefix(b"/") {
        None => Err(EINVAL),
        Some([]) => Err(ENOENT),
        Some(name) if name.contains(&b'/') => Err(EACCES),
        Some(name) if name.len() > LONGEST_NAME => Err(ENAMETOOLONG),
        Some(name) => Ok(name.to_vec()),
    })
}

/// `mq_open(name, flags, mode, attributes)`
fn open(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let flags = call.argument(1)?;
    let creates = flags & CREATE != 0;
    let wanted = match creates {
        true => {
            let attributes = call.argument(3)?;
            match attributes {
                0 => DEFAULT,
                _ => (call.read_number(attributes + 8, 8)?, call.read_number(attributes + 16, 8)?),
            }
        }
        false => DEFAULT,
    };
    let mode = if creates { call.argument(2)? as u32 } else { 0 };
    let name = match name(call)? {
        Ok(name) => name,
        Err(error) => return fail_int(call, error),
    };
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().chain([write(QUEUE_NAMES)]).collect()) {
        return Ok(park);
    }
    if let Err(error) = call.state().data.kernel.free_from(opener, 0) {
        return fail_int(call, error);
    }
    let kernel = &mut call.data().kernel;
    let access = flags as u32 & ACCESS_MODE;
    let node = match kernel.queues.get(&name).copied() {
        Some(_) if creates && flags & EXCLUSIVE != 0 => return fail_int(call, EEXIST),
        Some(_) if access == ACCESS_MODE => return fail_int(call, EINVAL),
        Some(node) => {
            let needed = match access {
                READ_ONLY => 0o400,
                WRITE_ONLY => 0o200,
                _ => 0o600,
            };
            let permissions = kernel.files.node(node).map_or(0, |node| node.permissions);
            if permissions & needed != needed {
                return fail_int(call, EACCES);
            }
            node
        }
        None if !creates => return fail_int(call, ENOENT),
        None => {
            let (capacity, size) = wanted;
            if !(1..=MAXIMUM.0).contains(&capacity) || !(1..=MAXIMUM.1).contains(&size) {
                return fail_int(call, EINVAL);
            }
            let queue = Queue { messages: Vector::new(), capacity, size, notice: None };
            let permissions = mode & 0o777 & !kernel.own.mask;
            let node = kernel.files.add(opener.thread, NodeKind::Queue(queue), permissions);
            kernel.queues.insert(name, node);
            node
        }
    };
    match kernel.open_new(opener, access, flags | CLOSE_ON_EXEC, |_| node) {
        Ok(descriptor) => int(descriptor as i32),
        Err(error) => fail_int(call, error),
    }
}

/// A process that has the queue open goes on using it.
fn unlink(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let name = match name(call)? {
        Ok(name) => name,
        Err(error) => return fail_int(call, error),
    };
    if let Some(park) = announced(call, smallvec![write(QUEUE_NAMES)]) {
        return Ok(park);
    }
    match call.data().kernel.queues.remove(&name) {
        Some(_) => int(0),
        None => fail_int(call, ENOENT),
    }
}

/// The open queue whose descriptor is argument 0; `None` if it is none.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Option<(u64, OpenFile, Queue)>, Stop> {
    let descriptor = call.argument(0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.file_of(descriptor) else { return Ok(None) };
    let open = kernel.open.get(file);
    Ok(queue_of(kernel, open.node).map(|queue| (file, open.clone(), queue.clone())))
}

/// The footprint of an operation on an open queue, with these pieces of memory; without one, that of its
/// descriptor.
fn footprint(
    call: &mut PosixCall<'_, '_>,
    found: Option<&(u64, OpenFile, Queue)>,
    buffers: &[Buffer],
) -> Result<Footprint, Stop> {
    let descriptor = call.argument(0)? as u32;
    let kernel = &call.state().data.kernel;
    let queue = found.map(|(file, open, _)| {
        let mut footprint: Footprint = smallvec![write(file_place(*file))];
        footprint.extend(touched_by_change(kernel, open.node, 0));
        footprint
    });
    let mut footprint = kernel.own.descriptors.touched_by_use(descriptor, call.thread(), queue);
    add_buffers(call, &mut footprint, buffers)?;
    Ok(footprint)
}

/// `mq_getattr(queue, result)` and `mq_setattr(queue, new, old)`: whether it waits is all
/// that can be changed.
fn attributes(call: &mut PosixCall<'_, '_>, new: Option<usize>, result: usize) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let result = call.argument(result)?;
    let flags = match new {
        Some(new) => match call.argument(new)? {
            0 => None,
            new => Some(call.read_number(new, 8)?),
        },
        None => None,
    };
    if flags.is_some_and(|flags| flags & !u64::from(NONBLOCK) != 0) {
        return fail_int(call, EINVAL);
    }
    let found = named(call)?;
    let length = if result == 0 { 0 } else { ATTRIBUTES };
    let footprint = footprint(call, found.as_ref(), &[(result, length, Purpose::Write)])?;
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let Some((file, open, queue)) = found else { return fail_int(call, EBADF) };
    if result != 0 {
        let held = queue.messages.len() as u64;
        let words = [u64::from(open.flags & NONBLOCK), queue.capacity, queue.size, held, 0, 0, 0, 0];
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        call.write_bytes(result, &bytes)?;
    }
    if let Some(flags) = flags {
        call.data().kernel.open.change(file, |file| file.flags = file.flags & !NONBLOCK | flags as u32);
    }
    int(0)
}

/// `mq_notify(queue, event)`
fn notify(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let event = call.argument(1)?;
    let wanted = match event {
        0 => None,
        _ => match notice::wanted(call, event, BY_QUEUE)? {
            None | Some(Notice::Signal { receiver: Some(_), .. }) => return fail_int(call, EINVAL),
            wanted => wanted,
        },
    };
    let found = named(call)?;
    let footprint = footprint(call, found.as_ref(), &[])?;
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let Some((_, open, queue)) = found else { return fail_int(call, EBADF) };
    if wanted.is_some() && queue.notice.is_some() {
        return fail_int(call, EBUSY);
    }
    if matches!(wanted, Some(Notice::Call { .. })) {
        is_no_longer_alone(call)?;
    }
    change(call, open.node, |queue| queue.notice = wanted);
    int(0)
}

/// The limit of a wait, whose address is argument `index`: none, a time, or nothing that is one.
fn limit(call: &mut PosixCall<'_, '_>, index: Option<usize>) -> Result<Result<Option<u64>, i32>, Stop> {
    let Some(index) = index else { return Ok(Ok(None)) };
    let address = call.argument(index)?;
    if address == 0 {
        return Ok(Ok(None));
    }
    let deadline = Deadline::Argument(index);
    let seconds = call.read_number(address, 8)? as i64;
    if seconds < 0 || !deadline.is_valid(call)? {
        return Ok(Err(EINVAL));
    }
    Ok(Ok(Some(deadline.until(call, REALTIME)?)))
}

/// Waits at a queue that is not ready, or says why not: scratch has the announcement and, during a
/// wait, one word more.
fn wait(
    call: &mut PosixCall<'_, '_>,
    open: &OpenFile,
    receiving: bool,
    limit: Option<u64>,
    footprint: Footprint,
) -> Step {
    let minus_one = Value::Concrete(if receiving { u64::MAX } else { INT_MINUS_ONE });
    if open.flags & NONBLOCK != 0 {
        return fail(call, EAGAIN, minus_one);
    }
    let goal = QueueWait { node: open.node, receiving };
    let wait = match limit {
        Some(until) => PosixWait::Limited { until, goal: Goal::Queue(goal) },
        None => PosixWait::Queue(goal),
    };
    if limit.is_some() && call.scratch().len() > 1 {
        time_is_up(call, Some(wait));
        return fail(call, ETIMEDOUT, minus_one);
    }
    call.scratch().truncate(1);
    call.scratch().push(1);
    Ok(call.synchronise(footprint, Some(wait)))
}

/// The object by which what came before sending a message is before what comes after receiving one.
fn carrier(node: u64) -> (u64, u64) {
    (node | 1 << 63, 0)
}

/// `mq_timedsend(queue, message, length, priority, limit)`
fn send(call: &mut PosixCall<'_, '_>, limited: Option<usize>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    if is_sent(call) {
        return deliver_sent(call, int(0));
    }
    let (message, length, priority) =
        (call.argument(1)?, call.argument(2)?, call.argument(3)? & u64::from(u32::MAX));
    let limit = match limit(call, limited)? {
        Ok(limit) if priority < PRIORITIES => limit,
        _ => return fail_int(call, EINVAL),
    };
    let found = named(call)?;
    let fits = found.as_ref().is_some_and(|(_, open, queue)| open.is_writable() && length <= queue.size);
    let buffer = (message, if fits { length } else { 0 }, Purpose::Read);
    let mut footprint = footprint(call, found.as_ref(), &[buffer])?;
    if let Some((_, _, queue)) = &found {
        footprint.extend(queue.notice.map_or_else(Footprint::new, |notice| notice.footprint(call)));
    }
    if let Some(park) = announced_synchronisation(call, footprint.clone()) {
        return Ok(park);
    }
    if has_interrupted(call) {
        return fail_int(call, EINTR);
    }
    let Some((_, open, queue)) = found.filter(|found| found.1.is_writable()) else {
        return fail_int(call, EBADF);
    };
    if !fits {
        return fail_int(call, EMSGSIZE);
    }
    if !queue.has_room() {
        return wait(call, &open, false, limit, footprint);
    }
    let content =
        Arc::new(if length == 0 { Stretch::default() } else { call.read_stretch(message, length)? });
    let receiving = QueueWait { node: open.node, receiving: true };
    let waits = |wait: &PosixWait| match *wait {
        PosixWait::Queue(queue) | PosixWait::Limited { goal: Goal::Queue(queue), .. } => queue == receiving,
        _ => false,
    };
    // A thread that waits gets the message itself and needs no notice.
    let told = !queue.has_message() && !is_any_thread_waiting(call.state(), waits);
    let notice = queue.notice.filter(|_| told);
    if let Some(Notice::Signal { receiver: None, signal, .. }) = notice {
        receivers::choose(call, call.process(), signal)?;
    }
    call.data().kernel.changed(open.node, 0);
    change(call, open.node, |queue| {
        queue.add(Message { priority, content });
        if told {
            queue.notice = None;
        }
    });
    call.release(carrier(open.node));
    match notice {
        Some(Notice::Signal { receiver, signal, information }) => {
            send_announced(call, receiver, signal, information, int(0))
        }
        Some(Notice::Call { function, argument }) => {
            notice::call(call, function, argument)?;
            int(0)
        }
        Some(Notice::Nothing | Notice::Descriptor { .. }) | None => int(0),
    }
}

/// `mq_timedreceive(queue, message, length, priority, limit)`
fn receive(call: &mut PosixCall<'_, '_>, limited: Option<usize>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let (message, length, priority) = (call.argument(1)?, call.argument(2)?, call.argument(3)?);
    let limit = match limit(call, limited)? {
        Ok(limit) => limit,
        Err(error) => return fail(call, error, Value::Concrete(u64::MAX)),
    };
    let found = named(call)?;
    let fits = found.as_ref().is_some_and(|(_, open, queue)| open.is_readable() && length >= queue.size);
    let first = found.as_ref().and_then(|(_, _, queue)| queue.messages.front()).filter(|_| fits).cloned();
    let mut buffers: Vec<Buffer> = Vec::new();
    if let Some(first) = &first {
        buffers.push((message, first.content.len() as u64, Purpose::Write));
        buffers.push((priority, if priority == 0 { 0 } else { 4 }, Purpose::Write));
    }
    let footprint = footprint(call, found.as_ref(), &buffers)?;
    if let Some(park) = announced_synchronisation(call, footprint.clone()) {
        return Ok(park);
    }
    let minus_one = Value::Concrete(u64::MAX);
    if has_interrupted(call) {
        return fail(call, EINTR, minus_one);
    }
    let Some((_, open, _)) = found.filter(|found| found.1.is_readable()) else {
        return fail(call, EBADF, minus_one);
    };
    if !fits {
        return fail(call, EMSGSIZE, minus_one);
    }
    let Some(first) = first else { return wait(call, &open, true, limit, footprint) };
    if !first.content.is_empty() {
        call.write_stretch(message, &first.content)?;
    }
    if priority != 0 {
        call.write(priority, 4, Value::Concrete(first.priority))?;
    }
    call.data().kernel.changed(open.node, 0);
    change(call, open.node, |queue| {
        queue.messages.pop_front();
    });
    call.acquire(carrier(open.node));
    word(first.content.len() as u64)
}
