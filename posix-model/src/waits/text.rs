//! For people: what threads wait for.

use super::library_lock_owner;
use crate::data::PosixData;
use crate::kernel::system_v::{messages, semaphores};
use crate::options::Posix;
use crate::sync::barrier::Barrier;
use crate::sync::once::Once;
use crate::sync::wait::{PipeWait, PosixWait};
use symx_interp::environment::Titles;
use symx_interp::state::State;
use symx_trace::ThreadId;

impl PosixWait {
    /// For people: what is waited for, and which thread could end the wait.
    pub(crate) fn describe(&self, state: &State<Posix>, thread: ThreadId, titles: &Titles<'_>) -> String {
        let data = &state.data;
        let (sync, place) = (&data.own.sync, &titles.place);
        let name = |id: ThreadId| name(id, thread, titles);
        let held = |owner: Option<ThreadId>| held(owner, thread, titles);
        match *self {
            Self::Mutex(address) => {
                let owner = sync.mutexes.get(&address).and_then(|mutex| mutex.owner);
                format!("the mutex {}{}", place(address), held(owner))
            }
            Self::Wakeup { condition, mutex } | Self::Condition { condition, mutex } => {
                self.describe_condition(data, (condition, mutex), thread, titles)
            }
            Self::Semaphore(key) => {
                let takers = sync.semaphores.get(&key).and_then(|semaphore| semaphore.takers.as_ref());
                let last = takers.and_then(|takers| takers.last()).map(|(taker, _)| *taker);
                let taken = last.map_or(String::new(), |taker| format!(", taken by {}", name(taker)));
                format!("a post to the semaphore {}{taken}", place(key))
            }
            Self::Reading(address) | Self::Writing(address) => {
                let what = if matches!(self, Self::Reading(_)) { "reading" } else { "writing" };
                let holders = sync.rwlocks.get(&address).map(|lock| lock.holders()).unwrap_or_default();
                let names: Vec<String> = holders.into_iter().map(name).collect();
                format!("the read-write lock {} for {what}, held by {}", place(address), names.join(", "))
            }
            Self::Barrier { barrier, .. } => match sync.barriers.get(&barrier) {
                Some(Barrier { arrived, count, .. }) => {
                    format!("the barrier {}, where {arrived} of {count} have arrived", place(barrier))
                }
                None => format!("the barrier {}", place(barrier)),
            },
            Self::Once(address) => match sync.once.get(&address) {
                Some(Once::Running(runner)) => {
                    format!("the routine of the once control {}, run by {}", place(address), name(*runner))
                }
                _ => format!("the routine of the once control {}", place(address)),
            },
            Self::Spin(address) => {
                let owner = sync.spins.get(&address).and_then(|lock| lock.owner);
                format!("the spin lock {}{}", place(address), held(owner))
            }
            Self::LibraryLock(address) => {
                let owner = library_lock_owner(state, address);
                format!("a stream's or libc's own lock {}{}", place(address), held(owner))
            }
            Self::Exit(target) => format!("the end of {}", name(target)),
            Self::Children(_) => "the end of a child process".into(),
            Self::Execution(_) => "a child process that executes a program or ends".into(),
            Self::AllEnds => "the ends of all threads".into(),
            Self::Stores => "the stores of all threads".into(),
            Self::AtomicSection => format!("the end of the atomic section{}", held(state.atomic_block())),
            Self::Signal { .. } => "a signal".into(),
            Self::Pipe(PipeWait { reading: true, .. }) => "bytes from a pipe".into(),
            Self::Pipe(_) => "room in a pipe".into(),
            Self::FileLock => {
                let found = data.kernel.file_locks.in_the_way_of(thread);
                let path = found.and_then(|(node, _)| data.kernel.files.paths_of(node).next());
                let file = path.map_or_else(|| "a file".to_owned(), |path| format!("{path:?}"));
                format!("a lock of {file}{}", held(found.map(|(_, lock)| lock.taker)))
            }
            Self::Queue(wait) if wait.receiving => "a message in a queue".into(),
            Self::Queue(_) => "room in a message queue".into(),
            Self::Message(wait) => messages::describe(wait),
            Self::SemaphoreSet(id) => semaphores::describe(&data.kernel, id, thread),
            Self::Descriptors | Self::Transfer => "a descriptor that is ready".into(),
            Self::Futex(address) => format!("a wake-up at the futex {}", place(address)),
            Self::FutexQueues { first, other } => {
                let holder = data.kernel.own.futexes.holder(first).or(data.kernel.own.futexes.holder(other));
                format!("the queue of the futex {}{}", place(first), held(holder))
            }
            Self::Timer { .. } => "the time of the timer".into(),
            Self::Limited { goal, .. } => match goal.unlimited() {
                Some(wait) => wait.describe(state, thread, titles),
                None => "time to pass".into(),
            },
            Self::Forever => "nothing that can happen".into(),
        }
    }

    /// A wait at a condition variable: for a signal, and after that for the mutex.
    fn describe_condition(
        &self,
        data: &PosixData,
        (condition, mutex): (u64, u64),
        thread: ThreadId,
        titles: &Titles<'_>,
    ) -> String {
        let place = &titles.place;
        let held = |owner: Option<ThreadId>| held(owner, thread, titles);
        let asleep = self.sleeps(data, thread);
        let lost = data.own.sync.conditions.get(&condition).is_some_and(|entry| entry.lost.is_some());
        if asleep {
            let lost = if lost { "; the last signal came while no thread waited (lost wake-up)" } else { "" };
            format!("a signal at the condition variable {}{lost}", place(condition))
        } else {
            format!(
                "the mutex {}{}, after a signal at the condition variable {}",
                place(mutex),
                held(data.own.sync.mutexes.get(&mutex).and_then(|mutex| mutex.owner)),
                place(condition)
            )
        }
    }
}

/// A thread as seen by one that waits for it.
fn name(id: ThreadId, waiting: ThreadId, titles: &Titles<'_>) -> String {
    if id == waiting { "itself".to_string() } else { (titles.thread)(id) }
}

/// The holder of what is waited for, as the end of a phrase.
fn held(owner: Option<ThreadId>, waiting: ThreadId, titles: &Titles<'_>) -> String {
    owner.map_or(String::new(), |owner| format!(", held by {}", name(owner, waiting, titles)))
}
