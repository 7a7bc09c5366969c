//! Operations forbidden to libraries: read clocks, environment and arguments, print. `symx` does.

use crate::assert_none;
use crate::repository::{product, sources};
use std::path::Path;

/// Crates that run processes or are commands.
const COMMANDS: &[&str] = &["symx", "bitcode-corpus", "benches", "recorder"];

/// Z3's own clock is read where its time is measured.
const MEASURE: &[&str] = &["expr/src/solver/z3_solver.rs", "expr/src/solver/floats.rs"];

const FORBIDDEN: &[&str] =
    &["std::env", "std::fs", "std::process", "SystemTime::now", "Instant::now", "println!", "print!", "dbg!"];

/// The forbidden operations that a library's source uses.
fn uses(text: &str) -> Vec<&'static str> {
    let lines = || product(text).lines().filter(|line| !line.trim_start().starts_with("//"));
    let has = |word: &str| lines().any(|line| line.contains(word));
    FORBIDDEN.iter().filter(|word| has(word)).copied().collect()
}

fn is_library(path: &Path) -> bool {
    let mut parts = path.iter();
    let folder = parts.next().unwrap_or_default();
    parts.next().is_some_and(|part| part == "src") && !COMMANDS.iter().any(|name| folder == *name)
}

#[test]
fn libraries_read_no_clock_environment_file_or_arguments() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        if is_library(&path) && !MEASURE.iter().any(|other| path == Path::new(other)) {
            problems.extend(uses(&text).iter().map(|word| format!("{} uses {word}", path.display())));
        }
    }
    assert_none(&problems);
}

#[test]
fn a_library_that_prints_is_seen() {
    assert_eq!(uses("use std::env;\nfn f() { print!(\"x\"); }"), ["std::env", "print!"]);
    assert_eq!(uses("// println!\n#[cfg(test)]\nmod tests { use std::fs; }"), [""; 0]);
    assert!(is_library(Path::new("ir/src/lib.rs")) && !is_library(Path::new("symx/src/lib.rs")));
}
