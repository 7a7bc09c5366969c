//! The program as data: decoded, immutable, compact.
//!
//! A [`Module`] is one translation unit as the loader decoded it, with symbols still by name.
//! [`link`](fn@link) joins modules into a [`Program`], in which every address is final and every call target
//! bound. Nothing here knows LLVM; nothing here executes.
//!
//! # How values are laid out
//!
//! Every SSA value owns a run of consecutive *slots* of its frame, 64 bits each: one slot for a scalar of at
//! most 64 bits (kept zero-extended: bits above the width are zero), `ceil(width / 64)` slots, least
//! significant first, for a wider integer, x86_fp80 or fp128, and the concatenation of the elements' slots
//! for a vector, array or struct. So `extractvalue` and `insertvalue` are copies, and vector arithmetic is
//! one instruction a lane.

pub mod address;
pub mod counted_rounds;
pub mod function;
pub mod guard;
pub mod instruction;
pub mod lazy;
pub mod link;
mod listing;
pub mod live;
pub mod module;
pub mod omission;
pub mod path_numbering;
pub mod program;
pub mod source_type;
pub mod span;

pub use function::{
    ArgumentClass, Block, CallSite, CallTarget, Edge, Function, Hoisted, Move, Param, Switch,
};
pub use instruction::{Inst, Operand, Slot};
pub use lazy::Lazy;
pub use link::{LinkError, Modelled, link};
pub use listing::listing;
pub use module::{Constant, Definition, Global, Initializer, Linkage, Module, Symbol, SymbolId};
pub use program::{Code, External, ExternalId, FunctionId, GlobalId, Program};
pub use source_type::{Field, SourceType};
pub use span::{Span, SpanId};
