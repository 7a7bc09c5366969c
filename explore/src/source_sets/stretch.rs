//! A stretch of the walk with source sets, for whichever process has time for it.
//!
//! What is to be tried at a choice point depends on what was tried there before, and so on the order. So the
//! walk is handed on as a whole: one process explores a stretch of it, the next one goes on from there.
//!
//! But as long as there is one thread, a fork's ways have nothing to do with each other: what follows one of
//! them shows nothing to be tried elsewhere. There the rest of the walk can be [divided](divided).

use super::Walk;
use super::point::{Position, SavedPoint};
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
    /// What is left.
    pub left: Vec<Position>,
    /// Whether the walk goes by how executions ended elsewhere: then its parts do not add up to it.
    pub depends_on_others: bool,
}

/// What follows a position, divided into `parts` positions as far as that can be.
fn divided(mut position: Position, parts: usize) -> Vec<Position> {
    let mut divided = Vec::new();
    while divided.len() + 1 < parts {
        let is_way = |point: &&SavedPoint| matches!(point, SavedPoint::Ways { .. });
        let ways = position.points.iter().take_while(is_way).enumerate().skip(position.shared);
        let waiting = ways.filter_map(|(at, point)| match point {
            SavedPoint::Ways { left, since } if *left > 0 => Some((at, *left, *since)),
            _ => None,
        });
        let Some((at, left, since)) = waiting.take(1).next() else { break };
        for left in 0..left {
            let mut points = position.points[..at].to_vec();
            points.push(SavedPoint::Ways { left, since });
            divided.push(Position {
                points,
                is_explored: false,
                descent: at + 1,
                shared: at + 1,
                ..position.clone()
            });
        }
        position.shared = at + 1;
    }
    divided.push(position);
    divided
}

/// Explores from a position, or the root, until nothing is left or the observer ends it. What is left then
/// is divided into `parts` positions.
pub(crate) fn explore_stretch<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &FxHashSet<Site>,
    root: &Root<E>,
    (position, parts): (Option<&Position>, usize),
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
    let depends_on_others = walk.has_cut_short || walk.has_left_loops || !walk.unfinished.is_empty();
    let parts = if depends_on_others { 1 } else { parts };
    let left = is_ended.then(|| divided(walk.position(), parts));
    Stretch {
        left: left.unwrap_or_default(),
        depends_on_others,
        result: walk.result,
        discovered: walk.discovered,
        has_learned: walk.has_learned,
        leads_elsewhere: walk.leads_elsewhere,
    }
}
