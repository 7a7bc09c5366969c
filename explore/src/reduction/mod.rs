//! Which reduction an exhaustive exploration goes by.

mod by_source_sets;
pub(super) mod iterative_bounding;

use super::{Exploration, ExploreOptions, Found, Observer, Progress, Reduction, Search};
use crate::bounds::observer::Between;
use crate::execution;
use crate::random::probing::{self, Probing};
use crate::reads_from::{self, Start, Unfit, explore_classes};
use crate::refinement::root::{Beyond, Help, Root, WalkPosition};
use crate::saved::{Saved, SavedWalk};
use crate::source_sets::Before;
use crate::state_graph::rounds::ComesRound;
use crate::state_graph::{self, Most, Patience, explore_states, most_states};
use by_source_sets::by_source_sets;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;

/// Beyond the walk by reads-from: programs whose executions have no longest one.
const COMES_ROUND: &str = "threads that try again, which others see: each state is explored once";

/// Beyond the walk by reads-from, as its end shows: rounds of loops were left out that let time pass.
const TIME_LEFT_OUT: &str = "threads that sleep in loops, where the clock is read";

/// Beyond the graph of states: what it says under which conditions it covers a program.
const NO_GRAPH: &str = "states that do not say all that follows, or that no end is reached from";

/// Explores every schedule and input, up to equivalence, within the bounds.
pub fn explore_all<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    explore_with(machine, solver, None, options, observer)
}

/// What leaves an exploration of all schedules to one worker, whichever reduction fits; nothing if several
/// may share it. Parts of it do not add up to the whole where something counts all executions or looks at
/// them in order, or where one is more than its counts and findings.
pub fn left_to_one<E: Environment>(
    machine: &Machine<E>,
    options: &ExploreOptions,
    observer: &dyn Observer,
) -> Option<&'static str> {
    let set = &machine.options;
    let reasons = [
        (options.search != Search::Exhaustive, "this way of searching"),
        (options.max_executions.is_some(), "a bound on executions"),
        (options.bounds_forks(), "a bound on forks"),
        (options.keep_endings, "ends that are kept"),
        (observer.wants_paths(), "a test case for each path"),
        (set.coverage, "coverage"),
        (set.guide.is_some(), "recorded paths"),
        (set.remedies.is_some(), "a hypothetical program"),
        (set.havoc_externals, "external functions that may return anything"),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// As [`explore_all`], with several workers where that is possible ([`left_to_one`]); the results do not
/// depend on it. Random executions are tried beside a long exploration ([`probing`]).
pub(super) fn explore_in_parallel<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    help: &Help<'_, 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let help_wanted = Some(help).filter(|_| left_to_one(machine, options, observer).is_none());
    if !probing::is_wanted(options, observer) {
        return explore_with(machine, solver, help_wanted, options, observer);
    }
    let mut probing = Probing::new(machine, help.solver, options);
    let progress = |observer: &mut dyn Observer, progress: &Progress| probing.look(observer, progress);
    let mut between = Between { observer, progress };
    let mut result = explore_with(machine, solver, help_wanted, options, &mut between);
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
    let (mut classes, mut position, mut stretches) = (None, None, None);
    match options.resume.as_ref().map(|saved| saved.walk()) {
        Some(SavedWalk::Classes(at)) => classes = Some(at),
        Some(SavedWalk::SourceSets(at)) => position = Some(at),
        Some(SavedWalk::Stretches(at)) => stretches = Some(at.clone()),
        Some(SavedWalk::Beginning | SavedWalk::Paths(_) | SavedWalk::Iterative(_)) | None => {}
    }
    let is_with_source_sets = position.is_some() || stretches.is_some();
    let mut before = Before { position, ..Before::default() };
    let is_plain =
        options.bound.is_none() && !options.bounds_forks() && executor.machine.options.guide.is_none();
    match options.reduction {
        Reduction::ReadsFrom => {
            let beyond = ordered(executor.machine).map(Beyond::Uncovered);
            if is_plain && beyond.is_none() && !is_with_source_sets {
                match by_reads_from(executor, sites, (root, classes), options, observer, help) {
                    Ok(result) => return result,
                    Err((beyond, failures)) => (before.beyond, before.failures) = (Some(beyond), failures),
                }
            } else {
                before.beyond = beyond;
            }
        }
        Reduction::States if !is_with_source_sets => {
            let states = options.max_executions.map_or(usize::MAX, most_states);
            let most = Most { states, instructions: u64::MAX };
            match by_states(executor, sites, root, options, observer, (Vec::new(), most)) {
                Ok(result) => return Exploration { beyond: None, ..result },
                Err(failures) => {
                    (before.beyond, before.failures) = (Some(Beyond::Uncovered(NO_GRAPH)), failures);
                }
            }
        }
        Reduction::States | Reduction::SourceSets => {}
    }
    let may_try_states = !is_with_source_sets && state_graph::is_covered(executor, options);
    before.patience = may_try_states.then(Patience::default);
    by_source_sets(executor, sites, root, options, (observer, help), (before, stretches))
}

/// Explores one execution for each class, or the graph of states where that may have no end. The error is why
/// not, with the failures known by now.
fn by_reads_from<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    sites: &mut FxHashSet<Site>,
    (root, position): (&Root<E>, Option<&reads_from::Position>),
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    help: Option<&Help<'_, 'm>>,
) -> Result<Exploration, (Beyond, Vec<Found>)> {
    let may_try_states = position.is_none() && state_graph::is_covered(executor, options);
    let mut patience = may_try_states.then(Patience::default);
    let mut known = Vec::new();
    loop {
        let start = Start { root, position, patience, failures: &known };
        match explore_classes(executor, sites, start, options, observer, help) {
            // A thread may observe how many rounds were left out. Source sets leave out fewer.
            Ok((result, None))
                if executor.learned.time_left_out().is_some() && !options.end_with(&result.failures) =>
            {
                executor.learned.sleeps_in_round = false;
                return Err((Beyond::Uncovered(TIME_LEFT_OUT), result.failures));
            }
            Ok((mut result, standing)) => {
                let walk = standing.map(|standing| saved_walk(standing, SavedWalk::Classes));
                result.saved = walk.map(|walk| Arc::new(Saved::new(sites, &executor.learned, walk)));
                return Ok(result);
            }
            Err(Unfit::Beyond(what)) => return Err((what, known)),
            Err(Unfit::ComesRound(ComesRound { patience: looked, failures })) => {
                let most = looked.most(executor.counters.instructions);
                match by_states(executor, sites, root, options, observer, (failures, most)) {
                    Ok(result) => return Ok(result),
                    Err(failures) => (patience, known) = (Some(looked), failures),
                }
            }
        }
    }
}

/// Explores the graph of states, at most `most`, where failures were found before. An exploration that is
/// ended from outside is to begin again. The error has the failures known by now: the graph does not cover
/// the program.
fn by_states<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    (failures, most): (Vec<Found>, Most),
) -> Result<Exploration, Vec<Found>> {
    let mut result = explore_states(executor, sites, root, options, observer, (failures, most))?;
    result.beyond = Some(Beyond::Uncovered(COMES_ROUND));
    if result.incomplete.iter().any(|cut| cut.reason.ends_exploration()) {
        result.saved = Some(Arc::new(Saved::new(sites, &executor.learned, SavedWalk::Beginning)));
    }
    Ok(result)
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
        return Some("atomic sections and hypothetical fixes: delayed steps observe nothing");
    }
    match (machine.options.races, machine.model.keeps_history()) {
        (true, _) => Some("races: accesses that nothing orders matter whatever they observe"),
        (_, true) => Some("a model under which reads have other sources than the newest write"),
        _ => None,
    }
}
