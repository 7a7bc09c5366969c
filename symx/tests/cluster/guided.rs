//! `--guide` with workers: the profile travels with the task, and what comes out is what one process finds.

use crate::comparison::{essence, report};
use crate::faults::sums;
use crate::server::Server;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Programs of the corpus that fail in some schedules.
const FAILING: &[&str] =
    &["fail/assertion_in_one_schedule.c", "fail/check_then_act.c", "fail/deadlock_opposite_order.c"];

/// How often one is recorded, with another schedule each time, until it fails.
const MOST_RECORDS: u32 = 300;

fn symx(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symx")).args(arguments).current_dir(folder).output().expect("symx runs")
}

/// A folder with `program.bc`.
fn compiled(source: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut compile = Command::new("clang-22");
    compile.args(["-O1", "-g", "-pthread", "-emit-llvm", "-c", "-o", "program.bc"]).arg(source);
    assert!(compile.current_dir(folder.path()).status().expect("clang runs").success());
    folder
}

fn record(folder: &Path, seed: u32) -> bool {
    let recorded = symx(folder, &["record", "--quiet", "--seed", &seed.to_string(), "program.bc"]);
    recorded.status.code().is_some_and(|status| status >= 128)
}

fn follow(folder: &Path, options: &[&str]) -> (i32, Value) {
    let all = ["run", "--quiet", "--json", "-", "program.bc", "--guide", "path.prof"];
    report(&symx(folder, &[&all, options].concat()))
}

#[test]
fn workers_follow_recorded_paths_as_one_process_does() {
    let Some(server) = Server::start() else { return };
    let (address, _workers) = (server.address(), server.workers(2));
    for name in FAILING {
        let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../bitcode-corpus").join(name);
        let folder = compiled(&source);
        assert!((0..MOST_RECORDS).any(|seed| record(folder.path(), seed)), "{name} does not fail");
        let all = ["--no-explain", "--keep-going"];
        let alone = follow(folder.path(), &[&["--jobs", "1"][..], &all].concat());
        assert_eq!(alone.0, 1, "{name}: {}", alone.1);
        let with_workers = ["--cluster", &address, "--slice", "10ms"];
        let together = follow(folder.path(), &[&with_workers[..], &all].concat());
        assert_eq!(essence(&together), essence(&alone), "{name}");
        let (code, first) = follow(folder.path(), &with_workers);
        let found = &first["violations"][0];
        assert_eq!((code, &found["replayed"]), (1, &true.into()), "{name}: {first}");
        for part in ["kind", "location"] {
            assert_eq!(found[part], alone.1["violations"][0][part], "{name}");
        }
    }
}

#[test]
fn all_executions_along_recorded_paths_are_explored() {
    let Some(server) = Server::start() else { return };
    let (address, _workers) = (server.address(), server.workers(2));
    let place = tempfile::tempdir().expect("a folder");
    let folder = compiled(&sums(place.path(), 3));
    record(folder.path(), 1);
    let alone = follow(folder.path(), &["--jobs", "1"]);
    assert_eq!((alone.0, alone.1["incomplete"][0]["reason"].as_str()), (3, Some("guided")), "{}", alone.1);
    let together = follow(folder.path(), &["--cluster", &address, "--slice", "10ms"]);
    assert_eq!(essence(&together), essence(&alone));
}

#[test]
fn other_engines_stay_in_one_process() {
    let Some(server) = Server::start() else { return };
    let address = server.address();
    let place = tempfile::tempdir().expect("a folder");
    let folder = compiled(&sums(place.path(), 1));
    record(folder.path(), 1);
    for engine in ["synthesis", "both"] {
        let options = ["--cluster", &address, "--engine", engine];
        let all = [&["run", "program.bc", "--guide", "path.prof"][..], &options].concat();
        let refused = symx(folder.path(), &all);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains("--engine"), "{said}");
    }
}
