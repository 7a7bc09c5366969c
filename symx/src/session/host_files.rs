//! The host's files that the program may read: what its arguments name, and what `--mount` adds.
//!
//! Everything else does not exist for the program. Folders on the way to a visible one exist, but
//! show only what leads there. Answers are remembered, so that files changing on the host while
//! symx runs change nothing.

use crate::files::normal_path::normal;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use symx_posix_model::{HostFiles, HostKind, HostMetadata, file_name_bytes, file_name_text};

/// A view of the host limited to some folders and files.
#[derive(Debug, Default)]
pub struct VisibleFiles {
    /// Visible with all below them; absolute and normal.
    roots: Vec<PathBuf>,
    /// Exist, though what is in them is not visible; absolute and normal.
    empty: Vec<PathBuf>,
    metadata: Remembered<Option<HostMetadata>>,
    contents: Remembered<Option<Arc<[u8]>>>,
    listings: Remembered<Option<Vec<String>>>,
    links: Remembered<Option<String>>,
    /// Files that were asked for, are on the host and are not visible.
    hidden: Mutex<BTreeSet<String>>,
}

impl VisibleFiles {
    /// The files that `arguments` name, where they exist, and every one of `mounts`, seen from the folder
    /// `directory`.
    pub fn new(directory: &Path, arguments: &[String], mounts: &[PathBuf]) -> Self {
        let named = arguments.iter().map(Path::new).filter(|path| !path.as_os_str().is_empty());
        let (mut roots, mut empty) = (Vec::new(), vec![normal(directory)]);
        for path in named.chain(mounts.iter().map(PathBuf::as_path)) {
            let path = normal(&directory.join(path));
            // The root folder as an argument is more likely a separator than a wish to show everything.
            let Some(parent) = path.parent() else { continue };
            if fs::symlink_metadata(&path).is_err() {
                // A file to be written: the folder it goes to has to be there.
                if parent.is_dir() {
                    empty.push(parent.to_path_buf());
                }
                continue;
            }
            roots.extend(fs::canonicalize(&path));
            roots.push(path);
        }
        Self { roots, empty, ..Self::default() }
    }

    /// Files that were asked for so far that are on the host and are not visible, by path.
    pub fn hidden(&self) -> Vec<String> {
        let hidden = self.hidden.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        hidden.iter().cloned().collect()
    }

    fn note_hidden(&self, path: &Path) {
        if fs::symlink_metadata(path).is_ok() {
            let mut hidden = self.hidden.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            hidden.insert(path.display().to_string());
        }
    }

    fn visible(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Whether `path` leads to something visible.
    fn leads(&self, path: &Path) -> bool {
        self.roots.iter().chain(&self.empty).any(|root| root.starts_with(path))
    }
}

impl HostFiles for VisibleFiles {
    fn metadata(&self, path: &str) -> Option<HostMetadata> {
        self.metadata.get(path, || {
            let path = &host_path(path);
            if self.visible(path) {
                describe(&fs::symlink_metadata(path).ok()?)
            } else if self.leads(path) {
                // Followed, so that links on the way are folders.
                describe(&fs::metadata(path).ok()?)
            } else {
                self.note_hidden(path);
                None
            }
        })
    }

    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        self.contents.get(path, || {
            let path = host_path(path);
            self.visible(&path).then(|| fs::read(&path).ok().map(Arc::from))?
        })
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.listings.get(path, || {
            let path = &host_path(path);
            let (visible, leads) = (self.visible(path), self.leads(path));
            if !visible && !leads {
                return None;
            }
            let entries = fs::read_dir(path).ok()?.flatten();
            let shown = entries.filter(|entry| visible || self.leads(&entry.path()));
            Some(shown.map(|entry| file_name_text(entry.file_name().as_bytes())).collect())
        })
    }

    fn link(&self, path: &str) -> Option<String> {
        self.links.get(path, || {
            let path = host_path(path);
            let target = self.visible(&path).then(|| fs::read_link(&path).ok())??;
            Some(file_name_text(target.as_os_str().as_bytes()))
        })
    }
}

fn host_path(text: &str) -> PathBuf {
    OsStr::from_bytes(&file_name_bytes(text)).into()
}

/// Kinds of file other than these are not there for the program.
fn describe(metadata: &fs::Metadata) -> Option<HostMetadata> {
    let kind = metadata.file_type();
    let kind = if kind.is_symlink() {
        HostKind::Link
    } else if kind.is_dir() {
        HostKind::Directory
    } else if kind.is_file() {
        HostKind::File
    } else {
        return None;
    };
    Some(HostMetadata {
        kind,
        size: metadata.len(),
        permissions: metadata.permissions().mode() & 0o7777,
        modified: metadata.mtime(),
    })
}

/// Answers by path, asked for once.
#[derive(Debug)]
struct Remembered<T>(Mutex<HashMap<String, T>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Remembered<T> {
    fn get(&self, path: &str, ask: impl FnOnce() -> T) -> T {
        let mut known = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(answer) = known.get(path) {
            return answer.clone();
        }
        let answer = ask();
        known.insert(path.to_owned(), answer.clone());
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &Path) -> &str {
        path.to_str().unwrap()
    }

    #[test]
    fn only_what_is_named_is_visible() {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(folder.join("shown/deep")).unwrap();
        fs::write(folder.join("shown/deep/a.txt"), "a").unwrap();
        fs::write(folder.join("secret.txt"), "s").unwrap();
        let files = VisibleFiles::new(&folder, &["-v".into(), "./shown/../shown".into()], &[]);
        assert_eq!(files.read(text(&folder.join("shown/deep/a.txt"))).as_deref(), Some(&b"a"[..]));
        assert_eq!(files.read(text(&folder.join("secret.txt"))), None);
        assert_eq!(files.metadata(text(&folder.join("secret.txt"))), None);
        assert_eq!(files.metadata(text(&folder)).map(|found| found.kind), Some(HostKind::Directory));
        assert_eq!(files.list(text(&folder)), Some(vec!["shown".to_owned()]));
        assert_eq!(files.list("/no/such"), None);
        assert_eq!(files.metadata(text(&folder.join("none.txt"))), None);
        assert_eq!(files.hidden(), [text(&folder.join("secret.txt"))]);
        let written = folder.join("shown/deep/b.txt");
        let files = VisibleFiles::new(Path::new("/"), &[text(&written).into()], &[]);
        let place = files.metadata(text(&folder.join("shown/deep")));
        assert_eq!(
            place.map(|found| found.kind),
            Some(HostKind::Directory),
            "the folder of a file to be written"
        );
        assert_eq!(files.list(text(&folder.join("shown/deep"))), Some(vec![]));
    }

    #[test]
    fn answers_do_not_change() {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        let path = folder.join("a.txt");
        fs::write(&path, "before").unwrap();
        let files = VisibleFiles::new(&folder, &["a.txt".into()], &[]);
        assert_eq!(files.read(text(&path)).as_deref(), Some(&b"before"[..]));
        fs::write(&path, "after").unwrap();
        assert_eq!(files.read(text(&path)).as_deref(), Some(&b"before"[..]));
    }
}
