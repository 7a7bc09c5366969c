//! The symx command line: options, wiring, files, progress, rendering.

mod commands;
mod debug;
mod exit_code;
mod explain;
mod files;
pub mod harness;
mod internal_error;
mod limits;
mod load;
mod native;
mod options;
mod races;
mod refusal;
mod render;
pub mod report;
mod schedules;
mod session;
mod text;

pub use exit_code::Verdict;

use clap::error::ErrorKind;
use commands::command_line::{Command, CommandLine, Misuse};
use files::unwritten::unwritable;
use refusal::Refusal;
use signal_hook::consts::SIGXFSZ;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use text::one_line;

/// The `symx` command: reads the process's arguments, does what they say, and answers with
/// the contract's exit code.
pub fn main() -> ExitCode {
    internal_error::install();
    // A file that may not grow any more is one that cannot be written, and no reason to end without a word.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    if let Some(code) = serve_as_child() {
        return code;
    }
    let command_line = match CommandLine::of_process() {
        Ok(command_line) => command_line,
        Err(Misuse::Usage(error)) => return refuse_usage(&error),
        Err(Misuse::ProjectFile(refusal)) => return refuse(&refusal),
    };
    let done = match command_line.command {
        Command::Exec(arguments) => commands::exec::exec(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Replay(arguments) => commands::replay::replay(&arguments),
        Command::Debug(arguments) => commands::debug::debug(&arguments),
        Command::Simplify(arguments) => commands::simplify::simplify(&arguments),
        Command::Sketch(arguments) => commands::sketch::sketch(&arguments),
        Command::Explain(arguments) => commands::explain::explain(&arguments),
        Command::Races(arguments) => commands::races::races(&arguments),
        Command::Field(arguments) => commands::races::field::field(&arguments),
        Command::Instrument(arguments) => commands::instrument::instrument(&arguments),
        Command::Record(arguments) => commands::record::record(&arguments),
        Command::Profile(command) => commands::profile::profile(&command),
        Command::Cc(arguments) => commands::cc::compile(&arguments, false),
        Command::Cxx(arguments) => commands::cc::compile(&arguments, true),
        Command::ExtractBc(arguments) => commands::cc::extract(&arguments),
        Command::Report(arguments) => commands::report::report(&arguments),
        Command::Test(arguments) => commands::test::test(&arguments, CommandLine::exploration),
        Command::Trace(command) => commands::trace::trace(&command),
        Command::Worker(arguments) => commands::cluster::worker::worker(&arguments, CommandLine::exploration),
        Command::Cluster(command) => commands::cluster::cluster(&command),
        Command::Doctor => commands::doctor::doctor(),
        Command::Completions(arguments) => Ok(commands::command_line::completions::completions(&arguments)),
        Command::Man(arguments) => commands::command_line::man::man(&arguments),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(refusal) => refuse(&refusal),
    }
}

fn refuse(refusal: &Refusal) -> ExitCode {
    eprintln!("symx: error: {}", one_line(&refusal.to_string()));
    ExitCode::from(refusal.exit_code())
}

/// Help and version are no errors; other misuse is one line where that says enough.
fn refuse_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print().and_then(|()| std::io::stdout().flush()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => ExitCode::from(unwritable(&format!("stdout: {why}"))),
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // The help names what was left out; where that cannot be written, nothing can.
        let _ = error.print();
        return ExitCode::from(exit_code::REFUSED);
    }
    let text = error.to_string();
    let is_on_help =
        |paragraph: &&str| paragraph.starts_with("Usage:") || paragraph.starts_with("For more information");
    let paragraphs = text.split("\n\n").take_while(|paragraph| !is_on_help(paragraph));
    let text = paragraphs.collect::<Vec<_>>().join(" ");
    refuse(&Refusal::Usage(text.trim_start_matches("error: ").to_owned()))
}

/// The hidden command of the decoder's child process. It has no help and no options, so clap does not know
/// it. An executable other than symx that loads programs (a test) asks this first.
pub fn serve_as_child() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != load::HIDDEN_COMMAND {
        return None;
    }
    let (request, bitcode) = (arguments.next()?, arguments.next()?);
    let served = load::serve_anew(&request.to_string_lossy(), bitcode.as_ref());
    Some(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
