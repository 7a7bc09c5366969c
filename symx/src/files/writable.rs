//! Whether files and folders can be written, asked before anything is done for which they are to be written.

use crate::refusal::Refusal;
use rustix::fs::{Access, access};
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Refuses a file that cannot be made or written. `-` is standard output.
pub fn check_file(path: &Path) -> Result<(), Refusal> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    let checked = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(Error::from(ErrorKind::IsADirectory)),
        Ok(_) => allows(path, Access::WRITE_OK),
        Err(error) if error.kind() == ErrorKind::NotFound => match path.file_name() {
            Some(_) => folder_takes_files(parent(path)),
            None => Err(error),
        },
        Err(error) => Err(error),
    };
    checked.map_err(|error| Refusal::unwritable(path, error))
}

/// Refuses a folder in which no files can be made. It need not be there yet, nor those above it.
pub fn check_folder(path: &Path) -> Result<(), Refusal> {
    let nearest = path.ancestors().find(|folder| std::fs::symlink_metadata(at(folder)).is_ok());
    folder_takes_files(nearest.map_or(Path::new("."), at)).map_err(|error| Refusal::unwritable(path, error))
}

fn folder_takes_files(folder: &Path) -> Result<(), Error> {
    if !std::fs::metadata(folder)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    allows(folder, Access::WRITE_OK | Access::EXEC_OK)
}

fn allows(path: &Path, rights: Access) -> Result<(), Error> {
    access(path, rights).map_err(Error::from)
}

fn parent(path: &Path) -> &Path {
    path.parent().map_or(Path::new("."), at)
}

/// The present folder has no name.
fn at(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_made_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        for writable in ["file", "new"] {
            assert!(check_file(&at(writable)).is_ok(), "{writable}");
        }
        assert!(check_file(Path::new("-")).is_ok() && check_file(Path::new("new-here")).is_ok());
        let refused = |name: &str| check_file(&at(name)).unwrap_err().to_string();
        assert!(refused("none/new").ends_with("no such file or directory"), "{}", refused("none/new"));
        assert!(refused("file/new").ends_with("not a directory"), "{}", refused("file/new"));
        assert!(refused("").ends_with("is a directory"), "{}", refused(""));
        assert!(check_folder(&at("a/b/c")).is_ok() && check_folder(Path::new("new-here")).is_ok());
        assert!(check_folder(&at("file")).is_err() && check_folder(&at("file/a")).is_err());
        assert_eq!(std::fs::read(at("file")).unwrap(), b"x", "nothing is touched");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "and nothing is made");
    }
}
