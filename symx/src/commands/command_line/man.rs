//! `symx man`: the manual pages, one for symx and one for each command.

use super::CommandLine;
use crate::refusal::Refusal;
use clap::{Args, CommandFactory};
use std::path::PathBuf;

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// Where the pages go: `symx.1`, `symx-run.1` and so on
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages.
pub fn man(arguments: &ManArguments) -> Result<u8, Refusal> {
    let folder = &arguments.folder;
    let unwritable = |error| Refusal::unwritable(folder, error);
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(CommandLine::command(), folder).map_err(unwritable)?;
    Ok(0)
}
