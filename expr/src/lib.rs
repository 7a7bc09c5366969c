//! Hash-consed bit-vector terms, with a simplifier, an evaluator and a solver.
//!
//! Three types come first:
//!
//! - [`Terms`], the append-only pool that makes terms. All workers share it by reference: building a term
//!   takes one short lock on a shard of the intern table, reading one takes none.
//! - [`Term`], a number in that pool. Equal terms have equal numbers, so comparison is one machine
//!   instruction.
//! - [`PathQueries`](solver::PathQueries), which asks a [`Solver`](solver::Solver) the questions of an
//!   interpreter: which ways a condition can go under a [`PathCondition`], and a term's possible values.
//!
//! Construction simplifies; the rules are sound for SMT-LIB's bit-vector semantics (division by zero
//! included), which [`BitVector`] implements.
//!
//! ```
//! use std::sync::Arc;
//! use symx_expr::solver::{Branch, PathQueries, Z3Options, standard};
//! use symx_expr::{Assignment, BitVector, PathCondition, Term, Terms, evaluate};
//!
//! let terms = Arc::new(Terms::new());
//! let x = terms.symbol("x", 32);
//! let at = |value| terms.constant(32, value);
//!
//! // Equal terms are one, and constants fold.
//! assert_eq!(terms.add(x, at(0)), x);
//! assert_eq!(terms.equal(at(2), at(3)), Term::FALSE);
//!
//! // A term has a value once its symbols have.
//! let mut values = Assignment::new();
//! values.set(x, BitVector::from_u64(32, 7));
//! assert_eq!(evaluate(&terms, terms.multiply(x, x), &values).to_u64(), Some(49));
//!
//! // Under x < 10, the branch x * x == 25 goes both ways and x * x == 200 only one.
//! let mut path = PathCondition::new();
//! path.add(&terms, terms.unsigned_less(x, at(10)));
//! let mut queries = PathQueries::new(terms.clone(), standard(&terms, Z3Options::default()));
//! let square = terms.multiply(x, x);
//! assert_eq!(queries.branch(&path, terms.equal(square, at(25))), Branch::Both);
//! assert_eq!(queries.branch(&path, terms.equal(square, at(200))), Branch::False);
//! ```
//!
//! Read on at [`solver`], whose layers answer most queries before Z3 is asked, and at `rules` for the
//! simplifier. Floats are terms over bit patterns ([`FloatFormat`]). A [`StopToken`] ends work from outside.

mod construct;
mod derived;
mod evaluate;
mod float;
mod float_operator;
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

pub use derived::Derived;
pub use evaluate::{Evaluator, evaluate};
pub use float_operator::{FloatFormat, FloatOperator, Rounding};
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
