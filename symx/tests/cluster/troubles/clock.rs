//! A worker whose clocks jump: the time of day by hours, back and forth, and the clocks that only advance
//! forwards by minutes.

use crate::comparison::essence;
use crate::faults::{campaign, finished, run, sums};
use crate::server::{Server, Workers};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clock, as a library that is loaded before the system's.
fn library(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, include_str!("clock.c")).expect("a file");
    let compiled = Command::new("clang-22")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
        .args([&library, &source])
        .status();
    assert!(compiled.expect("clang runs").success());
    library
}

/// Explores with a worker of such clocks, and another one. How often the clocks jumped.
fn explore(options: &[&str], times: u32, seed: u32) -> usize {
    let Some(server) = Server::start() else { return usize::MAX };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), times);
    let alone = finished(folder.path(), run(folder.path(), &[options, &["--jobs", "1"]].concat()));
    let (library, jumps) = (library(folder.path()), folder.path().join("jumps"));
    let mut workers = Workers::at(server.address(), 1, 1);
    workers.join_with(|command| {
        command.env("LD_PRELOAD", &library).env("CLOCK_JUMPS", &jumps).env("CLOCK_SEED", seed.to_string())
    });
    let address = server.address();
    let own = ["--cluster", &address, "--slice", "20ms", "--max-time", "300"];
    let mut together = run(folder.path(), &[options, &own].concat());
    let _ = campaign(&mut together);
    assert_eq!(essence(&finished(folder.path(), together)), essence(&alone), "{options:?}, seed {seed}");
    std::fs::read(jumps).map_or(0, |jumps| jumps.len())
}

#[test]
fn clocks_that_jump_change_nothing() {
    let jumps = explore(&[], 4, 1);
    assert!(jumps >= 3, "{jumps}");
}

#[test]
#[ignore = "some minutes"]
fn clocks_that_jump_for_long_change_nothing() {
    let explorations: [&[&str]; 3] = [&[], &["--memmodel", "tso"], &["--check", "race", "--keep-going"]];
    for (seed, options) in (2..).zip(explorations) {
        let jumps = explore(options, 6, seed);
        println!("{options:?}: {jumps} jumps");
        assert!(jumps >= 20, "{options:?}: {jumps}");
    }
}
