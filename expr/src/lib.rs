//! Hash-consed bit-vector terms, their simplifier and evaluator, and the solver behind them.
//!
//! Terms live in an append-only pool, [`Terms`], that all workers share by reference: building a term
//! takes one short lock on a shard of the intern table, reading one takes none. Equal terms have equal
//! identities, so comparison is one machine instruction. Construction simplifies; the rules are sound
//! for SMT-LIB's bit-vector semantics (division by zero included), which [`BitVector`] implements.
//!
//! Solvers are layers of one small trait, [`solver::Solver`], with Z3 at the bottom.

mod arithmetic_rules;
mod assignment;
mod bitvector;
mod bitwise_rules;
mod bounds;
mod construct;
mod display;
mod equality_rules;
mod evaluate;
mod float;
mod indeterminate;
mod limbs;
mod node;
mod order_rules;
mod path_condition;
mod pool;
mod segments;
mod select;
mod smtlib;
pub mod solver;
mod stop;
mod structure_rules;
mod substitute;
mod support;
mod symbols;
mod word;

#[cfg(test)]
mod rule_tests;

pub use assignment::Assignment;
pub use bitvector::{BitVector, MAXIMUM_WIDTH};
pub use bounds::LowBits;
pub use display::Infix;
pub use evaluate::{Evaluator, evaluate};
pub use float::{FloatFormat, FloatOperator, Rounding};
pub use indeterminate::IndeterminateTerms;
pub use node::{BinaryOperator, Node, Term, UnaryOperator};
pub use path_condition::PathCondition;
pub use pool::Terms;
pub use smtlib::{query_to_smtlib, term_to_smtlib};
pub use stop::{MemoryAccount, StopReason, StopToken};
pub use support::Support;
pub use symbols::SymbolSets;
