//! Patterns of accesses in one execution.

use symx_trace::sketch::{Conflict, Predictor, Unserialisable};
use symx_trace::{AccessMode, CallEffect, LoggedAccess};

/// How many accesses to shared memory back the partner of an access is looked for. It seldom races with
/// earlier ones, and the work is that many times the accesses.
const FAR: usize = 1 << 8;

/// A predictor that holds, and the accesses that make it hold.
pub(super) type Match = (Predictor, Vec<usize>);

/// The patterns of these accesses, given in their order.
pub(super) fn patterns(accesses: &[&LoggedAccess], found: &mut dyn FnMut(Match)) {
    let partners: Vec<Option<usize>> = (0..accesses.len()).map(|now| partner(accesses, now)).collect();
    for now in 0..accesses.len() {
        order(accesses, now, found);
        atomicity(accesses, now, found);
        pairs(accesses, &partners, now, found);
    }
}

fn back(now: usize) -> impl Iterator<Item = usize> {
    (now.saturating_sub(FAR)..now).rev()
}

/// The accesses after one and before another.
fn between<'a>(
    accesses: &[&'a LoggedAccess],
    first: usize,
    second: usize,
) -> impl Iterator<Item = (usize, &'a LoggedAccess)> {
    (first + 1..).zip(accesses[first + 1..second].iter().copied())
}

/// The access and the conflicting one of another thread directly before it.
fn order(accesses: &[&LoggedAccess], now: usize, found: &mut dyn FnMut(Match)) {
    let after = accesses[now];
    let is_partner = |before: &LoggedAccess| before.thread != after.thread && before.conflicts(after);
    let Some(at) = back(now).find(|at| is_partner(accesses[*at])) else { return };
    let before = accesses[at];
    let pattern = match (before.mode.writes(), after.mode) {
        (true, AccessMode::Write) => Conflict::Ww,
        (true, _) => Conflict::Wr,
        (false, _) => Conflict::Rw,
    };
    found((Predictor::Order { pattern, before: before.place, after: after.place }, vec![at, now]));
}

/// The thread's access before this one, and those of others between.
fn atomicity(accesses: &[&LoggedAccess], now: usize, found: &mut dyn FnMut(Match)) {
    let second = accesses[now];
    let is_own = |at: usize| accesses[at].thread == second.thread && accesses[at].overlaps(second);
    let Some(first_at) = back(now).find(|at| is_own(*at)) else { return };
    let first = accesses[first_at];
    if is_lock(first) || is_lock(second) {
        // A lock is there to be taken by others in between.
        return;
    }
    for (at, other) in between(accesses, first_at, now) {
        if other.thread == second.thread || !other.overlaps(first) || !other.overlaps(second) {
            continue;
        }
        if let Some(pattern) = unserialisable(first.mode, other.mode, second.mode) {
            let (first, other, second) = (first.place, other.place, second.place);
            found((Predictor::Atomicity { pattern, first, other, second }, vec![first_at, at, now]));
        }
    }
}

/// Which of the four patterns three accesses are. An update ends with a write and begins with a read.
fn unserialisable(first: AccessMode, other: AccessMode, second: AccessMode) -> Option<Unserialisable> {
    match (first.writes(), other.writes(), second == AccessMode::Write) {
        (false, true, false) => Some(Unserialisable::Rwr),
        (true, true, false) => Some(Unserialisable::Wwr),
        (false, true, true) => Some(Unserialisable::Rww),
        (true, false, true) => Some(Unserialisable::Wrw),
        _ => None,
    }
}

/// The thread's access directly before, to another variable.
fn pairs(accesses: &[&LoggedAccess], partners: &[Option<usize>], now: usize, found: &mut dyn FnMut(Match)) {
    let second = accesses[now];
    let Some(first_at) = partners[now] else { return };
    let first = accesses[first_at];
    for (at, other) in between(accesses, first_at, now) {
        let is_between = other.mode.writes() && (other.overlaps(first) || other.overlaps(second));
        if other.thread != second.thread && is_between {
            let (first, other, second) = (first.place, other.place, second.place);
            found((Predictor::PairAtomicity { first, other, second }, vec![first_at, at, now]));
        }
    }
    // The other thread's pair may end before or after this one; each is seen from the one that ends last.
    for at in back(now) {
        let theirs = accesses[at];
        if theirs.thread == second.thread || !theirs.conflicts(first) {
            continue;
        }
        let Some(begin) = partners[at] else { continue };
        let opposite = accesses[begin].conflicts(second) && begin < now && first_at < at;
        if opposite {
            let mut both = [(first.place, second.place), (accesses[begin].place, theirs.place)];
            both.sort_unstable();
            let predictor = Predictor::Interleaved { one: both[0], other: both[1] };
            let mut times = vec![first_at, now, begin, at];
            times.sort_unstable();
            found((predictor, times));
        }
    }
}

/// The access of the same thread directly before, if it is to another variable. Of a lock it is the lock
/// acquired before: what is accessed under that one comes between.
fn partner(accesses: &[&LoggedAccess], now: usize) -> Option<usize> {
    let is_alike = |at: usize| !is_lock(accesses[now]) || is_lock(accesses[at]);
    let at = back(now).find(|at| accesses[*at].thread == accesses[now].thread && is_alike(*at))?;
    (!accesses[at].overlaps(accesses[now])).then_some(at)
}

fn is_lock(access: &LoggedAccess) -> bool {
    access.call.as_ref().is_some_and(|call| call.effect == CallEffect::Lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::{Call, CodePlace};

    use AccessMode::{Read, Update, Write};

    fn place(pc: u32) -> CodePlace {
        CodePlace { function: 0, pc }
    }

    /// Accesses by thread, mode and variable, the n-th at instruction n.
    fn run(accesses: &[(u32, AccessMode, u64)]) -> Vec<LoggedAccess> {
        let access = |(pc, (thread, mode, variable)): (u32, &(u32, AccessMode, u64))| LoggedAccess {
            time: pc.into(),
            thread: *thread,
            place: place(pc),
            mode: *mode,
            start: 8 * variable,
            end: 8 * variable + 4,
            value: None,
            call: None,
            waits: false,
        };
        (0..).zip(accesses).map(access).collect()
    }

    fn found(accesses: &[LoggedAccess]) -> Vec<Predictor> {
        let mut all = Vec::new();
        let accesses: Vec<&LoggedAccess> = accesses.iter().collect();
        patterns(&accesses, &mut |(predictor, _)| all.push(predictor));
        all
    }

    fn has_atomicity(accesses: &[(u32, AccessMode, u64)], expected: Option<Unserialisable>) {
        let all = found(&run(accesses));
        let pattern = all.iter().find_map(|predictor| match predictor {
            Predictor::Atomicity { pattern, first, other, second } => {
                assert_eq!([first, other, second].map(|place| place.pc), [0, 1, 2]);
                Some(*pattern)
            }
            _ => None,
        });
        assert_eq!(pattern, expected, "{accesses:?}");
    }

    #[test]
    fn the_four_patterns_and_no_others_are_violations() {
        has_atomicity(&[(0, Read, 1), (1, Write, 1), (0, Read, 1)], Some(Unserialisable::Rwr));
        has_atomicity(&[(0, Write, 1), (1, Write, 1), (0, Read, 1)], Some(Unserialisable::Wwr));
        has_atomicity(&[(0, Read, 1), (1, Write, 1), (0, Write, 1)], Some(Unserialisable::Rww));
        has_atomicity(&[(0, Write, 1), (1, Read, 1), (0, Write, 1)], Some(Unserialisable::Wrw));
        has_atomicity(&[(0, Read, 1), (1, Read, 1), (0, Write, 1)], None);
        has_atomicity(&[(0, Write, 1), (1, Write, 1), (0, Write, 1)], None);
        has_atomicity(&[(0, Read, 1), (1, Write, 2), (0, Read, 1)], None);
        has_atomicity(&[(0, Update, 1), (1, Update, 1), (0, Read, 1)], Some(Unserialisable::Wwr));
    }

    #[test]
    fn an_order_is_of_neighbours_of_different_threads() {
        let all = found(&run(&[(0, Write, 1), (1, Read, 1), (1, Read, 1), (0, Write, 1)]));
        let orders = |predictor: &Predictor| match predictor {
            Predictor::Order { pattern, before, after } => Some((*pattern, before.pc, after.pc)),
            _ => None,
        };
        assert_eq!(
            all.iter().filter_map(orders).collect::<Vec<_>>(),
            [(Conflict::Wr, 0, 1), (Conflict::Wr, 0, 2), (Conflict::Rw, 2, 3)]
        );
    }

    #[test]
    fn locks_in_opposite_orders_are_interleaved_and_violate_no_atomicity() {
        let mut accesses = run(&[(0, Update, 1), (1, Update, 2), (0, Update, 2), (1, Update, 1)]);
        for access in &mut accesses {
            access.call = Some(Call::new("lock", CallEffect::Lock));
        }
        let all = found(&accesses);
        let interleaved = Predictor::Interleaved { one: (place(0), place(2)), other: (place(1), place(3)) };
        assert!(all.contains(&interleaved), "{all:?}");
        assert!(!all.iter().any(|predictor| matches!(predictor, Predictor::Atomicity { .. })));
        // The thread reads under the first lock.
        accesses
            .insert(2, LoggedAccess { start: 24, end: 28, call: None, mode: Read, ..accesses[0].clone() });
        assert!(found(&accesses).contains(&interleaved));
        let in_turn = found(&run(&[(0, Update, 1), (0, Update, 2), (1, Update, 2), (1, Update, 1)]));
        assert!(!in_turn.iter().any(|predictor| matches!(predictor, Predictor::Interleaved { .. })));
    }
}
