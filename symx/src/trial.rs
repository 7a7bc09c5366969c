//! Trying what an explanation suggests: the program is explored with the remedy applied, for a while. What still fails the
//! same way is explained in turn, and both remedies are tried together.

use crate::budget::max_time;
use crate::explain::explain;
use crate::session::Session;
use crate::what_if::remedies;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symx_interp::explore::{ExploreOptions, Found, Observer, Progress, explore_all};
use symx_interp::remedies::{Remedies, SourceLine, SourceRemedy};
use symx_trace::Failure;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, Remedy, Trial};

/// Explores the program under each remedy, and under all at once if none is enough, and notes what came of that.
pub fn try_remedies(
    session: &Session,
    explanation: &mut Explanation,
    options: &ExploreOptions,
    time: Duration,
) {
    let Some(failure) = explanation.failing.failure.clone() else { return };
    let suggested: Vec<Option<Vec<SourceRemedy>>> =
        explanation.remedies.iter().map(|remedy| in_the_source(&explanation.failing, remedy)).collect();
    let known: Vec<SourceRemedy> = suggested.iter().flatten().flatten().cloned().collect();
    let is_several = suggested.iter().filter(|remedy| remedy.is_some()).count() > 1;
    let end = Instant::now() + time;
    let mut left = suggested.len() as u32 + u32::from(is_several);
    // What still fails under all that is suggested.
    let mut still: Option<Found> = None;
    let mut attempt = |remedies: &[SourceRemedy]| {
        let share = end.saturating_duration_since(Instant::now()) / left.max(1);
        left = left.saturating_sub(1);
        let (trial, found) = try_one(session, remedies, &failure, options, Instant::now() + share);
        still = found.filter(|found| found.failure.same_fault(&failure));
        trial
    };
    let mut trials: Vec<Trial> = Vec::new();
    for remedy in &suggested {
        trials.push(match remedy {
            Some(remedy) => attempt(remedy),
            None => Trial::Untried,
        });
    }
    if is_several && !trials.contains(&Trial::Safe) && attempt(&known) == Trial::Safe {
        trials.fill(Trial::SafeTogether);
    }
    if let Some(found) =
        still.filter(|_| !trials.iter().any(|trial| matches!(trial, Trial::Safe | Trial::SafeTogether)))
    {
        let further = further(session, explanation, &known, &found, options, end);
        let all: Vec<SourceRemedy> =
            known.iter().cloned().chain(further.iter().flat_map(|(_, one)| one.clone())).collect();
        let is_more = !further.is_empty() && all.len() > known.len();
        if is_more && try_one(session, &all, &failure, options, end).0 == Trial::Safe {
            explanation.remedies.extend(further.into_iter().map(|(remedy, _)| remedy));
            trials = vec![Trial::SafeTogether; explanation.remedies.len()];
        }
    }
    for (remedy, trial) in explanation.remedies.iter_mut().zip(trials) {
        remedy.set_trial(trial);
    }
}

/// What is suggested for a failure that is `found` although remedies are applied, where the failing execution has its steps.
fn further(
    session: &Session,
    explanation: &Explanation,
    known: &[SourceRemedy],
    found: &Found,
    options: &ExploreOptions,
    end: Instant,
) -> Vec<(Remedy, Vec<SourceRemedy>)> {
    let mut all = remedies(&session.loaded.what_if);
    all.extend_from_slice(known);
    let Ok(bound) = Remedies::new(&session.loaded.program, &all) else { return Vec::new() };
    let under = session.under_remedies(Arc::new(bound));
    let Some(other) = explain(&under, found, options, false, end) else {
        return Vec::new();
    };
    let failing = &explanation.failing;
    let here = |number: u32| {
        let step = &other.failing.steps[number as usize];
        let thread = &other.failing.threads[step.thread as usize].name;
        let is_it = |one: &ExecutedStep| {
            failing.threads[one.thread as usize].name == *thread
                && (&one.kind, &one.object, &one.location) == (&step.kind, &step.object, &step.location)
        };
        failing.steps.iter().position(is_it).map(|number| number as u32)
    };
    let known_here = |remedy: &Remedy| {
        let (one, other) = remedy.steps();
        let remedy = remedy.of_steps(here(one)?, here(other)?);
        let is_new = |source: &Vec<SourceRemedy>| source.iter().any(|one| !known.contains(one));
        let source = in_the_source(failing, &remedy).filter(is_new)?;
        Some((remedy, source))
    };
    other.remedies.iter().filter_map(known_here).collect()
}

/// A remedy by the lines of its steps, as all that is to be assumed for it. `None` if lines are not known, or do not tell
/// the steps apart.
fn in_the_source(execution: &Execution, remedy: &Remedy) -> Option<Vec<SourceRemedy>> {
    let (one, other) = remedy.steps();
    let line = |number: u32| {
        let step = &execution.steps[number as usize];
        let place = match step.issued_by {
            Some(issue) if step.location.line == 0 => &execution.steps[issue as usize].location,
            _ => &step.location,
        };
        let is_known = place.line > 0 && !place.file.is_empty();
        is_known.then(|| SourceLine { file: place.file.clone(), line: place.line })
    };
    let (one, other) = (line(one)?, line(other)?);
    let alone = |line: &SourceLine| SourceRemedy::AtomicBlock { first: line.clone(), last: line.clone() };
    Some(match remedy {
        Remedy::AtomicBlock { .. } => vec![SourceRemedy::AtomicBlock { first: one, last: other }],
        Remedy::Order { .. } if one == other => return None,
        Remedy::Order { .. } => vec![SourceRemedy::Order { before: one, after: other }],
        Remedy::Fence { .. } => vec![SourceRemedy::Fence { before: other }],
        Remedy::Atomic { .. } if one == other => vec![SourceRemedy::Atomic { at: one }],
        Remedy::Atomic { .. } => vec![SourceRemedy::Atomic { at: one }, SourceRemedy::Atomic { at: other }],
        Remedy::Lock { .. } if one == other => vec![alone(&one)],
        Remedy::Lock { .. } => vec![alone(&one), alone(&other)],
    })
}

fn try_one(
    session: &Session,
    suggested: &[SourceRemedy],
    failure: &Failure,
    options: &ExploreOptions,
    end: Instant,
) -> (Trial, Option<Found>) {
    let incomplete = |why: &str| (Trial::Incomplete(why.into()), None);
    let mut all = remedies(&session.loaded.what_if);
    all.extend_from_slice(suggested);
    let bound = match Remedies::new(&session.loaded.program, &all) {
        Ok(bound) => bound,
        Err(why) => return incomplete(&why.to_string()),
    };
    let machine = session.machine_under_remedies(Arc::new(bound));
    let options = ExploreOptions {
        check_leaks: options.check_leaks,
        check_exit: options.check_exit,
        ..ExploreOptions::default()
    };
    let (solver, _) = session.solver(max_time(Some(end)));
    let exploration = explore_all(&machine, solver, &options, &mut Deadline(Some(end)));
    if let Some(found) = exploration.failures.first() {
        let message = found.failure.message.replace('\n', "; ");
        let trial = Trial::Fails(match found.failure.same_fault(failure) {
            true => message,
            false => format!("in another way: {message}"),
        });
        return (trial, Some(found.clone()));
    }
    match exploration.incomplete.first() {
        Some(cut) if cut.what.is_empty() => incomplete(cut.reason),
        Some(cut) => incomplete(&format!("{}: {}", cut.reason, cut.what)),
        None if exploration.progress.executions == 0 => incomplete("no execution comes to its end"),
        None => (Trial::Safe, None),
    }
}

/// Ends an exploration when its time is over, if there is an end.
pub struct Deadline(pub Option<Instant>);

impl Observer for Deadline {
    fn progress(&mut self, _progress: &Progress) -> Option<&'static str> {
        self.0.is_some_and(|end| Instant::now() >= end).then_some("max-time")
    }

    fn execution(&mut self, _output: &[u8], _exit_status: u8) {}
}
