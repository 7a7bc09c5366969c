//! Seams between parts that types keep: memory models answer questions, and calls say what they do.

use crate::assert_none;
use crate::repository::{product, sources};
use std::path::Path;

/// Where it may be asked which memory model runs.
const KNOW_MODELS: &[&str] = &["memmodel", "litmus", "bitcode-corpus", "symx", "benches"];
const MODELS: &[&str] = &["\"tso\"", "\"pso\"", "TotalStoreOrder", "PartialStoreOrder"];

/// Where what a call does is its `CallEffect`, and how far a step got its `Progress`.
const HAVE_EFFECTS: &[&str] = &[
    "checkers/src",
    "symx/src/render",
    "symx/src/explain",
    "explore/src",
    "interp/src/remedies",
    "interp/src/step/remedied.rs",
];
/// Here C++'s operators and the C library's hooks get the names that people read.
const NAMES: &str = "replays/observed.rs";
const ASKS: &[&str] = &[".contains(\"", ".starts_with(\"", ".ends_with(\"", " == \"", " != \""];
const ASKED: &[&str] = &["name", "step.value", "function"];

/// Lines that ask what text says.
fn asking(text: &str) -> Vec<&str> {
    let asks = |line: &&str| {
        ASKED.iter().any(|asked| ASKS.iter().any(|ask| line.contains(&format!("{asked}{ask}"))))
    };
    product(text).lines().filter(asks).collect()
}

#[test]
fn nothing_outside_asks_which_memory_model_runs() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        if !KNOW_MODELS.iter().any(|folder| path.starts_with(folder)) {
            let words = MODELS.iter().filter(|word| text.contains(**word));
            problems.extend(words.map(|word| format!("{} asks about {word}", path.display())));
        }
    }
    assert_none(&problems);
}

#[test]
fn what_calls_do_is_not_read_off_their_names() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        if HAVE_EFFECTS.iter().any(|folder| path.starts_with(folder)) && !path.ends_with(Path::new(NAMES)) {
            let lines = asking(&text);
            problems
                .extend(lines.iter().map(|line| format!("{} asks what text says:{line}", path.display())));
        }
    }
    assert_none(&problems);
}

#[test]
fn a_name_that_is_asked_is_seen() {
    assert_eq!(
        asking("if call.name.contains(\"lock\") {\nlet name = \"lock\";"),
        ["if call.name.contains(\"lock\") {"]
    );
}
