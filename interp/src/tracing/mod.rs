//! Noting an execution while it runs, and the symbolic trace that is made of what was noted.

mod accesses;
mod build;
mod calls;
mod objects;
mod output;

pub use build::{Ending, NotTraced, Traced, build};
