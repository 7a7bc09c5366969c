//! How many workers of one process explore, and bounds on schedules: what is found does not depend on the
//! former.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Two threads that add each other's number to their own: 1764 executions under sequential consistency.
const SUMS: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    static atomic_int i = 1, j = 1;\n\
    static void add(atomic_int *mine, atomic_int *other) {\n\
        int sum = atomic_load(mine) + atomic_load(other);\n        atomic_store(mine, sum);\n}\n\
    static void *first(void *unused) { for (int k = 0; k < 3; k++) add(&i, &j); return unused; }\n\
    static void *second(void *unused) { for (int k = 0; k < 3; k++) add(&j, &i); return unused; }\n\
    int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, NULL, first, NULL);\n\
        pthread_create(&two, NULL, second, NULL);\n    pthread_join(one, NULL);\n    pthread_join(two, NULL);\n\
        printf(\"%d %d\\n\", i, j);\n    return 0;\n}\n";
/// Fails if the thread runs before the main thread goes on.
const EARLY: &str = "#include <assert.h>\n#include <pthread.h>\nvolatile int x;\n\
    static void *work(void *unused) { x = 1; return unused; }\n\
    int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, NULL, work, NULL);\n    assert(x == 0);\n\
    pthread_join(thread, NULL);\n    return 0;\n}\n";

/// Runs `symx run` on a program with these options: the exit code and the JSON.
fn run(folder: &Path, program: &str, options: &[&str]) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--quiet", "--json", "-"])
        .args(options)
        .arg(program)
        .current_dir(folder)
        .output()
        .expect("symx runs");
    let json = serde_json::from_slice(&output.stdout).expect("JSON on standard output");
    (output.status.code().expect("an exit code"), json)
}

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    for (name, text) in [("sums.c", SUMS), ("early.c", EARLY)] {
        std::fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let place = place();
    for model in ["sc", "tso"] {
        let explore = |jobs: &str| {
            run(place.path(), "sums.c", &["--memmodel", model, "--jobs", jobs, "--max-time", "60"])
        };
        let (code, alone) = explore("1");
        assert_eq!(code, 0, "{alone}");
        assert!(alone["stats"]["executions"].as_u64() > Some(100), "{alone}");
        for jobs in ["2", "3"] {
            let (code, together) = explore(jobs);
            assert_eq!(code, 0, "{together}");
            assert_eq!(together["outcomes"], alone["outcomes"]);
            for count in ["executions", "blocked", "threads"] {
                assert_eq!(together["stats"][count], alone["stats"][count], "{count} with {jobs} workers");
            }
        }
    }
}

#[test]
fn several_workers_find_what_one_finds() {
    let place = place();
    for jobs in ["1", "3"] {
        let (code, report) = run(place.path(), "early.c", &["--jobs", jobs]);
        assert_eq!((code, report["violations"][0]["kind"].as_str()), (1, Some("assert")), "{report}");
    }
}

#[test]
fn delays_are_bounded() {
    let place = place();
    let (code, report) = run(place.path(), "early.c", &["--delays", "0"]);
    assert_eq!((code, report["incomplete"][0]["reason"].as_str()), (3, Some("delays")), "{report}");
    assert_eq!(run(place.path(), "early.c", &["--delays", "1"]).0, 1);
}
