//! `symx run`: explore every input and schedule, or follow a recorded profile.

pub(super) mod campaign_task;
mod coordinator;
mod explored;
mod near;
mod property;
mod recorded;
mod story;
mod unfinished;

use super::compose::drawing::write_sarif;
use super::compose::{witness, write_json, write_json_so_far};
use crate::explain::budgeted::{ExplainingTime, explain_confirmed};
use crate::files::unwritten::{Unwritten, tell};
use crate::files::writable::{check_file, check_folder};
use crate::load::profile::{guide, read_profile};
use crate::load::what_if::WhatIf;
use crate::load::{Loaded, Wanted, load};
use crate::options::cluster::ClusterOptions;
use crate::options::properties::{Property, task};
use crate::options::{
    CompilingOptions, ExploringOptions, ProgramOptions, ReductionName, ReportOptions, SurroundingOptions,
    UndefinedOptions,
};
use crate::refusal::Refusal;
use crate::report::Report;
use crate::schedules::artefacts;
use crate::schedules::confirm::Findings;
use crate::schedules::guided::Engine;
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use campaign_task::refuse_what_does_not_work;
use clap::Args;
use explored::Explored;
use near::{Near, NearArguments};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use story::{print_story, print_verdict};
use symx_interp::machine::Options;
use symx_posix_explore::{Exploration, PathOrder, Search};
use symx_trace::FailureKind;
use unfinished::Unfinished;

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
    compiling: CompilingOptions,
    #[command(flatten)]
    pub exploring: ExploringOptions,
    /// Report a failure if standard output differs from this file
    #[arg(long, value_name = "FILE")]
    expect_stdout: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportOptions,
    #[command(flatten)]
    near: NearArguments,
    #[command(flatten)]
    pub cluster: ClusterOptions,
    /// Reproduce the failure recorded in this profile along its paths; without ARGS, with the recorded
    /// arguments, environment and standard input
    #[arg(long, value_name = "PROFILE")]
    pub guide: Option<PathBuf>,
    /// Continue an exploration that a limit or Ctrl-C ended; DIR is its `--out` folder. All options except
    /// limits must be the same
    #[arg(long, value_name = "DIR", conflicts_with_all = ["write_paths", "coverage"])]
    pub resume: Option<PathBuf>,
    /// Explore a hypothetical program: without the synchronisation at FILE:LINE (a lock is dropped with its
    /// unlocks), with a critical section (atomic:FILE:LINE-FILE:LINE), an ordering
    /// (order:FILE:LINE<FILE:LINE), a fence before a line (fence:FILE:LINE), atomic loads and stores
    /// (atomic-access:FILE:LINE, or weaker release-acquire:FILE:LINE), or a join of the threads created so
    /// far (join:FILE:LINE)
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
    /// Write a test case per explored path to DIR: its inputs as JSON and in KLEE's .ktest format. With
    /// `--search bfs`, `random-path` or `coverage`, a path that comes to new code has one before it ends. So
    /// have paths that are open when a limit or Ctrl-C ends the run: as many as a tenth of its time allows,
    /// and ten seconds
    #[arg(long, value_name = "DIR")]
    pub write_paths: Option<PathBuf>,
    /// The command line that they were read from, with what the project's file adds.
    #[arg(skip)]
    pub words: Vec<OsString>,
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
        compiling: arguments.compiling.clone(),
    };
    if task::is_task(&program.program) {
        return run(&property::of_task(arguments, &program.program)?);
    }
    check_outputs(arguments)?;
    if arguments.cluster.cluster.is_some() {
        refuse_what_does_not_work(arguments)?;
    }
    let wanted = Wanted {
        entry: program.surroundings.symbolic.entry(),
        checks_overflow: arguments.exploring.properties().has(Property::NoOverflow),
        standards: &program.compiling.standards,
    };
    let loaded = load(&program.program, wanted)?.under(&arguments.what_if)?;
    let loaded = loaded.with_source(&arguments.report.source)?;
    let mut surroundings = Surroundings::new(program)?;
    let mut options = machine_options(arguments, &surroundings);
    if let Some(path) = &arguments.expect_stdout {
        let expected = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
        options.expected_output = Some(expected.into());
    }
    let mut recorded = None;
    if let Some(path) = &arguments.guide {
        if matches!(arguments.exploring.search(), Search::Paths(_)) {
            return Err(Refusal::Usage(
                "--search: recorded paths are explored depth-first or at random".into(),
            ));
        }
        if arguments.engine != Engine::Search && arguments.exploring.search() != Search::Exhaustive {
            return Err(Refusal::Usage(format!(
                "--search {}: --engine synthesis and --engine both explore depth-first",
                arguments.exploring.search_name()
            )));
        }
        let stop = arguments.exploring.end().cutoff();
        let profile = read_profile(path, &stop)?;
        surroundings.take_from(&profile, program);
        match arguments.near.find_failure {
            true => recorded = Some((path.as_path(), profile)),
            false => options.guide = Some(Arc::new(guide(path, &profile, &loaded.program, &stop)?)),
        }
    }
    let session = bound(arguments, program, loaded, surroundings, options)?;
    let find = arguments.near.find_failure;
    let near = find.then(|| Near::new(&session, arguments, recorded)).transpose()?;
    explore_and_report(&session, arguments, near.as_ref())
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
    arguments.exploring.refuse_other_bound()?;
    if arguments.exploring.symmetry && arguments.exploring.reduction == ReductionName::SourceSets {
        let why = "--symmetry: only the reduction `reads-from` exchanges identical threads";
        return Err(Refusal::Usage(why.into()));
    }
    if options.races && loaded.remedies.is_some() {
        let why = "--check race: a hypothetical fix orders no accesses";
        return Err(Refusal::Usage(why.into()));
    }
    let is_guided = options.guide.is_some();
    let tolerated = is_guided || !arguments.exploring.checks().contains(FailureKind::SyncMisuse);
    Ok(Session::new(loaded, surroundings, &program.surroundings, model, options)?
        .tolerating_sync_misuse(tolerated)
        .tolerating_unwritten_arguments(is_guided)
        .with_spurious_wakeups(arguments.exploring.spurious_wakeups)
        .with_independent_descriptors(arguments.exploring.independent_descriptors)
        .with_failing_panics(arguments.exploring.checks().contains(FailureKind::Assert)))
}

/// Refuses what could not be written in the end.
fn check_outputs(arguments: &RunArguments) -> Result<(), Refusal> {
    arguments.report.check()?;
    arguments.sarif.as_deref().map_or(Ok(()), check_file)?;
    arguments.witness.iter().try_for_each(|path| check_file(path))?;
    arguments.write_paths.as_deref().map_or(Ok(()), check_folder)
}

/// The stages of a run: explore, confirm, report, explain, print.
fn explore_and_report(
    session: &Session,
    arguments: &RunArguments,
    near: Option<&Near>,
) -> Result<u8, Refusal> {
    let mut unwritten = Unwritten::default();
    let earlier =
        arguments.resume.as_ref().map(|folder| Unfinished::read(folder, session, arguments)).transpose()?;
    if earlier.is_none() {
        unwritten.note(artefacts::remove_earlier(&arguments.report.out));
    }
    let mut explored = Explored::new(session, arguments, (earlier.as_ref(), near), &mut unwritten)?;
    let mut findings = explored.findings(session, arguments, (earlier.as_ref(), near));
    let known = earlier.as_ref().map_or(0, Unfinished::violations);
    let mut report = explored.report(session, arguments, &mut findings, known, &mut unwritten);
    if let Some(earlier) = earlier {
        earlier.add_to(&mut report, &explored.exploration, arguments.exploring.search());
    }
    property::tell(&mut report, &findings, arguments);
    let left = unwritten.note(keep_what_is_left(session, arguments, &explored.exploration, &report));
    // A script that waits for the file has the verdict as soon as a reader has; what explains it follows.
    unwritten.note(write_json_so_far(&report, &arguments.report));
    print_verdict(session, arguments, &findings, &report, left.as_deref());
    let printed = findings.confirmed.first().and_then(|confirmed| confirmed.violation.title());
    let printed = printed.map(ToOwned::to_owned);
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
    print_story(session, arguments, &findings, printed.as_deref(), cut.as_deref());
    if let Some(Err(refusal)) = explored.campaign.take().map(coordinator::Finished::remove) {
        // The verdict does not depend on it.
        tell(&format!("symx: note: {refusal}"));
    }
    unwritten.exit_code(report.verdict.exit_code())
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
    let (time, number) = match session.options.guide {
        Some(_) => (ExplainingTime::OF_RECORDED_RUN, None),
        None => (ExplainingTime::OF_RUN, Some(known + 1)),
    };
    let cut = explain_confirmed(session, confirmed, &explored.options, time, &explored.end);
    unwritten.note(artefacts::write(&arguments.report.out, number, session, confirmed));
    cut
}

/// Keeps what was left for another run to continue with, or removes what an earlier one left. Returns the
/// message about it.
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

/// Options of the interpreter.
pub fn machine_options(arguments: &RunArguments, surroundings: &Surroundings) -> Options {
    let exploring = &arguments.exploring;
    // A path that comes to new code has its inputs written at once.
    let reports_new_code = arguments.write_paths.is_some() && matches!(exploring.search(), Search::Paths(_));
    Options {
        havoc_externals: surroundings.symbolic.externals,
        coverage: arguments.report.coverage.is_some()
            || exploring.search() == Search::Paths(PathOrder::Coverage)
            || reports_new_code,
        max_instructions: exploring.max_steps.unwrap_or(u64::MAX),
        unroll: exploring.unroll,
        races: exploring.checks().contains(FailureKind::Race),
        tolerance: arguments.undefined.tolerance(),
        ..Options::default()
    }
}
