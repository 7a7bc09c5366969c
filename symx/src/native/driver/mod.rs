//! `symx cc` and `symx c++`: clang, and beside each object the bitcode it was made from.
//!
//! The bitcode of a source travels inside its object, in a section that linkers put together and loaders
//! ignore. So archives, several executables and build trees that move need no bookkeeping. Each source is
//! compiled twice, for clang makes no bitcode of what it already optimised for the machine.

mod arguments;
mod collection;

use crate::load::cache::user_folder;
use crate::load::compiler;
use crate::load::embedded::{embed, embed_linked_with, extract, linked_with};
use crate::load::headers;
use crate::load::language::Language;
use crate::refusal::Refusal;
use crate::text::one_line;
use arguments::{Invocation, Task, is_repeated};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use symx_recorder::{BuildOptions, build};
use tempfile::TempDir;

/// The option that asks for an instrumented program beside each linked one.
const RECORD: &str = "--symx-record";

/// The suffix of a program's name for its instrumented twin.
const RECORDED: &str = ".symx-recorded";

/// Does what clang does with these arguments; its exit code.
pub fn drive(arguments: &[OsString], is_cxx: bool) -> Result<u8, Refusal> {
    let is_recorded = arguments.iter().any(|argument| argument == RECORD);
    let mut arguments: Vec<OsString> =
        arguments.iter().filter(|argument| *argument != RECORD).cloned().collect();
    let clang = compiler(is_cxx).ok_or_else(|| Refusal::NoCompiler {
        path: "the arguments of `symx cc`".into(),
        compiler: Language::C.compiler(),
    })?;
    let mut invocation = Invocation::of(&arguments);
    if invocation.has_input() {
        arguments.extend(collection::arguments(collection::folder().as_deref(), invocation.task));
        arguments.extend(own_headers());
        invocation = Invocation::of(&arguments);
    }
    let driver = Driver { clang: &clang, invocation: &invocation };
    match invocation.task {
        Task::Other => driver.clang_with(&arguments),
        Task::Compile => driver.compile(),
        Task::Link => {
            let code = driver.link()?;
            if code == 0 && is_recorded {
                driver.instrument()?;
            }
            Ok(code)
        }
    }
}

/// The arguments by which a program that was built here is linked again: what is left out, is said.
pub fn linked_again(program: &Path) -> Result<Vec<String>, Refusal> {
    let (arguments, loads_bitcode) = linked_with(program)?;
    let (mut taken, left): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| is_repeated(argument));
    if loads_bitcode {
        // What they define is in the program.
        taken.insert(0, "-Wl,--as-needed".into());
    }
    for argument in left {
        eprintln!("symx: left out of linking, give it after `--` if it is needed: {}", one_line(&argument));
    }
    Ok(taken)
}

/// Arguments for clang by which it finds symx's headers after all others. They stay where they are, since
/// dependency files name them. A folder that cannot be written costs these headers, nothing else.
fn own_headers() -> Vec<OsString> {
    let installed = user_folder().and_then(|folder| headers::install(&folder).ok());
    installed.map_or_else(Vec::new, |folder| vec!["-idirafter".into(), folder.into()])
}

struct Driver<'a> {
    clang: &'a Path,
    invocation: &'a Invocation,
}

impl Driver<'_> {
    fn clang_with<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<u8, Refusal> {
        let status = Command::new(self.clang).args(arguments).status();
        let status = status.map_err(|error| Refusal::unreadable(self.clang, error))?;
        // A compiler killed by a signal has failed, whatever the signal.
        Ok(status.code().map_or(1, |code| code as u8))
    }

    /// `-c`: objects.
    fn compile(&self) -> Result<u8, Refusal> {
        let code = self.clang_with(&self.invocation.without_link_time_optimisation())?;
        if code != 0 {
            return Ok(code);
        }
        for source in self.invocation.sources() {
            let object = self.invocation.object_of(source);
            self.add_bitcode(source, &object)?;
        }
        Ok(0)
    }

    /// A program or a library; sources among the inputs become objects of their own first.
    fn link(&self) -> Result<u8, Refusal> {
        let folder = temporary_folder()?;
        let mut objects = Vec::new();
        for (number, source) in self.invocation.sources().enumerate() {
            let object = folder.path().join(format!("{number}.o"));
            let code = self.clang_with(&self.invocation.to_object(source, &object))?;
            if code != 0 {
                return Ok(code);
            }
            self.add_bitcode(source, &object)?;
            objects.push(object);
        }
        let mut words = self.invocation.linking(&objects);
        words.extend(self.linked_with(folder.path()).map(OsString::from));
        self.clang_with(&words)
    }

    /// An object that carries what the program is linked with beside bitcode, for its twins. Without one, a
    /// twin has to be told.
    fn linked_with(&self, folder: &Path) -> Option<PathBuf> {
        let libraries = self.invocation.libraries();
        let says_something = |word: &String| !word.starts_with("-L") && word != "-pthread";
        if !self.invocation.makes_native_program() || !libraries.iter().any(says_something) {
            return None;
        }
        let object = folder.join("linked-with.o");
        let made = Command::new(self.clang).args(["-x", "c", "-c", "/dev/null", "-o"]).arg(&object).output();
        made.is_ok_and(|made| made.status.success()).then_some(())?;
        embed_linked_with(&libraries, &object).ok().map(|()| object)
    }

    /// Puts the bitcode of `source` into `object`. Without bitcode the build continues: that only matters
    /// when symx is to run the program.
    fn add_bitcode(&self, source: &Path, object: &Path) -> Result<(), Refusal> {
        let folder = temporary_folder()?;
        let bitcode = folder.path().join("module.bc");
        let made = Command::new(self.clang)
            .args(self.invocation.to_bitcode(source, &bitcode))
            .output()
            .map_err(|error| Refusal::unreadable(self.clang, error))?;
        if !made.status.success() {
            eprintln!("symx: warning: clang makes no bitcode of `{}`", source.display());
            return Ok(());
        }
        embed(&bitcode, object)
    }

    /// The instrumented twin of the linked program.
    fn instrument(&self) -> Result<(), Refusal> {
        let program = self.invocation.program();
        let module = extract(std::slice::from_ref(&program))?;
        let mut twin = program.clone().into_os_string();
        twin.push(RECORDED);
        let options = BuildOptions {
            clang: self.clang.into(),
            link_arguments: self.invocation.libraries(),
            ..BuildOptions::default()
        };
        build(&module, Path::new(&twin), &options).map(|_| ()).map_err(|error| {
            Refusal::Recording(format!("cannot instrument `{}`: {error}", program.display()))
        })
    }
}

fn temporary_folder() -> Result<TempDir, Refusal> {
    tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))
}
