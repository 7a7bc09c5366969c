//! Output that is not read, or for which no disk has room: symx's own and that of the program it runs.

use std::path::Path;
use std::process::{Command, Output, Stdio};

#[test]
fn unread_output_is_no_mistake() {
    for arguments in [&["run", "--list-memmodels"][..], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = Command::new(env!("CARGO_BIN_EXE_symx")).args(arguments).stdout(writer).output();
        let run = run.unwrap();
        assert_eq!((run.status.code(), run.stderr.as_slice()), (Some(141), &[][..]), "{arguments:?}");
    }
}

#[test]
fn output_that_no_disk_has_room_for_is_said_and_is_no_internal_error() {
    for (out, errors) in [(true, false), (false, true), (true, true)] {
        let full = |is_full: bool| match is_full {
            true => Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap()),
            false => Stdio::piped(),
        };
        // All but the last print text, that an error.
        let listings = [&["run", "--list-memmodels"][..], &["--help"], &["run", "--help"]];
        for arguments in listings.into_iter().chain([&["profile", "show", "missing.prof"][..]]) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
            let ended = command.args(arguments).stdout(full(out)).stderr(full(errors)).output().unwrap();
            let says = String::from_utf8_lossy(&ended.stderr);
            let is_listing = listings.contains(&arguments);
            let expected = if is_listing && !out { 0 } else { 2 };
            assert_eq!(ended.status.code(), Some(expected), "{arguments:?} {out} {errors}: {says}");
            if is_listing && !errors {
                assert!(says.starts_with("symx: error: cannot write stdout: No space left"), "{says}");
                assert_eq!(says.lines().count(), 1, "{says}");
            }
        }
    }
}

/// Writes a line to each stream with no error looked at, as most programs do; then it fails.
const FAILING: &str = "#include <assert.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n\
    write(2, \"wrong?\\n\", 7);\n    printf(\"all done\");\n    fflush(stdout);\n    assert(0);\n}\n";

/// Runs symx in a folder.
fn symx(folder: &Path, arguments: &[&str], stdout: impl Into<Stdio>, stderr: impl Into<Stdio>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    command.output().unwrap()
}

/// A file on a disk that is full.
fn full() -> std::fs::File {
    std::fs::File::options().write(true).open("/dev/full").unwrap()
}

#[test]
fn a_programs_output_is_not_lost_without_a_word() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("failing.c"), FAILING).unwrap();
    let explored = symx(folder, &["run", "failing.c"], Stdio::piped(), Stdio::piped());
    assert_eq!(explored.status.code(), Some(1), "{}", String::from_utf8_lossy(&explored.stderr));
    let ways = [
        &["exec", "failing.c"][..],
        &["exec", "--json", "-", "failing.c"],
        &["exec", "failing.c", "--schedule", "symx-out/failure-1.schedule.json"],
        &["record", "failing.c", "-o", "path.prof"],
    ];
    for arguments in ways {
        let ended = symx(folder, arguments, full(), Stdio::piped());
        let says = String::from_utf8_lossy(&ended.stderr);
        let last = says.lines().last().unwrap_or_default();
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {says}");
        assert!(last.starts_with("symx: error: cannot write stdout: No space left"), "{arguments:?}: {says}");

        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = symx(folder, arguments, writer, Stdio::piped());
        assert_eq!(ended.status.code(), Some(141), "{arguments:?}");
    }
    for arguments in [&["exec", "--quiet", "failing.c"][..], &["record", "failing.c", "-o", "path.prof"]] {
        let ended = symx(folder, arguments, Stdio::piped(), full());
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
    }
}
