//! Bounds on forks: how deep one path may fork, and how often all of them together.

use super::{ExploreOptions, Progress};
use crate::stop::Incomplete;
use symx_ir::SpanId;

impl ExploreOptions {
    /// Whether forks are bounded at all.
    pub(crate) fn bounds_forks(&self) -> bool {
        self.max_depth.is_some() || self.max_forks.is_some()
    }

    /// Why a path that has forked `depth` times may not fork again, if so.
    pub(crate) fn forbids_fork(&self, progress: &Progress, depth: u32, span: SpanId) -> Option<Incomplete> {
        let cut = |reason, what| Some(Incomplete { reason, what, span });
        match (self.max_depth, self.max_forks) {
            (Some(most), _) if depth >= most => cut("max-depth", format!("paths of more than {most} forks")),
            (_, Some(most)) if progress.paths >= most => cut("max-forks", String::new()),
            _ => None,
        }
    }
}

/// Whether a reason for being incomplete ends the whole exploration.
pub fn ends_exploration(reason: &str) -> bool {
    matches!(
        reason,
        "max-time"
            | "max-memory"
            | "max-executions"
            | "max-forks"
            | "interrupted"
            | super::races::BOUND
            | super::probing::FOUND
    )
}
