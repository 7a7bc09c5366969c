//! Sequential consistency: no buffer, so program order is kept whole.

use crate::{
    Barrier, ByteRange, CommitOrder, Drain, Event, Execution, FenceEffect, Forbidden, MemoryModel, Ordering,
    StorePlacement,
};

/// Every access takes effect in program order (Lamport, 1979).
#[derive(Clone, Copy, Debug)]
pub struct SequentialConsistency;

impl MemoryModel for SequentialConsistency {
    fn name(&self) -> &'static str {
        "sc"
    }

    fn description(&self) -> &'static str {
        "sequential consistency: threads interleave, accesses stay in program order"
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
        execution.check_store_order(self)
    }
}
