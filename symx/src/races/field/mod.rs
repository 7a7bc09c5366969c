//! Candidates in the field: native programs that watch one candidate each, and what they report.

pub(crate) mod campaign;
pub(crate) mod joined;
pub(crate) mod listed;
pub(crate) mod report;
pub(crate) mod table;
