//! Files and directories in memory, over read-only ones of the host.
//!
//! A name the program has not changed is looked up among the host's files. A file that is found becomes a
//! node whose number depends on its path alone, so looking up commutes with everything.

use crate::errno::{ELOOP, ENOENT, ENOTDIR};
use crate::host::{HostFiles, HostKind};
use crate::kernel::OutputStream;
use crate::kernel::nodes::changes::Changes;
use crate::kernel::nodes::content::Content;
use crate::kernel::nodes::kinds::{Device, NodeKind};
use crate::kernel::nodes::paths::{Components, Found, name_place, path_place};
use imbl::OrdMap;
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use symx_interp::Table;
use symx_interp::memory::byte_string::Stretch;
use symx_trace::{Place, ThreadId};

/// A time since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Time {
    pub seconds: i64,
    /// Nanoseconds.
    pub fraction: u32,
}

/// A file, directory, link, device, pipe or socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    /// Permission bits.
    pub permissions: u32,
    /// Last modification: the host's, when the program began, or what it set; nothing else changes it.
    pub modified: Time,
    /// Names it has.
    pub links: u32,
    /// Wake-ups of threads that wait at it.
    pub changes: Changes,
}

impl Node {
    /// One of its names is gone.
    pub fn loses_a_name(&mut self) {
        self.links = self.links.saturating_sub(1);
    }
}

/// All files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileSystem {
    nodes: Table<u64, Node>,
    /// Names that differ from the host's, by path: what is there, or that nothing is.
    names: OrdMap<Arc<str>, Option<u64>>,
    /// How many nodes that are not the host's each thread has made.
    made: OrdMap<ThreadId, u64>,
    /// When the program began: new files are as old as that.
    began: Time,
}

const HOST_NODE: u64 = 1 << 62;
/// Lower numbers of nodes may stand for none.
const FIRST_NODE: u64 = 2;
const MAXIMUM_LINKS: u32 = 40;

/// The number of the host's node at `path`.
fn host_number(path: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    path.hash(&mut hasher);
    (hasher.finish() % HOST_NODE) | HOST_NODE
}

impl FileSystem {
    /// The usual devices, `/tmp`, where shared memory objects go, and the working directory if the host
    /// does not have it.
    pub fn new(directory: &str, host: &dyn HostFiles, began: Time) -> Self {
        let mut files = Self { nodes: Table::default(), names: OrdMap::new(), made: OrdMap::new(), began };
        for path in ["/", "/dev", "/dev/shm", "/tmp"] {
            files.create(ThreadId::MAIN, path, NodeKind::Directory, 0o755);
        }
        for (path, device) in [
            ("/dev/null", Device::Null),
            ("/dev/zero", Device::Zero),
            ("/dev/random", Device::Random),
            ("/dev/urandom", Device::Random),
            ("/dev/stdout", Device::Stream(OutputStream::Output)),
            ("/dev/stderr", Device::Stream(OutputStream::Errors)),
        ] {
            files.create(ThreadId::MAIN, path, NodeKind::Device(device), 0o666);
        }
        let mut path = String::new();
        for name in directory.split('/').filter(|name| !name.is_empty()) {
            path.push('/');
            path.push_str(name);
            if files.look(host, &path).is_none() {
                files.create(ThreadId::MAIN, &path, NodeKind::Directory, 0o755);
            }
        }
        files
    }

    /// When the program began.
    pub fn began(&self) -> Time {
        self.began
    }

    /// A new node without a name, made by `thread`. Its number does not depend on what other threads have
    /// made.
    pub fn add(&mut self, thread: ThreadId, kind: NodeKind, permissions: u32) -> u64 {
        let made = self.made.entry(thread).or_insert(FIRST_NODE);
        let number = u64::from(thread.0) << 32 | *made;
        *made += 1;
        let node = Node { kind, permissions, modified: self.began, links: 1, changes: Changes::default() };
        self.nodes.insert(number, node);
        number
    }

    /// A new node at `path`.
    pub fn create(&mut self, thread: ThreadId, path: &str, kind: NodeKind, permissions: u32) -> u64 {
        let node = self.add(thread, kind, permissions);
        self.names.insert(path.into(), Some(node));
        node
    }

    /// Gives the name `path` to `node`, or to nothing.
    pub fn name(&mut self, path: &str, node: Option<u64>) {
        self.names.insert(path.into(), node);
    }

    /// The node numbered `number`.
    pub fn node(&self, number: u64) -> Option<&Node> {
        self.nodes.get(&number)
    }

    /// What a node is.
    pub fn kind(&self, number: u64) -> Option<&NodeKind> {
        self.nodes.get(&number).map(|node| &node.kind)
    }

    /// Those of `count` bytes from `start` on that a file has.
    pub fn part(&self, number: u64, start: u64, count: u64) -> Range<u64> {
        let length = match self.kind(number) {
            Some(NodeKind::File(content)) => content.length(),
            _ => 0,
        };
        start.min(length)..start.saturating_add(count).min(length)
    }

    /// Whether the node is a directory.
    pub fn is_directory(&self, number: u64) -> bool {
        matches!(self.kind(number), Some(NodeKind::Directory))
    }

    /// Changes a node.
    pub fn change(&mut self, number: u64, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(&number) {
            change(node);
        }
    }

    /// Wakes threads that wait at a node for these events; without one, all that wait there.
    pub fn changed(&mut self, number: u64, events: u32) {
        self.change(number, |node| node.changes = node.changes + Changes::of(events));
    }

    /// The node at the absolute, normal `path`, a link not followed.
    pub fn look(&mut self, host: &dyn HostFiles, path: &str) -> Option<u64> {
        if let Some(named) = self.names.get(path) {
            return *named;
        }
        let metadata = host.metadata(path)?;
        let number = host_number(path);
        if !self.nodes.contains_key(&number) {
            let kind = match metadata.kind {
                HostKind::File => NodeKind::Unread(metadata.size),
                HostKind::Directory => NodeKind::Directory,
                HostKind::Link => NodeKind::Link(host.link(path)?.into()),
            };
            let permissions = metadata.permissions;
            let modified = Time { seconds: metadata.modified, fraction: 0 };
            let node = Node { kind, permissions, modified, links: 1, changes: Changes::default() };
            self.nodes.insert(number, node);
        }
        Some(number)
    }

    /// The node at the absolute, normal `path`, if the program has looked there.
    pub fn known(&self, path: &str) -> Option<u64> {
        let host = || Some(host_number(path)).filter(|number| self.nodes.contains_key(number));
        self.names.get(path).copied().unwrap_or_else(host)
    }

    /// The paths at which the node `number` is, of a file that was opened.
    pub fn paths_of(&self, number: u64) -> impl Iterator<Item = &str> {
        self.names.iter().filter(move |(_, node)| **node == Some(number)).map(|(path, _)| &**path)
    }

    /// Follows `path` from the absolute, normal path `directory`. A link at its end is followed if `follow`.
    /// That nothing is at its end is no error; that something is missing on the way is.
    pub fn resolve(
        &mut self,
        host: &dyn HostFiles,
        directory: &str,
        path: &str,
        follow: bool,
    ) -> Result<Found, i32> {
        self.resolve_noting(host, directory, path, follow, &mut Vec::new())
    }

    /// [`resolve`](Self::resolve), with the places of the names that were `looked` up.
    pub fn resolve_noting(
        &mut self,
        host: &dyn HostFiles,
        directory: &str,
        path: &str,
        follow: bool,
        looked: &mut Vec<Place>,
    ) -> Result<Found, i32> {
        if path.is_empty() {
            return Err(ENOENT);
        }
        let mut must_be_directory = is_of_directory(path);
        let mut components = Components::new(path);
        let mut at =
            if path.starts_with('/') { String::new() } else { directory.trim_end_matches('/').to_string() };
        let mut links = 0;
        while let Some(name) = components.next() {
            if name == ".." {
                at.truncate(at.rfind('/').unwrap_or(0));
                continue;
            }
            let candidate = format!("{at}/{name}");
            let last = components.is_empty();
            looked.push(name_place(&at, &name));
            let Some(node) = self.look(host, &candidate) else {
                let may_be_new = last && !path.ends_with("/.");
                return if may_be_new { Ok(Found { path: candidate, node: None }) } else { Err(ENOENT) };
            };
            match &self.nodes[&node].kind {
                NodeKind::Link(target) if !last || follow || must_be_directory => {
                    links += 1;
                    if links > MAXIMUM_LINKS {
                        return Err(ELOOP);
                    }
                    if target.starts_with('/') {
                        at.clear();
                    }
                    must_be_directory |= last && is_of_directory(target);
                    components.prepend(target);
                }
                NodeKind::Directory => at = candidate,
                _ if !last || must_be_directory => return Err(ENOTDIR),
                _ => return Ok(Found { path: candidate, node: Some(node) }),
            }
        }
        if at.is_empty() {
            at.push('/');
        }
        looked.push(path_place(&at));
        let node = self.look(host, &at);
        Ok(Found { path: at, node })
    }

    /// The names in the directory at `path`: the host's in its order, then new ones in order of name.
    pub fn list(&self, host: &dyn HostFiles, path: &str) -> Vec<String> {
        let prefix = if path == "/" { "/".to_string() } else { format!("{path}/") };
        let full = |name: &str| format!("{prefix}{name}");
        let mut names = host.list(path).unwrap_or_default();
        names.retain(|name| !matches!(self.names.get(full(name).as_str()), Some(None)));
        let of_host: FxHashSet<String> = names.iter().cloned().collect();
        for (other, node) in self.names.range(Arc::<str>::from(prefix.as_str())..) {
            let Some(name) = other.strip_prefix(&prefix) else { break };
            let own = node.is_some() && !name.is_empty() && !name.contains('/');
            if own && !of_host.contains(name) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// The bytes of the file `number` at `path`, read from the host if they were not yet.
    pub fn load(&mut self, host: &dyn HostFiles, number: u64, path: &str) {
        if let Some(node) = self.nodes.get_mut(&number)
            && matches!(node.kind, NodeKind::Unread(_))
        {
            node.kind = NodeKind::File(Content::of_host(&host.read(path).unwrap_or_default()));
            // The resulting node has a name from now on.
            self.names.insert(path.into(), Some(number));
        }
    }

    /// The files that the program has written or done away with, by path; nothing for one that is gone.
    pub fn left(&self) -> Vec<(String, Option<Stretch>)> {
        let left = self.names.iter().filter_map(|(path, number)| {
            let left = match number.map(|number| self.node(number)) {
                None => None,
                Some(Some(Node { kind: NodeKind::File(content), .. })) if !content.is_of_host => {
                    Some(content.read(0, content.length()))
                }
                Some(_) => return None,
            };
            Some((path.to_string(), left))
        });
        left.collect()
    }

    /// Moves every name below the directory `from` to below `to`.
    pub fn move_below(&mut self, from: &str, to: &str) {
        let prefix = format!("{from}/");
        let moved: Vec<(Arc<str>, Option<u64>)> = self
            .names
            .range(Arc::<str>::from(prefix.as_str())..)
            .take_while(|(name, _)| name.starts_with(&prefix))
            .map(|(name, node)| (name.clone(), *node))
            .collect();
        for (name, node) in moved {
            self.names.insert(format!("{to}/{}", &name[prefix.len()..]).into(), node);
            self.names.insert(name, None);
        }
    }

    /// Whether the node `number` is the host's.
    pub fn is_of_host(number: u64) -> bool {
        number & HOST_NODE != 0
    }
}

/// Whether a path, by how it ends, leads to a directory or nowhere (POSIX.1-2017, XBD 4.13).
fn is_of_directory(path: &str) -> bool {
    path.ends_with('/') || path.ends_with("/.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostMetadata;

    #[derive(Debug)]
    struct TwoFiles;

    impl HostFiles for TwoFiles {
        fn metadata(&self, path: &str) -> Option<HostMetadata> {
            let kind = match path {
                "/data" => HostKind::Directory,
                "/data/a" | "/data/b" => HostKind::File,
                "/data/link" => HostKind::Link,
                _ => return None,
            };
            Some(HostMetadata { kind, size: 2, permissions: 0o644, modified: 0 })
        }

        fn read(&self, path: &str) -> Option<Arc<[u8]>> {
            Some(path.as_bytes()[path.len() - 2..].into())
        }

        fn list(&self, path: &str) -> Option<Vec<String>> {
            (path == "/data").then(|| ["b", "a", "link"].map(String::from).to_vec())
        }

        fn link(&self, _: &str) -> Option<String> {
            Some("../data/./a".into())
        }
    }

    #[test]
    fn paths_are_followed_through_links_and_parents() {
        let mut files = FileSystem::new("/data", &TwoFiles, Time::default());
        let direct = files.resolve(&TwoFiles, "/", "data/a", true).unwrap();
        assert!(direct.node.is_some());
        for path in ["link", "./a", "../data//a", "/data/link", "/tmp/../data/a"] {
            assert_eq!(files.resolve(&TwoFiles, "/data", path, true), Ok(direct.clone()), "{path}");
        }
        assert_eq!(files.resolve(&TwoFiles, "/data", "link", false).unwrap().path, "/data/link");
        assert_eq!(files.resolve(&TwoFiles, "/data", "a/x", true), Err(ENOTDIR));
        assert_eq!(files.resolve(&TwoFiles, "/data", "a/", true), Err(ENOTDIR));
        assert_eq!(files.resolve(&TwoFiles, "/data", "a/.", true), Err(ENOTDIR));
        assert_eq!(files.resolve(&TwoFiles, "/data", "no/.", true), Err(ENOENT));
        assert_eq!(files.resolve(&TwoFiles, "/data", "no/x", true), Err(ENOENT));
        assert_eq!(files.resolve(&TwoFiles, "/data", "no", true).unwrap().node, None);
        assert_eq!(files.resolve(&TwoFiles, "/data", "..", true).unwrap().path, "/");
    }

    #[test]
    fn a_listing_is_the_hosts_without_what_was_removed_and_with_what_was_made() {
        let mut files = FileSystem::new("/", &TwoFiles, Time::default());
        files.name("/data/b", None);
        files.create(ThreadId::MAIN, "/data/z", NodeKind::Directory, 0o755);
        files.create(ThreadId::MAIN, "/data/z/deep", NodeKind::Directory, 0o755);
        assert_eq!(files.list(&TwoFiles, "/data"), ["a", "link", "z"]);
        assert_eq!(files.list(&TwoFiles, "/"), ["dev", "tmp"]);
    }

    #[test]
    fn node_numbers_of_host_files_do_not_depend_on_the_order_of_look_ups() {
        let mut first = FileSystem::new("/", &TwoFiles, Time::default());
        let mut second = first.clone();
        let (a, b) = (first.look(&TwoFiles, "/data/a"), first.look(&TwoFiles, "/data/b"));
        let (b_again, a_again) = (second.look(&TwoFiles, "/data/b"), second.look(&TwoFiles, "/data/a"));
        assert_eq!((a, b), (a_again, b_again));
        assert_ne!(a, b);
    }
}
