//! The headers that programs may include: `symx.h`, `klee/klee.h` and `omp.h`, part of the executable.

use std::path::{Path, PathBuf};

/// Path below the folder of headers, and text.
const HEADERS: [(&str, &str); 3] = [
    ("omp.h", include_str!("../../include/omp.h")),
    ("symx.h", include_str!("../../include/symx.h")),
    ("klee/klee.h", include_str!("../../include/klee/klee.h")),
];

/// Writes the headers below `folder`; returns the folder for the compiler to search.
pub fn install(folder: &Path) -> std::io::Result<PathBuf> {
    let folder = folder.join("include");
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
            continue;
        }
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent)?;
        // Appears complete or not at all: several compilations may share the folder.
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        file.persist(path)?;
    }
    Ok(folder)
}
