//! The end of one of several processes: what it lets go, and how its parent learns of it.

use crate::answer::{PosixCall, Step, announced_synchronisation, touching};
use crate::kernel::Kernel;
use crate::kernel::files::closing;
use crate::kernel::mappings::{end_copy, unmap_all};
use crate::kernel::nodes::events::refuse_lost;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::notice::Information;
use crate::kernel::signals::{DEFAULT, IGNORE, tell_time_to};
use crate::places::{SIGNALS, end_of, interruption, release, write};
use crate::sync::mutex;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_trace::{Access, Mode, Place, ThreadId};

/// The signal that a process gets when a child of it has ended.
pub(crate) const CHILD_ENDED: u32 = 17;

/// Runs in the thread that ends the process; its argument is the status.
///
/// Robust mutexes become free before, each in a step of its own as natively.
pub(crate) fn run(call: &mut PosixCall<'_, '_>) -> Step {
    let status = call.argument(0)? as u8;
    let (me, process) = (call.thread(), call.process());
    if call.bookkeeping().own.process.ended_by != Some(me) {
        call.data().own.process.ended_by = Some(me);
    }
    let threads = call.threads_of(process);
    let mut footprint = touching(Access { place: Place::Process, mode: Mode::Write });
    footprint.push(release(end_of(process)));
    let kernel = &call.bookkeeping().kernel;
    for descriptor in kernel.own.descriptors.numbers() {
        if !is_standard(kernel, descriptor) {
            footprint.extend(closing::footprint_of_closing(kernel, descriptor));
        }
    }
    let children = call.bookkeeping().processes.children(process).map(|(child, _)| child);
    footprint.extend(children.map(|child| write(end_of(child))));
    let parent = parent_of(call, process);
    if let Some(parent) = parent {
        footprint.push(release(SIGNALS));
        if has_handler(call, parent) {
            footprint.extend(call.threads_of(parent).into_iter().map(|thread| write(interruption(thread))));
        }
    }
    let abandoned = mutex::abandoned_by(call, &threads);
    footprint.extend(abandoned.iter().map(|mutex| release(Place::Object(*mutex))));
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    for mutex in abandoned {
        mutex::abandon(call, mutex);
    }
    let_go(call)?;
    let killed_by = call.bookkeeping().own.process.killed_by;
    let status_for_parent = killed_by.unwrap_or(u32::from(status) << 8);
    let processes = &mut call.data().processes;
    let children: Vec<ThreadId> = processes.children(process).map(|(child, _)| child).collect();
    for child in children {
        processes.change(child, |record| {
            record.parent = None;
            record.is_reaped |= record.status.is_some();
        });
    }
    processes.change(process, |record| {
        record.status = Some(status_for_parent);
        record.is_reaped |= parent.is_none();
    });
    call.end_threads_of_process(status);
    if let Some(parent) = parent {
        report(call, process, parent);
    }
    Ok(Outcome::ThreadExit)
}

/// Whether closing a descriptor has no effect, since what it stands for outlasts all processes.
fn is_standard(kernel: &Kernel, descriptor: u32) -> bool {
    let node = kernel.node_of(descriptor);
    node.is_some_and(|node| {
        let kind = kernel.files.kind(node);
        node == kernel.input || matches!(kind, Some(NodeKind::Device(_)))
    })
}

/// Whether a process has a handler for the ends of its children.
fn has_handler(call: &mut PosixCall<'_, '_>, process: ThreadId) -> bool {
    let handler = call.in_process(process, |data| data.kernel.own.signals.action(CHILD_ENDED).handler);
    !matches!(handler, DEFAULT | IGNORE)
}

/// The process that may wait for `process`, if it still goes on.
fn parent_of(call: &PosixCall<'_, '_>, process: ThreadId) -> Option<ThreadId> {
    let processes = &call.bookkeeping().processes;
    let parent = processes.records.get(&process)?.parent?;
    processes.goes_on(parent).then_some(parent)
}

/// Closes descriptors and gives back mappings.
fn let_go(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    let descriptors = call.bookkeeping().kernel.own.descriptors.numbers();
    for descriptor in descriptors {
        if let Some(file) = call.bookkeeping().kernel.file_of(descriptor) {
            refuse_lost(call, file)?;
        }
        closing::close(call, descriptor);
    }
    let copies: Vec<(u64, u64)> =
        call.bookkeeping().kernel.own.copies.iter().map(|(address, file)| (*address, *file)).collect();
    for (address, file) in copies {
        end_copy(&mut call.data().kernel, address, file);
    }
    unmap_all(call)
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
    let ignores = call.in_process(parent, |data| {
        let action = data.kernel.own.signals.action(CHILD_ENDED);
        data.kernel.send_signal(None, CHILD_ENDED, information);
        action.handler == IGNORE || action.flags & NO_WAIT != 0
    });
    if ignores {
        call.data().processes.change(process, |record| record.is_reaped = true);
    }
    let me = call.thread();
    let time = call.bookkeeping().kernel.clock.known(me);
    tell_time_to(call, &threads, time);
}
