//! The use that a thread which met an object after its life still had for it: read off the passing execution,
//! where the use happens.

use super::{Matching, changes_object};
use crate::passing::is_beginning;
use symx_trace::explanation::{ExecutedStep, Execution};
use symx_trace::{FailureKind, ThreadName};

/// The step that fails, if it is the last one taken.
pub(super) fn failing_step(execution: &Execution) -> Option<u32> {
    let failure = execution.failure.as_ref().filter(|failure| failure.kind != FailureKind::Deadlock)?;
    let last = execution.steps.iter().rposition(ExecutedStep::is_taken)?;
    let name = &execution.threads[execution.steps[last].thread as usize].name;
    (*name == failure.thread).then_some(last as u32)
}

/// Whether the passing execution ends before the thread that fails comes as far: it says little.
pub fn is_cut_short(failing: &Execution, passing: &Execution) -> bool {
    let Some(last) = failing_step(failing) else { return false };
    let name = &failing.threads[failing.steps[last as usize].thread as usize].name;
    let steps = |execution: &Execution| {
        let is_own =
            |step: &&ExecutedStep| execution.threads[step.thread as usize].name == *name && step.is_taken();
        execution.steps.iter().filter(is_own).cloned().collect::<Vec<ExecutedStep>>()
    };
    is_beginning(&steps(passing), &steps(failing), ExecutedStep::does_the_same)
}

/// If the failing step uses an object after its life: adds the last step that its thread takes at the object
/// in the passing execution. (That is before the object's end there.) The step is added as one that is not
/// reached.
pub fn add_last_use(failing: &mut Execution, passing: &Execution) {
    let is_late = |failure: &symx_trace::Failure| failure.detail.is_late_use();
    if !failing.failure.as_ref().is_some_and(is_late) {
        return;
    }
    let Some(last) = failing_step(failing) else { return };
    let step = &failing.steps[last as usize];
    let name: &ThreadName = &failing.threads[step.thread as usize].name;
    let Some(place) = Matching::new(failing, passing).to_passing[last as usize] else { return };
    let thread = |step: &ExecutedStep| &passing.threads[step.thread as usize].name;
    let rest = &passing.steps[place as usize + 1..];
    let is_at_object =
        |other: &&ExecutedStep| other.is_at_same_part(&passing.steps[place as usize]) && other.is_taken();
    let uses = rest.iter().filter(is_at_object);
    // Others only come after it has done with it if they change it.
    let own = uses
        .take_while(|other| thread(other) == name || !changes_object(other))
        .filter(|other| thread(other) == name);
    let Some(last_use) = own.last() else { return };
    failing.add_not_reached(step.thread, last_use);
}
