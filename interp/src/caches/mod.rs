//! Memoised results: of symbolic operands, of steps, of ends of executions.

pub mod audited;
pub mod endings;
mod hit_rate;
pub mod places;
pub mod relocated;
pub mod sameness;
pub mod symbolic_results;
pub mod transitions;
