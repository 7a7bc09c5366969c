//! Source files, as far as they are still there and may be shown.
//!
//! Which files a program was compiled from is what its debug information says. An explanation may say
//! anything: a name is no reason to open a file. Only regular files of a sensible size are read, below
//! folders that are trusted. Those are where the program was compiled, and those that the user names.

use crate::refusal::Refusal;
use clap::Args;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// No source file is larger; what is generated may be a few million bytes.
const LARGEST: u64 = 16 << 20;

/// Where source lies.
#[derive(Args, Clone, Debug, Default)]
pub struct SourceOptions {
    /// Also show source files below this folder, besides those in the folder of compilation; moved files are
    /// found by the ends of their paths (may be repeated)
    #[arg(long = "source-root", value_name = "DIR")]
    roots: Vec<PathBuf>,
}

/// Where source files are looked for.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    /// Folders below which the source lies now, if not where it was compiled.
    roots: Vec<PathBuf>,
    /// Folders below which files are shown by their own names.
    folders: Vec<PathBuf>,
    /// The folder to which shown paths are relative.
    here: Option<PathBuf>,
}

impl SourceOptions {
    /// The text of files below the folders that the options name, and below those of `trusted` that are
    /// there.
    pub fn text<'a>(&self, trusted: impl IntoIterator<Item = &'a Path>) -> Result<SourceText, Refusal> {
        let root = |root: &PathBuf| root.canonicalize().map_err(|error| Refusal::unreadable(root, error));
        let roots: Vec<PathBuf> = self.roots.iter().map(root).collect::<Result<_, _>>()?;
        // Everything lies below `/`: that would be no bound.
        let is_bound = |folder: &PathBuf| folder.parent().is_some();
        let trusted = trusted.into_iter().filter_map(|folder| folder.canonicalize().ok()).filter(is_bound);
        let mut folders: Vec<PathBuf> = trusted.chain(roots.iter().cloned()).collect();
        folders.sort_unstable();
        folders.dedup();
        let here = std::env::current_dir().ok().filter(is_bound);
        Ok(SourceText { roots, folders, here })
    }
}

impl SourceText {
    /// The text of a file that was compiled under this name; bytes that are no UTF-8 are replaced.
    pub fn read(&self, file: &str) -> Option<String> {
        self.places(file).find_map(|path| self.open(&path)).map(text)
    }

    /// A path as it is shown: from the present folder on, if it leads below that. One of a crate that Cargo
    /// has downloaded begins with the crate and its version.
    pub fn near<'p>(&self, file: &'p str) -> &'p str {
        let below = self.here.as_ref().and_then(|here| Path::new(file).strip_prefix(here).ok());
        let below = below.and_then(Path::to_str).filter(|below| !below.is_empty());
        below.or_else(|| within_registry(file)).unwrap_or(file)
    }

    /// Below each root by ever shorter ends of its name, then the file itself.
    fn places<'a>(&'a self, file: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        let ends = self.roots.iter().flat_map(move |root| {
            let separators = file.match_indices('/').map(|(at, _)| at + 1);
            std::iter::once(0).chain(separators).map(move |at| root.join(file[at..].trim_start_matches('/')))
        });
        ends.chain(std::iter::once(Path::new(file).to_path_buf())).filter(|_| !file.is_empty())
    }

    /// The content of a file, if it may be shown.
    fn open(&self, path: &Path) -> Option<Vec<u8>> {
        // Where symbolic links lead counts, not where they lie.
        let path = path.canonicalize().ok()?;
        if !self.folders.iter().any(|folder| path.starts_with(folder)) || !path.metadata().ok()?.is_file() {
            return None;
        }
        // Another file that has taken its place meanwhile is looked at again, and opening it does not block.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(&path, flags, Mode::empty()).ok()?);
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= LARGEST).then_some(bytes)
    }
}

/// The part of a path within Cargo's folder of the crates of one registry.
fn within_registry(file: &str) -> Option<&str> {
    let (_, registry) = file.split_once("/.cargo/registry/src/")?;
    registry.split_once('/').map(|(_, of_crate)| of_crate)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(trusted: &[&Path], roots: &[&Path]) -> SourceText {
        let roots = roots.iter().map(|root| root.to_path_buf()).collect();
        SourceOptions { roots }.text(trusted.iter().copied()).unwrap()
    }

    fn name(path: &Path) -> &str {
        path.to_str().unwrap()
    }

    #[test]
    fn a_moved_file_is_found_by_the_end_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        std::fs::write(folder.path().join("lib/a.c"), b"int x; // \xff").unwrap();
        let moved = below(&[], &[folder.path()]);
        assert_eq!(moved.read("/gone/src/lib/a.c").unwrap(), "int x; // \u{fffd}");
        assert_eq!(moved.read("/gone/src/lib/b.c"), None);
        assert_eq!(SourceText::default().read("/gone/src/lib/a.c"), None);
        assert_eq!(moved.read(""), None);
    }

    #[test]
    fn files_of_downloaded_crates_begin_with_the_crate() {
        let list = "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/oneshot-0.2.1/src/lib.rs";
        assert_eq!(SourceText::default().near(list), "oneshot-0.2.1/src/lib.rs");
        assert_eq!(
            SourceText::default().near("/home/me/registry/src/a/b.rs"),
            "/home/me/registry/src/a/b.rs"
        );
    }

    #[test]
    fn what_lies_elsewhere_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(inside.join("a.c"), "a").unwrap();
        std::fs::write(outside.join("secret"), "s").unwrap();
        std::os::unix::fs::symlink(outside.join("secret"), inside.join("link.c")).unwrap();
        std::os::unix::fs::symlink(inside.join("a.c"), inside.join("own.c")).unwrap();
        let source = below(&[&inside], &[]);
        assert_eq!(source.read(name(&inside.join("a.c"))).as_deref(), Some("a"));
        assert_eq!(source.read(name(&inside.join("own.c"))).as_deref(), Some("a"));
        let leaves = [inside.join("link.c"), inside.join("../outside/secret"), outside.join("secret")];
        assert!(leaves.iter().all(|path| source.read(name(path)).is_none()));
        let rooted = below(&[], &[&inside]);
        assert!(rooted.read("/x/../outside/secret").is_none() && rooted.read("link.c").is_none());
        assert!(below(&[Path::new("/")], &[]).read(name(&inside.join("a.c"))).is_none());
        assert!(below(&[&inside], &[&outside]).read(name(&outside.join("secret"))).is_some());
    }

    #[test]
    fn what_is_no_file_or_without_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        File::create(path("vast.c")).unwrap().set_len(LARGEST + 1).unwrap();
        let source = below(&[folder.path(), Path::new("/dev")], &[]);
        for name in ["pipe", "folder", "vast.c"] {
            assert_eq!(source.read(path(name).to_str().unwrap()), None, "{name}");
        }
        assert_eq!(source.read("/dev/zero"), None);
    }
}
