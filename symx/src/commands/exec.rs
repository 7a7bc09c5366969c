//! `symx exec`: one execution.

use super::compose::{Work, compose, failures, write_json};
use crate::exit_code::{INCOMPLETE, VIOLATION};
use crate::files::program_output::PassThrough;
use crate::files::unwritten::Unwritten;
use crate::limits::budget::Budget;
use crate::limits::counted_solver::SolverCounts;
use crate::limits::progress::ProgressLine;
use crate::load::load;
use crate::options::reported_command::ReportedCommand;
use crate::options::{ProgramOptions, ReportOptions, memory_model, read_own_input, seconds};
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::report::Cut;
use crate::report::warnings::misuse;
use crate::schedules::confirm::{Findings, confirm};
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use crate::text::one_line;
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symx_interp::machine::Options;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{Exploration, ExploreOptions, run_once};
use symx_trace::IncompleteReason;

/// Arguments of `exec`.
#[derive(Args, Debug)]
pub struct ExecArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// Memory model (see `symx run --list-memmodels`)
    #[arg(long = "memmodel", value_name = "MODEL", default_value = "sc", value_parser = memory_model)]
    memory_model: &'static dyn MemoryModel,
    /// Schedule threads at random with this seed, instead of in turns
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run under this schedule, written by an earlier run
    #[arg(long, value_name = "SCHEDULE", conflicts_with_all = ["seed", "memory_model", "max_time", "max_memory", "max_steps", "policies", "strict"])]
    schedule: Option<PathBuf>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    max_time: Option<Duration>,
    /// Stop when symx uses more memory than this [default: three quarters of the available memory]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u64>,
    /// Stop after this many instructions
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Stop at misuse of the threads library, instead of a warning
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    report: ReportOptions,
}

/// Runs the command.
pub fn exec(arguments: &ExecArguments) -> Result<u8, Refusal> {
    let program = &arguments.program;
    if let Some(schedule) = &arguments.schedule {
        return super::replay::exec_schedule(program, schedule, &arguments.report);
    }
    arguments.report.check()?;
    let loaded = load(&program.program, program.wanted())?;
    let loaded = loaded.with_source(&arguments.report.source)?;
    let mut surroundings = Surroundings::new(program)?;
    // At a terminal there may be no input; a program that wants input there is given `--stdin -`.
    if program.surroundings.stdin.is_none() && !std::io::stdin().is_terminal() {
        surroundings.standard_input = read_own_input()?;
    }
    let options = Options {
        max_instructions: arguments.max_steps.unwrap_or(u64::MAX),
        havoc_externals: surroundings.symbolic.externals,
        coverage: arguments.report.coverage.is_some(),
        tolerance: program.undefined.tolerance(),
        ..Options::default()
    };
    let model = arguments.memory_model;
    let session =
        Session::new(loaded, surroundings, &program.surroundings, model, options)?.passing_output_on();
    let session =
        session.tolerating_sync_misuse(!arguments.strict).tolerating_unwritten_arguments(!arguments.strict);
    run_and_report(&session, arguments)
}

fn run_and_report(session: &Session, arguments: &ExecArguments) -> Result<u8, Refusal> {
    let explore_options = ExploreOptions::default();
    // No progress line: the terminal is the program's.
    let mut budget = Budget::new(arguments.max_time, arguments.max_memory, ProgressLine::silent());
    let json_on_stdout = arguments.report.json.as_deref() == Some(Path::new("-"));
    let mut output = if json_on_stdout { PassThrough::keeping_stdout() } else { PassThrough::default() };
    let machine = session.machine_until(budget.cutoff());
    let counts = SolverCounts::default();
    let solver = session.counted_solver(budget.cutoff(), &counts);
    let exploration =
        run_once(&machine, solver, arguments.seed, &explore_options, &mut budget, &mut |state| {
            output.look(state)
        });
    let end = budget.deadline(None);
    let mut findings = confirm(session, &exploration, &explore_options, &end);
    let code = exit_code(&exploration, &findings);
    let cuts: Vec<Cut> = findings.incomplete.clone();
    findings.cut(Cut::because(IncompleteReason::SingleExecution, ""));

    let mut unwritten = Unwritten::default();
    let mut report = compose(
        ReportedCommand::Exec,
        session,
        &exploration,
        &mut findings,
        Work { solver: counts.get(), elapsed: budget.elapsed(), known: 0 },
        &arguments.report,
        &mut unwritten,
    );
    report.exit_status = exit_status(&exploration);
    report.warnings = misuse(&exploration.misuse);
    report.stdout = Some(String::from_utf8_lossy(&output.stdout).into_owned());
    unwritten.note(write_json(&report, &arguments.report));
    if !arguments.report.quiet {
        let look = Look::new(arguments.report.color, &std::io::stderr(), &session.loaded.source);
        eprint!("{}{}", render::warnings(&report, look), failures(&findings, false, look));
        report.contradictions.iter().for_each(|found| eprint!("symx: {}", render::contradiction(found)));
        for cut in cuts {
            eprintln!("symx: incomplete: {}", one_line(&cut.to_string()));
        }
        for note in &report.notes {
            eprintln!("symx: note: {}", one_line(note));
        }
    }
    unwritten.exit_code(code)
}

/// The status the program ended with, if it did.
fn exit_status(exploration: &Exploration) -> Option<u8> {
    exploration.outcomes.keys().next().map(|(_, status)| *status)
}

fn exit_code(exploration: &Exploration, findings: &Findings) -> u8 {
    if !findings.confirmed.is_empty() { VIOLATION } else { exit_status(exploration).unwrap_or(INCOMPLETE) }
}
