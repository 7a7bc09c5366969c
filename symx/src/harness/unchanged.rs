//! Which cases have not changed since they passed: recognised by a hash of all that they depend on, kept
//! beside the compiled programs.

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
    /// files in its own folder.
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
        Some(self.folder.join(hasher.finalize().to_hex().as_str()))
    }
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
