//! `symx.toml` denotes options; an error in it is reported with its place.

use super::Place;
use std::process::{Command, Stdio};

#[test]
fn a_setting_holds_below_its_folder_unless_the_command_line_says_otherwise() {
    let place = Place::new();
    place.write(
        "symx.toml",
        b"[explore]\nmemory-model = \"tso\"\nmax-executions = 1000\n[test]\nfolder = \"t\"\n",
    );
    std::fs::create_dir_all(place.0.path().join("a/b")).unwrap();
    std::fs::create_dir(place.0.path().join("t")).unwrap();
    place.write("t/pass.c", b"//@ outcomes:\nint main(void) { return 0; }\n");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(arguments)
            .current_dir(place.0.path().join("a/b"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, told) = run(&["run", "../../safe.c"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains(" under tso,") && told.contains("--max-executions 1000 (not reached)"), "{told}");
    let (_, told) = run(&["run", "../../safe.c", "--memmodel", "pso"]);
    assert!(told.contains(" under pso,"), "{told}");
    let (_, told) = run(&["doctor"]);
    let named = place.0.path().canonicalize().unwrap().join("symx.toml");
    assert!(told.contains(&format!("symx.toml: {}", named.display())), "{told}");
    let (_, told) = run(&["test", "--list"]);
    assert!(told.contains("pass [sc]"), "{told}");
}

#[test]
fn what_no_project_changes_needs_no_file_that_is_right() {
    let place = Place::new();
    place.write("symx.toml", b"[explore]\npremptions = 1\n");
    for arguments in [&["completions", "bash"][..], &["man", "pages"]] {
        let output = place.symx(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_is_wrong_with_it_is_one_line_with_its_place() {
    let place = Place::new();
    for (file, expected) in [
        ("[explore]\npremptions = 1\n", "symx.toml:2:1: unknown field `premptions`"),
        ("[explore]\nmax-time = \"long\"\n", "symx.toml:2:12: invalid type: string \"long\""),
        ("[explore]\nmemory-model = \"arm\"\n", "symx.toml:2:16: invalid value 'arm'"),
    ] {
        place.write("symx.toml", file.as_bytes());
        let output = place.symx(&["run", "safe.c"]);
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(expected) && errors.lines().count() == 1, "{errors}");
    }
}
