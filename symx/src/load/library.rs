//! The C library and C++'s: found, decoded once, and kept decoded beside them or in the user's cache folder.

use super::child::decode;
use crate::refusal::Refusal;
use std::path::{Path, PathBuf};
use symx_bitcode::LoadOptions;
use symx_ir::{Definition, Module};

/// A library in bitcode.
struct Library {
    /// Its file.
    file: &'static str,
    /// The variable of the environment that may name another.
    variable: &'static str,
    /// Where the build that made this executable keeps it.
    built: &'static str,
}

const C: Library = Library {
    file: "libc.bc",
    variable: "SYMX_LIBC",
    built: concat!(env!("CARGO_MANIFEST_DIR"), "/../.deps/musl/libc.bc"),
};

const CXX: Library = Library {
    file: "libstdcxx.bc",
    variable: "SYMX_LIBSTDCXX",
    built: concat!(env!("CARGO_MANIFEST_DIR"), "/../.deps/libstdcxx/libstdcxx.bc"),
};

/// How many decoded versions of a library are kept; several builds of symx may share a folder.
const VERSIONS: usize = 8;

/// Bytes of the checksum in front of a cached module.
const CHECKSUM: usize = 32;

/// The libraries that `program` needs, in the order in which they are to be linked.
pub fn libraries(program: &Module) -> Result<Vec<Module>, Refusal> {
    let cxx = needs_cxx(program).then(|| find(&CXX)).flatten();
    let c = find(&C).ok_or(Refusal::NoLibrary)?;
    let named = cxx.map(|path| (CXX, path)).into_iter().chain([(C, c)]);
    named.map(|(library, path)| decoded(&library, path)).collect()
}

/// Whether a program uses what only a C++ runtime defines. Programs in C do not pay for one.
fn needs_cxx(program: &Module) -> bool {
    let foreign = program.symbols.iter().filter(|symbol| symbol.definition == Definition::None);
    foreign.into_iter().any(|symbol| symbol.name.starts_with("_Z") || symbol.name.starts_with("__cxa_"))
}

fn decoded(library: &Library, path: PathBuf) -> Result<Module, Refusal> {
    let bytes = std::fs::read(&path).map_err(|error| Refusal::unreadable(&path, error))?;
    let key = blake3::hash(&bytes).to_hex();
    let stem = library.file.trim_end_matches(".bc");
    let name = format!("{stem}-{}-{}.decoded", &key[..16], env!("SYMX_DECODER_VERSION"));
    let folders = cache_folders(&path);
    if let Some(module) = folders.iter().find_map(|folder| read_cached(&folder.join(&name))) {
        return Ok(module);
    }
    // The library is no part of the program under test, so the recorder never logs it.
    let module = decode(&path, &path, &LoadOptions { promote: true, recorded: false })?;
    if let Ok(encoded) = postcard::to_stdvec(&module) {
        // A cache nobody can write costs time, nothing else.
        let _ = folders.iter().try_for_each(|folder| match write_cached(folder, &name, &encoded) {
            Ok(()) => {
                forget_old(folder, &format!("{stem}-"));
                Err(())
            }
            Err(_) => Ok(()),
        });
    }
    Ok(module)
}

/// What its variable names, else beside the executable, else where the build put it.
fn find(library: &Library) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(library.variable) {
        return Some(named.into());
    }
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join(library.file)));
    beside.into_iter().chain([library.built.into()]).find(|path| path.is_file())
}

/// Folders for the decoded library, best first.
fn cache_folders(library: &Path) -> Vec<PathBuf> {
    let beside = library.parent().map(Path::to_path_buf);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let users =
        std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home).map(|folder| folder.join("symx"));
    beside.into_iter().chain(users).collect()
}

fn read_cached(path: &Path) -> Option<Module> {
    let bytes = std::fs::read(path).ok()?;
    let (checksum, encoded) = bytes.split_at_checked(CHECKSUM)?;
    if blake3::hash(encoded).as_bytes() != checksum {
        return None;
    }
    postcard::from_bytes(encoded).ok()
}

/// Appears complete or not at all, even when several symx start at once.
fn write_cached(folder: &Path, name: &str, encoded: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, blake3::hash(encoded).as_bytes())?;
    std::io::Write::write_all(&mut file, encoded)?;
    file.persist(folder.join(name))?;
    Ok(())
}

/// Removes all but the newest decoded versions of a library. Who is just reading one goes on.
fn forget_old(folder: &Path, prefix: &str) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let versions = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(".decoded"))
    });
    let mut versions: Vec<_> =
        versions.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    versions.sort();
    for (_, path) in versions.iter().rev().skip(VERSIONS) {
        // One that stays takes room, nothing else.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        for version in 0..VERSIONS + 3 {
            write_cached(folder.path(), &format!("libc-{version}.decoded"), b"").unwrap();
        }
        write_cached(folder.path(), "libc.bc", b"").unwrap();
        forget_old(folder.path(), "libc-");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, VERSIONS + 1, "and the library itself");
    }

    #[test]
    fn a_damaged_cache_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let module = Module { path: "libc".into(), ..Module::default() };
        write_cached(folder.path(), "cached", &postcard::to_stdvec(&module).unwrap()).unwrap();
        let path = folder.path().join("cached");
        assert_eq!(read_cached(&path).map(|module| module.path), Some("libc".into()));
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(read_cached(&path).is_none());
    }
}
