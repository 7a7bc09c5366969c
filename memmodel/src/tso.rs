//! Total store order: one first-in-first-out buffer a thread.

use crate::{
    Barrier, ByteRange, CommitOrder, Drain, Event, Execution, FenceEffect, Forbidden, MemoryModel, Operation,
    Ordering, StorePlacement,
};

/// The model of x86 and SPARC TSO (Owens, Sarkar and Sewell, TPHOLs 2009): a load may take effect before an
/// older store of its thread. Nothing else is reordered, and a thread reads its own pending stores early.
#[derive(Clone, Copy, Debug)]
pub struct TotalStoreOrder;

impl MemoryModel for TotalStoreOrder {
    fn name(&self) -> &'static str {
        "tso"
    }

    fn description(&self) -> &'static str {
        "total store order (x86): loads may overtake older stores of their thread"
    }

    fn store(&self, ordering: Ordering) -> StorePlacement {
        match ordering {
            Ordering::SequentiallyConsistent => StorePlacement::DrainThenMemory,
            _ => StorePlacement::Buffer,
        }
    }

    fn load(&self, _: Ordering) -> Drain {
        Drain::Nothing
    }

    fn fence(&self, ordering: Ordering) -> FenceEffect {
        match ordering {
            Ordering::SequentiallyConsistent => FenceEffect::Drain,
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
        CommitOrder::Program
    }

    /// All but a load after a store that has no full fence between; a sequentially consistent store is one.
    fn preserved(&self, earlier: &Event, later: &Event, between: Barrier) -> bool {
        let pending =
            earlier.operation == Operation::Store && earlier.ordering != Ordering::SequentiallyConsistent;
        !pending || !later.operation.may_overtake_stores() || between == Barrier::Full
    }

    fn allows(&self, execution: &Execution) -> Result<(), Forbidden> {
        execution.check_store_order(self)
    }
}
