//! Source files: compiled by the clang found on PATH.

use crate::native::driver::on_path;
use crate::native::headers;
use crate::refusal::Refusal;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The compilers looked for, best first: C, C++.
const COMPILERS: [[&str; 2]; 2] = [["clang-22", "clang++-22"], ["clang", "clang++"]];

/// Flags of every compilation: the code stays as close to its source as it can, with every position known,
/// and later passes are not kept out (`optnone`), so that the loader can promote variables to registers.
const FLAGS: [&str; 6] = ["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c"];

/// The compiler for C or C++ on PATH.
pub fn compiler(is_cxx: bool) -> Option<PathBuf> {
    on_path(&COMPILERS.map(|compilers| compilers[usize::from(is_cxx)]))
}

/// A compiled source file; the bitcode goes when this does.
pub struct Compiled {
    /// Where the bitcode is.
    pub bitcode: PathBuf,
    _folder: TempDir,
}

/// Compiles `source`. The compiler's messages pass through to stderr.
pub fn compile(source: &Path, is_cxx: bool) -> Result<Compiled, Refusal> {
    let folder = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
    let bitcode = folder.path().join("program.bc");
    let headers =
        headers::install(folder.path()).map_err(|error| Refusal::unwritable(folder.path(), error))?;
    let compiler = compiler(is_cxx).ok_or_else(|| Refusal::NoCompiler(source.into()))?;
    let status = Command::new(&compiler)
        .args(FLAGS)
        .arg("-pthread")
        .arg("-idirafter")
        .arg(&headers)
        .arg("-o")
        .arg(&bitcode)
        .arg("--")
        .arg(source)
        .status()
        .map_err(|error| Refusal::unreadable(&compiler, error))?;
    if status.success() {
        Ok(Compiled { bitcode, _folder: folder })
    } else {
        Err(Refusal::NotCompiled(source.into()))
    }
}
