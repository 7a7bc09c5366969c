//! Partial store order with the read-modify-writes of the SPARC V9 manual.

use crate::{
    Barrier, ByteRange, CommitOrder, Drain, Event, Execution, FenceEffect, Forbidden, MemoryModel, Operation,
    Ordering, PartialStoreOrder, StorePlacement,
};

/// As PSO, but a read-modify-write that does not release may take effect before older stores to other places.
/// V9 keeps an atomic before what follows it, not after older stores. The mapping of C11 does not use it.
#[derive(Clone, Copy, Debug)]
pub struct PartialStoreOrderV9;

impl MemoryModel for PartialStoreOrderV9 {
    fn name(&self) -> &'static str {
        "pso-v9"
    }

    fn description(&self) -> &'static str {
        "as pso, and read-modify-writes may overtake older stores to other places (SPARC V9)"
    }

    fn store(&self, ordering: Ordering) -> StorePlacement {
        PartialStoreOrder.store(ordering)
    }

    fn load(&self, ordering: Ordering) -> Drain {
        PartialStoreOrder.load(ordering)
    }

    fn fence(&self, ordering: Ordering) -> FenceEffect {
        PartialStoreOrder.fence(ordering)
    }

    fn read_modify_write(&self, ordering: Ordering, range: ByteRange) -> Drain {
        if ordering.releases() { Drain::Everything } else { Drain::Overlapping(range) }
    }

    fn synchronisation(&self) -> Drain {
        PartialStoreOrder.synchronisation()
    }

    fn commit_order(&self) -> CommitOrder {
        PartialStoreOrder.commit_order()
    }

    fn preserved(&self, earlier: &Event, later: &Event, between: Barrier) -> bool {
        let updates =
            matches!(later.operation, Operation::ReadModifyWrite | Operation::FailedCompareExchange);
        if updates && !later.ordering.releases() {
            let as_store = Event { operation: Operation::Store, ..*later };
            return PartialStoreOrder.preserved(earlier, &as_store, between);
        }
        PartialStoreOrder.preserved(earlier, later, between)
    }

    fn allows(&self, execution: &Execution) -> Result<(), Forbidden> {
        execution.check_store_order(self)
    }
}
