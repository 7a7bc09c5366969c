//! The linked program.

use crate::address::{self, Cell};
use crate::function::{CallTarget, ExternalId, Function, FunctionId};
use crate::instruction::Inst;
use crate::known_functions::MAIN;
use crate::source_type::SourceType;
use crate::source_type::objects::ObjectTypes;
use crate::span::{Span, SpanId};
use serde::{Deserialize, Serialize};

/// Index into [`Program::globals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GlobalId(pub u32);

/// A whole program: immutable, shared by every state.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Path of the module the user named.
    pub path: String,
    /// Hash of that module's bytes.
    pub hash: [u8; 32],
    /// Functions with bodies, those of the user's module first.
    pub functions: Vec<LinkedFunction>,
    /// Functions without one that something calls or takes the address of. Their
    /// addresses follow the functions'.
    pub externals: Vec<External>,
    /// Names of variables that are used and defined nowhere; an access to one is not supported.
    pub undefined_variables: Vec<String>,
    /// Global variables.
    pub globals: Vec<LinkedGlobal>,
    /// Constructors in the order in which they run.
    pub constructors: Vec<FunctionId>,
    /// Destructors in the order in which they run.
    pub destructors: Vec<FunctionId>,
    /// File names.
    pub files: Vec<String>,
    /// Whether files belong to the [library of their language](is_library_source).
    pub library_files: Vec<bool>,
    /// Scope names.
    pub scopes: Vec<String>,
    /// Spans; entry 0 is unknown.
    pub spans: Vec<Span>,
    /// Functions by linker name.
    pub function_names: rustc_hash::FxHashMap<String, FunctionId>,
    /// The names by which calls in the user's module call functions that have another name of their own
    /// (aliases), by function and call site.
    pub aliased_calls: rustc_hash::FxHashMap<(FunctionId, u32), String>,
    /// Globals by linker name.
    pub global_names: rustc_hash::FxHashMap<String, GlobalId>,
    /// Names and types of objects of the user's module that are no global variables.
    pub object_types: ObjectTypes,
    /// Names that the program can look up while it runs; empty if it never does.
    pub names: Names,
}

/// Addresses by name, for a program that looks names up while it runs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Names {
    /// The program's own exports.
    pub own: rustc_hash::FxHashMap<String, u64>,
    /// Definitions of libraries, or of models in their place.
    pub library: rustc_hash::FxHashMap<String, u64>,
    /// Definitions of libraries that nothing in the program names: they are not linked.
    pub omitted: rustc_hash::FxHashSet<String>,
}

/// A function whose constants are bound.
#[derive(Clone, Debug)]
pub struct LinkedFunction {
    /// The decoded function; call targets are bound.
    pub function: Function,
    /// The constant pool's values.
    pub constants: Vec<u64>,
}

impl std::ops::Deref for LinkedFunction {
    type Target = Function;
    fn deref(&self) -> &Function {
        &self.function
    }
}

/// A function that the program uses and no module defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// The linker's name.
    pub name: String,
    /// The library's own definition, which the model of this function may fall back to.
    pub fallback: Option<FunctionId>,
}

/// A global variable with its address.
#[derive(Clone, Debug)]
pub struct LinkedGlobal {
    /// The linker's name.
    pub name: String,
    /// The programmer's name.
    pub source_name: String,
    /// What tells it apart if others have the same name in the source, as `a.c:3`; else "".
    pub distinction: String,
    /// Its type in the source, if that is known.
    pub source_type: Option<SourceType>,
    /// Its cell in the address space.
    pub cell: Cell,
    /// Address of its first byte.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment, log2 of bytes.
    pub align_log2: u8,
    /// Writing to it is an error.
    pub constant: bool,
    /// Whether it belongs to a library rather than to the program.
    pub library: bool,
    /// One instance a thread; the object at `address` is the template.
    pub thread_local: bool,
    /// Initial bytes, addresses bound; as long as the leading part that is not zero.
    pub bytes: Vec<u8>,
    /// Whether the user's module defines it (else libc's).
    pub of_program: bool,
}

impl Program {
    /// The function at `id`.
    pub fn function(&self, id: FunctionId) -> &LinkedFunction {
        &self.functions[id.0 as usize]
    }

    /// The address of a function with a body.
    pub fn function_address(&self, id: FunctionId) -> u64 {
        address::function_address(id.0)
    }

    /// The address of an external function.
    pub fn external_address(&self, id: ExternalId) -> u64 {
        address::function_address(self.functions.len() as u32 + id.0)
    }

    /// The name of the undefined variable that an access to `address` means.
    pub fn undefined_variable_at(&self, address: u64) -> Option<&str> {
        let number = address::undefined_variable(address)?;
        self.undefined_variables.get(number as usize).map(String::as_str)
    }

    /// The target of the code pointer `address`, if it has one.
    pub fn code_at(&self, address: u64) -> Option<Code> {
        let index = address::function_index(address)?;
        let defined = self.functions.len() as u32;
        if index < defined {
            Some(Code::Function(FunctionId(index)))
        } else if ((index - defined) as usize) < self.externals.len() {
            Some(Code::External(ExternalId(index - defined)))
        } else {
            None
        }
    }

    /// The span at `id`.
    pub fn span(&self, id: SpanId) -> &Span {
        &self.spans[id.0 as usize]
    }

    /// File name, line and column of `id`; `None` if unknown.
    pub fn position(&self, id: SpanId) -> Option<(&str, u32, u32)> {
        let span = self.span(id);
        (span.line != 0).then(|| (self.files[span.file as usize].as_str(), span.line, span.column))
    }

    /// `id`, or the call that it was inlined through, whichever is the first outside the sources of a
    /// language's library: the programmer's own code. `None` if there is none.
    pub fn outside_library_sources(&self, id: SpanId) -> Option<SpanId> {
        let mut next = id;
        while next != SpanId::UNKNOWN {
            let span = self.span(next);
            if !self.library_files.get(span.file as usize).is_some_and(|is_library| *is_library) {
                return Some(next);
            }
            next = span.inlined_at;
        }
        None
    }

    /// Whether the code at `id` is of Rust's library.
    pub fn is_of_rust_library(&self, id: SpanId) -> bool {
        self.files.get(self.span(id).file as usize).is_some_and(|file| is_rust_library_source(file))
    }

    /// The outermost function of Rust's library that the code at `id` is inlined from: the one that the
    /// function around it calls, or is. `None` of other code.
    pub fn called_of_rust(&self, id: SpanId) -> Option<&str> {
        let inlined = |id: &SpanId| Some(self.span(*id).inlined_at).filter(|outer| *outer != SpanId::UNKNOWN);
        let of_rust = std::iter::successors(Some(id), inlined).take_while(|id| self.is_of_rust_library(*id));
        let scope = self.span(of_rust.last()?).scope;
        self.scopes.get(scope as usize).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The function outside the sources of a language's library that the code at `id` is in, inlined into
    /// others or not: the outermost. `None` if there is none.
    pub fn written_outermost(&self, id: SpanId) -> Option<&str> {
        let span = self.span(self.outside_library_sources(id)?);
        let own = self.scopes.get(span.scope as usize).map(String::as_str);
        self.written_outermost(span.inlined_at).or(own)
    }

    /// Notes which files belong to a language's library, and which of the program's functions come from these
    /// alone. Code without a position says nothing.
    pub(crate) fn mark_library_sources(&mut self) {
        self.library_files = self.files.iter().map(|file| is_library_source(file)).collect();
        let is_library = |span: &Span| self.library_files.get(span.file as usize).copied().unwrap_or(false);
        for function in self.functions.iter_mut().filter(|function| function.in_program) {
            let mut has_library = false;
            let mut is_own = false;
            for mut id in function.spans.iter().copied() {
                while id != SpanId::UNKNOWN && !is_own {
                    let span = &self.spans[id.0 as usize];
                    has_library |= is_library(span);
                    is_own = !is_library(span);
                    id = span.inlined_at;
                }
            }
            function.function.is_library_source = has_library && !is_own;
        }
    }

    /// The global at `id`.
    pub fn global(&self, id: GlobalId) -> &LinkedGlobal {
        &self.globals[id.0 as usize]
    }

    /// The names by which the user's module calls functions directly, one for each call.
    pub fn names_called(&self) -> impl Iterator<Item = &str> {
        let own = self.functions.iter().zip(0..).filter(|(function, _)| function.in_program);
        own.flat_map(move |(function, id)| {
            function.calls.iter().zip(0..).filter_map(move |(call, site)| {
                let own_name = match call.target {
                    CallTarget::Function(id) => &self.function(id).name,
                    CallTarget::External(id) => &self.externals[id.0 as usize].name,
                    _ => return None,
                };
                Some(self.aliased_calls.get(&(FunctionId(id), site)).unwrap_or(own_name).as_str())
            })
        })
    }

    /// The function that it starts with, unless another one is asked for.
    pub fn main(&self) -> Option<FunctionId> {
        self.function_named(MAIN)
    }

    /// Looks a function with a body up by its linker name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.function_names.get(name).copied()
    }

    /// Looks a function up that no module defines, or that a model may answer in place of its definition.
    pub fn external_named(&self, name: &str) -> Option<ExternalId> {
        let position = self.externals.iter().position(|external| external.name == name)?;
        Some(ExternalId(position as u32))
    }

    /// What the source says of a parameter of the program's own function, from 0: its name, and its type or,
    /// if it is a pointer, that of what it points to.
    pub fn declared_parameter(&self, id: FunctionId, number: u32) -> Option<(&str, Option<&SourceType>)> {
        let function = self.functions.get(id.0 as usize).filter(|function| function.in_program)?;
        self.object_types.parameter(function.module_index, number)
    }

    /// Looks a global up by its linker name.
    pub fn global_named(&self, name: &str) -> Option<&LinkedGlobal> {
        self.global_names.get(name).map(|id| self.global(*id))
    }

    /// The instruction at `pc` of `function`.
    pub fn instruction(&self, function: FunctionId, pc: u32) -> &Inst {
        &self.function(function).code[pc as usize]
    }
}

/// The target of a code pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// A function with a body.
    Function(FunctionId),
    /// An external one.
    External(ExternalId),
}

/// Whether a source file belongs to a library of the language, also where its code is compiled into programs.
/// These are headers of the C++ library, and files of Rust's, by the paths that compilers use. symx's own
/// builds of libc and libstdc++ give their files names that begin with theirs.
pub fn is_library_source(file: &str) -> bool {
    let is_cxx = file.contains("/include/") && file.contains("/c++/");
    is_cxx
        || file.starts_with("libstdc++/")
        || file.starts_with("musl/")
        || file.starts_with("symx/posix-model/")
        || is_rust_library_source(file)
}

/// The same of Rust's library, and of the crates that it is made of.
fn is_rust_library_source(file: &str) -> bool {
    file.starts_with("/rustc/")
        || file.starts_with("/rust/deps/")
        || file.contains("/rustlib/src/rust/library/")
}

#[cfg(test)]
mod tests {
    use super::{LinkedFunction, Program, is_library_source};
    use crate::function::Function;
    use crate::span::{Span, SpanId};

    #[test]
    fn functions_of_library_sources_alone_are_not_own() {
        let function = |spans: &[u32]| {
            let spans = spans.iter().map(|id| SpanId(*id)).collect();
            let function = Function { in_program: true, spans, ..Function::default() };
            LinkedFunction { function, constants: Vec::new() }
        };
        let own = Span { file: 0, line: 3, ..Span::default() };
        let library = Span { file: 1, line: 9, ..Span::default() };
        let inlined = Span { inlined_at: SpanId(1), ..library };
        let mut program = Program {
            files: vec!["main.cc".into(), "/usr/include/c++/12/bits/stl_vector.h".into()],
            spans: vec![Span::default(), own, library, inlined],
            functions: [&[2, 2][..], &[2, 3], &[2, 1], &[0]].map(function).into(),
            ..Program::default()
        };
        program.mark_library_sources();
        let are_own: Vec<bool> = program.functions.iter().map(|function| function.is_own()).collect();
        assert_eq!(are_own, [false, true, true, true], "code without a position says nothing");
    }

    #[test]
    fn sources_of_libraries() {
        assert!(is_library_source(
            "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/stl_vector.h"
        ));
        assert!(is_library_source(
            "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ptr/mod.rs"
        ));
        assert!(is_library_source("libstdc++/src/c++11/thread.cc"));
        assert!(is_library_source("musl/src/exit/exit.c"));
        assert!(is_library_source("symx/posix-model/musl/hooks/locks.c"));
        assert!(is_library_source("/opt/rust/lib/rustlib/src/rust/library/std/src/rt.rs"));
        assert!(is_library_source("/rust/deps/hashbrown-0.16.1/src/raw.rs"));
        assert!(!is_library_source("/home/me/rustc/src/main.rs") && !is_library_source("src/c++/include.h"));
    }
}
