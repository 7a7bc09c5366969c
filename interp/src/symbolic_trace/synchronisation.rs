//! Synchronisation by modelled calls, as a trace records it.

use symx_trace::ThreadId;

/// The effect of a call that synchronises threads; objects by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Synchronisation {
    /// Takes a free mutex.
    Lock(u64),
    /// Finds a mutex taken.
    LockBusy(u64),
    /// Gives a mutex up.
    Unlock(u64),
    /// Becomes a reader.
    ReadLock(u64),
    /// Finds a writer.
    ReadLockBusy(u64),
    /// Is no reader any more.
    ReadUnlock(u64),
    /// Becomes the writer.
    WriteLock(u64),
    /// Finds readers or a writer.
    WriteLockBusy(u64),
    /// Is no writer any more.
    WriteUnlock(u64),
    /// Gives the mutex up and sleeps.
    WaitBegin {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
    },
    /// Has the mutex again after a signal.
    WaitSignalled {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
    },
    /// Has the mutex again without a signal.
    WaitElapsed {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
    },
    /// Wakes one sleeper, if there is one.
    Signal {
        /// The condition variable.
        condition: u64,
        /// The thread that is woken.
        woken: Option<ThreadId>,
    },
    /// Wakes all sleepers.
    Broadcast(u64),
    /// Is one of those the barrier waits for.
    BarrierArrive {
        /// The barrier.
        barrier: u64,
        /// How many it waits for.
        width: u32,
    },
    /// Passes a barrier that is full.
    BarrierPass(u64),
    /// Takes a unit of a semaphore.
    SemaphoreWait {
        /// The semaphore.
        semaphore: u64,
        /// Its value before.
        value: u32,
    },
    /// Finds a semaphore at zero.
    SemaphoreZero(u64),
    /// Adds a unit to a semaphore.
    SemaphorePost {
        /// The semaphore.
        semaphore: u64,
        /// Its value before.
        value: u32,
    },
    /// Creates a thread.
    Create(ThreadId),
    /// The thread ends.
    End,
    /// Has waited for a thread that has ended.
    Join(ThreadId),
    /// Nothing that others could notice: takes once more what it holds, or gives one of several holds up.
    Nothing,
}

impl Synchronisation {
    /// The lock that it is about.
    pub fn lock(&self) -> Option<u64> {
        match *self {
            Self::Lock(lock)
            | Self::LockBusy(lock)
            | Self::Unlock(lock)
            | Self::ReadLock(lock)
            | Self::ReadLockBusy(lock)
            | Self::ReadUnlock(lock)
            | Self::WriteLock(lock)
            | Self::WriteLockBusy(lock)
            | Self::WriteUnlock(lock) => Some(lock),
            _ => None,
        }
    }

    /// The lock that the thread has from now on.
    pub fn takes(&self) -> Option<u64> {
        match *self {
            Self::Lock(lock) | Self::ReadLock(lock) | Self::WriteLock(lock) => Some(lock),
            Self::WaitSignalled { mutex, .. } | Self::WaitElapsed { mutex, .. } => Some(mutex),
            _ => None,
        }
    }

    /// The lock that the thread has no more.
    pub fn releases(&self) -> Option<u64> {
        match *self {
            Self::Unlock(lock) | Self::ReadUnlock(lock) | Self::WriteUnlock(lock) => Some(lock),
            Self::WaitBegin { mutex, .. } => Some(mutex),
            _ => None,
        }
    }

    /// Whether it is the result of waiting for others, or of finding that one would have to wait.
    pub(crate) fn waits(&self) -> bool {
        match self {
            Self::Lock(_)
            | Self::LockBusy(_)
            | Self::ReadLock(_)
            | Self::ReadLockBusy(_)
            | Self::WriteLock(_)
            | Self::WriteLockBusy(_)
            | Self::WaitSignalled { .. }
            | Self::WaitElapsed { .. }
            | Self::BarrierPass(_)
            | Self::SemaphoreWait { .. }
            | Self::SemaphoreZero(_)
            | Self::Join(_) => true,
            Self::Unlock(_)
            | Self::ReadUnlock(_)
            | Self::WriteUnlock(_)
            | Self::WaitBegin { .. }
            | Self::Signal { .. }
            | Self::Broadcast(_)
            | Self::BarrierArrive { .. }
            | Self::SemaphorePost { .. }
            | Self::Create(_)
            | Self::End
            | Self::Nothing => false,
        }
    }
}
