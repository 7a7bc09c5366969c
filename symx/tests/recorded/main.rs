//! Contents of records of native runs besides paths.

mod followed;
mod hangs;
mod inputs;
mod order;
mod until_failure;

use std::path::Path;
use std::process::{Command, Output};

fn symx(at: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symx")).args(arguments).current_dir(at).output().unwrap()
}

/// Writes a program, which this compiler compiles, and its instrumented twin `p`.
fn instrument((compiler, file): (&str, &str), source: &str, at: &Path) {
    std::fs::write(at.join(file), source).unwrap();
    let compile = ["-O1", "-g", "-pthread", "-emit-llvm", "-c", file, "-o", "p.bc"];
    assert!(Command::new(compiler).args(compile).current_dir(at).status().unwrap().success());
    assert!(symx(at, &["instrument", "p.bc", "-o", "p"]).status.success());
}
