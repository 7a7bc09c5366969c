//! Making a native, recording program of a module.

use crate::instrument::{InstrumentError, instrument};
use crate::module::Module;
use std::path::{Path, PathBuf};
use std::process::Command;
use symx_trace::profile::ProgramHash;

/// The runtime's source, compiled for each program so that it can be inlined.
const RUNTIME: [(&str, &str); 2] =
    [("log.h", include_str!("../runtime/log.h")), ("recorder.c", include_str!("../runtime/recorder.c"))];

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
    /// clang could not be started or a file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file or the compiler.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// clang refused.
    #[error("{step} failed: {message}")]
    Clang {
        /// What clang was to do.
        step: &'static str,
        /// What it wrote to standard error.
        message: String,
    },
    /// The runtime could not be linked to the program.
    #[error("cannot link the recorder's runtime: {0}")]
    Link(String),
}

/// Builds a path-recording native program from a program in bitcode or textual IR.
pub fn build(program: &[u8], binary: &Path, options: &BuildOptions) -> Result<ProgramHash, BuildError> {
    let instrumented = instrument(program)?;
    let file = |path: &Path, source| BuildError::File { path: path.to_path_buf(), source };
    let directory = tempfile::tempdir().map_err(|error| file(Path::new("temporary directory"), error))?;
    for (name, text) in RUNTIME {
        let path = directory.path().join(name);
        std::fs::write(&path, text).map_err(|error| file(&path, error))?;
    }
    let source = directory.path().join("recorder.c");
    let runtime = directory.path().join("recorder.bc");
    let mut compile = Command::new(&options.clang);
    compile.args(["-O2", "-w", "-c", "-emit-llvm"]).arg(&source).arg("-o").arg(&runtime);
    run("compiling the recorder's runtime", compile, options)?;
    let mut module = Module::parse(&instrumented.bitcode).map_err(BuildError::Link)?;
    let bytes = std::fs::read(&runtime).map_err(|error| file(&runtime, error))?;
    module.link(&bytes).map_err(BuildError::Link)?;
    module.verify().map_err(BuildError::Link)?;
    let linked = directory.path().join("program.bc");
    std::fs::write(&linked, module.bitcode()).map_err(|error| file(&linked, error))?;
    let mut link = Command::new(&options.clang);
    link.arg(format!("-O{}", options.optimisation)).arg("-Wno-override-module").arg(&linked);
    link.args(&options.link_arguments);
    if module.needs_cxx() {
        link.arg("-lstdc++");
    }
    link.args(["-lpthread", "-lm", "-o"]).arg(binary);
    run("compiling the instrumented program", link, options)?;
    Ok(instrumented.program)
}

fn run(step: &'static str, mut command: Command, options: &BuildOptions) -> Result<(), BuildError> {
    let output =
        command.output().map_err(|source| BuildError::File { path: options.clang.clone(), source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(BuildError::Clang { step, message: String::from_utf8_lossy(&output.stderr).trim().to_string() })
}
