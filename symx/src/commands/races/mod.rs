//! `symx races`: find data races and classify each by its consequences.

pub mod field;

use super::compose::{Work, compose, write_json};
use crate::exit_code::Verdict;
use crate::files::unwritten::Unwritten;
use crate::limits::budget::Budget;
use crate::limits::counted_solver::SolverCounts;
use crate::limits::progress::ProgressLine;
use crate::load::load;
use crate::load::what_if::WhatIf;
use crate::options::reported_command::ReportedCommand;
use crate::options::{ProgramOptions, ReportOptions, memory_model, seconds};
use crate::races::candidates::{Candidates, Source};
use crate::races::classes::{Classified, RaceClasses};
use crate::races::results::RaceFinding;
use crate::races::suppressions::Suppressions;
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::report::{Cut, Report, SuppressionUse};
use crate::schedules::confirm::Findings;
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use crate::text::visible;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symx_checkers::race_class::Effort;
use symx_interp::machine::Options;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{ExploreOptions, FoundRaces, RaceSearch, find_races};
use symx_trace::{FailureKind, IncompleteReason};

/// Limit the instructions of the search for races, if nothing else is said.
const MOST_INSTRUCTIONS: u64 = 200_000_000;

/// Arguments of `races`.
#[derive(Args, Debug)]
pub struct RacesArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// Memory model (see `run --list-memmodels`)
    #[arg(long = "memmodel", value_name = "MODEL", default_value = "sc", value_parser = memory_model)]
    memory_model: &'static dyn MemoryModel,
    /// Executions to analyse per race (Mp of Portend)
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    mp: u16,
    /// Schedules to explore after the race in each of them (Ma of Portend)
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    ma: u16,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Random executions to analyse when exhaustive search is infeasible (plus up to eight times as many
    /// race-directed ones)
    #[arg(long, value_name = "N", default_value_t = 4)]
    samples: u64,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    max_time: Option<Duration>,
    /// Search for races in at most this many executions
    #[arg(long, value_name = "N")]
    max_executions: Option<u64>,
    /// Limit the instructions of the search for races
    #[arg(long, value_name = "N", default_value_t = MOST_INSTRUCTIONS)]
    max_instructions: u64,
    /// Stop when symx uses more memory than this [default: three quarters of the available memory]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u64>,
    /// Races to suppress, in ThreadSanitizer's syntax: one `race:PATTERN` per line
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// Explore a hypothetical program without the synchronisation at FILE:LINE (a lock is dropped with its
    /// unlocks, an atomic operation stays atomic)
    #[arg(long, value_name = "FILE:LINE")]
    what_if: Vec<WhatIf>,
    /// List pairs of accesses that may race, and say of each what the search came to: pairs of the static
    /// analysis, or of the reports of ThreadSanitizer or Helgrind in FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    candidates: Option<Option<PathBuf>>,
    #[command(flatten)]
    report: ReportOptions,
}

/// Runs the command.
pub fn races(arguments: &RacesArguments) -> Result<u8, Refusal> {
    let program = &arguments.program;
    let suppressions = match &arguments.suppressions {
        Some(path) => Suppressions::read(path)?,
        None => Suppressions::default(),
    };
    arguments.report.check()?;
    let loaded = load(&program.program, program.wanted())?;
    let loaded = loaded.under(&arguments.what_if)?.with_source(&arguments.report.source)?;
    if loaded.remedies.is_some() {
        let why = "--what-if: `symx races` only omits synchronisation; `symx run` explores fixes";
        return Err(Refusal::Usage(why.into()));
    }
    let surroundings = Surroundings::new(program)?;
    let options = Options {
        havoc_externals: surroundings.symbolic.externals,
        tolerance: program.undefined.tolerance(),
        ..Options::default()
    };
    let session = Session::new(loaded, surroundings, &program.surroundings, arguments.memory_model, options)?
        .with_failing_panics(true);
    let line = if arguments.report.quiet { ProgressLine::silent() } else { ProgressLine::on_stderr() };
    let budget = Budget::new(arguments.max_time, arguments.max_memory, line);
    let cutoff = budget.cutoff();
    let candidates = candidates(arguments, &session, &budget)?;
    let counts = SolverCounts::default();
    let solver = || session.counted_solver(cutoff.clone(), &counts);
    let machine = session.machine_that_sees_races(session.memory_model, cutoff.clone());
    let strongest = session.machine_that_sees_races(&symx_memmodel::SequentialConsistency, cutoff.clone());
    let search = RaceSearch {
        options: ExploreOptions {
            seed: arguments.seed,
            max_executions: arguments.max_executions,
            ..ExploreOptions::default()
        },
        max_instructions: arguments.max_instructions,
        samples: arguments.samples,
        notes_ordered: candidates.is_some(),
    };
    let effort = Effort {
        paths: usize::from(arguments.mp),
        schedules: usize::from(arguments.ma),
        seed: arguments.seed,
    };
    let runs = session.machine_until(cutoff.clone());
    let mut classes = RaceClasses::new(&session, &runs, &suppressions, effort, (budget, &counts));
    let mut found = find_races(&machine, &strongest, &|| solver(), &search, &mut classes);
    if session.memory_model.keeps_history() && !found.exploration.incomplete.is_empty() {
        // It has every execution of the strongest model, and is done far later.
        found.merge(find_races(&strongest, &strongest, &|| solver(), &search, &mut classes));
    }
    classes.finish(&found.races);
    let mut unwritten = Unwritten::default();
    let mut report = report(&session, &found, &mut classes, arguments, &mut unwritten);
    report.suppressions = suppressions.uses(found.races.iter().map(|found| &found.race));
    if let Some(candidates) = candidates {
        let cut = candidates.cut();
        // What ended the analysis alone keeps no candidate open: the report does not have it yet.
        report.candidates = Some(candidates.judged(&session.loaded.program, &found, &report));
        cut.into_iter().for_each(|cut| report.cut(cut));
    }
    unwritten.note(classes.budget.finish());
    unwritten.note(write_json(&report, &arguments.report));
    let json_on_stdout = arguments.report.json.as_deref() == Some(Path::new("-"));
    if !arguments.report.quiet && !json_on_stdout {
        let look = Look::new(arguments.report.color, &std::io::stdout(), &session.loaded.source);
        for race in report.races.iter_mut().flatten() {
            println!("{}", render::race(race, look));
        }
        if let Some(candidates) = &report.candidates {
            print!("{}", render::candidates(candidates));
        }
        let suppressed = found.races.iter().filter(|found| suppressions.cover(&found.race)).count();
        print!("{}", visible(&summary(&report, suppressed)));
    }
    unwritten.exit_code(report.verdict.exit_code())
}

/// The candidates, if they are asked for.
fn candidates(
    arguments: &RacesArguments,
    session: &Session,
    budget: &Budget,
) -> Result<Option<Candidates>, Refusal> {
    let Some(source) = Source::of(&arguments.candidates) else { return Ok(None) };
    let entry = arguments.program.surroundings.symbolic.entry().unwrap_or("main");
    let stop = budget.cutoff_of_preparation();
    Candidates::of(&session.loaded.program, entry, &source, &stop).map(Some)
}

/// The report of races found, with the schedules that show them written.
fn report(
    session: &Session,
    found: &FoundRaces,
    classes: &mut RaceClasses<'_>,
    arguments: &RacesArguments,
    unwritten: &mut Unwritten,
) -> Report {
    let mut findings = Findings::of(session, &found.exploration);
    if classes.is_search_cut {
        let why = "the search for races ended early, to leave time to classify those found";
        let of_search = findings.incomplete.iter_mut().filter(|cut| cut.reason == IncompleteReason::MaxTime);
        of_search.for_each(|cut| cut.what = why.into());
    }
    for cut in &mut findings.incomplete {
        if cut.reason == IncompleteReason::MaxInstructions && cut.what.is_empty() {
            let most = arguments.max_instructions;
            cut.what =
                format!("the search for races has taken {most} instructions; --max-instructions allows more");
        }
    }
    if found.samples > 0 {
        let what = format!("{} randomly sampled executions analysed", found.samples);
        findings.cut(Cut::because(IncompleteReason::Sampled, what));
    }
    let Classified { mut races, open, diverged } = classes.classified();
    open.into_iter().chain(unexplained(found, &races)).for_each(|cut| findings.cut(cut));
    diverged.into_iter().for_each(|cut| findings.diverged(cut));
    for (index, race) in races.iter_mut().enumerate() {
        unwritten.note(race.write(session, &arguments.report.out, index + 1));
    }
    let work = Work { solver: classes.counts.get(), elapsed: classes.budget.elapsed(), known: 0 };
    let options = &arguments.report;
    let mut report =
        compose(ReportedCommand::Races, session, &found.exploration, &mut findings, work, options, unwritten);
    let confirmed = races.iter().filter_map(|finding| finding.failure.as_ref());
    report.violations = confirmed.map(|confirmed| confirmed.violation.clone()).collect();
    let races: Vec<_> = races.into_iter().map(|finding| finding.report).collect();
    if races.iter().any(|race| race.class.is_harmful()) {
        report.verdict = Verdict::Violation;
    }
    report.races = Some(races);
    report
}

/// Failures that no race accounts for: what would follow them was not looked at.
fn unexplained(found: &FoundRaces, races: &[RaceFinding]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for found in &found.exploration.failures {
        let failure = &found.failure;
        let accounts = |finding: &RaceFinding| {
            let shown = finding.failure.as_ref().and_then(|confirmed| confirmed.schedule.failure.as_ref());
            shown.is_some_and(|shown| shown.same_fault(failure))
        };
        if failure.kind != FailureKind::Race && !races.iter().any(accounts) {
            cuts.push(Cut {
                location: Some(failure.location.clone()),
                ..Cut::because(IncompleteReason::FailureWithoutRace, &failure.message)
            });
        }
    }
    cuts
}

/// The last lines: races by class, and what is not known.
fn summary(report: &Report, suppressed: usize) -> String {
    use symx_trace::RaceClass::{KWitnessHarmless, OutputDiffers, SingleOrdering, SpecViolated};
    let races = report.races.as_deref().unwrap_or_default();
    let classes = [SpecViolated, OutputDiffers, KWitnessHarmless, SingleOrdering];
    let counts = classes.map(|class| {
        let count = races.iter().filter(|race| race.class == class).count();
        format!("{count} {}", class.name())
    });
    let suppressed = if suppressed == 0 { String::new() } else { format!("; {suppressed} suppressed") };
    let noun = if races.len() == 1 { "race" } else { "races" };
    let mut text = format!("{} {noun}: {}{suppressed}\n", races.len(), counts.join(", "));
    for SuppressionUse { suppression, line, races } in &report.suppressions {
        text.push_str(&match races {
            0 => format!("note: `{suppression}` (line {line} of the suppressions) matches no race found\n"),
            1 => format!("suppressed by `{suppression}` (line {line}): 1 race\n"),
            races => format!("suppressed by `{suppression}` (line {line}): {races} races\n"),
        });
    }
    text.extend(report.contradictions.iter().map(render::contradiction));
    for cut in &report.incomplete {
        text.push_str(&format!("incomplete: {cut}\n"));
    }
    text
}
