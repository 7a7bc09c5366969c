//! Waits of threads, and when they are over.

use crate::data::PosixData;
use crate::environment::Posix;
use crate::kernel::process::thread_numbered;
use crate::kernel::queues::{QueueWait, is_queue_ready};
use crate::kernel::readiness::is_any_found;
use crate::kernel::readiness::pipe::{PipeWait, is_pipe_ready};
use crate::sync::once::Once;
use crate::threads::ThreadRecord;
use symx_interp::memory::Life;
use symx_interp::state::State;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::thread::Action;
use symx_trace::ThreadId;

/// The wait of a parked thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PosixWait {
    /// A mutex that is free, or whose type answers its own holder at once.
    Mutex(u64),
    /// To be woken at a condition variable, and the mutex to be free.
    Condition {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
    },
    /// To be woken at a condition variable, or cancelled; the mutex is waited for afterwards.
    Wakeup {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
    },
    /// A semaphore above zero.
    Semaphore(u64),
    /// A read-write lock that admits a reader.
    Reading(u64),
    /// A read-write lock that admits a writer.
    Writing(u64),
    /// The end of round `round` of a barrier.
    Barrier {
        /// The barrier.
        barrier: u64,
        /// The round the thread is in.
        round: u64,
    },
    /// No thread being in the midst of a `pthread_once` routine.
    Once(u64),
    /// A free spin lock.
    Spin(u64),
    /// A free lock of libc's own.
    LibraryLock(u64),
    /// The end of a thread, all its stores committed, or what makes waiting for it an error.
    Exit(ThreadId),
    /// The ends of all other threads, all stores committed.
    AllEnds,
    /// No thread in an atomic section.
    AtomicSection,
    /// A signal outside this mask.
    Signal {
        /// Signals that stay blocked, a bit each, bit 0 for signal 1.
        blocked: u64,
        /// Signals that the wait itself looks after: no handler interrupts it for them.
        exempt: u64,
    },
    /// Bytes or room in a pipe.
    Pipe(PipeWait),
    /// A message in a queue, or room in it.
    Queue(QueueWait),
    /// A descriptor that is ready, of those it asked for.
    Descriptors,
    /// The descriptor that it reads from or writes to being ready.
    Transfer,
    /// Being woken at a futex.
    Futex(u64),
    /// No thread in the midst of an operation on these futexes.
    FutexQueues {
        /// One of them.
        first: u64,
        /// The other, or the same.
        other: u64,
    },
    /// The time of a timer of the process. It may come at any time while the timer is set and its last signal
    /// taken. Its being set again ends the wait, too.
    Timer {
        /// The timer's number.
        number: u64,
        /// Which setting of it.
        generation: u64,
    },
    /// A goal, or the end of a time limit, which may come at any time.
    Limited {
        /// When the time is up, in nanoseconds since 1970.
        until: u64,
        /// The event that ends the wait before.
        goal: Goal,
    },
    /// Nothing that can happen (`pause` of a process that gets no signals, a detached main thread).
    Forever,
}

/// The event that ends a wait with a time limit before that is up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Only time: sleep.
    Time,
    /// A free mutex.
    Mutex(u64),
    /// To be woken at a condition variable.
    Wakeup {
        /// The condition variable.
        condition: u64,
        /// The mutex that the thread takes back afterwards.
        mutex: u64,
    },
    /// The mutex, after a wait at a condition variable that no signal ended.
    Condition {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
    },
    /// A semaphore above zero.
    Semaphore(u64),
    /// A read-write lock that admits a reader.
    Reading(u64),
    /// A read-write lock that admits a writer.
    Writing(u64),
    /// The end of a thread.
    Exit(ThreadId),
    /// A message in a queue, or room in it.
    Queue(QueueWait),
    /// A signal of this set.
    Signal(u64),
    /// A descriptor that is ready.
    Descriptors,
    /// Bytes or room in a pipe.
    Pipe(PipeWait),
    /// Being woken at a futex.
    Futex {
        /// The futex.
        address: u64,
    },
}

impl Goal {
    /// The same wait without a limit; `None` for sleep.
    pub(super) fn unlimited(self) -> Option<PosixWait> {
        Some(match self {
            Self::Time => return None,
            Self::Mutex(address) => PosixWait::Mutex(address),
            Self::Wakeup { condition, mutex } => PosixWait::Wakeup { condition, mutex },
            Self::Condition { condition, mutex } => PosixWait::Condition { condition, mutex },
            Self::Semaphore(key) => PosixWait::Semaphore(key),
            Self::Reading(address) => PosixWait::Reading(address),
            Self::Writing(address) => PosixWait::Writing(address),
            Self::Exit(thread) => PosixWait::Exit(thread),
            Self::Queue(wait) => PosixWait::Queue(wait),
            Self::Signal(set) => PosixWait::Signal { blocked: !set, exempt: set },
            Self::Descriptors => PosixWait::Descriptors,
            Self::Pipe(wait) => PosixWait::Pipe(wait),
            Self::Futex { address } => PosixWait::Futex(address),
        })
    }

    /// Whether a handler makes the wait fail, and whether even one that is to restart calls.
    pub(crate) fn fails_when_interrupted(self) -> Option<bool> {
        match self {
            Self::Semaphore(_) | Self::Queue(_) => Some(false),
            Self::Time | Self::Signal(_) | Self::Descriptors | Self::Pipe(_) | Self::Futex { .. } => {
                Some(true)
            }
            _ => None,
        }
    }
}

impl PosixWait {
    /// The preferred time for the end of the thread's wait.
    pub(crate) fn patience(&self, state: &State<Posix>, thread: ThreadId) -> Option<u64> {
        let (until, goal) = match *self {
            Self::Limited { until, goal } => (until, goal),
            Self::Timer { number, generation } => {
                let timer = state.data.kernel.timers.get(number);
                return timer.filter(|timer| timer.generation == generation)?.until;
            }
            _ => return None,
        };
        let interrupted = state.data.threads.get(&thread).is_some_and(|record| record.interrupted);
        let reached = interrupted || goal.unlimited().is_some_and(|wait| wait.is_over(state, thread));
        (!reached).then_some(until)
    }

    /// Whether `thread` need not wait any more.
    pub(crate) fn is_over(&self, state: &State<Posix>, thread: ThreadId) -> bool {
        let is_due = || crate::threads::cancellation::is_due(state, thread);
        let interrupted = || state.data.threads.get(&thread).is_some_and(|record| record.interrupted);
        let is_given_up = match self {
            Self::Wakeup { .. } => is_due(),
            Self::Semaphore(_)
            | Self::Exit(_)
            | Self::Signal { .. }
            | Self::Pipe(_)
            | Self::Queue(_)
            | Self::Descriptors
            | Self::Transfer
            | Self::Futex(_) => is_due() || interrupted(),
            _ => false,
        };
        is_given_up || self.lets_go(state, thread)
    }

    /// Whether what `thread` waits for has come: neither a request to cancel, a signal nor the
    /// time ends the wait.
    pub(crate) fn has_come(&self, state: &State<Posix>, thread: ThreadId) -> bool {
        match self {
            Self::Limited { goal, .. } => goal.unlimited().is_some_and(|wait| wait.lets_go(state, thread)),
            _ => self.lets_go(state, thread),
        }
    }

    /// Whether the wait is over by what it is for, or by time.
    fn lets_go(&self, state: &State<Posix>, thread: ThreadId) -> bool {
        let data = &state.data;
        match *self {
            Self::Mutex(address) => data.mutexes.get(&address).is_none_or(|mutex| mutex.admits(thread)),
            Self::Limited { goal: Goal::Condition { mutex, .. }, .. } | Self::Condition { mutex, .. } => {
                let admits = |owner: Option<ThreadId>| owner.is_none_or(|owner| owner == thread);
                let is_free = data.mutexes.get(&mutex).is_none_or(|mutex| admits(mutex.owner));
                is_free && !self.sleeps(data, thread)
            }
            Self::Limited { goal: Goal::Futex { address }, .. } => {
                let futexes = &data.kernel.futexes;
                futexes.holder(address).is_none() || !futexes.is_asleep(thread)
            }
            Self::Limited { .. } => true,
            Self::Timer { number, generation } => data.kernel.timers.get(number).is_none_or(|timer| {
                timer.generation != generation
                    || timer.until.is_some() && !timer.is_held(&data.kernel.signals)
            }),
            Self::Wakeup { .. } => !self.sleeps(data, thread),
            Self::Semaphore(key) => data
                .semaphores
                .objects
                .get(&key)
                .is_none_or(|semaphore| semaphore.value > 0 || semaphore.destroyed),
            Self::Reading(address) => {
                data.rwlocks.get(&address).is_none_or(|lock| lock.admits_reader(thread))
            }
            Self::Writing(address) => {
                data.rwlocks.get(&address).is_none_or(|lock| lock.admits_writer(thread))
            }
            Self::Barrier { barrier, round } => {
                data.barriers.get(&barrier).is_none_or(|barrier| barrier.round != round)
            }
            Self::Once(address) => !matches!(data.once.get(&address), Some(Once::Running(_))),
            Self::Spin(address) => data.spins.get(&address).is_none_or(|lock| lock.owner.is_none()),
            Self::LibraryLock(address) => library_lock_word(state, address) == 0,
            Self::Exit(target) => {
                let ended = state.thread(target);
                let is_refused = |record: &ThreadRecord| record.detached || record.joined;
                ended.exited && ended.buffer.is_empty()
                    || waits_for_end_of(state, target, thread)
                    || data.threads.get(&target).is_some_and(|record| is_refused(record))
            }
            Self::AllEnds => state.threads.iter().all(|other| {
                other.service || other.buffer.is_empty() && (other.exited || other.id == thread)
            }),
            Self::AtomicSection => state.atomic_block().is_none(),
            Self::Signal { blocked, .. } => data.kernel.signals.deliverable(thread, blocked).is_some(),
            Self::Pipe(wait) => is_pipe_ready(&data.kernel, wait),
            Self::Queue(wait) => is_queue_ready(&data.kernel, wait),
            Self::Descriptors | Self::Transfer => is_any_found(&data.kernel, thread),
            Self::Futex(_) => !data.kernel.futexes.is_asleep(thread),
            Self::FutexQueues { first, other } => {
                [first, other].iter().all(|address| data.kernel.futexes.holder(*address).is_none())
            }
            Self::Forever => false,
        }
    }

    /// Whether this is a wait at a condition variable in whose queue `thread` is.
    pub(crate) fn sleeps(&self, data: &PosixData, thread: ThreadId) -> bool {
        match self {
            Self::Wakeup { condition, .. } | Self::Condition { condition, .. } => {
                data.conditions.get(condition).is_some_and(|entry| entry.sleepers.contains(&thread))
            }
            _ => false,
        }
    }

    /// The effect that the end of the wait would have, as far as a symbolic trace can express it.
    pub(crate) fn awaited(&self, state: &State<Posix>, thread: ThreadId) -> Option<Synchronisation> {
        Some(match *self {
            Self::Mutex(address) | Self::Spin(address) | Self::LibraryLock(address) => {
                Synchronisation::Lock(address)
            }
            Self::Wakeup { condition, mutex } | Self::Condition { condition, mutex } => {
                Synchronisation::WaitSignalled { condition, mutex }
            }
            Self::Semaphore(semaphore) => {
                let value = state.data.semaphores.objects.get(&semaphore).map_or(0, |known| known.value);
                Synchronisation::SemaphoreWait { semaphore, value }
            }
            Self::Reading(address) => Synchronisation::ReadLock(address),
            Self::Writing(address) => Synchronisation::WriteLock(address),
            Self::Barrier { barrier, .. } => Synchronisation::BarrierPass(barrier),
            Self::Exit(ended) if ended != thread => Synchronisation::Join(ended),
            _ => return None,
        })
    }
}

/// Whether a thread is in a wait of which `is_meant` is true.
pub(crate) fn is_any_thread_waiting(state: &State<Posix>, is_meant: impl Fn(&PosixWait) -> bool) -> bool {
    state.threads.iter().any(|thread| {
        let pending = thread.pending.as_deref().map(|pending| &pending.action);
        matches!(pending, Some(Action::Model(operation)) if operation.wait.as_ref().is_some_and(&is_meant))
    })
}

/// Whether `thread` waits for `other` to end.
pub(crate) fn waits_for_end_of(state: &State<Posix>, thread: ThreadId, other: ThreadId) -> bool {
    let pending = state.thread(thread).pending.as_deref();
    matches!(pending.map(|pending| &pending.action),
        Some(Action::Model(operation)) if operation.wait == Some(PosixWait::Exit(other)))
}

/// The thread that holds a lock of libc's own.
pub(crate) fn library_lock_owner(state: &State<Posix>, address: u64) -> Option<ThreadId> {
    let owner = thread_numbered(library_lock_word(state, address));
    owner.filter(|owner| owner.index() < state.threads.len())
}

/// The word of a lock of libc's own; 0 if its memory is gone, so that its waiter runs into the fault.
fn library_lock_word(state: &State<Posix>, address: u64) -> u64 {
    match state.memory.near(address) {
        Some(object)
            if object.life == Life::Live && object.contains(address.wrapping_sub(object.base), 4) =>
        {
            object.read_word(address - object.base, 4)
        }
        _ => 0,
    }
}
