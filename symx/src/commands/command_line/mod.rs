//! The commands and their options, and files generated from their description.

pub mod completions;
pub mod man;
mod version;

use super::cluster::{self, worker};
use super::{
    cc, debug, exec, explain, instrument, profile, races, record, replay, report, run, simplify, sketch,
    test, trace,
};
use crate::options::project_file::{self, ProjectFile};
use crate::refusal::Refusal;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;

/// Multithreaded symbolic interpreter over LLVM bitcode.
#[derive(Parser, Debug)]
#[command(name = "symx", version, long_version = version::long(), about, arg_required_else_help = true)]
pub struct CommandLine {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Why there is no command to carry out.
pub enum Misuse {
    /// The arguments are none of symx's, or ask for help.
    Usage(clap::Error),
    /// The project's file cannot be used.
    ProjectFile(Refusal),
}

impl CommandLine {
    /// The process's arguments, completed by the project's file.
    pub fn of_process() -> Result<Self, Misuse> {
        let given: Vec<OsString> = std::env::args_os().collect();
        let command_line = Self::try_parse_from(&given).map_err(Misuse::Usage)?;
        // Compilers' arguments are none of symx's, and the doctor reads the file itself. The others print what
        // is the same for every project.
        let is_apart = matches!(
            command_line.command,
            Command::Cc(_) | Command::Cxx(_) | Command::Doctor | Command::Completions(_) | Command::Man(_)
        );
        let Some(path) = project_file::find().filter(|_| !is_apart) else { return Ok(command_line) };
        let file = ProjectFile::read(path).map_err(Misuse::ProjectFile)?;
        let all = file.complete(&Self::command(), &given).map_err(Misuse::ProjectFile)?;
        Self::try_parse_from(all).map_err(Misuse::Usage)
    }

    /// The exploration that these words ask for; `None` if they ask for something else.
    pub fn exploration(words: &[String]) -> Result<Option<Box<run::RunArguments>>, String> {
        let parsed = Self::try_parse_from(words).map_err(|error| error.to_string())?;
        Ok(match parsed.command {
            Command::Run(arguments) => Some(arguments),
            _ => None,
        })
    }
}

/// A command.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program once on a deterministic scheduler
    Exec(Box<exec::ExecArguments>),
    /// Explore all inputs and schedules of a program, or reproduce a recorded failure
    Run(Box<run::RunArguments>),
    /// Replay a schedule
    Replay(replay::ReplayArguments),
    /// Debug a schedule forwards and backwards: a Debug Adapter Protocol server for editors
    Debug(debug::DebugArguments),
    /// Convert an explanation to a page, SARIF, DOT, Chrome trace events or a witness
    Report(report::ReportArguments),
    /// Minimise the context switches of a failing schedule
    Simplify(simplify::SimplifyArguments),
    /// Explain a failing schedule: root cause, closest passing execution, suggested fixes
    Explain(explain::ExplainArguments),
    /// Sketch a failure: the statements it depends on, and what tells failing executions from passing ones
    Sketch(Box<sketch::SketchArguments>),
    /// Detect and classify data races
    Races(Box<races::RacesArguments>),
    /// Join the reports of installations that watch candidates for races (`symx instrument --watch`)
    Field(races::field::FieldArguments),
    /// Build a native program from bitcode that records its paths, or watches one candidate for a race
    Instrument(instrument::InstrumentArguments),
    /// Run an instrumented program and collect its profile
    Record(record::RecordArguments),
    /// Inspect a recording
    #[command(subcommand)]
    Profile(profile::ProfileCommand),
    /// Compile C like clang; the results carry their bitcode
    Cc(cc::CompilerArguments),
    /// Compile C++ like clang++; the results carry their bitcode
    #[command(name = "c++")]
    Cxx(cc::CompilerArguments),
    /// Extract the bitcode of what `symx cc` built, as one module
    ExtractBc(cc::ExtractArguments),
    /// Run a folder of annotated programs as regression tests
    Test(test::TestArguments),
    /// Make, print and solve symbolic traces
    #[command(subcommand)]
    Trace(trace::TraceCommand),
    /// Explore units of campaigns on a NATS server, until ended by Ctrl-C
    Worker(worker::WorkerArguments),
    /// Run a NATS server with workers on this machine, and look at campaigns
    #[command(subcommand)]
    Cluster(cluster::ClusterCommand),
    /// Check that all that symx needs is there, and say how to get what is not
    Doctor,
    /// Print the completion script of a shell
    Completions(completions::CompletionsArguments),
    /// Write the manual pages
    Man(man::ManArguments),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
