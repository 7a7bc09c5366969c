//! `symx races` on the programs of `races/`: it finds what `run --check race` finds, and says
//! the same each time.
//!
//! `SYMX_RACES_OPTIMISED` names an optimised build of the command that is to be tried and
//! timed (`./x races classes`).

use crate::programs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use symx::harness::{Expectations, ReportedCommand, Severity, Symx, compile_bitcode, judge_races};
use symx::report::Report;
use symx_bitcode_corpus::cache;

/// How often a program is judged, each time with another seed, to see that the result is always the same.
const TIMES: usize = 10;

/// The processor time that a program may take in an optimised build, process and all, at best. Further time
/// on the clock is that of other programs.
const MOST_TIME: Duration = Duration::from_millis(200);

/// The models furthest apart: each program is tried under one, in turn. The corpus tries `run --check race`
/// under all.
const MODELS: [&str; 2] = ["sc", "weak"];

fn expectations(program: &Path) -> Expectations {
    Expectations::parse(&std::fs::read_to_string(program).unwrap()).unwrap()
}

/// An optimised build of the command besides this one's own.
fn optimised() -> Option<PathBuf> {
    std::env::var_os("SYMX_RACES_OPTIMISED").map(PathBuf::from)
}

fn symx() -> Symx {
    let executable = optimised().unwrap_or_else(|| env!("CARGO_BIN_EXE_symx-under-test").into());
    Symx::new(executable, 60)
}

fn races(program: &Path, model: &str) -> Report {
    let expectations = expectations(program);
    let bitcode = compile_bitcode(program, &expectations.compiler_flags, &cache()).unwrap();
    // Further checks of `run` do not concern `races`.
    let options = ["--memmodel", model].map(str::to_owned);
    symx().report(ReportedCommand::Races, &bitcode.display().to_string(), &options, &[]).unwrap().report
}

#[test]
fn every_race_is_found() {
    let programs = programs("fail");
    assert!(programs.len() >= 40);
    for (program, model) in programs.iter().zip(MODELS.into_iter().cycle()) {
        let expectations = expectations(program);
        let report = races(program, model);
        let races = report.races.unwrap();
        for label in expectations.labels_under(model, Severity::Error) {
            let is_there = |line: u32| {
                races.iter().any(|race| race.accesses.iter().any(|access| access.location.line == line))
            };
            assert!(is_there(label.line), "{}: no race on line {}, {model}", program.display(), label.line);
        }
        assert!(report.incomplete.is_empty(), "{}, {model}: {:?}", program.display(), report.incomplete);
    }
}

#[test]
fn nothing_else_is_called_a_race() {
    let programs = programs("pass");
    assert!(programs.len() >= 30);
    for (program, model) in programs.iter().zip(MODELS.into_iter().cycle()) {
        let report = races(program, model);
        assert_eq!(report.races.as_deref(), Some(&[][..]), "{}, {model}", program.display());
        assert!(report.incomplete.is_empty(), "{}, {model}: {:?}", program.display(), report.incomplete);
    }
}

/// The processor time of this process's ended children: of the runs so far, as tests run one at a time. Linux
/// reports it in ticks of 10 ms.
fn time_of_children() -> Duration {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap();
    // After the name, which may have anything in it; `cutime` and `cstime` of proc(5).
    let fields: Vec<&str> = status.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[13..15].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

/// Every class under every model, ten runs of ten with different seeds, each as annotated. An optimised build
/// takes less than a fifth of a second of processor time for the fastest of the ten. Other builds do one run
/// of each, beside the one of the corpus.
#[test]
fn ten_of_ten_are_right() {
    let programs = programs("classes");
    assert!(programs.len() >= 24);
    let is_optimised = optimised().is_some() || !cfg!(debug_assertions);
    let seeds = if is_optimised { 0..TIMES } else { 1..2 };
    let mut slowest = (Duration::ZERO, String::new(), Duration::ZERO);
    for program in programs {
        let expectations = expectations(&program);
        let bitcode = compile_bitcode(&program, &expectations.compiler_flags, &cache()).unwrap();
        let source = program.file_name().unwrap().to_string_lossy().into_owned();
        for model in ["sc", "tso", "pso", "weak"] {
            let mut fastest = (Duration::MAX, Duration::MAX);
            for seed in seeds.clone() {
                let mut options =
                    ["--memmodel", model, "--seed", &seed.to_string()].map(str::to_owned).to_vec();
                options.extend(expectations.flags.iter().cloned());
                let (began, before) = (Instant::now(), time_of_children());
                let run = symx()
                    .report(ReportedCommand::Races, &bitcode.display().to_string(), &options, &[])
                    .unwrap();
                fastest = fastest.min((time_of_children() - before, began.elapsed()));
                let problems = judge_races(&program, model, &expectations, &run);
                assert!(problems.is_empty(), "{source} under {model} with seed {seed}: {problems:?}");
            }
            let (taken, passed) = fastest;
            assert!(!is_optimised || taken < MOST_TIME, "{source} under {model} takes {taken:?}");
            slowest = slowest.max((taken, format!("{source} under {model}"), passed));
        }
    }
    let (taken, which, passed) = slowest;
    println!(
        "{0} runs of {0} right; the slowest program, {which}, takes {taken:?} of processor time ({passed:?} on the clock)",
        seeds.len()
    );
}
