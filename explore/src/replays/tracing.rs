//! The symbolic trace of an execution.

use symx_expr::{Node, term_to_smtlib};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_trace::{Event, Failure, Trace};

/// Version of the trace format.
const VERSION: u32 = 1;

/// The trace made of these events and the state they led to.
pub(crate) fn trace<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    events: Vec<Event>,
    failure: Option<Failure>,
) -> Trace {
    let terms = &executor.machine.terms;
    let symbols = state.inputs.iter().flat_map(|input| input.bytes.iter());
    Trace {
        version: VERSION,
        threads: state.threads.iter().map(|thread| thread.name.clone()).collect(),
        events,
        path_condition: state.path.iter().map(|term| term_to_smtlib(terms, term)).collect(),
        symbols: symbols
            .filter_map(|symbol| match terms.node(*symbol) {
                Node::Symbol { width, .. } => {
                    Some(format!("(declare-const {} (_ BitVec {width}))", term_to_smtlib(terms, *symbol)))
                }
                _ => None,
            })
            .collect(),
        failure,
    }
}
