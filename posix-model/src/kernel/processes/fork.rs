//! `fork`, and what a process registers to be called around it.

use crate::answer::{PosixCall, Step, announced_synchronisation, function, int, invoke, word};
use crate::linked::INITIALISE_BLOCK;
use crate::places::{acquire, children_of, end_of, write};
use crate::row::{Row, row};
use crate::sync::nesting;
use crate::sync::wait::PosixWait;
use crate::threads::process_numbers::process_number;
use crate::threads::{creation, record, store, thread_number};
use smallvec::smallvec;
use symx_interp::Shared;
use symx_interp::value::Value;
use symx_trace::{Access, Mode, Place, ThreadId};

pub(crate) const ROWS: &[Row] = &[
    row(&["fork", "vfork"], |call| fork(call, true)),
    row(&["_Fork"], |call| fork(call, false)),
    row(&["pthread_atfork", "__register_atfork"], at_fork),
];

// Where the model stands: the first scratch word. The second is how many routines of `pthread_atfork` have
// been called, the third the number of the child.
const PREPARING: u64 = 0x7072_6570_6172;
const PARENT: u64 = 0x7061_7265_6e74;
const CHILD: u64 = 0x6368_696c_6421;
const INITIALISING: u64 = 0x696e_6974_6961;
const AWAITING: u64 = 0x6177_6169_7469;

/// `pthread_atfork(prepare, parent, child)`.
fn at_fork(call: &mut PosixCall<'_, '_>) -> Step {
    let routines = [call.argument(0)?, call.argument(1)?, call.argument(2)?];
    let process = call.process();
    if let Some(park) = announced_synchronisation(call, smallvec![write(children_of(process))]) {
        return Ok(park);
    }
    call.data().own.process.at_fork.push_back(routines);
    int(0)
}

/// The system call.
pub(crate) fn system_call(call: &mut PosixCall<'_, '_>) -> Step {
    fork(call, false)
}

/// The system call `vfork`: the parent goes on when the child has executed a program or ended.
pub(crate) fn vfork(call: &mut PosixCall<'_, '_>) -> Step {
    if let [AWAITING, child] = *call.scratch().as_slice() {
        return word(process_number(ThreadId(child as u32)));
    }
    let result = fork(call, false)?;
    let &[PARENT, _, number] = call.scratch().as_slice() else { return Ok(result) };
    let child = ThreadId(number as u32);
    call.data().processes.change(child, |record| record.is_awaited = true);
    *call.scratch() = smallvec![AWAITING, number];
    Ok(call.synchronise(smallvec![acquire(end_of(child))], Some(PosixWait::Execution(child))))
}

/// `clone(flags, stack, ...)`, as far as it is `fork`.
pub(crate) fn clone(call: &mut PosixCall<'_, '_>) -> Step {
    const SHARES_MEMORY: u64 = 0x100;
    /// The signal that the parent gets.
    const SIGNAL: u64 = 0xff;
    const CHILD_ENDED: u64 = 17;
    let flags = call.argument(1)?;
    match flags {
        _ if flags & SHARES_MEMORY != 0 => Err(call.unsupported("system call 56 (clone) with shared memory")),
        _ if flags & !SIGNAL != 0 || flags & SIGNAL != CHILD_ENDED || call.argument(2)? != 0 => {
            Err(call.unsupported(format!("system call 56 (clone) with flags {flags:#x}")))
        }
        _ => fork(call, false),
    }
}

fn fork(call: &mut PosixCall<'_, '_>, calls_back: bool) -> Step {
    let routines = match calls_back {
        true => call.bookkeeping().own.process.at_fork.clone(),
        false => imbl::Vector::new(),
    };
    let count = routines.len();
    match *call.scratch().as_slice() {
        [] if count > 0 => {
            *call.scratch() = smallvec![PREPARING, 0];
            fork(call, calls_back)
        }
        [PREPARING, done] if (done as usize) < count => {
            *call.scratch() = smallvec![PREPARING, done + 1];
            match routines[count - 1 - done as usize][0] {
                0 => fork(call, calls_back),
                prepare => invoke(prepare, []),
            }
        }
        [PARENT, done, child] if (done as usize) < count => {
            *call.scratch() = smallvec![PARENT, done + 1, child];
            match routines[done as usize][1] {
                0 => fork(call, calls_back),
                parent => invoke(parent, []),
            }
        }
        [PARENT, _, child] => word(process_number(ThreadId(child as u32))),
        // libc's control block has the number of the thread, by which it knows its own locks.
        [INITIALISING] => {
            *call.scratch() = smallvec![CHILD, 0, 0];
            let (block, number) = (call.control_block(), thread_number(call.thread()));
            match function(call, INITIALISE_BLOCK) {
                Some(initialise) if block != 0 => invoke(initialise, [block, number].map(Value::Concrete)),
                _ => fork(call, calls_back),
            }
        }
        [CHILD, done, _] if (done as usize) < count => {
            *call.scratch() = smallvec![CHILD, done + 1, 0];
            match routines[done as usize][2] {
                0 => fork(call, calls_back),
                child => invoke(child, []),
            }
        }
        [CHILD, ..] => word(0),
        _ => copy(call, calls_back),
    }
}

/// Makes the child, once that has been announced.
fn copy(call: &mut PosixCall<'_, '_>, calls_back: bool) -> Step {
    if let Some(what) = call.refuses_fork() {
        return Err(call.unsupported(what));
    }
    let (me, process) = (call.thread(), call.process());
    let mut footprint = creation(call);
    footprint.push(write(children_of(process)));
    if call.others_go_on() {
        // What they have done to the process's memory is in the copy, or is not.
        footprint.push(Access { place: Place::Everything, mode: Mode::Write });
    }
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if call.process_has_services() {
        return Err(call.unsupported("fork in a process with timers"));
    }
    let original = call.bookkeeping().clone();
    let child = call.fork(|child| original.own_part_of_copy(me, child), &[INITIALISING])?;
    call.distinguish(child);
    inherit(call, me, child);
    let data = call.data();
    data.may_signal |= data.kernel.own.signals.has_handlers();
    data.processes.add(child, process);
    *call.scratch() = smallvec![PARENT, 0, child.0.into()];
    fork(call, calls_back)
}

/// What belongs to the thread that forks, and what both processes have from now on.
fn inherit(call: &mut PosixCall<'_, '_>, parent: ThreadId, child: ThreadId) {
    let mut own = (*record(call, parent)).clone();
    (own.created, own.joined, own.detached) = (None, false, true);
    store(call, child, Shared::new(own));
    nesting::created(call, child);
    let data = call.data();
    if let Some(count) = data.library_locks.get(&parent).copied() {
        data.library_locks.insert(child, count);
    }
    if let Some(destructors) = data.thread_destructors.get(&parent).cloned() {
        data.thread_destructors.insert(child, destructors);
    }
    let jumps: Vec<_> = data.jumps.iter().map(|(point, target)| (*point, *target)).collect();
    for ((thread, buffer), target) in jumps {
        if thread == parent {
            data.jumps.insert((child, buffer), target);
        }
    }
    let mapped = data.own.process.mapped.clone();
    let kernel = &mut *data.kernel;
    kernel.clock.inherit(parent, child);
    kernel.refer_again();
    for (base, mapped) in mapped {
        kernel.map_more(base, mapped.count);
    }
}
