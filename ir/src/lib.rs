//! The program as data: decoded, immutable, compact.
//!
//! Three types come first:
//!
//! - [`Module`], one translation unit as the loader decoded it, with symbols still by name;
//! - [`Program`], what [`link`](fn@link) makes of modules: every address is final, every call target bound;
//! - [`Function`], blocks of instructions ([`Inst`]) over numbered slots, with a constant pool.
//!
//! Nothing here knows LLVM; nothing here executes. The recorder and the guide share one more thing of this
//! crate, the numbering of paths:
//!
//! ```
//! use symx_ir::path_numbering::{Edge, EdgeAction, PathNumbering};
//!
//! // if (...) a else b; return: block 0 goes to 1 or 2, both go to 3.
//! let diamond = [vec![1, 2], vec![3], vec![3], vec![]];
//! let numbering = PathNumbering::new(&diamond, 8192).unwrap();
//! assert_eq!(numbering.paths(), 2);
//!
//! // The first way adds nothing to the path's number, the second one adds 1.
//! let action = |successor| numbering.edge_action(Edge { block: 0, successor });
//! assert_eq!(action(0), EdgeAction::Continue { add: 0 });
//! assert_eq!(action(1), EdgeAction::Continue { add: 1 });
//! assert_eq!(numbering.decode(1).unwrap().edges[0], Edge { block: 0, successor: 1 });
//! ```
//!
//! # How values are laid out
//!
//! Every SSA value owns a run of consecutive *slots* of its frame, 64 bits each. A scalar of at most 64 bits
//! has one slot (kept zero-extended: bits above the width are zero). A wider integer, x86_fp80 or fp128 has
//! `ceil(width / 64)` slots, least significant first. A vector, array or struct has the concatenation of the
//! elements' slots. So `extractvalue` and `insertvalue` are copies, and vector arithmetic is one instruction
//! a lane.
//!
//! Read on at [`instruction`] for the instruction set, [`address`] for the layout of the address space, and
//! [`listing`](fn@listing) to see a function as text.

pub mod address;
pub mod debug_info;
pub mod function;
pub mod guard;
pub mod instruction;
pub mod known_functions;
pub mod lazy;
pub mod link;
pub mod live;
pub mod loops;
pub mod module;
pub mod omission;
pub mod path_numbering;
pub mod program;
pub mod registers;
pub mod slicing;
pub mod source_type;
pub mod span;
pub mod symbol;

pub use function::listing::listing;
pub use function::{
    ArgumentClass, Block, CallSite, CallTarget, Condition, Edge, ExternalId, Function, FunctionId, Hoisted,
    Move, Param, Switch,
};
pub use instruction::{Inst, Operand, Slot};
pub use lazy::Lazy;
pub use link::{LinkError, Modelled, link};
pub use module::{Global, Initializer, Module};
pub use program::{Code, External, GlobalId, Program};
pub use source_type::name::SourceName;
pub use source_type::objects::{
    AllocatedObject, DeclaredParameter, ElementType, ObjectTypes, StackObject, TypedAllocation,
};
pub use source_type::{Field, SourceType};
pub use span::{Span, SpanId, short_file};
pub use symbol::{Constant, Definition, Linkage, Symbol, SymbolId};
