//! Specifications in .prp files, and tasks of SV-COMP.

use super::properties::symx;
use std::path::Path;

const SPECIFICATION: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// The output of a run, and its exit code.
fn run(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let done = symx(folder, &[&["run", "--no-explain"][..], arguments].concat());
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (text, done.status.code())
}

#[test]
fn a_specification_is_read_or_its_mistake_is_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    write(
        folder,
        "program.c",
        "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n",
    );
    write(folder, "good.prp", SPECIFICATION);
    let (text, code) = run(folder, &["--property", "good.prp", "program.c"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("property   unreach-call: false"), "{text}");
    write(folder, "bad.prp", "CHECK( init(main()), LTL(G ! call(reach_eror())) )\n");
    let (text, code) = run(folder, &["--property", "bad.prp", "program.c"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("bad.prp:1:26: `G ! call(reach_eror())` is no formula that symx checks"), "{text}");
    let (text, code) = run(folder, &["--property", "none.prp", "program.c"]);
    assert!(code == Some(2) && text.contains("cannot read `none.prp`"), "{text}");
    let (text, code) = run(folder, &["--property", "reach", "program.c"]);
    assert!(code == Some(2) && text.contains("unreach-call, valid-free"), "{text}");
}

#[test]
fn a_task_names_source_property_and_verdict() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    write(folder, "program.i", "extern void reach_error(void);\nint x; int main(void) { x++; return 0; }\n");
    write(folder, "unreach-call.prp", SPECIFICATION);
    write(folder, "no-overflow.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    write(folder, "coverage.prp", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n");
    let task = |properties: &str, model: &str| {
        format!(
            "format_version: '2.0'\ninput_files: 'program.i'\nproperties:\n{properties}\
             \noptions:\n  language: C\n  data_model: {model}\n"
        )
    };
    let one =
        "  - property_file: unreach-call.prp\n    expected_verdict: true\n  - property_file: coverage.prp";
    write(folder, "task.yml", &task(one, "LP64"));
    let (text, code) = run(folder, &["task.yml"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("property   unreach-call: true, expected true"), "{text}");

    let two = format!("{one}\n  - property_file: no-overflow.prp\n    expected_verdict: false");
    write(folder, "two.yml", &task(&two, "LP64"));
    let (text, code) = run(folder, &["two.yml"]);
    assert!(
        code == Some(2) && text.contains("choose one with --property (unreach-call; no-overflow)"),
        "{text}"
    );
    let (text, code) = run(folder, &["--property", "no-overflow", "two.yml"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("property   no-overflow: true, expected false"), "{text}");

    write(folder, "narrow.yml", &task(one, "ILP32"));
    let (text, code) = run(folder, &["narrow.yml"]);
    assert!(code == Some(2) && text.contains("narrow.yml:9:15: data model ILP32"), "{text}");
    write(folder, "broken.yml", "format_version: '2.0'\ninput_files: [a.c, b.c]\n");
    let (text, code) = run(folder, &["broken.yml"]);
    assert!(code == Some(2) && text.contains("broken.yml:2:14: 2 input files"), "{text}");
    write(folder, "broken.yml", "input_files: 'a.c\n");
    let (text, code) = run(folder, &["broken.yml"]);
    assert!(code == Some(2) && text.contains("broken.yml:"), "{text}");
}
