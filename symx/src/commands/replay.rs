//! `symx replay`: run a program under a schedule again.

use crate::confirm::replay_again;
use crate::exit_code::VIOLATION;
use crate::load::load;
use crate::options::{Color, ProgramOptions, ReportOptions, SurroundingOptions};
use crate::refusal::Refusal;
use crate::render;
use crate::schedule_file;
use crate::session::Session;
use crate::surroundings::Surroundings;
use clap::Args;
use std::path::{Path, PathBuf};
use symx_interp::explore::{ExploreOptions, Replayed};
use symx_interp::machine::Options;
use symx_interp::memory::Site;
use symx_interp::state::End;
use symx_trace::{FailureKind, Schedule};

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArguments {
    /// The program the schedule was made for
    #[arg(value_name = "PROG")]
    program: PathBuf,
    /// The schedule
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,
    /// Let the program read this file or folder of the host, beside those its arguments name
    #[arg(long = "mount", value_name = "PATH")]
    mounts: Vec<PathBuf>,
    /// What the program reads from its standard input, instead of what the schedule holds; `-` for symx's own
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Say nothing
    #[arg(long)]
    quiet: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

/// Runs the command.
pub fn replay(arguments: &ReplayArguments) -> Result<u8, Refusal> {
    let surroundings = SurroundingOptions {
        environment: Vec::new(),
        mounts: arguments.mounts.clone(),
        stdin: arguments.stdin.clone(),
        ..SurroundingOptions::default()
    };
    let played = play(&arguments.program, &arguments.schedule, &surroundings)?;
    let reproduced = played.reproduces();
    if !arguments.quiet {
        let coloured = render::coloured(arguments.color, &std::io::stdout());
        if let Some(failure) = played.replayed.failure() {
            let switches = played.schedule.context_switches();
            print!("{}", render::failure(failure, &played.replayed.trace, switches, coloured));
        }
        println!("{}", played.verdict());
    }
    Ok(if reproduced { 0 } else { VIOLATION })
}

/// `exec --schedule`: the program's output passes through, and its exit status.
pub fn exec_schedule(
    program: &ProgramOptions,
    schedule: &Path,
    report: &ReportOptions,
) -> Result<u8, Refusal> {
    let played = play(&program.program, schedule, &program.surroundings)?;
    std::io::Write::write_all(&mut std::io::stdout().lock(), &played.replayed.output)
        .map_err(|error| Refusal::unwritable("standard output", error))?;
    if !report.quiet && !matches!(played.replayed.end, Some(End::Exit(_))) {
        if let Some(failure) = played.replayed.failure() {
            let coloured = render::coloured(report.color, &std::io::stderr());
            let switches = played.schedule.context_switches();
            eprint!("{}", render::failure(failure, &played.replayed.trace, switches, coloured));
        }
        eprintln!("symx: {}", played.verdict());
    }
    Ok(match played.replayed.end {
        Some(End::Exit(status)) => status,
        _ => VIOLATION,
    })
}

/// A schedule and what came of it.
struct Played {
    schedule: Schedule,
    replayed: Replayed,
}

fn play(program: &Path, path: &Path, visible: &SurroundingOptions) -> Result<Played, Refusal> {
    let schedule = schedule_file::read(path)?;
    let entry = schedule.symbolic.entry.as_ref().map(|entry| entry.function.as_str());
    let loaded = load(program, entry)?;
    let model = schedule_file::check(path, &schedule, &loaded)?;
    let surroundings = Surroundings {
        arguments: schedule.arguments.clone(),
        environment: schedule.environment.clone(),
        standard_input: visible.standard_input()?.unwrap_or_else(|| schedule.standard_input.clone()),
        symbolic: schedule.symbolic.clone(),
    };
    let machine_options = Options { havoc_externals: schedule.symbolic.externals, ..Options::default() };
    let session = Session::new(loaded, surroundings, visible, model, machine_options)?
        .tolerating_sync_misuse(schedule.tolerates_sync_misuse)
        .with_spurious_wakeups(schedule.spurious_wakeups);
    let kind = schedule.failure.as_ref().map(|failure| failure.kind);
    let options = ExploreOptions {
        check_leaks: kind == Some(FailureKind::Leak),
        check_exit: kind == Some(FailureKind::Exit),
        ..ExploreOptions::default()
    };
    let sites: Option<Vec<Site>> =
        schedule.visible_sites.as_ref().map(|sites| sites.iter().map(|site| Site(*site)).collect());
    let decisions: Vec<_> = schedule.unfolded().collect();
    let replayed = replay_again(&session, &schedule.inputs, sites.as_deref(), &decisions, &options);
    Ok(Played { schedule, replayed })
}

impl Played {
    /// Whether the execution ends as the schedule says.
    fn reproduces(&self) -> bool {
        match (&self.schedule.failure, self.replayed.failure()) {
            (Some(expected), Some(seen)) => expected.same_fault(seen),
            (None, None) => self.replayed.end.is_some(),
            _ => false,
        }
    }

    /// One line on how it ended.
    fn verdict(&self) -> String {
        let seen = match (&self.replayed.end, &self.replayed.divergence) {
            (_, Some(why)) => format!("the execution leaves the schedule at {why}"),
            (Some(End::Failed(failure)), _) => render::one_line(&failure.message),
            (Some(End::Exit(status)), _) => format!("the program exits with status {status}"),
            (None, None) => "the program does not end".into(),
        };
        let reproduced = if self.reproduces() { "reproduced" } else { "not reproduced" };
        format!("{reproduced}: {seen}")
    }
}
