//! Libraries that carry their bitcode: `-lz` finds one of them where the system has a shared object alone.
//!
//! They come after the folders that the command line names and before the system's. Their headers come last.

use super::arguments::Task;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable of the environment that names another folder; empty for none.
const VARIABLE: &str = "SYMX_LIBRARIES";

/// Where the build that made this executable keeps them.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.deps/libraries");

/// The folder with `lib` and `include` of the libraries, if there is one.
pub(crate) fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|folder| folder.is_dir());
    }
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("libraries")));
    beside.into_iter().chain([BUILT.into()]).find(|folder| folder.is_dir())
}

/// Arguments for clang by which it finds them.
pub(super) fn arguments(folder: Option<&Path>, task: Task) -> Vec<OsString> {
    let Some(folder) = folder else { return Vec::new() };
    let mut arguments = vec!["-idirafter".into(), folder.join("include").into()];
    if task == Task::Link {
        let mut search = OsString::from("-L");
        search.push(folder.join("lib"));
        arguments.push(search);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_compiles_searches_no_libraries() {
        let folder = Path::new("/l");
        assert_eq!(arguments(Some(folder), Task::Compile), ["-idirafter", "/l/include"]);
        assert_eq!(arguments(Some(folder), Task::Link), ["-idirafter", "/l/include", "-L/l/lib"]);
        assert!(arguments(None, Task::Link).is_empty());
    }
}
