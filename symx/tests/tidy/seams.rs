//! Seams between parts that types keep: memory models answer questions, and calls say what they do.

use crate::assert_none;
use crate::repository::{product, sources};

/// Where it may be asked which memory model runs.
const KNOW_MODELS: &[&str] = &["memmodel", "litmus", "bitcode-corpus", "symx", "benches"];
const MODELS: &[&str] = &["\"tso\"", "\"pso\"", "TotalStoreOrder", "PartialStoreOrder"];

/// Where what a function does is its effect or role, and why something ends, its reason: no name and no
/// message is searched.
const HAVE_KINDS: &[&str] = &[
    "candidates/src",
    "checkers/src",
    "explore/src",
    "interp/src",
    "ir/src",
    "posix-model/src",
    "recorder/src",
    "symx/src/commands",
    "symx/src/explain",
    "symx/src/native",
    "symx/src/races",
    "symx/src/render",
    "symx/src/report",
    "symx/src/schedules",
    "symx/src/session",
    "trace/src",
];
/// Where a name becomes a meaning, and where text of others is read: paths, options, reports of other tools.
const READ_NAMES: &[&str] = &[
    "candidates/src/externals.rs",
    "candidates/src/reported",
    "ir/src/known_functions/linker_names.rs",
    "ir/src/known_functions/mod.rs",
    "posix-model/src/environment/registry.rs",
    "posix-model/src/kernel/nodes/file_system.rs",
    "posix-model/src/kernel/nodes/paths.rs",
    "symx/src/commands/run/campaign_task.rs",
    "symx/src/explain/patch/whole_statements.rs",
    "symx/src/native/driver",
    "symx/src/races/suppressions.rs",
    "trace/src/profile/stamp.rs",
];
const ASKS: &[&str] = &[".contains(\"", ".starts_with(\"", ".ends_with(\"", " == \"", " != \""];
const ASKED: &[&str] = &[
    "command",
    "effect",
    "function",
    "kind",
    "limit",
    "name",
    "name()",
    "name.as_str()",
    "reason",
    "step.value",
    "word",
];

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
fn no_name_and_no_reason_is_searched() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        let is_in = |list: &[&str]| list.iter().any(|folder| path.starts_with(folder));
        if is_in(HAVE_KINDS) && !is_in(READ_NAMES) {
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
