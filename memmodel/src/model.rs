//! The interface of memory models.

use crate::{ByteRange, Event, Execution, Ordering};
use std::fmt::Debug;
use thiserror::Error;

/// A memory-consistency model. Models hold no state: their answers depend on the arguments alone. What a
/// model does not say is as under sequential consistency: nothing waits in a buffer, program order is kept.
pub trait MemoryModel: Debug + Send + Sync {
    /// The name on the command line: short, lower case.
    fn name(&self) -> &'static str;

    /// One line for help texts.
    fn description(&self) -> &'static str;

    // Operational half: one buffer a thread between the thread and memory.

    /// Where a store goes.
    fn store(&self, _ordering: Ordering) -> StorePlacement {
        StorePlacement::Memory
    }

    /// The stores that a load waits for. Afterwards each byte has the value of the thread's newest pending
    /// store to it ([`StoreBuffer::forward`](crate::StoreBuffer::forward)), else of memory.
    fn load(&self, _ordering: Ordering) -> Drain {
        Drain::Nothing
    }

    /// The effect of a fence. Fences of scope `singlethread` and empty assembly barriers are no fences at
    /// all.
    fn fence(&self, _ordering: Ordering) -> FenceEffect {
        FenceEffect::None
    }

    /// The stores that an `atomicrmw` or `cmpxchg` of `range` waits for, also when the compare will fail.
    /// Then it reads and writes memory in one step. It must not read before the thread's own older stores to
    /// `range` commit.
    fn read_modify_write(&self, _ordering: Ordering, _range: ByteRange) -> Drain {
        Drain::Nothing
    }

    /// The stores that a call that synchronises threads (create, join, mutex, condition, barrier) waits for.
    /// Joining waits as well until the other thread has exited and *its* buffer is empty.
    fn synchronisation(&self) -> Drain {
        Drain::Nothing
    }

    /// Which pending stores of one buffer must reach memory in the order they were issued.
    fn commit_order(&self) -> CommitOrder {
        CommitOrder::Program
    }

    /// Whether a load may return older writes than the newest. All are then kept in a
    /// [`WriteHistory`](crate::WriteHistory), and each load is a choice among the ways it gives.
    fn keeps_history(&self) -> bool {
        false
    }

    // Axiomatic half: an execution is allowed if the axioms of [`Execution::check`](crate::Execution::check)
    // hold for the program order the model preserves.

    /// Whether every thread sees `earlier` take effect before `later`, two events of one thread that are no
    /// fences, with `between` the strongest barrier between them.
    ///
    /// The answer depends on operations and orderings alone (coherence orders overlapping accesses), and a
    /// stronger barrier never takes order away.
    fn preserved(&self, _earlier: &Event, _later: &Event, _between: Barrier) -> bool {
        true
    }

    /// Whether the model allows an execution, else why not.
    fn allows(&self, execution: &Execution) -> Result<(), Forbidden>;

    /// Whether some stores wait in a buffer, so that buffers have to run as agents.
    fn buffers_stores(&self) -> bool {
        matches!(
            self.store(Ordering::NotAtomic),
            StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore
        )
    }
}

/// The barrier between two events of one thread, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Barrier {
    /// Nothing that orders them.
    None,
    /// A StoreStore barrier, of a fence or in front of a releasing store.
    StoreStore,
    /// A full fence.
    Full,
}

/// Why a model forbids an execution. Cycles list events, each ordered before the next and the last before the
/// first.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Forbidden {
    /// Program order, reads-from, coherence and from-reads disagree at one location.
    #[error("the accesses to address {address:#x} have no order: events {cycle:?}")]
    Coherence {
        /// First byte of the location.
        address: u64,
        /// The cycle.
        cycle: Vec<usize>,
    },
    /// An update does not write next after the write it reads from.
    #[error("event {update} is not atomic at address {address:#x}")]
    Atomicity {
        /// First byte of the location.
        address: u64,
        /// The read-modify-write event.
        update: usize,
    },
    /// A read returns a write that happens-before hides from it, or parts of writes that are whole.
    #[error("event {read} reads from a write that is hidden from it at address {address:#x}")]
    Hidden {
        /// First byte of the location.
        address: u64,
        /// The read.
        read: usize,
    },
    /// Preserved program order, synchronisation, external reads-from, coherence and from-reads disagree.
    #[error("the events have no common order: events {cycle:?}")]
    Order {
        /// The cycle.
        cycle: Vec<usize>,
    },
}

/// Which stores of one buffer commit in the order they were issued. Two stores with a StoreStore marker
/// between them always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommitOrder {
    /// All.
    Program,
    /// Those that overlap, even if they start at different addresses: else the bytes of a wide store would
    /// not become visible together.
    Overlap,
}

impl CommitOrder {
    /// Whether a store to `older` commits before one to `newer` of the same buffer.
    pub fn orders(self, older: ByteRange, newer: ByteRange) -> bool {
        match self {
            Self::Program => true,
            Self::Overlap => older.overlaps(newer),
        }
    }

    /// The lane of a store to `range`.
    pub fn lane(self, range: ByteRange) -> Lane {
        match self {
            Self::Program => Lane(0),
            Self::Overlap => Lane(range.address),
        }
    }
}

/// Which of a buffer's commit agents commits a store: agent *(thread, lane)*.
///
/// A store's lane is a function of its own address range, so it never changes while the store waits. Two
/// stores of one lane commit in program order. So each lane has at most one store that may commit, and naming
/// the lane names the store. Where all stores commit in order there is the one lane 0; else a store's lane is
/// its start address. Stores of different lanes may still be ordered (overlap at different starts, StoreStore
/// marker): then only the older one's lane is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(pub u64);

/// Where a store goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorePlacement {
    /// To memory, at once.
    Memory,
    /// To the end of the buffer.
    Buffer,
    /// To the end of the buffer, after a StoreStore marker.
    BufferAfterStoreStore,
    /// To memory, but only once the thread's own buffer is empty.
    DrainThenMemory,
}

/// The effect of a fence on the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceEffect {
    /// Nothing.
    None,
    /// Adds a StoreStore marker: older stores commit before newer ones.
    StoreStore,
    /// Waits until the buffer is empty.
    Drain,
}

/// How much of its own thread's buffer must have been committed before a step is enabled. The step waits: the
/// commits are steps of the buffer's agents, not of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drain {
    /// Nothing.
    Nothing,
    /// The stores that overlap the range, and all that come before a StoreStore marker.
    Overlapping(ByteRange),
    /// Everything.
    Everything,
}
