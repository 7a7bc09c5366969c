//! One translation unit as the loader decoded it: relocatable, symbols by name.

use crate::function::Function;
use crate::lazy::{Garbled, Lazy};
use crate::source_type::SourceType;
use crate::source_type::objects::ObjectTypes;
use crate::span::Span;
use crate::symbol::{Constant, Symbol, SymbolId};
use serde::{Deserialize, Serialize};

/// A decoded module.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Where it was read from.
    pub path: String,
    /// BLAKE3 hash of the bytes it was read from; names the program in profiles and schedules.
    pub hash: [u8; 32],
    /// Everything with a name, defined here or not.
    pub symbols: Vec<Symbol>,
    /// Functions with bodies, in module order.
    pub functions: Vec<Lazy<Function>>,
    /// Global variables with initialisers.
    pub globals: Vec<Global>,
    /// `llvm.global_ctors`: priority and function, in order of appearance.
    pub constructors: Vec<(u32, SymbolId)>,
    /// `llvm.global_dtors`.
    pub destructors: Vec<(u32, SymbolId)>,
    /// File names spans refer to.
    pub files: Vec<String>,
    /// Folders where its parts were compiled, and where their main source files lay.
    pub source_folders: Vec<String>,
    /// Scope (function) names spans refer to.
    pub scopes: Vec<String>,
    /// Spans; entry 0 is the unknown one.
    pub spans: Vec<Span>,
    /// Names and types of objects that are no global variables.
    pub object_types: Lazy<ObjectTypes>,
}

impl Module {
    /// The module as bytes that [`from_bytes`](Self::from_bytes) reads, of this version of symx.
    ///
    /// # Errors
    ///
    /// If it was read from garbled bytes itself.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Garbled> {
        postcard::to_stdvec(self).map_err(|_| Garbled)
    }

    /// The module whose bytes these are.
    ///
    /// # Errors
    ///
    /// If they are those of no module.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Garbled> {
        postcard::from_bytes(bytes).map_err(|_| Garbled)
    }
}

/// A global variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// The linker's name.
    pub name: String,
    /// The name in the source, from debug information; else the linker's.
    pub source_name: String,
    /// What tells it apart if others have the same name in the source, as `a.c:3`; else "".
    pub distinction: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment, log2 of bytes.
    pub align_log2: u8,
    /// Writing to it is an error.
    pub constant: bool,
    /// One instance a thread, initialised alike.
    pub thread_local: bool,
    /// Its type in the source, if debug information has it.
    pub source_type: Option<SourceType>,
    /// The initial bytes.
    pub initializer: Initializer,
}

/// Initial contents: `bytes` (padded with zeros to the global's size), then `relocations` written over them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Initializer {
    /// Leading bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// (byte offset, width in bytes (4 or 8), value).
    pub relocations: Vec<(u64, u8, Constant)>,
}
