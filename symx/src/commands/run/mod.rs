//! `symx run`: explore every input and schedule, or follow a recorded profile.

mod property;
mod recorded;
mod story;

pub use recorded::{guide, read_profile};

use super::cluster::coordinator::{self, Finished};
use super::cluster::options::ClusterOptions;
use super::cluster::task::refuse_what_does_not_work;
use super::compose::{Work, compose, write_json, write_json_so_far};
use super::report::write_sarif;
use crate::explain::budgeted::{ExplainingTime, explain_confirmed};
use crate::explain::what_if::WhatIf;
use crate::files::artefacts;
use crate::files::paths::PathFiles;
use crate::files::unwritten::Unwritten;
use crate::files::witness;
use crate::files::writable::{check_file, check_folder};
use crate::limits::budget::{Budget, Deadline};
use crate::limits::progress::ProgressLine;
use crate::limits::unfinished::Unfinished;
use crate::load::{Loaded, Wanted, load};
use crate::options::{
    ExploringOptions, ProgramOptions, ReductionName, ReportOptions, SearchName, SurroundingOptions,
    UndefinedOptions,
};
use crate::refusal::Refusal;
use crate::report::{Cut, Report};
use crate::schedules::confirm::{Findings, confirm};
use crate::schedules::guided::{self, Engine, Reproduction};
use crate::session::Session;
use crate::session::covered::Covered;
use crate::session::properties::{Property, task};
use crate::session::surroundings::Surroundings;
use crate::warnings::{lock_order, misuse};
use clap::Args;
use recorded::{cut_by_record, prove_minimal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use story::{print_story, print_verdict};
use symx_explore::{Exploration, ExploreOptions, Help, Search, explore};
use symx_interp::machine::Options;
use symx_trace::{FailureKind, IncompleteReason};

/// Arguments of `run`.
#[derive(Args, Clone, Debug)]
pub struct RunArguments {
    /// The program: .bc, .ll, a .c/.cc file that clang compiles, or the .yml of a verification task
    #[arg(value_name = "PROG", required_unless_present = "list_memory_models")]
    program: Option<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    /// List the memory models
    #[arg(long = "list-memmodels")]
    list_memory_models: bool,
    #[command(flatten)]
    pub surroundings: SurroundingOptions,
    #[command(flatten)]
    pub undefined: UndefinedOptions,
    #[command(flatten)]
    pub exploring: ExploringOptions,
    /// Report a failure if standard output differs from this file
    #[arg(long, value_name = "FILE")]
    expect_stdout: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportOptions,
    #[command(flatten)]
    pub cluster: ClusterOptions,
    /// Reproduce the failure recorded in this profile along its paths; without ARGS, with the recorded
    /// arguments, environment and standard input
    #[arg(long, value_name = "PROFILE")]
    pub guide: Option<PathBuf>,
    /// Continue an exploration that a limit or Ctrl-C ended; DIR is its `--out` folder. All options except
    /// limits must be the same
    #[arg(long, value_name = "DIR", conflicts_with_all = ["guide", "write_paths", "coverage"])]
    pub resume: Option<PathBuf>,
    /// Explore a hypothetical program: without the synchronisation at FILE:LINE (a lock is dropped with its
    /// unlocks), with a critical section (atomic:FILE:LINE-FILE:LINE), an ordering
    /// (order:FILE:LINE<FILE:LINE), a fence before a line (fence:FILE:LINE), atomic loads and stores
    /// (atomic-access:FILE:LINE), or a join of the threads created so far (join:FILE:LINE)
    #[arg(long, value_name = "PLACE")]
    pub what_if: Vec<WhatIf>,
    /// Write the failures as SARIF 2.1.0, which editors and code hosts show
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write a witness of the first failure, or that the property holds, for validators: .yml is version 2.0
    /// (2.2 with threads), .graphml is 1.0
    #[arg(long, value_name = "FILE", value_parser = witness::parse_path)]
    witness: Vec<PathBuf>,
    /// With --guide, the engine that reproduces the failure
    #[arg(long, value_enum, default_value_t = Engine::Search, requires = "guide")]
    engine: Engine,
    /// With --guide, prove that no schedule of the failing paths has fewer preemptions, or find one
    #[arg(long, requires = "guide")]
    prove_minimal: bool,
    /// Do not explain the first failure: no minimised schedule, root cause or suggested fix
    #[arg(long)]
    pub no_explain: bool,
    /// Write a test case per explored path to DIR: its inputs as JSON and in KLEE's .ktest format
    #[arg(long, value_name = "DIR")]
    pub write_paths: Option<PathBuf>,
    /// Whether the task that the program is of expects its property to hold.
    #[arg(skip)]
    pub expected: Option<bool>,
}

/// Runs the command.
pub fn run(arguments: &RunArguments) -> Result<u8, Refusal> {
    let Some(program) = arguments.program.clone().filter(|_| !arguments.list_memory_models) else {
        for model in symx_memmodel::all() {
            println!("{:8} {}", model.name(), model.description());
        }
        return Ok(0);
    };
    let program = &ProgramOptions {
        program,
        arguments: arguments.arguments.clone(),
        surroundings: arguments.surroundings.clone(),
        undefined: arguments.undefined.clone(),
    };
    if task::is_task(&program.program) {
        return run(&property::of_task(arguments, &program.program)?);
    }
    check_outputs(arguments)?;
    if arguments.cluster.cluster.is_some() {
        refuse_what_does_not_work(arguments, &program.arguments)?;
    }
    let wanted = Wanted {
        entry: program.surroundings.symbolic.entry(),
        checks_overflow: arguments.exploring.properties().has(Property::NoOverflow),
    };
    let loaded = load(&program.program, wanted)?.under(&arguments.what_if)?;
    let loaded = loaded.with_source(&arguments.report.source)?;
    let mut surroundings = Surroundings::new(program)?;
    if arguments.cluster.cluster.is_some() {
        surroundings = surroundings.elsewhere()?;
    }
    let mut options = machine_options(arguments, &surroundings);
    if let Some(path) = &arguments.expect_stdout {
        let expected = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
        options.expected_output = Some(expected.into());
    }
    if let Some(path) = &arguments.guide {
        if matches!(arguments.exploring.explore_options().search, Search::Paths(_)) {
            return Err(Refusal::Usage(
                "--search: recorded paths are explored depth-first or at random".into(),
            ));
        }
        let stop = arguments.exploring.end().cutoff();
        let profile = read_profile(path, &stop)?;
        options.guide = Some(Arc::new(guide(path, &profile, &loaded.program, &stop)?));
        surroundings.take_from(&profile, program);
    }
    let session = bound(arguments, program, loaded, surroundings, options)?;
    explore_and_report(&session, arguments)
}

/// A program bound to what the command line says of it.
pub fn bound(
    arguments: &RunArguments,
    program: &ProgramOptions,
    loaded: Loaded,
    surroundings: Surroundings,
    options: Options,
) -> Result<Session, Refusal> {
    let model = arguments.exploring.memory_model;
    if arguments.exploring.symmetry && arguments.exploring.reduction == ReductionName::SourceSets {
        let why = "--symmetry: only the reduction `reads-from` exchanges identical threads";
        return Err(Refusal::Usage(why.into()));
    }
    if options.races && loaded.remedies.is_some() {
        let why = "--check race: a hypothetical fix orders no accesses";
        return Err(Refusal::Usage(why.into()));
    }
    let tolerated =
        arguments.guide.is_some() || !arguments.exploring.checks().contains(FailureKind::SyncMisuse);
    Ok(Session::new(loaded, surroundings, &program.surroundings, model, options)?
        .tolerating_sync_misuse(tolerated)
        .with_spurious_wakeups(arguments.exploring.spurious_wakeups)
        .with_failing_panics(arguments.exploring.checks().contains(FailureKind::Assert)))
}

/// Refuses what could not be written in the end.
fn check_outputs(arguments: &RunArguments) -> Result<(), Refusal> {
    arguments.report.check()?;
    arguments.sarif.as_deref().map_or(Ok(()), check_file)?;
    arguments.witness.iter().try_for_each(|path| check_file(path))?;
    arguments.write_paths.as_deref().map_or(Ok(()), check_folder)
}

/// The stages of a run: explore, confirm, report, explain, tell.
fn explore_and_report(session: &Session, arguments: &RunArguments) -> Result<u8, Refusal> {
    let mut unwritten = Unwritten::default();
    let earlier =
        arguments.resume.as_ref().map(|folder| Unfinished::read(folder, session, arguments)).transpose()?;
    if earlier.is_none() {
        unwritten.note(artefacts::remove_earlier(&arguments.report.out));
    }
    let mut explored = Explored::new(session, arguments, earlier.as_ref(), &mut unwritten)?;
    let mut findings = explored.findings(session, arguments, earlier.as_ref());
    let known = earlier.as_ref().map_or(0, Unfinished::violations);
    let mut report = explored.report(session, arguments, &mut findings, known, &mut unwritten);
    if let Some(earlier) = earlier {
        earlier.add_to(&mut report, &explored.exploration);
    }
    property::tell(&mut report, &findings, arguments);
    let left = unwritten.note(keep_what_is_left(session, arguments, &explored.exploration, &report));
    // A script that waits for the file has the verdict as soon as a reader has; what explains it follows.
    unwritten.note(write_json_so_far(&report, &arguments.report));
    print_verdict(session, arguments, &findings, &report, left.as_deref());
    let cut = explain_first(session, arguments, &explored, &mut findings, known, &mut unwritten);
    report.take_violations(known, findings.confirmed.iter().map(|confirmed| &confirmed.violation));
    unwritten.note(write_json(&report, &arguments.report));
    if let Some(path) = &arguments.sarif {
        let explanations: Vec<_> =
            findings.confirmed.iter().map(|confirmed| &confirmed.explanation).collect();
        unwritten.note(write_sarif(path, &explanations));
    }
    for path in &arguments.witness {
        unwritten.note(property::write_witness(path, session, arguments, &findings, &report));
    }
    print_story(session, arguments, &findings, cut.as_deref());
    if let Some(campaign) = explored.campaign.take() {
        unwritten.note(campaign.remove());
    }
    unwritten.exit_code(report.verdict.exit_code())
}

/// What a run has explored.
struct Explored {
    exploration: Exploration,
    options: ExploreOptions,
    /// When whatever follows is to end.
    end: Deadline,
    /// What a profile led to.
    guided: Reproduction,
    work: Work,
    nestings: Vec<symx_trace::Nesting>,
    /// The campaign that came to this.
    campaign: Option<Finished>,
}

impl Explored {
    fn new(
        session: &Session,
        arguments: &RunArguments,
        earlier: Option<&Unfinished>,
        unwritten: &mut Unwritten,
    ) -> Result<Self, Refusal> {
        let exploring = &arguments.exploring;
        let mut options = exploring.explore_options();
        options.resume = earlier.map(Unfinished::saved);
        let engine = match arguments.guide {
            Some(_) if options.search == Search::Exhaustive && earlier.is_none() => arguments.engine,
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
        let machine = session.machine_until(budget.cutoff());
        let (solver, counts) = session.solver(budget.cutoff());
        if let Some(folder) = &arguments.write_paths {
            budget.write_paths(PathFiles::new(folder, &session.surroundings)?);
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
            (None, None) => {
                let cutoff = budget.cutoff();
                let help = Help { jobs: exploring.jobs(), solver: &|| session.solver(cutoff.clone()).0 };
                explore(&machine, solver, &help, &options, &mut budget)
            }
        };
        let work = Work { solver: counts.get(), elapsed: started.elapsed(), known: 0 };
        let nestings = budget.nestings().to_vec();
        // Whoever explores until then still wants what was found made simple.
        let end =
            budget.deadline(arguments.guide.as_ref().and(exploring.max_time).map(|limit| started + limit));
        unwritten.note(budget.finish());
        Ok(Self { exploration, options, end, guided, work, nestings, campaign })
    }

    /// The failures, replayed, and why the exploration is not complete.
    fn findings(
        &mut self,
        session: &Session,
        arguments: &RunArguments,
        earlier: Option<&Unfinished>,
    ) -> Findings {
        let started = Instant::now();
        let mut findings = confirm(session, &self.exploration, &self.options, &self.end);
        if arguments.prove_minimal {
            prove_minimal(session, &self.options, &mut findings, &self.end);
        }
        let executions = self.exploration.progress.executions
            + earlier.map_or(0, |earlier| earlier.executions(&self.exploration));
        for cut in unsaid(arguments, &self.exploration, executions) {
            findings.cut(cut);
        }
        cut_by_record(session, &mut findings);
        for cut in property::cannot_tell(session, &arguments.exploring.properties()) {
            findings.cut(cut);
        }
        if let Some(why) = self.guided.why_not.take().filter(|_| findings.confirmed.is_empty()) {
            findings.cut(Cut::because(IncompleteReason::Synthesis, why));
        }
        self.work.elapsed += started.elapsed();
        findings
    }

    /// The report, with the artefacts of the failures written.
    fn report(
        &mut self,
        session: &Session,
        arguments: &RunArguments,
        findings: &mut Findings,
        known: usize,
        unwritten: &mut Unwritten,
    ) -> Report {
        let work = Work { known, ..self.work };
        let options = &arguments.report;
        let mut report = compose("run", session, &self.exploration, findings, work, options, unwritten);
        report.warnings = lock_order(&self.nestings, &report);
        report.warnings.extend(misuse(&self.exploration.misuse));
        report.synthesis = self.guided.statistics.take();
        report.covered = Some(Covered::by(&arguments.exploring));
        report
    }
}

/// Explains the first failure, and leaves what is found in place of its artefacts. Why that was cut short,
/// if it was.
fn explain_first(
    session: &Session,
    arguments: &RunArguments,
    explored: &Explored,
    findings: &mut Findings,
    known: usize,
    unwritten: &mut Unwritten,
) -> Option<String> {
    let confirmed = findings.confirmed.first_mut().filter(|_| !arguments.no_explain)?;
    let (time, number) = match arguments.guide {
        Some(_) => (ExplainingTime::OF_RECORDED_RUN, None),
        None => (ExplainingTime::OF_RUN, Some(known + 1)),
    };
    let cut = explain_confirmed(session, confirmed, &explored.options, time, &explored.end);
    unwritten.note(artefacts::write(&arguments.report.out, number, session, confirmed));
    cut
}

/// Keeps what was left for another run to go on with, or removes what an earlier one left. What
/// to say about it.
fn keep_what_is_left(
    session: &Session,
    arguments: &RunArguments,
    exploration: &Exploration,
    report: &Report,
) -> Result<String, Refusal> {
    // Paths written, and lines executed, are known of one process only.
    let is_whole = arguments.write_paths.is_none() && arguments.report.coverage.is_none();
    if let Some(saved) = exploration.saved.as_ref().filter(|_| is_whole) {
        let folder = &arguments.report.out;
        let path = Unfinished::write(folder, session, arguments, report, saved)?;
        return Ok(format!(
            "state saved in {}; continue with --resume {}\n",
            path.display(),
            folder.display()
        ));
    }
    if let Some(folder) = &arguments.resume {
        Unfinished::remove(folder);
    }
    Ok(String::new())
}

/// Reasons for being incomplete that lie in the way of searching: whatever was found, not
/// everything was looked at.
fn unsaid(arguments: &RunArguments, exploration: &Exploration, executions: u64) -> Vec<Cut> {
    let mut cuts = Vec::new();
    if !exploration.incomplete.is_empty() {
        return cuts;
    }
    if arguments.guide.is_some() {
        cuts.push(Cut::because(IncompleteReason::Guided, "only the recorded paths were explored"));
    }
    if arguments.exploring.search().is_sample() {
        cuts.push(Cut::because(IncompleteReason::Sampling, "schedules were chosen at random"));
    }
    let searches = arguments.guide.is_none() || arguments.engine != Engine::Synthesis;
    if searches && executions == 0 && exploration.failures.is_empty() {
        let what = match arguments.guide {
            None => "no execution terminates: the assumptions of the program hold in none",
            Some(_) => "no execution follows the recorded paths to its end",
        };
        cuts.push(Cut::because(IncompleteReason::NoExecution, what));
    }
    cuts
}

/// What the interpreter is told.
pub fn machine_options(arguments: &RunArguments, surroundings: &Surroundings) -> Options {
    let exploring = &arguments.exploring;
    Options {
        havoc_externals: surroundings.symbolic.externals,
        coverage: arguments.report.coverage.is_some() || exploring.search == SearchName::Coverage,
        max_instructions: exploring.max_steps.unwrap_or(u64::MAX),
        unroll: exploring.unroll,
        races: exploring.checks().contains(FailureKind::Race),
        tolerance: arguments.undefined.tolerance(),
        ..Options::default()
    }
}
