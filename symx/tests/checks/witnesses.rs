//! `--witness`: of a violation and of a property that holds, in both formats.

use super::properties::symx;
use super::witness_format;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = "#include <pthread.h>
extern void reach_error(void);
_Atomic int x;
static void *worker(void *argument) {
    x = 1;
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (x == 1)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}
";

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_violation_has_a_witness_with_its_threads() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("program.c"), PROGRAM).unwrap();
    let arguments = ["run", "--property", "unreach-call", "--witness", "w.yml", "--witness", "w.graphml"];
    let done = symx(folder, &[&arguments[..], &["program.c"]].concat());
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    let hash: String = Sha256::digest(PROGRAM).iter().map(|byte| format!("{byte:02x}")).collect();

    let text = read(folder, "w.yml");
    let segments = witness_format::yaml(&text, "program.c");
    assert_eq!(segments.last().unwrap()[0]["location"]["line"], 12, "{text}");
    for part in [
        "violation_sequence",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "LP64",
        "program.c",
        &hash,
        "thread_id: 1",
        "line: 12",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = read(folder, "w.graphml");
    witness_format::graphml(&text);
    for part in [
        "<data key=\"witness-type\">violation_witness</data>",
        "<data key=\"createThread\">1</data>",
        "<data key=\"enterFunction\">worker</data>",
        "<data key=\"startline\">12</data>",
        "<data key=\"violation\">true</data>",
        &format!("<data key=\"programhash\">{hash}</data>"),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let explanation = "symx-out/failure-1.explanation.json";
    let done = symx(folder, &["report", explanation, "--witness", "again.graphml"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let plain = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.contains("creationtime")).map(str::to_owned).collect()
    };
    assert_eq!(plain(&read(folder, "again.graphml")), plain(&text));
    lint(folder, "again.graphml");
    let done = symx(folder, &["report", explanation, "--witness", "w.txt"]);
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(2) && told.contains(".yml or .graphml"), "{told}");
}

#[test]
fn a_property_that_holds_has_a_witness_without_invariants() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("program.c"), PROGRAM.replace("x == 1", "x == 2")).unwrap();
    let arguments = ["run", "--property", "unreach-call", "--witness", "w.yml", "--witness", "w.graphml"];
    let done = symx(folder, &[&arguments[..], &["program.c"]].concat());
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let text = read(folder, "w.yml");
    assert!(text.contains("invariant_set") && text.contains("content: []"), "{text}");
    witness_format::yaml(&text, "program.c");
    witness_format::graphml(&read(folder, "w.graphml"));
    assert!(read(folder, "w.graphml").contains("<data key=\"witness-type\">correctness_witness</data>"));
    lint(folder, "w.graphml");
}

/// Two inputs in a loop and one in another function, which another thread calls.
const INPUTS: &str = "#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
#define SMALL() __VERIFIER_nondet_int()
static _Atomic unsigned limit;
static void *worker(void *argument) {
    limit = __VERIFIER_nondet_uint();
    return argument;
}
int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < 2; i++) sum = sum * 10 + __VERIFIER_nondet_int();
    THREAD
    if (sum == -7 && limit == 4000000000u && SMALL() == 3) { reach_error(); }
    return 0;
}
";

/// The witness of a program that calls `reach_error` for some inputs, by segments.
fn of_inputs(thread: &str) -> (Vec<Vec<serde_json::Value>>, String) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("program.c"), INPUTS.replace("THREAD", thread)).unwrap();
    let arguments = ["run", "--property", "unreach-call", "--witness", "w.yml", "--witness", "w.graphml"];
    let done = symx(folder, &[&arguments[..], &["program.c"]].concat());
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    lint(folder, "w.graphml");
    let graph = read(folder, "w.graphml");
    witness_format::graphml(&graph);
    (witness_format::yaml(&read(folder, "w.yml"), "program.c"), graph)
}

/// By waypoint that a call returns a value at: line, column and value.
fn returned(segments: &[Vec<serde_json::Value>]) -> Vec<(u64, u64, i64)> {
    let waypoints = segments.iter().flatten().filter(|waypoint| waypoint["type"] == "function_return");
    let number = |text: &str| text.rsplit(' ').next().and_then(|digits| digits.parse().ok()).unwrap();
    let shown = |waypoint: &serde_json::Value| {
        let location = &waypoint["location"];
        let value = number(waypoint["constraint"]["value"].as_str().unwrap());
        (location["line"].as_u64().unwrap(), location["column"].as_u64().unwrap(), value)
    };
    waypoints.map(shown).collect()
}

#[test]
fn a_violation_has_the_values_of_its_inputs() {
    let (segments, graph) = of_inputs("worker(0);");
    let values = returned(&segments);
    let [(13, 72, first), (13, 72, second), (8, 36, 4_000_000_000)] = values[..] else {
        panic!("{values:?}: {segments:?}")
    };
    assert_eq!((first * 10 + second) as u32, -7_i32 as u32, "{values:?}");
    assert!(segments.iter().all(|segment| segment.len() == 1));
    let target = &segments.last().unwrap()[0]["location"];
    assert_eq!((&target["line"], &target["column"]), (&15.into(), &62.into()), "{target}");
    // GraphML names lines only: there the call of a macro has its value, too.
    assert!(graph.contains("<data key=\"assumption\">\\result == 4000000000U;</data>"), "{graph}");
    assert!(graph.contains("<data key=\"assumption\">\\result == 3;</data>"), "{graph}");
}

#[test]
fn values_of_inputs_have_their_threads() {
    let (segments, _) =
        of_inputs("pthread_t thread; pthread_create(&thread, 0, worker, 0); pthread_join(thread, 0);");
    let is_of_worker = |waypoint: &&serde_json::Value| {
        waypoint["location"]["line"] == 8 && waypoint["type"] == "function_return"
    };
    let of_worker = segments.iter().flatten().find(is_of_worker);
    let of_worker = of_worker.unwrap_or_else(|| panic!("{segments:?}"));
    assert_eq!(of_worker["thread_id"], 1, "{segments:?}");
    assert_eq!(returned(&segments).len(), 3, "{segments:?}");
}

/// Checks a witness with the linter of its format, where one is at hand: its folder is in the environment.
fn lint(folder: &Path, name: &str) {
    let Some(linter) = std::env::var_os("SYMX_WITNESS_LINTER") else { return };
    let done = Command::new("python3")
        .arg(Path::new(&linter).join("witnesslinter.py"))
        .args(["--witness", name, "program.c"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
}
