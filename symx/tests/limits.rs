//! Limits that no machine has, files that cannot be written, and counts that are the same in every run.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use symx_trace::profile::Profile;

const FAILING: &str = "#include <assert.h>\nint main(void) {\n    assert(0);\n}\n";
const SAFE: &str = "int main(void) {\n    return 0;\n}\n";

/// Two threads that add each other's number to their own: thousands of executions.
const SUMS: &str = "#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int i = 1, j = 1;\n\
    static void add(atomic_int *mine, atomic_int *other) {\n\
        int sum = atomic_load(mine) + atomic_load(other);\n        atomic_store(mine, sum);\n}\n\
    static void *first(void *unused) { for (int k = 0; k < 5; k++) add(&i, &j); return unused; }\n\
    static void *second(void *unused) { for (int k = 0; k < 5; k++) add(&j, &i); return unused; }\n\
    int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, NULL, first, NULL);\n\
        pthread_create(&two, NULL, second, NULL);\n    pthread_join(one, NULL);\n    pthread_join(two, NULL);\n\
        return 0;\n}\n";

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    for (name, text) in [("failing.c", FAILING), ("safe.c", SAFE), ("sums.c", SUMS)] {
        std::fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

fn symx(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("symx runs")
}

/// The exit code, and what was written to standard output and standard error.
fn code_and_output(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The run near which failures are looked for is symx's own, and does not end in the time given.
#[test]
fn a_limit_met_before_exploring_is_no_bad_input() {
    let place = place();
    let endless = "int main(void) {\n    for (volatile long i = 0; i < 40000000000; i++) {\n    }\n}\n";
    std::fs::write(place.path().join("endless.c"), endless).expect("a file");
    let words = ["run", "endless.c", "--find-failure", "--max-time", "1"];
    let (code, _, errors) = code_and_output(&symx(place.path(), &words));
    assert_eq!(code, Some(3), "{errors}");
    assert!(errors.contains("incomplete: max-time"), "{errors}");
}

#[test]
fn limits_beyond_any_machine_are_refused_by_name() {
    let place = place();
    let times = ["1.8e19", "1e300", "nan", "inf", "-inf", "-1", "0", "1e-12"];
    let jobs = ["20000", "18446744073709551616", "0", "-1"];
    let cases =
        times.iter().map(|time| ("--max-time", *time)).chain(jobs.iter().map(|jobs| ("--jobs", *jobs)));
    for (option, value) in cases {
        let option = format!("{option}={value}");
        let (code, _, errors) = code_and_output(&symx(place.path(), &["run", "safe.c", &option]));
        assert_eq!(code, Some(2), "{option}: {errors}");
        assert!(errors.starts_with("symx: error: ") && errors.contains("expected "), "{option}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{option}: {errors}");
    }
    let (code, _, errors) =
        code_and_output(&symx(place.path(), &["run", "safe.c", "--max-time=4e9", "--jobs=1024"]));
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn what_one_worker_does_though_several_are_asked_for_is_said() {
    let place = place();
    for (options, reason) in [
        (&["--max-executions", "3"][..], "a bound on executions"),
        (&["--reduction", "states"], "the graph of states"),
        (&["--search", "pct", "--max-executions", "3"], "this way of searching"),
    ] {
        let note = format!("symx: note: one worker explores it all: {reason}\n");
        for (jobs, is_said) in [(&["--jobs", "2"][..], true), (&["--jobs", "1"], false), (&[], false)] {
            let words = [&["run", "safe.c"][..], options, jobs].concat();
            let (_, _, errors) = code_and_output(&symx(place.path(), &words));
            assert_eq!(errors.contains(&note), is_said, "{words:?}: {errors}");
        }
    }
}

#[test]
fn outputs_that_cannot_be_made_are_refused_before_anything_is_run() {
    let place = place();
    for (command, option, value) in [
        ("run", "--json", "none/result.json"),
        ("run", "--json", "."),
        ("run", "--out", "safe.c/out"),
        ("run", "--out", "safe.c"),
        ("run", "--sarif", "none/result.sarif"),
        ("run", "--coverage", "safe.c/coverage"),
        ("run", "--write-paths", "safe.c/paths"),
        ("races", "--json", "none/result.json"),
        ("exec", "--json", "none/result.json"),
    ] {
        // The program does not exist, which would be reported if it were read first.
        let (code, _, errors) = code_and_output(&symx(place.path(), &[command, "missing.c", option, value]));
        assert_eq!(code, Some(2), "{command} {option}: {errors}");
        assert!(errors.starts_with(&format!("symx: error: cannot write `{value}`: ")), "{errors}");
    }
    let left = std::fs::read_dir(place.path()).expect("a folder").count();
    assert_eq!(left, 3, "nothing was made");
}

#[test]
fn an_error_found_is_reported_though_the_disk_is_full() {
    let place = place();
    let (code, out, errors) =
        code_and_output(&symx(place.path(), &["run", "failing.c", "--json", "/dev/full"]));
    assert_eq!(code, Some(1), "{out}{errors}");
    assert!(out.contains("violation: assertion failed"), "{out}");
    assert!(errors.contains("symx: error: cannot write `/dev/full`: no space left on device"), "{errors}");
    // No file may grow at all: neither the schedule nor the result can be written.
    let program = place.path().join("failing.bc");
    let compiled = Command::new("clang-22")
        .args(["-g", "-O1", "-emit-llvm", "-c", "failing.c", "-o"])
        .arg(&program)
        .current_dir(place.path())
        .status();
    assert!(compiled.expect("clang runs").success());
    for (command, found) in [("run", "violation: assertion failed"), ("exec", "assertion failed")] {
        let words = format!(
            "ulimit -f 0; exec '{}' {command} failing.bc --json result.json --out left",
            env!("CARGO_BIN_EXE_symx")
        );
        let output = Command::new("sh").args(["-c", &words]).current_dir(place.path()).output();
        let (code, out, errors) = code_and_output(&output.expect("a shell runs"));
        assert_eq!(code, Some(1), "{command}: {out}{errors}");
        assert!(out.contains(found) || errors.contains(found), "{command}: {out}{errors}");
        let unwritten = ["cannot write `left/failure-1.schedule.json`", "cannot write `result.json`"];
        assert!(unwritten.iter().all(|what| errors.contains(what)), "{command}: {errors}");
    }
    // Any other verdict is not left where it was wanted.
    let (code, _, errors) = code_and_output(&symx(place.path(), &["run", "safe.c", "--json", "/dev/full"]));
    assert_eq!(code, Some(2), "{errors}");
}

#[test]
fn counts_are_the_same_in_every_run() {
    let place = place();
    let counts = || {
        let output = symx(place.path(), &["run", "sums.c", "--jobs", "1", "--quiet", "--json", "-"]);
        let mut report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let counts = report["stats"].as_object_mut().expect("counts");
        for measured in ["wall_ms", "solver_ms", "peak_rss_kib"] {
            counts.remove(measured);
        }
        report["stats"].take()
    };
    let first = counts();
    assert!(first["executions"].as_u64() > Some(5_000), "{first}");
    // Where memory lies is different in each.
    for _ in 0..4 {
        assert_eq!(counts(), first);
    }
}

#[test]
fn a_profile_that_unfolds_to_more_than_there_is_memory_for_is_incomplete_by_name() {
    let place = place();
    std::fs::write(place.path().join("bomb.prof"), bomb()).expect("a file");
    let length = std::fs::metadata(place.path().join("bomb.prof")).expect("a file").len();
    assert!(length < 400_000, "{length}");
    let words = format!(
        "ulimit -v 4000000; exec '{}' run safe.c --guide bomb.prof --max-memory 300",
        env!("CARGO_BIN_EXE_symx")
    );
    let output = Command::new("sh").args(["-c", &words]).current_dir(place.path()).output();
    let (code, _, errors) = code_and_output(&output.expect("a shell runs"));
    assert_eq!(code, Some(3), "{errors}");
    assert!(errors.contains("bomb.prof") && errors.contains("max-memory"), "{errors}");
}

/// A profile of few bytes that say billions of units.
fn bomb() -> Vec<u8> {
    use symx_trace::profile::{ProcessEnd, ProcessRecord, ProgramHash, ThreadProfile};
    let process = ProcessRecord {
        program: ProgramHash([0; 32]),
        path_limit: 1 << 20,
        arguments: Vec::new(),
        environment: Vec::new(),
        working_directory: Vec::new(),
        stdin: None,
        end: ProcessEnd::Unknown,
        stderr_tail: Vec::new(),
        unrecorded: Vec::new(),
    };
    let thread = ThreadProfile {
        name: "0".into(),
        started: 0,
        ended: None,
        signal: None,
        signal_handlers: 0,
        ends_in_handler: false,
        open: Vec::new(),
        lost_units: 0,
        inputs: Vec::new(),
        is_cut: false,
        units: vec![0x8000; 1 << 18],
    };
    let small = Profile { process, threads: vec![thread], is_truncated: false }.write();
    // The block of units, with its header, stands before the last one's header.
    let block = 24 + 6 * (1_usize << 18).div_ceil(0xFFFF);
    let end = small.len() - 24;
    let mut bomb = small[..end].to_vec();
    for _ in 0..7_000 {
        bomb.extend_from_slice(&small[end - block..end]);
    }
    bomb.extend_from_slice(&small[end..]);
    bomb
}
