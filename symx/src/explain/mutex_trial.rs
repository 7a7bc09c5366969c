//! A critical section that is suggested, tried with a mutex where it fits. The program with the mutex is
//! explored like any other, and identical threads count as one another.

use super::explored_fix::explored;
use super::lock_trial::section;
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_ir::guard::{Guard, Section};
use symx_posix_explore::ExploreOptions;
use symx_trace::explanation::{ExecutedStep, Explanation, Remedy};

/// The verdict on a program with the mutex.
pub(super) enum WithMutex {
    /// No execution fails. Whether executions were left out that an exchange of identical threads makes
    /// others.
    Safe { by_symmetry: bool },
    /// The mutex does not fit, some execution fails, or not all were explored.
    Open,
}

/// Explores the program with the mutex that a fix asks for.
pub(super) fn try_with_mutex(
    session: &Session,
    explanation: &Explanation,
    remedy: &Remedy,
    options: &ExploreOptions,
    end: &Deadline,
) -> WithMutex {
    match sections(explanation, remedy) {
        Some(sections) => with_mutex(session, &sections, options, end),
        None => WithMutex::Open,
    }
}

/// Explores the program with one mutex held on the lines of each section.
pub(super) fn with_mutex(
    session: &Session,
    sections: &[Section],
    options: &ExploreOptions,
    end: &Deadline,
) -> WithMutex {
    let Ok(guarded) = session.guarded(sections, &Guard::NewMutex) else { return WithMutex::Open };
    let exploration = explored(&guarded, options, true, end);
    let is_safe = exploration.failures.is_empty()
        && exploration.incomplete.is_empty()
        && exploration.progress.executions > 0;
    match is_safe {
        true => WithMutex::Safe { by_symmetry: exploration.exchanged > 0 },
        false => WithMutex::Open,
    }
}

/// Where the mutex is held: on the lines of the block, and wherever else an execution accesses what is
/// accessed there. `None` if the fix is no block, or lines do not say where it is.
pub(super) fn sections(explanation: &Explanation, remedy: &Remedy) -> Option<Vec<Section>> {
    let Remedy::AtomicBlock { first, last, .. } = remedy else { return None };
    let failing = &explanation.failing;
    let [begin, end] = [first, last].map(|step| &failing.steps[*step as usize]);
    let block = section(failing, remedy).filter(|_| begin.thread == end.thread)?;
    let is_inside = |step: &ExecutedStep| {
        step.location.file == block.file && (block.first..=block.last).contains(&step.location.line)
    };
    let touched: Vec<&ExecutedStep> = failing.steps[*first as usize..=*last as usize]
        .iter()
        .filter(|step| step.thread == begin.thread && step.kind.is_access())
        .collect();
    let here = failing.steps.iter().filter(|step| touched.iter().any(|other| other.part() == step.part()));
    let there = explanation.passing.iter().flat_map(|passing| &passing.steps);
    let there = there.filter(|step| touched.iter().any(|other| other.object == step.object));
    let mut sections = vec![block.clone()];
    for step in here.chain(there) {
        let place = &step.location;
        let is_other = step.kind.is_access() && !is_inside(step);
        if is_other && place.line > 0 && !place.file.is_empty() {
            let section = Section { file: place.file.clone(), first: place.line, last: place.line };
            if !sections.contains(&section) {
                sections.push(section);
            }
        }
    }
    Some(sections)
}
