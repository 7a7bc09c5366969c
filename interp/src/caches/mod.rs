//! What has been computed before and need not be again: results on symbolic operands, steps, ends of
//! executions.

pub mod audited;
pub mod endings;
pub mod sameness;
pub mod symbolic_results;
pub mod transitions;
