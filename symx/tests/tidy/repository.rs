//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders in which no file is ours.
const NOT_OURS: &[&str] = &["target", ".git", ".deps"];

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_path_buf()
}

/// The text of a file of the workspace.
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of the workspace's crates, as its manifest lists them.
pub fn crates() -> Vec<String> {
    let manifest = read("Cargo.toml");
    let list = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let list = list.expect("the workspace has members");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// All files of the workspace, by their paths in it, sorted.
pub fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    let root = root();
    let mut files: Vec<PathBuf> =
        found.into_iter().filter_map(|path| path.strip_prefix(&root).ok().map(Path::to_path_buf)).collect();
    files.sort();
    files
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        match path.is_dir() {
            true if is_link || NOT_OURS.iter().any(|other| name == *other) => {}
            true => collect(&path, found),
            false => found.push(path),
        }
    }
}

/// The Rust sources of the crates, with their text.
pub fn sources() -> Vec<(PathBuf, String)> {
    let crates = crates();
    let is_source = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "rs")
            && crates.iter().any(|folder| path.starts_with(folder))
    };
    let sources: Vec<_> =
        files().into_iter().filter(is_source).map(|path| (path.clone(), read(path))).collect();
    assert!(sources.len() > 50, "the walk finds the sources");
    sources
}

/// A source without the tests at its end.
pub fn product(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or_default()
}
