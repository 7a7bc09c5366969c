//! Executions that walks within lower bounds have counted.
//!
//! The walk within a bound goes through all executions of lower bounds again, as more follows from where they
//! stand. An execution is counted in the walk whose bound it uses up, so that each is counted once.

use super::Walk;
use crate::Progress;
use symx_interp::environment::Environment;

/// Counts of walks within lower bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LowerBounds {
    /// Executions that spend less of the bound are counted.
    pub counted_below: u32,
    /// The counts.
    pub progress: Progress,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the present execution, as far as it is, was gone through within a lower bound.
    pub(super) fn is_known_below(&self) -> bool {
        self.progress.lower.counted_below > 0
            && self.path.spent(self.options.bound) < self.progress.lower.counted_below
    }

    /// Counts an execution that is abandoned. Whether it is a new one.
    pub(super) fn abandon(&mut self) -> bool {
        let is_new = !self.is_known_below();
        match is_new {
            true => self.result.progress.blocked += 1,
            false => self.progress.known_below += 1,
        }
        is_new
    }

    /// Forks that count for the bound on them before one on the present path: none, if that was paid for
    /// within a lower bound.
    pub(super) fn forks_so_far(&self) -> Progress {
        match self.is_known_below() {
            true => Progress::default(),
            false => Progress {
                paths: self.progress.lower.progress.paths + self.result.progress.paths,
                ..Progress::default()
            },
        }
    }
}
