//! Trying what an explanation suggests: the program is explored with the fix applied, for a while. A
//! failure of the same kind that remains is explained in turn, and both fixes are tried together.

use crate::explain::explain;
use crate::explain::explored_fix::trial_of;
use crate::explain::limits::{FOR_BLOCK, MOST_FURTHER};
use crate::explain::lock_trial::try_with_lock;
use crate::explain::mutex_trial::{WithMutex, try_with_mutex};
use crate::limits::budget::Deadline;
use crate::load::what_if::remedies;
use crate::session::Session;
use std::sync::Arc;
use symx_checkers::projection;
use symx_interp::remedies::{Precedence, Remedies, RemedyError, SourceLine, SourceRemedy, StepKind, Visit};
use symx_posix_explore::{ExploreOptions, Found, Reduction, explore_all};
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, Limit, Remedy, Trial};
use symx_trace::{Failure, FailureDetail};

/// The assumption, where it matters.
const BY_SYMMETRY: &str = "a fix was verified with a mutex; threads that begin alike counted as one another";

/// Explores the program under each fix, and under all at once if none is enough, until the end, and notes
/// the results.
pub fn try_remedies(
    session: &Session,
    explanation: &mut Explanation,
    options: &ExploreOptions,
    end: &Deadline,
) {
    let Some(failure) = explanation.failing.failure.clone() else { return };
    let suggested: Vec<Option<Vec<Assumption>>> =
        explanation.remedies.iter().map(|remedy| in_the_source(&explanation.failing, remedy)).collect();
    let known: Vec<Assumption> = suggested.iter().flatten().flatten().cloned().collect();
    let is_several = suggested.iter().filter(|remedy| remedy.is_some()).count() > 1;
    let joins = projection::joins(&explanation.failing, &explanation.cause, &explanation.remedies);
    let mut left = suggested.len() as u32 + u32::from(is_several) + u32::from(!joins.is_empty());
    let held = lock_trials(session, explanation, &failure, options, &end.within(end.left() / (left + 1)));
    // The failure that remains under all that is suggested.
    let mut still: Option<Found> = None;
    let mut by_symmetry = false;
    let mut attempt = |remedies: &[Assumption], block: Option<&Remedy>| {
        let end = end.within(end.left() / left.max(1));
        left = left.saturating_sub(1);
        let at_first = block.map_or_else(|| end.clone(), |_| end.within(end.left() / FOR_BLOCK));
        let (mut trial, mut found) = try_one(session, remedies, &failure, options, &at_first);
        if let (Trial::Incomplete(_), Some(block)) = (&trial, block) {
            let half = end.within(end.left() / 2);
            match try_with_mutex(session, explanation, block, options, &half) {
                WithMutex::Safe { by_symmetry: is_left_out } => {
                    by_symmetry |= is_left_out;
                    trial = Trial::Safe;
                }
                WithMutex::Open => (trial, found) = try_one(session, remedies, &failure, options, &end),
            }
        }
        still = found.filter(|found| found.failure.same_fault(&failure));
        trial
    };
    let mut trials: Vec<Trial> = Vec::new();
    for ((assumed, remedy), held) in suggested.iter().zip(&explanation.remedies).zip(held) {
        if let Some(trial) = held {
            trials.push(trial);
            continue;
        }
        trials.push(match assumed {
            Some(assumed) => {
                let is_block = matches!(remedy, Remedy::AtomicBlock { .. });
                attempt(assumed, is_block.then_some(remedy))
            }
            None => Trial::Untried,
        });
    }
    if is_several && !trials.contains(&Trial::Safe) && attempt(&known, None) == Trial::Safe {
        let tried = trials.iter_mut().zip(&suggested).filter(|(_, assumed)| assumed.is_some());
        tried.for_each(|(trial, _)| *trial = Trial::SafeTogether);
    }
    if by_symmetry {
        explanation.limits.push(BY_SYMMETRY.into());
    }
    let mut tried = Tried { known, still, trials };
    try_what_remains(session, explanation, &mut tried, &failure, options, end);
    for (remedy, trial) in explanation.remedies.iter_mut().zip(tried.trials) {
        remedy.set_trial(trial);
    }
    try_further_fixes(session, explanation, &failure, options, end);
    put_in_order(&mut explanation.remedies);
}

/// The results of fixes.
struct Tried {
    /// All that is suggested.
    known: Vec<Assumption>,
    /// The failure that remains under it.
    still: Option<Found>,
    /// The result of each fix.
    trials: Vec<Trial>,
}

/// Explains what still fails under all that is suggested, and tries what that suggests together with it.
fn try_what_remains(
    session: &Session,
    explanation: &mut Explanation,
    tried: &mut Tried,
    failure: &Failure,
    options: &ExploreOptions,
    end: &Deadline,
) {
    let is_safe = tried.trials.iter().any(|trial| matches!(trial, Trial::Safe | Trial::SafeTogether));
    let mut still = tried.still.take().filter(|_| !is_safe);
    let (all, mut more) = (&mut tried.known, Vec::new());
    for _ in 0..MOST_FURTHER {
        let Some(found) = still.take() else { break };
        let further = further(session, explanation, all, &found, options, end);
        if further.is_empty() {
            break;
        }
        for (remedy, assumed) in further {
            more.push(remedy);
            all.extend(assumed);
        }
        let (trial, found) = try_one(session, all, failure, options, end);
        if trial == Trial::Safe {
            explanation.remedies.append(&mut more);
            let is_lock = |remedy: &Remedy| matches!(remedy, Remedy::HoldLock { .. });
            explanation.remedies.retain(|remedy| !is_lock(remedy));
            tried.trials = vec![Trial::SafeTogether; explanation.remedies.len()];
        }
        still = found.filter(|found| found.failure.same_fault(failure));
    }
}

/// The result of each lock that is to be held, in the remaining time; `None` for other fixes.
fn lock_trials(
    session: &Session,
    explanation: &Explanation,
    failure: &Failure,
    options: &ExploreOptions,
    end: &Deadline,
) -> Vec<Option<Trial>> {
    let failing = &explanation.failing;
    let is_lock = |remedy: &&Remedy| matches!(remedy, Remedy::HoldLock { .. });
    let tried = |remedy| try_with_lock(session, failing, remedy, failure, options, end);
    explanation.remedies.iter().map(|remedy| Some(remedy).filter(is_lock).map(tried)).collect()
}

/// The locks that help nothing go, and what is verified comes first.
fn put_in_order(remedies: &mut Vec<Remedy>) {
    let fails = |remedy: &Remedy| {
        matches!(remedy, Remedy::HoldLock { .. }) && matches!(remedy.trial(), Trial::Fails(_))
    };
    remedies.retain(|remedy| !fails(remedy));
    remedies.sort_by_key(|remedy| match remedy.trial() {
        Trial::Safe => 0,
        Trial::SafeTogether => 1,
        _ => 2,
    });
}

/// Tries further fixes where nothing helps that follows from the difference, or orders alone do: suggests
/// the first that is safe. A thread that takes away what another one still uses may wait for its end,
/// whatever else helps. Where nothing does, that is reported with its result.
fn try_further_fixes(
    session: &Session,
    explanation: &mut Explanation,
    failure: &Failure,
    options: &ExploreOptions,
    end: &Deadline,
) {
    let known = &explanation.remedies;
    let helps = |remedy: &&Remedy| matches!(remedy.trial(), Trial::Safe | Trial::SafeTogether);
    let is_order = |remedy: &Remedy| matches!(remedy, Remedy::Order { .. });
    let is_known = known.iter().any(|remedy| helps(&remedy));
    let is_only_orders = known.iter().filter(helps).all(is_order);
    let takes_away = failure.detail.is_late_use() && !known.iter().filter(helps).any(is_order);
    // A step may be added for an order that does not help.
    let mut failing = explanation.failing.clone();
    let mut thoughts = Vec::new();
    if takes_away || !is_known {
        thoughts.extend(projection::joins(&failing, &explanation.cause, known));
    }
    if is_only_orders {
        thoughts.extend(projection::blocks_of_cause(&failing, &explanation.cause));
    }
    if let Some(passing) = explanation.passing.as_ref().filter(|_| !is_known) {
        thoughts.extend(projection::later_orders(&mut failing, passing, known));
        thoughts.extend(projection::orders_of_unreached(&mut failing, passing, &explanation.difference));
    }
    let is_join = |remedy: &Remedy| matches!(remedy, Remedy::Join { .. });
    thoughts.retain(|remedy| is_join(remedy) || known.iter().all(|known| known.steps() != remedy.steps()));
    // The best wait for a thread's end that rules this failure out, though not every one, or not for certain.
    let mut partial: Option<Remedy> = None;
    let mut left = thoughts.len() as u32;
    for mut thought in thoughts {
        if end.is_over() {
            break;
        }
        let share = end.left() / left.max(1);
        left -= 1;
        let Some(assumed) = in_the_source(&failing, &thought) else { continue };
        let (trial, found) = try_one(session, &assumed, failure, options, &end.within(share));
        let is_unseen = matches!(trial, Trial::Incomplete(_));
        let is_ruled_out = is_unseen
            || found.is_some_and(|found| {
                !found.failure.same_fault(failure) && found.failure.detail != FailureDetail::Assumed
            });
        thought.set_trial(trial);
        if *thought.trial() == Trial::Safe {
            let place = if is_known && !is_join(&thought) { explanation.remedies.len() } else { 0 };
            explanation.remedies.insert(place, thought);
            explanation.failing = failing;
            explanation.limits.retain(|limit| !matches!(limit, Limit::NoFix(_)));
            return;
        }
        // An earlier wait keeps more from happening.
        let is_better = |known: &Remedy| {
            let is_earlier = thought.steps().1 < known.steps().1;
            is_unseen && (is_earlier || !matches!(known.trial(), Trial::Incomplete(_)))
        };
        if is_join(&thought) && is_ruled_out && partial.as_ref().is_none_or(is_better) {
            partial = Some(thought);
        }
    }
    if let Some(join) = partial.filter(|_| !is_known) {
        explanation.remedies.insert(0, join);
        explanation.limits.retain(|limit| !matches!(limit, Limit::NoFix(_)));
    }
}

/// Suggestions for a failure that is `found` although fixes are applied, where the failing execution has
/// its steps.
fn further(
    session: &Session,
    explanation: &Explanation,
    known: &[Assumption],
    found: &Found,
    options: &ExploreOptions,
    end: &Deadline,
) -> Vec<(Remedy, Vec<Assumption>)> {
    let Ok(bound) = bound(session, known) else { return Vec::new() };
    let under = session.under_remedies(Arc::new(bound));
    let Some(explained) = explain(&under, found, options, false, end) else {
        return Vec::new();
    };
    let other = explained.explanation;
    let failing = &explanation.failing;
    let here = |number: u32| {
        let step = &other.failing.steps[number as usize];
        let thread = &other.failing.threads[step.thread as usize].name;
        let is_it = |one: &ExecutedStep| {
            failing.threads[one.thread as usize].name == *thread && one.does_the_same(step)
        };
        failing.steps.iter().position(is_it).map(|number| number as u32)
    };
    let known_here = |remedy: &Remedy| {
        let (one, other) = remedy.steps();
        let remedy = remedy.of_steps(here(one)?, here(other)?);
        let is_new = |source: &Vec<Assumption>| source.iter().any(|one| !known.contains(one));
        let source = in_the_source(failing, &remedy).filter(is_new)?;
        Some((remedy, source))
    };
    other.remedies.iter().filter_map(known_here).collect()
}

/// An assumption about a program to try a fix.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Assumption {
    /// Of threads that come to lines of its source.
    Lines(SourceRemedy),
    /// Of two threads at one line, which does not distinguish their steps.
    Visits(Precedence),
}

/// The assumptions made anyway, and this.
fn bound(session: &Session, assumed: &[Assumption]) -> Result<Remedies, RemedyError> {
    let mut lines = remedies(&session.loaded.what_if);
    let mut visits = Vec::new();
    for assumption in assumed {
        match assumption {
            Assumption::Lines(remedy) => lines.push(remedy.clone()),
            Assumption::Visits(precedence) => visits.push(precedence.clone()),
        }
    }
    Remedies::new(&session.loaded.program, &lines)?.with(&session.loaded.program, &visits)
}

/// A fix by the lines of its steps, as all that is to be assumed for it. `None` if lines are not known, or
/// do not distinguish the steps.
pub(super) fn in_the_source(execution: &Execution, remedy: &Remedy) -> Option<Vec<Assumption>> {
    let (first, second) = remedy.steps();
    let line = |number: u32| {
        let step = &execution.steps[number as usize];
        let place = match step.issued_by {
            Some(issue) if step.location.line == 0 => &execution.steps[issue as usize].location,
            _ => &step.location,
        };
        let is_known = place.line > 0 && !place.file.is_empty();
        is_known.then(|| SourceLine { file: place.file.clone(), line: place.line })
    };
    let (one, other) = (line(first)?, line(second)?);
    let alone = |line: &SourceLine| SourceRemedy::AtomicBlock { first: line.clone(), last: line.clone() };
    let assumed = match remedy {
        Remedy::AtomicBlock { .. } => vec![SourceRemedy::AtomicBlock { first: one, last: other }],
        Remedy::Order { before, .. } if one == other || is_on_the_way(execution, *before, &other) => {
            let visit = |number: u32, line: SourceLine| {
                let step = &execution.steps[number as usize];
                Some(Visit {
                    thread: execution.threads[step.thread as usize].name.clone(),
                    line,
                    column: step.location.column,
                    kind: StepKind::Any,
                    number: projection::visit(execution, number)?.number,
                })
            };
            let (first, then) = (visit(first, one)?, visit(second, other)?);
            let precedence = Precedence { first, then, synchronises: true };
            return Some(vec![Assumption::Visits(precedence)]);
        }
        Remedy::Order { .. } => vec![SourceRemedy::Order { before: one, after: other }],
        Remedy::Fence { .. } => vec![SourceRemedy::Fence { before: other }],
        Remedy::Atomic { ordering, .. } => {
            let mut lines = vec![one, other];
            lines.dedup();
            lines.into_iter().map(|at| SourceRemedy::Atomic { at, ordering: *ordering }).collect()
        }
        Remedy::Lock { .. } if one == other => vec![alone(&one)],
        Remedy::Lock { .. } => vec![alone(&one), alone(&other)],
        Remedy::Join { .. } => vec![SourceRemedy::Join { before: other }],
        Remedy::HoldLock { .. } => return None,
    };
    Some(assumed.into_iter().map(Assumption::Lines).collect())
}

/// Whether a step's thread comes to a line by then: if it waited for that line there, it would wait for
/// itself.
fn is_on_the_way(execution: &Execution, step: u32, line: &SourceLine) -> bool {
    let thread = execution.steps[step as usize].thread;
    let is_there = |other: &ExecutedStep| {
        other.thread == thread && other.location.line == line.line && other.location.file == line.file
    };
    execution.steps[..=step as usize].iter().any(is_there)
}

/// Explores the program under assumptions: the result, and the failure that remains.
pub(super) fn try_one(
    session: &Session,
    suggested: &[Assumption],
    failure: &Failure,
    options: &ExploreOptions,
    end: &Deadline,
) -> (Trial, Option<Found>) {
    let bound = match bound(session, suggested) {
        Ok(bound) => bound,
        Err(why) => return (Trial::Incomplete(why.to_string()), None),
    };
    let machine = session.machine_under_remedies(Arc::new(bound));
    let options = ExploreOptions {
        reduction: Reduction::ReadsFrom,
        counted: options.counted,
        ..ExploreOptions::default()
    };
    let solver = session.solver(end.cutoff());
    let exploration = explore_all(&machine, solver, &options, &mut end.clone());
    (trial_of(&exploration, failure), exploration.failures.first().cloned())
}
