//! Paths through the program's own code: recording them, following recorded ones, counting visits and
//! coverage, logging what an execution does.

pub mod census;
pub mod coverage;
pub mod guide;
pub mod halts;
pub(crate) mod numberings;
pub mod recorder;
pub mod run_logger;
