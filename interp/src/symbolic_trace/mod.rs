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

pub(crate) use build::{Ending, build};
pub use build::{NotTraced, Traced};
pub use synchronisation::Synchronisation;
pub(crate) use tracer::{Happened, Happening, Mark, Moved, Tracer};
