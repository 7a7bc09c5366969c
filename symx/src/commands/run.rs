//! `symx run`: explore every input and schedule, or follow a recorded profile.

use super::compose::{Work, compose, failures, write_json};
use super::report::write_sarif;
use crate::explain::trial::try_remedies;
use crate::explain::what_if::WhatIf;
use crate::explain::{explain, found_by};
use crate::files::artefacts::{write_explanation, write_recorded_trace};
use crate::files::paths::PathFiles;
use crate::files::unwritten::Unwritten;
use crate::files::writable::{check_file, check_folder};
use crate::limits::budget::{Budget, Deadline};
use crate::limits::progress::ProgressLine;
use crate::limits::unfinished::Unfinished;
use crate::load::load;
use crate::options::{
    ExploringOptions, ProgramOptions, ReductionName, ReportOptions, SearchName, SurroundingOptions,
    UndefinedOptions,
};
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::report::{Cut, Report};
use crate::schedules::confirm::{Findings, confirm, confirm_one};
use crate::schedules::fewest_preemptions::prove_of_failure;
use crate::schedules::guided::{self, Engine};
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use crate::warnings::{lock_order, misuse};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use symx_explore::{Exploration, ExploreOptions, Help, Search, explore};
use symx_expr::{StopReason, StopToken};
use symx_interp::machine::Options;
use symx_interp::paths::guide::Guide;
use symx_ir::Program;
use symx_trace::profile::{NOT_RECORDED, Profile};
use symx_trace::{Explanation, FailureKind, IncompleteReason};

/// How long the failure that a profile leads to is explained at most.
const EXPLAINING: Duration = Duration::from_secs(20);

/// How long its remedies are tried at most.
const TRYING: Duration = Duration::from_secs(5);

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// The program: .bc, .ll, or a .c/.cc file that clang compiles
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
    report: ReportOptions,
    /// Reproduce the failure recorded in this profile along its paths; without ARGS, with the recorded
    /// arguments, environment and standard input
    #[arg(long, value_name = "PROFILE")]
    guide: Option<PathBuf>,
    /// Continue an exploration that a limit or Ctrl-C ended; DIR is its `--out` folder. All options except
    /// limits must be the same
    #[arg(long, value_name = "DIR", conflicts_with_all = ["guide", "write_paths", "coverage"])]
    resume: Option<PathBuf>,
    /// Explore a hypothetical program: without the synchronisation at FILE:LINE (a lock is dropped with its
    /// unlocks), with a critical section (atomic:FILE:LINE-FILE:LINE), an ordering
    /// (order:FILE:LINE<FILE:LINE), a fence before a line (fence:FILE:LINE), atomic loads and stores
    /// (atomic-access:FILE:LINE), or a join of the threads created so far (join:FILE:LINE)
    #[arg(long, value_name = "PLACE")]
    pub what_if: Vec<WhatIf>,
    /// Write the failures as SARIF 2.1.0, which editors and code hosts show
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// With --guide, the engine that reproduces the failure
    #[arg(long, value_enum, default_value_t = Engine::Search, requires = "guide")]
    engine: Engine,
    /// With --guide, prove that no schedule of the failing paths has fewer preemptions, or find one
    #[arg(long, requires = "guide")]
    prove_minimal: bool,
    /// Write a test case per explored path to DIR: its inputs as JSON and in KLEE's .ktest format
    #[arg(long, value_name = "DIR")]
    write_paths: Option<PathBuf>,
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
    check_outputs(arguments)?;
    let loaded = load(&program.program, program.surroundings.symbolic.entry())?.under(&arguments.what_if)?;
    let loaded = loaded.with_source(&arguments.report.source)?;
    let mut surroundings = Surroundings::new(program)?;
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
    let session = Session::new(loaded, surroundings, &program.surroundings, model, options)?
        .tolerating_sync_misuse(tolerated)
        .with_spurious_wakeups(arguments.exploring.spurious_wakeups)
        .with_failing_panics(arguments.exploring.checks().contains(FailureKind::Assert));
    explore_and_report(&session, arguments)
}

/// Refuses what could not be written in the end.
fn check_outputs(arguments: &RunArguments) -> Result<(), Refusal> {
    arguments.report.check()?;
    arguments.sarif.as_deref().map_or(Ok(()), check_file)?;
    arguments.write_paths.as_deref().map_or(Ok(()), check_folder)
}

fn explore_and_report(session: &Session, arguments: &RunArguments) -> Result<u8, Refusal> {
    let exploring = &arguments.exploring;
    let mut explore_options = exploring.explore_options();
    let earlier =
        arguments.resume.as_ref().map(|folder| Unfinished::read(folder, session, arguments)).transpose()?;
    explore_options.resume = earlier.as_ref().map(Unfinished::saved);
    let engine = match arguments.guide {
        Some(_) if explore_options.search == Search::Exhaustive && earlier.is_none() => arguments.engine,
        _ => Engine::Search,
    };
    let started = Instant::now();
    let guided = guided::reproduce(session, &explore_options, exploring, engine);
    let mut unwritten = Unwritten::default();
    if let Some(trace) = &guided.trace {
        unwritten.note(write_recorded_trace(&arguments.report.out, trace));
    }
    let line = if arguments.report.quiet { ProgressLine::silent() } else { ProgressLine::on_stderr() };
    let left = exploring.max_time.map(|whole| whole.saturating_sub(started.elapsed()));
    let mut budget = Budget::new(left, exploring.max_memory, line);
    let machine = session.machine_until(budget.cutoff());
    let (solver, counts) = session.solver(budget.cutoff());
    if let Some(folder) = &arguments.write_paths {
        budget.write_paths(PathFiles::new(folder, &session.surroundings)?);
    }
    let exploration = guided.exploration.unwrap_or_else(|| {
        let cutoff = budget.cutoff();
        let help = Help { jobs: exploring.jobs(), solver: &|| session.solver(cutoff.clone()).0 };
        explore(&machine, solver, &help, &explore_options, &mut budget)
    });
    // Whoever explores until then still wants what was found made simple.
    let end = arguments.guide.as_ref().and(exploring.max_time).map(|limit| started + limit);
    let end = &budget.deadline(end);
    let mut findings = confirm(session, &exploration, &explore_options, end);
    if arguments.prove_minimal {
        prove_minimal(session, &explore_options, &mut findings, end);
    }
    let executions = exploration.progress.executions
        + earlier.as_ref().map_or(0, |earlier| earlier.executions(&exploration));
    for cut in unsaid(arguments, &exploration, executions) {
        findings.cut(cut);
    }
    cut_by_record(session, &mut findings);
    if let Some(why) = guided.why_not.filter(|_| findings.confirmed.is_empty()) {
        findings.cut(Cut::because(IncompleteReason::Synthesis, why));
    }
    let known = earlier.as_ref().map_or(0, Unfinished::violations);
    let work = Work { solver: counts.get(), elapsed: started.elapsed(), known };
    let nestings = budget.nestings().to_vec();
    unwritten.note(budget.finish());
    let options = &arguments.report;
    let mut report = compose("run", session, &exploration, &mut findings, work, options, &mut unwritten);
    report.warnings = lock_order(&nestings, &report);
    report.warnings.extend(misuse(&exploration.misuse));
    report.synthesis = guided.statistics;
    if let Some(earlier) = earlier {
        earlier.add_to(&mut report, &exploration);
    }
    let left = unwritten.note(keep_what_is_left(session, arguments, &exploration, &report));
    unwritten.note(write_json(&report, &arguments.report));
    let explained = match arguments.guide {
        Some(_) => explained(session, arguments, &explore_options, &mut findings, end, &mut unwritten),
        None => None,
    };
    if let Some(path) = &arguments.sarif {
        let explanations: Vec<_> =
            findings.confirmed.iter().map(|confirmed| &confirmed.explanation).collect();
        unwritten.note(write_sarif(path, &explanations));
    }
    print_findings(session, arguments, &findings, &report, left.as_deref(), explained.as_ref());
    unwritten.exit_code(report.verdict.exit_code())
}

/// What the guide's record lacks makes the verdict incomplete.
fn cut_by_record(session: &Session, findings: &mut Findings) {
    for thread in session.options.guide.iter().flat_map(|guide| guide.unfollowed()) {
        let what = format!(
            "thread {thread}: the beginning of its record is lost, so it was not restricted to its recorded path"
        );
        findings.cut(Cut::because(IncompleteReason::RecordBeginningLost, what));
    }
    if let Some(guide) = &session.options.guide {
        if guide.is_cut_off() {
            let what = "the profile is truncated: threads or parts of their paths are missing";
            findings.cut(Cut::because(IncompleteReason::RecordCutOff, what));
        }
        let unrecorded = unrecorded_inputs(&session.loaded.program);
        if !unrecorded.is_empty() {
            let what = format!("the results of {} were not recorded", unrecorded.join(", "));
            findings.cut(Cut::because(IncompleteReason::InputsNotRecorded, what));
        }
    }
}

/// Prints what was found, unless that was not asked for or standard output has the JSON.
fn print_findings(
    session: &Session,
    arguments: &RunArguments,
    findings: &Findings,
    report: &Report,
    left: Option<&str>,
    explained: Option<&Explanation>,
) {
    let json_on_stdout = arguments.report.json.as_deref() == Some(Path::new("-"));
    if arguments.report.quiet || json_on_stdout {
        return;
    }
    let look = Look::new(arguments.report.color, &std::io::stdout(), &session.loaded.source);
    let (failures, warnings) = (failures(findings, look), render::warnings(report, look));
    print!("{failures}{warnings}{}{}", render::summary(report), render::visible(left.unwrap_or_default()));
    let proofs = report.violations.iter().filter_map(|violation| violation.fewest.as_ref());
    proofs.for_each(|proof| print!("{}", render::visible(&proof.told())));
    print!("{}", explained.map_or_else(String::new, |found| render::explanation(found, true, look)));
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

/// Proves that the failure found takes as many preemptions as it has, or takes a schedule with
/// fewer in its place.
fn prove_minimal(session: &Session, options: &ExploreOptions, findings: &mut Findings, end: &Deadline) {
    let Some(confirmed) = findings.confirmed.first_mut() else { return };
    let Some(found) = found_by(&confirmed.schedule) else { return };
    let over = end.cutoff();
    let preemptions = confirmed.violation.preemptions;
    let (proof, better) = prove_of_failure(session, &found, preemptions, options, &over);
    let better = better.and_then(|better| confirm_one(session, &better, options, end).ok());
    if let Some(better) = better.filter(|better| better.violation.preemptions < preemptions) {
        *confirmed = better;
    }
    confirmed.violation.fewest = Some(proof);
}

/// Why the failure that a profile led to happens; left among the artefacts, in place of
/// what was known before.
fn explained(
    session: &Session,
    arguments: &RunArguments,
    options: &ExploreOptions,
    findings: &mut Findings,
    end: &Deadline,
    unwritten: &mut Unwritten,
) -> Option<Explanation> {
    let confirmed = findings.confirmed.first_mut()?;
    let found = found_by(&confirmed.schedule)?;
    // It takes several replays, each of which is as long as it is.
    let is_too_late = end.within(EXPLAINING).left() <= 2 * confirmed.replay_time;
    let explanation = match is_too_late {
        true => {
            let why = match end.reason() {
                Some(StopReason::Interrupted) => "interrupted",
                _ => "the time limit was reached",
            };
            let mut explanation = confirmed.explanation.clone();
            explanation.limits.push(format!("the root cause was not analysed: {why}"));
            Some(explanation)
        }
        false => explain(session, &found, options, false, &end.within(EXPLAINING)).map(|mut explanation| {
            try_remedies(session, &mut explanation, options, &end.within(TRYING));
            explanation
        }),
    };
    if let Some(explanation) = &explanation {
        let written = write_explanation(&arguments.report.out, None, explanation, &session.loaded.source);
        unwritten.note(written);
        confirmed.explanation = explanation.clone();
    }
    explanation
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

fn machine_options(arguments: &RunArguments, surroundings: &Surroundings) -> Options {
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

/// Through which functions that the program calls input enters that no profile holds, in order of name.
fn unrecorded_inputs(program: &Program) -> Vec<&str> {
    let mut names: Vec<&str> = program.names_called().filter(|name| NOT_RECORDED.contains(name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Reads a profile file, which may unfold to more than there is memory for.
pub fn read_profile(path: &Path, stop: &StopToken) -> Result<Profile, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    Profile::read_until(&bytes, stop)
        .map_err(|error| Refusal::Profile { path: path.into(), why: error.to_string() })
}

/// A guide whose every path exists in the program.
pub fn guide(path: &Path, profile: &Profile, program: &Program, stop: &StopToken) -> Result<Guide, Refusal> {
    let refused = |error: symx_interp::paths::guide::GuideError| Refusal::Profile {
        path: path.into(),
        why: error.to_string(),
    };
    let guide = Guide::new(profile, program, stop).map_err(refused)?;
    guide.verify().map_err(refused)?;
    Ok(guide)
}
