//! The execution graph: events, the places they touch, and the run that has led to them.

pub(super) mod event;
pub(super) mod event_set;
pub(super) mod index;
pub(super) mod locations;
pub(super) mod log;
pub(super) mod run;
pub(super) mod starts;
pub(super) mod update;
pub(super) mod way_back;
