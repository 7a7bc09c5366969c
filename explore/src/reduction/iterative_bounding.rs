//! Iterative bounding: all schedules with no preemption, then with at most one, with two, and so on.
//!
//! This is iterative context bounding (Musuvathi and Qadeer, PLDI 2007); with delays, the iteration of
//! delay-bounded scheduling (Emmi, Qadeer and Rakamaric, POPL 2011). Most failures need few of either, so
//! they are found early, and with the fewest.
//!
//! *Invariant.* When the walk within a bound has ended, all schedules within it were explored. Each execution
//! was counted once, in the walk whose bound it uses up.
//!
//! *Soundness.* A walk tries every agent that the bound allows, without reduction. If it had to leave out
//! none, no schedule is beyond the bound: the exploration is complete.
//!
//! *Complexity.* Let there be n threads of k steps each, b of which block. Within c preemptions there are at
//! most (nk choose c) · (nb + c)! executions: polynomially many in k. Those of lower bounds are gone through
//! again.

use crate::bounds::schedule_bound::{BoundKind, ScheduleBound};
use crate::execution;
use crate::refinement::root::{Root, WalkPosition};
use crate::saved::{Saved, SavedRound, SavedWalk};
use crate::source_sets::{Before, LowerBounds, Position, explore_source_sets};
use crate::{Exploration, ExploreOptions, Observer};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::stop::Incomplete;
use symx_trace::IncompleteReason;

/// Explores all schedules within growing bounds, until one cuts nothing.
pub(crate) fn explore_within_bounds<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    kind: BoundKind,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut executor = options.executor(machine, solver);
    let mut sites = FxHashSet::default();
    let mut round = SavedRound::default();
    if let Some(saved) = &options.resume {
        sites.extend(saved.sites());
        executor.learned.add(saved.learned());
        if let SavedWalk::Iterative(saved) = saved.walk() {
            round = saved.clone();
        }
    }
    let mut total = Exploration::default();
    let left = loop {
        match walk(&mut executor, &mut sites, (kind, &mut round), options, observer, &mut total) {
            Walked::Ended(left) => break left,
            Walked::Cut => {}
        }
        round = round.next();
        if options.max_executions.is_some_and(|max| total.progress.executions >= max) {
            total.cut(IncompleteReason::MaxExecutions.into());
            total.cut(completed(kind, &round));
            break Some(round);
        }
    };
    if let Some(left_out) = executor.learned.time_left_out() {
        total.cut(left_out);
    }
    execution::account(&executor, &mut total);
    total.visible = sites.iter().copied().collect();
    total.visible.sort_unstable();
    let left = left.map(|round| Saved::new(&sites, &executor.learned, SavedWalk::Iterative(round)));
    total.saved = left.map(Arc::new);
    total
}

/// How the walk within a bound ended.
enum Walked {
    /// All schedules within the bound were explored, and there are others.
    Cut,
    /// It is the last one. Where it stood, if another process can continue there.
    Ended(Option<SavedRound>),
}

/// The walk within one bound.
fn walk<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    (kind, round): (BoundKind, &mut SavedRound),
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    total: &mut Exploration,
) -> Walked {
    let bound = kind.at_most(round.most);
    let within = ExploreOptions { bound: Some(bound), ..options.clone() };
    let root =
        Root { state: executor.machine.initial_state(), resumed: None, decisions: Vec::new(), depth: 0 };
    let before = Before {
        beyond: None,
        position: round.position.as_ref(),
        failures: std::mem::take(&mut total.failures),
        lower: LowerBounds { counted_below: round.counted_below, progress: total.progress },
        patience: None,
    };
    let walked = explore_source_sets(executor, sites, &root, &within, observer, before);
    let (mut result, standing) = walked.expect("it was not to ask whether threads come round");
    if result.begun_anew {
        // All executions were counted again, those within lower bounds as well.
        *total = Exploration { begun_anew: true, ..Exploration::default() };
        (round.counted_below, round.has_cut) = (0, false);
    }
    round.has_cut |= take_cut(bound, &mut result);
    total.absorb(result);
    if total.incomplete.iter().any(|cut| cut.reason.ends_exploration()) {
        total.cut(completed(kind, round));
        return Walked::Ended(standing.map(|standing| stood(round, standing)));
    }
    if options.end_with(&total.failures) || !round.has_cut {
        return Walked::Ended(None);
    }
    let last = options.bound.filter(|last| last.reason() == kind.reason());
    if round.most >= last.map_or(u32::MAX, ScheduleBound::most) {
        total.cut(bound.incomplete());
        return Walked::Ended(None);
    }
    Walked::Cut
}

/// Takes the reason out that a bound has cut executions, as the next one may cut none. Whether it has.
fn take_cut(bound: ScheduleBound, result: &mut Exploration) -> bool {
    let reasons = result.incomplete.len();
    result.incomplete.retain(|cut| cut.reason != bound.reason());
    result.incomplete.len() < reasons
}

/// Names the bound that was completed before this walk.
fn completed(kind: BoundKind, round: &SavedRound) -> Incomplete {
    match round.most.checked_sub(1) {
        Some(completed) => kind.at_most(completed).completed(),
        None => kind.at_most(0).not_completed(),
    }
}

/// Where the walk stood when it was ended.
fn stood(round: &SavedRound, standing: WalkPosition<Position>) -> SavedRound {
    match standing {
        WalkPosition::At(position) => SavedRound { position: Some(position), ..round.clone() },
        WalkPosition::Beginning => {
            SavedRound { counted_below: 0, has_cut: false, position: None, ..round.clone() }
        }
    }
}
