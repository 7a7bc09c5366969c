//! Files of the host machine that the program may read.

use std::fmt::Debug;
use std::sync::Arc;

/// Read-only view of some of the host's files. Its maker decides what is visible; this crate never opens a
/// file itself. Paths are absolute and normal (no `.`, `..`, `//`). Answers must not change while symx runs.
pub trait HostFiles: Send + Sync + Debug {
    /// The file at `path`; `None` if there is none, or it is not to be seen.
    fn metadata(&self, path: &str) -> Option<HostMetadata>;

    /// The bytes of the regular file at `path`.
    fn read(&self, path: &str) -> Option<Arc<[u8]>>;

    /// The names in the directory at `path`, without `.` and `..`, in the order the host lists them.
    fn list(&self, path: &str) -> Option<Vec<String>>;

    /// Where the symbolic link at `path` points.
    fn link(&self, path: &str) -> Option<String>;
}

/// The kind of a host file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
}

/// The facts that `stat` reports about a host file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostMetadata {
    /// Its kind.
    pub kind: HostKind,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits, such as `0o644`.
    pub permissions: u32,
    /// Last modification, in seconds since 1970.
    pub modified: i64,
}

/// No host file is visible.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHostFiles;

impl HostFiles for NoHostFiles {
    fn metadata(&self, _: &str) -> Option<HostMetadata> {
        None
    }

    fn read(&self, _: &str) -> Option<Arc<[u8]>> {
        None
    }

    fn list(&self, _: &str) -> Option<Vec<String>> {
        None
    }

    fn link(&self, _: &str) -> Option<String> {
        None
    }
}
