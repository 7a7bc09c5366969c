//! Programs under a fix, explored, and what that says of the fix.

use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_posix_explore::{Exploration, ExploreOptions, Reduction, explore_all};
use symx_trace::Failure;
use symx_trace::explanation::Trial;

/// Explores a program in which a lock was put; with `symmetry`, identical threads count as one another.
pub(super) fn explored(
    guarded: &Session,
    options: &ExploreOptions,
    symmetry: bool,
    end: &Deadline,
) -> Exploration {
    let machine = guarded.machine();
    let solver = guarded.solver(end.cutoff());
    let options = ExploreOptions {
        reduction: Reduction::ReadsFrom,
        counted: options.counted,
        symmetry,
        ..ExploreOptions::default()
    };
    explore_all(&machine, solver, &options, &mut end.clone())
}

/// The result of exploring the program under a fix; `failure` is what it is to rule out.
pub(super) fn trial_of(exploration: &Exploration, failure: &Failure) -> Trial {
    if let Some(found) = exploration.failures.first() {
        let message = found.failure.message.replace('\n', "; ");
        return Trial::Fails(match found.failure.same_fault(failure) {
            true => message,
            false => format!("in another way: {message}"),
        });
    }
    match exploration.incomplete.first() {
        Some(cut) if cut.what.is_empty() => Trial::Incomplete(cut.reason.word().into()),
        Some(cut) => Trial::Incomplete(format!("{}: {}", cut.reason, cut.what)),
        None if exploration.progress.executions == 0 => Trial::Incomplete("no execution terminates".into()),
        None => Trial::Safe,
    }
}
