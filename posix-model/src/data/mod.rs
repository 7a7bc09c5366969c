//! The models' memory of a process: plain persistent data.

pub(crate) mod own;
pub(crate) mod process_table;
mod shared_objects;
mod sync_objects;

use crate::kernel::Kernel;
use crate::options::PosixOptions;
use crate::recorded_calls::Position;
use crate::threads::ThreadRecord;
use crate::unwinding::jumps::JumpTarget;
use imbl::{OrdMap, Vector};
use std::sync::Arc;
use symx_interp::environment::LockNesting;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::{Shared, Table};
use symx_trace::ThreadId;

use own::Own;
use process_table::ProcessTable;

/// The bookkeeping of a state: that of the current process, and what all processes have together. A thread
/// belongs to one process, so what is kept by thread is here.
#[derive(Clone, Debug)]
pub struct PosixData {
    pub(crate) own: Own,
    /// Addresses of the named semaphores, and their access modes.
    pub(crate) named_semaphores: Table<Vec<u8>, (u64, u32)>,
    /// How many locks of libc's own a thread holds.
    pub(crate) library_locks: Table<ThreadId, u32>,
    /// Locks taken while others were held.
    pub(crate) nestings: Vector<Arc<LockNesting>>,
    /// Whether the program names `pthread_cancel`: if not, no thread is ever cancelled.
    pub(crate) may_cancel: bool,
    /// Whether the program names what signals other threads: if not, no thread is ever interrupted.
    pub(crate) may_signal: bool,
    /// Whether `exit` may run code of the program, or a signal or a request to cancel may reach its caller.
    pub(crate) exit_runs_program: bool,
    pub(crate) threads: OrdMap<ThreadId, Shared<ThreadRecord>>,
    /// The points that `setjmp` saved, by thread and buffer.
    pub(crate) jumps: Table<(ThreadId, u64), JumpTarget>,
    /// Destructors of thread-local objects, with the object, in the order of construction.
    pub(crate) thread_destructors: Table<ThreadId, Vector<(u64, u64)>>,
    /// How processes are related.
    pub(crate) processes: Shared<ProcessTable>,
    /// How far threads are in the record of a native run's calls.
    pub(crate) recorded_calls: OrdMap<ThreadId, Position>,
    /// Through a pointer: most changes are to what is above, and copy all that is in here.
    pub(crate) kernel: Shared<Kernel>,
}

impl PosixData {
    pub(crate) fn new(options: &PosixOptions) -> Self {
        Self {
            own: Own::default(),
            named_semaphores: Table::default(),
            library_locks: Table::default(),
            nestings: Vector::new(),
            may_cancel: false,
            may_signal: false,
            exit_runs_program: false,
            threads: OrdMap::new(),
            jumps: Table::default(),
            thread_destructors: Table::default(),
            processes: Shared::default(),
            recorded_calls: OrdMap::new(),
            kernel: Shared::new(Kernel::new(options)),
        }
    }

    /// Whether nothing distinguishes it from another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.nestings == other.nestings && self.leads_on_alike(other)
    }

    /// Whether it is the same but for the lock nestings so far, which only reports use. Most of what the
    /// kernel keeps is the same only if it is shared. Where to jump back to lies in activations: nothing
    /// with that is the same.
    pub(crate) fn leads_on_alike(&self, other: &Self) -> bool {
        // All of it: what is added later is to be compared, too.
        let Self {
            own,
            named_semaphores,
            library_locks,
            nestings: _,
            may_cancel,
            may_signal,
            exit_runs_program,
            threads,
            jumps,
            thread_destructors,
            processes,
            recorded_calls,
            kernel,
        } = self;
        (kernel.is_same(&other.kernel) || Kernel::is_same(kernel, &other.kernel))
            && jumps.is_empty()
            && other.jumps.is_empty()
            && (processes.is_same(&other.processes) || *processes == other.processes)
            && (threads, recorded_calls) == (&other.threads, &other.recorded_calls)
            && *own == other.own
            && (named_semaphores, library_locks) == (&other.named_semaphores, &other.library_locks)
            && (may_cancel, may_signal, exit_runs_program, thread_destructors)
                == (&other.may_cancel, &other.may_signal, &other.exit_runs_program, &other.thread_destructors)
    }

    /// The first part that differs, but for what only reports use (lost signals, lock nestings). Left out,
    /// too, are what is the same throughout an execution, and what the kernel shares between states as a
    /// whole.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        // All of it: what is added later is to be compared, too.
        let Self {
            own,
            named_semaphores,
            library_locks,
            nestings: _,
            may_cancel: _,
            may_signal: _,
            exit_runs_program: _,
            threads,
            jumps: _,
            thread_destructors,
            processes,
            recorded_calls: _,
            kernel,
        } = self;
        let parts = [
            ("threads", *threads == other.threads),
            ("processes", *processes == other.processes),
            ("named semaphores", *named_semaphores == other.named_semaphores),
            ("library locks", *library_locks == other.library_locks),
            ("thread destructors", *thread_destructors == other.thread_destructors),
        ];
        let found = parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part);
        found.or_else(|| own.difference(&other.own)).or_else(|| kernel.difference(&other.kernel))
    }

    /// Whether nothing but sleep lies between it and `now`.
    pub(crate) fn is_only_later(&self, now: &Self) -> bool {
        let mut then = self.clone();
        self.kernel.clock.is_only_later(&now.kernel.clock) && {
            then.kernel.clock = now.kernel.clock.clone();
            then.is_same(now)
        }
    }

    /// Forgets the synchronisation objects in freed memory, so that new ones at the
    /// same address start afresh.
    pub(crate) fn forget(&mut self, start: u64, length: u64) {
        self.own.forget(start, start.saturating_add(length));
    }

    /// Addresses the program left with the library: thread-specific values, results of threads, clean-up
    /// arguments, open streams, shared memory.
    pub(crate) fn roots(&self) -> Vec<u64> {
        let mut roots = self.own.keys.values();
        for record in self.threads.values() {
            roots.extend(record.result.and_then(|result| result.concrete()));
            roots.extend(record.clean_up.iter().map(|(_, argument)| *argument));
        }
        let thread_local = self.thread_destructors.values().flatten();
        roots.extend(thread_local.map(|(_, object)| *object));
        roots.extend(self.own.streams.addresses());
        roots.extend(self.kernel.system_v.attached());
        roots
    }

    /// Everything written to standard output so far.
    pub fn standard_output(&self) -> Stretch {
        self.kernel.output_to(crate::kernel::OutputStream::Output)
    }

    /// Everything written to standard error so far.
    pub fn standard_error(&self) -> Stretch {
        self.kernel.output_to(crate::kernel::OutputStream::Errors)
    }

    /// The output to standard output and standard error after the first `seen` writes, in order. A caller
    /// that passes output through keeps the count of writes it has passed on.
    pub fn output_after(&self, seen: usize) -> impl Iterator<Item = &crate::kernel::Output> {
        self.kernel.output.iter().skip(seen)
    }
}
