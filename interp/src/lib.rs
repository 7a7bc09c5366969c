//! States, threads, memory, stepping, scheduling, exploration and replay.

pub mod access;
pub mod agents;
pub mod call;
mod copying;
pub mod coverage;
mod deadlock;
pub mod environment;
pub mod explore;
pub mod guide;
pub mod indeterminate;
mod inputs;
pub mod machine;
pub mod memory;
pub mod report;
mod resolve;
mod scope;
mod shared;
pub mod state;
pub mod step;
pub mod stop;
pub mod stretch;
mod targets;
pub mod thread;
pub mod value;
mod window;

pub use call::Call;
pub use environment::{Environment, ModelFn, Outcome};
pub use indeterminate::PoisonReason;
pub use machine::{Executor, Machine, Options};
pub use shared::Shared;
pub use state::{End, State};
pub use stop::{Fault, Incomplete, Stop};
pub use value::{Byte, Value};
