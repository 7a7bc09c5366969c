//! `--property` with workers: what counts, and what ends an execution quietly, is part of the task.

use crate::comparison::{essence, report};
use crate::server::Server;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The common part of the programs.
const HEAD: &str = "#include <limits.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
    static void assume_abort_if_not(int condition) { if (!condition) abort(); }\n";

/// An assumption of a value, and one that a schedule breaks.
const ASSUMED: &str = "int main(void) { int x = __VERIFIER_nondet_int(); assume_abort_if_not(x > 0);
    if (x < 0) reach_error(); return 0; }";
const SCHEDULE: &str =
    "atomic_int x, y; static void *f(void *a) { x = 1; assume_abort_if_not(y == 0); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = 1; if (x == 2) reach_error();
    pthread_join(t, 0); return 0; }";
const CALLED: &str = "atomic_int x; static void *f(void *a) { x = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (x == 1) reach_error();
    pthread_join(t, 0); return 0; }";
const OPPOSITE: &str = "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(one); pthread_mutex_lock(other); pthread_mutex_unlock(other); pthread_mutex_unlock(one); }
static void *f(void *x) { both(&b, &a); return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); both(&a, &b); pthread_join(t, 0); return 0; }";
/// Only checks at compile time see it: nothing uses the sum.
const OVERFLOW: &str = "int main(void) { int x = __VERIFIER_nondet_int(); x + 1; return 0; }";
const LOST: &str = "int main(void) { int *p = malloc(4); *p = 0; return *p; }";
const RACE: &str = "int x; static void *f(void *a) { x = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; pthread_join(t, 0); return 0; }";

/// Programs, each with a property and the answer.
const CASES: &[(&str, &str, &str)] = &[
    (ASSUMED, "unreach-call", "true"),
    (SCHEDULE, "unreach-call", "true"),
    (CALLED, "unreach-call", "false"),
    (OPPOSITE, "unreach-call", "true"),
    (OPPOSITE, "termination", "false"),
    (OVERFLOW, "no-overflow", "false"),
    (LOST, "valid-memsafety", "false"),
    (LOST, "valid-memcleanup", "false"),
    (LOST, "valid-deref", "true"),
    (RACE, "no-data-race", "false"),
    (SCHEDULE, "no-data-race", "true"),
];

fn run(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(["run", "--quiet", "--no-explain", "--keep-going", "--json", "-"]).args(arguments);
    report(&command.current_dir(folder).output().expect("symx runs"))
}

/// The verdict on the property; ends that do not count are a set.
fn verdict(report: &Value) -> Value {
    let mut told = report["property"].clone();
    if let Some(ends) = told["quiet_ends"].as_array_mut() {
        ends.sort_by_key(Value::to_string);
    }
    told
}

#[test]
fn workers_come_to_the_verdict_of_one_process() {
    let Some(server) = Server::start() else { return };
    let (address, _workers) = (server.address(), server.workers(2));
    let folder = tempfile::tempdir().expect("a folder");
    for (text, property, answer) in CASES {
        std::fs::write(folder.path().join("program.c"), format!("{HEAD}{text}")).expect("a file");
        let asked = ["--property", property, "program.c"];
        let alone = run(folder.path(), &[&["--jobs", "1"], &asked[..]].concat());
        let together =
            run(folder.path(), &[&["--cluster", &address, "--slice", "20ms"], &asked[..]].concat());
        assert_eq!(alone.1["property"]["answer"], *answer, "{property} of\n{text}\n{}", alone.1);
        assert_eq!(verdict(&together.1), verdict(&alone.1), "{property} of\n{text}");
        assert_eq!(essence(&together), essence(&alone), "{property} of\n{text}");
    }
}

#[test]
fn files_that_state_a_property_stay_on_this_machine() {
    let Some(server) = Server::start() else { return };
    let (address, _workers) = (server.address(), server.workers(1));
    let place = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("a file");
    write("program.c", &format!("{HEAD}{SCHEDULE}"));
    write("reach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    write(
        "task.yml",
        "format_version: '2.0'\ninput_files: 'program.c'\nproperties:\n  - property_file: reach.prp\n    \
         expected_verdict: true\noptions:\n  language: C\n  data_model: LP64\n",
    );
    // The workers' current folder is another one.
    for asked in [&["--property", "reach.prp", "program.c"][..], &["task.yml"]] {
        let (code, told) = run(place.path(), &[&["--cluster", &address], asked].concat());
        assert_eq!((code, &told["property"]["answer"]), (0, &"true".into()), "{asked:?}: {told}");
        assert_eq!(told["property"]["quiet_ends"].as_array().map(Vec::len), Some(1), "{asked:?}: {told}");
    }
}
