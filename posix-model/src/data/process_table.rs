//! The processes of a program, and how they are related.

use crate::data::shared_objects::Carried;
use imbl::OrdMap;
use symx_trace::ThreadId;

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
    /// Whether its end has been waited for, or none will be.
    pub is_reaped: bool,
    /// Whether the thread that made it waits until it executes a program or ends.
    pub is_awaited: bool,
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

    /// Whether the thread that made a process waits until it executes a program or ends.
    pub fn is_awaited(&self, process: ThreadId) -> bool {
        self.records.get(&process).is_some_and(|record| record.is_awaited && record.status.is_none())
    }

    /// Adds a process that `parent` has made.
    pub fn add(&mut self, process: ThreadId, parent: ThreadId) {
        let record =
            ProcessRecord { parent: Some(parent), status: None, is_reaped: false, is_awaited: false };
        self.records.insert(process, record);
    }

    /// Changes a record.
    pub fn change(&mut self, process: ThreadId, change: impl FnOnce(&mut ProcessRecord)) {
        if let Some(record) = self.records.get_mut(&process) {
            change(record);
        }
    }
}
