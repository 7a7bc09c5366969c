//! What C++ needs below its own library: operators, guards of static objects, the unwinder.

pub(crate) mod operator_new;
pub(crate) mod static_guard;
pub(crate) mod unwind;
