//! The C library and C++'s: found, decoded once, and kept decoded beside them or in the user's cache folder.

use super::cache::Cache;
use super::child::decode;
use crate::refusal::Refusal;
use std::path::PathBuf;
use symx_bitcode::LoadOptions;
use symx_ir::known_functions::is_of_cxx;
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

/// Where the C library is, if it is anywhere.
pub fn c_library() -> Option<PathBuf> {
    find(&C).filter(|path| path.is_file())
}

/// Where C++'s library is, if it is anywhere.
pub fn cxx_library() -> Option<PathBuf> {
    find(&CXX).filter(|path| path.is_file())
}

/// How many decoded versions of a library are kept; several builds of symx may share a folder.
const VERSIONS: usize = 8;

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
    foreign.into_iter().any(|symbol| is_of_cxx(&symbol.name))
}

fn decoded(library: &Library, path: PathBuf) -> Result<Module, Refusal> {
    let bytes = std::fs::read(&path).map_err(|error| Refusal::unreadable(&path, error))?;
    let hash = blake3::hash(&bytes);
    let cache = Cache::beside(&path, library.file.trim_end_matches(".bc"), VERSIONS);
    if let Some(module) = cache.find(&hash) {
        return Ok(module);
    }
    // The library is no part of the program under test, so the recorder never logs it.
    let module = decode(&path, &path, &LoadOptions { promote: true, in_program: false })?;
    cache.keep(&hash, &module);
    Ok(module)
}

/// The file that its variable names, else the one beside the executable, else the one where the build put it.
fn find(library: &Library) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(library.variable) {
        return Some(named.into());
    }
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join(library.file)));
    beside.into_iter().chain([library.built.into()]).find(|path| path.is_file())
}
