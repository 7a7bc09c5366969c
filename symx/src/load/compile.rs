//! Source files: compiled by the clang or rustc found on PATH.

use super::headers;
use super::language::Language;
use crate::refusal::Refusal;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The compilers looked for, best first: C, C++.
const COMPILERS: [[&str; 2]; 2] = [["clang-22", "clang++-22"], ["clang", "clang++"]];

/// Flags of every compilation. The code stays as close to its source as it can, with every position known.
/// Later passes are not kept out (`optnone`), so that the loader can promote variables to registers.
const FLAGS: [&str; 6] = ["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-c"];

/// Flags of C, which needs no pass of LLVM's: calls of functions that are `always_inline` stay calls. C++ has
/// coroutines, which a pass splits.
const C_FLAGS: [&str; 2] = ["-Xclang", "-disable-llvm-passes"];

/// A program whose OpenMP directives are ignored has one thread: clang is to say so.
const OPENMP_WARNING: &str = "-Wsource-uses-openmp";

/// Flags of C++: the standard that compilers have had by themselves since clang 16, for older ones, and
/// [`WHOLE_TYPES`].
const CXX_FLAGS: [&str; 2] = ["-std=gnu++17", WHOLE_TYPES];

/// Where a class has its constructors in another file, debug information has its fields there only. With this
/// each file has them.
pub const WHOLE_TYPES: &str = "-fstandalone-debug";

/// Flags of Rust's compiler: as `cargo build` would, but with the standard library in the module, which the
/// compiler puts there when it links.
const RUST_FLAGS: [&str; 17] = [
    "--edition",
    "2024",
    "--crate-name",
    "program",
    "-g",
    "-C",
    "opt-level=1",
    "-C",
    "debug-assertions=on",
    "-C",
    "overflow-checks=on",
    "-C",
    "lto=fat",
    "-C",
    "codegen-units=1",
    "--emit",
    "llvm-bc,link",
];

/// Flags by which C and C++ code checks its signed arithmetic as it is written. Without them, an overflow
/// whose result nothing uses, and one that the compiler could compute, are no longer there in bitcode.
const OVERFLOW_FLAGS: [&str; 2] =
    ["-fsanitize=signed-integer-overflow,shift-base", "-fno-sanitize-recover=all"];

/// The compiler for C or C++ on PATH.
pub fn compiler(is_cxx: bool) -> Option<PathBuf> {
    on_path(&COMPILERS.map(|compilers| compilers[usize::from(is_cxx)]))
}

/// The first of these programs that is on PATH.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

/// A source file with another text than it has on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// The file, by its absolute path.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

/// A compiled source file; the bitcode goes when this does.
pub struct Compiled {
    /// Where the bitcode is.
    pub bitcode: PathBuf,
    _folder: TempDir,
}

/// The command by which `compiler` leaves `source` in `folder`, as `program.bc` and as the native `program`.
pub fn rust_command(compiler: &Path, source: &Path, folder: &Path) -> Command {
    let mut command = Command::new(compiler);
    command.args(RUST_FLAGS).arg("--out-dir").arg(folder).arg(source);
    command
}

/// How C and C++ is compiled, besides what is always so.
#[derive(Clone, Copy, Default, Debug)]
pub struct Compilation<'a> {
    /// With checks of signed arithmetic.
    pub checks_overflow: bool,
    /// By this standard of the language, as clang calls it.
    pub standard: Option<&'a str>,
}

/// The last of these standards that is one of a program's language. None if the program is compiled already,
/// or is Rust.
pub fn standard_for<'a>(program: &Path, standards: &'a [String]) -> Result<Option<&'a str>, Refusal> {
    let (is_cxx, name) = match Language::of(program) {
        Some(Language::C) => (false, "C"),
        Some(Language::Cxx) => (true, "C++"),
        Some(Language::Rust) | None => return Ok(None),
    };
    let own = standards.iter().rev().find(|standard| standard.contains("++") == is_cxx);
    match (own, standards.last()) {
        (None, Some(other)) => Err(Refusal::Usage(format!(
            "--std {other}: {} is a file of {name}; give a standard of {name}, too",
            program.display()
        ))),
        (own, _) => Ok(own.map(String::as_str)),
    }
}

/// Compiles `source`. The compiler's messages pass through to stderr. C and C++ files may be `changed`: what
/// the compiler says of those is not for the user.
pub fn compile(
    source: &Path,
    language: Language,
    Compilation { checks_overflow, standard }: Compilation<'_>,
    changed: &[Changed],
) -> Result<Compiled, Refusal> {
    let folder = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
    let bitcode = folder.path().join("program.bc");
    let missing = || Refusal::NoCompiler { path: source.into(), compiler: language.compiler() };
    let mut command = match language {
        Language::Rust => rust_command(&on_path(&["rustc"]).ok_or_else(missing)?, source, folder.path()),
        Language::C | Language::Cxx => {
            let headers =
                headers::install(folder.path()).map_err(|error| Refusal::unwritable(folder.path(), error))?;
            let mut command = Command::new(compiler(language == Language::Cxx).ok_or_else(missing)?);
            command
                .args(FLAGS)
                .args(if language == Language::Cxx { &CXX_FLAGS[..] } else { &C_FLAGS })
                .args(standard.map(|standard| format!("-std={standard}")))
                .args(OVERFLOW_FLAGS.iter().filter(|_| checks_overflow))
                .arg(OPENMP_WARNING)
                .arg("-pthread")
                .arg("-idirafter")
                .arg(&headers);
            if !changed.is_empty() {
                let overlay = overlay(folder.path(), changed)
                    .map_err(|error| Refusal::unwritable(folder.path(), error))?;
                command.arg("-ivfsoverlay").arg(overlay).stderr(Stdio::null());
            }
            command.arg("-o").arg(&bitcode).arg("--").arg(source);
            command
        }
    };
    let status = command.status().map_err(|error| Refusal::unreadable(command.get_program(), error))?;
    if status.success() {
        Ok(Compiled { bitcode, _folder: folder })
    } else {
        let is_default = language == Language::Cxx && standard.is_none();
        // What is missing may be of a newer one.
        let otherwise = if is_default { " as C++17; `--std c++20` is another standard" } else { "" };
        Err(Refusal::NotCompiled { path: source.into(), compiler: language.compiler(), otherwise })
    }
}

/// A file that has clang read other texts under the names of these files. Positions keep those names.
fn overlay(folder: &Path, changed: &[Changed]) -> std::io::Result<PathBuf> {
    let mut roots = Vec::new();
    for (number, Changed { path, text }) in changed.iter().enumerate() {
        let content = folder.join(format!("changed-{number}"));
        std::fs::write(&content, text)?;
        let [name, content] = [path, &content].map(|path| path.to_str());
        let (Some(name), Some(content)) = (name, content) else {
            return Err(std::io::ErrorKind::InvalidInput.into());
        };
        roots.push(json!({ "name": name, "type": "file", "external-contents": content }));
    }
    let described = json!({ "version": 0, "use-external-names": false, "roots": roots });
    let overlay = folder.join("overlay.json");
    std::fs::write(&overlay, described.to_string())?;
    Ok(overlay)
}
