//! Synthesis: a schedule that shows a bug, from a symbolic trace (CLAP, PLDI 2013; the axioms of `memmodel`
//! replace its one total order of accesses).
//!
//! A [`Problem`] is a trace under a memory model, a [`System`] its constraints. Engines that answer whether
//! there is an execution implement one trait ([`Engine`]). Two walk: [`Search`] through all executions by
//! number of preemptions, [`Forward`] through those in which threads go on as long as their paths let them.
//! The others are Z3 ([`Clocks`]) and a SAT solver with a theory of orders ([`OrderTheory`]). An answer
//! counts once the schedule made of it ([`linearise`](linearise())) was executed event by event and showed
//! the bug ([`validate`]).

mod engines;
mod execution;
mod fewer;
mod fewest;
mod limits;
mod problem;
mod synthesize;
mod system;

pub use engines::clocks::{Clocks, to_smtlib};
pub use engines::forward::Forward;
pub use engines::order_theory::{OrderTheory, cadical_version};
pub use engines::search::{Search, SearchLimits};
pub use engines::unknown::{Unknown, Unsolved};
pub use engines::{Answer, Engine};
pub use execution::linearise::{follow, linearise};
pub use execution::machine::{Machine, Refused, State};
pub use execution::model::Model;
pub use execution::schedule::{Invalid, Schedule, execute, validate};
pub use execution::steps::{moves_of, steps_of};
pub use fewer::with_fewer_preemptions;
pub use fewest::{Fewest, fewest_preemptions};
pub use problem::{EventId, Position, Problem, Unsupported};
pub use synthesize::{Synthesis, SynthesisLimits, synthesize, synthesize_by_all, synthesize_side_by_side};
pub(crate) use system::certain_orders;
pub use system::fixed_order::FixedOrder;
pub use system::locks::{Lock, Section};
pub use system::scope::Scope;
pub use system::{Atom, Literal, System};
