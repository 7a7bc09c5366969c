//! Synchronisation objects in memory that processes share.

use crate::data::PosixData;
use crate::data::sync_objects::SyncObjects;
use crate::kernel::futex::Futexes;
use smallvec::SmallVec;

/// The objects in shared memory while they are with no process.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Carried {
    sync: SyncObjects,
    futexes: Futexes,
}

impl PosixData {
    /// The objects of memory that the current process may share with others, and their lengths.
    pub(crate) fn shared_memory(&self) -> SmallVec<[(u64, u64); 4]> {
        self.own.process.mapped.iter().map(|(base, mapped)| (*base, mapped.length)).collect()
    }

    /// Takes the objects in shared memory out of the tables of the current process.
    pub(crate) fn leave_shared(&mut self) {
        let ranges = self.shared_memory();
        if !ranges.is_empty() {
            let carried = &mut self.processes.carried;
            self.own.sync.carry_to(&mut carried.sync, &ranges);
            self.kernel.own.futexes.carry_to(&mut carried.futexes, &ranges);
        }
    }

    /// Puts the objects in shared memory into the tables of the current process.
    pub(crate) fn enter_shared(&mut self) {
        let ranges = self.shared_memory();
        if !ranges.is_empty() {
            let carried = &mut self.processes.carried;
            carried.sync.carry_to(&mut self.own.sync, &ranges);
            carried.futexes.carry_to(&mut self.kernel.own.futexes, &ranges);
        }
    }
}
