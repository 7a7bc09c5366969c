//! The texts of programs.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// The text of a program. Annotations are ASCII: bytes that are no UTF-8 are replaced.
pub fn read(path: &Path) -> Result<String> {
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        // Says why it cannot be read.
        drop(std::fs::read_dir(path)?);
    }
    // Opening a pipe waits for the other end.
    if !kind.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "not a file"));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_other_encodings_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, b"// \xe9\n//@ native\n").unwrap();
        assert_eq!(read(&file).unwrap(), "// \u{fffd}\n//@ native\n");
        assert!(read(folder.path()).is_err() && read(&folder.path().join("none")).is_err());
    }
}
