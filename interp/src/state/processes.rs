//! Processes of a state: address spaces, one of which is current.
//!
//! A state has the memory of one process in it, and the bookkeeping of it in the environment's data. Those of
//! the others are kept aside, and exchanged when a thread of another process takes a step. So an access to
//! memory costs the same whether a program has forked or not. A program that has not forked has none of this.
//!
//! Memory that processes share has the same address in each. What it holds is handed on at each exchange.

use crate::memory::{AddressSpace, Object};
use crate::shared::Numbered;
use crate::state::Exit;
use crate::threads::kept::Kept;
use crate::threads::thread::Activation;
use imbl::OrdMap;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_trace::{Access, Place, ThreadId};

/// The activations of a thread.
type Calls<E> = SmallVec<[Activation<E>; 2]>;

/// The processes of a state that has forked. A process has the number of its first thread.
#[derive(Debug)]
pub struct Processes<E: Kept> {
    /// The process whose memory and bookkeeping the state has in it.
    pub(crate) current: ThreadId,
    /// The process of each thread, where that is not the first one.
    of_thread: OrdMap<ThreadId, ThreadId>,
    /// The others.
    pub(crate) away: OrdMap<ThreadId, Arc<Away<E>>>,
    /// Shared memory, by address, as the process that was current last left it.
    pub(crate) shared: OrdMap<u64, Lent>,
    /// Processes that have ended.
    pub(crate) ended: imbl::OrdSet<ThreadId>,
    /// How the first process has exited, once it has.
    pub(crate) exit: Option<Exit>,
    /// The calls in which its threads were then: they may hold the only pointers to memory.
    pub(crate) last_calls: Vec<(ThreadId, Calls<E>)>,
    /// Whether a process has been copied while other threads of it went on. Which thread touches what is then
    /// noted across processes: the copy has what they have stored by then.
    pub(crate) is_blended: bool,
}

/// A process that is not current.
#[derive(Debug)]
pub(crate) struct Away<E: Kept> {
    pub memory: AddressSpace,
    pub touched: Numbered<Option<ThreadId>>,
    pub own: E::Own,
}

impl<E: Kept> Clone for Away<E> {
    fn clone(&self) -> Self {
        Self { memory: self.memory.clone(), touched: self.touched.clone(), own: self.own.clone() }
    }
}

/// An object of shared memory on its way to another process.
#[derive(Clone, Debug)]
pub(crate) struct Lent {
    pub object: Arc<Object>,
    /// Which thread alone has touched it, as in [`Past`](super::Past).
    pub touched: Option<Option<ThreadId>>,
}

impl<E: Kept> Clone for Processes<E> {
    fn clone(&self) -> Self {
        Self {
            current: self.current,
            of_thread: self.of_thread.clone(),
            away: self.away.clone(),
            shared: self.shared.clone(),
            ended: self.ended.clone(),
            exit: self.exit,
            last_calls: self.last_calls.clone(),
            is_blended: self.is_blended,
        }
    }
}

impl<E: Kept> Default for Processes<E> {
    fn default() -> Self {
        Self {
            current: ThreadId::MAIN,
            of_thread: OrdMap::new(),
            away: OrdMap::new(),
            shared: OrdMap::new(),
            ended: imbl::OrdSet::new(),
            exit: None,
            last_calls: Vec::new(),
            is_blended: false,
        }
    }
}

impl<E: Kept> Processes<E> {
    /// The process whose memory and bookkeeping the state has in it.
    pub fn current(&self) -> ThreadId {
        self.current
    }

    /// The process of `thread`.
    pub fn of(&self, thread: ThreadId) -> ThreadId {
        self.of_thread.get(&thread).copied().unwrap_or(ThreadId::MAIN)
    }

    /// Notes that `thread` belongs to `process`.
    pub(crate) fn add(&mut self, thread: ThreadId, process: ThreadId) {
        if process != ThreadId::MAIN {
            self.of_thread.insert(thread, process);
        }
    }

    /// Whether `process` has ended.
    pub fn has_ended(&self, process: ThreadId) -> bool {
        self.ended.contains(&process)
    }
}

/// An address, or a number of something, of one process among those of all: itself in the first one.
fn of_process(process: ThreadId, number: u64) -> u64 {
    match process {
        ThreadId::MAIN => number,
        process => 1 << 63 | u64::from(process.0) << 47 | number,
    }
}

/// The address in its own process of an address among all processes.
pub fn address_in_process(address: u64) -> u64 {
    if address >> 63 == 1 { address % GREATEST_ADDRESS } else { address }
}

/// The place that all steps of a process read, and that its end writes.
pub(crate) fn life_of(process: ThreadId) -> Place {
    /// No address of an object, nor the number of anything else.
    const LIFE: u64 = 45;
    Place::Object(1 << 63 | u64::from(process.0) << 47 | LIFE)
}

/// Objects above the greatest address are numbers of things that all processes share, or of threads.
const GREATEST_ADDRESS: u64 = 1 << 47;

/// What an access of a thread of `process` is to all processes. `is_shared` says whether an address is in
/// memory that is shared, `is_own` whether a number is that of something each process has for itself.
pub(crate) fn among_processes(
    process: ThreadId,
    access: Access,
    is_shared: impl Fn(u64) -> bool,
    is_own: impl Fn(u64) -> bool,
) -> Access {
    /// Below the first object.
    const FIRST_ADDRESS: u64 = 4096;
    let own = |address: u64| if is_shared(address) { address } else { of_process(process, address) };
    let place = match access.place {
        Place::Memory { start, end } => {
            let first = own(start);
            Place::Memory { start: first, end: first.wrapping_add(end - start) }
        }
        Place::Object(number) if (FIRST_ADDRESS..GREATEST_ADDRESS).contains(&number) => {
            Place::Object(own(number))
        }
        Place::Object(number) if is_own(number) => Place::Object(of_process(process, number)),
        Place::Life(base) => Place::Life(own(base)),
        Place::Readers(lock) => Place::Readers(own(lock)),
        Place::Queue(address) => Place::Queue(own(address)),
        Place::Round { barrier, round } => Place::Round { barrier: own(barrier), round },
        Place::Process => life_of(process),
        place => place,
    };
    Access { place, ..access }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_memory_of_two_processes_is_not_the_same_place() {
        let access = Access::write(0x10_0000, 4);
        let of =
            |process: u32, shared: bool| among_processes(ThreadId(process), access, |_| shared, |_| false);
        assert_eq!(of(0, false), access);
        assert!(!of(0, false).conflicts(&of(1, false)) && !of(1, false).conflicts(&of(2, false)));
        assert!(of(1, true).conflicts(&of(2, true)) && of(0, false).conflicts(&of(2, true)));
    }
}
