//! Paths through the program's own code: recording them, following recorded ones, comparing with these,
//! counting visits and coverage, logging what an execution does.

pub mod census;
pub mod coverage;
pub mod departure;
mod edge_sequence;
pub mod guide;
pub mod halts;
pub(crate) mod limits;
pub(crate) mod numberings;
mod passages;
pub mod recorder;
pub mod reference;
pub mod run_logger;
