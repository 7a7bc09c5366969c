//! States, threads, memory and steps: a program executed one visible operation at a time.
//!
//! Three types come first:
//!
//! - [`Machine`], what is the same for every state: the program, the environment's models, the memory model;
//! - [`State`], one moment of an execution, as plain persistent data: a clone is a fork, and costs little;
//! - [`Executor`], which takes steps. It says which agents are [enabled](Executor::enabled) and what their
//!   next steps will touch ([`footprint`](Executor::footprint)), and performs one ([`step`](Executor::step)).
//!
//! A thread runs until it parks before an operation that another thread could observe. Here a program has one
//! thread, so nothing but its beginning and its end is visible:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use symx_bitcode::{LoadOptions, load};
//! use symx_expr::Terms;
//! use symx_expr::solver::{Z3Options, standard};
//! use symx_interp::stop::Step;
//! use symx_interp::{End, Environment, Executor, Machine, Options};
//! use symx_posix_model::{Posix, PosixOptions, ROOTS};
//!
//! let text = b"define i32 @main() {
//!                ret i32 42
//!              }";
//! let module = load(Path::new("main.ll"), text, &LoadOptions::default()).unwrap();
//! let program = symx_ir::link(vec![module], ROOTS, &<Posix as Environment>::models).unwrap();
//! let posix = Posix::new(PosixOptions::default());
//! let sc = symx_memmodel::by_name("sc").unwrap();
//! let machine = Machine::new(Arc::new(program), posix, sc, Arc::new(Terms::new()), Options::default());
//!
//! let solver = standard(&machine.terms, Z3Options::default());
//! let mut executor = Executor::new(&machine, Box::new(solver));
//! let mut state = machine.initial_state();
//! while state.end.is_none() {
//!     let earlier = state.clone();
//!     let agents = executor.enabled(&state);
//!     assert!(matches!(executor.step(&mut state, agents[0]), Step::Done));
//!     // The state before the step is still there, to go on from in another way.
//!     assert!(earlier.end.is_none());
//! }
//! assert!(matches!(state.end, Some(End::Exit(exit)) if exit.status == 42));
//! ```
//!
//! A step that a symbolic value leads several ways stops as `Step::Fork`, one of which a model leaves a
//! choice as `Step::Choose`. An error of the program is a [`Fault`]; an unsupported operation is an
//! [`Incomplete`].
//!
//! Read on at [`state`], [`step`], [`memory`] and [`environment`], the seam to what programs call and do not
//! define; then in ARCHITECTURE.md, "Execution".

pub mod access;
pub mod caches;
pub mod call;
pub mod environment;
pub mod learned;
pub mod machine;
pub mod memory;
pub mod paths;
pub mod progress;
pub mod remedies;
pub mod shared;
pub mod state;
pub mod step;
pub mod stop;
pub mod symbolic_trace;
pub mod threads;
pub mod tracing;
pub mod value;
mod words;

pub use environment::{Call, Environment, ModelFn, Outcome};
pub use learned::Learned;
pub use machine::{Executor, Machine, Options};
pub use memory::cause::PoisonReason;
pub use paths::numberings::numbering;
pub use paths::recorder::{PathRecorder, RecordingOptions};
pub use shared::{Shared, Table};
pub use state::{End, Exit, State};
pub use step::numbers::NextThread;
pub use stop::{Fault, Incomplete, Stop};
pub use value::{Byte, Value};
