//! Partial store order: stores to different places leave the buffer in any order.

use crate::{
    Barrier, ByteRange, CommitOrder, Drain, Event, Execution, FenceEffect, Forbidden, MemoryModel, Operation,
    Ordering, StorePlacement,
};

/// The model of SPARC PSO: as TSO, and stores may overtake older stores they do not overlap. Loads still take
/// effect in program order. Read-modify-writes drain, as in every mapping of sequentially consistent ones.
#[derive(Clone, Copy, Debug)]
pub struct PartialStoreOrder;

impl MemoryModel for PartialStoreOrder {
    fn name(&self) -> &'static str {
        "pso"
    }

    fn description(&self) -> &'static str {
        "partial store order (SPARC): as tso, and stores to different places may change order"
    }

    fn store(&self, ordering: Ordering) -> StorePlacement {
        match ordering {
            Ordering::SequentiallyConsistent => StorePlacement::DrainThenMemory,
            _ if ordering.releases() => StorePlacement::BufferAfterStoreStore,
            _ => StorePlacement::Buffer,
        }
    }

    fn load(&self, _: Ordering) -> Drain {
        Drain::Nothing
    }

    fn fence(&self, ordering: Ordering) -> FenceEffect {
        match ordering {
            Ordering::SequentiallyConsistent => FenceEffect::Drain,
            _ if ordering.releases() => FenceEffect::StoreStore,
            _ => FenceEffect::None,
        }
    }

    fn read_modify_write(&self, _: Ordering, _: ByteRange) -> Drain {
        Drain::Everything
    }

    fn synchronisation(&self) -> Drain {
        Drain::Everything
    }

    fn commit_order(&self) -> CommitOrder {
        CommitOrder::Overlap
    }

    /// All from reads on; from a store on, updates, sequentially consistent stores, and what a strong enough
    /// barrier separates.
    fn preserved(&self, earlier: &Event, later: &Event, between: Barrier) -> bool {
        let sequentially_consistent = |event: &Event| event.ordering == Ordering::SequentiallyConsistent;
        if earlier.operation != Operation::Store || sequentially_consistent(earlier) {
            return true;
        }
        match later.operation {
            operation if operation.may_overtake_stores() => between == Barrier::Full,
            Operation::Store => between >= Barrier::StoreStore || sequentially_consistent(later),
            _ => true,
        }
    }

    fn allows(&self, execution: &Execution) -> Result<(), Forbidden> {
        execution.check_store_order(self)
    }
}
