//! Coverage of a run: what it has looked at and what it has not, for readers of `safe`.

use crate::options::ExploringOptions;
use crate::options::checks;
use serde::{Deserialize, Serialize};
use symx_trace::FailureKind;

/// Checks and bounds of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Covered {
    /// Checks that were made, by their names for `--check`.
    pub checks: Vec<FailureKind>,
    /// Those that were not.
    pub unchecked: Vec<FailureKind>,
    /// Bounds that were given, as options; a verdict of `safe` says that none was met.
    pub bounds: Vec<String>,
}

impl Covered {
    /// By these options.
    pub fn by(options: &ExploringOptions) -> Self {
        let counted = options.checks();
        let (made, left): (Vec<FailureKind>, Vec<FailureKind>) =
            checks::named().map(|check| check.kind).partition(|kind| counted.contains(*kind));
        // A property says itself what it covers.
        let has_checks = options.property.is_empty();
        let bound = |name: &str, value: Option<String>| Some(format!("--{name} {}", value?));
        let bounds = [
            bound("preemptions", options.preemptions.map(|most| most.to_string())),
            bound("delays", options.delays.map(|most| most.to_string())),
            bound("unroll", options.unroll.map(|most| most.to_string())),
            bound("max-depth", options.max_depth.map(|most| most.to_string())),
            bound("max-forks", options.max_forks.map(|most| most.to_string())),
            bound("max-steps", options.max_steps.map(|most| most.to_string())),
            bound("max-executions", options.max_executions.map(|most| most.to_string())),
            bound("max-time", options.max_time.map(|most| most.as_secs_f64().to_string())),
        ];
        Self {
            checks: made.into_iter().filter(|_| has_checks).collect(),
            unchecked: left.into_iter().filter(|_| has_checks).collect(),
            bounds: bounds.into_iter().flatten().collect(),
        }
    }
}
