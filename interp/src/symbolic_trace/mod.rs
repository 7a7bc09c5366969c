//! One execution as a symbolic trace: what threads do, values as terms over what they read from each other.
//!
//! While an executor has a [`Tracer`], visible reads return symbols and conditions on them are noted. Of
//! what was noted, [`build`](fn@crate::tracing::build) makes a
//! [`SymbolicTrace`](symx_trace::symbolic::SymbolicTrace).

mod synchronisation;
mod tracer;

pub use synchronisation::Synchronisation;
pub use tracer::{Followed, Guesses, Happened, Happening, Held, Mark, Moved, Tracer, Written};
