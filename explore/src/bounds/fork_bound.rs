//! Bounds on forks: how deep one path may fork, and how often all of them together.

use crate::{ExploreOptions, Progress};
use symx_interp::stop::Incomplete;
use symx_ir::SpanId;
use symx_trace::IncompleteReason;

impl ExploreOptions {
    /// Whether forks are bounded at all.
    pub(crate) fn bounds_forks(&self) -> bool {
        self.max_depth.is_some() || self.max_forks.is_some()
    }

    /// Why a path that has forked `depth` times may not fork again, if so.
    pub(crate) fn forbids_fork(&self, progress: &Progress, depth: u32, span: SpanId) -> Option<Incomplete> {
        let cut = |reason, what| Some(Incomplete { reason, what, span });
        match (self.max_depth, self.max_forks) {
            (Some(most), _) if depth >= most => {
                cut(IncompleteReason::MaxDepth, format!("paths of more than {most} forks"))
            }
            (_, Some(most)) if progress.paths >= most => cut(IncompleteReason::MaxForks, String::new()),
            _ => None,
        }
    }
}
