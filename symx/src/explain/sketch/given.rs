//! Executions that schedules and profiles give. A schedule is replayed; the paths of a profile are followed
//! until an execution ends as the recorded run did, and that one is replayed.

use crate::files::source_text::SourceOptions;
use crate::limits::budget::Deadline;
use crate::load::profile::{guide, read_profile};
use crate::load::{Wanted, load};
use crate::options::ProgramOptions;
use crate::refusal::Refusal;
use crate::schedules::scheduled::Scheduled;
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use symx_explore::{
    Exploration, ExploreOptions, Found, Observer, Progress, Reduction, explore_all, replay_logged,
};
use symx_interp::machine::Options;
use symx_interp::memory::Site;
use symx_memmodel::{MemoryModel, SequentialConsistency};
use symx_trace::profile::{ProcessEnd, Profile};
use symx_trace::race::{EndResult, Ending};
use symx_trace::{Decision, IncompleteReason, Input, RunLog, ThreadName};

/// An execution that a file gives.
pub struct Given {
    /// The program in the surroundings of that run.
    pub session: Session,
    /// The failures that count.
    pub options: ExploreOptions,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// The events.
    pub log: RunLog,
}

/// How files are opened.
pub struct Opening<'a> {
    /// The program and its surroundings, as far as files do not say.
    pub program: &'a ProgramOptions,
    /// Where its source lies.
    pub source: &'a SourceOptions,
    /// When to stop.
    pub end: &'a Deadline,
}

impl Opening<'_> {
    /// The execution of a schedule or a profile.
    pub fn open(&self, path: &Path) -> Result<Given, Refusal> {
        let mut first = [0];
        let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut first));
        read.map_err(|error| Refusal::unreadable(path, error))?;
        // A schedule is a JSON object.
        if first == *b"{" { self.scheduled(path) } else { self.profiled(path) }
    }

    fn scheduled(&self, path: &Path) -> Result<Given, Refusal> {
        let ProgramOptions { program, surroundings, .. } = self.program;
        let refused = |why: String| Refusal::Schedule { path: path.into(), why };
        let scheduled = Scheduled::open(program, path, surroundings, self.source)?;
        let Scheduled { schedule, session, options, sites } = scheduled;
        if session.memory_model.name() != SequentialConsistency.name() {
            return Err(refused("a sketch needs executions under sequential consistency".into()));
        }
        let decisions: Vec<Decision> = schedule.unfolded().collect();
        let inputs = schedule.inputs.clone();
        let log = logged(&session, &inputs, sites.as_deref(), &decisions, &options, self.end);
        let log = log.map_err(refused)?;
        let is_reproduced = match (&log.failure, &schedule.failure) {
            (Some(seen), Some(expected)) => seen.same_fault(expected),
            (None, None) => true,
            _ => false,
        };
        if !is_reproduced {
            return Err(refused("the execution does not end as the schedule says".into()));
        }
        Ok(Given { session, options, inputs, log })
    }

    fn profiled(&self, path: &Path) -> Result<Given, Refusal> {
        let program = self.program;
        let profile = read_profile(path, &self.end.cutoff())?;
        let loaded = load(&program.program, Wanted::at(program.surroundings.symbolic.entry()))?;
        let loaded = loaded.with_source(self.source)?;
        let mut surroundings = Surroundings::new(program)?;
        let guide = guide(path, &profile, &loaded.program, &self.end.cutoff())?;
        surroundings.take_from(&profile, program);
        let options = Options {
            havoc_externals: surroundings.symbolic.externals,
            tolerance: program.undefined.tolerance(),
            guide: Some(Arc::new(guide)),
            ..Options::default()
        };
        // A recorded run continued natively after misuse of the library.
        let session =
            Session::new(loaded, surroundings, &program.surroundings, &SequentialConsistency, options)?
                .tolerating_sync_misuse(true);
        let followed = follow(&session, has_failed(&profile), self.end);
        let refused = |why: String| Refusal::Profile { path: path.into(), why };
        let Followed { decisions, threads, inputs, visible } = followed.map_err(refused)?;
        let numbered = session.numbering(&threads);
        let options = ExploreOptions::default();
        let log = logged(&numbered, &inputs, visible.as_deref(), &decisions, &options, self.end);
        let log = log.map_err(|why| Refusal::Profile { path: path.into(), why })?;
        Ok(Given { session, options, inputs, log })
    }
}

/// The log of the execution under these decisions; why there is none.
pub fn logged(
    session: &Session,
    inputs: &[Input],
    visible: Option<&[Site]>,
    decisions: &[Decision],
    options: &ExploreOptions,
    end: &Deadline,
) -> Result<RunLog, String> {
    let machine = session.logging(Some(inputs), end.cutoff());
    let (solver, _) = session.solver(end.cutoff());
    replay_logged(&machine, solver, visible, decisions, options)
}

/// Whether a recorded run failed: it did not end by itself.
fn has_failed(profile: &Profile) -> bool {
    !matches!(profile.process.end, ProcessEnd::Exited(_))
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
    let (solver, _) = session.solver(end.cutoff());
    let options = ExploreOptions {
        reduction: Reduction::ReadsFrom,
        keep_going: !fails,
        keep_endings: !fails,
        ..ExploreOptions::default()
    };
    let mut until = Until { end: end.clone(), passes: false, stops_at_pass: !fails };
    let exploration = explore_all(&machine, solver, &options, &mut until);
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

/// Ends an exploration with the first execution that passes, if that is what it is for.
struct Until {
    end: Deadline,
    passes: bool,
    stops_at_pass: bool,
}

impl Observer for Until {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        let is_found = self.passes && self.stops_at_pass;
        if is_found { Some(IncompleteReason::MaxExecutions) } else { self.end.progress(progress) }
    }

    fn execution_passed(&mut self) {
        self.passes = true;
    }
}
