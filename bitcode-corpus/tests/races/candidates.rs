//! `symx races --candidates` on the programs of `races/`. No race that is found may be missing among the
//! candidates. Programs whose accesses are ordered by synchronisation that the analysis considers have none.

use crate::programs;
use std::path::{Path, PathBuf};
use symx::harness::{Expectations, ReportedCommand, Symx, compile_bitcode};
use symx::report::{CandidateEnd, CandidatesReport, Report};
use symx_bitcode_corpus::{cache, folder};

/// Programs in which one lock is held at all accesses, or creating and joining threads orders them.
const ORDERED: &[&str] = &[
    "one_lock.c",
    "condition.c",
    "rwlock.c",
    "spin_lock.c",
    "atomic_increments.c",
    "atomic_sections.c",
    "create_before.c",
    "stack_by_address_joined.c",
    "thread_local.c",
    "halves_of_an_array.c",
    "neighbouring_bytes.c",
    "bit_fields_apart.c",
    "two_reads.c",
    "mapped_file_locked.c",
];

fn run(program: &Path, candidates: &[&str]) -> Report {
    let text = std::fs::read_to_string(program).unwrap();
    let expectations = Expectations::parse(&text).unwrap();
    let bitcode = compile_bitcode(program, &expectations.compiler_flags, &cache()).unwrap();
    let symx = Symx::new(env!("CARGO_BIN_EXE_symx-under-test"), 120);
    // Other flags of these programs are those of `run`, unless they are about classes.
    let own = if expectations.races.is_empty() { &[] } else { &expectations.flags[..] };
    let options: Vec<String> = ["--candidates"]
        .iter()
        .chain(candidates)
        .map(|word| (*word).to_owned())
        .chain(own.iter().cloned())
        .collect();
    symx.report(ReportedCommand::Races, &bitcode.display().to_string(), &options, &[]).unwrap().report
}

fn listed(report: &Report) -> &CandidatesReport {
    report.candidates.as_ref().unwrap()
}

#[test]
fn every_race_found_is_a_candidate() {
    every_race_is_a_candidate("c", 80);
}

/// The library of C++ is analysed with each program, which takes seconds.
#[test]
#[ignore = "a minute: `./x candidates`"]
fn every_race_found_in_cxx_is_a_candidate() {
    every_race_is_a_candidate("cc", 5);
}

fn every_race_is_a_candidate(extension: &str, at_least: usize) {
    let mut programs: Vec<PathBuf> = ["fail", "classes"].into_iter().flat_map(programs).collect();
    programs.retain(|path| path.extension().is_some_and(|ending| ending == extension));
    assert!(programs.len() >= at_least, "{}", programs.len());
    for program in programs {
        let report = run(&program, &[]);
        let candidates = listed(&report);
        assert!(
            candidates.races_elsewhere.is_empty(),
            "{}: {:?}",
            program.display(),
            candidates.races_elsewhere
        );
        let confirmed = candidates.list.iter().filter(|one| one.end == CandidateEnd::Confirmed).count();
        let races = report.races.as_ref().map_or(0, Vec::len);
        assert!(confirmed > 0 || races == 0, "{}: {races} races, none confirmed", program.display());
    }
}

#[test]
fn what_locks_creation_and_joining_order_is_no_candidate() {
    for name in ORDERED {
        let report = run(&folder().join("races/pass").join(name), &[]);
        assert!(listed(&report).list.is_empty(), "{name}: {:?}", listed(&report).list);
    }
}

#[test]
fn what_is_no_race_is_refuted_where_everything_was_explored() {
    let report = run(&folder().join("races/pass/semaphore.c"), &[]);
    let list = &listed(&report).list;
    assert!(!list.is_empty(), "semaphores are not looked at");
    assert!(list.iter().all(|one| one.end == CandidateEnd::Refuted && one.class.is_none()), "{list:?}");
    let numbers: Vec<usize> = list.iter().map(|one| one.number).collect();
    assert_eq!(numbers, (1..=list.len()).collect::<Vec<_>>());
}

#[test]
fn what_an_execution_ordered_is_told_apart() {
    let report = run(&folder().join("races/pass/semaphore.c"), &["--max-executions", "1"]);
    let list = &listed(&report).list;
    assert!(list.iter().all(|one| one.end == CandidateEnd::Open), "{list:?}");
    let (ordered, others): (Vec<_>, Vec<_>) = list.iter().partition(|one| one.is_ordered);
    assert!(!ordered.is_empty(), "the semaphore orders the two accesses in each execution: {list:?}");
    assert!(ordered.iter().all(|one| one.why.starts_with("only met in an order")), "{ordered:?}");
    assert!(others.iter().all(|one| one.why.starts_with("not met")), "{others:?}");
}

#[test]
fn a_report_of_helgrind_is_confirmed_with_a_class() {
    let folder_of_report = tempfile::tempdir().unwrap();
    let file = folder_of_report.path().join("helgrind.txt");
    let text = "\
==1== Possible data race during write of size 4 at 0x10C014 by thread #3
==1== Locks held: none
==1==    at 0x109199: two (two_locks.c:18)
==1== 
==1== This conflicts with a previous write of size 4 by thread #2
==1== Locks held: none
==1==    at 0x109176: one (two_locks.c:11)
==1== 
==1== ----------------------------------------------------------------
==1== Possible data race during write of size 4 at 0x10C014 by thread #3
==1== Locks held: none
==1==    at 0x109199: two (elsewhere.c:18)
==1== 
==1== This conflicts with a previous write of size 4 by thread #2
==1== Locks held: none
==1==    at 0x109176: one (elsewhere.c:11)
";
    std::fs::write(&file, text).unwrap();
    let report = run(&folder().join("races/fail/two_locks.c"), &[file.to_str().unwrap()]);
    let [known, unknown] = &listed(&report).list[..] else { panic!("{:?}", listed(&report)) };
    assert_eq!((known.end, known.is_static, known.line), (CandidateEnd::Confirmed, Some(true), Some(1)));
    assert!(known.class.is_some());
    assert_eq!((unknown.end, unknown.is_static), (CandidateEnd::Open, Some(false)));
}

/// Another compiler has the write of a statement on the line before. The race is there, so it is not refuted.
#[test]
fn a_report_with_other_lines_is_not_refuted_by_the_race_it_means() {
    let folder_of_report = tempfile::tempdir().unwrap();
    let report_of = |function: &str| {
        let file = folder_of_report.path().join("helgrind.txt");
        let text = format!(
            "==1== Possible data race during write of size 4 at 0x10C014 by thread #3\n\
             ==1== Locks held: none\n==1==    at 0x109199: {function} (two_locks.c:17)\n==1== \n\
             ==1== This conflicts with a previous write of size 4 by thread #2\n\
             ==1== Locks held: none\n==1==    at 0x109176: one (two_locks.c:11)\n==1== \n"
        );
        std::fs::write(&file, text).unwrap();
        run(&folder().join("races/fail/two_locks.c"), &[file.to_str().unwrap()])
    };
    let report = report_of("two");
    let [meant] = &listed(&report).list[..] else { panic!("{:?}", listed(&report)) };
    assert_eq!(meant.end, CandidateEnd::Open, "{meant:?}");
    assert!(meant.why.contains("two_locks.c:18") && meant.why.ends_with("may be this one"), "{meant:?}");
    let report = report_of("three");
    assert_eq!(listed(&report).list[0].end, CandidateEnd::Refuted, "a function without a race");
}
