//! `--witness`: of a violation and of a property that holds, in both formats.

use super::properties::symx;
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
    assert!(read(folder, "w.graphml").contains("<data key=\"witness-type\">correctness_witness</data>"));
    lint(folder, "w.graphml");
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
