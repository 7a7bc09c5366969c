//! A lock that a thread lacks, tried: the program that holds it there is explored like any other.

use super::explored_fix::{explored, trial_of};
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_interp::state::processes::address_in_process;
use symx_ir::guard::{Guard, LockPlace, Section, Unguarded};
use symx_ir::known_functions::locks;
use symx_posix_explore::ExploreOptions;
use symx_trace::explanation::{Execution, PlaceInMemory, Remedy, Trial};
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
    let lock = failing.steps[*taken as usize].place;
    let Some((lock, [take, free])) = lock.zip(functions(failing, *taken)) else { return Trial::Untried };
    let global = LockPlace::Global(address_in_process(lock.object).wrapping_add(lock.offset));
    let guarded = |place: LockPlace| {
        session.guarded(std::slice::from_ref(&section), &Guard::Lock { place, take, free })
    };
    let guarded = match (guarded(global), in_accessed_object(failing, remedy, lock)) {
        (Err(Unguarded::NoGlobal), Some(place)) => guarded(place),
        (guarded, _) => guarded,
    };
    match guarded {
        Ok(guarded) => trial_of(&explored(&guarded, options, false, end), failure),
        Err(why) => Trial::Incomplete(why.to_string()),
    }
}

/// Where a lock is that lies in the object which the first step of a fix accesses.
fn in_accessed_object(failing: &Execution, remedy: &Remedy, lock: PlaceInMemory) -> Option<LockPlace> {
    let step = &failing.steps[remedy.steps().0 as usize];
    let accessed = step.place.filter(|accessed| accessed.object == lock.object)?;
    let distance = lock.offset.wrapping_sub(accessed.offset) as i64;
    Some(LockPlace::InAccessedObject { access: (step.location.line, step.location.column), distance })
}
