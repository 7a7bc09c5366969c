//! What counts as a step. Executions along recorded paths may be too long for a step an access.
//!
//! Where threads hand large objects on to each other, a step for each access to them would be millions. Most
//! recorded failures are found without: threads change at synchronisation only, in the recorded order first.

use crate::ExploreOptions;
use crate::source_sets::limits::{COARSE_EXECUTIONS, LONGEST_FINE};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_interp::memory::Site;

/// What counts as a step of a walk, and how long the walk may be. Along recorded paths, one of each is made
/// after the other, until one finds a failure or has explored all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Grain {
    /// Each access that others may see. An execution of [many steps](LONGEST_FINE) ends the walk.
    FineWhereShort,
    /// Synchronisation only, in a [number of executions](COARSE_EXECUTIONS).
    Coarse,
    /// Each access that others may see.
    #[default]
    Fine,
}

impl Grain {
    /// The first one of a program under options.
    pub fn first<E: Environment>(machine: &Machine<E>, options: &ExploreOptions) -> Self {
        match machine.options.guide.is_some() && options.bound.is_none() {
            true => Self::FineWhereShort,
            false => Self::Fine,
        }
    }

    /// The sites whose accesses are steps, of those that are shared.
    pub fn visible(self, shared: &FxHashSet<Site>) -> Option<Arc<FxHashSet<Site>>> {
        (self != Self::Coarse).then(|| Arc::new(shared.clone()))
    }

    /// How many executions a walk may have, abandoned ones included.
    pub fn most_executions(self) -> u64 {
        if self == Self::Coarse { COARSE_EXECUTIONS } else { u64::MAX }
    }

    /// How many steps an execution may have.
    pub fn most_steps(self) -> usize {
        if self == Self::FineWhereShort { LONGEST_FINE } else { usize::MAX }
    }
}
