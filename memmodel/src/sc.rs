//! Sequential consistency: no buffer, so program order is kept whole.

use crate::{Execution, Forbidden, MemoryModel};

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

    fn allows(&self, execution: &Execution) -> Result<(), Forbidden> {
        execution.check_store_order(self)
    }
}
