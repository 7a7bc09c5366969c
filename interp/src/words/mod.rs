//! Programs on machine words: integer arithmetic, and functions prepared for runs of instructions whose
//! operands are all concrete.
//!
//! A function is prepared once ([`Prepared`]): each of its instructions becomes one operation at the same
//! position. Its operator, width and kind of operands are in one code.

pub(crate) mod integers;
pub(crate) mod op;
pub(crate) mod plain_call;
mod prepare;

pub(crate) use prepare::Prepared;

use std::sync::OnceLock;
use symx_ir::{FunctionId, Program};

/// Prepared functions, by number.
#[derive(Debug)]
pub(crate) struct PreparedCode {
    functions: Box<[OnceLock<Option<Prepared>>]>,
    /// Whether the edges taken and the calls made are observed.
    observed: bool,
    /// Whether the calls of the program's functions are observed.
    answered: bool,
}

impl PreparedCode {
    /// Room for the functions of `program`, whose edges and calls may be `observed`. Where calls are
    /// `answered` as recorded, the program's functions make none unseen.
    pub fn new(program: &Program, observed: bool, answered: bool) -> Self {
        let functions = program.functions.iter().map(|_| OnceLock::new()).collect();
        Self { functions, observed, answered }
    }

    /// The prepared code of a function; `None` if it is only for the general loop.
    pub fn of(&self, program: &Program, id: FunctionId) -> Option<&Prepared> {
        self.functions[id.0 as usize]
            .get_or_init(|| {
                let function = program.function(id);
                let observed = self.observed || (self.answered && function.in_program);
                Prepared::new(program, function, observed)
            })
            .as_ref()
    }
}
