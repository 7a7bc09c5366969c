//! Executions along recorded paths that are too long for a step an access.

use super::{Exploration, ExploreOptions, Observer, Root, Walk};
use crate::source_sets::limits::COARSE_EXECUTIONS;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;

/// Along recorded paths: a walk in which threads change at synchronisation only, in the recorded order first.
/// Where threads hand large objects on to each other, a step for each access to them would be millions. Most
/// recorded failures are found without. Its result, if it found what was recorded or was ended from outside;
/// else the finer walk has to do.
pub(super) fn follow_coarsely<E: Environment>(
    executor: &mut Executor<'_, E>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Option<Exploration> {
    executor.visible = None;
    let mut walk = Walk::new(executor, options, observer, root);
    walk.bounds.executions = COARSE_EXECUTIONS;
    walk.run(root);
    let result = walk.result;
    let is_over = result.incomplete.iter().any(|cut| cut.reason.ends_exploration());
    (!result.failures.is_empty() || is_over).then_some(result)
}
