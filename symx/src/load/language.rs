//! The languages whose source files symx compiles, by the ends of their names.

use std::path::Path;

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
    /// Rust.
    Rust,
}

/// The ends of names of source files.
const EXTENSIONS: [(&str, Language); 7] = [
    ("c", Language::C),
    ("i", Language::C),
    ("cc", Language::Cxx),
    ("cpp", Language::Cxx),
    ("cxx", Language::Cxx),
    ("C", Language::Cxx),
    ("rs", Language::Rust),
];

impl Language {
    /// The language of a source file; `None` if it is none.
    pub fn of(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_str()?;
        EXTENSIONS.iter().find(|(known, _)| *known == end).map(|&(_, language)| language)
    }

    /// Whether its compiler can add checks of signed arithmetic.
    pub fn is_checked(self) -> bool {
        matches!(self, Self::C | Self::Cxx)
    }

    /// The name of its compiler.
    pub fn compiler(self) -> &'static str {
        match self {
            Self::C | Self::Cxx => "clang",
            Self::Rust => "rustc",
        }
    }
}
