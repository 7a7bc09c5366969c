//! The symbolic trace of an execution.

use symx_expr::{Node, term_to_smtlib};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::report::location;
use symx_interp::state::State;
use symx_trace::{Agent, Event, EventKind, Failure, Place, Trace};

/// Version of the trace format.
const VERSION: u32 = 1;

/// The event that the next step of `agent` is.
pub(crate) fn event<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
    kind: EventKind,
) -> Event {
    let program = &executor.machine.program;
    let thread = state.thread(agent.thread());
    let span = match (agent, &thread.pending) {
        (Agent::Thread(id), Some(pending)) => match pending.span {
            symx_ir::SpanId::UNKNOWN => executor.position(state, id),
            span => span,
        },
        _ => symx_ir::SpanId::UNKNOWN,
    };
    let footprint = executor.footprint(state, agent);
    let object = footprint
        .iter()
        .find_map(|access| match access.place {
            Place::Memory { start, .. } | Place::Object(start) => state.memory.near(start),
            _ => None,
        })
        .map(|object| executor.describe_object(object))
        .unwrap_or_default();
    Event {
        agent,
        kind,
        footprint,
        value: executor.event_value(state, agent),
        location: location(program, span),
        called_from: executor.caller(state, agent),
        object,
    }
}

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
