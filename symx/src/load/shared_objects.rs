//! The shared objects that a program loads, where its loader would find them. The folders of the system are
//! left out: what is there carries no bitcode.

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH};
use object::read::elf::{Dyn, ElfFile64};
use object::{Object, ObjectSymbol};
use rustc_hash::FxHashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The most that are followed.
const MOST: usize = 256;

/// The files of the shared objects that the program at `path` names, and of those that they name: as a loader
/// looks for definitions, the program's first.
pub(super) fn of(path: &Path, program: &[u8]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut seen = FxHashSet::default();
    let mut found: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut wanted = named(path, program);
    let mut next = 0;
    loop {
        for path in wanted {
            if found.len() < MOST
                && let Ok(path) = path.canonicalize()
                && seen.insert(path.clone())
                && let Ok(bytes) = std::fs::read(&path)
            {
                found.push((path, bytes));
            }
        }
        let Some((path, bytes)) = found.get(next) else { return found };
        wanted = named(path, bytes);
        next += 1;
    }
}

/// The names that a file gives to others.
pub(super) fn names(file: &[u8]) -> FxHashSet<String> {
    let Ok(file) = object::File::parse(file) else { return FxHashSet::default() };
    let given = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    given.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// The files of the shared objects that a file names.
fn named(path: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let Some((needed, mut folders)) = words(path, bytes) else { return Vec::new() };
    let others = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&others).filter(|folder| !folder.as_os_str().is_empty()));
    let file = |name: &PathBuf| match name.components().count() {
        1 => folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()),
        _ => Some(name.clone()),
    };
    needed.iter().filter_map(file).collect()
}

/// The shared objects that a file names, and the folders in which it looks for them.
fn words(path: &Path, bytes: &[u8]) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let file = ElfFile64::<object::Endianness>::parse(bytes).ok()?;
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let (entries, strings) = sections.dynamic(endian, bytes).ok()??;
    let strings = sections.strings(endian, bytes, strings).ok()?;
    let own = path.canonicalize().ok()?.parent()?.to_owned();
    let (mut needed, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        let Ok(text) = entry.string(endian, strings) else { continue };
        match entry.tag32(endian) {
            Some(DT_NEEDED) => needed.push(PathBuf::from(OsStr::from_bytes(text))),
            Some(DT_RPATH | DT_RUNPATH) => {
                folders.extend(text.split(|byte| *byte == b':').map(|folder| expanded(folder, &own)));
            }
            _ => {}
        }
    }
    Some((needed, folders))
}

/// A folder, which may begin with that of the file that names it.
fn expanded(folder: &[u8], own: &Path) -> PathBuf {
    for origin in [&b"$ORIGIN"[..], b"${ORIGIN}"] {
        if let Some(rest) = folder.strip_prefix(origin) {
            return own.join(OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest)));
        }
    }
    PathBuf::from(OsStr::from_bytes(folder))
}
