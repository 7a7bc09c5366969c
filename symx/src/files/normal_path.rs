//! Paths by their text alone.

use std::path::{Component, Path, PathBuf};

/// `path` without `.`, `..` and repeated separators.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_paths_have_no_detours() {
        assert_eq!(normal(Path::new("/a/./b/../c//d")), Path::new("/a/c/d"));
        assert_eq!(normal(Path::new("/../a")), Path::new("/a"));
    }
}
