//! Locks that are missing: one thread accesses an object without the lock that others hold there.
//!
//! The rule is that of Eraser (Savage et al., SOSP 1997), asked of two executions that differ. An object has
//! a lock if some thread holds it there. A thread that accesses the object without it, in a way that the
//! difference depends on, is to hold it. Accesses with another lock in common exclude each other already,
//! unless both threads hold that as readers.

use crate::projection::limits::MOST_SUGGESTED;
use symx_trace::explanation::{Difference, ExecutedStep, Execution, Part, Remedy, Trial};
use symx_trace::{CallEffect, EventKind};

/// For each stretch of accesses without their object's lock that the difference depends on: hold it there.
/// Each place in the source once.
pub fn missing_locks(failing: &Execution, difference: &Difference) -> Vec<Remedy> {
    let mut remedies: Vec<Remedy> = Vec::new();
    for &number in &difference.failing_steps {
        let step = &failing.steps[number as usize];
        if !is_access(step) {
            continue;
        }
        let Some(taken) = lock_of_others(failing, step) else { continue };
        let (first, last) = stretch(failing, number, failing.steps[taken as usize].part());
        let remedy = Remedy::HoldLock { first, last, taken, trial: Trial::Untried };
        if !remedies.iter().any(|known| is_at_one_place(failing, known, &remedy)) {
            remedies.push(remedy);
        }
    }
    remedies.truncate(MOST_SUGGESTED);
    remedies
}

fn is_access(step: &ExecutedStep) -> bool {
    step.kind.is_access() && !step.object.is_empty()
}

/// The step that last acquires a lock which another thread holds at the object of `step`, and whose own
/// thread does not. No lock that both hold excludes them there.
fn lock_of_others(failing: &Execution, step: &ExecutedStep) -> Option<u32> {
    let others = failing
        .steps
        .iter()
        .filter(|other| other.thread != step.thread && is_access(other) && other.is_at_same_part(step))
        .filter(|other| !other.is_guarded_from(step));
    let mut locks = others.flat_map(|other| &other.locks).filter(|lock| !step.holds(lock.part()));
    locks.find_map(|lock| {
        let takes = |other: &ExecutedStep| {
            other.is_taken() && other.call_effect() == Some(CallEffect::Lock) && other.part() == lock.part()
        };
        failing.steps.iter().rposition(takes).map(|taken| taken as u32)
    })
}

/// The first and the last of the accesses of one thread to one object around a step that are made without a
/// lock. The thread does not synchronise between them.
fn stretch(failing: &Execution, number: u32, lock: Part<'_>) -> (u32, u32) {
    let step = &failing.steps[number as usize];
    let own = |number: &u32| {
        let other = &failing.steps[*number as usize];
        other.thread == step.thread && other.kind != EventKind::Commit
    };
    let is_plain = |number: &u32| {
        let other = &failing.steps[*number as usize];
        !matches!(other.kind, EventKind::Call(_)) && !other.holds(lock)
    };
    let at_object = |number: &u32| {
        let other = &failing.steps[*number as usize];
        is_access(other) && other.is_at_same_part(step)
    };
    let before = (0..number).rev().filter(own).take_while(is_plain).filter(at_object).last();
    let after = number + 1..failing.steps.len() as u32;
    let after = after.filter(own).take_while(is_plain).filter(at_object).last();
    (before.unwrap_or(number), after.unwrap_or(number))
}

fn is_at_one_place(failing: &Execution, one: &Remedy, other: &Remedy) -> bool {
    let places = |remedy: &Remedy| {
        let (first, last) = remedy.steps();
        [first, last].map(|step| {
            let place = &failing.steps[step as usize].location;
            (&place.file, place.line)
        })
    };
    places(one) == places(other)
}

#[cfg(test)]
mod tests {
    use super::super::tests::execution;
    use super::*;
    use symx_trace::explanation::{HeldLock, PlaceInMemory};

    /// Thread 1 counts with the lock held, thread 0 without.
    fn half_locked() -> Execution {
        let mut failing = execution(&[
            (1, 'l', "mutex", None),
            (1, 'r', "count", None),
            (0, 'r', "count", None),
            (0, 'w', "count", None),
            (1, 'w', "count", None),
        ]);
        for locked in [1, 4] {
            failing.steps[locked].locks = vec!["mutex".into()];
        }
        failing
    }

    fn difference(steps: &[u32]) -> Difference {
        Difference { failing_steps: steps.to_vec(), ..Difference::default() }
    }

    #[test]
    fn a_thread_without_the_lock_of_the_others_is_to_hold_it() {
        let remedies = missing_locks(&half_locked(), &difference(&[1, 2, 3, 4]));
        assert_eq!(remedies, [Remedy::HoldLock { first: 2, last: 3, taken: 0, trial: Trial::Untried }]);
    }

    #[test]
    fn a_lock_of_the_same_name_is_another_lock() {
        let mut failing = half_locked();
        let lock = |object| HeldLock {
            name: "mutex".into(),
            place: Some(PlaceInMemory { object, offset: 0 }),
            is_shared: false,
        };
        failing.steps[0].place = lock(16).place;
        for (step, object) in [(1, 16), (4, 16), (2, 32), (3, 32)] {
            failing.steps[step].locks = vec![lock(object)];
        }
        let remedies = missing_locks(&failing, &difference(&[1, 2, 3, 4]));
        assert_eq!(remedies, [Remedy::HoldLock { first: 2, last: 3, taken: 0, trial: Trial::Untried }]);
    }

    #[test]
    fn a_stretch_ends_where_its_thread_synchronises() {
        let mut failing = half_locked();
        failing.steps[2].kind = failing.steps[0].kind.clone();
        let remedies = missing_locks(&failing, &difference(&[3]));
        assert_eq!(remedies, [Remedy::HoldLock { first: 3, last: 3, taken: 0, trial: Trial::Untried }]);
    }

    #[test]
    fn no_lock_is_missing_where_all_hold_one_of_several() {
        let mut failing = half_locked();
        for locked in [1, 4] {
            failing.steps[locked].locks = vec!["caller's".into(), "mutex".into()];
        }
        failing.steps[0].object = "caller's".into();
        failing.steps[2..4].iter_mut().for_each(|step| step.locks = vec!["mutex".into()]);
        assert_eq!(missing_locks(&failing, &difference(&[1, 2, 3, 4])), []);
        failing.steps[2..4].iter_mut().for_each(|step| step.locks = vec!["another".into()]);
        assert_ne!(missing_locks(&failing, &difference(&[1, 2, 3, 4])), []);
    }

    #[test]
    fn a_lock_in_common_that_both_hold_as_readers_excludes_nothing() {
        let mut failing = half_locked();
        let lock = |is_shared| HeldLock { is_shared, ..HeldLock::from("table") };
        let mut found = |own, other| {
            failing.steps[2..4].iter_mut().for_each(|step| step.locks = vec![lock(own)]);
            for locked in [1, 4] {
                failing.steps[locked].locks = vec![lock(other), "mutex".into()];
            }
            missing_locks(&failing, &difference(&[1, 2, 3, 4]))
        };
        let mutex = Remedy::HoldLock { first: 2, last: 3, taken: 0, trial: Trial::Untried };
        assert_eq!(found(true, true), [mutex]);
        assert_eq!((found(true, false), found(false, true)), (vec![], vec![]));
        // A thread cannot take for itself what it holds as a reader.
        failing.steps[0].object = "table".into();
        failing.steps[1..].iter_mut().for_each(|step| step.locks = vec![lock(true)]);
        assert_eq!(missing_locks(&failing, &difference(&[1, 2, 3, 4])), []);
    }

    #[test]
    fn no_lock_is_missing_where_all_or_none_hold_one() {
        let mut failing = half_locked();
        failing.steps[2..4].iter_mut().for_each(|step| step.locks = vec!["mutex".into()]);
        assert_eq!(missing_locks(&failing, &difference(&[1, 2, 3, 4])), []);
        failing.steps.iter_mut().for_each(|step| step.locks.clear());
        assert_eq!(missing_locks(&failing, &difference(&[1, 2, 3, 4])), []);
    }
}
