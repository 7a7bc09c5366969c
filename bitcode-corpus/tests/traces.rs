//! Symbolic traces of failing executions. Each describes the execution it was made of, and from the trace
//! alone a schedule is found under which the program fails the same way.

use std::process::{Command, Output, Stdio};
use symx::harness::{Expectations, compile_bitcode};
use symx_bitcode_corpus::{cache, folder, output_of, said};

fn symx(arguments: &[&str]) -> Output {
    output_of(env!("CARGO_BIN_EXE_symx-under-test"), arguments)
}

/// Finds the program's failure, and again from its trace. Returns the output.
fn solve(program: &str, model: &str) -> String {
    let source = folder().join(program).with_extension("c");
    let text = std::fs::read_to_string(&source).unwrap();
    let expectations = Expectations::parse(&text).unwrap();
    let bitcode = compile_bitcode(&source, &expectations.compiler_flags, &cache()).unwrap();
    let bitcode = bitcode.display().to_string();
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().display().to_string();
    let mut arguments = vec!["run", "--no-explain", &bitcode, "--memmodel", model, "--out", &folder];
    arguments.extend(expectations.flags.iter().map(String::as_str));
    let run = symx(&arguments);
    assert_eq!(run.status.code(), Some(1), "{program} {model}: {}", said(&run));
    let (schedule, trace) = (format!("{folder}/failure-1.schedule.json"), format!("{folder}/trace.symbolic"));
    let made = symx(&["trace", "make", &bitcode, &schedule, "-o", &trace]);
    assert!(made.status.success(), "{program} {model}: {}", said(&made));
    let shown = symx(&["trace", "show", &trace]);
    assert!(shown.status.success() && shown.stdout.starts_with(b"trace of"), "{program}: {}", said(&shown));
    let solved = symx(&["trace", "solve", &bitcode, &schedule]);
    assert!(solved.status.success(), "{program} {model}: {}", said(&solved));
    String::from_utf8_lossy(&solved.stdout).into_owned()
}

fn solve_all(programs: &[&str], models: &[&str]) {
    for program in programs {
        for model in models {
            let said = solve(program, model);
            assert!(said.starts_with("reproduced"), "{program} {model}: {said}");
        }
    }
}

#[test]
fn wrong_values() {
    solve_all(&["fail/lost_update", "fail/check_then_act"], &["sc", "tso", "pso"]);
    // One of its threads has a number, but is not there when it fails.
    solve_all(&["fail/creations_in_turn"], &["sc", "tso"]);
}

#[test]
fn late_stores() {
    solve_all(&["families/dekker", "families/peterson", "families/bakery"], &["tso", "pso"]);
    solve_all(&["litmus/message_passing_assert", "fail/unordered_publication"], &["pso"]);
}

#[test]
fn deadlocks() {
    let programs = [
        "fail/lost_wakeup",
        "fail/deadlock_opposite_order",
        "fail/deadlock_barrier",
        "fail/deadlock_signal_wakes_the_wrong_one",
        "fail/deadlock_mutex_and_join",
        "fail/deadlock_rwlock_upgrade",
        "fail/deadlock_semaphores_opposite_order",
    ];
    solve_all(&programs, &["sc", "pso"]);
}

#[test]
fn memory() {
    let programs = [
        "fail/free_while_in_use",
        "fail/null_before_initialisation",
        "fail/use_after_scope_thread",
        "fail/uninitialised_passed_to_thread",
        "fail/double_free_other_thread",
    ];
    solve_all(&programs, &["sc", "tso"]);
    solve_all(&["fail/freed_by_who_exits"], &["sc"]);
}

/// The bitcode of a pipeline, and the schedule of a random execution that fails, which is kept in a folder.
fn failing_pipeline(out: &str) -> (String, String) {
    let source = folder().join("programs/clap/pipeline.c");
    let bitcode = compile_bitcode(&source, &[], &cache()).unwrap().display().to_string();
    let run = ["run", "--no-explain", &bitcode, "--check", "assert", "--search", "random", "--seed", "6"];
    let run = symx(&[&run[..], &["--max-executions", "60", "--out", out]].concat());
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    (bitcode, format!("{out}/failure-1.schedule.json"))
}

/// Where address space is short, a trace is solved or it is said that memory was.
#[test]
fn little_address_space_is_named() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().display().to_string();
    let (bitcode, schedule) = failing_pipeline(&folder);
    for kibibytes in [600_000, 700_000] {
        let solved = Command::new("sh")
            .args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"")])
            .args([env!("CARGO_BIN_EXE_symx-under-test"), "trace", "solve", &bitcode, &schedule])
            .stdin(Stdio::null())
            .output()
            .expect("a shell starts");
        let what = said(&solved);
        // Of the program's execution or of the engines.
        let named = ["max-memory", "the memory limit was reached"];
        let is_named = solved.status.code() == Some(3) && named.iter().any(|name| what.contains(name));
        assert!(solved.status.success() || is_named, "{kibibytes} KiB: {what}");
    }
}

/// Memory is freed at once, whatever stores still wait in the buffer.
#[test]
fn what_overtakes_stores() {
    solve_all(&["fail/freed_by_who_exits"], &["tso", "pso"]);
}

/// A random execution of a pipeline fails, and its trace is solved. It has the size of the largest case with
/// locks of the PLDI 2015 paper, pbzip2 (L). (Under five seconds in a release build on a machine of its own;
/// this is no measurement.)
#[test]
fn a_pipeline_of_the_published_size() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().display().to_string();
    let (bitcode, schedule) = failing_pipeline(&folder);
    let numbers = format!("{folder}/numbers.json");
    let solved = symx(&["trace", "solve", &bitcode, &schedule, "--jobs", "1", "--json", &numbers]);
    let what = said(&solved);
    assert!(solved.stdout.starts_with(b"reproduced"), "{what}");
    let numbers = std::fs::read_to_string(&numbers).unwrap();
    let numbers: serde_json::Value = serde_json::from_str(&numbers).unwrap();
    assert_eq!(numbers["threads"], 9, "{what}");
    assert!(numbers["events"].as_u64() >= Some(1_156), "{what}");
    assert!(numbers["solving_ms"].as_u64() < Some(120_000), "{what}");
}

/// A schedule in which threads change at synchronisation only names no visible sites. Its trace has the
/// accesses that its threads share all the same.
#[test]
fn threads_that_change_at_synchronisation_only() {
    let source = folder().join("programs/clap/racey.c");
    let bitcode = compile_bitcode(&source, &[], &cache()).unwrap().display().to_string();
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().display().to_string();
    let run = [
        "run",
        "--no-explain",
        &bitcode,
        "--check",
        "assert",
        "--search",
        "random",
        "--max-executions",
        "20",
    ];
    let run = symx(&[&run[..], &["--out", &folder, "--", "64"]].concat());
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    let schedule = format!("{folder}/failure-1.schedule.json");
    let summary = |schedule: &str| {
        let trace = format!("{folder}/trace.symbolic");
        let made = symx(&["trace", "make", &bitcode, schedule, "-o", &trace]);
        assert!(made.status.success(), "{}", said(&made));
        String::from_utf8_lossy(&made.stdout).into_owned()
    };
    let with_sites = summary(&schedule);
    let text = std::fs::read_to_string(&schedule).unwrap();
    let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        changed["visible_sites"],
        serde_json::json!([]),
        "the first random execution changes threads seldom"
    );
    changed["visible_sites"] = serde_json::Value::Null;
    std::fs::write(&schedule, changed.to_string()).unwrap();
    assert_eq!(summary(&schedule), with_sites);
    let solve = |options: &[&str]| symx(&[&["trace", "solve", &bitcode, &schedule], options].concat());
    for jobs in ["1", "4"] {
        let solved = said(&solve(&["--prove-minimal", "--jobs", jobs]));
        assert!(solved.contains("\nreproduced") && solved.contains("\nproven minimal"), "{solved}");
    }
    let late = said(&solve(&["--max-time", "0.000001"]));
    assert!(late.contains("exit status: 3\nincomplete: max-time; not traced"), "{late}");
    assert!(late.contains("in the time given"), "{late}");
}

/// Where copies are single steps, as no other thread comes between their parts, traces list them part by part
/// all the same. So they do where other threads come between.
#[test]
fn copies_are_traced_part_by_part() {
    let text = r#"
        #include <assert.h>
        #include <pthread.h>
        #include <string.h>
        static char block[16], ones[16];
        static volatile unsigned long length = sizeof block;
        static void *look(void *torn) {
            char mine[16];
            memcpy(mine, block, length);
            assert(torn ? mine[0] == mine[15] : mine[0] == 0);
            return NULL;
        }
        int main(int count, char **arguments) {
            pthread_t thread;
            memset(ones, 1, sizeof ones);
            pthread_create(&thread, NULL, look, count > 1 ? arguments[1] : NULL);
            memcpy(block, ones, length);
            pthread_join(thread, NULL);
            return 0;
        }
    "#;
    let out = tempfile::tempdir().unwrap();
    let source = out.path().join("copied.c");
    std::fs::write(&source, text).unwrap();
    let bitcode = compile_bitcode(&source, &[], &cache()).unwrap().display().to_string();
    // Whether the block counts as visible in a failing schedule, and its accesses in the trace.
    let accesses = |arguments: &[&str]| {
        let folder = out.path().join(arguments.len().to_string()).display().to_string();
        let run = symx(&[&["run", "--no-explain", &bitcode, "--out", &folder, "--"], arguments].concat());
        assert_eq!(run.status.code(), Some(1), "{}", said(&run));
        let schedule = format!("{folder}/failure-1.schedule.json");
        let text = std::fs::read_to_string(&schedule).unwrap();
        let sites = serde_json::from_str::<serde_json::Value>(&text).unwrap()["visible_sites"].clone();
        let trace = format!("{folder}/trace.symbolic");
        let made = symx(&["trace", "make", &bitcode, &schedule, "-o", &trace]);
        assert!(made.status.success(), "{}", said(&made));
        let shown = String::from_utf8_lossy(&symx(&["trace", "show", &trace]).stdout).into_owned();
        let of_block = |line: &str| {
            let (what, place) = line.split_once(" `block`[")?;
            let what = if what.ends_with("read") { "read" } else { "write" };
            Some(format!("{what} {}", place.split(']').next()?))
        };
        (sites != serde_json::json!([]), shown.lines().filter_map(of_block).collect::<Vec<String>>())
    };
    let (is_visible, in_parts) = accesses(&["torn"]);
    assert!(is_visible, "others come between the parts");
    let (is_visible, at_once) = accesses(&[]);
    assert!(!is_visible, "the first execution fails");
    let reads =
        |all: &[String]| all.iter().filter(|one| one.starts_with("read")).cloned().collect::<Vec<_>>();
    assert_eq!(reads(&at_once), reads(&in_parts));
    assert!(reads(&at_once).len() > 1, "{at_once:?}");
    // The second part is written after the failure.
    assert!(in_parts.iter().all(|one| at_once.contains(one)), "{in_parts:?} {at_once:?}");
    assert!(at_once.len() > in_parts.len(), "{in_parts:?} {at_once:?}");
}
