//! Bitcode linked with the C library, as the command links it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::folder;
use symx_interp::Environment;
use symx_ir::{Module, Program};
use symx_posix_model::{Posix, ROOTS};

/// How the library is loaded.
const PROMOTED: LoadOptions = LoadOptions { promote: true, in_program: false };

/// The C library: what `SYMX_LIBC` names, else what `./x setup` has built.
pub fn library() -> Module {
    let built = folder().join("../.deps/musl/libc.bc");
    module(&std::env::var_os("SYMX_LIBC").map_or(built, PathBuf::from), &PROMOTED)
}

/// The module in a file.
pub fn module(path: &Path, options: &LoadOptions) -> Module {
    let code = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    symx_bitcode::load(path, &code, options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A program of one module and the library.
pub fn link(module: Module, library: &Module) -> Arc<Program> {
    let models = <Posix as Environment>::models;
    let linked = symx_ir::link(vec![module, library.clone()], ROOTS, &models);
    Arc::new(linked.unwrap_or_else(|error| panic!("{error}")))
}
