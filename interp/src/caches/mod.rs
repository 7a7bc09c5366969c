//! What has been computed before and need not be again: results on symbolic operands, steps, ends of
//! executions.

pub(crate) mod audited;
pub(crate) mod endings;
pub(crate) mod sameness;
pub(crate) mod symbolic_results;
pub(crate) mod transitions;
