//! From the file the user names to a linked program.
//!
//! A source file is compiled by clang; a program that `symx cc` built carries its bitcode. Bitcode is decoded
//! in a child process, because LLVM's reader is not made for hostile input. The C library, and for programs
//! in C++ that language's, join from bitcode of their own, decoded once and cached.

pub(crate) mod cache;
mod child;
pub(crate) mod compile;
pub(crate) mod embedded;
pub(crate) mod headers;
pub(crate) mod language;
mod library;
pub(crate) mod profile;
mod shared_objects;
pub(crate) mod what_if;

pub use child::{HIDDEN_COMMAND, serve_anew};
pub use compile::{Changed, Compilation, compiler};
pub use library::{c_library, cxx_library};

use crate::files::source_text::{SourceOptions, SourceText};
use crate::refusal::Refusal;
use cache::Cache;
use child::{decode, decode_debug_info};
use language::Language;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use symx_bitcode::LoadOptions;
use symx_interp::environment::Environment;
use symx_interp::remedies::Remedies;
use symx_ir::debug_info::DebugInfo;
use symx_ir::guard::Guard;
use symx_ir::{Modelled, Module, Program};
use symx_posix_model::{Posix, ROOTS, is_error_call};
use what_if::WhatIf;

/// How a program is to be loaded.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// The function that it starts at, if not `main`.
    pub entry: Option<&'a str>,
    /// Whether a source file is compiled with checks of signed arithmetic.
    pub checks_overflow: bool,
    /// The standards by which a source file is compiled, of C, of C++ or of both.
    pub standards: &'a [String],
}

impl<'a> Wanted<'a> {
    /// To start at `entry`, or at `main`.
    pub fn at(entry: Option<&'a str>) -> Self {
        Self { entry, ..Self::default() }
    }
}

/// A program ready to run.
#[derive(Clone)]
pub struct Loaded {
    /// The program as the user named it.
    pub path: PathBuf,
    /// The linked program.
    pub program: Arc<Program>,
    /// Hash of its bitcode, hexadecimal.
    pub hash: String,
    /// The assumptions about it.
    pub what_if: Vec<WhatIf>,
    /// The fixes among that.
    pub remedies: Option<Arc<Remedies>>,
    /// Whether it was compiled for this process, and with checks of signed arithmetic.
    pub checks_overflow: bool,
    /// The standard by which it was, where one was asked for.
    pub standard: Option<String>,
    /// Where it was compiled.
    folders: Vec<PathBuf>,
    /// The source, as far as it may be shown.
    pub source: SourceText,
}

impl Loaded {
    /// How its source was compiled.
    pub fn compilation(&self) -> Compilation<'_> {
        Compilation { checks_overflow: self.checks_overflow, standard: self.standard.as_deref() }
    }

    /// The same program, whose source lies below these folders, too.
    pub fn with_source(self, options: &SourceOptions) -> Result<Self, Refusal> {
        let source = options.text(self.folders.iter().map(PathBuf::as_path))?;
        Ok(Self { source, ..self })
    }

    /// The same program under assumptions.
    pub fn under(self, assumptions: &[WhatIf]) -> Result<Self, Refusal> {
        let mut program = self.program;
        for assumption in assumptions {
            let WhatIf::Omission(place) = assumption else { continue };
            let refused = |why: &str| Refusal::Usage(format!("--what-if {place}: {why}"));
            if Arc::make_mut(&mut program).omit(&place.file, place.line) == 0 {
                return Err(refused("nothing there synchronises"));
            }
        }
        let locks = what_if::locks(assumptions);
        if !locks.is_empty() {
            let guarded = Arc::make_mut(&mut program).guard(&locks, &Guard::NewMutex);
            guarded.map_err(|why| Refusal::Usage(format!("--what-if lock: {why}")))?;
        }
        let what_if = assumptions.to_vec();
        let remedies = what_if::remedies(&what_if);
        let remedies = (!remedies.is_empty()).then(|| Remedies::new(&program, &remedies)).transpose();
        let remedies = remedies.map_err(|error| Refusal::Usage(format!("--what-if: {error}")))?.map(Arc::new);
        Ok(Self { program, what_if, remedies, ..self })
    }
}

/// Whether the environment answers a function. A task's error is that it is called, whatever its body does.
fn modelled(name: &str) -> Modelled {
    if is_error_call(name) { Modelled::InProgram } else { Posix::models(name) }
}

/// Reads, compiles if need be, decodes and links the program at `path`.
pub fn load(path: &Path, wanted: Wanted<'_>) -> Result<Loaded, Refusal> {
    load_changed(path, wanted, &[])
}

/// The same of a program whose source, C or C++, has other texts.
pub fn load_changed(
    path: &Path,
    Wanted { entry, checks_overflow, standards }: Wanted<'_>,
    changed: &[Changed],
) -> Result<Loaded, Refusal> {
    let standard = compile::standard_for(path, standards)?;
    let module = module(path, Compilation { checks_overflow, standard }, changed)?;
    let folders: Vec<PathBuf> = module.source_folders.iter().map(PathBuf::from).collect();
    let hash = module.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    // Kept though nothing calls them: a compiler may have put their bodies in place of the calls.
    let names = module.symbols.iter().map(|symbol| symbol.name.as_str());
    let errors: Vec<String> = names.filter(|name| is_error_call(name)).map(str::to_owned).collect();
    let mut modules = library::libraries(&module)?;
    modules.insert(0, module);
    let errors = errors.iter().map(String::as_str);
    let roots: Vec<&str> = ROOTS.iter().copied().chain(entry).chain(errors).collect();
    let program = symx_ir::link(modules, &roots, &modelled)
        .map_err(|error| Refusal::Unlinkable { path: path.into(), why: error.to_string() })?;
    match entry {
        Some(entry) => check_entry(path, &program, entry)?,
        None if program.main().is_none() => return Err(Refusal::NoMain(path.into())),
        None => {}
    }
    let source = SourceOptions::default().text(folders.iter().map(PathBuf::as_path))?;
    Ok(Loaded {
        path: path.into(),
        program: Arc::new(program),
        hash,
        what_if: Vec::new(),
        remedies: None,
        checks_overflow: checks_overflow && Language::of(path).is_some_and(Language::is_checked),
        standard: standard.map(str::to_owned),
        folders,
        source,
    })
}

/// A function to start at is defined, and its parameters are integers, floats or pointers.
fn check_entry(path: &Path, program: &Program, entry: &str) -> Result<(), Refusal> {
    let refused = |why: &str| Refusal::Usage(format!("--entry {entry}: {why}"));
    let Some(id) = program.function_named(entry) else {
        return Err(refused(&format!("`{}` defines no such function", path.display())));
    };
    let function = program.function(id);
    if !function.in_program {
        return Err(refused("it is the library's"));
    }
    if function.variadic || function.params.iter().any(|parameter| parameter.slots != 1) {
        return Err(refused("it takes other things than integers, floats and pointers of at most 64 bits"));
    }
    Ok(())
}

/// The user's module.
fn module(path: &Path, how: Compilation<'_>, changed: &[Changed]) -> Result<Module, Refusal> {
    // Distinguishes a missing or unreadable file from a bad one before clang or the child meets it.
    let mut file = std::fs::File::open(path).map_err(|error| Refusal::unreadable(path, error))?;
    let mut magic = [0; 4];
    let known =
        std::io::Read::read(&mut file, &mut magic).map_err(|error| Refusal::unreadable(path, error))?;
    drop(file);
    let options = LoadOptions::default();
    if magic[..known].starts_with(b"\x7fELF") {
        return built(path, &options);
    }
    if magic[..known].starts_with(b"#!") && Language::of(path).is_none() {
        return Err(script(path));
    }
    match Language::of(path) {
        Some(language) => {
            let compiled = compile::compile(path, language, how, changed)?;
            let mut module = decode(path, &compiled.bitcode, &options)?;
            module.path = path.display().to_string();
            // The user has named the file: it may be shown, and what lies beside it.
            let folder = path.canonicalize().ok().and_then(|path| Some(path.parent()?.to_owned()));
            module.source_folders.extend(folder.map(|folder| folder.display().to_string()));
            Ok(module)
        }
        None => {
            let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
            kept(path, &blake3::hash(&bytes), || decode(path, path, &options))
        }
    }
}

/// Refuses a script. One of libtool's starts the program that it has beside it.
fn script(path: &Path) -> Refusal {
    let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
    let program = folder.join(".libs").join(name);
    let hint = match program.exists() {
        true => format!(
            ": libtool's program is `{}`, which LD_LIBRARY_PATH may have to tell where its libraries are",
            program.display()
        ),
        false => String::new(),
    };
    Refusal::Script { path: path.into(), hint }
}

/// How many decoded programs are kept.
const PROGRAMS: usize = 64;

/// A program that is decoded sooner than this is not kept: reading it back would save no noticeable time.
const WORTHWHILE: Duration = Duration::from_millis(100);

/// The module that what has this hash is decoded to: as it was kept, or by `decode`.
fn kept(
    path: &Path,
    hash: &blake3::Hash,
    decode: impl FnOnce() -> Result<Module, Refusal>,
) -> Result<Module, Refusal> {
    let cache = Cache::of_user("program", PROGRAMS);
    if let Some(mut module) = cache.find(hash) {
        module.path = path.display().to_string();
        return Ok(module);
    }
    let began = Instant::now();
    let module = decode()?;
    if began.elapsed() > WORTHWHILE {
        cache.keep(hash, &module);
    }
    Ok(module)
}

/// Refuses a program that cannot be decoded. A caller that passes it to LLVM outside a child asks this first:
/// LLVM can crash or hang on it.
pub fn check(path: &Path) -> Result<(), Refusal> {
    module(path, Compilation::default(), &[]).map(drop)
}

/// The bitcode of the user's module, or its textual IR: what [`Loaded::hash`] is the hash of, if it was
/// compiled in the same way.
pub fn bitcode(path: &Path, how: Compilation<'_>) -> Result<Vec<u8>, Refusal> {
    let unreadable = |error| Refusal::unreadable(path, error);
    let bytes = std::fs::read(path).map_err(unreadable)?;
    if bytes.starts_with(b"\x7fELF") {
        return embedded::extract(&[path.to_path_buf()]);
    }
    match Language::of(path) {
        Some(language) => {
            let compiled = compile::compile(path, language, how, &[])?;
            std::fs::read(&compiled.bitcode).map_err(|error| Refusal::unreadable(&compiled.bitcode, error))
        }
        None => Ok(bytes),
    }
}

/// The variables in the debug information of the user's module.
pub fn debug_info(path: &Path, how: Compilation<'_>) -> Result<DebugInfo, Refusal> {
    let unwritable = |error| Refusal::unwritable(std::env::temp_dir(), error);
    let mut file = tempfile::NamedTempFile::new().map_err(unwritable)?;
    std::io::Write::write_all(&mut file, &bitcode(path, how)?).map_err(unwritable)?;
    decode_debug_info(path, file.path(), &LoadOptions::default())
}

/// The module that a program built by `symx cc` carries, with the shared objects that it loads.
fn built(path: &Path, options: &LoadOptions) -> Result<Module, Refusal> {
    let carried = embedded::carried(path)?;
    kept(path, &carried.hash(), || {
        let bitcode = carried.link(path)?;
        let unwritable = |error| Refusal::unwritable(std::env::temp_dir(), error);
        let mut file = tempfile::NamedTempFile::new().map_err(unwritable)?;
        std::io::Write::write_all(&mut file, &bitcode).map_err(unwritable)?;
        let mut module = decode(path, file.path(), options)?;
        module.path = path.display().to_string();
        Ok(module)
    })
}
