//! `symx test` on folders whose files change, have odd names, or cannot be used.

use super::Place;
use std::process::Output;

/// A folder `suite` with these programs.
fn suite(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        let path = place.0.path().join("suite").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    place
}

/// What a command prints.
fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_program_is_run_again_when_anything_changes_that_it_reads() {
    let reads = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\n\
        int main(void) {\n    char path[4096];\n    strcpy(path, __FILE__);\n    \
        strcpy(strrchr(path, '/') + 1, \"data.txt\");\n    FILE *file = fopen(path, \"r\");\n    assert(file);\n    \
        assert(fgetc(file) == '1');\n    fclose(file);\n    return 0;\n}\n";
    let asserts =
        |value: &str| format!("#include <assert.h>\n{value}int main(void) {{ assert(VALUE == 1); }}\n");
    let place = suite(&[
        ("inc/value.h", "#define VALUE 1\n"),
        ("sub/header.c", &asserts("#include \"../inc/value.h\"\n")),
        ("sub/table.def", "1\n"),
        ("sub/included.c", &asserts("enum { VALUE =\n#include \"table.def\"\n};\n")),
        ("sub/data.txt", "1\n"),
        ("sub/reads.c", reads),
    ]);
    let run = || printed(&place.symx(&["test", "suite", "--changed", "--summary", "suite/sub/summary.md"]));
    assert_eq!(run(), "9 passed, 0 failed\n");
    assert_eq!(run(), "9 passed, 0 failed\n");
    let summary = std::fs::read_to_string(place.0.path().join("suite/sub/summary.md")).unwrap();
    assert!(summary.ends_with("9 of them unchanged since they passed\n"), "{summary}");
    let changes = [("inc/value.h", "#define VALUE 2\n"), ("sub/table.def", "2\n"), ("sub/data.txt", "2\n")];
    for (number, (name, text)) in (1..).zip(changes) {
        place.write(&format!("suite/{name}"), text.as_bytes());
        let expected = format!("{} passed, {} failed\n", 9 - 3 * number, 3 * number);
        let told = run();
        assert!(told.ends_with(&expected), "{name}: {told}");
    }
}

/// Two threads write one variable.
const RACE: &str = "#include <pthread.h>\nint x;\nstatic void *f(void *u) { x = 1; return u; }\n\
    int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    x = 2;\n    pthread_join(t, 0);\n    \
    return 0;\n}\n//@ races: k-witness-harmless at 3 7\n";

#[test]
fn races_switch_no_other_expectation_off() {
    let place = suite(&[("race.c", RACE)]);
    let passed = place.symx(&["test", "suite"]);
    assert_eq!(passed.status.code(), Some(0), "{}", printed(&passed));
    let more = "//@ outcomes: 999\n//@ executions: 777\n";
    let wrong = RACE.replace("x = 2;", "x = 2; //~ ERROR: never seen") + more;
    place.write("suite/race.c", wrong.as_bytes());
    let told = printed(&place.symx(&["test", "suite"]));
    for expected in ["line 7: no error `never seen`", "missing outcomes `999`", "executions instead of 777"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(!told.contains("race k-witness-harmless") && told.contains("0 passed, 3 failed"), "{told}");
}

#[test]
fn code_before_a_race_is_not_blessed_away() {
    let (before, after) = RACE.split_once("x = 2;").unwrap();
    let after = after.replace("//@ races: k-witness-harmless at 3 7\n", "");
    let program = |race: &str| format!("{before}x = 2; //@ races: {race}{after}").replace('\n', "\r\n");
    let place = suite(&[("race.c", &program("single-ordering at 7"))]);
    let told = printed(&place.symx(&["test", "suite", "--bless"]));
    assert!(told.contains("3 passed, 0 failed"), "{told}");
    let blessed = std::fs::read_to_string(place.0.path().join("suite/race.c")).unwrap();
    assert_eq!(blessed, program("k-witness-harmless at 3 7"));
}

#[test]
fn an_error_in_another_file_of_the_same_name_is_not_the_one_expected() {
    let included = "#include <assert.h>\nstatic void g(int x) {\n    (void)x;\n    assert(x == 2);\n}\n";
    let program = "#include \"input/same.c\"\nint main(void) {\n    g(2);\n    int y = 3; //~ ERROR: assertion failed\n    \
        g(y);\n    return 0;\n}\n";
    // The folder `input` holds no cases.
    let place = suite(&[("same.c", program), ("input/same.c", included)]);
    let told = printed(&place.symx(&["test", "suite"]));
    assert!(told.contains("line 4: no error") && told.contains("0 passed, 3 failed"), "{told}");
}

#[test]
fn a_suite_that_is_only_incomplete_says_so_in_its_exit_code() {
    let place = suite(&[("endless.c", "volatile int x;\nint main(void) {\n    for (;;)\n        x++;\n}\n")]);
    let short = ["test", "suite", "--max-time", "1"];
    let cut = place.symx(&short);
    assert_eq!(cut.status.code(), Some(3), "{}", printed(&cut));
    place.write("suite/wrong.c", b"int main(void) { int *p = 0; return *p; }\n");
    assert_eq!(place.symx(&short).status.code(), Some(1));
}
