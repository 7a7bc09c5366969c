//! The weakest ordering with which accesses that a fix makes atomic are safe: what an author would write.

use crate::explain::trial::{in_the_source, try_one};
use crate::limits::budget::Deadline;
use crate::session::Session;
use symx_posix_explore::ExploreOptions;
use symx_trace::explanation::{AtomicOrdering, Explanation, Remedy, Trial};

/// Tries release and acquire where accesses are safe that are atomic and sequentially consistent, and keeps
/// that where it is safe, too. Where the memory model knows no difference, nothing is learned from it: on a
/// machine with store buffers it might fail.
pub(crate) fn weaken_orderings(
    session: &Session,
    explanation: &mut Explanation,
    options: &ExploreOptions,
    end: &Deadline,
) {
    let Some(failure) = explanation.failing.failure.clone() else { return };
    let model = session.memory_model;
    if !model.buffers_stores() && !model.keeps_history() {
        return;
    }
    let is_safe = |remedy: &&mut Remedy| *remedy.trial() == Trial::Safe;
    for remedy in explanation.remedies.iter_mut().filter(is_safe) {
        let &mut Remedy::Atomic { first, second, .. } = remedy else { continue };
        let ordering = AtomicOrdering::ReleaseAcquire;
        let weaker = Remedy::Atomic { first, second, ordering, trial: Trial::Safe };
        let Some(assumed) = in_the_source(&explanation.failing, &weaker) else { continue };
        let (trial, _) = try_one(session, &assumed, &failure, options, &end.within(end.left() / 2));
        if trial == Trial::Safe {
            *remedy = weaker;
        }
    }
}
