//! A stretch of the walk with source sets, for whichever process has time for it.
//!
//! What is to be tried at a choice point depends on what was tried there before, and so on the order. So the
//! walk is handed on as a whole: one process explores a stretch of it, the next one goes on from there.

use super::Walk;
use super::point::Position;
use crate::reduction::Root;
use crate::{Exploration, ExploreOptions, Observer};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;

/// What came of a stretch.
pub(crate) struct Stretch {
    pub result: Exploration,
    /// What was found to be shared: nothing else counts then.
    pub discovered: FxHashSet<Site>,
    /// Whether something else was learned that changes what is to be explored.
    pub has_learned: bool,
    /// Whether the choices that lead to where it begins do not fit.
    pub leads_elsewhere: bool,
    /// Where it ended, if that is not the walk's end.
    pub position: Option<Position>,
}

/// Explores from a position, or the root, until nothing is left or the observer ends it.
pub(crate) fn explore_stretch<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &FxHashSet<Site>,
    root: &Root<E>,
    position: Option<&Position>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Stretch {
    executor.visible = Some(Arc::new(sites.clone()));
    let mut walk = Walk::new(executor, options, observer, root);
    if let Some(position) = position {
        walk.resume(position);
    }
    walk.run(root);
    let is_ended = walk.result.incomplete.iter().any(|cut| cut.reason.ends_exploration());
    Stretch {
        position: is_ended.then(|| walk.position()),
        result: walk.result,
        discovered: walk.discovered,
        has_learned: walk.has_learned,
        leads_elsewhere: walk.leads_elsewhere,
    }
}
