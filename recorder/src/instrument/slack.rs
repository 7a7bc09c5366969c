//! Which events are logged without a check for room.
//!
//! Every cycle of a function's graph has an edge that closes a loop. Where a path ends on one there is a
//! check for room, as there is where the function is entered. Between two checks every other edge is taken at
//! most once. So the log's slack has room enough for the events on as many of them. A loop whose rounds are
//! counted logs where it is left.

use crate::limits::SLACK_UNITS;
use symx_ir::path_numbering::{Edge, PathNumbering};

/// The rest of the slack while it is given out to a function's events.
pub(super) struct Slack {
    units: u32,
}

impl Slack {
    pub(super) fn new() -> Self {
        Slack { units: SLACK_UNITS }
    }

    /// Whether there is a unit left for a place that is reached at most once between two checks; it is then
    /// used up.
    pub(super) fn take(&mut self) -> bool {
        let is_left = self.units > 0;
        self.units -= u32::from(is_left);
        is_left
    }

    /// As `take`, for the path that ends on an edge.
    pub(super) fn take_for(&mut self, edge: Edge, numbering: &PathNumbering, is_wide: bool) -> bool {
        !is_wide && !numbering.closes_loop(edge) && self.take()
    }
}
