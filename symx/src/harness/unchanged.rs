//! Which cases have not changed since they passed: recognised by a hash of all that they depend on, kept
//! beside the compiled programs.

use super::annotation::Expectations;
use super::case::Case;
use super::children::Children;
use super::compile;
use super::process::Symx;
use super::source_file;
use crate::load::language::Language;
use crate::load::{c_library, cxx_library};
use blake3::{Hash, Hasher};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The cases that passed, in a folder of a cache: an empty file each, named after the hash.
pub struct Passed {
    cache: PathBuf,
    children: Children,
    folder: PathBuf,
    /// Hash of what all cases depend on: the executable, its libraries and the limit of time.
    common: Hash,
    /// Files and folders that this run writes.
    written: Vec<PathBuf>,
    /// By folder of programs, the hash of the data in it.
    data: Mutex<BTreeMap<PathBuf, Hash>>,
}

/// What a case is at present, among the cases that passed.
pub struct Entry(PathBuf);

impl Entry {
    /// Whether the case passed as it is.
    pub fn exists(&self) -> bool {
        self.0.exists()
    }

    /// Remembers that the case passed. If that cannot be written, it is run again next time.
    pub fn add(&self) {
        let _ = std::fs::write(&self.0, "");
    }
}

impl Passed {
    /// The cases that have passed, as far as `cache` remembers them. Files and folders that this run writes
    /// are no data of programs.
    pub fn of(cache: &Path, symx: &Symx, written: &[&Path]) -> std::io::Result<Self> {
        let mut hasher = Hasher::new();
        for file in [Some(symx.executable.clone()), c_library(), cxx_library()].into_iter().flatten() {
            hasher.update_reader(File::open(file)?)?;
        }
        hasher.update(&symx.max_time.to_le_bytes());
        let folder = cache.join("passed");
        std::fs::create_dir_all(&folder)?;
        let written = written.iter().copied().chain([cache]).map(canonical).collect();
        let (common, data) = (hasher.finalize(), Mutex::default());
        let children = symx.children.clone();
        Ok(Self { cache: cache.into(), children, folder, common, written, data })
    }

    /// The entry of a case as it is now. `None` if it cannot be compiled, so cannot pass.
    ///
    /// Its bitcode depends on all files that the compiler reads, its flags, and the compiler. When it runs,
    /// it may read what lies in its folder and what its options name. Sources beside it are not looked at:
    /// they are programs of their own, or part of its bitcode.
    pub fn entry(&self, case: &Case) -> Option<Entry> {
        let text = source_file::read(&case.source).ok()?;
        let expectations = Expectations::parse(&text).ok()?;
        let bitcode =
            compile::bitcode(&case.source, &expectations.compiler_flags, &self.cache, &self.children).ok()?;
        let folder = canonical(case.source.parent()?);
        let mut hasher = Hasher::new();
        hasher.update(self.common.as_bytes());
        for part in [case.model.as_bytes(), case.name.as_bytes(), text.as_bytes()] {
            hasher.update(blake3::hash(part).as_bytes());
        }
        hasher.update(blake3::hash(&std::fs::read(bitcode).ok()?).as_bytes());
        hasher.update(self.data_in(&folder).as_bytes());
        let named = named(&expectations).into_iter().flat_map(|path| self.files_below(path));
        hasher.update(content(&named.collect()).as_bytes());
        Some(Entry(self.folder.join(hasher.finalize().to_hex().as_str())))
    }

    /// Hash of the files below a folder that are no sources. Each folder is looked at once.
    fn data_in(&self, folder: &Path) -> Hash {
        let mut known = self.data.lock().expect("no thread panics while it holds the lock");
        *known.entry(folder.into()).or_insert_with(|| {
            let files = self.files_below(folder.into());
            content(&files.into_iter().filter(|file| Language::of(file).is_none()).collect())
        })
    }

    /// The files at and below a path, but for those that this run writes and those in hidden folders.
    fn files_below(&self, path: PathBuf) -> BTreeSet<PathBuf> {
        let (mut files, mut entered, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![path]);
        while let Some(path) = open.pop() {
            let place = canonical(&path);
            if self.written.contains(&place) {
                continue;
            }
            if !path.is_dir() {
                files.insert(path);
            } else if entered.insert(place) {
                // Links to folders are followed, but into no folder twice.
                let inner = std::fs::read_dir(&path).into_iter().flatten().flatten();
                let is_hidden = |path: &Path| {
                    path.is_dir() && path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."))
                };
                open.extend(inner.map(|entry| entry.path()).filter(|inner| !is_hidden(inner)));
            }
        }
        files
    }
}

/// The paths that the options of a program may name.
fn named(expectations: &Expectations) -> Vec<PathBuf> {
    let options = expectations.flags.iter().chain(expectations.again.iter().flatten());
    let values = options.map(|option| option.rsplit_once('=').map_or(option.as_str(), |(_, value)| value));
    values.map(PathBuf::from).filter(|path| path.exists()).collect()
}

/// Hash of the names and contents of files. Of what cannot be read, and of what is no file, the name counts.
fn content(files: &BTreeSet<PathBuf>) -> Hash {
    let mut hasher = Hasher::new();
    for path in files {
        hasher.update(blake3::hash(path.as_os_str().as_bytes()).as_bytes());
        let mut inside = Hasher::new();
        // A pipe would be waited for.
        let is_read = path.is_file() && File::open(path).is_ok_and(|file| inside.update_reader(file).is_ok());
        hasher.update(&[u8::from(is_read)]).update(inside.finalize().as_bytes());
    }
    hasher.finalize()
}

/// The path without links, as far as it leads to something.
fn canonical(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let there = path.ancestors().find_map(|above| Some((above, std::fs::canonicalize(above).ok()?)));
    there.map_or_else(
        || path.clone(),
        |(above, canonical)| path.strip_prefix(above).map_or(canonical.clone(), |rest| canonical.join(rest)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_beside_a_program_counts_and_results_do_not() {
        let place = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(place.path()).unwrap();
        let at = |name: &str| folder.join(name);
        std::fs::create_dir_all(at("inner/.git")).unwrap();
        std::os::unix::fs::symlink("..", at("inner/up")).unwrap();
        std::os::unix::fs::symlink("gone", at("dangling")).unwrap();
        let symx = Symx::new(std::env::current_exe().unwrap(), 1);
        let data = || {
            let [cache, results] = ["cache", "results.xml"].map(at);
            Passed::of(&cache, &symx, &[&results]).unwrap().data_in(&folder)
        };
        let before = data();
        for other in ["other.c", "results.xml", "cache/x.bc", "inner/.git/index"] {
            std::fs::write(at(other), "x").unwrap();
            assert_eq!(data(), before, "{other}");
        }
        for text in ["1", "2"] {
            let before = data();
            std::fs::write(at("inner/data.txt"), text).unwrap();
            assert_ne!(data(), before);
        }
    }
}
