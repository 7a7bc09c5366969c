//! Footprints of steps, and when two steps are dependent.

use crate::agent::ThreadId;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Something two steps can both touch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Place {
    /// The bytes from `start` to `end` (exclusive) of shared memory.
    Memory {
        /// First address.
        start: u64,
        /// One past the last address.
        end: u64,
    },
    /// The synchronisation object at this address (or with this number, for named objects).
    Object(u64),
    /// A thread's life: its exit releases the threads that join it.
    Thread(ThreadId),
    /// The creation of a thread, which its first step acquires. The thread's own number may depend on
    /// the order of creations.
    Child {
        /// The thread that creates it.
        parent: ThreadId,
        /// Which of the threads that `parent` creates, from 1.
        number: u32,
    },
    /// A store on its way through the buffer of `thread`: issuing it releases its commit.
    PendingStore {
        /// The buffer's thread.
        thread: ThreadId,
        /// The store's number among the thread's stores.
        number: u32,
    },
    /// Emptiness of a thread's store buffer: each commit releases the threads that wait for it.
    Drained(ThreadId),
    /// The whole process: ending it writes, output and other lasting effects read.
    Process,
    /// An open file, pipe or directory of the modelled kernel; its number.
    Stream(u64),
    /// The order of sequentially consistent operations, under a model where that says what loads may return.
    TotalOrder,
    /// The life of the object that begins at this address: its end writes, what must find
    /// the object alive reads.
    Life(u64),
    /// The queue of threads that sleep at the word at this address until they are woken (a futex).
    Queue(u64),
    /// A round of the barrier at this address: each arrival releases the threads that wait for all.
    Round {
        /// Address of the barrier.
        barrier: u64,
        /// Number of the round.
        round: u64,
    },
    /// Those that hold the read-write lock at this address for reading: each that leaves releases writers.
    Readers(u64),
    /// All there is: what is looked at when a process has ended and leaks or unfinished threads count.
    Everything,
}

/// How a step touches a place.
///
/// `Release`, `Acquire` and `Follow` are for places a step can wait on. A step that comes after a releasing
/// one may have been disabled before, so swapping the two is no schedule of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Mode {
    /// Commutes with other reads.
    Read,
    /// Commutes with nothing.
    Write,
    /// May have to wait for a release (lock, semaphore wait, join, fence that drains).
    Acquire,
    /// May have to wait for a release, and commutes with others of its kind and with reads (a reader's lock).
    Follow,
    /// Lets others proceed, never waits, commutes with other releases (unlock, exit, commit).
    Release,
    /// The same, but those it lets proceed may have been able to before (a semaphore's post).
    Post,
}

/// One place a step touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Access {
    /// The place.
    pub place: Place,
    /// How.
    pub mode: Mode,
}

/// Everything a step touches that others can touch as well.
pub type Footprint = SmallVec<[Access; 2]>;

impl Access {
    /// Reads the bytes `address .. address + length`.
    pub fn read(address: u64, length: u64) -> Self {
        Self { place: Place::Memory { start: address, end: address + length }, mode: Mode::Read }
    }

    /// Writes the bytes `address .. address + length`.
    pub fn write(address: u64, length: u64) -> Self {
        Self { place: Place::Memory { start: address, end: address + length }, mode: Mode::Write }
    }

    /// Touches the synchronisation object at `address`.
    pub fn object(address: u64, mode: Mode) -> Self {
        Self { place: Place::Object(address), mode }
    }

    /// Finds the object that begins at `base` alive.
    pub fn alive(base: u64) -> Self {
        Self { place: Place::Life(base), mode: Mode::Read }
    }

    /// Ends the life of the object of `size` bytes that begins at `base`.
    pub fn end_of_life(base: u64, size: u64) -> [Self; 2] {
        [Self::write(base, size.max(1)), Self { place: Place::Life(base), mode: Mode::Write }]
    }

    /// The same place touched by a step that neither waits nor releases.
    pub fn without_waiting(self) -> Self {
        let mode = match self.mode {
            Mode::Read | Mode::Follow => Mode::Read,
            Mode::Write | Mode::Acquire | Mode::Release | Mode::Post => Mode::Write,
        };
        Self { mode, ..self }
    }

    /// Whether the order of two accesses of different agents matters.
    pub fn conflicts(&self, other: &Access) -> bool {
        use Mode::{Follow, Post, Read, Release};
        if matches!(
            (self.mode, other.mode),
            (Read | Follow, Read | Follow) | (Release, Release) | (Post, Post)
        ) {
            return false;
        }
        match (self.place, other.place) {
            (Place::Memory { start, end }, Place::Memory { start: other_start, end: other_end }) => {
                start < other_end && other_start < end
            }
            (Place::Everything, _) | (_, Place::Everything) => true,
            (place, other_place) => place == other_place,
        }
    }
}

/// Whether the order of two steps with these footprints matters.
pub fn dependent(first: &[Access], second: &[Access]) -> bool {
    first.iter().any(|access| second.iter().any(|other| access.conflicts(other)))
}

/// Whether `later`, coming right after `earlier` and dependent on it, might also have come before it. False
/// when every conflict between the two is a release that `later` acquires or follows.
pub fn reversible(earlier: &[Access], later: &[Access]) -> bool {
    earlier.iter().any(|access| {
        later.iter().any(|other| {
            let waits = matches!(other.mode, Mode::Acquire | Mode::Follow);
            access.conflicts(other) && !(access.mode == Mode::Release && waits)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_bytes_conflict_unless_both_are_read() {
        let conflicts = |a: Access, b: Access| dependent(&[a], &[b]) && dependent(&[b], &[a]);
        assert!(conflicts(Access::write(8, 4), Access::read(11, 1)));
        assert!(!conflicts(Access::write(8, 4), Access::read(12, 4)));
        assert!(!conflicts(Access::read(8, 4), Access::read(8, 4)));
        assert!(!conflicts(Access::write(8, 4), Access::object(8, Mode::Write)));
    }

    #[test]
    fn what_looks_at_everything_conflicts_with_every_step() {
        let end = [Access { place: Place::Everything, mode: Mode::Write }];
        for step in [Access::read(8, 4), Access::object(64, Mode::Release), Access::alive(16)] {
            assert!(dependent(&end, &[step]) && dependent(&[step], &end) && reversible(&[step], &end));
        }
        assert!(!dependent(&end, &[]));
    }

    #[test]
    fn an_acquire_after_its_release_cannot_be_swapped() {
        let lock = [Access::object(64, Mode::Acquire)];
        let unlock = [Access::object(64, Mode::Release)];
        assert!(dependent(&unlock, &lock) && !reversible(&unlock, &lock));
        assert!(reversible(&lock, &lock));
        assert!(!dependent(&unlock, &unlock));
        let post = [Access::object(64, Mode::Post)];
        assert!(!dependent(&post, &post) && reversible(&post, &lock));
        let lock_for_reading = [Access::object(64, Mode::Follow)];
        assert!(dependent(&unlock, &lock_for_reading) && !reversible(&unlock, &lock_for_reading));
        assert!(!dependent(&lock_for_reading, &lock_for_reading) && reversible(&lock, &lock_for_reading));
    }
}
