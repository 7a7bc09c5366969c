//! Executions as engines find them.

use crate::synthesis::problem::EventId;
use symx_expr::Assignment;
use symx_trace::Move;

/// An execution as an engine found it; [`linearise`](crate::synthesis::linearise()) makes a schedule of it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// All events in an order in which they could take effect.
    pub order: Vec<EventId>,
    /// Which signal or broadcast wakes which wait, named by its beginning.
    pub wakes: Vec<(EventId, EventId)>,
    /// The values of inputs.
    pub inputs: Assignment,
    /// The steps themselves, where the engine takes steps.
    pub moves: Option<Vec<Move>>,
}
