//! The record is the same whether or not the code keeps the log's cursor itself and publishes its path so far
//! in the log.

use std::path::Path;
use std::process::Command;
use symx_recorder::{BuildOptions, RecordOptions, build, record};
use symx_trace::profile::{LoopRounds, PathRecord, ProcessEnd, Profile};

/// Records a program of `tests/programs`, compiled at a level of optimisation, with stretches or without.
fn recorded(program: &str, level: &str, arguments: &[&str], has_stretches: bool) -> Profile {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(program);
    let mut compile = Command::new("clang-22");
    compile.args([level, "-Xclang", "-disable-O0-optnone", "-S", "-emit-llvm"]).arg(source);
    assert!(compile.arg("-o").arg(at("program.ll")).status().unwrap().success());
    let mut text = std::fs::read_to_string(at("program.ll")).unwrap();
    if !has_stretches {
        // A program that may be interrupted anywhere has none.
        text.push_str("\ndeclare i32 @pthread_setcanceltype(i32, ptr)\n");
    }
    build(text.as_bytes(), &at("program"), &BuildOptions::default()).unwrap();
    let arguments = arguments.iter().map(Into::into).collect();
    record(&RecordOptions { binary: at("program"), arguments, ..RecordOptions::default() }).unwrap()
}

fn units(profile: &Profile) -> &[u16] {
    &profile.thread("0").unwrap().units
}

#[test]
fn what_is_recorded_is_the_same() {
    for (program, least) in [("rounds.c", 30), ("long_way.c", 10_000), ("slack.c", 100_000)] {
        for level in ["-O0", "-O2"] {
            let [with, without] =
                [true, false].map(|has| recorded(program, level, &["return", "10000"], has));
            assert_eq!(with.process.end, without.process.end);
            assert!(units(&with).len() > least, "{program} at {level}: {}", units(&with).len());
            let [with, without] =
                [with, without].map(|profile| profile.thread("0").unwrap().decode().unwrap());
            assert!(with == without, "{program} at {level}");
        }
    }
}

/// The paths and rounds of each activation of the function that `main` calls, in order.
fn ways(profile: &Profile) -> Vec<(Vec<PathRecord>, Vec<LoopRounds>)> {
    let tree = profile.thread("0").unwrap().decode().unwrap();
    let [main] = tree.roots() else { panic!("{:?}", tree.roots()) };
    let calls = tree.activation(*main).calls.iter().map(|&call| tree.activation(call));
    calls.map(|way| (way.paths.to_vec(), way.rounds.to_vec())).collect()
}

#[test]
fn handlers_change_nothing() {
    for level in ["-O0", "-O2"] {
        let expected = ways(&recorded("stretches.c", level, &["nothing"], true));
        assert_eq!(expected.len(), 13);
        assert!(expected.iter().all(|(paths, rounds)| !paths.is_empty() || !rounds.is_empty()));
        for (what, status) in [("works", 0), ("forks", 5)] {
            let interrupted = recorded("stretches.c", level, &[what], true);
            assert_eq!(interrupted.process.end, ProcessEnd::Exited(status), "{what} at {level}");
            assert!(interrupted.thread("0").unwrap().signal_handlers > 0);
            assert!(ways(&interrupted) == expected, "{what} at {level}");
        }
    }
}
