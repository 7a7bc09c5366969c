//! A lock that a thread lacks, tried: the program that holds it there is explored like any other.

use super::explored_fix::{explored, trial_of};
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_explore::ExploreOptions;
use symx_ir::guard::{Guard, Section};
use symx_ir::known_functions::locks;
use symx_trace::explanation::{Execution, Remedy, Trial};
use symx_trace::{EventKind, Failure};

/// The functions that take the lock of a step for oneself, and free it.
pub fn functions(execution: &Execution, taken: u32) -> Option<[&'static str; 2]> {
    let EventKind::Call(call) = &execution.steps[taken as usize].kind else { return None };
    let lock = locks::acquiring(&call.name)?;
    Some([lock.exclusive, lock.unlock])
}

/// The lines on which the steps of a fix are.
pub fn section(execution: &Execution, remedy: &Remedy) -> Option<Section> {
    let (first, last) = remedy.steps();
    let [from, to] = [first, last].map(|step| &execution.steps[step as usize].location);
    let is_known = from.line > 0 && from.line <= to.line && from.file == to.file && !from.file.is_empty();
    is_known.then(|| Section { file: from.file.clone(), first: from.line, last: to.line })
}

/// Explores the program that holds the lock of a [`Remedy::HoldLock`]; `failure` is what it is to rule out.
pub(super) fn try_with_lock(
    session: &Session,
    failing: &Execution,
    remedy: &Remedy,
    failure: &Failure,
    options: &ExploreOptions,
    end: &Deadline,
) -> Trial {
    let Remedy::HoldLock { taken, .. } = remedy else { return Trial::Untried };
    let Some(section) = section(failing, remedy) else { return Trial::Untried };
    let place = failing.steps[*taken as usize].place;
    let address = place.map(|place| place.object.wrapping_add(place.offset));
    let Some((address, [take, free])) = address.zip(functions(failing, *taken)) else {
        return Trial::Untried;
    };
    let guarded = match session.guarded(&[section], &Guard::Lock { address, take, free }) {
        Ok(guarded) => guarded,
        Err(why) => return Trial::Incomplete(why.to_string()),
    };
    trial_of(&explored(&guarded, options, false, end), failure)
}
