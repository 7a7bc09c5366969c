//! Synchronisation objects in memory that processes share.

use crate::data::PosixData;
use crate::kernel::futex::Queues;
use crate::memory::shared_mappings::carry;
use crate::sync::barrier::Barrier;
use crate::sync::condition::Condition;
use crate::sync::mutex::Mutex;
use crate::sync::once::Once;
use crate::sync::rwlock::ReadWriteLock;
use crate::sync::semaphore::Semaphore;
use crate::sync::spin::SpinLock;
use imbl::OrdMap;
use smallvec::SmallVec;

/// The synchronisation objects in shared memory, by address, while they are with no process.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Carried {
    mutexes: OrdMap<u64, Mutex>,
    conditions: OrdMap<u64, Condition>,
    semaphores: OrdMap<u64, Semaphore>,
    barriers: OrdMap<u64, Barrier>,
    rwlocks: OrdMap<u64, ReadWriteLock>,
    once: OrdMap<u64, Once>,
    spins: OrdMap<u64, SpinLock>,
    queues: Queues,
}

impl PosixData {
    /// The objects of memory that the current process may share with others, and their lengths.
    pub(crate) fn shared_memory(&self) -> SmallVec<[(u64, u64); 4]> {
        self.own.mapped.iter().map(|(base, mapped)| (*base, mapped.length)).collect()
    }

    /// Takes the objects in shared memory out of the tables of the current process.
    pub(crate) fn leave_shared(&mut self) {
        let ranges = self.shared_memory();
        if ranges.is_empty() {
            return;
        }
        let carried = &mut self.processes.carried;
        carry(&ranges, &mut self.mutexes, &mut carried.mutexes);
        carry(&ranges, &mut self.conditions, &mut carried.conditions);
        carry(&ranges, &mut self.semaphores.objects, &mut carried.semaphores);
        carry(&ranges, &mut self.barriers, &mut carried.barriers);
        carry(&ranges, &mut self.rwlocks, &mut carried.rwlocks);
        carry(&ranges, &mut self.once, &mut carried.once);
        carry(&ranges, &mut self.spins, &mut carried.spins);
        self.kernel.futexes.carry_to(&mut carried.queues, &ranges);
    }

    /// Puts the objects in shared memory into the tables of the current process.
    pub(crate) fn enter_shared(&mut self) {
        let ranges = self.shared_memory();
        if ranges.is_empty() {
            return;
        }
        let carried = &mut self.processes.carried;
        carry(&ranges, &mut carried.mutexes, &mut self.mutexes);
        carry(&ranges, &mut carried.conditions, &mut self.conditions);
        carry(&ranges, &mut carried.semaphores, &mut self.semaphores.objects);
        carry(&ranges, &mut carried.barriers, &mut self.barriers);
        carry(&ranges, &mut carried.rwlocks, &mut self.rwlocks);
        carry(&ranges, &mut carried.once, &mut self.once);
        carry(&ranges, &mut carried.spins, &mut self.spins);
        carried.queues.carry_to(&mut self.kernel.futexes, &ranges);
    }
}
