//! Values of terms: bit vectors, and assignments of them to symbols.

pub(crate) mod assignment;
pub(crate) mod bitvector;
pub(crate) mod limbs;
pub(crate) mod word;
