//! `--check` and `--property`: what counts, and what ends an exploration.

mod properties;
mod tasks;
mod witness_format;
mod witnesses;

use std::process::{Command, Stdio};

/// A lost update, and three threads that take a lock; the program exits with 7.
const LOST_UPDATE: &str = r#"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int v;
static void *w(void *a) {
    pthread_mutex_lock(&m); int x = v; pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m); v = x + 1; pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(t + i, 0, w, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(v == 3);
    return 7;
}
"#;

/// The JSON of a run with these options, and its exit code.
fn run(options: &[&str]) -> (serde_json::Value, Option<i32>) {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("program.c"), LOST_UPDATE).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--quiet", "--jobs", "1", "--json", "-"])
        .args(options)
        .arg("program.c")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    (serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")), done.status.code())
}

fn executions(result: &serde_json::Value) -> u64 {
    result["stats"]["executions"].as_u64().unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn a_failure_that_counts_ends_the_exploration_whatever_else_is_left_out() {
    for search in ["dfs", "random"] {
        let (all, code) = run(&["--search", search]);
        assert_eq!(code, Some(1));
        let (some, code) = run(&["--search", search, "--check", "assert"]);
        assert_eq!((executions(&some), code), (executions(&all), Some(1)), "{search}");
    }
}

#[test]
fn a_failure_that_does_not_count_ends_nothing() {
    let (result, code) = run(&["--check", "deadlock"]);
    assert_eq!(code, Some(3));
    assert!(result.to_string().contains("unchecked-failure"), "{result}");
    let (result, code) = run(&["--check", "exit"]);
    assert_eq!(code, Some(1));
    assert_eq!(result["violations"][0]["kind"], "exit", "{result}");
}
