//! What the library keeps of a thread, and what threads ask about themselves.

pub(crate) mod alone;
pub(crate) mod attributes;
pub(crate) mod cancellation;
pub(crate) mod destructors;
pub(crate) mod exit;
pub(crate) mod keys;
pub(crate) mod process_numbers;
mod processors;
pub(crate) mod scheduling;
pub(crate) mod stages;

use crate::answer::{PosixCall, Step, announced, int, touching, word};
use crate::errno::{ERANGE, ESRCH};
use crate::places::{CREATION, read, record_of, release, write};
use crate::row::{Row, row};
use crate::threads::attributes::Attributes;
use crate::threads::cancellation::Cancellation;
use crate::threads::exit::CleanUpBuffer;
use imbl::Vector;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use symx_interp::Shared;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_trace::{Footprint, ThreadId};

/// The library's data of a thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ThreadRecord {
    /// Its result.
    pub result: Option<Value>,
    pub detached: bool,
    /// Whether another thread has joined it, or is waiting to.
    pub joined: bool,
    /// Clean-up routines with their arguments, outermost first.
    pub clean_up: Vector<(u64, u64)>,
    /// Buffers of glibc's clean-up macros, outermost first.
    pub clean_up_buffers: Vector<CleanUpBuffer>,
    /// By thread number, how many of its stretches between creations and joins have ended before
    /// this one's present one.
    pub stretch: Arc<[u32]>,
    /// Where it was created; the main thread was not.
    pub created: Option<SpanId>,
    /// Its state as to requests to end it.
    pub cancellation: Cancellation,
    /// Whether a handler has run while it waited for what then fails.
    pub interrupted: bool,
    /// Whether its wait for a child, which is over, goes before the handler of the signal that it has ended.
    pub takes_child_first: bool,
    /// The name that it was given.
    pub name: Option<Vec<u8>>,
    /// The name of the thread that created it, if that had been given one.
    pub first_name: Option<Vec<u8>>,
    /// How nice it is to others.
    pub nice: i32,
    /// Scheduling policy and priority.
    pub scheduling: (u64, u64),
    /// The processors it is bound to, a bit each.
    pub processors: Option<u64>,
    /// The attributes it was created with, if there were any.
    pub attributes: Option<Attributes>,
}

impl ThreadRecord {
    /// The name that `pthread_setname_np` gave it.
    pub fn given_name(&self) -> Option<String> {
        self.name.as_ref().map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// The name that it has, unless that is the program's.
    pub fn present_name(&self) -> Option<Vec<u8>> {
        self.name.clone().or_else(|| self.first_name.clone())
    }

    /// The record of a thread of the library's own making, for which no thread waits.
    pub fn of_library() -> Self {
        Self { detached: true, ..Self::default() }
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_self", "thrd_current"], own_handle),
    row(&["pthread_equal", "thrd_equal"], equal),
    row(&["sched_yield", "pthread_yield", "thrd_yield"], yield_processor).in_role(Role::Yields),
    row(&["pthread_setname_np"], set_name),
    row(&["pthread_getname_np"], name),
];

/// Bytes of a thread's name, its end included.
pub(crate) const NAME_EXTENT: usize = 16;

/// The value that programs hold as a thread's `pthread_t`: never 0, and no address of anything.
pub(crate) fn handle(thread: ThreadId) -> u64 {
    u64::from(thread.0) + 1
}

/// The thread of a `pthread_t`, for something that distinguishes it from others.
pub(crate) fn thread_of(call: &mut PosixCall<'_, '_>, handle: u64) -> Option<ThreadId> {
    let thread = numbered(call, handle)?;
    call.distinguish(thread);
    Some(thread)
}

/// The thread that a `pthread_t` numbers.
pub(crate) fn numbered(call: &PosixCall<'_, '_>, handle: u64) -> Option<ThreadId> {
    let thread = ThreadId(u32::try_from(handle.checked_sub(1)?).ok()?);
    call.has_thread(thread).then_some(thread)
}

/// The number that the kernel gives the main thread, and with it the process.
const MAIN_NUMBER: u64 = 1000;

/// The number the kernel gives a thread: the main thread has its process's.
pub(crate) const fn thread_number(thread: ThreadId) -> u64 {
    MAIN_NUMBER + thread.0 as u64
}

/// The thread with this number, which may not exist.
pub(crate) fn thread_numbered(number: u64) -> Option<ThreadId> {
    Some(ThreadId(u32::try_from(number.checked_sub(MAIN_NUMBER)?).ok()?))
}

/// The record of a thread.
pub(crate) fn record(call: &PosixCall<'_, '_>, thread: ThreadId) -> Shared<ThreadRecord> {
    call.bookkeeping().threads.get(&thread).cloned().unwrap_or_default()
}

pub(crate) fn store(call: &mut PosixCall<'_, '_>, thread: ThreadId, record: Shared<ThreadRecord>) {
    call.data().threads.insert(thread, record);
}

/// Changes the calling thread's record.
pub(crate) fn update(call: &mut PosixCall<'_, '_>, change: impl FnOnce(&mut ThreadRecord)) {
    let me = call.thread();
    let mut own = record(call, me);
    change(&mut own);
    store(call, me, own);
}

/// The footprint of creating a thread: creations that number their threads in turn do not commute.
pub(crate) fn creation(call: &PosixCall<'_, '_>) -> Footprint {
    let next = call.next_child();
    let mut footprint: Footprint = smallvec![release(next.creation)];
    if !next.is_certain {
        footprint.push(write(CREATION));
    }
    footprint
}

/// Whether a handler has interrupted the calling thread's wait, which then fails; asked once.
pub(crate) fn has_interrupted(call: &mut PosixCall<'_, '_>) -> bool {
    let me = call.thread();
    if !call.state().data.threads.get(&me).is_some_and(|record| record.interrupted) {
        return false;
    }
    update(call, |own| own.interrupted = false);
    true
}

fn own_handle(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    call.distinguish(me);
    word(handle(me))
}

fn equal(call: &mut PosixCall<'_, '_>) -> Step {
    let (first, second) = (call.argument(0)?, call.argument(1)?);
    int(i32::from(first == second))
}

/// Others may run; nothing is touched.
fn yield_processor(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() == 0 {
        return Ok(call.park(SmallVec::new()));
    }
    int(0)
}

fn set_name(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, text) = (call.argument(0)?, call.argument(1)?);
    let text = call.read_string(text)?;
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if text.len() >= NAME_EXTENT {
        return int(ERANGE);
    }
    if let Some(park) = announced(call, touching(write(record_of(target)))) {
        return Ok(park);
    }
    let mut record = record(call, target);
    record.name = Some(text);
    store(call, target, record);
    int(0)
}

fn name(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, buffer, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let Some(target) = thread_of(call, thread) else { return int(ESRCH) };
    if size < NAME_EXTENT as u64 {
        return int(ERANGE);
    }
    if let Some(park) = announced(call, touching(read(record_of(target)))) {
        return Ok(park);
    }
    let mut text = name_of(call, target);
    text.push(0);
    call.write_bytes(buffer, &text)?;
    int(0)
}

/// The name of a thread without its end.
pub(crate) fn name_of(call: &PosixCall<'_, '_>, thread: ThreadId) -> Vec<u8> {
    let mut name = record(call, thread).present_name().unwrap_or_else(|| program_name(call));
    name.truncate(NAME_EXTENT - 1);
    name
}

fn program_name(call: &PosixCall<'_, '_>) -> Vec<u8> {
    let arguments = &call.environment().options().arguments;
    let path = arguments.first().map_or(&b""[..], Vec::as_slice);
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_numbers_come_back() {
        assert_eq!(thread_numbered(thread_number(ThreadId(7))), Some(ThreadId(7)));
        assert_eq!(thread_numbered(0), None);
    }
}
