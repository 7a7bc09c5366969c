//! Failures near runs that passed: each bug that depends on paths and schedules is found from one passing
//! recording alone, and so are others.

use super::{said, symx};
use serde_json::Value;
use std::process::{Command, Output, Stdio};
use symx::harness::compile_bitcode;
use symx_bitcode_corpus::{cache, folder};

/// Processor time that one search may take, in seconds.
const MOST_SECONDS: u32 = 10;

/// The path- and schedule-dependent bugs of the literature (MaxSMT, AAAI 2019, tables 1 and 2).
const OF_PATHS: &[&str] = &["bufwriter", "critical", "ex_mcr", "garage", "loader", "manager", "ticketorder"];

/// Other programs that fail in some executions and pass in the one recorded, with the seed of that.
const OTHERS: &[(&str, Option<&str>)] = &[
    ("explained/bank", None),
    ("explained/cache", None),
    ("explained/crasher", None),
    ("explained/file_scanner", None),
    ("explained/opposite_locks", None),
    ("explained/stringbuffer", None),
    ("fail/check_then_act", None),
    ("fail/deadlock_three_mutexes", None),
    ("fail/lost_update", None),
];

fn bitcode(program: &str) -> String {
    let source = folder().join(program).with_extension("c");
    compile_bitcode(&source, &[], &cache()).unwrap().display().to_string()
}

/// symx, with no more processor time than that.
fn symx_in_time(arguments: &[&str]) -> Output {
    let limited = format!("ulimit -t {MOST_SECONDS}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_symx-under-test")])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("a shell starts")
}

/// Records a run that passes and looks for a failure near it: what the result file says.
fn found_near_a_passing_run(program: &str, seed: Option<&str>) -> Value {
    let (bitcode, out) = (bitcode(program), tempfile::tempdir().unwrap());
    let [profile, json] =
        ["pass.prof", "result.json"].map(|name| out.path().join(name).display().to_string());
    let out = out.path().display().to_string();
    let seed: Vec<&str> = seed.map_or_else(Vec::new, |seed| vec!["--seed", seed]);
    let recorded = symx(&[&["record", &bitcode, "-o", &profile][..], &seed].concat());
    assert_eq!(recorded.status.code(), Some(0), "{program} passes: {}", said(&recorded));
    let search = ["run", &bitcode, "--guide", &profile, "--find-failure", "--no-explain"];
    let found = symx_in_time(&[&search[..], &["--out", &out, "--json", &json]].concat());
    assert_eq!(found.status.code(), Some(1), "{program}: {}", said(&found));
    let schedule = format!("{out}/failure-1.schedule.json");
    let replayed = symx(&["replay", &bitcode, &schedule]);
    assert_eq!(replayed.status.code(), Some(0), "{program}: {}", said(&replayed));
    serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap()
}

#[test]
fn bugs_of_paths_and_schedules_are_found_from_a_passing_run() {
    for program in OF_PATHS {
        let result = found_near_a_passing_run(&format!("near/{program}"), None);
        let violation = &result["violations"][0];
        assert_eq!(violation["kind"], "assert", "{program}: {violation}");
        let executions = result["stats"]["executions"].as_u64().unwrap();
        let preemptions = violation["preemptions"].as_u64().unwrap();
        let flipped = violation["flipped"].as_array().map_or(0, Vec::len);
        println!("{program}: {executions} executions, {flipped} flipped, {preemptions} preemptions");
    }
}

#[test]
fn other_bugs_are_found_from_a_passing_run() {
    for (program, seed) in OTHERS {
        found_near_a_passing_run(program, *seed);
    }
}

#[test]
fn which_branches_are_flipped_is_said() {
    let result = found_near_a_passing_run("fail/check_then_act", None);
    let flipped = result["violations"][0]["flipped"].as_array().expect("branches");
    let lines: Vec<u64> = flipped.iter().map(|branch| branch["location"]["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [16], "{flipped:?}");
}

/// Executions examined and found without failure prove nothing of the rest.
#[test]
fn nothing_found_is_never_safe() {
    for (program, bounds, told) in [
        (
            "fail/check_then_act",
            ["--flips", "0", "--preemptions", "0"],
            "0 flipped branches and 0 preemptions",
        ),
        ("pass/mutex_counter", ["--flips", "1", "--preemptions", "1"], "1 flipped branch and 1 preemption"),
    ] {
        let search = ["run", &bitcode(program), "--find-failure"];
        let nothing = symx(&[&search[..], &bounds].concat());
        assert_eq!(nothing.status.code(), Some(3), "{}", said(&nothing));
        let text = said(&nothing);
        assert!(text.contains("incomplete: nearness") && text.contains(told), "{text}");
    }
}
