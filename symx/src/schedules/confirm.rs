//! Only failures that a replay shows again are reported.

use crate::limits::budget::Deadline;
use crate::report::{Contradiction, ContradictionKind, Cut, NamedThread, Violation};
use crate::schedules::limits::{MOST_FURTHER, SIMPLIFYING};
use crate::schedules::narrative::narrative;
use crate::session::Session;
use crate::session::external_calls::call_sites;
use std::time::{Duration, Instant};
use symx_checkers::{Simplified, diagnosis, simplify};
use symx_expr::{StopReason, StopToken};
use symx_interp::memory::Site;
use symx_interp::stop::position::location;
use symx_posix_explore::{
    Beyond, Exploration, ExploreOptions, FixedSchedule, Found, RandomSchedules, Replayed, Rerun, Search,
    observe_steps,
};
use symx_trace::explanation::Execution;
use symx_trace::replay::moves;
use symx_trace::schedule::{VERSION, fold};
use symx_trace::{Explanation, Failure, FailureKind, IncompleteReason, Input, Move, Schedule, Trace};

/// A failure that was seen twice.
pub struct Confirmed {
    /// For the result file.
    pub violation: Violation,
    /// The way to see it a third time.
    pub schedule: Schedule,
    /// The events on that way.
    pub trace: Trace,
    /// The same for people.
    pub explanation: Explanation,
    /// How long it took to see it again.
    pub replay_time: Duration,
}

/// The results of an exploration.
#[derive(Default)]
pub struct Findings {
    /// Failures that count, each replayed.
    pub confirmed: Vec<Confirmed>,
    /// Why the exploration is not complete.
    pub incomplete: Vec<Cut>,
    /// Bugs of symx that showed.
    pub contradictions: Vec<Contradiction>,
    /// Failures that ended executions and are of no concern.
    pub quiet: Vec<Failure>,
}

/// Replays what was found. Of failures that count, only the first is kept unless exploring went on. Schedules
/// are made no simpler after the `end`.
pub fn confirm(
    session: &Session,
    exploration: &Exploration,
    options: &ExploreOptions,
    end: &Deadline,
) -> Findings {
    let mut findings = Findings::of(session, exploration);
    let search =
        if exploration.is_random { Search::Random(RandomSchedules::Uniform) } else { options.search };
    let options = &ExploreOptions { search, ..options.clone() };
    for found in &exploration.failures {
        if options.quiet.counts(&found.failure) {
            findings.quiet.push(found.failure.clone());
            continue;
        }
        if !options.counted.counts(&found.failure) {
            findings.cut(Cut {
                location: Some(found.failure.location.clone()),
                ..Cut::because(IncompleteReason::UncheckedFailure, &found.failure.message)
            });
            continue;
        }
        if !options.keep_going && !findings.confirmed.is_empty() {
            break;
        }
        match confirm_one(session, found, options, end) {
            Ok(confirmed) => findings.confirmed.push(confirmed),
            Err(why) => findings.diverged(Cut {
                location: Some(found.failure.location.clone()),
                ..Cut::because(IncompleteReason::ReplayDiverged, format!("{}: {why}", found.failure.message))
            }),
        }
    }
    findings
}

impl Findings {
    /// The results of an exploration.
    pub fn of(session: &Session, exploration: &Exploration) -> Self {
        let contradiction = match exploration.beyond {
            Some(Beyond::Contradiction(what)) => {
                Some(Contradiction { kind: ContradictionKind::ReadsFrom, what: what.into() })
            }
            Some(Beyond::Uncovered(_)) | None => None,
        };
        Self {
            confirmed: Vec::new(),
            incomplete: cuts(session, exploration),
            contradictions: contradiction.into_iter().collect(),
            quiet: Vec::new(),
        }
    }

    /// Notes that something found does not replay.
    pub fn diverged(&mut self, cut: Cut) {
        let found = Contradiction { kind: ContradictionKind::ReplayDiverged, what: cut.what.clone() };
        if !self.contradictions.contains(&found) {
            self.contradictions.push(found);
        }
        self.cut(cut);
    }

    /// Notes a reason once.
    pub fn cut(&mut self, cut: Cut) {
        if !self.incomplete.contains(&cut) {
            self.incomplete.push(cut);
        }
    }
}

/// Why an exploration is not complete, with places.
fn cuts(session: &Session, exploration: &Exploration) -> Vec<Cut> {
    let machine = session.machine();
    let place = |span| {
        let location = location(&session.loaded.program, span);
        (location.line != 0).then_some(location)
    };
    exploration
        .incomplete
        .iter()
        .map(|cut| Cut {
            reason: cut.reason,
            what: cut.what.clone(),
            location: place(cut.span),
            locations: call_sites(&machine, &cut.what),
        })
        .collect()
}

/// Replays one failure, by a simpler schedule if one is found before the `end`.
pub fn confirm_one(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
    end: &Deadline,
) -> Result<Confirmed, String> {
    let session = &session.numbering(&found.threads);
    // A search at random, or along a recorded run, does not find short schedules by itself.
    let is_tangled = options.search.is_sample() || session.options.guide.is_some();
    let end = &end.within(SIMPLIFYING);
    let simpler = (is_tangled && !end.is_over()).then(|| simpler(session, found, options, end)).flatten();
    match simpler {
        Some(simpler) => {
            confirmed(session, simpler.found, simpler.replayed, simpler.execution, simpler.replay_time)
        }
        None => confirm_as_found(session, found, options),
    }
}

/// Replays one failure by the schedule given.
pub fn confirm_as_found(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
) -> Result<Confirmed, String> {
    let session = &session.numbering(&found.threads);
    let started = Instant::now();
    let (again, execution) = replay_observed(session, &found.inputs, schedule_of(found), options);
    confirmed(session, found.clone(), again, execution, started.elapsed())
}

/// A failure that a replay ended in, or why it is not the one found.
fn confirmed(
    session: &Session,
    found: Found,
    again: Replayed,
    execution: Execution,
    replay_time: Duration,
) -> Result<Confirmed, String> {
    let found = match again.failure() {
        // The replay knows the last write to what is waited for.
        Some(failure) if failure.same_fault(&found.failure) && failure.kind == FailureKind::Livelock => {
            Found { failure: failure.clone(), ..found }
        }
        Some(failure) if failure.same_fault(&found.failure) => found,
        Some(other) => return Err(format!("the replay ends in another failure: {}", other.message)),
        None => return Err(again.divergence.unwrap_or_else(|| "the replay does not fail".into())),
    };
    let schedule = schedule(session, &found);
    let mut violation = Violation::new(&found.failure, execution.context_switches, again.preemptions);
    violation.threads = NamedThread::of(&execution);
    let explanation = narrative(session, execution, &found.inputs);
    Ok(Confirmed { violation, schedule, trace: again.trace, explanation, replay_time })
}

impl Confirmed {
    /// Takes an explanation in place of what is known; the result file has its numbers.
    pub fn take(&mut self, explanation: Explanation) {
        self.violation.context_switches = explanation.failing.context_switches;
        self.violation.preemptions = explanation.failing.preemptions;
        self.violation.threads = NamedThread::of(&explanation.failing);
        self.violation.class = diagnosis(&explanation).class().map(String::from);
        self.explanation = explanation;
    }
}

/// A simpler way to a failure.
pub struct Simpler {
    /// The failure and the decisions that lead there.
    pub found: Found,
    /// Their cost, and how they were found.
    pub simplified: Simplified,
    /// The result of replaying them: that failure.
    pub replayed: Replayed,
    /// The same for people.
    pub execution: Execution,
    /// How long replaying them took.
    pub replay_time: Duration,
}

/// The same failure with fewer context switches, replayed; looks for one until the end. `None` if what was
/// found does not lead to its failure, or not until then, or the simpler schedule does not replay.
pub fn simpler(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
    end: &Deadline,
) -> Option<Simpler> {
    let given = moves(found.decisions.iter().copied());
    simpler_than(session, found, &given, options, &end.cutoff(), &end.cutoff())
}

/// Executions end at the `cutoff`; none but that of what is given is made once `stop` ends it.
fn simpler_than(
    session: &Session,
    found: &Found,
    given: &[Move],
    options: &ExploreOptions,
    cutoff: &StopToken,
    stop: &StopToken,
) -> Option<Simpler> {
    let machine = session.machine_for(&found.inputs);
    let solver = session.solver(StopToken::default());
    let visible = found.visible.as_deref();
    let mut rerun =
        Rerun::new(&machine, solver, visible, &found.threads, &found.failure, options).until(cutoff.clone());
    let simplified = simplify(&mut rerun, given, stop)?;
    replayed(session, found, simplified, options)
}

/// The same failure where more is visible than on the way to it that was found. Its steps are as they are, or
/// threads that take no further ones there go on as far as they come.
pub fn in_finer_steps(
    session: &Session,
    found: &Found,
    visible: Vec<Site>,
    options: &ExploreOptions,
) -> Option<Simpler> {
    let wider = Found { visible: Some(visible), ..found.clone() };
    let given = moves(found.decisions.iter().copied());
    let mut hurried = Vec::new();
    for (number, one) in given.iter().enumerate() {
        hurried.push(one.clone());
        if !given[number + 1..].iter().any(|later| later.agent == one.agent) {
            let further = Move { agent: one.agent, choices: Default::default() };
            hurried.extend(std::iter::repeat_n(further, MOST_FURTHER));
        }
    }
    let ways = [given, hurried];
    ways.iter().find_map(|way| as_moved(session, &wider, way, options))
}

/// The same failure by the same schedule, replayed.
pub fn as_given(session: &Session, found: &Found, options: &ExploreOptions) -> Option<Simpler> {
    as_moved(session, found, &moves(found.decisions.iter().copied()), options)
}

fn as_moved(session: &Session, found: &Found, given: &[Move], options: &ExploreOptions) -> Option<Simpler> {
    let no_other = StopToken::when(|| Some(StopReason::Interrupted));
    simpler_than(session, found, given, options, &StopToken::default(), &no_other)
}

fn replayed(
    session: &Session,
    found: &Found,
    simplified: Simplified,
    options: &ExploreOptions,
) -> Option<Simpler> {
    let decisions = simplified.attempt.decisions.clone();
    let started = Instant::now();
    let shorter = FixedSchedule { decisions: &decisions, ..schedule_of(found) };
    let (replayed, execution) = replay_observed(session, &found.inputs, shorter, options);
    let failure = replayed.failure().filter(|failure| failure.same_fault(&found.failure))?.clone();
    let threads = replayed.trace.threads.clone();
    Some(Simpler {
        found: Found { failure, decisions, threads, ..found.clone() },
        simplified,
        replayed,
        execution,
        replay_time: started.elapsed(),
    })
}

/// The decisions that led to a failure.
fn schedule_of(found: &Found) -> FixedSchedule<'_> {
    let (visible, expected) = (found.visible.as_deref(), Some(&found.failure));
    FixedSchedule { visible, decisions: &found.decisions, expected }
}

/// Replays decisions with these symbolic inputs, and reports the execution step by step.
pub fn replay_observed(
    session: &Session,
    inputs: &[Input],
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> (Replayed, Execution) {
    observe_steps(&session.machine_for(inputs), session.solver(StopToken::default()), schedule, options)
}

/// The schedule of a failure.
pub fn schedule(session: &Session, found: &Found) -> Schedule {
    Schedule {
        version: VERSION,
        program: session.loaded.path.display().to_string(),
        program_hash: session.loaded.hash.clone(),
        memory_model: session.memory_model.name().into(),
        arguments: session.surroundings.arguments.clone(),
        environment: session.surroundings.environment.clone(),
        standard_input: session.surroundings.standard_input.clone(),
        recorded_calls: session.surroundings.recorded_calls.clone(),
        symbolic: session.surroundings.symbolic.clone(),
        tolerates_sync_misuse: session.tolerates_sync_misuse(),
        tolerates_unwritten_arguments: session.tolerates_unwritten_arguments(),
        expected_output: session.options.expected_output.as_deref().map(<[u8]>::to_vec),
        tolerance: session.options.tolerance,
        spurious_wakeups: session.has_spurious_wakeups(),
        independent_descriptors: session.has_independent_descriptors(),
        models_rust_runtime: session.models_rust_runtime(),
        checks_overflow: session.loaded.checks_overflow,
        standard: session.loaded.standard.clone(),
        what_if: session.loaded.what_if.iter().map(ToString::to_string).collect(),
        visible_sites: found.visible.as_ref().map(|sites| sites.iter().map(|site| site.0).collect()),
        threads: found.threads.clone(),
        inputs: found.inputs.clone(),
        decisions: fold(found.decisions.iter().copied()),
        failure: Some(found.failure.clone()),
    }
}
