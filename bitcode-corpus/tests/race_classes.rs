//! `symx races` on the programs of `races/`: it finds what `run --check race` finds, and says the same each time.

use std::path::{Path, PathBuf};
use symx::harness::{Expectations, Severity, Symx, compile_bitcode};
use symx::report::Report;
use symx_bitcode_corpus::{cache, folder};

/// How often a program is judged, each time with another seed, to see that it always comes to the same.
const TIMES: usize = 10;

fn programs(below: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("races").join(below)).unwrap();
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    programs.sort();
    programs
}

fn expectations(program: &Path) -> Expectations {
    Expectations::parse(&std::fs::read_to_string(program).unwrap()).unwrap()
}

fn races(program: &Path, model: &str, seed: usize) -> Report {
    let symx = Symx { executable: env!("CARGO_BIN_EXE_symx-under-test").into(), max_time: 60 };
    let expectations = expectations(program);
    let bitcode = compile_bitcode(program, &expectations.compiler_flags, &cache()).unwrap();
    let mut options = ["--memmodel", model, "--seed", &seed.to_string()].map(str::to_owned).to_vec();
    // What `run` is asked to check besides is nothing to `races`.
    if !expectations.races.is_empty() {
        options.extend(expectations.flags);
    }
    symx.report("races", &bitcode.display().to_string(), &options, &[]).unwrap().report
}

#[test]
fn every_race_is_found() {
    let programs = programs("fail");
    assert!(programs.len() >= 40);
    for program in programs {
        let expectations = expectations(&program);
        let report = races(&program, "sc", 0);
        let races = report.races.unwrap();
        for label in expectations.labels_under("sc", Severity::Error) {
            let is_there = |line: u32| {
                races.iter().any(|race| race.accesses.iter().any(|access| access.location.line == line))
            };
            assert!(is_there(label.line), "{}: no race on line {}", program.display(), label.line);
        }
        assert!(report.incomplete.is_empty(), "{}: {:?}", program.display(), report.incomplete);
    }
}

#[test]
fn nothing_else_is_called_a_race() {
    let programs = programs("pass");
    assert!(programs.len() >= 30);
    for program in programs {
        let report = races(&program, "sc", 0);
        assert_eq!(report.races.as_deref(), Some(&[][..]), "{}", program.display());
        assert!(report.incomplete.is_empty(), "{}: {:?}", program.display(), report.incomplete);
    }
}

#[test]
fn ten_of_ten_are_alike() {
    for program in programs("classes") {
        let said = |seed| {
            let races = races(&program, "pso", seed).races.unwrap();
            let said = |race: symx::report::ClassifiedRace| {
                let lines: Vec<u32> = race.accesses.iter().map(|access| access.location.line).collect();
                // How much of a sample is compared, and what it shows, chance may decide.
                let in_full = race.exhaustive.then_some((race.k, race.consequence));
                (race.class, lines, in_full)
            };
            races.into_iter().map(said).collect::<Vec<_>>()
        };
        let first = said(0);
        for seed in 1..TIMES {
            assert_eq!(said(seed), first, "{} with seed {seed}", program.display());
        }
    }
}
