//! The walk with source sets: by one worker at first, then by as many as there are.
//!
//! A small exploration ends before there is anything to share. And one worker alone asks whether threads come
//! round, so that the graph of states is tried instead.

use super::{by_states, saved_walk};
use crate::bounds::observer::Between;
use crate::refinement::root::{Help, Root};
use crate::refinement::workers::BEFORE_GIVING;
use crate::saved::{Saved, SavedWalk};
use crate::source_sets::limits::EVENTS_OF_ONE;
use crate::source_sets::stretches::OpenStretches;
use crate::source_sets::together::{Restart, explore_together};
use crate::source_sets::{Before, explore_source_sets};
use crate::state_graph::Patience;
use crate::state_graph::rounds::ComesRound;
use crate::{Exploration, ExploreOptions, Found, Observer, Progress};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_trace::{FailureKind, IncompleteReason};

/// Explores with source sets, or the graph of states where that may have no end. An earlier process may have
/// left a position in the walk, or stretches of it.
pub(super) fn by_source_sets<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    (observer, help): (&mut dyn Observer, Option<&Help<'_, 'm>>),
    (mut before, mut stretches): (Before<'_>, Option<OpenStretches>),
) -> Exploration {
    let mut help = help.filter(|help| help.jobs > 1);
    let (beyond, patience) = (before.beyond, before.patience);
    let again = |failures: Vec<Found>| Before { beyond, patience, failures, ..Before::default() };
    let mut counted = Exploration { beyond, ..Exploration::default() };
    loop {
        let open = match (stretches.take(), help) {
            (Some(open), _) => open,
            (None, None) => return alone(executor, sites, root, options, observer, before),
            (None, Some(_)) => match at_first(executor, sites, root, options, observer, before) {
                AtFirst::Ended(all) => return all,
                AtFirst::Learned(failures) => {
                    before = again(failures);
                    continue;
                }
                AtFirst::Left(first, open) => {
                    counted = first;
                    open
                }
            },
        };
        let open = (open, counted.progress.executions);
        match explore_together(executor, sites, root, open, options, (&mut *observer, help)) {
            Ok((mut rest, standing)) => {
                let walk = standing.map(|standing| saved_walk(standing, SavedWalk::Stretches));
                rest.saved = walk.map(|walk| Arc::new(Saved::new(sites, &executor.learned, walk)));
                return with_rest(counted, rest);
            }
            Err(Restart { failures, may_be_divided }) => {
                counted.absorb(Exploration { failures, ..Exploration::default() });
                before = again(std::mem::take(&mut counted).failures);
                help = help.filter(|_| may_be_divided);
            }
        }
    }
}

/// What came of the walk by one worker at first.
enum AtFirst {
    /// All of it.
    Ended(Exploration),
    /// It restarts, knowing more and having found these.
    Learned(Vec<Found>),
    /// A part of it. The rest is for all workers.
    Left(Exploration, OpenStretches),
}

/// Explores with one worker until there is enough to share, or all of it if the rest cannot be divided.
fn at_first<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    before: Before<'_>,
) -> AtFirst {
    let (beyond, patience) = (before.beyond, before.patience);
    let asks = patience.is_some();
    let mut far = FarEnough { asks, executed: 0, events_before: 0, is_reached: false };
    let progress = |observer: &mut dyn Observer, progress: &Progress| far.look(observer, progress);
    let mut between = Between { observer: &mut *observer, progress };
    let mut first = alone(executor, sites, root, options, &mut between, before);
    if !far.is_reached {
        return AtFirst::Ended(first);
    }
    first.incomplete.retain(|cut| !cut.reason.ends_exploration());
    let saved = first.saved.take();
    let position = match saved.as_ref().map(|saved| saved.walk()) {
        Some(SavedWalk::SourceSets(position)) => position,
        _ => return AtFirst::Learned(first.failures),
    };
    if !position.depends_on_others() {
        return AtFirst::Left(first, OpenStretches::of_rest(position.clone()));
    }
    let failures = first.failures.clone();
    let before = Before { position: Some(position), beyond, patience, failures, ..Before::default() };
    let rest = alone(executor, sites, root, options, observer, before);
    AtFirst::Ended(if rest.begun_anew { rest } else { with_rest(first, rest) })
}

/// The results of a walk's first part with those of the rest.
fn with_rest(mut first: Exploration, rest: Exploration) -> Exploration {
    let (saved, done) = (rest.saved.clone(), rest.progress.done);
    first.absorb(rest);
    first.saved = saved;
    first.progress.done = done;
    let is_race = |found: &&Found| found.failure.kind == FailureKind::Race;
    first.progress.races = first.failures.iter().filter(is_race).count() as u64;
    first
}

/// Explores with source sets by one worker, or the graph of states where that may have no end.
fn alone<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    Before { beyond, position, mut failures, mut patience, .. }: Before<'_>,
) -> Exploration {
    let (mut result, standing) = loop {
        let before = Before { beyond, position, patience, failures, ..Before::default() };
        match explore_source_sets(executor, sites, root, options, observer, before) {
            Ok(walked) => break walked,
            Err(ComesRound { patience: looked, failures: known }) => {
                let most = looked.most(executor.counters.instructions);
                match by_states(executor, sites, root, options, observer, (known, most)) {
                    Ok(result) => return result,
                    Err(known) => (patience, failures) = (Some(looked), known),
                }
            }
        }
    };
    let walk = standing.map(|standing| saved_walk(standing, SavedWalk::SourceSets));
    result.saved = walk.map(|walk| Arc::new(Saved::new(sites, &executor.learned, walk)));
    result
}

/// Says when a walk by one worker has come far enough to be shared.
struct FarEnough {
    /// Whether the walk asks at times whether threads come round.
    asks: bool,
    /// Executions by now, and visible steps before the first of them.
    executed: u64,
    events_before: u64,
    is_reached: bool,
}

impl FarEnough {
    fn look(&mut self, observer: &mut dyn Observer, progress: &Progress) -> Option<IncompleteReason> {
        let outside = observer.progress(progress);
        let executed = progress.executions + progress.blocked;
        if executed < self.executed || executed == 0 {
            // It has restarted.
            self.events_before = progress.events;
        }
        self.executed = executed;
        // One execution more may be under way since it was to ask last.
        let long = (progress.events - self.events_before) / EVENTS_OF_ONE / 2;
        let has_asked = !self.asks || Patience::has_ended(executed.max(long));
        let is_reached = !progress.repeats && executed >= BEFORE_GIVING && has_asked;
        self.is_reached = outside.is_none() && is_reached;
        outside.or(self.is_reached.then_some(IncompleteReason::Interrupted))
    }
}
