//! The base of C++'s own library: operators, guards of static objects, the unwinder.

pub(crate) mod operator_new;
pub(crate) mod static_guard;
pub(crate) mod unwind;
