//! Waits of threads.

use crate::options::Posix;
use symx_interp::state::State;
use symx_interp::threads::thread::Action;
use symx_trace::ThreadId;

/// The children that a process waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChildWait {
    /// The process that waits.
    pub(crate) parent: ThreadId,
    /// The child, if it is one.
    pub(crate) child: Option<ThreadId>,
}

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
    /// The end of a child.
    Children(ChildWait),
    /// A child that executes a program or ends (`vfork`).
    Execution(ThreadId),
    /// The ends of all other threads, all stores committed.
    AllEnds,
    /// All stores of the process being in memory.
    Stores,
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
    /// No other lock of a file in the way of the one that it asked for.
    FileLock,
    /// A message in a queue, or room in it.
    Queue(QueueWait),
    /// A message of some type in a System V queue, or room in it.
    Message(MessageWait),
    /// Its operations on the System V set of semaphores with this identifier being possible.
    SemaphoreSet(u64),
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
    /// A goal, or the end of a time limit. That may come at any time, but not before timers that the thread
    /// set for an earlier time.
    Limited {
        /// When the time is up, in nanoseconds since 1970.
        until: u64,
        /// The event that ends the wait before.
        goal: Goal,
    },
    /// Nothing that can happen (`pause` of a process that gets no signals, a detached main thread).
    Forever,
}

/// The wait of a thread at a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipeWait {
    /// The pipe.
    pub(crate) node: u64,
    /// Whether it waits for bytes; else for room.
    pub(crate) reading: bool,
    /// Bytes of room it needs.
    pub(crate) room: usize,
    /// Whether it has written some bytes: a handler then ends the call, even one that is to restart calls.
    pub(crate) has_begun: bool,
}

/// The wait of a thread at a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueWait {
    /// The queue.
    pub(crate) node: u64,
    /// Whether it waits for a message; else for room.
    pub(crate) receiving: bool,
}

/// The wait of a thread at a queue of messages with types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageWait {
    /// The queue's identifier.
    pub(crate) id: u64,
    /// What it waits for.
    pub(crate) goal: MessageGoal,
}

/// What a thread at a queue of messages with types waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageGoal {
    /// A message.
    Message(MessageTypes),
    /// Room for a message with this many bytes.
    Room(u64),
}

/// The messages that a receiver takes, by their types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageTypes {
    /// The oldest one.
    Any,
    /// The oldest one of this type.
    Of(i64),
    /// The oldest one of another type.
    Except(i64),
    /// The oldest one of the lowest type, up to this one.
    UpTo(i64),
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
    /// Its operations on a System V set of semaphores being possible.
    SemaphoreSet(u64),
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
    pub(crate) fn unlimited(self) -> Option<PosixWait> {
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
            Self::SemaphoreSet(id) => PosixWait::SemaphoreSet(id),
            Self::Signal(set) => PosixWait::Signal { blocked: !set, exempt: set },
            Self::Descriptors => PosixWait::Descriptors,
            Self::Pipe(wait) => PosixWait::Pipe(wait),
            Self::Futex { address } => PosixWait::Futex(address),
        })
    }

    /// Whether a handler makes the wait fail, and whether even one that is to restart calls.
    pub(crate) fn fails_when_interrupted(self) -> Option<bool> {
        match self {
            Self::Queue(_) => Some(false),
            // As by Linux, which does not begin a wait for a word (`futex`) with a limit again.
            Self::Semaphore(_)
            | Self::Time
            | Self::Signal(_)
            | Self::Descriptors
            | Self::Pipe(_)
            | Self::Futex { .. }
            | Self::SemaphoreSet(_) => Some(true),
            _ => None,
        }
    }
}

/// Whether a thread is in a wait of which `is_meant` is true.
pub(crate) fn is_any_thread_waiting(state: &State<Posix>, is_meant: impl Fn(&PosixWait) -> bool) -> bool {
    let process = state.processes.as_ref().map(|processes| processes.current());
    let threads = state.threads.iter().map(|thread| thread.id);
    let mut own = threads.filter(|thread| process.is_none_or(|process| state.process_of(*thread) == process));
    own.any(|thread| is_waiting(state, thread, &is_meant))
}

/// Whether `thread` is in a wait of which `is_meant` is true.
pub(crate) fn is_waiting(
    state: &State<Posix>,
    thread: ThreadId,
    is_meant: impl Fn(&PosixWait) -> bool,
) -> bool {
    wait_of(state, thread).is_some_and(is_meant)
}

/// What `thread` waits for.
pub(crate) fn wait_of(state: &State<Posix>, thread: ThreadId) -> Option<&PosixWait> {
    match &state.thread(thread).pending.as_deref()?.action {
        Action::Model(operation) => operation.wait.as_ref(),
        _ => None,
    }
}

/// Whether `thread` waits for `other` to end.
pub(crate) fn waits_for_end_of(state: &State<Posix>, thread: ThreadId, other: ThreadId) -> bool {
    let pending = state.thread(thread).pending.as_deref();
    matches!(pending.map(|pending| &pending.action),
        Some(Action::Model(operation)) if operation.wait == Some(PosixWait::Exit(other)))
}
