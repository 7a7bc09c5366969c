//! Explanations in formats of other tools: a file a format.

mod chrome_trace;
mod dot;
mod sarif;
mod sarif_rules;
mod witness;

pub use chrome_trace::chrome_trace;
pub use dot::dot;
pub use sarif::sarif;
pub use witness::{Witness, WitnessSource, graphml, yaml};
