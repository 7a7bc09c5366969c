//! Runs are recorded again and again until one fails, with noise that makes rare orders likelier.

use crate::{instrument, symx};
use std::process::Command;

/// Between two critical sections of one thread, which follow each other at once, another empties the buffer.
const SECTIONS: &str = r#"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length = 3;

static void *empty(void *unused) {
    pthread_mutex_lock(&lock);
    length = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **arguments) {
    (void)arguments;
    pthread_t thread;
    pthread_create(&thread, NULL, empty, NULL);
    pthread_mutex_lock(&lock);
    int known = length;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (count == 1 && length < known) abort();
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
"#;

fn instrumented() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    instrument(("clang-22", "p.c"), SECTIONS, folder.path());
    folder
}

#[test]
fn a_rare_failure_is_recorded_under_noise_and_followed() {
    let folder = instrumented();
    let at = folder.path();
    let recorded = symx(at, &["record", "--until-failure", "5000", "--noise", "--", "./p"]);
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(128 + 6), "{said}");
    assert!(
        said.contains("threads recorded in path.prof") && said.contains(" failed, the first of"),
        "{said}"
    );
    let found = symx(at, &["run", "--no-explain", "--guide", "path.prof", "--max-time", "100", "p.bc"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
}

#[test]
fn where_no_run_fails_that_is_said() {
    let folder = instrumented();
    let recorded = symx(folder.path(), &["record", "--until-failure", "3", "--", "./p", "safe"]);
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert_eq!(said.trim(), "symx: none of 3 runs failed; the last one is in path.prof");
    assert!(folder.path().join("path.prof").exists());
    let refused = symx(folder.path(), &["record", "--noise", "--until-failure", "3", "p.bc"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

/// The second run fails by a signal, if it reads what the first one did.
const READS: &str = r#"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    FILE *runs = fopen("runs", "a+");
    fputc('.', runs);
    if (getchar() != '7') return 9;
    if (ftell(runs) == 2) abort();
    return 0;
}
"#;

#[test]
fn each_run_reads_the_same_input() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.c"), READS).unwrap();
    std::fs::write(at.join("input"), "7").unwrap();
    let compile = ["-O1", "-g", "-emit-llvm", "-c", "p.c", "-o", "p.bc"];
    assert!(Command::new("clang-22").args(compile).current_dir(at).status().unwrap().success());
    assert!(symx(at, &["instrument", "p.bc", "-o", "p"]).status.success());
    let recorded = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["record", "--until-failure", "5", "--", "./p"])
        .stdin(std::fs::File::open(at.join("input")).unwrap())
        .current_dir(at)
        .output()
        .unwrap();
    assert_eq!(recorded.status.code(), Some(128 + 6), "{recorded:?}");
}
