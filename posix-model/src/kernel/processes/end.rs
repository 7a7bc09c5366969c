//! The end of one of several processes: what it lets go, and how its parent learns of it.

use crate::answer::{PosixCall, Step, announced_synchronisation, touching};
use crate::kernel::Kernel;
use crate::kernel::notice::Information;
use crate::kernel::processes::let_go;
use crate::kernel::signals::{IGNORE, receivers, tell_time_to};
use crate::options::Posix;
use crate::places::{SIGNALS, acquire, end_of, release, write};
use crate::sync::mutex;
use crate::sync::wait::PosixWait;
use smallvec::smallvec;
use symx_interp::environment::Outcome;
use symx_trace::{Access, Footprint, Mode, Place, ThreadId};

/// The signal that a process gets when a child of it has ended.
pub(crate) const CHILD_ENDED: u32 = 17;

/// The end of a process among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The thread that ends it, which no signal interrupts any more.
    pub by: ThreadId,
    pub stage: EndStage,
}

/// How far the end of a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndStage {
    /// Its other threads have ended.
    WithoutThreads,
    /// What those have stored is in memory, too.
    Drained,
}

/// Runs in the thread that ends the process; its argument is the status.
///
/// The process ends as natively: first its threads end, with all they stored in memory. Then its
/// descriptors are closed one after the other, and then its parent learns of it. Others may look in
/// between: a pipe is at its end before there is a status.
pub(crate) fn run(call: &mut PosixCall<'_, '_>) -> Step {
    let status = call.argument(0)? as u8;
    let by = call.thread();
    let ending = call.bookkeeping().own.process.ending.filter(|ending| ending.by == by);
    let mut stage = ending.map(|ending| ending.stage);
    if stage.is_none() {
        if let Some(park) = end_threads(call, status) {
            return Ok(park);
        }
        stage = Some(enter(call, EndStage::WithoutThreads));
    }
    if stage == Some(EndStage::WithoutThreads) {
        if let Some(park) = drain(call) {
            return Ok(park);
        }
        enter(call, EndStage::Drained);
    }
    if let Some(park) = let_go::close(call, last_first)? {
        return Ok(park);
    }
    end(call, status)
}

/// Notes how far the end of the process is, which the calling thread ends.
fn enter(call: &mut PosixCall<'_, '_>, stage: EndStage) -> EndStage {
    call.data().own.process.ending = Some(Ending { by: call.thread(), stage });
    stage
}

/// Ends the threads of the process. Its robust mutexes become free, and a parent that has lent it its memory
/// goes on.
fn end_threads(call: &mut PosixCall<'_, '_>, status: u8) -> Option<Outcome<Posix>> {
    let process = call.process();
    let threads = call.threads_of(process);
    let mut footprint = touching(Access { place: Place::Process, mode: Mode::Write });
    footprint.extend(receivers::touched_by_sending(call.state(), process));
    let abandoned = mutex::abandoned_by(call, &threads);
    footprint.extend(let_go::touched_by_leaving(&abandoned));
    if call.bookkeeping().processes.is_awaited(process) {
        footprint.push(release(end_of(process)));
    }
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Some(park);
    }
    let_go::leave(call, &abandoned);
    call.end_threads_of_process(status);
    None
}

/// Waits for the stores of other threads of the process, which have been ended.
fn drain(call: &mut PosixCall<'_, '_>) -> Option<Outcome<Posix>> {
    const DRAINED: u64 = 0x0064_7261_696e_6564;
    let (me, process) = (call.thread(), call.process());
    let threads = call.state().threads.iter().map(|thread| thread.id);
    let others = threads.filter(|thread| *thread != me && call.process_of(*thread) == process);
    let drained: Footprint = others.map(|thread| acquire(Place::Drained(thread))).collect();
    if drained.is_empty() || call.scratch().first() == Some(&DRAINED) {
        return None;
    }
    *call.scratch() = smallvec![DRAINED];
    Some(call.park_until(drained, PosixWait::Stores))
}

/// The open descriptors in the order in which Linux closes them.
fn last_first(kernel: &Kernel) -> Vec<u32> {
    let mut descriptors = kernel.own.descriptors.numbers();
    descriptors.reverse();
    descriptors
}

/// The process has a status, its children have no parent, and its own parent learns of it.
fn end(call: &mut PosixCall<'_, '_>, status: u8) -> Step {
    let process = call.process();
    let mut footprint = touching(release(end_of(process)));
    let children: Vec<ThreadId> =
        call.bookkeeping().processes.children(process).map(|(child, _)| child).collect();
    footprint.extend(children.iter().map(|child| write(end_of(*child))));
    let parent = parent_of(call, process);
    if let Some(parent) = parent {
        footprint.push(release(SIGNALS));
        if takes_signal(call, parent) {
            footprint.extend(receivers::touched_by_sending(call.state(), parent));
        }
    }
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if let Some(parent) = parent {
        receivers::choose(call, parent, CHILD_ENDED)?;
    }
    let_go::unmap(call)?;
    let killed_by = call.bookkeeping().own.process.killed_by;
    let processes = &mut call.data().processes;
    for child in children {
        processes.change(child, |record| {
            record.parent = None;
            record.is_reaped |= record.status.is_some();
        });
    }
    processes.change(process, |record| {
        record.status = Some(killed_by.unwrap_or(u32::from(status) << 8));
        record.is_reaped |= parent.is_none();
    });
    if let Some(parent) = parent {
        report(call, process, parent);
    }
    Ok(Outcome::ThreadExit)
}

/// Whether the signal for the end of a child means something to a process.
fn takes_signal(call: &mut PosixCall<'_, '_>, process: ThreadId) -> bool {
    call.in_process(process, |data| !data.kernel.own.signals.is_dropped(None, CHILD_ENDED))
}

/// The process that may wait for `process`, if it still goes on.
fn parent_of(call: &PosixCall<'_, '_>, process: ThreadId) -> Option<ThreadId> {
    let processes = &call.bookkeeping().processes;
    let parent = processes.records.get(&process)?.parent?;
    processes.goes_on(parent).then_some(parent)
}

/// Sends the parent its signal; one that ignores it waits for no child.
fn report(call: &mut PosixCall<'_, '_>, process: ThreadId, parent: ThreadId) {
    const NO_WAIT: u64 = 2;
    const EXITED: i32 = 1;
    const KILLED: i32 = 2;
    let status = call.bookkeeping().processes.records.get(&process).and_then(|record| record.status);
    let (code, value) = match status.unwrap_or(0) {
        status if status & 0x7f == 0 => (EXITED, status >> 8),
        signal => (KILLED, signal),
    };
    let information = Information { code, value: value.into(), sender: process };
    let threads = call.threads_of(parent);
    let (is_pending, ignores) = call.in_process(parent, |data| {
        let action = data.kernel.own.signals.action(CHILD_ENDED);
        let is_pending = data.kernel.send_signal(None, CHILD_ENDED, information);
        (is_pending, action.handler == IGNORE || action.flags & NO_WAIT != 0)
    });
    if ignores {
        call.data().processes.change(process, |record| record.is_reaped = true);
    }
    if is_pending {
        let me = call.thread();
        let time = call.bookkeeping().kernel.clock.known(me);
        tell_time_to(call, &threads, time);
    }
}
