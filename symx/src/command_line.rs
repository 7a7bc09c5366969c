//! The commands and their options.

use crate::commands::{
    cc, exec, explain, instrument, profile, races, record, replay, report, run, simplify, test, trace,
};
use clap::{Parser, Subcommand};

/// Multithreaded symbolic interpreter over LLVM bitcode.
#[derive(Parser, Debug)]
#[command(name = "symx", version, about, arg_required_else_help = true)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A command.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program once on a deterministic scheduler
    Exec(Box<exec::ExecArguments>),
    /// Explore every input and schedule of a program, or follow a recorded profile
    Run(Box<run::RunArguments>),
    /// Run a program under a schedule that an earlier run wrote
    Replay(replay::ReplayArguments),
    /// Draw an explanation of a failure: as a page, a graph, a log for other tools
    Report(report::ReportArguments),
    /// Find a schedule with fewer context switches and the same failure
    Simplify(simplify::SimplifyArguments),
    /// Say why a schedule fails: the nearest execution that does not, and where the two differ
    Explain(explain::ExplainArguments),
    /// Find data races and tell what each can do
    Races(Box<races::RacesArguments>),
    /// Make a native, path-recording program of bitcode
    Instrument(instrument::InstrumentArguments),
    /// Run an instrumented program and collect its profile
    Record(record::RecordArguments),
    /// Look into a profile
    #[command(subcommand)]
    Profile(profile::ProfileCommand),
    /// Compile C like clang; the results carry their bitcode
    Cc(cc::CompilerArguments),
    /// Compile C++ like clang++; the results carry their bitcode
    #[command(name = "c++")]
    Cxx(cc::CompilerArguments),
    /// Take the bitcode out of what `symx cc` made, as one module
    ExtractBc(cc::ExtractArguments),
    /// Run a folder of programs with their expectations inside
    Test(test::TestArguments),
    /// Make, show and solve symbolic traces of executions
    #[command(subcommand)]
    Trace(trace::TraceCommand),
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
