//! Whether the files that documents name exist.

use crate::assert_none;
use crate::repository::{files, read, root};
use std::path::{Path, PathBuf};

/// How names of files end.
const ENDINGS: &[&str] = &[".rs", ".c", ".h", ".md"];

/// Documents that name files.
const HELD: &[&str] =
    &["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs", "bitcode-corpus/README.md"];

/// Matches any name.
const ANY: &str = "NAME";

/// Names of files between backticks, with the line and with the folder that the row of a table is about.
fn named(document: &str) -> Vec<(usize, String, Option<String>)> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (number, line) in (1..).zip(document.lines()) {
        is_fenced ^= line.trim().starts_with("```");
        if is_fenced {
            continue;
        }
        let spans: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let about = spans.first().filter(|first| line.starts_with("| `") && first.ends_with('/'));
        for span in &spans {
            let is_name = ENDINGS.iter().any(|end| span.len() > end.len() && span.ends_with(end))
                && !span.contains([' ', '*', '<', ':', '{', '(']);
            if is_name && !span.contains(ANY) {
                found.push((number, (*span).to_owned(), about.map(|about| (*about).to_owned())));
            }
        }
    }
    found
}

/// The files that a name in a document means: that path, or paths that end so. They are in the folder that
/// the row is about, if it is about one.
fn meant<'f>(name: &str, about: Option<&Path>, files: &'f [PathBuf]) -> Vec<&'f PathBuf> {
    let name = Path::new(name);
    if let Some(exact) = files.iter().find(|file| *file == name) {
        return vec![exact];
    }
    let ending: Vec<&PathBuf> = files.iter().filter(|file| file.ends_with(name)).collect();
    match about {
        Some(folder) => {
            let inside = |file: &&PathBuf| file.starts_with(folder);
            ending.into_iter().filter(inside).collect()
        }
        None => ending,
    }
}

/// Names in a document that mean no file, or several.
fn unclear(document: &str, beside: &Path, files: &[PathBuf]) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, name, about) in named(document) {
        let about = about.map(|about| beside.join(about));
        match meant(&name, about.as_deref(), files).len() {
            1 => {}
            0 => problems.push(format!("{number}: `{name}` is no file")),
            count => problems.push(format!("{number}: `{name}` may be {count} files")),
        }
    }
    problems
}

/// Links in a document that lead to no file or folder beside it, as `exists` knows them.
fn broken_links(document: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(document.lines()) {
        // Code is no link.
        let text: String = line.split('`').step_by(2).collect();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
        let broken = files.filter(|target| !exists(target.split('#').next().unwrap_or_default()));
        problems.extend(broken.map(|target| format!("{number}: the link to {target} is broken")));
    }
    problems
}

#[test]
fn links_of_documents_lead_somewhere() {
    let is_document = |path: &Path| path.extension().is_some_and(|end| end == "md");
    let mut problems = Vec::new();
    for path in files().iter().filter(|path| is_document(path)) {
        let beside = root().join(path.parent().unwrap_or(Path::new("")));
        let broken = broken_links(&read(path), |target| beside.join(target).exists());
        problems.extend(broken.into_iter().map(|problem| format!("{}:{problem}", path.display())));
    }
    assert_none(&problems);
}

#[test]
fn a_broken_link_is_seen() {
    let document = "[a](a.md), [b](b.md#x) and [c](https://c)\n`[d](d.md)` [e](#e)\n";
    assert_eq!(broken_links(document, |target| target == "a.md"), ["1: the link to b.md#x is broken"]);
}

#[test]
fn files_that_documents_name_exist() {
    let files = files();
    let is_held = |path: &Path| {
        HELD.iter().any(|held| path.starts_with(held)) && path.extension().is_some_and(|end| end == "md")
    };
    let mut problems = Vec::new();
    for path in files.iter().filter(|path| is_held(path)) {
        let unclear = unclear(&read(path), path.parent().unwrap_or(Path::new("")), &files);
        problems.extend(unclear.into_iter().map(|problem| format!("{}:{problem}", path.display())));
    }
    assert_none(&problems);
}

#[test]
fn a_file_that_is_gone_is_seen() {
    let files = ["a/src/stop.rs", "b/src/stop.rs", "b/src/walk.rs"].map(PathBuf::from);
    let document = "`walk.rs`, `b/src/gone.rs`,\n`stop.rs`, `a/src/NAME.rs`\n| `a/` | `stop.rs` |\n";
    assert_eq!(
        unclear(document, Path::new(""), &files),
        ["1: `b/src/gone.rs` is no file", "2: `stop.rs` may be 2 files"]
    );
}
