//! The files that a program may read, as data for other machines.

use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use symx_posix_model::{HostFiles, HostKind, HostMetadata};

/// How many files and folders are sent at most, and how many bytes.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: usize = 64 << 20;

/// Files and folders by their paths. Nothing else is there for the program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SentFiles(BTreeMap<String, Sent>);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Sent {
    size: u64,
    permissions: u32,
    modified: i64,
    content: Content,
}

/// Each is `None` if it cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Content {
    File(Option<Vec<u8>>),
    Folder(Option<Vec<String>>),
    Link(Option<String>),
}

impl SentFiles {
    /// All that a view shows.
    pub fn of(view: &dyn HostFiles) -> Result<Self, Refusal> {
        let mut sent = BTreeMap::new();
        let mut bytes = 0;
        let mut open = vec!["/".to_owned()];
        while let Some(path) = open.pop() {
            let Some(HostMetadata { kind, size, permissions, modified }) = view.metadata(&path) else {
                continue;
            };
            let content = match kind {
                HostKind::File if bytes + size as usize > MOST_BYTES => return Err(too_much()),
                HostKind::File => Content::File(view.read(&path).map(|bytes| bytes.to_vec())),
                HostKind::Directory => Content::Folder(view.list(&path)),
                HostKind::Link => Content::Link(view.link(&path)),
            };
            match &content {
                Content::File(content) => bytes += content.as_ref().map_or(0, Vec::len),
                Content::Folder(names) => {
                    let folder = path.trim_end_matches('/');
                    open.extend(names.iter().flatten().map(|name| format!("{folder}/{name}")));
                }
                Content::Link(_) => {}
            }
            sent.insert(path, Sent { size, permissions, modified, content });
            if bytes > MOST_BYTES || sent.len() + open.len() > MOST_FILES {
                return Err(too_much());
            }
        }
        Ok(Self(sent))
    }

    /// Whether a program that is shown these instead reads the same. When folders were changed last does not
    /// count: reports are written into some.
    pub fn hold_the_same(&self, other: &Self) -> bool {
        let is_same = |one: &Sent, other: &Sent| match (&one.content, &other.content) {
            (Content::Folder(names), Content::Folder(others)) => {
                names == others && one.permissions == other.permissions
            }
            _ => one == other,
        };
        self.0.len() == other.0.len()
            && self.0.iter().all(|(path, sent)| other.0.get(path).is_some_and(|other| is_same(sent, other)))
    }
}

fn too_much() -> Refusal {
    Refusal::Usage(format!(
        "--cluster: the program may see more than {MOST_FILES} files, or {} MiB of them, too much to be sent",
        MOST_BYTES >> 20
    ))
}

impl HostFiles for SentFiles {
    fn metadata(&self, path: &str) -> Option<HostMetadata> {
        let Sent { size, permissions, modified, content } = self.0.get(path)?;
        let kind = match content {
            Content::File(_) => HostKind::File,
            Content::Folder(_) => HostKind::Directory,
            Content::Link(_) => HostKind::Link,
        };
        Some(HostMetadata { kind, size: *size, permissions: *permissions, modified: *modified })
    }

    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        match &self.0.get(path)?.content {
            Content::File(bytes) => bytes.as_deref().map(Arc::from),
            Content::Folder(_) | Content::Link(_) => None,
        }
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        match &self.0.get(path)?.content {
            Content::Folder(names) => names.clone(),
            Content::File(_) | Content::Link(_) => None,
        }
    }

    fn link(&self, path: &str) -> Option<String> {
        match &self.0.get(path)?.content {
            Content::Link(target) => target.clone(),
            Content::File(_) | Content::Folder(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::host_files::VisibleFiles;

    #[test]
    fn what_is_sent_is_what_was_visible() {
        let folder = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(folder.join("shown/deep")).unwrap();
        std::fs::write(folder.join("shown/deep/a.txt"), "a").unwrap();
        std::fs::write(folder.join("secret.txt"), "s").unwrap();
        std::os::unix::fs::symlink("deep/a.txt", folder.join("shown/b")).unwrap();
        let view = VisibleFiles::new(&folder, &["shown".into()], &[]);
        let sent = SentFiles::of(&view).unwrap();
        let bytes = postcard::to_stdvec(&sent).unwrap();
        let read: SentFiles = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read, sent);
        for name in ["", "shown", "shown/deep", "shown/deep/a.txt", "shown/b", "secret.txt", "none"] {
            let path = folder.join(name).display().to_string();
            let path = path.trim_end_matches('/');
            assert_eq!(read.metadata(path), view.metadata(path), "{path}");
            assert_eq!(read.read(path), view.read(path).filter(|_| !name.ends_with('b')), "{path}");
            assert_eq!(read.list(path), view.list(path), "{path}");
            assert_eq!(read.link(path), view.link(path), "{path}");
        }
        std::fs::write(folder.join("shown/deep/a.txt"), "b").unwrap();
        let later = SentFiles::of(&VisibleFiles::new(&folder, &["shown".into()], &[])).unwrap();
        assert!(read.hold_the_same(&sent) && !read.hold_the_same(&later));
    }
}
