//! Making symbolic inputs.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::pieces::BYTES_A_SYMBOL;
use crate::state::{State, SymbolicInput};
use crate::stop::Stop;
use crate::value::Value;
use std::sync::Arc;
use symx_expr::Term;
use symx_expr::solver::Unresolved;
use symx_trace::InputOrigin;

/// Symbols made without asking in between: some thousandths of a second's work.
const SYMBOLS_BETWEEN: u64 = 1 << 12;

impl<E: Environment> Executor<'_, E> {
    /// A new input of `length` bytes: a symbol each, named after the input and its number in the execution.
    pub(crate) fn new_input(
        &self,
        state: &mut State<E>,
        length: u64,
        name: &str,
        origin: InputOrigin,
    ) -> Result<Arc<[Term]>, Stop> {
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
        state.inputs.push_back(SymbolicInput { name, bytes: bytes.clone(), origin: Arc::new(origin) });
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
