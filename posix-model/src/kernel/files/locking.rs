//! Locks of files: `flock`, and the commands of `fcntl` for ranges of bytes. A range belongs to the
//! process, or with `F_OFD_SETLK` and its kin to the open file.

use crate::answer::{PosixCall, Step, Turn, announced, announced_synchronisation, failed, word};
use crate::errno::{EAGAIN, EBADF, EDEADLK, EINTR, EINVAL, EOVERFLOW};
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::file_locks::{FileLock, LockOwner, LockScope};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::system_calls::argument;
use crate::kernel::transfers::footprint_of_transfer;
use crate::options::Posix;
use crate::places::{acquire, locks_of, read, release, write};
use crate::sync::wait::{PosixWait, is_waiting};
use crate::threads::has_interrupted;
use crate::threads::process_numbers::process_number;
use symx_interp::access::Purpose;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Mode, ThreadId};

/// What a call does about a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Look,
    GiveBack,
    Try,
    Wait,
}

// Kinds of a lock of bytes.
const SHARED: u16 = 0;
const EXCLUSIVE: u16 = 1;
const NONE: u16 = 2;

/// Bytes of a `struct flock`.
const RECORD: u64 = 32;

/// The object by which what came before giving a lock back is before what comes after taking it.
fn carrier(node: u64) -> (u64, u64) {
    (node | 1 << 63 | 1 << 60, 0)
}

/// What came before the closing of a descriptor is before what comes after taking a lock that ends with it.
pub(super) fn release_with(call: &mut PosixCall<'_, '_>, descriptor: u32) {
    let kernel = &call.bookkeeping().kernel;
    if let Some(node) = kernel.node_of(descriptor)
        && !kernel.file_locks.of(node).is_empty()
    {
        call.release(carrier(node));
    }
}

/// `flock(descriptor, operation)`.
pub(super) fn lock_file(call: &mut PosixCall<'_, '_>) -> Step {
    const AT_ONCE: u32 = 4;
    let operation = argument(call, 1)? as u32;
    let deed = if operation & AT_ONCE == 0 { Deed::Wait } else { Deed::Try };
    let (is_exclusive, deed) = match operation & !AT_ONCE {
        1 => (false, deed),
        2 => (true, deed),
        8 => (false, Deed::GiveBack),
        _ => return failed(EINVAL),
    };
    let (file, node) = match stand_before(call, deed)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let owner = LockOwner::OpenFile(file);
    let wanted = FileLock { owner, scope: LockScope::Whole, is_exclusive, taker: call.thread() };
    let is_own = |lock: &&FileLock| lock.owner == owner && lock.scope == LockScope::Whole;
    let own = call.state().data.kernel.file_locks.of(node).iter().find(is_own).copied();
    if deed != Deed::GiveBack && own.is_some_and(|own| own.is_exclusive == is_exclusive) {
        return word(0);
    }
    // One of the other kind is lost, even if this one is not to be had.
    if own.is_some() {
        give_back(call, node, wanted);
    }
    match deed {
        Deed::GiveBack => word(0),
        _ => take(call, node, wanted, deed),
    }
}

/// The commands of `fcntl` that are about locks.
pub(super) fn lock_bytes(call: &mut PosixCall<'_, '_>) -> Step {
    let (command, record) = (argument(call, 1)?, argument(call, 2)?);
    let kind = call.read_number(record, 2)? as u16;
    let deed = match command {
        5 | 36 => Deed::Look,
        _ if kind == NONE => Deed::GiveBack,
        6 | 37 => Deed::Try,
        _ => Deed::Wait,
    };
    if deed == Deed::Look {
        call.object(record, RECORD, Purpose::Write)?;
    }
    let is_of_file = command >= 36;
    let (file, node) = match stand_before(call, deed)? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    let scope = match range(call, record, file)? {
        Ok(scope) => scope,
        Err(error) => return failed(error),
    };
    let is_known = matches!(kind, SHARED | EXCLUSIVE) || kind == NONE && deed != Deed::Look;
    if !is_known || is_of_file && call.read_number(record + 24, 4)? != 0 {
        return failed(EINVAL);
    }
    let open = call.state().data.kernel.open.get(file);
    let lacks_access = kind == SHARED && !open.is_readable() || kind == EXCLUSIVE && !open.is_writable();
    if deed != Deed::Look && lacks_access {
        return failed(EBADF);
    }
    let owner = if is_of_file { LockOwner::OpenFile(file) } else { LockOwner::Process(call.process()) };
    let wanted = FileLock { owner, scope, is_exclusive: kind == EXCLUSIVE, taker: call.thread() };
    match deed {
        Deed::Look => look(call, record, node, wanted),
        Deed::GiveBack => {
            give_back(call, node, wanted);
            word(0)
        }
        Deed::Try | Deed::Wait => take(call, node, wanted, deed),
    }
}

/// Stands before what is done about a lock of the file whose descriptor is argument 0: its number and node.
fn stand_before(call: &mut PosixCall<'_, '_>, deed: Deed) -> Result<Turn<(u64, u64)>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.file_of(descriptor) else {
        let footprint = [read(descriptor_place(descriptor))].into_iter().collect();
        return Ok(Turn::Answer(match announced(call, footprint) {
            Some(park) => Ok(park),
            None => failed(EBADF),
        }));
    };
    let node = kernel.open.get(file).node;
    let mut footprint = footprint_of_transfer(kernel, file, Mode::Read);
    footprint.extend(kernel.own.descriptors.touched_by_naming(descriptor, call.thread()));
    footprint.push(access(node, deed));
    let park = announced_synchronisation(call, footprint);
    Ok(park.map_or(Turn::Go((file, node)), |park| Turn::Answer(Ok(park))))
}

fn access(node: u64, deed: Deed) -> Access {
    let place = locks_of(node);
    match deed {
        Deed::Look => read(place),
        Deed::GiveBack => release(place),
        Deed::Try => write(place),
        Deed::Wait => acquire(place),
    }
}

/// The bytes that a `struct flock` is about, or the error of there being none.
fn range(call: &mut PosixCall<'_, '_>, record: u64, file: u64) -> Result<Result<LockScope, i32>, Stop> {
    let from = call.read_number(record + 2, 2)?;
    let (start, length) = (call.read_number(record + 8, 8)? as i64, call.read_number(record + 16, 8)? as i64);
    let kernel = &call.state().data.kernel;
    let open = kernel.open.get(file);
    let base = match from {
        0 => 0,
        1 => open.position,
        2 => match kernel.files.kind(open.node) {
            Some(NodeKind::File(content)) => content.length(),
            _ => 0,
        },
        _ => return Ok(Err(EINVAL)),
    };
    let Some(start) = (base as i64).checked_add(start) else { return Ok(Err(EOVERFLOW)) };
    let (first, last) = match length {
        0 => (start, i64::MAX),
        1.. => match start.checked_add(length - 1) {
            Some(last) => (start, last),
            None => return Ok(Err(EOVERFLOW)),
        },
        _ => (start.saturating_add(length), start - 1),
    };
    Ok(if start < 0 || first < 0 { Err(EINVAL) } else { Ok(LockScope::Bytes(first as u64, last as u64)) })
}

/// Says which lock keeps out `wanted`.
fn look(call: &mut PosixCall<'_, '_>, record: u64, node: u64, wanted: FileLock) -> Step {
    let found = call.state().data.kernel.file_locks.in_the_way(node, &wanted).copied();
    let Some(FileLock { owner, scope: LockScope::Bytes(first, last), is_exclusive, .. }) = found else {
        call.write(record, 2, Value::Concrete(NONE.into()))?;
        return word(0);
    };
    let length = if last == i64::MAX as u64 { 0 } else { last - first + 1 };
    let number = match owner {
        LockOwner::Process(process) => process_number(process),
        LockOwner::OpenFile(_) => u64::from(u32::MAX),
    };
    let kind = if is_exclusive { EXCLUSIVE } else { SHARED };
    let parts = [(0, 2, kind.into()), (2, 2, 0), (8, 8, first), (16, 8, length), (24, 4, number)];
    for (offset, size, value) in parts {
        call.write(record + offset, size, Value::Concrete(value))?;
    }
    word(0)
}

fn give_back(call: &mut PosixCall<'_, '_>, node: u64, given: FileLock) {
    call.release(carrier(node));
    call.data().kernel.file_locks.give_back(node, given);
}

fn take(call: &mut PosixCall<'_, '_>, node: u64, wanted: FileLock, deed: Deed) -> Step {
    let me = call.thread();
    let is_interrupted = has_interrupted(call);
    let kernel = &mut call.data().kernel;
    kernel.file_locks.want_no_more(me);
    if is_interrupted {
        return failed(EINTR);
    }
    if kernel.file_locks.in_the_way(node, &wanted).is_none() {
        kernel.file_locks.take(node, wanted);
        call.acquire(carrier(node));
        return word(0);
    }
    if deed == Deed::Try {
        return failed(EAGAIN);
    }
    if waits_for_itself(call.state(), node, wanted) {
        return failed(EDEADLK);
    }
    let descriptor = argument(call, 0)? as u32;
    let kernel = &mut call.data().kernel;
    kernel.file_locks.want(me, node, wanted);
    let naming = kernel.own.descriptors.touched_by_naming(descriptor, me);
    let footprint = naming.into_iter().chain([acquire(locks_of(node))]).collect();
    Ok(call.synchronise(footprint, Some(PosixWait::FileLock)))
}

/// Whether the process that has what is wanted waits for a lock of the one that wants it, itself or over
/// others. Only locks of processes are looked at, as by Linux.
fn waits_for_itself(state: &State<Posix>, mut node: u64, mut wanted: FileLock) -> bool {
    let owner = wanted.owner;
    let LockOwner::Process(_) = owner else { return false };
    let locks = &state.data.kernel.file_locks;
    // Each step leads to another process, or round in a circle.
    for _ in &state.threads {
        let holder = locks.in_the_way(node, &wanted).map(|lock| lock.owner);
        match holder.and_then(|holder| wanted_by(state, holder)) {
            _ if holder == Some(owner) => return true,
            Some(next) => (node, wanted) = next,
            None => return false,
        }
    }
    false
}

/// The lock that a thread of `owner` waits for, and the node.
fn wanted_by(state: &State<Posix>, owner: LockOwner) -> Option<(u64, FileLock)> {
    let waits = |thread: &ThreadId| is_waiting(state, *thread, |wait| matches!(wait, PosixWait::FileLock));
    let waiting = state.threads.iter().map(|thread| thread.id).filter(waits);
    let mut wanted = waiting.filter_map(|thread| state.data.kernel.file_locks.wanted_by(thread));
    wanted.find(|(_, lock)| lock.owner == owner)
}
