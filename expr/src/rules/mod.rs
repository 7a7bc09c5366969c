//! Simplification, by kind of operator, and what shows on the face of a term.

pub(crate) mod arithmetic;
pub(crate) mod bitwise;
pub(crate) mod bounds;
pub(crate) mod equality;
pub(crate) mod order;
pub(crate) mod structure;

#[cfg(test)]
mod tests;
