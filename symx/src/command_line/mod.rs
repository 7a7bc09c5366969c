//! The commands and their options.

mod version;

use crate::commands::cluster::{self, worker};
use crate::commands::generated::{completions, man};
use crate::commands::{
    cc, debug, exec, explain, instrument, profile, races, record, replay, report, run, simplify, sketch,
    test, trace,
};
use clap::{Parser, Subcommand};

/// Multithreaded symbolic interpreter over LLVM bitcode.
#[derive(Parser, Debug)]
#[command(name = "symx", version, long_version = version::long(), about, arg_required_else_help = true)]
pub struct CommandLine {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
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
    /// Convert an explanation to HTML, DOT or SARIF
    Report(report::ReportArguments),
    /// Minimise the context switches of a failing schedule
    Simplify(simplify::SimplifyArguments),
    /// Explain a failing schedule: root cause, closest passing execution, suggested fixes
    Explain(explain::ExplainArguments),
    /// Sketch a failure: the statements it depends on, and what tells failing executions from passing ones
    Sketch(Box<sketch::SketchArguments>),
    /// Detect and classify data races
    Races(Box<races::RacesArguments>),
    /// Build a native, path-recording program from bitcode
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
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
