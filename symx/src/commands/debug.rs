//! `symx debug`: go about in a recorded execution with a debugger's front end.

use crate::debug::{Defaults, serve};
use crate::files::source_text::SourceOptions;
use crate::options::SurroundingOptions;
use crate::refusal::Refusal;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `debug`.
#[derive(Args, Debug)]
pub struct DebugArguments {
    /// The program that the schedule belongs to, unless the client names one
    #[arg(value_name = "PROG")]
    program: Option<PathBuf>,
    /// The schedule, unless the client names one
    #[arg(value_name = "SCHEDULE")]
    schedule: Option<PathBuf>,
    /// Let the program read this file or folder of the host, besides those named by its arguments
    #[arg(long = "mount", value_name = "PATH")]
    mounts: Vec<PathBuf>,
    /// The program's standard input, instead of the recorded one
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    #[command(flatten)]
    source: SourceOptions,
}

/// Runs the command.
pub fn debug(arguments: &DebugArguments) -> Result<u8, Refusal> {
    if arguments.stdin.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return Err(Refusal::Usage("--stdin -: the debugger's messages come from there".into()));
    }
    let visible = SurroundingOptions {
        mounts: arguments.mounts.clone(),
        stdin: arguments.stdin.clone(),
        ..SurroundingOptions::default()
    };
    let defaults = Defaults {
        program: arguments.program.clone(),
        schedule: arguments.schedule.clone(),
        visible,
        source: arguments.source.clone(),
    };
    // A client that is gone gets no more messages.
    let _ = serve(std::io::stdin(), std::io::stdout().lock(), &defaults);
    Ok(0)
}
