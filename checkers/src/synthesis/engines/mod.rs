//! The trait of engines: an engine gets a constraint system, and answers with a model, a core, or nothing.

pub(super) mod clocks;
pub(super) mod forward;
pub(super) mod order_theory;
pub(super) mod search;
pub(super) mod unknown;

use crate::synthesis::engines::unknown::Unknown;
use crate::synthesis::execution::model::Model;
use crate::synthesis::system::Literal;
use symx_expr::StopToken;

/// The answer of an engine.
#[derive(Clone, Debug)]
pub enum Answer {
    /// An execution.
    Model(Model),
    /// There is none under these of the assumptions; none at all if the list is empty.
    Core(Vec<Literal>),
    /// It does not know, for this reason.
    Unknown(Unknown),
}

/// One way to solve a constraint system.
pub trait Engine {
    /// Its name, for tables.
    fn name(&self) -> &'static str;

    /// Adds a clause; later answers satisfy it. Literals with [choices](super::Atom::Choice)
    /// are an encoding's own.
    fn add(&mut self, clause: &[Literal]);

    /// Literals that are tried to be true before they are tried to be false, the first ones first.
    fn prefer(&mut self, _literals: &[Literal]) {}

    /// Looks for an execution under assumptions.
    fn solve(&mut self, assumptions: &[Literal]) -> Answer;

    /// The token that stops it; it answers [`Unknown::Stopped`] soon after.
    fn stop(&self) -> StopToken;
}
