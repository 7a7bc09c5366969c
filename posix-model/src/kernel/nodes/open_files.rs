//! Open files, which descriptors stand for.

use imbl::OrdMap;
use std::sync::Arc;
use symx_interp::Table;
use symx_trace::ThreadId;

// Flags of open files.
pub(crate) const READ_ONLY: u32 = 0;
pub(crate) const WRITE_ONLY: u32 = 1;
pub(crate) const READ_AND_WRITE: u32 = 2;
pub(crate) const ACCESS_MODE: u32 = 3;
pub(crate) const APPEND: u32 = 0o2000;
pub(crate) const NONBLOCK: u32 = 0o4000;

/// Flag of calls that make a descriptor: it is closed when its process executes a program.
pub(crate) const CLOSE_ON_EXEC: u64 = 0o2_000_000;
/// All flags of calls that make a descriptor for what has no name.
pub(crate) const FLAGS_OF_NAMELESS: u64 = CLOSE_ON_EXEC | NONBLOCK as u64;

/// An open file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpenFile {
    /// The open node.
    pub node: u64,
    /// The directory's path; empty for anything else.
    pub path: Arc<str>,
    /// The absolute, normal path that it was opened by; empty if there was none. It is kept up while any
    /// descriptor for notifications is open.
    pub name: Arc<str>,
    /// How it was opened.
    pub flags: u32,
    /// Where the next read or write happens; in a directory, the next entry.
    pub position: u64,
    /// The entries, once a directory has been read.
    pub listing: Option<Arc<[String]>>,
    /// Descriptors bound to it, and private mappings of it.
    references: u32,
}

impl OpenFile {
    // Opened for all of `ACCESS_MODE`, it is for control alone.
    pub fn is_readable(&self) -> bool {
        matches!(self.flags & ACCESS_MODE, READ_ONLY | READ_AND_WRITE)
    }

    pub fn is_writable(&self) -> bool {
        matches!(self.flags & ACCESS_MODE, WRITE_ONLY | READ_AND_WRITE)
    }
}

/// All open files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OpenFiles {
    files: Table<u64, OpenFile>,
    /// How many open files each thread has made.
    made: OrdMap<ThreadId, u64>,
}

impl OpenFiles {
    /// Opens `node` for `thread`; no descriptor is bound to it yet. Its number does not depend on what other
    /// threads have opened.
    pub fn open(&mut self, thread: ThreadId, node: u64, path: Arc<str>, flags: u32) -> u64 {
        let made = self.made.entry(thread).or_insert(0);
        let number = u64::from(thread.0) << 32 | *made;
        *made += 1;
        let name = Arc::clone(&path);
        let file = OpenFile { node, path, name, flags, position: 0, listing: None, references: 0 };
        self.files.insert(number, file);
        number
    }

    /// A descriptor or a mapping keeps `file` open.
    pub fn add_reference(&mut self, file: u64) {
        self.change(file, |file| file.references += 1);
    }

    /// A descriptor or a mapping of the file `number` is gone; returns the file if that is closed now.
    pub fn drop_reference(&mut self, number: u64) -> Option<OpenFile> {
        let file = self.files.get_mut(&number)?;
        file.references -= 1;
        if file.references == 0 { self.files.remove(&number) } else { None }
    }

    /// Whether `file` is closed with the next descriptor or mapping of it.
    pub fn has_one_reference(&self, file: u64) -> bool {
        self.files.get(&file).is_some_and(|file| file.references == 1)
    }

    /// Whether `file` is still open.
    pub fn is_open(&self, file: u64) -> bool {
        self.files.contains_key(&file)
    }

    /// The open file numbered `file`, which must exist.
    pub fn get(&self, file: u64) -> &OpenFile {
        &self.files[&file]
    }

    /// Changes an open file.
    pub fn change(&mut self, file: u64, change: impl FnOnce(&mut OpenFile)) {
        if let Some(file) = self.files.get_mut(&file) {
            change(file);
        }
    }

    /// The numbers of all open files.
    pub fn all(&self) -> impl Iterator<Item = u64> + use<> {
        let mut numbers: Vec<u64> = self.files.keys().copied().collect();
        numbers.sort_unstable();
        numbers.into_iter()
    }

    /// The nodes of all open files.
    pub fn nodes(&self) -> impl Iterator<Item = u64> {
        let mut numbers: Vec<u64> = self.files.values().map(|file| file.node).collect();
        numbers.sort_unstable();
        numbers.into_iter()
    }

    /// Open files with this node, as far as `which` holds for them.
    pub fn count(&self, node: u64, which: impl Fn(&OpenFile) -> bool) -> usize {
        self.files.values().filter(|file| file.node == node && which(file)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_closed_with_what_stood_for_it_last() {
        let mut open = OpenFiles::default();
        let file = open.open(ThreadId::MAIN, 7, "".into(), READ_ONLY);
        open.add_reference(file);
        open.add_reference(file);
        assert!(open.drop_reference(file).is_none() && open.is_open(file));
        assert_eq!(open.drop_reference(file).map(|file| file.node), Some(7));
        assert!(open.drop_reference(file).is_none() && !open.is_open(file));
    }
}
