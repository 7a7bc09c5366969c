//! The happens-before model: a read may return any write that happens-before does not hide.

use crate::{
    Barrier, ByteRange, CommitOrder, Drain, Event, Execution, FenceEffect, Forbidden, MemoryModel, Ordering,
    StorePlacement,
};

/// Weak ordering (Dubois, Scheurich and Briggs, ISCA 1986), as in symbolic memory consistency modelling
/// (Kasikci, Zamfir and Candea, "Portend", ASPLOS 2012, and Kasikci's thesis, section 5.7). Only
/// happens-before orders accesses, and one coherence order of the writes of each place, as C11 has it. Reads
/// return writes that were executed, never later ones, and updates the newest of these. Operational half:
/// [`WriteHistory`](crate::WriteHistory).
#[derive(Clone, Copy, Debug)]
pub struct HappensBeforeOnly;

impl MemoryModel for HappensBeforeOnly {
    fn name(&self) -> &'static str {
        "weak"
    }

    fn description(&self) -> &'static str {
        "happens-before only: a read may return any write not hidden by happens-before"
    }

    fn keeps_history(&self) -> bool {
        true
    }

    fn store(&self, _: Ordering) -> StorePlacement {
        StorePlacement::Memory
    }

    fn load(&self, _: Ordering) -> Drain {
        Drain::Nothing
    }

    fn fence(&self, _: Ordering) -> FenceEffect {
        FenceEffect::None
    }

    fn read_modify_write(&self, _: Ordering, _: ByteRange) -> Drain {
        Drain::Nothing
    }

    fn synchronisation(&self) -> Drain {
        Drain::Nothing
    }

    fn commit_order(&self) -> CommitOrder {
        CommitOrder::Program
    }

    fn preserved(&self, _: &Event, _: &Event, _: Barrier) -> bool {
        true
    }

    fn allows(&self, execution: &Execution) -> Result<(), Forbidden> {
        execution.check_happens_before()
    }
}
