//! Files that symx makes in its own folders, as `--out` names one, and those that only their owner is to
//! read.
//!
//! A folder for results may lie where others write, or be an old one. A file that stands there already under
//! the name is replaced, not followed. A symbolic link would lead to a file that is none of symx's.

use crate::refusal::Refusal;
use serde::Serialize;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a folder that the user named, with those above it.
pub fn make_folder(folder: &Path) -> Result<(), Refusal> {
    std::fs::create_dir_all(folder).map_err(|error| Refusal::unwritable(folder, error))
}

/// Makes a folder in one of symx's own; what lies there may be such a folder already, and no link to one.
pub fn make_inner_folder(folder: &Path) -> Result<(), Refusal> {
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let there = folder.symlink_metadata().map_err(|error| Refusal::unwritable(folder, error))?;
            if there.is_dir() { Ok(()) } else { Err(Refusal::unwritable(folder, error)) }
        }
        done => done.map_err(|error| Refusal::unwritable(folder, error)),
    }
}

/// Writes a file in one of symx's own folders: whole or not at all, in place of what has its name.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    write_with(path, |out| out.write_all(bytes))
}

/// Writes a value as JSON, likewise.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Refusal> {
    write_with(path, |out| serde_json::to_writer(out, value).map_err(std::io::Error::from))
}

fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<(), Refusal> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = || {
        // Made under a name that no file has. Its permissions are as they were, or those of any new file.
        let earlier = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
        let mode = earlier.map_or(0o666, |earlier| earlier.permissions().mode() & 0o777);
        let permissions = Permissions::from_mode(mode);
        let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
        let mut out = BufWriter::new(file.as_file_mut());
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    written().map_err(|error| Refusal::unwritable(path, error))
}

/// Opens a file for writing that holds what only its owner is to know: environments, input, parts of memory.
pub fn create_private(path: &Path) -> std::io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_that_lie_in_a_folder_are_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("victim"), folder.path().join("trace.json"));
        std::fs::write(&victim, "kept").unwrap();
        symlink(&victim, &path).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "kept");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert!(path.symlink_metadata().unwrap().is_file());
        write_json(&path, &[1, 2]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[1,2]");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);

        let elsewhere = folder.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let inner = folder.path().join("failure-1");
        symlink(&elsewhere, &inner).unwrap();
        assert!(make_inner_folder(&inner).is_err());
        std::fs::remove_file(&inner).unwrap();
        make_inner_folder(&inner).unwrap();
        make_inner_folder(&inner).unwrap();
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_the_owner_reads_what_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("path.prof");
        std::fs::write(&path, "old").unwrap();
        create_private(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        create_private(Path::new("/dev/null")).unwrap();
    }
}
