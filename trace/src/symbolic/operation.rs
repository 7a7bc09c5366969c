//! Operations of the events of a symbolic trace.

use super::TermRef;
use serde::{Deserialize, Serialize};

/// An object of the trace, by its place in [`SymbolicTrace::objects`](super::SymbolicTrace::objects).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ObjectRef(pub u32);

/// A thread of the trace, by its place in [`SymbolicTrace::threads`](super::SymbolicTrace::threads).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ThreadRef(pub u32);

/// Bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ByteSpan {
    /// The object.
    pub object: ObjectRef,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

/// The ordering an access asks for, LLVM's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the variants are LLVM's words
pub enum AccessOrdering {
    NotAtomic,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// A condition variable and the mutex that goes with a wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Condition {
    /// The condition variable.
    pub condition: ObjectRef,
    /// The mutex that is released while waiting.
    pub mutex: ObjectRef,
}

/// The operation of an event. All but the first five synchronise threads: they take effect at once, and wait
/// for the thread's own stores where the memory model says so.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Loads.
    Read {
        /// The bytes loaded.
        span: ByteSpan,
        /// How it is ordered.
        ordering: AccessOrdering,
        /// The symbol that denotes the value, little-endian.
        symbol: TermRef,
    },
    /// Stores.
    Write {
        /// The bytes stored to.
        span: ByteSpan,
        /// How it is ordered.
        ordering: AccessOrdering,
        /// The value, little-endian.
        value: TermRef,
    },
    /// Loads and stores in one step.
    ReadModifyWrite {
        /// The bytes accessed.
        span: ByteSpan,
        /// How it is ordered.
        ordering: AccessOrdering,
        /// The symbol that denotes the value read.
        symbol: TermRef,
        /// The value written; none if a compare failed. (That it failed or not is a path condition.)
        value: Option<TermRef>,
    },
    /// Does something outside memory, such as writing to a file, or ending an object's life, and counts that
    /// at bytes to which no thread [writes](Self::Write). They are read and written in one step, which takes
    /// effect at once and waits for none of the thread's own stores.
    Effect {
        /// Where it is counted.
        span: ByteSpan,
        /// The symbol that denotes the value read.
        symbol: TermRef,
        /// The value written.
        value: TermRef,
    },
    /// A fence.
    Fence {
        /// The ordering.
        ordering: AccessOrdering,
    },
    /// The mutex is free and becomes the thread's.
    Lock(ObjectRef),
    /// An attempt found the mutex taken.
    LockBusy(ObjectRef),
    /// The thread releases its mutex.
    Unlock(ObjectRef),
    /// There is no writer; the thread becomes one of the readers.
    ReadLock(ObjectRef),
    /// An attempt to read found a writer.
    ReadLockBusy(ObjectRef),
    /// The thread is no reader any more.
    ReadUnlock(ObjectRef),
    /// There is no reader or writer; the thread becomes the writer.
    WriteLock(ObjectRef),
    /// An attempt to write found readers or a writer.
    WriteLockBusy(ObjectRef),
    /// The thread is no writer any more.
    WriteUnlock(ObjectRef),
    /// The thread releases its mutex and waits, in one step.
    WaitBegin(Condition),
    /// The wait is over, as it was signalled; the mutex is free and becomes the thread's.
    WaitSignalled(Condition),
    /// The wait ended by itself (time was up, or for no reason); the mutex is free and becomes the thread's.
    WaitElapsed(Condition),
    /// Ends one wait that has begun, if there is one.
    Signal(ObjectRef),
    /// Ends all waits that have begun.
    Broadcast(ObjectRef),
    /// The thread is one of those the barrier waits for.
    BarrierArrive(ObjectRef),
    /// The barrier is full and lets the thread pass.
    BarrierPass(ObjectRef),
    /// The semaphore is not zero and is decremented.
    SemaphoreWait(ObjectRef),
    /// An attempt found the semaphore at zero.
    SemaphoreZero(ObjectRef),
    /// The semaphore is incremented.
    SemaphorePost(ObjectRef),
    /// Creates a thread.
    Create(ThreadRef),
    /// The first event of a thread that was created.
    Begin,
    /// The last event of a thread.
    End,
    /// The thread has ended, and all its stores are in memory.
    Join(ThreadRef),
}

impl Operation {
    /// The bytes it accesses.
    pub fn span(&self) -> Option<ByteSpan> {
        match self {
            Self::Read { span, .. }
            | Self::Write { span, .. }
            | Self::ReadModifyWrite { span, .. }
            | Self::Effect { span, .. } => Some(*span),
            _ => None,
        }
    }

    /// The symbol of the value it reads.
    pub fn symbol(&self) -> Option<TermRef> {
        match self {
            Self::Read { symbol, .. }
            | Self::ReadModifyWrite { symbol, .. }
            | Self::Effect { symbol, .. } => Some(*symbol),
            _ => None,
        }
    }

    /// The value it writes.
    pub fn written(&self) -> Option<TermRef> {
        match self {
            Self::Write { value, .. } | Self::Effect { value, .. } => Some(*value),
            Self::ReadModifyWrite { value, .. } => *value,
            _ => None,
        }
    }

    /// The object that it needs for itself, or tests: a lock, a semaphore, or the mutex that a waiting thread
    /// acquires again.
    pub fn taken(&self) -> Option<ObjectRef> {
        match *self {
            Self::Lock(object)
            | Self::LockBusy(object)
            | Self::ReadLock(object)
            | Self::ReadLockBusy(object)
            | Self::WriteLock(object)
            | Self::WriteLockBusy(object)
            | Self::SemaphoreWait(object)
            | Self::SemaphoreZero(object) => Some(object),
            Self::WaitSignalled(wait) | Self::WaitElapsed(wait) => Some(wait.mutex),
            _ => None,
        }
    }

    /// Whether it is an access to memory, an effect or a fence, and synchronises no threads.
    pub fn is_access_or_fence(&self) -> bool {
        self.span().is_some() || matches!(self, Self::Fence { .. })
    }

    /// Whether it waits for other threads where it cannot be performed.
    pub fn waits(&self) -> bool {
        matches!(
            self,
            Self::Lock(_)
                | Self::ReadLock(_)
                | Self::WriteLock(_)
                | Self::WaitSignalled(_)
                | Self::WaitElapsed(_)
                | Self::BarrierPass(_)
                | Self::SemaphoreWait(_)
                | Self::Join(_)
        )
    }
}
