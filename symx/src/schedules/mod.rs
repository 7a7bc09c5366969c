//! Schedules: read, run, confirmed, reproduced from recorded paths, minimised.

pub(crate) mod artefacts;
pub(crate) mod confirm;
pub(crate) mod fewest_preemptions;
pub(crate) mod file;
pub(crate) mod guided;
pub(crate) mod laid_out;
mod limits;
pub(crate) mod narrative;
pub(crate) mod optimal;
pub(crate) mod scheduled;
pub(crate) mod traced;
