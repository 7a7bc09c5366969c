//! Hash-consed bit-vector terms, their simplifier and evaluator, and the solver behind them.
//!
//! Terms live in an append-only pool, [`Terms`], that all workers share by reference: building a term
//! takes one short lock on a shard of the intern table, reading one takes none. Equal terms have equal
//! identities, so comparison is one machine instruction. Construction simplifies; the rules are sound
//! for SMT-LIB's bit-vector semantics (division by zero included), which [`BitVector`] implements.
//!
//! Solvers are layers of one small trait, [`solver::Solver`], with Z3 at the bottom.

mod construct;
mod evaluate;
mod float;
mod indeterminate;
mod node;
mod path_condition;
mod pool;
mod rules;
mod segments;
mod select;
pub mod solver;
mod stop;
mod substitute;
mod support;
mod symbols;
mod text;
mod values;

pub use evaluate::{Evaluator, evaluate};
pub use float::{FloatFormat, FloatOperator, Rounding};
pub use indeterminate::IndeterminateTerms;
pub use node::{BinaryOperator, Node, Term, UnaryOperator};
pub use path_condition::PathCondition;
pub use pool::Terms;
pub use rules::bounds::LowBits;
pub use stop::{Canceller, MemoryAccount, StopReason, StopToken};
pub use support::Support;
pub use symbols::SymbolSets;
pub use text::display::Infix;
pub use text::smtlib::{query_to_smtlib, term_to_smtlib};
pub use values::assignment::Assignment;
pub use values::bitvector::{BitVector, MAXIMUM_WIDTH};
