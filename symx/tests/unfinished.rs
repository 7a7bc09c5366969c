//! Explorations in pieces: what `--resume` adds up to is what one run finds.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Two threads that add each other's number to their own, ROUNDS times.
const SUMS: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    static atomic_int i = 1, j = 1;\n\
    static void add(atomic_int *mine, atomic_int *other) {\n\
        int sum = atomic_load(mine) + atomic_load(other);\n        atomic_store(mine, sum);\n}\n\
    static void *first(void *unused) { for (int k = 0; k < ROUNDS; k++) add(&i, &j); return unused; }\n\
    static void *second(void *unused) { for (int k = 0; k < ROUNDS; k++) add(&j, &i); return unused; }\n\
    int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, NULL, first, NULL);\n\
        pthread_create(&two, NULL, second, NULL);\n    pthread_join(one, NULL);\n    pthread_join(two, NULL);\n\
        printf(\"%d %d\\n\", i, j);\n    return 0;\n}\n";
/// A lock that spins, one that waits, an input, and an assertion that fails in some orders.
const MIXED: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    #include <symx.h>\nstatic atomic_flag spin = ATOMIC_FLAG_INIT;\n\
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic int x, y;\nstatic unsigned char input;\n\
    static void *work(void *unused) {\n    while (atomic_flag_test_and_set(&spin)) { }\n    x++;\n\
        atomic_flag_clear(&spin);\n    if (input > 3) { pthread_mutex_lock(&mutex); y += x; pthread_mutex_unlock(&mutex); }\n\
        assert(y < 3);\n    return unused;\n}\n\
    int main(void) {\n    symx_make_symbolic(&input, 1, \"input\");\n    pthread_t threads[2];\n\
        for (int k = 0; k < 2; k++) pthread_create(&threads[k], NULL, work, NULL);\n\
        for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);\n    printf(\"%d %d\\n\", x, y);\n    return 0;\n}\n";

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    let sums = |rounds: &str| SUMS.replace("ROUNDS", rounds);
    let programs = [
        ("sums.c", sums("2")),
        ("long.c", sums("4")),
        ("pair.c", sums("1")),
        ("mixed.c", MIXED.to_owned()),
        (
            "error.c",
            format!(
                "void reach_error(void);\n{}",
                MIXED.replace("assert(y < 3)", "if (y >= 3) reach_error()")
            ),
        ),
        ("sleepers.c", include_str!("../../bitcode-corpus/pass/signal_wakes_any_sleeper.c").to_owned()),
    ];
    for (name, text) in programs {
        std::fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

fn symx(folder: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(["run", "--quiet", "--no-explain", "--json", "-"]).args(options).current_dir(folder);
    command
}

/// The exit code and the JSON of `symx run` with these options.
fn run(folder: &Path, options: &[&str]) -> (i32, Value) {
    let output = symx(folder, options).output().expect("symx runs");
    let json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().expect("an exit code"), json)
}

/// The results of a run, without those that differ from run to run.
fn found(report: &Value) -> Value {
    let violations: Vec<Value> = report["violations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|violation| serde_json::json!([violation["kind"], violation["location"], violation["replayed"]]))
        .collect();
    serde_json::json!([
        report["verdict"],
        report["outcomes"],
        violations,
        report["stats"]["executions"],
        report["stats"]["blocked"],
        report["stats"]["paths"],
        report["incomplete"]
    ])
}

/// Explores with and without interruptions: `bound` is an option whose value is at
/// first `least`, then four times as large in each piece.
fn compare(options: &[&str], bound: &str, least: f64) {
    compare_in(&place(), options, bound, least);
}

fn compare_in(place: &tempfile::TempDir, options: &[&str], bound: &str, least: f64) {
    let (code, whole) = run(place.path(), options);
    let mut resume = Vec::new();
    for piece in 0.. {
        let value = (least * f64::from(1 << (2 * piece))).to_string();
        let (piece_code, report) = run(place.path(), &[options, &[bound, &value], &resume].concat());
        if !place.path().join("symx-out/unfinished.json").exists() {
            assert!(
                found(&report) == found(&whole),
                "{options:?} in {} pieces: {}",
                piece + 1,
                report["stats"]
            );
            assert_eq!(piece_code, code);
            assert!(piece > 0, "{options:?}: there was nothing to go on with");
            break;
        }
        let reasons = report["incomplete"].as_array().expect("a list");
        assert!(reasons.iter().any(|cut| cut["reason"] == bound[2..]), "{options:?}: {report}");
        resume = vec!["--resume", "symx-out"];
    }
}

#[test]
fn pieces_add_up_to_the_whole() {
    for model in ["sc", "pso"] {
        for reduction in ["reads-from", "source-sets"] {
            for (program, least) in [("sums.c", 5.0), ("mixed.c", 1.0), ("sleepers.c", 9.0)] {
                let options =
                    [program, "--memmodel", model, "--reduction", reduction, "--jobs", "1", "--keep-going"];
                compare(&options, "--max-executions", least);
            }
        }
    }
    compare(&["sums.c", "--jobs", "1", "--preemptions", "2"], "--max-executions", 3.0);
    for search in ["preemptions", "delays"] {
        compare(&["pair.c", "--search", search, "--keep-going"], "--max-executions", 1.0);
    }
    for search in ["bfs", "random-path", "coverage"] {
        compare(&["mixed.c", "--search", search, "--keep-going"], "--max-executions", 1.0);
    }
}

#[test]
fn pieces_along_recorded_paths_add_up_to_the_whole() {
    let place = place();
    let compile = ["-O1", "-g", "-pthread", "-emit-llvm", "-c", "-o", "program.bc", "sums.c"];
    let compiled = Command::new("clang-22").args(compile).current_dir(place.path()).status();
    assert!(compiled.expect("clang runs").success());
    let record = ["record", "--quiet", "--seed", "1", "program.bc"];
    let recorded = Command::new(env!("CARGO_BIN_EXE_symx")).args(record).current_dir(place.path()).output();
    assert!(recorded.expect("symx runs").status.success());
    let options = ["program.bc", "--guide", "path.prof", "--keep-going", "--jobs", "1"];
    compare_in(&place, &options, "--max-executions", 2.0);
    let (code, _) = run(place.path(), &[&options[..], &["--max-executions", "2"]].concat());
    assert_eq!(code, 3);
    let other = symx(place.path(), &["program.bc", "--keep-going", "--resume", "symx-out"]).output();
    let other = other.expect("symx runs");
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(other.status.code() == Some(2) && said.contains("the profile of --guide"), "{said}");
}

#[test]
fn a_property_that_an_earlier_piece_saw_violated_stays_violated() {
    let place = place();
    let options = ["error.c", "--property", "unreach-call", "--keep-going", "--jobs", "1"];
    let (_, whole) = run(place.path(), &options);
    assert_eq!(whole["property"]["answer"], "false");
    let (mut pieces, mut report) = (0, Value::Null);
    let mut resume: &[&str] = &[];
    while pieces == 0 || place.path().join("symx-out/unfinished.json").exists() {
        (_, report) = run(place.path(), &[&options, &["--max-executions", "8"][..], resume].concat());
        resume = &["--resume", "symx-out"];
        pieces += 1;
    }
    assert!(pieces > 1, "there was nothing to go on with");
    assert_eq!(report["property"], whole["property"]);
}

#[test]
fn several_workers_leave_and_take_up_their_parts() {
    // No machine explores the whole in the time of the first piece: 2 ms.
    compare(&["long.c", "--jobs", "3"], "--max-time", 0.002);
}

#[test]
fn a_query_that_is_ended_is_put_again() {
    let place = place();
    let text = "#include <assert.h>\nunsigned long __VERIFIER_nondet_ulong(void);\nint main(void) {\n\
        unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\n\
        if (x > 1 && y > 1 && x < 1ul << 31 && y < 1ul << 31 && x * y == 2147483647ul * 2147483646ul) assert(0);\n\
        return 0;\n}\n";
    std::fs::write(place.path().join("factors.c"), text).expect("a file");
    for search in [&[][..], &["--reduction", "source-sets"], &["--search", "bfs"]] {
        let mut resume = Vec::new();
        for piece in 0.. {
            let time = (0.04 * f64::from(1 << piece)).to_string();
            let options = [&["factors.c", "--max-time", &time], search, &resume].concat();
            let (code, report) = run(place.path(), &options);
            let reasons = report["incomplete"].as_array().expect("a list");
            assert!(reasons.iter().all(|cut| cut["reason"] == "max-time"), "{report}");
            if code == 1 {
                assert!(piece > 0, "it was found at once");
                break;
            }
            assert_eq!(code, 3, "{report}");
            assert!(place.path().join("symx-out/unfinished.json").exists(), "{report}");
            resume = vec!["--resume", "symx-out"];
        }
    }
}

#[test]
fn an_interrupted_run_can_go_on() {
    let place = place();
    let mut child = symx(place.path(), &["long.c"]).stdout(Stdio::null()).spawn().expect("symx runs");
    std::thread::sleep(Duration::from_millis(300));
    let id = i32::try_from(child.id()).expect("a process");
    // SAFETY: a signal to a child that was not waited for.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
    let status = child.wait().expect("it ends");
    // A fast machine may have been through.
    if status.code() == Some(3) {
        let (code, report) = run(place.path(), &["long.c", "--resume", "symx-out"]);
        assert_eq!(code, 0, "{report}");
        assert!(!place.path().join("symx-out/unfinished.json").exists());
    }
}

#[test]
fn an_interruption_in_a_query_ends_the_run() {
    let place = place();
    let text = "#include <assert.h>\nunsigned long __VERIFIER_nondet_ulong(void);\nint main(void) {\n\
        unsigned __int128 x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\n\
        if (x > 1 && y > 1 && x * y == (unsigned __int128)18446744073709551557ul * 18446744073709551533ul) assert(0);\n\
        return 0;\n}\n";
    std::fs::write(place.path().join("primes.c"), text).expect("a file");
    let child = symx(place.path(), &["primes.c"]).stdout(Stdio::piped()).spawn().expect("symx runs");
    // By then the one query is under way, which takes Z3 its whole time.
    std::thread::sleep(Duration::from_secs(3));
    let id = i32::try_from(child.id()).expect("a process");
    // SAFETY: a signal to a child that was not waited for.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
    let output = child.wait_with_output().expect("it ends");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(3), "{report}");
    let reasons: Vec<&Value> =
        report["incomplete"].as_array().expect("a list").iter().map(|cut| &cut["reason"]).collect();
    assert_eq!(reasons, ["interrupted"], "{report}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let place = place();
    let refusal = |options: &[&str]| {
        let output = symx(place.path(), options).output().expect("symx runs");
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{options:?}: {message}");
        message
    };
    assert!(refusal(&["sums.c", "--resume", "symx-out"]).contains("cannot read"));
    let (code, _) = run(place.path(), &["sums.c", "--max-executions", "1"]);
    assert_eq!(code, 3);
    assert!(refusal(&["long.c", "--resume", "symx-out"]).contains("a different program"));
    assert!(refusal(&["sums.c", "--resume", "symx-out", "--memmodel", "tso"]).contains("--memmodel was sc"));
    assert!(refusal(&["sums.c", "--resume", "symx-out", "--", "x"]).contains("the program's arguments"));
    let file = place.path().join("symx-out/unfinished.json");
    let text = std::fs::read_to_string(&file).expect("what was left");
    for (damaged, why) in [
        (text[..text.len() / 2].to_owned(), "damaged"),
        (text.replacen("\"version\":3", "\"version\":7", 1), "format version 7"),
        (text.replacen("\"build\":\"", "\"build\":\"0", 1), "a different build"),
    ] {
        std::fs::write(&file, damaged).expect("a file");
        assert!(refusal(&["sums.c", "--resume", "symx-out"]).contains(why));
    }
}

/// Two threads that ask each other in forever: one step of either may be of a million instructions.
const POLITE: &str = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_bool first_wants, second_wants;\n\
    static void *first(void *unused) {\n    for (;;) {\n        first_wants = 1;\n        while (second_wants) { }\n\
            first_wants = 0;\n    }\n    return unused;\n}\n\
    static void *second(void *unused) {\n    for (;;) {\n        second_wants = 1;\n        while (first_wants) {\n\
                second_wants = 0;\n            while (first_wants) { }\n            second_wants = 1;\n        }\n\
            second_wants = 0;\n    }\n    return unused;\n}\n\
    int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, NULL, first, NULL);\n\
        pthread_create(&two, NULL, second, NULL);\n    pthread_join(one, NULL);\n    return 0;\n}\n";

#[test]
fn a_bound_on_time_ends_random_executions_of_long_steps() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("polite.c"), POLITE).expect("a file");
    let begun = Instant::now();
    let (code, report) = run(place.path(), &["polite.c", "--search", "random", "--max-time", "1"]);
    assert_eq!((code, &report["incomplete"][0]["reason"]), (3, &"max-time".into()), "{report}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// Its place in the queue it is moved to would be left without a wake-up of any other.
#[test]
fn a_requeue_of_a_sleeper_with_a_time_limit_is_named() {
    let place = place();
    let program = "#include <pthread.h>\n#include <time.h>\n#include <unistd.h>\nstatic int here, there;\n\
        static void *run(void *unused) {\n    struct timespec limit = {0, 1000};\n\
        syscall(202, &here, 0, 0, &limit, 0, 0);\n    return unused;\n}\n\
        int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, NULL, run, NULL);\n\
        syscall(202, &here, 3, 0, 1, &there, 0);\n    pthread_join(thread, NULL);\n    return 0;\n}\n";
    std::fs::write(place.path().join("requeue.c"), program).expect("a file");
    let (status, report) = run(place.path(), &["requeue.c"]);
    assert_eq!(status, 3, "{report}");
    let cut = &report["incomplete"][0];
    assert_eq!(cut["reason"], "unsupported", "{report}");
    assert_eq!(cut["what"], "a requeue of a sleeper with a time limit", "{report}");
}
