//! Where a walk begins and with how many workers, where it stands when it is ended from outside, and why it
//! may not be able to explore a program.

use std::fmt;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::{Decision, ThreadId};

/// Further workers.
#[allow(missing_debug_implementations)] // a closure has none
pub struct Help<'h, 'm> {
    /// How many workers there are to be, the first one included.
    pub jobs: usize,
    /// Makes a solver for each.
    pub solver: &'h (dyn Fn() -> Box<dyn Solver + 'm> + Sync),
}

/// Where a walk starts: a state in which one agent at most can take a step.
pub(crate) struct Root<E: Environment> {
    /// The state.
    pub state: State<E>,
    /// The thread that stands in the middle of a step there, and what to hand to
    /// [`Executor::resume`](symx_interp::machine::Executor::resume).
    pub resumed: Option<(ThreadId, bool)>,
    /// The decisions that led there.
    pub decisions: Vec<Decision>,
    /// Forks on the way there.
    pub depth: u32,
}

/// Where a walk that was ended from outside stood.
pub(crate) enum WalkPosition<P> {
    /// It restarts: what it has learned last changes what is a step.
    Beginning,
    /// At this position.
    At(P),
}

/// The reason why the reads-from reduction was not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// The program does what the reduction does not cover: what.
    Uncovered(&'static str),
    /// The walk contradicted itself, which is a bug of symx: in what.
    Contradiction(&'static str),
}

impl fmt::Display for Beyond {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Beyond::Uncovered(what) => out.write_str(what),
            Beyond::Contradiction(what) => write!(out, "internal contradiction: {what}"),
        }
    }
}
