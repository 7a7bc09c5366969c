//! The compilers of programs: those that `symx run` takes.

use crate::load::compile::on_path;
use crate::load::compiler;
use crate::load::language::Language;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// A compiler that was found.
#[derive(Debug)]
pub struct Compiler {
    /// Its executable.
    pub path: PathBuf,
    /// All that it says of its version.
    pub version: String,
}

impl Compiler {
    fn at(path: PathBuf) -> Self {
        let output = Command::new(&path).arg("--version").output();
        let version = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        Self { path, version: version.unwrap_or_default() }
    }
}

/// The compiler of a language; `None` if there is none on PATH. It is looked for once.
pub fn compiler_of(language: Language) -> Option<&'static Compiler> {
    static C: LazyLock<Option<Compiler>> = LazyLock::new(|| compiler(false).map(Compiler::at));
    static CXX: LazyLock<Option<Compiler>> = LazyLock::new(|| compiler(true).map(Compiler::at));
    static RUST: LazyLock<Option<Compiler>> = LazyLock::new(|| on_path(&["rustc"]).map(Compiler::at));
    match language {
        Language::C => C.as_ref(),
        Language::Cxx => CXX.as_ref(),
        Language::Rust => RUST.as_ref(),
    }
}
