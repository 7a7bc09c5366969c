//! The output of `symx profile show` for a recorded run: each thread, the paths taken most, what of the
//! program was covered.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "#include <pthread.h>\n#include <stdlib.h>\nstatic volatile int kept;\n\
    static void keep(int x) {\n    if (x % 4 == 0) kept = x;\n}\n\
    static void never(int x) {\n    if (x % 4 == 0) kept = x;\n}\n\
    static void *work(void *unused) {\n    for (int i = 0; i < 100; i++) keep(i);\n    return unused;\n}\n\
    int main(int count, char **arguments) {\n    pthread_t thread;\n    if (count > 5) never(count);\n\
        pthread_create(&thread, NULL, work, NULL);\n    pthread_join(thread, NULL);\n    abort();\n}\n";

fn symx(at: &Path, arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_symx")).args(arguments).current_dir(at).output().unwrap()
}

#[test]
fn threads_hot_paths_and_coverage() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("keeps.c"), PROGRAM).unwrap();
    let compile = ["-O0", "-g", "-pthread", "-emit-llvm", "-c", "keeps.c", "-o", "keeps.bc"];
    assert!(Command::new("clang-22").args(compile).current_dir(at).status().unwrap().success());
    assert!(symx(at, &["instrument", "keeps.bc", "-o", "keeps"]).status.success());
    assert_eq!(symx(at, &["record", "--quiet", "--", "./keeps"]).status.code(), Some(128 + 6));
    let shown = symx(at, &["profile", "show", "path.prof", "--program", "keeps.bc"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    for line in [
        "end     signal 6 in T0",
        "T1: 101 calls, 201 paths (5 different)",
        "of keep: 75 times",
        "of keep: 25 times",
        "covered 3 of 4 functions",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let json = symx(at, &["profile", "show", "path.prof", "--program", "keeps.bc", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["threads"][1]["paths"], 201, "{json}");
    assert_eq!(json["coverage"]["functions_entered"], 3, "{json}");
    // Without the program functions have numbers, and what was covered is not known.
    let shown = symx(at, &["profile", "show", "path.prof"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("of function 3: 75 times") && !shown.contains("covered"), "{shown}");
}

#[test]
fn loops_iterated_within_paths_are_reported_and_covered() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // The loop in `sum` has one way round, its round is no path of its own.
    let program = "__attribute__((noinline)) static int sum(const int *from, int count) {\n    int all = 0;\n\
        for (int i = 0; i < count; i++) all = all * 3 + from[i];\n    return all;\n}\n\
        int main(int count, char **unused) {\n    int numbers[9] = {count};\n    return sum(numbers, 8 + count) == 7;\n}\n";
    std::fs::write(at.join("sums.c"), program).unwrap();
    let compile = ["-O1", "-fno-unroll-loops", "-emit-llvm", "-c", "sums.c", "-o", "sums.bc"];
    assert!(Command::new("clang-22").args(compile).current_dir(at).status().unwrap().success());
    assert!(symx(at, &["instrument", "sums.bc", "-o", "sums"]).status.success());
    assert_eq!(symx(at, &["record", "--quiet", "--", "./sums"]).status.code(), Some(0));
    let shown = symx(at, &["profile", "show", "path.prof", "--program", "sums.bc"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("8 rounds of loops within paths"), "{shown}");
    // All edges are taken but the one for an empty array.
    let covered = shown.lines().last().unwrap();
    let edges: Vec<u32> = covered.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!((edges[0], edges[1], edges[3] - edges[2]), (2, 2, 1), "{covered}");
}
