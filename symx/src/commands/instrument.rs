//! `symx instrument`: a native, path-recording program from bitcode.

use crate::load;
use crate::refusal::Refusal;
use clap::Args;
use std::path::PathBuf;
use symx_recorder::{BuildError, BuildOptions, build};

/// Arguments of `instrument`.
#[derive(Args, Debug)]
pub struct InstrumentArguments {
    /// The program as bitcode or textual IR
    #[arg(value_name = "PROG.bc")]
    program: PathBuf,
    /// The native program to write
    #[arg(short = 'o', long = "output", value_name = "BIN")]
    binary: PathBuf,
    /// Level of optimisation after instrumentation, as in clang's -O
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2")]
    optimisation: String,
    /// Further arguments for linking, such as -lz
    #[arg(last = true, value_name = "LINK ARGS", allow_hyphen_values = true)]
    link_arguments: Vec<String>,
}

/// Runs the command.
pub fn instrument(arguments: &InstrumentArguments) -> Result<u8, Refusal> {
    load::check(&arguments.program)?;
    let program =
        std::fs::read(&arguments.program).map_err(|error| Refusal::unreadable(&arguments.program, error))?;
    let options = BuildOptions {
        optimisation: arguments.optimisation.clone(),
        link_arguments: arguments.link_arguments.clone(),
        ..BuildOptions::default()
    };
    build(&program, &arguments.binary, &options).map_err(|error| match error {
        BuildError::Instrument(why) => {
            Refusal::Undecodable { path: arguments.program.clone(), why: why.to_string() }
        }
        other => Refusal::Recording(format!("cannot instrument `{}`: {other}", arguments.program.display())),
    })?;
    Ok(0)
}
