//! The models' memory of a process: plain persistent data.

pub(crate) mod own;
pub(crate) mod process_table;
mod shared_objects;

use crate::kernel::Kernel;
use crate::memory::makers::Maker;
use crate::options::PosixOptions;
use crate::recorded_calls::Position;
use crate::sync::barrier::Barrier;
use crate::sync::condition::Condition;
use crate::sync::mutex::Mutex;
use crate::sync::once::Once;
use crate::sync::open_streams::OpenStreams;
use crate::sync::rwlock::ReadWriteLock;
use crate::sync::semaphore::Semaphores;
use crate::sync::spin::SpinLock;
use crate::threads::ThreadRecord;
use crate::threads::attributes::{self, Attributes};
use crate::threads::keys::Keys;
use crate::unwinding::jumps::JumpTarget;
use crate::unwinding::unwind::Exceptions;
use imbl::{OrdMap, Vector};
use std::sync::Arc;
use symx_interp::environment::LockNesting;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::{Shared, Table};
use symx_trace::ThreadId;

use own::Own;
use process_table::ProcessTable;

/// The bookkeeping of a process. Synchronisation objects are known by their address.
#[derive(Clone, Debug)]
pub struct PosixData {
    pub(crate) mutexes: OrdMap<u64, Mutex>,
    pub(crate) conditions: OrdMap<u64, Condition>,
    pub(crate) semaphores: Semaphores,
    pub(crate) barriers: OrdMap<u64, Barrier>,
    pub(crate) rwlocks: OrdMap<u64, ReadWriteLock>,
    pub(crate) once: OrdMap<u64, Once>,
    pub(crate) spins: OrdMap<u64, SpinLock>,
    /// Streams of libc that are open.
    pub(crate) streams: OpenStreams,
    /// How many locks of libc's own a thread holds.
    pub(crate) library_locks: Table<ThreadId, u32>,
    /// The attributes of `pthread_attr_init` and of threads without attributes.
    pub(crate) default_attributes: Attributes,
    /// Locks taken while others were held.
    pub(crate) nestings: Vector<Arc<LockNesting>>,
    /// The level of `pthread_setconcurrency`.
    pub(crate) concurrency: i32,
    pub(crate) keys: Keys,
    /// Whether the program names `pthread_cancel`: if not, no thread is ever cancelled.
    pub(crate) may_cancel: bool,
    /// Whether the program names what signals other threads: if not, no thread is ever interrupted.
    pub(crate) may_signal: bool,
    /// Whether `exit` may run code of the program, or a signal or a request to cancel may reach its caller.
    pub(crate) exit_runs_program: bool,
    pub(crate) threads: OrdMap<ThreadId, Shared<ThreadRecord>>,
    /// The points that `setjmp` saved, by thread and buffer.
    pub(crate) jumps: Table<(ThreadId, u64), JumpTarget>,
    pub(crate) exceptions: Exceptions,
    /// Blocks that `new` made and which `new` it was.
    pub(crate) makers: OrdMap<u64, Maker>,
    /// Destructors of thread-local objects, with the object, in the order of construction.
    pub(crate) thread_destructors: Table<ThreadId, Vector<(u64, u64)>>,
    /// What else the current process has for itself.
    pub(crate) own: Shared<Own>,
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
            mutexes: OrdMap::new(),
            conditions: OrdMap::new(),
            semaphores: Semaphores::default(),
            barriers: OrdMap::new(),
            rwlocks: OrdMap::new(),
            once: OrdMap::new(),
            spins: OrdMap::new(),
            streams: OpenStreams::default(),
            library_locks: Table::default(),
            default_attributes: attributes::initial(),
            nestings: Vector::new(),
            concurrency: 0,
            keys: Keys::default(),
            may_cancel: false,
            may_signal: false,
            exit_runs_program: false,
            threads: OrdMap::new(),
            jumps: Table::default(),
            exceptions: Exceptions::default(),
            makers: OrdMap::new(),
            thread_destructors: Table::default(),
            own: Shared::default(),
            processes: Shared::default(),
            recorded_calls: OrdMap::new(),
            kernel: Shared::new(Kernel::new(options)),
        }
    }

    /// Whether nothing distinguishes it from another; most of what the kernel keeps is the same only if it is
    /// shared. Where to jump back to lies in activations: nothing with that is the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        // All of it: what is added later is to be compared, too.
        let Self {
            barriers,
            concurrency,
            conditions,
            default_attributes,
            exceptions,
            exit_runs_program,
            jumps,
            kernel,
            keys,
            library_locks,
            makers,
            may_cancel,
            may_signal,
            mutexes,
            nestings,
            once,
            own,
            processes,
            recorded_calls,
            rwlocks,
            semaphores,
            spins,
            streams,
            thread_destructors,
            threads,
        } = self;
        (kernel.is_same(&other.kernel) || Kernel::is_same(kernel, &other.kernel))
            && jumps.is_empty()
            && other.jumps.is_empty()
            && (own.is_same(&other.own) || *own == other.own)
            && (processes.is_same(&other.processes) || *processes == other.processes)
            && (threads, recorded_calls) == (&other.threads, &other.recorded_calls)
            && (mutexes, conditions, semaphores, barriers, rwlocks)
                == (&other.mutexes, &other.conditions, &other.semaphores, &other.barriers, &other.rwlocks)
            && (once, spins, library_locks, streams, default_attributes)
                == (
                    &other.once,
                    &other.spins,
                    &other.library_locks,
                    &other.streams,
                    &other.default_attributes,
                )
            && (nestings, concurrency, keys, may_cancel, may_signal)
                == (&other.nestings, &other.concurrency, &other.keys, &other.may_cancel, &other.may_signal)
            && (exceptions, makers, thread_destructors, exit_runs_program)
                == (&other.exceptions, &other.makers, &other.thread_destructors, &other.exit_runs_program)
    }

    /// The first part that differs, but for what only reports use (lost signals, lock nestings). Left out,
    /// too, are what is the same throughout an execution, and what the kernel shares between states as a
    /// whole.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        // All of it: what is added later is to be compared, too.
        let Self {
            barriers,
            concurrency,
            conditions: _,
            default_attributes,
            exceptions,
            exit_runs_program: _,
            jumps: _,
            kernel,
            keys,
            library_locks,
            makers,
            may_cancel: _,
            may_signal: _,
            mutexes,
            nestings: _,
            once,
            own,
            processes,
            recorded_calls: _,
            rwlocks,
            semaphores,
            spins,
            streams,
            thread_destructors,
            threads,
        } = self;
        let sleepers = |data: &Self| -> Vec<_> {
            let waited = data.conditions.iter().filter(|(_, condition)| !condition.sleepers.is_empty());
            waited.map(|(address, condition)| (*address, condition.sleepers.clone())).collect()
        };
        let parts = [
            ("threads", *threads == other.threads),
            ("processes", (own, processes) == (&other.own, &other.processes)),
            ("mutexes", *mutexes == other.mutexes),
            ("conditions", sleepers(self) == sleepers(other)),
            ("semaphores", *semaphores == other.semaphores),
            ("barriers", *barriers == other.barriers),
            ("read-write locks", *rwlocks == other.rwlocks),
            ("once controls", *once == other.once),
            ("spin locks", *spins == other.spins),
            ("library locks", *library_locks == other.library_locks),
            ("open streams", *streams == other.streams),
            ("keys", *keys == other.keys),
            ("exceptions", *exceptions == other.exceptions),
            ("makers of memory", *makers == other.makers),
            ("thread destructors", *thread_destructors == other.thread_destructors),
            ("default attributes", *default_attributes == other.default_attributes),
            ("concurrency", *concurrency == other.concurrency),
        ];
        let found = parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part);
        found.or_else(|| kernel.difference(&other.kernel))
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
        fn clear<T: Clone>(table: &mut OrdMap<u64, T>, start: u64, end: u64) {
            let gone: Vec<u64> = table.range(start..end).map(|(address, _)| *address).collect();
            for address in gone {
                table.remove(&address);
            }
        }
        let end = start.saturating_add(length);
        clear(&mut self.mutexes, start, end);
        clear(&mut self.conditions, start, end);
        clear(&mut self.semaphores.objects, start, end);
        clear(&mut self.barriers, start, end);
        clear(&mut self.rwlocks, start, end);
        clear(&mut self.once, start, end);
        clear(&mut self.spins, start, end);
        self.makers.remove(&start);
        self.exceptions.forget(start, end);
    }

    /// Addresses the program left with the library: thread-specific values, results of threads, clean-up
    /// arguments, open streams, shared memory.
    pub(crate) fn roots(&self) -> Vec<u64> {
        let mut roots = self.keys.values();
        for record in self.threads.values() {
            roots.extend(record.result.and_then(|result| result.concrete()));
            roots.extend(record.clean_up.iter().map(|(_, argument)| *argument));
        }
        let thread_local = self.thread_destructors.values().flatten();
        roots.extend(thread_local.map(|(_, object)| *object));
        roots.extend(self.streams.addresses());
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
