//! Locks taken in orders that contradict each other, though no explored run ended in the
//! deadlock that this threatens.
//!
//! A nesting is an edge from each lock held to the lock waited for. A cycle of edges is a warning if its
//! threads could all be in their places at once. They must be different threads, no two may hold a common
//! lock (a gate), and creation or joining may order no two. At each lock the holder must block the waiting
//! thread (readers share). Locks that are only tried are held but not waited for, so backing off makes no
//! edge.

use std::collections::BTreeSet;
use std::fmt::Write;
use symx_trace::nesting::{Lock, Nesting};

/// Longest cycle looked for, in locks: longer ones are rare, and finding them is costly.
const LONGEST: usize = 4;

/// A cycle of locks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockCycle<'n> {
    /// The locks that each thread holds and waits for: each waits for a lock that the next one holds.
    pub steps: Vec<Step<'n>>,
}

/// A thread's part in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<'n> {
    /// The nesting.
    pub nesting: &'n Nesting,
    /// Which of its held locks the one before waits for.
    pub held: &'n Lock,
}

/// The cycles among `nestings`, one for each set of locks.
pub fn lock_cycles(nestings: &[Nesting]) -> Vec<LockCycle<'_>> {
    let mut cycles = Vec::new();
    let mut known = BTreeSet::new();
    for nesting in nestings {
        for held in &nesting.held {
            extend(nestings, &mut vec![Step { nesting, held }], &mut known, &mut cycles);
        }
    }
    cycles
}

/// Extends a path whose last thread waits for a lock by the threads that hold it.
fn extend<'n>(
    nestings: &'n [Nesting],
    path: &mut Vec<Step<'n>>,
    known: &mut BTreeSet<Vec<u64>>,
    cycles: &mut Vec<LockCycle<'n>>,
) {
    let (first, last) = (path[0], path[path.len() - 1]);
    let wanted = &last.nesting.wanted;
    if path.len() > 1 && keeps_away(first.held, wanted) {
        let mut locks: Vec<u64> = path.iter().map(|step| step.held.address).collect();
        locks.sort_unstable();
        if known.insert(locks) {
            cycles.push(LockCycle { steps: path.clone() });
        }
        return;
    }
    if path.len() == LONGEST {
        return;
    }
    for nesting in nestings {
        for held in nesting.held.iter().filter(|held| keeps_away(held, wanted)) {
            let step = Step { nesting, held };
            if path.iter().all(|earlier| may_coincide(earlier.nesting, nesting)) {
                path.push(step);
                extend(nestings, path, known, cycles);
                path.pop();
            }
        }
    }
}

/// Whether a thread that holds `held` blocks one that waits for `wanted`.
fn keeps_away(held: &Lock, wanted: &Lock) -> bool {
    held.address == wanted.address && !(held.shared && wanted.shared)
}

/// Whether two threads may be in their nestings at the same time.
fn may_coincide(one: &Nesting, other: &Nesting) -> bool {
    let excluded = one.held.iter().any(|mine| other.held.iter().any(|theirs| keeps_away(mine, theirs)));
    !excluded && one.stretch.is_concurrent_with(&other.stretch)
}

impl LockCycle<'_> {
    /// For people, in one line.
    pub fn message(&self) -> String {
        let mut text = String::from("lock order: ");
        for (index, step) in self.steps.iter().enumerate() {
            let join = if index == 0 { "" } else { ", " };
            let Step { nesting, held } = step;
            let _ = write!(
                text,
                "{join}{} holds {} and waits for {}",
                nesting.title, held.name, nesting.wanted.name
            );
        }
        text + "; no explored execution deadlocks so"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::nesting::Stretch;
    use symx_trace::{Location, ThreadName};

    fn lock(address: u64, shared: bool) -> Lock {
        Lock { address, name: format!("`{address}`"), shared, location: Location::default() }
    }

    /// Thread `thread`, created by the main thread at its start and not joined, holds
    /// `held` and wants `wanted`.
    fn nesting(thread: u32, held: &[Lock], wanted: Lock) -> Nesting {
        let before = vec![thread; 1];
        let stretch = Stretch { thread, before: before.into() };
        Nesting {
            title: format!("T{thread} work"),
            thread: ThreadName::main().child(thread),
            stretch,
            held: held.to_vec(),
            wanted,
        }
    }

    #[test]
    fn opposite_orders_are_a_cycle_reported_once() {
        let nestings =
            [nesting(1, &[lock(8, false)], lock(16, false)), nesting(2, &[lock(16, false)], lock(8, false))];
        let cycles = lock_cycles(&nestings);
        assert_eq!(cycles.len(), 1);
        assert_eq!(
            cycles[0].message(),
            "lock order: T1 work holds `8` and waits for `16`, T2 work holds `16` and waits for `8`; \
             no explored execution deadlocks so"
        );
    }

    #[test]
    fn three_locks_make_a_cycle() {
        let nestings = [
            nesting(1, &[lock(8, false)], lock(16, false)),
            nesting(2, &[lock(16, false)], lock(24, false)),
            nesting(3, &[lock(24, false)], lock(8, false)),
        ];
        assert_eq!(lock_cycles(&nestings).len(), 1);
    }

    #[test]
    fn a_gate_keeps_the_two_apart() {
        let gate = lock(4, false);
        let nestings = [
            nesting(1, &[gate.clone(), lock(8, false)], lock(16, false)),
            nesting(2, &[gate, lock(16, false)], lock(8, false)),
        ];
        assert!(lock_cycles(&nestings).is_empty());
    }

    #[test]
    fn a_gate_taken_for_reading_is_none() {
        let gate = lock(4, true);
        let nestings = [
            nesting(1, &[gate.clone(), lock(8, false)], lock(16, false)),
            nesting(2, &[gate, lock(16, false)], lock(8, false)),
        ];
        assert_eq!(lock_cycles(&nestings).len(), 1);
    }

    #[test]
    fn one_thread_or_joined_threads_cannot_meet() {
        let one = nesting(1, &[lock(8, false)], lock(16, false));
        assert!(lock_cycles(&[one.clone(), nesting(1, &[lock(16, false)], lock(8, false))]).is_empty());
        let mut later = nesting(2, &[lock(16, false)], lock(8, false));
        later.stretch.before = vec![9, 9].into();
        assert!(lock_cycles(&[one, later]).is_empty());
    }

    #[test]
    fn readers_do_not_wait_for_readers() {
        let nestings =
            [nesting(1, &[lock(8, true)], lock(16, true)), nesting(2, &[lock(16, true)], lock(8, true))];
        assert!(lock_cycles(&nestings).is_empty());
        let nestings =
            [nesting(1, &[lock(8, true)], lock(16, false)), nesting(2, &[lock(16, true)], lock(8, false))];
        assert_eq!(lock_cycles(&nestings).len(), 1);
    }
}
