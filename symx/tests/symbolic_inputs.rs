//! Symbolic inputs on the command line: what is asked for, what is written, how far exploration goes.

use serde_json::Value;
use std::process::{Command, Output, Stdio};

/// A folder where symx runs.
struct Place(tempfile::TempDir);

impl Place {
    fn new(name: &str, text: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::write(place.path(name), text).unwrap();
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    fn symx(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The report of `symx run LINE`.
    fn run(&self, line: &str) -> Value {
        let output = self.symx(&format!("run --json result.json {line}"));
        assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        self.json("result.json")
    }

    fn refusal(&self, line: &str) -> String {
        let output = self.symx(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        String::from_utf8(output.stderr).unwrap()
    }
}

const READER: &str = r#"#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    char line[4], data[4];
    FILE *file = fopen("data", "r");
    if (argc == 3 && strcmp(argv[2], "go") == 0 && file && fread(data, 1, 2, file) == 2 && data[1] == '!')
        if (fread(line, 1, 4, stdin) == 4 && memcmp(line, "in?x", 4) == 0)
            assert(argc != 3);
    return 0;
}
"#;

#[test]
fn the_inputs_of_a_failure_replay_here_and_natively() {
    let place = Place::new("reader.c", READER);
    std::fs::write(place.path("first"), "in").unwrap();
    let report = place.run("reader.c --stdin first --sym-stdin 2 --sym-args 0 1 3 --sym-file data 2 -- -v");
    assert_eq!(report["verdict"], "violation", "{report}");
    assert_eq!(place.read("symx-out/failure-1/args.bin"), b"-v\0go\0");
    assert_eq!(place.read("symx-out/failure-1/stdin.bin"), b"in?x");
    let data = place
        .path("symx-out/failure-1/files")
        .join(place.path("data").canonicalize().unwrap_or(place.path("data")).strip_prefix("/").unwrap());
    assert_eq!(std::fs::read(data).unwrap()[1], b'!');
    assert!(place.read("symx-out/failure-1/inputs.ktest").starts_with(b"KTEST\0\0\0\x03"));
    let inputs = place.json("symx-out/failure-1.inputs.json");
    assert_eq!(inputs["args"][2]["text"], "go");
    assert_eq!(inputs["stdin"], serde_json::json!({ "hex": "696e3f78", "text": "in?x" }));
    let replay = place.symx("replay reader.c symx-out/failure-1.schedule.json");
    let text = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(replay.status.success() && text.contains("reproduced: assertion failed"), "{text}");

    // The program itself, run with those inputs, fails in the same way.
    let compiled =
        Command::new("clang-22").args(["reader.c", "-o", "reader"]).current_dir(place.0.path()).status();
    assert!(compiled.unwrap().success());
    std::fs::write(place.path("data"), "?!").unwrap();
    let native = Command::new("sh")
        .args(["-c", "xargs -0 -a symx-out/failure-1/args.bin ./reader < symx-out/failure-1/stdin.bin"])
        .current_dir(place.0.path())
        .output()
        .unwrap();
    assert!(!native.status.success() && String::from_utf8_lossy(&native.stderr).contains("argc != 3"));
}

const FOUR_PATHS: &str = r#"#include <symx.h>
static int never(void) {
    return 1;
}
int main(int argc, char **argv) {
    uint8_t n = symx_u8("n");
    int sum = 0;
    if (n & 1)
        sum += 1;
    if (n & 2)
        sum += 2;
    return argc > 4 ? never() : sum * 0;
}
"#;

#[test]
fn every_path_is_a_test_case_on_request() {
    let place = Place::new("four.c", FOUR_PATHS);
    let report = place.run("four.c --write-paths paths");
    assert_eq!((&report["stats"]["executions"], &report["verdict"]), (&4.into(), &"safe".into()));
    let mut seen: Vec<u64> = (1..=4)
        .map(|number| {
            let case = place.json(&format!("paths/path-{number:06}.json"));
            assert_eq!(case["exit_status"], 0);
            let hex = case["inputs"][0]["hex"].as_str().unwrap();
            u64::from_str_radix(hex, 16).unwrap() & 3
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3]);
    assert!(place.path("paths/path-000004.ktest").exists() && !place.path("paths/path-000005.json").exists());
}

const ENDLESS: &str = r#"#include <symx.h>
static volatile unsigned rounds;
int main(void) {
    if (symx_u8("n") == 77)
        for (;;) rounds++;
    return 0;
}
"#;

#[test]
fn a_path_that_comes_to_new_code_is_a_test_case_before_it_ends() {
    for search in ["coverage", "random-path", "bfs"] {
        let place = Place::new("endless.c", ENDLESS);
        let report = place.run(&format!("endless.c --search {search} --max-time 2 --write-paths paths"));
        assert_eq!(report["verdict"], "incomplete", "{report}");
        let cases: Vec<_> = std::fs::read_dir(place.path("paths"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .map(|path| -> serde_json::Value {
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
            })
            .map(|case| (case["inputs"][0]["hex"].clone(), case["exit_status"].clone()))
            .collect();
        assert!(cases.contains(&("4d".into(), serde_json::Value::Null)), "{search}: {cases:?}");
        assert!(cases.iter().any(|(hex, status)| *hex != "4d" && *status == 0), "{search}: {cases:?}");
    }
}

/// Sixteen ways, each of which never ends.
const WAYS_WITHOUT_END: &str = r#"#include <symx.h>
static volatile unsigned rounds;
int main(void) {
    unsigned way = symx_u8("way") & 15, taken = 0;
    for (unsigned number = 0; number < 16; number++)
        if (way == number) taken = number;
    for (;;) rounds += taken;
}
"#;

#[test]
fn paths_that_are_open_at_the_end_leave_their_inputs() {
    let place = Place::new("open.c", WAYS_WITHOUT_END);
    let report = place.run("open.c --search coverage --max-time 2 --write-paths paths");
    assert_eq!(report["verdict"], "incomplete", "{report}");
    let mut ways: Vec<u8> = std::fs::read_dir(place.path("paths"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
        .map(|case: serde_json::Value| case["inputs"][0]["hex"].as_str().unwrap().to_string())
        .map(|hex| u8::from_str_radix(&hex, 16).unwrap() & 15)
        .collect();
    ways.sort_unstable();
    ways.dedup();
    assert_eq!(ways, (0..16).collect::<Vec<u8>>());
}

#[test]
fn forks_are_called_forks() {
    let place = Place::new(
        "one.c",
        "#include <symx.h>
int main(void) {
    uint8_t x = symx_u8(\"x\");
    if (x > 3)
        return 1;
    return 0;
}
",
    );
    let said = place.symx("run one.c --no-explain").stdout;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains(", 1 fork on symbolic values, "), "{said}");
    assert!(!said.contains(" 1 paths") && !said.contains(" 1 queries"), "{said}");
}

#[test]
fn coverage_is_written_as_lcov() {
    let place = Place::new("four.c", FOUR_PATHS);
    let report = place.run("four.c --coverage all.info");
    let lcov = String::from_utf8(place.read("all.info")).unwrap();
    for line in ["FN:2,never", "FNDA:0,never", "FNDA:1,main", "FNF:2", "FNH:1", "DA:3,0", "DA:9,1", "DA:11,1"]
    {
        assert!(lcov.lines().any(|found| found == line), "{line} in {lcov}");
    }
    assert!(lcov.lines().any(|line| line.starts_with("SF:") && line.ends_with("four.c")), "{lcov}");
    assert!(lcov.lines().any(|line| line.starts_with("BRDA:8,") && line.ends_with(",1")), "{lcov}");
    assert_eq!(
        report["stats"]["lines"].as_u64().unwrap(),
        report["stats"]["lines_executed"].as_u64().unwrap() + 1
    );
    // One execution takes one way.
    assert!(place.symx("exec four.c --coverage one.info").status.success());
    let one = String::from_utf8(place.read("one.info")).unwrap();
    let executed =
        |text: &str| text.lines().filter(|line| line.starts_with("DA:") && line.ends_with(",1")).count();
    assert!(executed(&one) <= executed(&lcov) && executed(&one) > 3, "{one}");
}

#[test]
fn lcov_has_each_function_and_each_instance_of_a_template() {
    let text = "struct A { virtual ~A() {} virtual int f() { return 1; } };
struct B : A { int f() override { return 2; } };
template <class T> static int small(T x) { if (x < 3) { return 1; } return 0; }
int main() { B b; A *a = &b; return a->f() - small(1) - small(1L); }
";
    let place = Place::new("two.cc", text);
    place.run("two.cc --coverage two.info");
    let lcov = String::from_utf8(place.read("two.info")).unwrap();
    let mut names: Vec<&str> =
        lcov.lines().filter_map(|line| Some(line.strip_prefix("FN:")?.split_once(',')?.1)).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "{lcov}");
    for line in ["FNDA:0,A::f()", "FNDA:1,B::f()", "FNDA:1,main"] {
        assert!(lcov.lines().any(|found| found == line), "{line} in {lcov}");
    }
    let branches = lcov.lines().filter_map(|line| line.strip_prefix("BRDA:")?.rsplit_once(','));
    let mut branches: Vec<&str> = branches.map(|(branch, _)| branch).collect();
    let all = branches.len();
    branches.sort_unstable();
    branches.dedup();
    assert!(all >= 4 && branches.len() == all, "{lcov}");
}

#[test]
fn bounds_on_forks_make_the_verdict_incomplete_by_name() {
    let place = Place::new("four.c", FOUR_PATHS);
    for search in ["dfs", "bfs", "random-path", "coverage", "random"] {
        let report = place.run(&format!("four.c --search {search} --max-depth 1"));
        assert_eq!(report["verdict"], "incomplete", "{report}");
        let reasons = report["incomplete"].as_array().unwrap();
        assert!(reasons.iter().any(|cut| cut["reason"] == "max-depth"), "{report}");
    }
    for search in ["dfs", "bfs"] {
        let report = place.run(&format!("four.c --search {search} --max-forks 1"));
        assert_eq!(report["incomplete"][0]["reason"], "max-forks", "{report}");
        let report = place.run(&format!("four.c --search {search} --max-executions 2"));
        assert_eq!(report["incomplete"][0]["reason"], "max-executions", "{report}");
        assert_eq!(report["stats"]["executions"], 2, "{report}");
        let report = place.run(&format!("four.c --search {search} --max-depth 2 --max-forks 3"));
        assert_eq!(report["verdict"], "safe", "{report}");
    }
}

const UNKNOWN: &str = "int sensor(int);\nint main(int argc, char **argv) {\n    if (argc > 7)\n        return sensor(2);\n    \
    return sensor(1) * 0;\n}\n";

#[test]
fn an_unknown_function_is_reported_with_its_callers_or_returns_anything() {
    let place = Place::new("unknown.c", UNKNOWN);
    let report = place.run("unknown.c");
    let cut = &report["incomplete"][0];
    assert_eq!(
        (&report["verdict"], &cut["what"]),
        (&"incomplete".into(), &"external function `sensor`".into())
    );
    assert_eq!(cut["location"]["line"], 5, "{report}");
    let lines: Vec<u64> =
        cut["locations"].as_array().unwrap().iter().map(|place| place["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [4, 5], "{report}");
    let report = place.run("unknown.c --externals havoc");
    assert_eq!(report["verdict"], "safe", "{report}");
    assert_eq!(report["assumptions"][0], "`sensor` returns any value and has no other effect");
}

#[test]
fn an_undefined_variable_matters_where_it_is_used() {
    let text = "extern int nowhere[];\nint main(int argc, char **argv) {\n    return argc > 7 ? 0 : nowhere[9];\n}\n";
    let place = Place::new("undefined.c", text);
    let report = place.run("undefined.c");
    let cut = &report["incomplete"][0];
    assert_eq!(
        (&report["verdict"], &cut["what"]),
        (&"incomplete".into(), &"external variable `nowhere`".into())
    );
    assert_eq!(cut["location"]["line"], 3, "{report}");
}

#[test]
fn output_that_depends_on_inputs_is_an_example_and_says_so() {
    let place = Place::new(
        "echo.c",
        "#include <stdio.h>\nint main(void) { int c = getchar(); if (c == EOF) return 1; putchar(c); return 0; }\n",
    );
    let report = place.run("echo.c --sym-stdin 1");
    assert_eq!(
        (&report["verdict"], &report["outcomes"][0]["example"]),
        (&"safe".into(), &true.into()),
        "{report}"
    );
    assert_eq!(report["stats"]["executions"], 1, "a line's end waits in the buffer, too: {report}");
    // One execution passes a definite byte on.
    let output = place.symx("exec echo.c --sym-stdin 1");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 1));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let place = Place::new("four.c", FOUR_PATHS);
    for (line, why) in [
        ("run four.c --entry nowhere", "defines no such function"),
        ("run four.c --entry-bytes 4", "--entry"),
        ("run four.c --sym-args 2 1 3", "MIN is more than MAX"),
        ("run four.c --sym-file data x", "not a number of bytes"),
        ("run four.c --search fastest", "fastest"),
        ("run four.c --externals maybe", "maybe"),
        ("run four.c --entry printf", "it is the library's"),
    ] {
        let refusal = place.refusal(line);
        assert!(refusal.contains(why) && refusal.lines().count() == 1, "{line}: {refusal}");
    }
}

#[test]
fn assumptions_that_nothing_meets_are_no_safety() {
    let text = "#include <klee/klee.h>\nint main(void) {\n    int x;\n    klee_make_symbolic(&x, sizeof x, \"x\");\n    \
                klee_assume(x > 5);\n    klee_assume(x < 3);\n    return 0;\n}\n";
    let place = Place::new("contradiction.c", text);
    let report = place.run("contradiction.c");
    assert_eq!(
        (&report["verdict"], &report["incomplete"][0]["reason"]),
        (&"incomplete".into(), &"no-execution".into())
    );
    let output = place.symx("run contradiction.c");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("no execution terminates"), "{output:?}");
    let text =
        "#include <klee/klee.h>\nint main(void) {\n    klee_assume(sizeof(int) == 3);\n    return 0;\n}\n";
    let report = Place::new("never.c", text).run("never.c");
    assert_eq!(report["incomplete"][0]["reason"], "no-execution", "without any input: {report}");
}

#[test]
fn a_loop_that_was_cut_is_no_safety() {
    let text = "int main(int argc, char **argv) {\n    volatile int sum = 0;\n    \
                for (int i = 0; i < 100; i++)\n        sum += i;\n    return sum == 7;\n}\n";
    let place = Place::new("loop.c", text);
    let report = place.run("loop.c --unroll 10");
    let cut = &report["incomplete"][0];
    assert_eq!((&report["verdict"], &cut["reason"]), (&"incomplete".into(), &"unroll".into()), "{report}");
    assert_eq!(cut["location"]["line"], 3, "{report}");
    let output = place.symx("run loop.c --unroll 10");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("a loop is cut after 10 rounds"), "{output:?}");
    assert_eq!(place.run("loop.c --unroll 100")["verdict"], "safe");
}
