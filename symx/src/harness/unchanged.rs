//! Which cases have not changed since they passed: recognised by a hash of all that they depend on, kept
//! beside the compiled programs.

use super::annotation::Expectations;
use super::case::Case;
use super::process::Symx;
use blake3::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The cases that passed, in a folder of a cache: an empty file each, named after the hash.
pub struct Passed {
    folder: PathBuf,
    /// Hash of what all cases depend on: the executable and the limit of time.
    common: Hash,
}

impl Passed {
    /// The cases that have passed, as far as `cache` remembers them.
    pub fn of(cache: &Path, symx: &Symx) -> std::io::Result<Self> {
        let mut hasher = Hasher::new();
        hasher.update_reader(std::fs::File::open(&symx.executable)?)?;
        hasher.update(&symx.max_time.to_le_bytes());
        let folder = cache.join("passed");
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder, common: hasher.finalize() })
    }

    /// Whether the case is what it was when it passed. Headers that it includes are not looked at, but for
    /// files in its own folder. So are files that its options name.
    pub fn has(&self, case: &Case) -> bool {
        self.place(case).is_some_and(|place| place.exists())
    }

    /// Remembers that a case has passed. If that cannot be written, it is run again next time.
    pub fn add(&self, case: &Case) {
        if let Some(place) = self.place(case) {
            let _ = std::fs::write(place, "");
        }
    }

    fn place(&self, case: &Case) -> Option<PathBuf> {
        let mut hasher = Hasher::new();
        hasher.update(self.common.as_bytes()).update(case.model.as_bytes()).update(case.name.as_bytes());
        hasher.update(&std::fs::read(&case.source).ok()?);
        for header in headers(case.source.parent()?) {
            hasher.update(&std::fs::read(header).ok()?);
        }
        for file in named(case) {
            hasher.update(file.to_string_lossy().as_bytes()).update(&std::fs::read(&file).ok()?);
        }
        Some(self.folder.join(hasher.finalize().to_hex().as_str()))
    }
}

/// The files that the options of a case name, those in folders that they name included, in order.
fn named(case: &Case) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(&case.source).unwrap_or_default();
    let expectations = Expectations::parse(&text).unwrap_or_default();
    let options = expectations.flags.iter().chain(expectations.again.iter().flatten());
    let values = options.map(|option| option.rsplit_once('=').map_or(option.as_str(), |(_, value)| value));
    let mut open: Vec<PathBuf> = values.map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_file() {
            files.push(path);
        } else if let Ok(entries) = std::fs::read_dir(&path) {
            // A link may lead round in a circle.
            let inner = entries.flatten().map(|entry| entry.path());
            open.extend(inner.filter(|inner| !inner.is_symlink() || inner.is_file()));
        }
    }
    files.sort_unstable();
    files
}

/// The headers in a folder, in order.
fn headers(folder: &Path) -> Vec<PathBuf> {
    let is_header = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["h", "hh", "hpp", "hxx", "inc"].contains(&extension))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut headers: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_header).collect();
    headers.sort_unstable();
    headers
}
