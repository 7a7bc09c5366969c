//! Synthesis: a schedule that shows a bug, from a symbolic trace (CLAP, PLDI 2013, with the axioms of
//! `memmodel` in place of its one total order of accesses).
//!
//! A [`Problem`] is a trace under a memory model, a [`System`] its constraints. Engines that answer
//! whether there is an execution hide behind one trait ([`Engine`]): a walk of all executions by number
//! of preemptions ([`Search`]), one of those in which threads go on as long as their paths let them
//! ([`Forward`]), Z3 ([`Clocks`]), and a SAT solver with a theory of orders ([`OrderTheory`]). An answer
//! counts once the schedule made of it ([`linearise`](linearise())) was executed event by event and
//! showed the bug ([`validate`]).

mod barriers;
mod clocks;
mod condition_variables;
mod engine;
mod fewer;
mod fewest;
mod fixed_order;
mod forward;
mod future;
mod journal;
mod layout;
mod linearise;
mod machine;
mod objects;
mod order_theory;
mod problem;
mod reads_from;
mod schedule;
mod scope;
mod search;
mod semaphores;
mod steps;
mod synchronisation;
mod synthesize;
mod system;
mod unknown;

pub use clocks::{Clocks, to_smtlib};
pub use engine::{Answer, Engine, Model};
pub use fewer::with_fewer_preemptions;
pub use fewest::{Fewest, fewest_preemptions};
pub use fixed_order::FixedOrder;
pub use forward::Forward;
pub use linearise::{follow, linearise};
pub use machine::{Machine, Refused, State};
pub use order_theory::OrderTheory;
pub use problem::{EventId, Position, Problem, Unsupported};
pub use schedule::{Invalid, Schedule, execute, validate};
pub use scope::Scope;
pub use search::{Search, SearchLimits};
pub use steps::{moves_of, steps_of};
pub use synchronisation::{Lock, Section};
pub use synthesize::{Synthesis, SynthesisLimits, synthesize, synthesize_by_all, synthesize_side_by_side};
pub(crate) use system::certain_orders;
pub use system::{Atom, Literal, System};
pub use unknown::{Unknown, Unsolved};
