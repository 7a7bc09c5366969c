//! The table of the threads library's functions: complete by the C library's own headers,
//! and its programs exist.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use symx_bitcode_corpus::folder;

/// A row: the function, the program that shows what it does, and an error and a program for
/// each that it returns.
struct Row {
    function: String,
    program: String,
    errors: Vec<(String, String)>,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join("threads/README.md")).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| function"));
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let mut cell = || cells.next().unwrap_or_else(|| panic!("{line}")).to_owned();
        let (function, program, errors) = (cell(), cell(), cell());
        let errors = errors.split(", ").filter(|error| !program.is_empty() && !error.is_empty());
        let errors = errors.map(|error| {
            let (error, program) = error.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            (error.to_owned(), program.to_owned())
        });
        Row { errors: errors.collect(), function, program }
    };
    lines.map(row).collect()
}

/// The declarations of the headers.
fn declared() -> BTreeSet<String> {
    const PREFIXES: [&str; 9] =
        ["pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_", "sched_", "timer_", "mq_"];
    let headers = ["pthread", "semaphore", "threads", "sched", "signal", "mqueue", "time"];
    let source: String = headers.iter().map(|header| format!("#include <{header}.h>\n")).collect();
    let file = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
    std::fs::write(file.path(), format!("#define _GNU_SOURCE\n{source}")).unwrap();
    let mut clang = Command::new("clang-22");
    let output = clang.args(["-E", "-P"]).arg(file.path()).stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices('(')
        .map(|(at, _)| text[..at].trim_end())
        .map(|before| &before[before.rfind(|letter| !is_part(letter)).map_or(0, |at| at + 1)..])
        .filter(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}

fn path_of(program: &str) -> PathBuf {
    folder().join("threads").join(format!("{program}.c"))
}

#[test]
fn every_declared_function_has_a_row() {
    let known: BTreeSet<String> = rows().into_iter().map(|row| row.function).collect();
    let missing: Vec<String> = declared().into_iter().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(declared().len() > 150, "the headers were read");
}

#[test]
fn every_program_named_shows_what_its_row_says() {
    for row in rows() {
        let programs = row.errors.iter().map(|(error, program)| (program, Some(error)));
        for (program, error) in programs.chain((!row.program.is_empty()).then_some((&row.program, None))) {
            let text = std::fs::read_to_string(path_of(program))
                .unwrap_or_else(|error| panic!("{}: {program}: {error}", row.function));
            assert!(text.contains(&row.function), "{program} does not call {}", row.function);
            assert!(error.is_none_or(|error| text.contains(error.as_str())), "{program}: {error:?}");
        }
    }
}
