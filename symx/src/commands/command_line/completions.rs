//! `symx completions`: what a shell needs to complete symx's commands and options.

use super::CommandLine;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completion script of a shell.
pub fn completions(arguments: &CompletionsArguments) -> u8 {
    // Into memory first: the generator panics where standard output is closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "symx", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    0
}
