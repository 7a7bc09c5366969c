//! States, threads, memory and stepping: what it takes to execute a program one step at a time.

pub mod access;
pub mod asking;
pub mod caches;
pub mod call;
pub mod environment;
pub mod inputs;
pub mod learned;
pub mod machine;
pub mod memory;
pub mod paths;
pub mod progress;
pub mod remedies;
pub mod report;
pub mod shared;
pub mod state;
pub mod step;
pub mod stop;
pub mod symbolic_trace;
pub mod threads;
pub mod value;

pub use call::Call;
pub use environment::{Environment, ModelFn, Outcome};
pub use learned::Learned;
pub use machine::{Executor, Machine, Options};
pub use memory::indeterminate::PoisonReason;
pub use paths::numberings::numbering;
pub use paths::recorder::{PathRecorder, RecordingOptions};
pub use shared::Shared;
pub use state::{End, State};
pub use stop::{Fault, Incomplete, Stop};
pub use threads::numbers::NextThread;
pub use value::{Byte, Value};
