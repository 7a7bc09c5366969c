//! Decoded modules kept in files, so that a program or a library is linked and decoded once.

use std::path::{Path, PathBuf};
use symx_ir::Module;

/// Bytes of the checksum in front of a kept module.
const CHECKSUM: usize = 32;

/// The largest module that is kept, in bytes of its file.
const LARGEST: usize = 256 << 20;

/// The most bytes that all of one kind in a folder take.
const MOST_BYTES: u64 = 1 << 30;

/// The user's folder for what symx can make again.
pub fn user_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home);
    folder.map(|folder| folder.join("symx"))
}

/// Where decoded modules of one kind are kept.
pub struct Cache {
    /// Folders, best first; the first that can be written is.
    folders: Vec<PathBuf>,
    /// How the names of their files begin.
    kind: &'static str,
    /// How many are kept in a folder: what was not made lately goes.
    most: usize,
}

impl Cache {
    /// In the user's folder for caches.
    pub fn of_user(kind: &'static str, most: usize) -> Self {
        Self { folders: user_folder().into_iter().collect(), kind, most }
    }

    /// Likewise, but rather beside `file`.
    pub fn beside(file: &Path, kind: &'static str, most: usize) -> Self {
        let mut cache = Self::of_user(kind, most);
        cache.folders.splice(0..0, file.parent().map(Path::to_path_buf));
        cache
    }

    /// The file of what has been decoded from bytes of this hash, by a decoder like this one.
    fn name(&self, hash: &blake3::Hash) -> String {
        format!("{}-{}-{}.decoded", self.kind, &hash.to_hex()[..16], env!("SYMX_DECODER_VERSION"))
    }

    /// The module that was decoded from bytes of this hash, if it is kept.
    pub fn find(&self, hash: &blake3::Hash) -> Option<Module> {
        let name = self.name(hash);
        self.folders.iter().find_map(|folder| read(&folder.join(&name)))
    }

    /// Keeps a module. An unwritable cache costs time, nothing else.
    pub fn keep(&self, hash: &blake3::Hash, module: &Module) {
        let Ok(encoded) = module.to_bytes() else { return };
        if encoded.len() > LARGEST {
            return;
        }
        let name = self.name(hash);
        let written = self.folders.iter().find(|folder| write(folder, &name, &encoded).is_ok());
        if let Some(folder) = written {
            self.forget_old(folder);
        }
    }

    /// Removes all but the newest. A process that is just reading one goes on.
    fn forget_old(&self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let prefix = format!("{}-", self.kind);
        let kept = entries.flatten().filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".decoded"))
        });
        let mut kept: Vec<_> = kept
            .filter_map(|entry| {
                let about = entry.metadata().ok()?;
                Some((about.modified().ok()?, entry.path(), about.len()))
            })
            .collect();
        kept.sort();
        let mut bytes = 0;
        for (index, (_, path, size)) in kept.iter().rev().enumerate() {
            bytes += size;
            if index >= self.most || bytes > MOST_BYTES {
                // One that stays takes room, nothing else.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn read(path: &Path) -> Option<Module> {
    let bytes = std::fs::read(path).ok()?;
    let (checksum, encoded) = bytes.split_at_checked(CHECKSUM)?;
    if blake3::hash(encoded).as_bytes() != checksum {
        return None;
    }
    Module::from_bytes(encoded).ok()
}

/// Appears complete or not at all, even when several symx start at once.
fn write(folder: &Path, name: &str, encoded: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, blake3::hash(encoded).as_bytes())?;
    std::io::Write::write_all(&mut file, encoded)?;
    file.persist(folder.join(name))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libc.bc");
        std::fs::write(&file, b"").unwrap();
        let cache = Cache::beside(&file, "libc", 3);
        for version in 0..6_u8 {
            cache.keep(&blake3::hash(&[version]), &Module::default());
        }
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 3 + 1, "and the library itself");
    }

    #[test]
    fn a_damaged_cache_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::beside(&folder.path().join("libc.bc"), "libc", 3);
        let (hash, module) = (blake3::hash(b"libc"), Module { path: "libc".into(), ..Module::default() });
        cache.keep(&hash, &module);
        let path = folder.path().join(cache.name(&hash));
        assert_eq!(read(&path).map(|module| module.path), Some("libc".into()));
        assert_eq!(cache.find(&blake3::hash(b"other")).map(|module| module.path), None);
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(read(&path).is_none());
    }
}
