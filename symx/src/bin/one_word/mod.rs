//! A command of `symx` under a name of its own. The programs in `bin/` are this file alone: they link nothing
//! of LLVM, and hand over to the `symx` beside them.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Becomes `symx COMMAND` with this process's arguments; returns only if that cannot be executed.
pub fn run(command: &str) -> ExitCode {
    let symx = match std::env::current_exe() {
        Ok(own) => own.with_file_name("symx"),
        Err(error) => return refuse("its own path", &error),
    };
    let error = Command::new(&symx).arg(command).args(std::env::args_os().skip(1)).exec();
    refuse(&symx.display().to_string(), &error)
}

/// The exit code for bad input, as `symx` has it.
fn refuse(path: &str, error: &std::io::Error) -> ExitCode {
    eprintln!("symx: error: {path}: {error}");
    ExitCode::from(2)
}
