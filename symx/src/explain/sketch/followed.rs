//! Executions along the paths of profiles. A profile has neither values nor the order of accesses. Several
//! executions are made up along its paths at random, and each stands for a part of the recorded runs. Where
//! none of these ends as the run did, the paths are explored for one that does.

use super::most_frequent;
use super::opening::{Given, Opening, logged};
use crate::explain::ends::GoodEnd;
use crate::explain::limits::{FOR_ALONG, MOST_ALONG};
use crate::limits::budget::Deadline;
use crate::load::load;
use crate::load::profile::guide;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use std::path::PathBuf;
use std::sync::Arc;
use symx_interp::machine::Options;
use symx_interp::memory::Site;
use symx_memmodel::SequentialConsistency;
use symx_posix_explore::{Exploration, ExploreOptions, Found, Reduction, explore_all, sample_logged};
use symx_trace::profile::{ProcessEnd, Profile, RecordedPath};
use symx_trace::race::{EndResult, Ending};
use symx_trace::{Decision, Input, RunLog, ThreadName, Weight};

/// Profiles of equal paths.
pub(super) struct EqualPaths {
    /// One of them.
    pub profile: Profile,
    /// Their paths.
    pub path: RecordedPath,
    /// Their files.
    pub files: Vec<PathBuf>,
}

impl Opening<'_> {
    /// Executions that stand for the runs of some profiles, made up within a time.
    pub(super) fn followed(&self, equal: &EqualPaths, end: &Deadline) -> Result<Given, Refusal> {
        let EqualPaths { profile, files, .. } = equal;
        let (program, path) = (self.program, &files[0]);
        let refused = |why: String| Refusal::Profile { path: path.clone(), why };
        let loaded = load(&program.program, program.wanted())?;
        let loaded = loaded.with_source(self.source)?;
        let mut surroundings = Surroundings::new(program)?;
        let guide = guide(path, profile, &loaded.program, &end.cutoff())?;
        surroundings.take_from(profile, program);
        let options = Options {
            havoc_externals: surroundings.symbolic.externals,
            tolerance: program.undefined.tolerance(),
            guide: Some(Arc::new(guide)),
            ..Options::default()
        };
        // A recorded run continued natively after misuse of the library.
        let session =
            Session::new(loaded, surroundings, &program.surroundings, &SequentialConsistency, options)?
                .tolerating_sync_misuse(true)
                .tolerating_unwritten_arguments(true);
        let options = ExploreOptions { seed: self.seed, ..ExploreOptions::default() };
        let fails = has_failed(profile);
        let mut logs = sampled_along(&session, fails, &options, end);
        let mut inputs = Vec::new();
        if logs.is_empty() {
            let followed = follow(&session, fails, end).map_err(refused)?;
            let numbered = session.numbering(&followed.threads);
            let (decisions, visible) = (&followed.decisions, followed.visible.as_deref());
            inputs = followed.inputs;
            logs.push(logged(&numbered, &inputs, visible, decisions, &options, end).map_err(refused)?);
        }
        let weight = Weight::share(files.len() as u32, logs.len());
        logs.iter_mut().for_each(|log| log.weight = weight);
        Ok(Given { session, options, inputs, logs })
    }
}

/// Whether a recorded run failed: it did not end by itself.
fn has_failed(profile: &Profile) -> bool {
    !matches!(profile.process.end, ProcessEnd::Exited(_))
}

/// Random executions along recorded paths that pass or fail as is wanted, all in the same way.
fn sampled_along(session: &Session, fails: bool, options: &ExploreOptions, end: &Deadline) -> Vec<RunLog> {
    let end = end.within(end.left() / FOR_ALONG);
    let machine = session.logging_along(end.cutoff());
    let solver = session.solver(end.cutoff());
    let is_wanted = |log: &RunLog| log.failure.is_some() == fails;
    let mut are_enough =
        |logs: &[RunLog]| logs.iter().filter(|log| is_wanted(log)).count() >= Weight::MOST_SHARES;
    let sampled = sample_logged(&machine, solver, options, MOST_ALONG, &mut end.clone(), &mut are_enough);
    let mut logs = sampled.runs;
    let failure = most_frequent(&logs).map(|(failure, _)| failure.clone());
    logs.retain(|log| match (&log.failure, &failure) {
        (Some(own), Some(wanted)) => fails && own.same_fault(wanted),
        (own, _) => own.is_none() && !fails,
    });
    logs.truncate(Weight::MOST_SHARES);
    logs
}

/// An execution along recorded paths.
struct Followed {
    decisions: Vec<Decision>,
    threads: Vec<ThreadName>,
    inputs: Vec<Input>,
    visible: Option<Vec<Site>>,
}

/// Explores the recorded paths until an execution fails, or passes; why none does.
fn follow(session: &Session, fails: bool, end: &Deadline) -> Result<Followed, String> {
    let machine = session.machine_until(end.cutoff());
    let solver = session.solver(end.cutoff());
    let options = ExploreOptions {
        reduction: Reduction::ReadsFrom,
        keep_going: !fails,
        keep_endings: !fails,
        ..ExploreOptions::default()
    };
    let exploration = match fails {
        true => explore_all(&machine, solver, &options, &mut end.clone()),
        false => explore_all(&machine, solver, &options, &mut GoodEnd::within(end.clone(), u64::MAX)),
    };
    let wanted = if fails { "fails" } else { "passes" };
    let reasons: Vec<String> = exploration.incomplete.iter().map(|cut| cut.reason.to_string()).collect();
    let because = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    let followed = if fails { failing(exploration) } else { passing(exploration) };
    followed.ok_or_else(|| format!("no execution along the recorded paths {wanted}{because}"))
}

fn failing(exploration: Exploration) -> Option<Followed> {
    let Found { decisions, inputs, threads, visible, .. } = exploration.failures.into_iter().next()?;
    Some(Followed { decisions, threads, inputs, visible })
}

fn passing(exploration: Exploration) -> Option<Followed> {
    let passes = |result: &EndResult| matches!(result, EndResult::Exit { .. });
    // A recorded run has no symbolic inputs, whose values would be asked for here.
    let is_fit = |ending: &Ending| passes(&ending.result) && ending.inputs.is_empty();
    let ending = exploration.endings.into_iter().find(is_fit)?;
    let (decisions, threads) = (ending.decisions, ending.threads);
    Some(Followed { decisions, threads, inputs: Vec::new(), visible: Some(exploration.visible) })
}
