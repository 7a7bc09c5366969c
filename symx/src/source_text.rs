//! Source files, as far as they are still there.

use std::path::{Path, PathBuf};

/// Where source files are looked for.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    /// Where the source lies now, if not where it was compiled.
    pub root: Option<PathBuf>,
}

impl SourceText {
    /// The text of a file that was compiled under this name; bytes that are no UTF-8 are replaced.
    pub fn read(&self, file: &str) -> Option<String> {
        self.places(file).find_map(|path| std::fs::read(path).ok()).map(text)
    }

    /// The file itself, then below the root by ever shorter ends of its name.
    fn places<'a>(&'a self, file: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        let ends = self.root.iter().flat_map(move |root| {
            let separators = file.match_indices('/').map(|(at, _)| at + 1);
            std::iter::once(0).chain(separators).map(move |at| root.join(file[at..].trim_start_matches('/')))
        });
        ends.chain(std::iter::once(Path::new(file).to_path_buf())).filter(|_| !file.is_empty())
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_file_is_found_by_the_end_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        std::fs::write(folder.path().join("lib/a.c"), b"int x; // \xff").unwrap();
        let moved = SourceText { root: Some(folder.path().into()) };
        assert_eq!(moved.read("/gone/src/lib/a.c").unwrap(), "int x; // \u{fffd}");
        assert_eq!(moved.read("/gone/src/lib/b.c"), None);
        assert_eq!(SourceText::default().read("/gone/src/lib/a.c"), None);
        assert_eq!(moved.read(""), None);
    }
}
