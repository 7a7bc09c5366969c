//! Debug information on variables: their locations while the program runs, and their types.
//!
//! It is read for a debugger alone, beside the module, and says of each function by its number there.

use crate::instruction::Slot;
use serde::{Deserialize, Serialize};

/// Index into [`DebugInfo::types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// The variables and types of a module.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct DebugInfo {
    /// Types.
    pub types: Vec<Type>,
    /// The scopes of functions: the scope around each, if it lies in one.
    pub scopes: Vec<Option<u32>>,
    /// The scopes of instructions and variables.
    pub inlined_scopes: Vec<InlinedScope>,
    /// By [number in the module](crate::Function::module_index).
    pub functions: Vec<FunctionVariables>,
    /// Global variables, those of functions and namespaces included.
    pub globals: Vec<GlobalVariable>,
}

/// A scope, and the call through which it was inlined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct InlinedScope {
    /// Index into [`DebugInfo::scopes`].
    pub scope: u32,
    /// Index into [`DebugInfo::inlined_scopes`]; `None` if it was not inlined.
    pub inlined_at: Option<u32>,
}

/// The variables of a function.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FunctionVariables {
    /// For each instruction, its index into [`DebugInfo::inlined_scopes`].
    pub instructions: Vec<Option<u32>>,
    /// Its variables, those of functions inlined into it included, in order of appearance.
    pub variables: Vec<LocalVariable>,
    /// Where they are from which instruction on, in order of instructions; until the next change along the
    /// control flow.
    pub changes: Vec<PlaceChange>,
}

/// A variable of a function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LocalVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Option<TypeId>,
    /// Index into [`DebugInfo::inlined_scopes`].
    pub inlined_scope: u32,
    /// The line of its declaration.
    pub line: u32,
}

/// A location of a variable from an instruction on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlaceChange {
    /// The instruction.
    pub pc: u32,
    /// Index into [`FunctionVariables::variables`].
    pub variable: u32,
    /// Where it is.
    pub place: VariablePlace,
}

/// Where a variable, or a part of it, is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VariablePlace {
    /// The base that the operations begin with.
    pub base: Base,
    /// The operations from there to its value or address.
    pub operations: Vec<PlaceOperation>,
    /// Whether the result is its address rather than its value.
    pub is_address: bool,
    /// If only a part of it: the first bit, and how many.
    pub part: Option<(u64, u64)>,
}

impl VariablePlace {
    /// That of a variable that was optimised away.
    pub fn gone() -> Self {
        Self { base: Base::Gone, operations: Vec::new(), is_address: false, part: None }
    }
}

/// The base of a place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Base {
    /// Nothing: there is no such place.
    Gone,
    /// Registers from this one on.
    Register(Slot),
    /// A number.
    Number(u64),
    /// The address of what has this name for the linker, plus bytes.
    Symbol(String, i64),
}

/// One operation on an address or a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PlaceOperation {
    /// Adds a number.
    Add(i64),
    /// Reads the eight bytes at an address.
    Dereference,
}

/// A global variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GlobalVariable {
    /// Its name for the linker.
    pub symbol: String,
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub of: Option<TypeId>,
    /// If it is declared within a function, the scope: an index into [`DebugInfo::scopes`].
    pub scope: Option<u32>,
}

/// A type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Type {
    /// Its name in the source; "" for one without a name, and for those that are made of others.
    pub name: String,
    /// Its size in bytes; 0 if that is not known.
    pub size: u64,
    /// Its kind.
    pub kind: TypeKind,
}

/// The keyword that declares a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // the variants are the language's words
pub enum RecordKeyword {
    Struct,
    Class,
    Union,
}

impl std::fmt::Display for RecordKeyword {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Struct => "struct",
            Self::Class => "class",
            Self::Union => "union",
        })
    }
}

/// The kind of a type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TypeKind {
    /// A number.
    Number(Encoding),
    /// A pointer, or a reference.
    Pointer {
        /// To what; `None` for `void`.
        to: Option<TypeId>,
        /// Whether it is a reference.
        is_reference: bool,
    },
    /// Another type, with the qualifier in front of its name, or under another name (`""`).
    Alias {
        /// The qualifier.
        qualifier: String,
        /// The type; `None` for `void`.
        of: Option<TypeId>,
    },
    /// A structure, class or union, with the keyword.
    Record {
        /// The keyword.
        keyword: RecordKeyword,
        /// Its parts.
        members: Vec<Member>,
    },
    /// An array.
    Array {
        /// The type of its elements.
        element: TypeId,
        /// How many, by dimension; `None` where that is not known.
        counts: Vec<Option<u64>>,
    },
    /// An enumeration.
    Enumeration {
        /// Its enumerators.
        values: Vec<(String, i64)>,
        /// The type that it is stored as.
        of: Option<TypeId>,
    },
    /// A function.
    Function,
    /// Anything else.
    Other,
}

/// How the bits of a number are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // DWARF's own words
pub enum Encoding {
    Boolean,
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Float,
    Address,
    Other,
}

impl Encoding {
    /// Whether numbers so encoded may be negative whole numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Signed | Self::SignedChar)
    }
}

/// A part of a record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Its name; "" for an unnamed record in another one.
    pub name: String,
    /// Its type.
    pub of: TypeId,
    /// Where it begins, in bits.
    pub offset_bits: u64,
    /// For a bit-field, how many bits it has.
    pub bits: Option<u64>,
    /// Whether it is a base class.
    pub is_base: bool,
}
