//! How large files and folders are, and what files are called.

use crate::assert_none;
use crate::repository::{files, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Lines beyond which a file no longer fits in a head.
const MOST_LINES: usize = 800;

/// Files and folders in one folder of sources.
const MOST_SIBLINGS: usize = 20;

/// Folders that have more, how many, and what is to become of them. The numbers are to fall.
const CROWDED: &[(&str, usize, &str)] = &[
    ("bitcode-corpus/tests", 21, "a test target for each thing that holds of the programs"),
    ("symx/tests", 24, "a test target for each thing that a user sees"),
];

/// Names that say nothing.
const VAGUE: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "manager", "info"];

/// By folder, how many files and folders are in it; of folders with sources.
fn siblings<'p>(files: impl Iterator<Item = &'p Path>) -> BTreeMap<PathBuf, usize> {
    let mut inside: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    let mut has_source = BTreeSet::new();
    for file in files {
        if file.extension().is_some_and(|extension| extension == "rs") {
            has_source.extend(file.parent().map(Path::to_path_buf));
        }
        for path in file.ancestors().filter(|path| !path.as_os_str().is_empty()) {
            let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
            inside.entry(folder).or_default().insert(path.to_path_buf());
        }
    }
    let of_sources = inside.into_iter().filter(|(folder, _)| has_source.contains(folder));
    of_sources.map(|(folder, inside)| (folder, inside.len())).collect()
}

/// Folders that are too large, and exceptions that are none any more.
fn crowded(siblings: &BTreeMap<PathBuf, usize>, exceptions: &[(&str, usize, &str)]) -> Vec<String> {
    let bound = |folder: &Path| {
        let known = exceptions.iter().find(|(other, ..)| folder == Path::new(other));
        known.map_or(MOST_SIBLINGS, |(_, most, _)| *most)
    };
    let too_many = siblings.iter().filter(|(folder, count)| **count > bound(folder));
    let too_many = too_many.map(|(folder, count)| {
        format!("{} has {count} files and folders, more than {}", folder.display(), bound(folder))
    });
    let needless = exceptions
        .iter()
        .filter(|(folder, ..)| siblings.get(Path::new(folder)).is_none_or(|count| *count <= MOST_SIBLINGS));
    too_many.chain(needless.map(|(folder, ..)| format!("{folder} needs no exception any more"))).collect()
}

/// The errors in a source's length, name or beginning.
fn oddities(path: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        problems.push(format!("{} has {lines} lines, more than {MOST_LINES}", path.display()));
    }
    if !text.starts_with("//!") {
        problems.push(format!("{} does not begin with its documentation", path.display()));
    }
    if path.file_stem().and_then(|name| name.to_str()).is_some_and(|name| VAGUE.contains(&name)) {
        problems.push(format!("{}: a name that says nothing", path.display()));
    }
    problems
}

#[test]
fn files_fit_in_a_head_and_say_what_they_are_for() {
    let problems: Vec<String> = sources().iter().flat_map(|(path, text)| oddities(path, text)).collect();
    assert_none(&problems);
}

#[test]
fn folders_fit_on_a_page() {
    assert_none(&crowded(&siblings(files().iter().map(PathBuf::as_path)), CROWDED));
}

/// Modules that stand beside the folder of their parts, not in it as its `mod.rs`.
fn outside_their_folder<'p>(paths: impl Iterator<Item = &'p Path> + Clone) -> Vec<String> {
    let folders: BTreeSet<&Path> = paths.clone().filter_map(Path::parent).collect();
    let is_outside = |path: &&Path| folders.contains(path.with_extension("").as_path());
    let wrong = paths.filter(is_outside);
    wrong.map(|path| format!("{} has a folder of its own: it is that one's mod.rs", path.display())).collect()
}

#[test]
fn a_module_with_parts_is_its_folders_mod_file() {
    let sources = sources();
    assert_none(&outside_their_folder(sources.iter().map(|(path, _)| path.as_path())));
}

#[test]
fn a_module_beside_its_folder_is_seen() {
    let paths = ["a/src/b.rs", "a/src/b/c.rs", "a/src/d/mod.rs", "a/src/d/e.rs"].map(Path::new);
    assert_eq!(outside_their_folder(paths.into_iter()).len(), 1);
}

#[test]
fn a_crowded_folder_is_seen() {
    let files: Vec<PathBuf> = (0..21).map(|number| PathBuf::from(format!("a/src/f{number}.rs"))).collect();
    let siblings = siblings(files.iter().map(PathBuf::as_path));
    assert_eq!(siblings[Path::new("a/src")], 21);
    assert_eq!(crowded(&siblings, &[]).len(), 1);
    assert_eq!(crowded(&siblings, &[("a/src", 21, "")]), [""; 0]);
    assert_eq!(crowded(&siblings, &[("a/src", 21, ""), ("b/src", 30, "")]).len(), 1);
}

#[test]
fn an_odd_file_is_seen() {
    let long = "//! X.\n".repeat(MOST_LINES + 1);
    assert_eq!(oddities(Path::new("a/src/b.rs"), &long).len(), 1);
    assert_eq!(oddities(Path::new("a/src/helpers.rs"), "fn f() {}").len(), 2);
}
