//! Which step of an execution an event of its symbolic trace is.

use symx_trace::EventKind;
use symx_trace::explanation::Execution;
use symx_trace::symbolic::{Operation, SymbolicTrace};

/// By thread of the trace and event, the execution's step. Events that are no visible step (a thread's beginning) have
/// none.
pub fn steps_of_events(execution: &Execution, trace: &SymbolicTrace) -> Vec<Vec<Option<u32>>> {
    let steps_of = |thread: &symx_trace::symbolic::ThreadTrace| {
        let number = execution.threads.iter().position(|lane| lane.name == thread.name);
        let own = execution
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| Some(step.thread as usize) == number && step.kind != EventKind::Commit);
        let own: Vec<_> = own.collect();
        let mut next = 0;
        let find = |event: &symx_trace::symbolic::Event| {
            let is_it = |step: &symx_trace::explanation::ExecutedStep| {
                is_kind(&event.operation, &step.kind)
                    && (step.location.line, &step.location.file)
                        == (event.location.line, &event.location.file)
            };
            let found = own[next..].iter().position(|(_, step)| is_it(step))? + next;
            next = found + 1;
            Some(own[found].0 as u32)
        };
        thread.events.iter().map(find).collect::<Vec<Option<u32>>>()
    };
    trace.threads.iter().map(steps_of).collect()
}

fn is_kind(operation: &Operation, kind: &EventKind) -> bool {
    match operation {
        Operation::Read { .. } => *kind == EventKind::Read,
        Operation::Write { .. } => matches!(kind, EventKind::Write | EventKind::Free),
        Operation::ReadModifyWrite { .. } => {
            matches!(kind, EventKind::ReadModifyWrite | EventKind::Call(_) | EventKind::Free)
        }
        Operation::Fence { .. } => *kind == EventKind::Fence,
        Operation::Begin | Operation::End => false,
        _ => matches!(kind, EventKind::Call(_)),
    }
}
