//! The exploration of a run, and its results.

use super::coordinator::{self, Finished};
use super::near::Near;
use super::recorded::{cut_by_record, prove_minimal};
use super::unfinished::Unfinished;
use super::{RunArguments, property};
use crate::commands::compose::{Work, compose};
use crate::files::paths::PathFiles;
use crate::files::unwritten::Unwritten;
use crate::limits::budget::{Budget, Deadline};
use crate::limits::counted_solver::SolverCounts;
use crate::limits::memory::{KeptFree, return_freed_memory};
use crate::limits::progress::ProgressLine;
use crate::options::ExploringOptions;
use crate::options::covered::Covered;
use crate::options::properties::Property;
use crate::options::reported_command::ReportedCommand;
use crate::refusal::Refusal;
use crate::report::warnings::{lock_order, misuse};
use crate::report::{Cut, Report};
use crate::schedules::artefacts;
use crate::schedules::confirm::{Findings, confirm};
use crate::schedules::guided::{self, Engine, Reproduction};
use crate::session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symx_interp::machine::Machine;
use symx_interp::stop::position::location;
use symx_posix_explore::{
    Exploration, ExploreOptions, Help, Reduction, explore, explore_near, left_to_one, one_after_another,
};
use symx_posix_model::Posix;
use symx_trace::IncompleteReason;

/// When minimising and explaining end. What was found just before the end of an exploration is worth a
/// quarter of its time again. A recorded run knows from the beginning what it is to explain. The memory that
/// exploring has freed is there again.
fn end_of_explaining(
    session: &Session,
    exploring: &ExploringOptions,
    budget: &Budget,
    started: Instant,
) -> Deadline {
    let whole = |limit: Duration| match session.options.guide {
        Some(_) => limit,
        None => limit.saturating_add(limit / 4),
    };
    let end = exploring.max_time.and_then(|limit| started.checked_add(whole(limit)));
    return_freed_memory();
    budget.deadline(end).or_without_memory(exploring.max_memory, KeptFree::Eighth)
}

/// The results of a run's exploration.
pub(super) struct Explored {
    pub exploration: Exploration,
    pub options: ExploreOptions,
    /// When whatever follows is to end.
    pub end: Deadline,
    /// The result of following a profile.
    guided: Reproduction,
    work: Work,
    nestings: Vec<symx_trace::Nesting>,
    /// The campaign that gave this.
    pub campaign: Option<Finished>,
}

impl Explored {
    pub fn new(
        session: &Session,
        arguments: &RunArguments,
        (earlier, near): (Option<&Unfinished>, Option<&Near>),
        unwritten: &mut Unwritten,
    ) -> Result<Self, Refusal> {
        let exploring = &arguments.exploring;
        let mut options = exploring.explore_options();
        options.resume = earlier.map(Unfinished::saved);
        let engine = match session.options.guide {
            Some(_) if earlier.is_none() => arguments.engine,
            _ => Engine::Search,
        };
        let started = Instant::now();
        let mut guided = guided::reproduce(session, &options, exploring, engine);
        if let Some(trace) = &guided.trace {
            unwritten.note(artefacts::write_recorded_trace(&arguments.report.out, trace));
        }
        let line = if arguments.report.quiet { ProgressLine::silent() } else { ProgressLine::on_stderr() };
        let left = exploring.max_time.map(|whole| whole.saturating_sub(started.elapsed()));
        let mut budget = Budget::new(left, exploring.max_memory, line);
        let machine = match near {
            Some(near) => session.machine_near(Arc::clone(&near.reference), budget.cutoff()),
            None => session.machine_until(budget.cutoff()),
        };
        let counts = SolverCounts::default();
        let solver = session.counted_solver(budget.cutoff(), &counts);
        if let Some(folder) = &arguments.write_paths {
            let given = &session.surroundings;
            budget.write_paths(PathFiles::new(folder, &given.arguments, &given.standard_input)?);
        }
        if let Some(note) = unshared(arguments, (&machine, &options), &budget) {
            eprintln!("symx: note: {note}");
        }
        let mut campaign = None;
        let exploration = match (guided.exploration.take(), &arguments.cluster.cluster) {
            (Some(exploration), _) => exploration,
            (None, Some(address)) => {
                let explored =
                    coordinator::explore(address, session, arguments, (&machine, &options), &mut budget)?;
                campaign = explored.1;
                explored.0
            }
            (None, None) => match near {
                Some(near) => explore_near(&machine, solver, near.nearness, &options, &mut budget),
                None => {
                    let cutoff = budget.cutoff();
                    let solver_of_another = || session.counted_solver(cutoff.clone(), &counts);
                    let help = Help { jobs: exploring.jobs(), solver: &solver_of_another };
                    explore(&machine, solver, &help, &options, &mut budget)
                }
            },
        };
        drop(machine);
        let work = Work { solver: counts.get(), elapsed: started.elapsed(), known: 0 };
        let nestings = budget.nestings().to_vec();
        let end = end_of_explaining(session, exploring, &budget, started);
        unwritten.note(budget.finish());
        Ok(Self { exploration, options, end, guided, work, nestings, campaign })
    }

    /// The failures, replayed, and why the exploration is not complete.
    pub fn findings(
        &mut self,
        session: &Session,
        arguments: &RunArguments,
        (earlier, near): (Option<&Unfinished>, Option<&Near>),
    ) -> Findings {
        let started = Instant::now();
        let mut findings = confirm(session, &self.exploration, &self.options, &self.end);
        if arguments.prove_minimal {
            prove_minimal(session, &self.options, &mut findings, &self.end);
        }
        let executions = self.exploration.progress.executions
            + earlier.map_or(0, |earlier| earlier.executions(&self.exploration));
        for cut in unsaid(session, arguments, &self.exploration, executions) {
            findings.cut(cut);
        }
        cut_by_record(session, &mut findings);
        for cut in property::cannot_tell(session, &arguments.exploring.properties()) {
            findings.cut(cut);
        }
        if let Some(near) = near {
            findings.confirmed.iter_mut().for_each(|confirmed| near.note_flips(session, confirmed));
        }
        if let Some(why) = self.guided.why_not.take().filter(|_| findings.confirmed.is_empty()) {
            findings.cut(Cut::because(IncompleteReason::Synthesis, why));
        }
        self.work.elapsed += started.elapsed();
        findings
    }

    /// The report, with the artefacts of the failures written.
    pub fn report(
        &mut self,
        session: &Session,
        arguments: &RunArguments,
        findings: &mut Findings,
        known: usize,
        unwritten: &mut Unwritten,
    ) -> Report {
        let work = Work { known, ..self.work };
        let options = &arguments.report;
        let mut report =
            compose(ReportedCommand::Run, session, &self.exploration, findings, work, options, unwritten);
        report.warnings = lock_order(&self.nestings, &report);
        report.warnings.extend(misuse(&self.exploration.misuse));
        report.synthesis = self.guided.statistics.take();
        report.covered = Some(Covered::by(&arguments.exploring));
        report
    }
}

/// The part of the work that one worker does, though several were asked for.
fn unshared(
    arguments: &RunArguments,
    (machine, options): (&Machine<Posix>, &ExploreOptions),
    budget: &Budget,
) -> Option<String> {
    if arguments.report.quiet {
        return None;
    }
    let by_states = options.reduction == Reduction::States;
    if arguments.cluster.cluster.is_some() {
        return match one_after_another(machine, options) {
            _ if by_states => {
                Some("the graph of states has no units: source sets explore the program".into())
            }
            reason => reason.map(|reason| format!("units are explored one after the other: {reason}")),
        };
    }
    let reason = if by_states { Some("the graph of states") } else { left_to_one(machine, options, budget) };
    let asks = arguments.exploring.jobs.is_some_and(|jobs| jobs.get() > 1);
    reason.filter(|_| asks).map(|reason| format!("one worker explores it all: {reason}"))
}

/// Why no execution came to its end, and where the one ended that came furthest along recorded paths.
fn no_execution(session: &Session, exploration: &Exploration) -> Cut {
    let because = |what: &str| Cut::because(IncompleteReason::NoExecution, what);
    if session.options.guide.is_none() {
        return because(
            "no execution terminates: assumptions of the program hold in none, or threads repeat loops forever",
        );
    }
    let what = "no execution follows the recorded paths to its end";
    let Some(departure) = &exploration.departure else { return because(what) };
    let place = location(&session.loaded.program, departure.span);
    let within = match departure.function.as_str() {
        "" => String::new(),
        name => format!(" in `{name}`"),
    };
    let furthest = format!(
        "{what}; in the one that comes furthest, {} diverges from its path{within}",
        departure.thread
    );
    Cut { location: (place.line != 0).then_some(place), ..because(&furthest) }
}

/// Reasons for being incomplete that searching itself has: whatever was found, not everything was explored.
fn unsaid(
    session: &Session,
    arguments: &RunArguments,
    exploration: &Exploration,
    executions: u64,
) -> Vec<Cut> {
    let mut cuts = Vec::new();
    if !exploration.incomplete.is_empty() {
        return cuts;
    }
    let is_guided = session.options.guide.is_some();
    if is_guided {
        cuts.push(Cut::because(IncompleteReason::Guided, "only the recorded paths were explored"));
    }
    if arguments.exploring.search().is_sample() {
        cuts.push(Cut::because(IncompleteReason::Sampling, "schedules were chosen at random"));
    }
    // Each state has a way to an end. That threads take it some time does not follow.
    if arguments.exploring.properties().has(Property::Termination) && exploration.progress.states > 0 {
        let what = "threads come round: whether they may do so forever is not known";
        cuts.push(Cut::because(IncompleteReason::Livelock, what));
    }
    let searches = !is_guided || arguments.engine != Engine::Synthesis;
    if searches && executions == 0 && exploration.failures.is_empty() {
        cuts.push(no_execution(session, exploration));
    }
    cuts
}
