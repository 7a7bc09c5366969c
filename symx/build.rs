//! Gives the decoder a version of its own, so that what it decoded earlier is not read by a later one.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

fn main() {
    let mut hasher = DefaultHasher::new();
    for folder in ["../ir/src", "../bitcode/src"] {
        println!("cargo:rerun-if-changed={folder}");
        for file in files(Path::new(folder)) {
            hasher.write(file.to_string_lossy().as_bytes());
            hasher.write(&std::fs::read(&file).unwrap_or_default());
        }
    }
    println!("cargo:rustc-env=SYMX_DECODER_VERSION={:016x}", hasher.finish());
}

/// Every file below `folder`, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
