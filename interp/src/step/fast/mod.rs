//! The fast loop: runs of instructions whose operands are all concrete and whose memory is nobody else's concern.
//!
//! A function is prepared once ([`Prepared`]): each of its instructions becomes one operation at the same position, with
//! its operator, width and kind of operands in one code. What the loop cannot do, the general loop does in its place:
//! it is the one that knows the meaning of instructions, faults, parks, forks. An operation either has its whole
//! effect or none, so that the general loop can take over anywhere.

mod op;
mod prepare;
mod run;

pub(crate) use prepare::Prepared;

use crate::machine::Options;
use std::sync::OnceLock;
use symx_ir::{FunctionId, Program};

/// Prepared functions, by number.
#[derive(Debug)]
pub(crate) struct PreparedCode {
    functions: Box<[OnceLock<Option<Prepared>>]>,
    /// Whether someone wants to hear of the edges taken and the calls made.
    observed: bool,
}

impl PreparedCode {
    /// Room for the functions of `program`.
    pub fn new(program: &Program, options: &Options) -> Self {
        let functions = program.functions.iter().map(|_| OnceLock::new()).collect();
        Self { functions, observed: options.guide.is_some() || options.unroll.is_some() }
    }

    /// The prepared code of a function; `None` if it is only for the general loop.
    pub fn of(&self, program: &Program, id: FunctionId) -> Option<&Prepared> {
        self.functions[id.0 as usize]
            .get_or_init(|| Prepared::new(program, program.function(id), self.observed))
            .as_ref()
    }
}
