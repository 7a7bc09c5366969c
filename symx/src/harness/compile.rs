//! Compiling programs at test time, each once: results are kept by the hash of what they are made from.
//!
//! The compiler lists the files that it has read, headers and all. Their hashes are kept beside the result,
//! which holds as long as they do.

use super::children::Children;
use super::compilers::compiler_of;
use crate::load::compile::rust_command;
use crate::load::headers;
use crate::load::language::Language;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a program was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A file or the compiler cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or the compiler.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// No compiler.
    #[error("no {0} was found on PATH")]
    NoCompiler(&'static str),
    /// The compiler refused.
    #[error("the compiler failed:\n{0}")]
    Refused(String),
}

/// Bitcode of `source`, kept in `cache`. Options that only matter for linking are left out.
pub fn compile_bitcode(source: &Path, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    bitcode(source, flags, cache, &Children::default())
}

/// A native program of `source`, kept in `cache`.
pub fn compile_native(source: &Path, flags: &[String], cache: &Path) -> Result<PathBuf, CompileError> {
    native(source, flags, cache, &Children::default())
}

/// As [`compile_bitcode`], the compiler being one of these processes.
pub(super) fn bitcode(
    source: &Path,
    flags: &[String],
    cache: &Path,
    children: &Children,
) -> Result<PathBuf, CompileError> {
    // Without "assignment tracking", debug information still says which stack object is which variable.
    let plain_debug = ["-Xclang", "-fexperimental-assignment-tracking=disabled"];
    let fixed = ["-g", "-O1", "-emit-llvm", "-c", "-pthread", plain_debug[0], plain_debug[1]];
    let flags: Vec<&str> = flags.iter().map(String::as_str).filter(|flag| !flag.starts_with("-l")).collect();
    let fixed = if Language::of(source) == Some(Language::Rust) { &[] } else { &fixed[..] };
    compile(language_of(source), source, &[fixed, &flags].concat(), (cache, "bc"), children)
}

/// As [`compile_native`], the compiler being one of these processes.
pub(super) fn native(
    source: &Path,
    flags: &[String],
    cache: &Path,
    children: &Children,
) -> Result<PathBuf, CompileError> {
    let named: Vec<&str> = flags.iter().map(String::as_str).collect();
    if Language::of(source) == Some(Language::Rust) {
        return compile(Language::Rust, source, &named, (cache, "exe"), children);
    }
    // Of the bitcode that symx is given, which is optimised: reading and optimising the source takes longer.
    let bitcode = bitcode(source, flags, cache, children)?;
    let fixed = ["-O1", "-Xclang", "-disable-llvm-passes", "-pthread"];
    let flags = [&fixed, &named[..], &["-lm"]].concat();
    compile(language_of(source), &bitcode, &flags, (cache, "exe"), children)
}

/// The language of a file; what is no source file is linked as C++ is.
fn language_of(source: &Path) -> Language {
    Language::of(source).unwrap_or(Language::Cxx)
}

/// The result of compiling a source file, or bitcode that was made of one, with the compiler of a language.
fn compile(
    language: Language,
    source: &Path,
    flags: &[&str],
    (cache, extension): (&Path, &str),
    children: &Children,
) -> Result<PathBuf, CompileError> {
    let file = |path: &Path, source| CompileError::File { path: path.into(), source };
    // By absolute path: programs read their own source through `__FILE__`.
    let source = std::fs::canonicalize(source).map_err(|error| file(source, error))?;
    let text = std::fs::read(&source).map_err(|error| file(&source, error))?;
    let compiler = compiler_of(language).ok_or(CompileError::NoCompiler(language.compiler()))?;
    let mut hasher = blake3::Hasher::new();
    for part in [source.as_os_str().as_bytes(), &text, compiler.version.as_bytes()] {
        hasher.update(part).update(&[0]);
    }
    for flag in flags {
        hasher.update(flag.as_bytes()).update(&[0]);
    }
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let result = cache.join(format!("{stem}-{}.{extension}", &hasher.finalize().to_hex()[..16]));
    let sources = result.with_extension(format!("{extension}.sources"));
    let is_made = || result.exists() && is_as_listed(&sources);
    if is_made() {
        return Ok(result);
    }
    std::fs::create_dir_all(cache).map_err(|error| file(cache, error))?;
    // Tests of one program begin together: one of them compiles it, and the others wait.
    let lock = result.with_extension(format!("{extension}.lock"));
    let locked = File::create(&lock).map_err(|error| file(&lock, error))?;
    locked.lock().map_err(|error| file(&lock, error))?;
    if is_made() {
        return Ok(result);
    }
    let headers = headers::install(cache).map_err(|error| file(cache, error))?;
    // Appears complete or not at all: tests run side by side.
    let folder = tempfile::tempdir_in(cache).map_err(|error| file(cache, error))?;
    let [unfinished, read] = ["compiled", "read"].map(|name| folder.path().join(name));
    let mut made = vec![("compiled", extension)];
    let mut command = if language == Language::Rust {
        // It makes both at once.
        made = vec![("program.bc", "bc"), ("program", "exe")];
        let mut command = rust_command(&compiler.path, &source, folder.path());
        let mut list = OsString::from("--emit=dep-info=");
        list.push(&read);
        command.args(flags).arg(list);
        command
    } else {
        let (compile_flags, link_flags): (Vec<&str>, Vec<&str>) =
            flags.iter().partition(|flag| !flag.starts_with("-l"));
        let mut command = Command::new(&compiler.path);
        command.args(compile_flags).arg("-idirafter").arg(headers).arg(&source).args(link_flags);
        command.arg("-o").arg(&unfinished).arg("-MD").arg("-MF").arg(&read);
        command
    };
    let output =
        children.output(&mut command).map_err(|error| file(Path::new(command.get_program()), error))?;
    if !output.status.success() {
        return Err(CompileError::Refused(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // Of bitcode, compilers do not say that they read it.
    let rule = std::fs::read_to_string(&read).unwrap_or_default();
    let read = if Language::of(&source).is_some() { prerequisites(&rule) } else { vec![source] };
    let list = hashes(&read).unwrap_or_default();
    for (name, extension) in made {
        // The list first: a result without it is made again.
        let listed = folder.path().join("listed");
        let sources = result.with_extension(format!("{extension}.sources"));
        std::fs::write(&listed, &list).map_err(|error| file(&listed, error))?;
        std::fs::rename(&listed, &sources).map_err(|error| file(&sources, error))?;
        let result = result.with_extension(extension);
        std::fs::rename(folder.path().join(name), &result).map_err(|error| file(&result, error))?;
    }
    Ok(result)
}

/// The files of the first rule for `make`, the target left out. rustc writes a rule for each of its outputs,
/// then one for each source.
fn prerequisites(rules: &str) -> Vec<PathBuf> {
    let joined = rules.replace("\\\n", " ");
    let files = joined.lines().next().and_then(|rule| rule.split_once(": ")).map_or("", |(_, files)| files);
    // Blanks and `#` within a name are escaped, and `$` is doubled.
    let words = files.replace("\\ ", "\0").replace("\\#", "#").replace("$$", "$");
    words.split_whitespace().map(|word| PathBuf::from(word.replace('\0', " "))).collect()
}

/// A line for each file: its hash and its path. `None` if one cannot be read.
fn hashes(files: &[PathBuf]) -> Option<String> {
    let line = |path: &PathBuf| {
        let bytes = std::fs::read(path).ok()?;
        Some(format!("{} {}\n", blake3::hash(&bytes).to_hex(), path.display()))
    };
    files.iter().map(line).collect()
}

/// Whether the files of a list have the hashes that it says. An empty list is that of a compiler that did not
/// say what it read.
fn is_as_listed(list: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(list) else { return false };
    let files: Vec<PathBuf> =
        text.lines().filter_map(|line| line.split_once(' ')).map(|(_, path)| path.into()).collect();
    !files.is_empty() && hashes(&files).is_some_and(|hashes| hashes == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_list_holds_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let [header, list] = ["a header.h", "list"].map(|name| folder.path().join(name));
        std::fs::write(&header, "1").unwrap();
        let rule = format!("out: {} \\\n  x.h\n", header.display().to_string().replace(' ', "\\ "));
        assert_eq!(prerequisites(&rule), [header.clone(), "x.h".into()]);
        std::fs::write(&list, hashes(std::slice::from_ref(&header)).unwrap()).unwrap();
        assert!(is_as_listed(&list));
        std::fs::write(&header, "2").unwrap();
        assert!(!is_as_listed(&list) && !is_as_listed(&header));
        assert_eq!(hashes(&["/no/such/file".into()]), None);
        std::fs::write(&list, "").unwrap();
        assert!(!is_as_listed(&list), "a compiler that lists nothing has read something");
    }

    #[test]
    fn the_first_rule_of_several_is_read() {
        let rules = "out.bc: a\\ b.rs c$$\\#.rs\n\nout: a\\ b.rs\n\na\\ b.rs:\n";
        assert_eq!(prerequisites(rules), [PathBuf::from("a b.rs"), "c$#.rs".into()]);
        assert!(prerequisites("").is_empty());
    }

    #[test]
    fn what_several_ask_for_at_once_is_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        let [program, cache] = ["empty.c", "cache"].map(|name| folder.path().join(name));
        std::fs::write(&program, "int main(void) { return 0; }\n").unwrap();
        let file = || std::fs::metadata(compile_native(&program, &[], &cache).unwrap()).unwrap().ino();
        let files: BTreeSet<u64> = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..4).map(|_| scope.spawn(file)).collect();
            asking.into_iter().map(|asking| asking.join().unwrap()).collect()
        });
        assert_eq!(files.len(), 1);
    }

    #[test]
    fn a_rust_program_is_compiled_again_when_a_module_changes() {
        let folder = tempfile::tempdir().unwrap();
        let [program, module, cache] = ["uses.rs", "value.rs", "cache"].map(|name| folder.path().join(name));
        std::fs::write(&program, "mod value;\nfn main() { println!(\"{}\", value::VALUE); }\n").unwrap();
        let compiled = |value: u32| {
            std::fs::write(&module, format!("pub const VALUE: u32 = {value};\n")).unwrap();
            std::fs::read(compile_native(&program, &[], &cache).unwrap()).unwrap()
        };
        assert_ne!(compiled(1), compiled(2));
    }
}
