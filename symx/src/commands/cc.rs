//! `symx cc`, `symx c++` and `symx extract-bc`: programs that carry their bitcode.

use crate::load::embedded::extract as extract_modules;
use crate::native::driver;
use crate::refusal::Refusal;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of `cc` and `c++`.
#[derive(Args, Debug)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub struct CompilerArguments {
    /// Arguments of clang; --symx-record makes an instrumented PROGRAM.symx-recorded
    /// beside each linked program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CLANG ARGS")]
    arguments: Vec<OsString>,
}

/// Runs `cc` or, with `is_cxx`, `c++`. The exit code is the compiler's.
pub fn compile(arguments: &CompilerArguments, is_cxx: bool) -> Result<u8, Refusal> {
    driver::drive(&arguments.arguments, is_cxx)
}

/// Arguments of `extract-bc`.
#[derive(Args, Debug)]
pub struct ExtractArguments {
    /// Programs, libraries and objects built by `symx cc`; several are linked into one module
    #[arg(required = true, value_name = "BIN")]
    files: Vec<PathBuf>,
    /// The bitcode to write [default: beside the first, with .bc appended]
    #[arg(short = 'o', long = "output", value_name = "PROG.bc")]
    output: Option<PathBuf>,
}

/// Runs `extract-bc`.
pub fn extract(arguments: &ExtractArguments) -> Result<u8, Refusal> {
    let module = extract_modules(&arguments.files)?;
    let output = arguments.output.clone().unwrap_or_else(|| {
        let mut name = arguments.files[0].clone().into_os_string();
        name.push(".bc");
        name.into()
    });
    std::fs::write(&output, module).map_err(|error| Refusal::unwritable(&output, error))?;
    Ok(0)
}
