//! A stretch of the walk with source sets, for whichever process has time for it.
//!
//! The rest of it can be [divided](super::division).

use super::Walk;
use super::division::{Left, Request};
use super::point::Position;
use crate::refinement::root::Root;
use crate::{Exploration, ExploreOptions, Observer};
use rustc_hash::FxHashSet;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;

/// The result of a stretch.
pub(crate) struct Stretch {
    pub result: Exploration,
    /// Sites found to be shared: nothing else counts then.
    pub discovered: FxHashSet<Site>,
    /// Whether something else was learned that changes what is to be explored.
    pub has_learned: bool,
    /// Whether the choices that lead to where it begins do not fit.
    pub leads_elsewhere: bool,
    /// Whether an execution had more steps than its grain allows.
    pub is_too_long: bool,
    /// The rest.
    pub left: Left,
    /// Alternatives to be tried at choice points that are explored elsewhere as well, in the order of the
    /// walk.
    pub requests: Vec<Request>,
    /// Whether the walk goes by how executions ended elsewhere: then its parts do not add up to it.
    pub depends_on_others: bool,
}

/// Explores from a position until nothing is left or the observer ends it. The rest is then
/// divided into `parts` positions.
pub(crate) fn explore_stretch<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &FxHashSet<Site>,
    root: &Root<E>,
    (position, parts): (&Position, usize),
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Stretch {
    executor.visible = position.grain.visible(sites);
    let mut walk = Walk::new(executor, options, observer, root, position.grain);
    walk.resume(position);
    walk.run(root);
    let is_ended = walk.result.incomplete.iter().any(|cut| cut.reason.ends_exploration());
    let depends_on_others =
        walk.unseen.has_cut_short || walk.loops.left > 0 || !walk.unseen.unfinished.is_empty();
    let parts = if depends_on_others { 1 } else { parts };
    let left = if is_ended { walk.divided(parts) } else { Left::default() };
    Stretch {
        left,
        requests: walk.elsewhere.requests,
        depends_on_others,
        result: walk.result,
        discovered: walk.learned.sites,
        has_learned: walk.learned.has_more,
        is_too_long: walk.is_too_long,
        leads_elsewhere: walk.earlier.leads_elsewhere,
    }
}
