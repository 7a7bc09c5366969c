//! Which step of an execution an event of its symbolic trace is.

use symx_trace::EventKind;
use symx_trace::explanation::{ExecutedStep, Execution};
use symx_trace::symbolic::{Event, Operation, SymbolicTrace, ThreadTrace};

/// By thread of the trace and event, the execution's step. Events that are no visible step (a thread's
/// beginning) have none. An event that checks whether an object exists (`looks`, by thread and place) is part
/// of the step that uses it: the thread's next one.
pub fn steps_of_events(
    execution: &Execution,
    trace: &SymbolicTrace,
    looks: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<Option<u32>>> {
    let steps_of = |(number, thread): (usize, &ThreadTrace)| {
        let lane = execution.threads.iter().position(|lane| lane.name == thread.name);
        let steps = execution.steps.iter().enumerate();
        let own: Vec<(usize, &ExecutedStep)> = steps
            .filter(|(_, step)| Some(step.thread as usize) == lane && step.kind != EventKind::Commit)
            .collect();
        let is_at = |event: &Event, step: &ExecutedStep| {
            let location = step.library.as_ref().unwrap_or(&step.location);
            (location.line, &location.file) == (event.location.line, &event.location.file)
        };
        let mut next = 0;
        let mut steps: Vec<Option<u32>> = Vec::new();
        for (place, event) in thread.events.iter().enumerate() {
            let is_it = |step: &ExecutedStep| is_kind(&event.operation, &step.kind) && is_at(event, step);
            let found = match looks(number, place) {
                true => None,
                false => own[next..].iter().position(|(_, step)| is_it(step)).map(|found| next + found),
            };
            next = found.map_or(next, |found| found + 1);
            steps.push(found.map(|found| own[found].0 as u32));
        }
        // A check that fails at once belongs to the step it fails in.
        let mut following = own[next..].first().or(own.last()).map(|(step, _)| *step as u32);
        for place in (0..steps.len()).rev() {
            if looks(number, place) {
                steps[place] = following;
            }
            following = steps[place].or(following);
        }
        steps
    };
    trace.threads.iter().enumerate().map(steps_of).collect()
}

fn is_kind(operation: &Operation, kind: &EventKind) -> bool {
    match operation {
        Operation::Read { .. } => *kind == EventKind::Read,
        Operation::Write { .. } => matches!(kind, EventKind::Write | EventKind::Free | EventKind::Call(_)),
        Operation::ReadModifyWrite { .. } => {
            matches!(kind, EventKind::ReadModifyWrite | EventKind::Call(_) | EventKind::Free)
        }
        Operation::Effect { .. } => matches!(kind, EventKind::Call(_) | EventKind::Free),
        Operation::Fence { .. } => *kind == EventKind::Fence,
        Operation::Begin | Operation::End => false,
        _ => matches!(kind, EventKind::Call(_)),
    }
}
