//! Potential failures that no explored execution ends in.

use crate::report::{Report, Warning};
use symx_checkers::lock_order::{LockCycle, lock_cycles};
use symx_trace::failure::Note;
use symx_trace::{Failure, FailureKind, Nesting};

/// Orders of locks that contradict each other, unless a deadlock that was found says so already.
pub fn lock_order(nestings: &[Nesting], report: &Report) -> Vec<Warning> {
    let cycles = lock_cycles(nestings);
    cycles.iter().filter(|cycle| !is_reported(cycle, report)).map(warning).collect()
}

/// Misuse of the library after which an execution continued.
pub fn misuse(met: &[Failure]) -> Vec<Warning> {
    let warning = |failure: &Failure| {
        let here = Note {
            message: "execution continues as it would natively".into(),
            location: failure.location.clone(),
            thread: Some(failure.thread.clone()),
            stack: failure.stack.clone(),
        };
        Warning {
            kind: failure.class(),
            message: failure.message.clone(),
            location: failure.location.clone(),
            notes: std::iter::once(here).chain(failure.notes.iter().cloned()).collect(),
        }
    };
    met.iter().map(warning).collect()
}

fn is_reported(cycle: &LockCycle<'_>, report: &Report) -> bool {
    report.violations.iter().filter(|violation| violation.kind == FailureKind::Deadlock).any(|violation| {
        let mut texts = vec![violation.message.as_str()];
        texts.extend(violation.notes.iter().map(|note| note.message.as_str()));
        cycle.steps.iter().all(|step| texts.iter().any(|text| text.contains(&step.held.name)))
    })
}

fn warning(cycle: &LockCycle<'_>) -> Warning {
    let notes = cycle.steps.iter().flat_map(|step| {
        let (nesting, held) = (step.nesting, step.held);
        let thread = Some(nesting.thread.clone());
        let taken = Note {
            message: format!("{} takes {} here", nesting.title, held.name),
            location: held.location.clone(),
            thread: thread.clone(),
            stack: Vec::new(),
        };
        let wanted = Note {
            message: format!("{} takes {} as well here", nesting.title, nesting.wanted.name),
            location: nesting.wanted.location.clone(),
            thread,
            stack: Vec::new(),
        };
        [taken, wanted]
    });
    Warning {
        kind: "lock-order".into(),
        message: cycle.message(),
        location: cycle.steps[0].nesting.wanted.location.clone(),
        notes: notes.filter(|note| note.location.line != 0).collect(),
    }
}
