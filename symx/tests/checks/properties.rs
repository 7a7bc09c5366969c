//! `--property`, a row of its table after the other: what counts, what ends quietly, and what stays open.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// symx in `folder` with these arguments.
pub fn symx(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The verdict on a property, with the violated part of it after a colon.
fn verdict(program: &str, property: &str, options: &[&str]) -> (String, Value) {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("program.c"), program).unwrap();
    let arguments = ["run", "--quiet", "--jobs", "1", "--json", "-", "--no-explain", "--property", property];
    let done = symx(place.path(), &[&arguments[..], options, &["program.c"]].concat());
    let text = String::from_utf8(done.stdout).unwrap();
    let result: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&done.stderr)));
    let told = &result["property"];
    let answer = match (told["answer"].as_str().unwrap(), told["violated"].as_str()) {
        (answer, Some(part)) => format!("{answer}: {part}"),
        (answer, None) => answer.to_owned(),
    };
    let code = match answer.split(':').next() {
        Some("true") => 0,
        Some("false") => 1,
        _ => 3,
    };
    assert_eq!(done.status.code(), Some(code), "{text}");
    (answer, result)
}

/// Holds programs, each with a property and the verdict on it, to the verdict.
fn hold(rows: &[(&str, &str, &str)]) {
    let told = |(program, property, expected): &(&str, &str, &str)| {
        let (answer, result) = verdict(&format!("{HEAD}{program}"), property, &[]);
        (answer != *expected)
            .then(|| format!("{property} of\n{program}\nis {answer}, not {expected}: {result}"))
    };
    let wrong: Vec<String> = rows.iter().filter_map(told).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The common part of the programs.
const HEAD: &str = "#include <assert.h>\n#include <limits.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    #include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
    static void assume_abort_if_not(int condition) { if (!condition) abort(); }\n";

const ABORTED_ASSUMPTION: &str =
    "int main(void) { int x = __VERIFIER_nondet_int(); assume_abort_if_not(x > 0);
    if (x < 0) reach_error(); return 0; }";
const SELF_DEADLOCK: &str = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }";
const LIVELOCK: &str = "atomic_int flag; int main(void) { while (!flag) {} return 0; }";
const NULL_POINTER: &str = "int *p; int main(void) { return *p; }";
const KEPT: &str = "int *kept; int main(void) { kept = malloc(4); return kept == 0; }";
const LOST: &str = "int main(void) { int *p = malloc(4); *p = 0; return *p; }";
const RACE: &str = "int x; static void *f(void *a) { x = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; pthread_join(t, 0); return 0; }";

#[test]
fn a_call_of_reach_error_counts_whatever_its_body_does() {
    hold(&[
        ("int main(void) { reach_error(); return 0; }", "unreach-call", "false: unreach-call"),
        (
            "void reach_error(void) {} int main(void) { reach_error(); return 0; }",
            "unreach-call",
            "false: unreach-call",
        ),
        (
            "void reach_error(void) { exit(0); } int main(void) { reach_error(); return 0; }",
            "unreach-call",
            "false: unreach-call",
        ),
        ("void reach_error(void) { assert(0); } int main(void) { return 0; }", "unreach-call", "true"),
        (
            "static inline __attribute__((always_inline)) void __VERIFIER_error(void) {} int main(void) { __VERIFIER_error(); return 0; }",
            "unreach-call",
            "false: unreach-call",
        ),
        (
            "__attribute__((always_inline)) void reach_error(void) {} int main(void) { if (time(0) < 0) reach_error(); return 0; }",
            "unreach-call",
            "true",
        ),
        (
            "extern inline __attribute__((gnu_inline, always_inline)) int two(void) { return 2; } int main(void) { if (two() == 2) reach_error(); return 0; }",
            "unreach-call",
            "false: unreach-call",
        ),
        (
            "extern void __VERIFIER_error(void); int main(void) { __VERIFIER_error(); return 0; }",
            "unreach-call",
            "false: unreach-call",
        ),
        (
            "extern void __VERIFIER_assert(int); int main(void) { __VERIFIER_assert(__VERIFIER_nondet_int() != 7); return 0; }",
            "unreach-call",
            "false: unreach-call",
        ),
        (
            "extern void __VERIFIER_assert(int); extern int __VERIFIER_tid(void); int main(void) { __VERIFIER_assert(__VERIFIER_tid() == 0); return 0; }",
            "unreach-call",
            "true",
        ),
    ]);
}

#[test]
fn defined_ends_that_do_not_count_are_quiet() {
    hold(&[
        (ABORTED_ASSUMPTION, "unreach-call", "true"),
        (ABORTED_ASSUMPTION, "no-overflow", "true"),
        (ABORTED_ASSUMPTION, "valid-memsafety", "true"),
        (SELF_DEADLOCK, "unreach-call", "true"),
        (SELF_DEADLOCK, "termination", "false: termination"),
        (LIVELOCK, "unreach-call", "true"),
        (LIVELOCK, "termination", "false: termination"),
        ("int main(void) { assert(0); return 0; }", "unreach-call", "true"),
        ("int main(void) { assert(0); return 0; }", "valid-memsafety", "true"),
        ("int main(void) { assert(0); return 0; }", "termination", "true"),
        ("int main(void) { return 3; }", "unreach-call", "true"),
    ]);
    let (_, result) = verdict(&format!("{HEAD}{ABORTED_ASSUMPTION}"), "unreach-call", &[]);
    let ends = result["property"]["quiet_ends"].as_array().unwrap();
    assert!(ends.len() == 1 && ends[0].as_str().unwrap().starts_with("abort called"), "{result}");
}

/// A handle that was never written is undefined behaviour, whatever is asked: nothing behind it is known.
#[test]
fn an_unwritten_handle_leaves_properties_open() {
    let program = "int main(void) { pthread_t t; pthread_join(t, 0); return 0; }";
    hold(&[
        (program, "unreach-call", "unknown"),
        (program, "no-data-race", "unknown"),
        (program, "valid-memsafety", "unknown"),
    ]);
}

/// A thread may miss each time that the value which it waits for is there.
#[test]
fn threads_that_come_round_may_never_end() {
    let program = "atomic_int x, y;
static void *flip(void *a) { while (y != 1) { x = 1; x = 2; } return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, flip, 0); while (x != 2) {} y = 1; pthread_join(t, 0); return 0; }";
    hold(&[(program, "termination", "unknown"), (program, "unreach-call", "true")]);
}

/// The process ends where one thread aborts, but others may have come further before.
#[test]
fn a_quiet_end_hides_nothing_that_other_threads_do() {
    let program = format!(
        "{HEAD}static void *f(void *a) {{ abort(); return a; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); reach_error(); return 0; }}"
    );
    for reduction in ["reads-from", "source-sets"] {
        let (answer, _) = verdict(&program, "unreach-call", &["--reduction", reduction]);
        assert_eq!(answer, "false: unreach-call", "{reduction}");
    }
    let waits = format!(
        "{HEAD}atomic_int x; static void *f(void *a) {{ assume_abort_if_not(x == 1); return a; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); x = 1; x = 2; if (x == 3) reach_error(); return 0; }}"
    );
    for reduction in ["reads-from", "source-sets"] {
        assert_eq!(verdict(&waits, "unreach-call", &["--reduction", reduction]).0, "true", "{reduction}");
    }
}

#[test]
fn memory_safety_is_reported_by_its_parts() {
    hold(&[
        (NULL_POINTER, "valid-memsafety", "false: valid-deref"),
        (
            "int main(void) { int *p = malloc(4); free(p); free(p); return 0; }",
            "valid-memsafety",
            "false: valid-free",
        ),
        ("int main(void) { int x; free(&x + 0); return 0; }", "valid-free", "false: valid-free"),
        (LOST, "valid-memsafety", "false: valid-memtrack"),
        (LOST, "valid-memcleanup", "false: valid-memcleanup"),
        (KEPT, "valid-memsafety", "true"),
        (KEPT, "valid-memcleanup", "false: valid-memcleanup"),
        ("int main(void) { free(malloc(4)); return 0; }", "valid-memcleanup", "true"),
        // Undefined behaviour that was not asked for leaves open what comes after it.
        (NULL_POINTER, "unreach-call", "unknown"),
        (NULL_POINTER, "valid-free", "unknown"),
        // Memory to which only a register may point is neither known to be lost nor to be kept.
        ("int main(void) { int *p = malloc(4); *p = 0; exit(*p); }", "valid-memsafety", "unknown"),
        ("int *p; int main(void) { p = malloc(4); p = 0; abort(); }", "valid-memsafety", "unknown"),
        (
            "static void *f(void *a) { abort(); return a; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }",
            "valid-memsafety",
            "unknown",
        ),
    ]);
}

#[test]
fn an_overflow_counts_where_it_is_written() {
    hold(&[
        ("int main(void) { int x = INT_MAX; x++; return 0; }", "no-overflow", "false: no-overflow"),
        ("int main(void) { int x = INT_MAX + 1; return 0; }", "no-overflow", "false: no-overflow"),
        (
            "int main(void) { int x = __VERIFIER_nondet_int(); int y = x * 2; return 0; }",
            "no-overflow",
            "false: no-overflow",
        ),
        (
            "int main(void) { int x = INT_MIN, y = -1; return x / y == 1; }",
            "no-overflow",
            "false: no-overflow",
        ),
        ("int main(void) { int x = INT_MIN; x = -x; return 0; }", "no-overflow", "false: no-overflow"),
        ("int main(void) { unsigned x = UINT_MAX; x++; return x; }", "no-overflow", "true"),
        ("int main(void) { signed char x = 127; x++; return 0; }", "no-overflow", "true"),
        // The rules do not say whether a left shift that loses bits is an overflow, nor what comes after it.
        ("int main(void) { int x = 3; x = x << 31; return 0; }", "no-overflow", "unknown"),
    ]);
}

#[test]
fn an_overflow_replays_from_the_source() {
    let place = tempfile::tempdir().unwrap();
    let program = "#include <limits.h>\nint main(void) { int x = INT_MAX; x++; return 0; }\n";
    std::fs::write(place.path().join("program.c"), program).unwrap();
    let found = symx(place.path(), &["run", "--property", "no-overflow", "program.c"]);
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    let again = symx(place.path(), &["replay", "program.c", "symx-out/failure-1.schedule.json"]);
    let text = String::from_utf8_lossy(&again.stdout).into_owned() + &String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(0), "{text}");
    assert!(text.contains("signed overflow in an addition"), "{text}");
}

#[test]
fn a_data_race_counts_and_an_abort_beside_it_does_not() {
    hold(&[
        (RACE, "no-data-race", "false: no-data-race"),
        (RACE, "unreach-call", "true"),
        ("atomic_int x; static void *f(void *a) { x = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; assume_abort_if_not(x == 2); pthread_join(t, 0); return 0; }", "no-data-race", "true"),
        (RACE, "unreach-call,no-data-race", "false: no-data-race"),
    ]);
}

/// What few rounds show is found: the way that leaves a loop is gone first.
#[test]
fn any_number_of_rounds_begins_with_none() {
    let program = |condition: &str| {
        format!(
            "int x; static void *f(void *a) {{ x++; return a; }}
int main(void) {{ int any = __VERIFIER_nondet_int(); pthread_t t;
for (int i = 0; {condition}; i++) pthread_create(&t, 0, f, 0); return 0; }}"
        )
    };
    hold(&[
        (program("i < any").as_str(), "no-data-race", "false: no-data-race"),
        (program("i < any && i < 1000000").as_str(), "no-data-race", "false: no-data-race"),
        (program("__VERIFIER_nondet_int()").as_str(), "no-data-race", "false: no-data-race"),
    ]);
    let rounds = "int main(void) { int any = __VERIFIER_nondet_int(), i = 0;
while (i < any) i++;
if (i == 3) reach_error(); return 0; }";
    hold(&[(rounds, "unreach-call", "false: unreach-call")]);
}

/// C11 has no access at the end of a variable's life. The relaxed flag keeps the use before it, and orders
/// nothing. A block that is freed is an access of the call.
#[test]
fn the_end_of_a_variable_is_no_access() {
    let program = |variable: &str, end: &str| {
        format!(
            "atomic_int done;
static void *f(void *a) {{ *(int *)a = 1; atomic_store_explicit(&done, 1, memory_order_relaxed); return 0; }}
int main(void) {{ {variable}; pthread_t t; pthread_create(&t, 0, f, x);
assume_abort_if_not(atomic_load_explicit(&done, memory_order_relaxed)); {end} return 0; }}"
        )
    };
    let on_stack = program("int y, *x = &y", "");
    hold(&[
        (on_stack.as_str(), "no-data-race", "true"),
        (program("int y, *x = &y", "y = 2;").as_str(), "no-data-race", "false: no-data-race"),
        (program("int *x = malloc(4)", "free(x);").as_str(), "no-data-race", "false: no-data-race"),
    ]);
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("program.c"), format!("{HEAD}{on_stack}")).unwrap();
    let told = symx(place.path(), &["run", "--check", "race", "program.c"]);
    let text = String::from_utf8_lossy(&told.stdout);
    assert_eq!(told.status.code(), Some(1), "{text}");
    assert!(text.contains("race/end-of-life: the life of `y` ends here"), "{text}");
}

/// Bitcode says neither whether sums have a sign nor whether a function was inlined.
#[test]
fn what_bitcode_does_not_show_is_unknown() {
    let place = tempfile::tempdir().unwrap();
    let program =
        "void reach_error(void) {}\nint main(int n, char **a) { if (n > 5) reach_error(); return 0; }\n";
    std::fs::write(place.path().join("program.c"), program).unwrap();
    let Some(clang) = ["clang-22", "clang"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success()))
    else {
        panic!("no clang");
    };
    for (level, property, code, text) in [
        ("-O0", "unreach-call", 0, "property   unreach-call: true"),
        ("-O1", "unreach-call", 3, "-fno-inline"),
        ("-O0", "no-overflow", 3, "give the source"),
    ] {
        let compiled = Command::new(clang)
            .args([level, "-g", "-emit-llvm", "-c", "program.c", "-o", "program.bc"])
            .current_dir(place.path())
            .status()
            .unwrap();
        assert!(compiled.success());
        let done = symx(place.path(), &["run", "--property", property, "program.bc"]);
        let told = String::from_utf8_lossy(&done.stdout);
        assert_eq!(done.status.code(), Some(code), "{level} {property}: {told}");
        assert!(told.contains(text), "{told}");
    }
}
