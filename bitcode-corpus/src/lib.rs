//! Programs with their expectations inside, and the tests that run them with the harness of crate `symx`.

use std::path::{Path, PathBuf};

/// The folder of the programs.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where compiled programs are kept from one test run to the next.
pub fn cache() -> PathBuf {
    folder().parent().unwrap_or(folder()).join("target/corpus-cache")
}
