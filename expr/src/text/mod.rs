//! Terms as text, for people and for solvers.

pub(crate) mod display;
mod float_smtlib;
pub(crate) mod references;
pub(crate) mod smtlib;
