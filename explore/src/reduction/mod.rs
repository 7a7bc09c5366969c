//! Which reduction an exhaustive exploration goes by.

pub(super) mod iterative_bounding;

use super::{Exploration, ExploreOptions, Observer, Reduction};
use crate::execution;
use crate::random::probing::{self, Probing};
use crate::reads_from::{Start, explore_classes};
use crate::refinement::root::{Beyond, Help, Root, WalkPosition};
use crate::saved::{Saved, SavedWalk};
use crate::source_sets::{Before, explore_source_sets};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;

/// Explores every schedule and input, up to equivalence, within the bounds.
pub fn explore_all<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    explore_with(machine, solver, None, options, observer)
}

/// As [`explore_all`], with several workers where the reduction allows for that; the results do not depend on
/// it. (Bounds on the number of executions, and observers of each execution in order, are left to one
/// worker.) Random executions are tried beside a long exploration ([`probing`]).
pub(super) fn explore_in_parallel<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    help: &Help<'_, 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let is_ordered = observer.wants_paths() || machine.options.coverage || machine.options.havoc_externals;
    let help_wanted = Some(help).filter(|_| !is_ordered);
    if !probing::is_wanted(options, observer) {
        return explore_with(machine, solver, help_wanted, options, observer);
    }
    let mut probing = Probing::new(machine, help.solver, options, observer);
    let mut result = explore_with(machine, solver, help_wanted, options, &mut probing);
    probing.add_to(&mut result);
    result
}

fn explore_with<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    help: Option<&Help<'_, 'm>>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut executor = options.executor(machine, solver);
    let root = Root { state: machine.initial_state(), resumed: None, decisions: Vec::new(), depth: 0 };
    let sites = &mut FxHashSet::default();
    if let Some(saved) = &options.resume {
        sites.extend(saved.sites());
        executor.learned.add(saved.learned());
    }
    let mut result = explore_from(&mut executor, sites, &root, options, observer, help);
    execution::account(&executor, &mut result);
    result.visible = sites.iter().copied().collect();
    result.visible.sort_unstable();
    result
}

/// Explores everything that follows a root. `sites` are what is known to be visible; more are added.
pub(crate) fn explore_from<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    help: Option<&Help<'_, 'm>>,
) -> Exploration {
    let mut result = explore_reduced(executor, sites, root, options, observer, help);
    if let Some(left_out) = executor.learned.time_left_out() {
        result.cut(left_out);
    }
    result
}

/// As [`explore_from`], by the reduction that fits.
fn explore_reduced<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    help: Option<&Help<'_, 'm>>,
) -> Exploration {
    let is_plain =
        options.bound.is_none() && !options.bounds_forks() && executor.machine.options.guide.is_none();
    let mut beyond = ordered(executor.machine)
        .map(Beyond::Uncovered)
        .filter(|_| options.reduction == Reduction::ReadsFrom);
    let (classes, position) = match options.resume.as_ref().map(|saved| saved.walk()) {
        Some(SavedWalk::Classes(position)) => (Some(position), None),
        Some(SavedWalk::SourceSets(position)) => (None, Some(position)),
        Some(SavedWalk::Beginning | SavedWalk::Paths(_) | SavedWalk::Iterative(_)) | None => (None, None),
    };
    if options.reduction == Reduction::ReadsFrom && is_plain && beyond.is_none() && position.is_none() {
        let start = Start { root, position: classes };
        match explore_classes(executor, sites, start, options, observer, help) {
            Ok((mut result, standing)) => {
                let walk = standing.map(|standing| saved_walk(standing, SavedWalk::Classes));
                result.saved = walk.map(|walk| Arc::new(Saved::new(sites, &executor.learned, walk)));
                return result;
            }
            Err(what) => beyond = Some(what),
        }
    }
    let before = Before { beyond, position, ..Before::default() };
    let (mut result, standing) = explore_source_sets(executor, sites, root, options, observer, before);
    let walk = standing.map(|standing| saved_walk(standing, SavedWalk::SourceSets));
    result.saved = walk.map(|walk| Arc::new(Saved::new(sites, &executor.learned, walk)));
    result
}

/// Where a walk stood, to be written down as a position of its kind.
fn saved_walk<P>(standing: WalkPosition<P>, kind: impl FnOnce(P) -> SavedWalk) -> SavedWalk {
    match standing {
        WalkPosition::Beginning => SavedWalk::Beginning,
        WalkPosition::At(position) => kind(position),
    }
}

/// Why what accesses observe does not say all that matters of an execution, if it does not.
pub(crate) fn ordered<E: Environment>(machine: &Machine<E>) -> Option<&'static str> {
    if machine.options.remedies.is_some() {
        return Some("hypothetical fixes: delayed steps observe nothing");
    }
    match (machine.options.races, machine.model.keeps_history()) {
        (true, _) => Some("races: accesses that nothing orders matter whatever they observe"),
        (_, true) => Some("a model under which reads have other sources than the newest write"),
        _ => None,
    }
}
