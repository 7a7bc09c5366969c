//! The harness that runs programs with expectations inside.
//!
//! A [`Case`] is one program under one memory model. Its expectations ([`Expectations`]) stand in the
//! program's comments. It is compiled once, run by the symx executable as a process, and judged by its JSON
//! report.

mod annotation;
mod bless;
mod case;
mod children;
mod compile;
mod compilers;
mod differential;
mod judge;
mod judge_races;
mod outcome_set;
mod problem;
mod process;
mod rerun;
mod results;
mod source_file;
mod unchanged;

pub use crate::options::reported_command::ReportedCommand;
pub use annotation::{AnnotationError, Expectations, Severity};
pub use bless::{Seen, blessed};
pub use case::{Case, cases};
pub use children::Children;
pub use compile::{CompileError, compile_bitcode, compile_native};
pub use differential::{LitmusExpectation, litmus_expectations};
pub use judge_races::judge_races;
pub use outcome_set::difference;
pub use problem::{Problem, Problems};
pub use process::{Campaigns, Symx, SymxError, SymxRun};
pub use rerun::rerun;
pub use results::{CaseResult, Results};
pub use unchanged::{Entry, Passed};
