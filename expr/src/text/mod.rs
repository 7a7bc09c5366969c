//! Terms as text, for people and for solvers.

pub(crate) mod display;
pub(crate) mod smtlib;
