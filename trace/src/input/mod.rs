//! Symbolic inputs: where they enter a program, and the bytes they have in one execution.

mod value;

pub use value::number_for_people;

use serde::{Deserialize, Serialize};
use symx_ir::debug_info::Encoding;

/// Where a symbolic input enters the program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputOrigin {
    /// The program asked for it.
    #[default]
    Program,
    /// It is what follows the program's name as this argument, from 1.
    Argument(u32),
    /// It follows what standard input holds.
    StandardInput,
    /// It is what the file at this path holds.
    File(String),
    /// It is what the external function of this name returned.
    External(String),
    /// It is this parameter, from 1, of the function the program starts at.
    Parameter(u32),
}

impl InputOrigin {
    /// What people call an input from there, by the name that it was given: without the number that makes
    /// that unique.
    pub fn name_for_people(&self, given: &str) -> String {
        match self {
            Self::Argument(number) => format!("argument {number}"),
            Self::StandardInput => "standard input".into(),
            Self::File(path) => path.clone(),
            Self::External(function) => format!("result of {function}()"),
            Self::Parameter(_) | Self::Program => {
                given.rsplit_once('#').map_or(given, |(name, _)| name).to_owned()
            }
        }
    }
}

/// The declared type of an input: a number, or several of one type after each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InputType {
    /// How the bits of a number are read.
    pub encoding: Encoding,
    /// Bytes of a number.
    pub size: u64,
}

/// A symbolic input and the bytes it has in one execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The name given where it was made symbolic.
    pub name: String,
    /// Its bytes, lowest address first.
    pub bytes: Vec<u8>,
    /// Where it enters.
    #[serde(default)]
    pub origin: InputOrigin,
    /// Its type, where debug information or the function that made it says so.
    #[serde(default)]
    pub declared: Option<InputType>,
}

/// The symbolic part of a program's environment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SymbolicSurroundings {
    /// Arguments after the concrete ones.
    pub arguments: Vec<SymbolicArguments>,
    /// Bytes after the concrete ones of standard input.
    pub standard_input: u64,
    /// Files.
    pub files: Vec<SymbolicFile>,
    /// Where the program starts, if not at `main`.
    pub entry: Option<EntryPoint>,
    /// Whether unknown external functions return any value instead of ending the execution.
    pub externals: bool,
}

/// A function the program starts at, with symbolic parameters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryPoint {
    /// Its name.
    pub function: String,
    /// Bytes of the symbolic object that each parameter that is a pointer points to.
    pub bytes: u64,
}

/// A group of symbolic arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolicArguments {
    /// There are at least this many.
    pub least: u32,
    /// There are at most this many.
    pub most: u32,
    /// Each has at most this many characters.
    pub length: u64,
}

/// A symbolic file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolicFile {
    /// Its absolute, normal path.
    pub path: String,
    /// Its length in bytes.
    pub length: u64,
}
