//! Places besides memory that steps of the models touch, for partial-order reduction.
//!
//! Objects of the library itself have small odd numbers, which no synchronisation object of a program
//! has as its address.

use symx_trace::{Access, Mode, Place, ThreadId};

/// The numbering of threads: threads are numbered in order of creation, so creations do not commute.
pub(crate) const CREATION: Place = Place::Object(1);
/// The table of thread-specific keys.
pub(crate) const KEYS: Place = Place::Object(3);
/// Pending signals and their dispositions.
pub(crate) const SIGNALS: Place = Place::Object(7);
/// The addresses of sockets, and the ports that are free.
pub(crate) const ADDRESSES: Place = Place::Object(9);
/// What every look at a path depends on: the working directory, the permissions of new files, and where
/// directories are. The name itself is a [place of its own](crate::kernel::nodes::paths::name_place).
pub(crate) const NAMES: Place = Place::Object(11);
/// Names of message queues.
pub(crate) const QUEUE_NAMES: Place = Place::Object(25);
/// The clock: reading it moves it on.
pub(crate) const CLOCK: Place = Place::Object(13);
/// Process-wide settings such as the umask.
pub(crate) const SETTINGS: Place = Place::Object(15);
/// The limits of a process.
pub(crate) const LIMITS: Place = Place::Object(5);
/// The sequence of random bytes.
pub(crate) const RANDOM: Place = Place::Object(21);
/// Which thread is the last to end.
pub(crate) const LAST_END: Place = Place::Object(19);
/// Named semaphores.
pub(crate) const NAMED_SEMAPHORES: Place = Place::Object(17);

/// The end of a process.
pub(crate) fn end_of(process: ThreadId) -> Place {
    let Place::Object(first) = ENDS_OF_PROCESSES else { return ENDS_OF_PROCESSES };
    Place::Object(first | u64::from(process.0) << 1 | 1)
}

/// Which children a process has.
pub(crate) fn children_of(process: ThreadId) -> Place {
    let Place::Object(first) = CHILDREN else { return CHILDREN };
    Place::Object(first | u64::from(process.0) << 1 | 1)
}

/// Reads `place`.
pub(crate) fn read(place: Place) -> Access {
    Access { place, mode: Mode::Read }
}

/// Changes `place`.
pub(crate) fn write(place: Place) -> Access {
    Access { place, mode: Mode::Write }
}

/// May wait at `place`.
pub(crate) fn acquire(place: Place) -> Access {
    Access { place, mode: Mode::Acquire }
}

/// May wait at `place`, and commutes with others that do.
pub(crate) fn follow(place: Place) -> Access {
    Access { place, mode: Mode::Follow }
}

/// Lets threads that wait at `place` go on.
pub(crate) fn release(place: Place) -> Access {
    Access { place, mode: Mode::Release }
}

/// Lets threads that wait at `place` go on, of which some may have been able to before.
pub(crate) fn post(place: Place) -> Access {
    Access { place, mode: Mode::Post }
}

/// Where threads wait that have been queued at the object at `address` (sleepers of a condition variable,
/// arrivals at a barrier). It is a place of its own, so that going on does not conflict with others being
/// queued.
pub(crate) fn wake_up(address: u64) -> Place {
    Place::Object(address | 1)
}

/// The keys of System V objects of a kind.
pub(crate) fn system_v_keys(kind: u64) -> Place {
    Place::Object(27 + 2 * kind)
}

/// A System V object of a kind: a number that is no address of an object.
pub(crate) fn system_v_object(kind: u64, id: u64) -> Place {
    Place::Object(1 << 54 | kind << 40 | id << 1 | 1)
}

/// The end of a process, the first of the numbers of all: no address of an object.
pub(crate) const ENDS_OF_PROCESSES: Place = Place::Object(1 << 55);
/// The children of a process, the first of the numbers of all: no address of an object.
pub(crate) const CHILDREN: Place = Place::Object(1 << 55 | 1 << 40);

/// Whether each process has the object of this number for itself.
pub(crate) fn is_of_process(object: u64) -> bool {
    /// The bit of the numbers of [descriptors](crate::kernel::nodes::descriptors::descriptor_place).
    const DESCRIPTORS: u32 = 57;
    object >> DESCRIPTORS == 1 || [KEYS, SETTINGS, LIMITS, LAST_END, TIMER].contains(&Place::Object(object))
}

/// The place of an open file: its position and flags.
pub(crate) fn file_place(file: u64) -> Place {
    Place::Stream(file)
}

/// The place of a node: what it holds.
pub(crate) fn node_place(node: u64) -> Place {
    Place::Stream(node | 1 << 63)
}

/// The order in which the set of descriptors at `node` reports. No node of the host has a set.
pub(crate) fn order_of_reports(node: u64) -> Place {
    Place::Stream(node | 1 << 63 | 1 << 61)
}

/// The locks of the file `node`. That of a file of the host may be another's content, too: they then
/// conflict.
pub(crate) fn locks_of(node: u64) -> Place {
    Place::Stream(node | 1 << 63 | 1 << 60)
}

/// The timer of the process.
pub(crate) const TIMER: Place = Place::Object(23);

/// The library's data of `thread` besides whether it has ended (whether it is detached, its name, how it is
/// scheduled). The place is a number that is no address of an object. Its end changes none of that, so the
/// two commute.
pub(crate) fn record_of(thread: ThreadId) -> Place {
    Place::Object(1 << 58 | u64::from(thread.0) << 1 | 1)
}

/// Two threads that may wait for each other's end: a number that is no address of an object.
pub(crate) fn joining_each_other(one: ThreadId, other: ThreadId) -> Place {
    let (low, high) = (one.0.min(other.0), one.0.max(other.0));
    Place::Object(1 << 60 | u64::from(low) << 28 | u64::from(high) << 1 | 1)
}

/// The sleep of `thread` at a futex, which requeuing can move: a number that is no address of an object.
pub(crate) fn asleep(thread: ThreadId) -> Place {
    Place::Object(1 << 59 | u64::from(thread.0) << 1 | 1)
}

/// Signals for `thread`: a number that is no address of an object.
pub(crate) fn interruption(thread: ThreadId) -> Place {
    Place::Object(1 << 61 | u64::from(thread.0) << 1 | 1)
}

/// Requests to cancel `thread`: a number that is no address of an object.
pub(crate) fn cancellation(thread: ThreadId) -> Place {
    Place::Object(1 << 62 | u64::from(thread.0) << 1 | 1)
}
