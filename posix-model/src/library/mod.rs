//! Functions that stand alone: nothing else in this crate needs them.

pub(crate) mod assertions;
pub(crate) mod limits;
pub(crate) mod math;
pub(crate) mod names;
pub(crate) mod rust;
pub(crate) mod symbolic;
