//! Memory that processes share, and the synchronisation objects in it.

use crate::answer::PosixCall;
use crate::data::PosixData;
use crate::kernel::futex::Queues;
use crate::processes::own::Mapped;
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

/// Moves what lies within these objects from one table to another.
pub(crate) fn carry<T: Clone>(ranges: &[(u64, u64)], from: &mut OrdMap<u64, T>, to: &mut OrdMap<u64, T>) {
    for (base, length) in ranges {
        let there: SmallVec<[u64; 4]> =
            from.range(*base..base.saturating_add(*length)).map(|(address, _)| *address).collect();
        for address in there {
            if let Some(object) = from.remove(&address) {
                to.insert(address, object);
            }
        }
    }
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

/// Notes that the calling process has mapped the object at `base`, which others may share.
pub(crate) fn note_mapped(call: &mut PosixCall<'_, '_>, base: u64, length: u64) {
    let mapped = &mut call.data().own.mapped;
    let count = mapped.get(&base).map_or(0, |mapped| mapped.count);
    mapped.insert(base, Mapped { length, count: count + 1 });
}

/// Has the calling process map an object that others share, at the same address. Whether it could.
pub(crate) fn map_shared(call: &mut PosixCall<'_, '_>, base: u64, length: u64) -> bool {
    let is_new = !call.bookkeeping().own.mapped.contains_key(&base);
    if is_new && call.has_forked() && !call.attach_shared(base) {
        return false;
    }
    note_mapped(call, base, length);
    if is_new && call.has_forked() {
        call.data().enter_shared();
    }
    true
}

/// One mapping of the object at `base` is gone. Whether the process has no other.
pub(crate) fn note_unmapped(call: &mut PosixCall<'_, '_>, base: u64) -> bool {
    let Some(mapped) = call.bookkeeping().own.mapped.get(&base).copied() else { return true };
    let mapped = Mapped { count: mapped.count - 1, ..mapped };
    let data = call.data();
    if mapped.count > 0 {
        data.own.mapped.insert(base, mapped);
        return false;
    }
    data.leave_shared();
    data.own.mapped.remove(&base);
    data.enter_shared();
    true
}
