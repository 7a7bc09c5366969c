//! Processes: what each has for itself, what they share, and how they are related.
//!
//! The bookkeeping has the part of the current process in it; the interpreter exchanges it with that of
//! another. Objects in memory that processes share go with that memory, whichever process is current. Open
//! files, the file system, the clock and what is keyed by threads belong to all.

pub(crate) mod end;
pub(crate) mod exec;
pub(crate) mod fork;
pub(crate) mod own;
pub(crate) mod shared;
pub(crate) mod wait;

use crate::answer::PosixCall;
use crate::places::{CHILDREN, ENDS_OF_PROCESSES};
use crate::threads::{thread_number, thread_numbered};
use imbl::OrdMap;
use shared::Carried;
use symx_trace::{Place, ThreadId};

pub(crate) use own::Own;
pub use own::OwnPart;

/// The processes of a program, by the numbers of their first threads. The first process is not among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProcessTable {
    pub records: OrdMap<ThreadId, ProcessRecord>,
    /// Objects in shared memory on their way to the next process.
    pub carried: Carried,
}

/// A process that another one has made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProcessRecord {
    /// The process that waits for it; none once that has ended.
    pub parent: Option<ThreadId>,
    /// How it has ended, as `wait` has it.
    pub status: Option<u32>,
    /// Whether its end has been waited for, or nobody will.
    pub is_reaped: bool,
}

impl ProcessTable {
    /// The children of a process that have not been waited for, first made first.
    pub fn children(&self, parent: ThreadId) -> impl Iterator<Item = (ThreadId, &ProcessRecord)> {
        let records = self.records.iter().map(|(child, record)| (*child, record));
        records.filter(move |(_, record)| record.parent == Some(parent) && !record.is_reaped)
    }

    /// Whether there is such a process, even one that has ended and is not waited for yet.
    pub fn exists(&self, process: ThreadId) -> bool {
        process == ThreadId::MAIN || self.records.get(&process).is_some_and(|record| !record.is_reaped)
    }

    /// Whether a process has not ended.
    pub fn goes_on(&self, process: ThreadId) -> bool {
        self.records.get(&process).is_none_or(|record| record.status.is_none())
    }

    /// Changes a record.
    pub fn change(&mut self, process: ThreadId, change: impl FnOnce(&mut ProcessRecord)) {
        if let Some(record) = self.records.get_mut(&process) {
            change(record);
        }
    }
}

/// The number of a process towards programs: that of its first thread.
pub(crate) fn process_number(process: ThreadId) -> u64 {
    thread_number(process)
}

/// The number of the calling process.
pub(crate) fn own_number(call: &PosixCall<'_, '_>) -> u64 {
    process_number(call.process())
}

/// The process with this number.
pub(crate) fn process_numbered(call: &PosixCall<'_, '_>, number: i32) -> Option<ThreadId> {
    let process = thread_numbered(u64::try_from(number).ok()?)?;
    call.bookkeeping().processes.exists(process).then_some(process)
}

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
