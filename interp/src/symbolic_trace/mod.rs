//! One execution as a symbolic trace: what threads do, values as terms over what they read from each other.
//!
//! While an executor has a [`Tracer`], visible reads return symbols and conditions on them are noted; `build`
//! makes a [`SymbolicTrace`](symx_trace::symbolic::SymbolicTrace) of what was noted.

mod accesses;
mod build;
mod calls;
mod objects;
mod output;
mod synchronisation;
mod tracer;

pub use build::{Ending, NotTraced, Traced, build};
pub use synchronisation::Synchronisation;
pub use tracer::{Guesses, Happened, Happening, Mark, Moved, Tracer};
