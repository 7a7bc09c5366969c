//! The C library: found, decoded once, and kept decoded beside it or in the user's cache folder.

use super::child::decode;
use crate::refusal::Refusal;
use std::path::{Path, PathBuf};
use symx_bitcode::LoadOptions;
use symx_ir::Module;

/// Where the build that made this executable keeps the library.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.deps/musl/libc.bc");

/// Bytes of the checksum in front of a cached module.
const CHECKSUM: usize = 32;

/// The library's module.
pub fn library() -> Result<Module, Refusal> {
    let path = find().ok_or(Refusal::NoLibrary)?;
    let bytes = std::fs::read(&path).map_err(|error| Refusal::unreadable(&path, error))?;
    let key = blake3::hash(&bytes).to_hex();
    let name = format!("libc-{}-{}.decoded", &key[..16], env!("SYMX_DECODER_VERSION"));
    let folders = cache_folders(&path);
    if let Some(module) = folders.iter().find_map(|folder| read_cached(&folder.join(&name))) {
        return Ok(module);
    }
    // The library is no part of the program under test, so the recorder never logs it.
    let module = decode(&path, &path, &LoadOptions { promote: true, recorded: false })?;
    if let Ok(encoded) = postcard::to_stdvec(&module) {
        // A cache nobody can write costs time, nothing else.
        let _ = folders.iter().try_for_each(|folder| match write_cached(folder, &name, &encoded) {
            Ok(()) => Err(()),
            Err(_) => Ok(()),
        });
    }
    Ok(module)
}

/// `SYMX_LIBC`, else beside the executable, else where the build put it.
fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SYMX_LIBC") {
        return Some(named.into());
    }
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("libc.bc")));
    beside.into_iter().chain([BUILT.into()]).find(|path| path.is_file())
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

#[cfg(test)]
mod tests {
    use super::*;

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
