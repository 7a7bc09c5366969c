//! `symx test` on folders whose files change, have odd names, or cannot be used.

use super::Place;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

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
fn a_race_in_another_file_is_none_of_the_same_line() {
    let program = "#include <pthread.h>\nint x;\n#include \"input/step.h\"\n\
        static void *f(void *u) { step(); return u; }\nint main(void) {\n    pthread_t t;\n    \
        pthread_create(&t, 0, f, 0);\n    step();\n    pthread_join(t, 0);\n    return 0;\n}\n\
        //@ races: k-witness-harmless at step.h:2\n";
    let step = "static void step(void) {\n    x = 1;\n}\n";
    let place = suite(&[("race.c", program), ("input/step.h", step)]);
    let passed = place.symx(&["test", "suite"]);
    assert_eq!(passed.status.code(), Some(0), "{}", printed(&passed));
    place.write("suite/race.c", program.replace("step.h:2\n", "2\n").as_bytes());
    let told = printed(&place.symx(&["test", "suite"]));
    let expected = ["no race k-witness-harmless at 2", "unexpected race k-witness-harmless at step.h:2"];
    assert!(expected.iter().all(|text| told.contains(text)), "{told}");
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
    let place =
        suite(&[("endless.c", "volatile unsigned x;\nint main(void) {\n    for (;;)\n        x++;\n}\n")]);
    let short = ["test", "suite", "--max-time", "1"];
    let cut = place.symx(&short);
    assert_eq!(cut.status.code(), Some(3), "{}", printed(&cut));
    place.write("suite/wrong.c", b"int main(void) { int *p = 0; return *p; }\n");
    assert_eq!(place.symx(&short).status.code(), Some(1));
}

const OK: &str = "int main(void) { return 0; }\n";

/// Never ends, and changes no value that symx could know again.
const ENDLESS: &str = "volatile unsigned x;\nint main(void) {\n    for (;;)\n        x++;\n}\n";

/// The command in the folder, with nothing on standard input.
fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(arguments).current_dir(place.0.path()).stdin(Stdio::null());
    command
}

#[test]
fn no_line_of_a_program_commands_the_code_host() {
    let shouting = "//@ outcomes: 1\n#include <stdio.h>\nint main(void) {\n    \
        puts(\"\\n::error file=x::pwned\");\n    return 0;\n}\n";
    let place = suite(&[("shouting.c", shouting)]);
    let output = command(&place, &["test", "suite"]).env("GITHUB_ACTIONS", "true").output().unwrap();
    let told = printed(&output);
    let (first, rest) = told.split_once('\n').unwrap();
    let word = first.strip_prefix("::stop-commands::").unwrap_or_else(|| panic!("{told}"));
    let (text, marks) = rest.split_once(&format!("\n::{word}::\n")).unwrap();
    assert!(word.len() >= 32 && text.contains("::error file=x::pwned"), "{told}");
    assert_eq!(marks.lines().count(), 3, "{told}");
    assert!(marks.lines().all(|mark| mark.starts_with("::error file=suite/shouting.c,line=1,")), "{told}");
}

#[test]
fn a_document_on_standard_output_has_no_marks_and_no_commands() {
    let shouting = "//@ outcomes: 1\n#include <stdio.h>\nint main(void) {\n    \
        puts(\"\\n::error file=x::pwned\");\n    return 0;\n}\n";
    let place = suite(&[("shouting.c", shouting)]);
    for option in ["--json", "--junit"] {
        let mut command = command(&place, &["test", "suite", option, "-"]);
        let output = command.env("GITHUB_ACTIONS", "true").output().unwrap();
        let document = printed(&output);
        assert!(document.contains("pwned"), "{document}");
        assert!(!document.lines().any(|line| line.trim_start().starts_with("::")), "{document}");
        assert!(document.starts_with(if option == "--json" { "{" } else { "<?xml" }), "{document}");
        let marks = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(marks.contains("\n::error file=suite/shouting.c,line=1,"), "{marks}");
    }
}

#[test]
fn a_mark_is_at_the_line_that_fails() {
    let place = suite(&[("null.c", "int main(void) {\n    int *volatile p = 0;\n    return *p;\n}\n")]);
    let output = command(&place, &["test", "suite"]).env("GITHUB_ACTIONS", "true").output().unwrap();
    assert!(printed(&output).contains("::error file=suite/null.c,line=3,"), "{}", printed(&output));
    let results = place.symx(&["test", "suite", "--json", "-"]);
    let results: Value = serde_json::from_slice(&results.stdout).unwrap();
    assert_eq!(results["cases"][0]["line"], 3, "{results}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_anything_runs() {
    let place = suite(&[("endless.c", ENDLESS)]);
    for option in ["--json", "--junit", "--summary"] {
        let refusal = place.refusal(&["test", "suite", option, "none/file"]);
        assert_eq!(refusal, "cannot write `none/file`: no such file or directory");
    }
    let both = place.refusal(&["test", "suite", "--json", "-", "--junit", "-"]);
    assert!(both.starts_with("standard output takes one of"), "{both}");
}

#[test]
fn an_interrupted_suite_writes_what_it_has() {
    let place = suite(&[("a.c", OK), ("b.c", ENDLESS), ("c.c", OK)]);
    let temporary = place.0.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let arguments = ["test", "suite", "--jobs", "1", "--max-time", "600", "--json", "results.json"];
    let began = Instant::now();
    let child = command(&place, &arguments)
        .env("TMPDIR", &temporary)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Long enough for the first program; if not, fewer results are written.
    std::thread::sleep(Duration::from_secs(10));
    kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(120));
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    assert!(printed(&output).contains("not run (interrupted)"), "{}", printed(&output));
    let results = std::fs::read(place.0.path().join("results.json")).unwrap();
    let results: Value = serde_json::from_slice(&results).unwrap();
    let cases = results["cases"].as_array().unwrap();
    assert!(cases.iter().all(|case| case["name"] == "a" && case["problem"].is_null()), "{results}");
    assert_eq!(results["not_run"], 9 - cases.len());
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left, [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn programs_of_one_name_have_names_and_folders_of_their_own() {
    let wrong = "int main() { int *volatile p = 0; return *p; }\n";
    let place = suite(&[("same.c", wrong), ("same.cc", wrong), ("other.c", OK)]);
    let told = printed(&place.symx(&["test", "suite", "--list"]));
    let names: Vec<&str> = told.lines().filter(|line| line.ends_with(" [sc]")).collect();
    assert_eq!(names, ["other [sc]", "same.c [sc]", "same.cc [sc]"]);
    place.symx(&["test", "suite", "--filter", "same", "--out", "kept"]);
    for name in ["same.c", "same.cc"] {
        let kept = place.0.path().join("kept").join(name).join("sc/failure-1.schedule.json");
        assert!(kept.exists(), "{}", kept.display());
    }
}

#[test]
fn files_that_cannot_be_used_do_not_stop_the_suite() {
    let place = suite(&[("fail/inner/ok.c", OK)]);
    let at = |name: &str| place.0.path().join("suite/fail/inner").join(name);
    symlink("gone.c", at("dangling.c")).unwrap();
    symlink("..", at("up")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe.c")).status().unwrap().success());
    std::fs::write(at("latin.c"), b"// caf\xe9\nint main(void) { return 0; }\n").unwrap();
    std::fs::write(at("").join(OsStr::from_bytes(b"odd\xff.c")), OK).unwrap();
    let arguments = ["test", "suite/fail", "--json", "results.json", "--junit", "results.xml"];
    let output = place.symx(&arguments);
    let told = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    // `fail` is above the folder that is tested, so its programs need not fail.
    assert!(told.contains("9 passed, 3 failed"), "{told}");
    assert!(told.contains("cannot read `suite/fail/inner/dangling.c`: no such file or directory"), "{told}");
    assert!(place.0.path().join("results.json").exists() && place.0.path().join("results.xml").exists());
}

#[test]
fn a_program_whose_flags_are_refused_is_named() {
    let place = suite(&[
        ("asks.c", "//@ flags: --no-such-option\nint main(void) { return 0; }\n"),
        ("part.c", "int x;\n"),
    ]);
    let told = printed(&place.symx(&["test", "suite"]));
    assert!(told.contains("'--no-such-option'") && !told.contains("EOF while parsing"), "{told}");
    assert!(told.contains("`suite/part.c` defines no function `main`"), "{told}");
}
