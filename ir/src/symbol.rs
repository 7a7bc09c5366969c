//! Symbols: names before linking, what they denote, and values that are relative to them.

use serde::{Deserialize, Serialize};

/// Index into [`Module::symbols`](crate::Module::symbols).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolId(pub u32);

/// A name and what it denotes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Symbol {
    /// The linker's name.
    pub name: String,
    /// Which modules may see or replace it.
    pub linkage: Linkage,
    /// Its definition in this module.
    pub definition: Definition,
    /// Whether it names a function (an alias or external may name either).
    pub is_function: bool,
}

/// Visibility of a symbol between modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Linkage {
    /// Seen by its module only.
    Internal,
    /// The one definition.
    Strong,
    /// Gives way to a strong definition (`weak`, `linkonce`, `common`); as a declaration: may
    /// be absent (address 0).
    Weak,
    /// One of equal definitions (`linkonce_odr`): an inline function, or an instance of a template. Each
    /// module that defines it may have its own.
    Inline,
}

/// The definition of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Definition {
    /// Index into [`Module::functions`](crate::Module::functions).
    Function(u32),
    /// Index into [`Module::globals`](crate::Module::globals).
    Global(u32),
    /// Another name for `target + offset` bytes.
    Alias {
        /// The symbol meant.
        target: SymbolId,
        /// Bytes added.
        offset: i64,
    },
    /// The labels of a function (index into [`Module::functions`](crate::Module::functions)): the address of
    /// block `n` is `n` further on.
    Labels(u32),
    /// Declared only.
    None,
}

/// A 64-bit entry of a constant pool or initialiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Constant {
    /// Plain bits.
    Bits(u64),
    /// The address of a symbol, plus bytes.
    Address(SymbolId, i64),
    /// `(address of .0 + .2) - address of .1`, truncated by its use (relative tables).
    Difference(SymbolId, SymbolId, i64),
}
