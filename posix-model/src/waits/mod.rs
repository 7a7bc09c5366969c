//! When the waits of threads are over, why they are not, and the words of reports for that.

pub(crate) mod reason;
mod text;

use crate::data::PosixData;
use crate::kernel::queues::is_queue_ready;
use crate::kernel::readiness::is_any_found;
use crate::kernel::readiness::pipe::is_pipe_ready;
use crate::kernel::system_v::{messages, semaphores};
use crate::options::Posix;
use crate::sync::once::Once;
use crate::sync::wait::{Goal, PosixWait, waits_for_end_of};
use crate::threads::{ThreadRecord, cancellation, thread_numbered};
use symx_interp::Call;
use symx_interp::memory::Life;
use symx_interp::state::State;
use symx_interp::symbolic_trace::Synchronisation;
use symx_trace::ThreadId;

impl PosixWait {
    /// The preferred time for the end of the thread's wait.
    pub(crate) fn patience(&self, state: &State<Posix>, thread: ThreadId) -> Option<u64> {
        let (until, goal) = match *self {
            Self::Limited { until, goal } => (until, goal),
            Self::Timer { number, generation } => {
                let timer = state.data.kernel.own.timers.get(number);
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
        let is_due = || cancellation::is_due(state, thread) && cancellation::waits_at_point(state, thread);
        let interrupted = || state.data.threads.get(&thread).is_some_and(|record| record.interrupted);
        let is_given_up = match self {
            Self::Wakeup { .. } => is_due(),
            Self::Semaphore(_)
            | Self::Exit(_)
            | Self::Signal { .. }
            | Self::Pipe(_)
            | Self::FileLock
            | Self::Queue(_)
            | Self::Message(_)
            | Self::Descriptors
            | Self::Transfer
            | Self::Children(_)
            | Self::Futex(_) => is_due() || interrupted(),
            // No thread is cancelled there.
            Self::SemaphoreSet(_) => interrupted(),
            Self::Limited { goal: Goal::Time, .. } => is_due() || interrupted(),
            Self::Limited { goal, .. } => goal.unlimited().is_some_and(|wait| wait.is_over(state, thread)),
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
            // Where the word says otherwise, going on shows the contradiction.
            Self::Mutex(address) => {
                data.own.sync.mutexes.get(&address).is_none_or(|mutex| {
                    mutex.admits(thread) || mutex.has_word && lock_word(state, address) == 0
                })
            }
            Self::Limited { goal: Goal::Condition { mutex, .. }, .. } | Self::Condition { mutex, .. } => {
                let admits = |owner: Option<ThreadId>| owner.is_none_or(|owner| owner == thread);
                let is_free = data.own.sync.mutexes.get(&mutex).is_none_or(|mutex| admits(mutex.owner));
                is_free && !self.sleeps(data, thread)
            }
            Self::Limited { until, goal } => {
                let may_leave = match goal {
                    Goal::Futex { address } => data.kernel.own.futexes.holder(address).is_none(),
                    _ => true,
                };
                self.has_come(state, thread)
                    || may_leave && !data.kernel.own.timers.go_off_before(thread, until)
            }
            Self::Timer { number, generation } => data.kernel.own.timers.get(number).is_none_or(|timer| {
                timer.generation != generation
                    || timer.until.is_some() && !timer.is_held(&data.kernel.own.signals)
            }),
            Self::Wakeup { .. } => !self.sleeps(data, thread),
            Self::Semaphore(key) => data
                .own
                .sync
                .semaphores
                .get(&key)
                .is_none_or(|semaphore| semaphore.value > 0 || semaphore.destroyed),
            Self::Reading(address) => {
                data.own.sync.rwlocks.get(&address).is_none_or(|lock| lock.admits_reader(thread))
            }
            Self::Writing(address) => {
                data.own.sync.rwlocks.get(&address).is_none_or(|lock| lock.admits_writer(thread))
            }
            Self::Barrier { barrier, round } => {
                data.own.sync.barriers.get(&barrier).is_none_or(|barrier| barrier.round != round)
            }
            Self::Once(address) => !matches!(data.own.sync.once.get(&address), Some(Once::Running(_))),
            Self::Spin(address) => data.own.sync.spins.get(&address).is_none_or(|lock| lock.owner.is_none()),
            Self::LibraryLock(address) => lock_word(state, address) == 0,
            Self::Exit(target) => {
                let ended = state.thread(target);
                let is_refused = |record: &ThreadRecord| record.detached || record.joined;
                ended.exited && ended.buffer.is_empty()
                    || waits_for_end_of(state, target, thread)
                    || data.threads.get(&target).is_some_and(|record| is_refused(record))
            }
            Self::Children(wait) => wait.is_over(state),
            Self::Stores => Call::has_drained(state, state.process_of(thread)),
            Self::Execution(child) => !data.processes.is_awaited(child),
            Self::AllEnds => state.threads.iter().all(|other| {
                other.service || other.buffer.is_empty() && (other.exited || other.id == thread)
            }),
            Self::AtomicSection => state.atomic_block().is_none(),
            Self::Signal { blocked, .. } => data.kernel.own.signals.deliverable(thread, blocked).is_some(),
            Self::Pipe(wait) => is_pipe_ready(&data.kernel, wait),
            Self::FileLock => data.kernel.file_locks.in_the_way_of(thread).is_none(),
            Self::Queue(wait) => is_queue_ready(&data.kernel, wait),
            Self::Message(wait) => messages::is_over(&data.kernel, wait),
            Self::SemaphoreSet(id) => semaphores::is_over(&data.kernel, id, thread),
            Self::Descriptors | Self::Transfer => is_any_found(&data.kernel, thread),
            Self::Futex(_) => !data.kernel.own.futexes.is_asleep(thread),
            Self::FutexQueues { first, other } => {
                [first, other].iter().all(|address| data.kernel.own.futexes.holder(*address).is_none())
            }
            Self::Forever => false,
        }
    }

    /// Whether this is a wait at a condition variable in whose queue `thread` is.
    pub(crate) fn sleeps(&self, data: &PosixData, thread: ThreadId) -> bool {
        match self {
            Self::Wakeup { condition, .. } | Self::Condition { condition, .. } => {
                data.own.sync.conditions.get(condition).is_some_and(|entry| entry.sleepers.contains(&thread))
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
                let value = state.data.own.sync.semaphores.get(&semaphore).map_or(0, |known| known.value);
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

/// The thread that holds a lock of libc's own.
pub(crate) fn library_lock_owner(state: &State<Posix>, address: u64) -> Option<ThreadId> {
    let owner = thread_numbered(lock_word(state, address));
    owner.filter(|owner| owner.index() < state.threads.len())
}

/// The word of a lock; 0 if its memory is gone, so that its waiter runs into the fault.
fn lock_word(state: &State<Posix>, address: u64) -> u64 {
    match state.memory.near(address) {
        Some(object)
            if object.life == Life::Live && object.contains(address.wrapping_sub(object.base), 4) =>
        {
            object.read_word(address - object.base, 4)
        }
        _ => 0,
    }
}
