//! Making symbolic inputs.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::pieces::BYTES_A_SYMBOL;
use crate::state::{ReturningCall, State, SymbolicInput};
use crate::stop::Stop;
use crate::value::Value;
use std::sync::Arc;
use symx_expr::Term;
use symx_expr::solver::Unresolved;
use symx_trace::{InputOrigin, InputType};

/// Symbols made without asking in between: some thousandths of a second's work.
const SYMBOLS_BETWEEN: u64 = 1 << 12;

/// An input that is made: what is known of it besides its bytes.
#[derive(Debug)]
pub(crate) struct NewInput<'n> {
    /// Its name.
    pub name: &'n str,
    /// Where it enters.
    pub origin: InputOrigin,
    /// Its declared type, if that is known.
    pub declared: Option<InputType>,
    /// The call that returns it, if one does.
    pub returned: Option<ReturningCall>,
}

impl<'n> NewInput<'n> {
    /// Bytes of no known type.
    pub fn untyped(name: &'n str, origin: InputOrigin) -> Self {
        Self { name, origin, declared: None, returned: None }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// A new input of `length` bytes: a symbol each, named after the input and its number in the execution.
    pub(crate) fn new_input(
        &self,
        state: &mut State<E>,
        length: u64,
        new: NewInput<'_>,
    ) -> Result<Arc<[Term]>, Stop> {
        let NewInput { name, origin, declared, returned } = new;
        let number = state.inputs.len();
        let name: Arc<str> = format!("{name}#{number}").into();
        let terms = &self.machine.terms;
        let mut bytes = Vec::new();
        for index in 0..length {
            if index % SYMBOLS_BETWEEN == 0 {
                self.proceed()?;
                self.ask((length - index).min(SYMBOLS_BETWEEN) * BYTES_A_SYMBOL)?;
            }
            bytes.push(terms.symbol(&format!("{name}[{index}]"), 8));
        }
        let bytes: Arc<[Term]> = bytes.into();
        let origin = Arc::new(origin);
        state.inputs.push_back(SymbolicInput { name, bytes: bytes.clone(), origin, declared, returned });
        Ok(bytes)
    }

    /// The least and the greatest number that a value can be, unsigned. In a replay, the one that it is.
    pub(crate) fn unsigned_range(&mut self, state: &mut State<E>, value: Value) -> Result<(u64, u64), Stop> {
        match value {
            Value::Concrete(bits) => Ok((bits, bits)),
            Value::Symbolic(_) if self.given().is_some() => {
                let bits = self.concretize(state, value)?;
                Ok((bits, bits))
            }
            Value::Symbolic(term) => {
                self.queries.unsigned_range(&state.path, term).map_err(|error| match error {
                    Unresolved::Infeasible => Stop::Infeasible,
                    Unresolved::Unknown(undecided) => undecided.into(),
                })
            }
        }
    }
}
