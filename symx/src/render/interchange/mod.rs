//! Explanations in formats of other tools: a file a format.

mod dot;
mod sarif;

pub use dot::dot;
pub use sarif::sarif;
