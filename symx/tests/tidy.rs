//! Keeps the house in order: which crate may use which, who links LLVM and Z3, file
//! sizes, module docs, names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// For each crate folder, the crate folders it may use (`ARCHITECTURE.md`, "The house").
const EDGES: &[(&str, &[&str])] = &[
    ("expr", &[]),
    ("ir", &[]),
    ("bitcode", &["ir"]),
    ("trace", &["expr", "ir"]),
    ("memmodel", &["trace", "expr"]),
    ("litmus", &["memmodel"]),
    ("interp", &["ir", "expr", "trace", "memmodel"]),
    ("explore", &["interp", "ir", "expr", "trace", "memmodel"]),
    // `ir` and `memmodel` for the types of the seam it implements.
    ("posix-model", &["interp", "trace", "expr", "ir", "memmodel"]),
    ("checkers", &["trace", "expr", "memmodel"]),
    // `trace` for the profile format.
    ("recorder", &["ir", "trace"]),
    (
        "symx",
        &[
            "expr",
            "ir",
            "bitcode",
            "trace",
            "memmodel",
            "interp",
            "explore",
            "posix-model",
            "checkers",
            "recorder",
        ],
    ),
    ("bitcode-corpus", &["symx"]),
    (
        "benches",
        &[
            "symx",
            "expr",
            "ir",
            "bitcode",
            "trace",
            "memmodel",
            "interp",
            "explore",
            "posix-model",
            "checkers",
            "recorder",
        ],
    ),
];

/// Libraries that only these crates may use.
const BOUND: &[(&str, &[&str])] = &[
    ("llvm-sys", &["bitcode", "recorder"]),
    ("z3", &["expr"]),
    ("z3-sys", &["expr"]),
    ("cadical-sys", &["checkers"]),
];

/// Lines beyond which a file no longer fits in a head.
const MOST_LINES: usize = 800;

/// Columns of a comment, as of code (`rustfmt.toml`). Tables have no bound.
const MOST_COLUMNS: usize = 110;

/// Words of no report: the field has others (`docs/decisions.md`, "Rendering").
const PRIVATE_WORDS: &[&str] = &[
    "nobody",
    "somebody",
    "anybody",
    "everybody",
    "whoever",
    "whom",
    "for ever",
    "remedy",
    "remedies",
    "goes round",
    "comes to its end",
    "the alternate",
    "gives up",
    "given up",
    "made simple",
    "as is assumed",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_path_buf()
}

/// Names in a manifest's `[dependencies]` (and, with `all`, the other dependency tables).
fn dependencies(folder: &str, all: bool) -> Vec<String> {
    let text =
        fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("every crate has a manifest");
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.starts_with("dependencies]") || all && table.contains("dependencies]");
        } else if let (true, Some((name, _))) = (inside, line.split_once(['=', '.'])) {
            found.push(name.trim().to_string());
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if !matches!(name.to_str(), Some("target" | ".git" | ".deps")) {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (folder, _) in EDGES {
        sources(&root().join(folder), &mut found);
    }
    assert!(found.len() > 50, "the walk finds the sources");
    found
}

#[test]
fn crates_use_only_what_the_architecture_allows() {
    let folders: BTreeMap<String, &str> = EDGES
        .iter()
        .map(|(folder, _)| {
            let name = if *folder == "symx" { "symx".to_string() } else { format!("symx-{folder}") };
            (name, *folder)
        })
        .collect();
    for (folder, allowed) in EDGES {
        for dependency in dependencies(folder, false) {
            if let Some(used) = folders.get(&dependency) {
                assert!(allowed.contains(used), "{folder} must not use {used}");
            }
        }
    }
}

#[test]
fn only_the_loader_and_the_recorder_link_llvm_and_only_terms_link_z3() {
    for (folder, _) in EDGES {
        for dependency in dependencies(folder, true) {
            for (library, users) in BOUND {
                assert!(dependency != *library || users.contains(folder), "{folder} must not use {library}");
            }
        }
    }
}

#[test]
fn libraries_read_no_clock_environment_or_arguments() {
    for path in all_sources() {
        let relative = path.strip_prefix(root()).expect("within the repository").to_path_buf();
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let library = !matches!(&*parts[0], "symx" | "bitcode-corpus" | "benches" | "recorder");
        if !library
            || parts[1] != "src"
            || relative.ends_with("z3_solver.rs")
            || relative.ends_with("solver/floats.rs")
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        // Tests at a file's end may do as they like.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for word in ["std::env::", "SystemTime::now", "Instant::now", "println!", "std::process::"] {
            assert!(!text.contains(word), "{} uses {word}", relative.display());
        }
    }
}

#[test]
fn files_fit_in_a_head_and_say_what_they_are_for() {
    for path in all_sources() {
        let text = fs::read_to_string(&path).expect("a source file");
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines, more than {MOST_LINES}", path.display());
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//!"), "{} does not begin with its documentation", path.display());
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let vague = ["utils", "util", "helpers", "helper", "common", "misc", "manager", "info"];
        assert!(!vague.contains(&name), "{}: a name that says nothing", path.display());
    }
}

#[test]
fn comments_are_no_wider_than_code() {
    for path in all_sources() {
        let text = fs::read_to_string(&path).expect("a source file");
        for (number, line) in (1..).zip(text.lines()) {
            let comment = line.trim_start();
            let is_table = ["/// |", "//! |"].iter().any(|begin| comment.starts_with(begin));
            let width = line.chars().count();
            assert!(
                is_table || !comment.starts_with("//") || width <= MOST_COLUMNS,
                "{}:{number}: a comment of {width} columns, more than {MOST_COLUMNS}",
                path.display()
            );
        }
    }
}

#[test]
fn nobody_outside_asks_which_memory_model_runs() {
    for path in all_sources() {
        let relative = path.strip_prefix(root()).expect("within the repository");
        let within = |folder: &str| relative.starts_with(folder);
        if within("memmodel")
            || within("litmus")
            || within("bitcode-corpus")
            || within("symx")
            || within("benches")
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for word in ["\"tso\"", "\"pso\"", "TotalStoreOrder", "PartialStoreOrder"] {
            assert!(!text.contains(word), "{} asks about {word}", relative.display());
        }
    }
}

/// What a modelled call did travels as `CallEffect`, how far a step got as `Progress`: names and values are
/// for people.
#[test]
fn what_calls_do_is_not_read_off_their_names() {
    let seen = ["checkers/src", "symx/src/render", "symx/src/explain", "explore/src", "interp/src/remedies"];
    let asks = [".contains(\"", ".starts_with(\"", ".ends_with(\"", " == \"", " != \""];
    // What C++'s operators and the C library's hooks are called where people read of them.
    let words = Path::new("explore/src/replays/observed.rs");
    for path in all_sources() {
        let relative = path.strip_prefix(root()).expect("within the repository");
        if relative == words || !seen.iter().any(|folder| relative.starts_with(folder)) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        for line in text.split("#[cfg(test)]").next().unwrap_or_default().lines() {
            for asked in ["name", "step.value", "function"] {
                let is_asked = asks.iter().any(|ask| line.contains(&format!("{asked}{ask}")));
                assert!(!is_asked, "{} asks what text says:{line}", relative.display());
            }
        }
    }
}

#[test]
fn reports_use_the_words_of_the_field() {
    let has_word = |text: &str, word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let is_letter = |other: Option<char>| other.is_some_and(char::is_alphanumeric);
            !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next())
        })
    };
    let mut found = Vec::new();
    let mut check = |path: &Path, number: usize, text: &str| {
        let text = text.to_lowercase();
        let words = PRIVATE_WORDS.iter().filter(|word| has_word(&text, word));
        found.extend(words.map(|word| format!("{}:{number}: \"{word}\"", path.display())));
    };
    for path in all_sources().iter().filter(|path| path.components().any(|part| part.as_os_str() == "src")) {
        let text = fs::read_to_string(path).expect("a source is text");
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in product.lines().enumerate() {
            let line = line.trim();
            // No user reads what a broken invariant of symx says.
            if line.starts_with("//") || line.contains("expect(") || line.contains("assert") {
                continue;
            }
            // A name in a format string is no word; a literal without a space is none of a report.
            for literal in line.split('"').skip(1).step_by(2).filter(|literal| literal.contains(' ')) {
                let words: String =
                    literal.split('{').map(|part| part.split('}').next_back().unwrap_or("")).collect();
                // It reads files of earlier versions, with their words.
                if !path.ends_with("trace/src/explanation.rs") {
                    check(path, number + 1, &words);
                }
            }
        }
    }
    let readme = root().join("README.md");
    for (number, line) in fs::read_to_string(&readme).expect("the README is text").lines().enumerate() {
        check(&readme, number + 1, line);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
