//! Threads that system calls mean by their numbers, and processes by those of their threads.

use crate::answer::{PosixCall, Turn, announced, failed};
use crate::errno::ESRCH;
use crate::places::{children_of, end_of, read, record_of};
use crate::threads::process_numbers::process_number;
use crate::threads::thread_numbered;
use symx_trace::{Access, Footprint, Place, ThreadId};

/// Stands before a look at what the thread `number` is set to, 0 being the caller, until it may be performed.
/// Then the thread, if there still is one: `access` is what the call does to its record.
pub(crate) fn stand_before_thread(
    call: &mut PosixCall<'_, '_>,
    number: u64,
    access: fn(Place) -> Access,
) -> Turn<Option<ThreadId>> {
    let me = call.thread();
    let target = if number == 0 { Some(me) } else { named(call, number) };
    let Some(target) = target else { return Turn::Go(None) };
    let mut footprint = touched_by_naming(call, target);
    footprint.push(access(record_of(target)));
    // Alone, a thread has nothing to be ordered with. A thread that has ended and was not joined counts: its
    // steps may come later.
    let is_alone = call.state().unjoined <= 1 && !call.has_forked();
    if !is_alone && let Some(park) = announced(call, footprint) {
        return Turn::Answer(Ok(park));
    }
    Turn::Go(Some(target).filter(|target| exists(call, *target)))
}

/// The thread with this number, which may have ended.
pub(crate) fn named(call: &mut PosixCall<'_, '_>, number: u64) -> Option<ThreadId> {
    let thread = thread_numbered(number)?;
    let is_of_library = |thread| call.other(thread).is_some_and(|other| other.service);
    if !call.has_thread(thread) || is_of_library(thread) {
        return None;
    }
    call.distinguish(thread);
    Some(thread)
}

/// What a call touches that asks whether the thread `target` still exists.
fn touched_by_naming(call: &mut PosixCall<'_, '_>, target: ThreadId) -> Footprint {
    let (process, own) = (call.process_of(target), call.process());
    let mut footprint = Footprint::new();
    if target != call.thread() {
        call.is_beyond_traces("a look at whether a thread has ended");
        footprint.push(read(Place::Thread(target)));
    }
    if process != own {
        let parent = call.bookkeeping().processes.records.get(&process).and_then(|record| record.parent);
        footprint.push(read(end_of(process)));
        footprint.extend(parent.map(|parent| read(children_of(parent))));
    }
    footprint
}

/// Whether a thread is still there. The first one of a process is for as long as that.
fn exists(call: &PosixCall<'_, '_>, thread: ThreadId) -> bool {
    let process = call.process_of(thread);
    let processes = &call.bookkeeping().processes;
    match thread == process {
        true => processes.exists(process),
        false => processes.goes_on(process) && call.other(thread).is_some_and(|thread| !thread.exited),
    }
}

/// Whether there is the thread `target`, looked at in a step of its own before others of the call.
pub(crate) fn look_for(call: &mut PosixCall<'_, '_>, target: ThreadId) -> Turn<bool> {
    // The caller and the first thread of its process are there.
    let is_certain = target == call.thread() || target == call.process();
    if is_certain || !call.scratch().is_empty() {
        return Turn::Go(true);
    }
    if call.phase() == 0 {
        let footprint = touched_by_naming(call, target);
        return Turn::Answer(Ok(call.park(footprint)));
    }
    Turn::Go(exists(call, target))
}

/// The number of the process that a call means by `number`, which may be that of any of its threads. The call
/// fails where that thread has ended.
pub(crate) fn process_meant(call: &mut PosixCall<'_, '_>, number: u32) -> Turn<u32> {
    let Some(thread) = named(call, number.into()) else { return Turn::Go(number) };
    let process = call.process_of(thread);
    if thread == process {
        return Turn::Go(number);
    }
    match look_for(call, thread) {
        Turn::Go(true) => Turn::Go(process_number(process) as u32),
        Turn::Go(false) => Turn::Answer(failed(ESRCH)),
        Turn::Answer(answer) => Turn::Answer(answer),
    }
}
