//! `symx replay`: run a program under a schedule again.

use crate::commands::compose::drawing::DrawingOptions;
use crate::exit_code::VIOLATION;
use crate::files::program_output::write_to_stdout;
use crate::files::source_text::{SourceOptions, SourceText};
use crate::native::replay::{NativeOptions, native_replay};
use crate::options::{ProgramOptions, ReportOptions, SurroundingOptions};
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::schedules::narrative::narrative;
use crate::schedules::scheduled::{Scheduled, ScheduledOptions};
use crate::text::one_line;
use clap::Args;
use std::path::Path;
use symx_interp::state::End;
use symx_posix_explore::Replayed;
use symx_trace::{Explanation, Schedule};

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArguments {
    #[command(flatten)]
    scheduled: ScheduledOptions,
    #[command(flatten)]
    drawing: DrawingOptions,
    #[command(flatten)]
    native: NativeOptions,
}

/// Runs the command.
pub fn replay(arguments: &ReplayArguments) -> Result<u8, Refusal> {
    let options = &arguments.scheduled;
    if arguments.native.are_wanted() {
        return native_replay(options, &arguments.native);
    }
    let played = play(&options.program, &options.schedule, &options.surroundings(), &options.source)?;
    let reproduced = played.reproduces();
    arguments.drawing.write(&played.explanation, &played.source)?;
    if !options.quiet {
        let look = Look::new(options.color, &std::io::stdout(), &played.source);
        if let Some(failure) = played.replayed.failure() {
            let execution = &played.explanation.failing;
            print!("{}", render::failure(failure, &played.replayed.trace, execution, look));
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
    let played = play(&program.program, schedule, &program.surroundings, &report.source)?;
    write_to_stdout(&played.replayed.output);
    if !report.quiet && !matches!(played.replayed.end, Some(End::Exit(_))) {
        if let Some(failure) = played.replayed.failure() {
            let look = Look::new(report.color, &std::io::stderr(), &played.source);
            let execution = &played.explanation.failing;
            eprint!("{}", render::failure(failure, &played.replayed.trace, execution, look));
        }
        eprintln!("symx: {}", played.verdict());
    }
    Ok(match played.replayed.end {
        Some(End::Exit(exit)) => exit.status,
        _ => VIOLATION,
    })
}

/// A schedule and the result of its replay.
struct Played {
    schedule: Schedule,
    replayed: Replayed,
    /// The part of it to be reported.
    explanation: Explanation,
    /// The program's source.
    source: SourceText,
}

fn play(
    program: &Path,
    path: &Path,
    visible: &SurroundingOptions,
    source: &SourceOptions,
) -> Result<Played, Refusal> {
    let scheduled = Scheduled::open(program, path, visible, source)?;
    let decisions: Vec<_> = scheduled.schedule.unfolded().collect();
    let (replayed, execution) = scheduled.observe(&decisions);
    let explanation = narrative(&scheduled.session, execution, &scheduled.schedule.inputs);
    let source = scheduled.session.loaded.source;
    Ok(Played { schedule: scheduled.schedule, replayed, explanation, source })
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
            (_, Some(why)) => format!("the execution diverges from the schedule: {why}"),
            (Some(End::Failed(failure)), _) => one_line(&failure.message),
            (Some(End::Exit(exit)), _) => format!("the program exits with status {}", exit.status),
            (None, None) => "the program does not terminate".into(),
        };
        let reproduced = if self.reproduces() { "reproduced" } else { "not reproduced" };
        format!("{reproduced}: {seen}")
    }
}
