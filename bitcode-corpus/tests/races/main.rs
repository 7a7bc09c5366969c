//! `symx races` on the programs of `races/`: candidates of the static analysis, and classes of what is found.

mod candidates;
mod classes;

use std::path::PathBuf;
use symx_bitcode_corpus::folder;

/// The programs in a folder of `races/`, in the order of their names.
fn programs(below: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("races").join(below)).unwrap();
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cc"));
    programs.sort();
    programs
}
