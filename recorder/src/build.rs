//! Making a native, recording program of a module.

use crate::enforce::add_sites;
use crate::instrument::{InstrumentError, instrument};
use crate::module::Module;
use crate::note::{BinaryKind, Note};
use crate::watch::{WatchError, WatchedPair, watch};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use symx_trace::profile::ProgramHash;
use tempfile::TempDir;

/// The runtime's source, compiled for each program so that it can be inlined.
const RUNTIME: [(&str, &str); 8] = [
    ("end_key.h", include_str!("../runtime/end_key.h")),
    ("inputs.h", include_str!("../runtime/inputs.h")),
    ("log.h", include_str!("../runtime/log.h")),
    ("noise.h", include_str!("../runtime/noise.h")),
    ("paths.h", include_str!("../runtime/paths.h")),
    ("recorder.c", include_str!("../runtime/recorder.c")),
    ("system_threads.h", include_str!("../runtime/system_threads.h")),
    ("thread_starts.h", include_str!("../runtime/thread_starts.h")),
];

/// The enforcing runtime's: what is inlined, and what is not.
const ENFORCING_RUNTIME: [(&str, &str); 5] = [
    ("end_key.h", include_str!("../runtime/end_key.h")),
    ("enforce.h", include_str!("../runtime/enforce.h")),
    ("enforce_sites.c", include_str!("../runtime/enforce_sites.c")),
    ("enforce.c", include_str!("../runtime/enforce.c")),
    ("thread_starts.h", include_str!("../runtime/thread_starts.h")),
];

/// The watching runtime's.
const WATCHING_RUNTIME: [(&str, &str); 7] = [
    ("end_key.h", include_str!("../runtime/end_key.h")),
    ("order.h", include_str!("../runtime/order.h")),
    ("system_threads.h", include_str!("../runtime/system_threads.h")),
    ("thread_starts.h", include_str!("../runtime/thread_starts.h")),
    ("watch.c", include_str!("../runtime/watch.c")),
    ("watch_report.h", include_str!("../runtime/watch_report.h")),
    ("watching.h", include_str!("../runtime/watching.h")),
];

/// How the program is compiled and linked.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The clang to use; of the same major version as the LLVM this crate is linked with.
    pub clang: PathBuf,
    /// Level of optimisation, as in `-O2`. It applies after instrumentation.
    pub optimisation: String,
    /// Further arguments for the final compile-and-link step: libraries, search paths.
    pub link_arguments: Vec<String>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        BuildOptions {
            clang: PathBuf::from("clang-22"),
            optimisation: "2".to_string(),
            link_arguments: Vec::new(),
        }
    }
}

/// Why there is no native program.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The module cannot be instrumented.
    #[error(transparent)]
    Instrument(#[from] InstrumentError),
    /// The candidate cannot be watched in the module.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// clang could not be started or a file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file or the compiler.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// clang refused.
    #[error("{step} failed: {message}")]
    Clang {
        /// The task of clang.
        step: &'static str,
        /// Its standard error.
        message: String,
    },
    /// The runtime could not be linked to the program.
    #[error("cannot link the recorder's runtime: {0}")]
    Link(String),
}

/// Builds a path-recording native program from a program in bitcode or textual IR.
pub fn build(program: &[u8], binary: &Path, options: &BuildOptions) -> Result<ProgramHash, BuildError> {
    let instrumented = instrument(program)?;
    let note = Note {
        kind: BinaryKind::Recording,
        program: instrumented.program,
        link_arguments: options.link_arguments.clone(),
    };
    let directory = unpack(&RUNTIME)?;
    let whole = Whole { program: &instrumented.bitcode, runtime: "recorder.c", note: &note };
    whole.link(binary, &directory, options)?;
    Ok(instrumented.program)
}

/// Builds a native program that watches one candidate and does nothing else.
pub fn build_watching(
    program: &[u8],
    pair: &WatchedPair,
    binary: &Path,
    options: &BuildOptions,
) -> Result<ProgramHash, BuildError> {
    let watching = watch(program, pair)?;
    let note = Note {
        kind: BinaryKind::Watching,
        program: watching.program,
        link_arguments: options.link_arguments.clone(),
    };
    let directory = unpack(&WATCHING_RUNTIME)?;
    let whole = Whole { program: &watching.bitcode, runtime: "watch.c", note: &note };
    whole.link(binary, &directory, options)?;
    Ok(watching.program)
}

/// A program and a runtime all of which is inlined into it, and which stands in for `pthread_create`.
struct Whole<'p> {
    program: &'p [u8],
    /// The runtime's file, in the folder where it was unpacked.
    runtime: &'static str,
    note: &'p Note,
}

impl Whole<'_> {
    fn link(&self, binary: &Path, directory: &TempDir, options: &BuildOptions) -> Result<(), BuildError> {
        let is_static = options.link_arguments.iter().any(|argument| argument.starts_with("-static"));
        let (arguments, further): (&[&str], &[&OsStr]) = if is_static {
            (&["-emit-llvm", "-DSTATIC_PROGRAM"], &[OsStr::new("-Wl,--wrap=pthread_create")])
        } else {
            (&["-emit-llvm"], &[])
        };
        let runtime = compile(&directory.path().join(self.runtime), arguments, options)?;
        let parts = Parts { program: self.program, inlined: &runtime, note: self.note, further };
        link(&parts, binary, directory, options)
    }
}

/// Builds the native twin of a program that keeps to a schedule.
pub fn build_enforcing(
    program: &[u8],
    binary: &Path,
    options: &BuildOptions,
) -> Result<ProgramHash, BuildError> {
    let enforcing = add_sites(program)?;
    let note = Note {
        kind: BinaryKind::Enforcing,
        program: enforcing.program,
        link_arguments: options.link_arguments.clone(),
    };
    let directory = unpack(&ENFORCING_RUNTIME)?;
    let inlined = compile(&directory.path().join("enforce_sites.c"), &["-emit-llvm"], options)?;
    // Apart from the program, whose optimiser is to know nothing of it.
    let apart = compile(&directory.path().join("enforce.c"), &["-fPIC"], options)?;
    let further = &[apart.as_os_str()];
    let parts = Parts { program: &enforcing.bitcode, inlined: &inlined, note: &note, further };
    link(&parts, binary, &directory, options)?;
    Ok(enforcing.program)
}

fn file(path: &Path) -> impl FnOnce(std::io::Error) -> BuildError {
    let path = path.to_path_buf();
    move |source| BuildError::File { path, source }
}

/// Writes sources to a folder of their own.
fn unpack(sources: &[(&str, &str)]) -> Result<TempDir, BuildError> {
    let directory = tempfile::tempdir().map_err(file(Path::new("temporary directory")))?;
    for (name, text) in sources {
        let path = directory.path().join(name);
        std::fs::write(&path, text).map_err(file(&path))?;
    }
    Ok(directory)
}

/// Compiles a source of the runtime; the file that makes.
fn compile(source: &Path, arguments: &[&str], options: &BuildOptions) -> Result<PathBuf, BuildError> {
    let made = source.with_extension("made.o");
    let mut compile = Command::new(&options.clang);
    // The compiler may be the one of C++.
    compile.args(["-O2", "-w", "-c", "-x", "c"]).args(arguments).arg(source).arg("-o").arg(&made);
    run("compiling the runtime", compile, options)?;
    Ok(made)
}

/// What a native program is linked from.
struct Parts<'p> {
    /// The module with inserted code, as bitcode.
    program: &'p [u8],
    /// The part of the runtime that is inlined into it.
    inlined: &'p Path,
    /// What the binary says about itself.
    note: &'p Note,
    /// The rest, as arguments of clang.
    further: &'p [&'p OsStr],
}

/// Links a module with the part of the runtime that is inlined into it, optimises it and links it with the
/// rest.
fn link(
    &Parts { program, inlined, note, further }: &Parts<'_>,
    binary: &Path,
    directory: &TempDir,
    options: &BuildOptions,
) -> Result<(), BuildError> {
    let mut module = Module::parse(program).map_err(BuildError::Link)?;
    let bytes = std::fs::read(inlined).map_err(file(inlined))?;
    module.link(&bytes).map_err(BuildError::Link)?;
    note.add(&module);
    module.verify().map_err(BuildError::Link)?;
    let linked = directory.path().join("program.bc");
    std::fs::write(&linked, module.bitcode()).map_err(file(&linked))?;
    let mut link = Command::new(&options.clang);
    link.arg(format!("-O{}", options.optimisation)).arg("-Wno-override-module").arg(&linked).args(further);
    link.args(&options.link_arguments);
    if module.needs_cxx() {
        link.arg("-lstdc++");
    }
    link.args(["-lpthread", "-lm", "-o"]).arg(binary);
    run("compiling the instrumented program", link, options)
}

fn run(step: &'static str, mut command: Command, options: &BuildOptions) -> Result<(), BuildError> {
    let output =
        command.output().map_err(|source| BuildError::File { path: options.clang.clone(), source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(BuildError::Clang { step, message: String::from_utf8_lossy(&output.stderr).trim().to_string() })
}
