//! Which accesses to memory need a turn of their own.
//!
//! Calls that synchronise all have one. The order of two conflicting accesses may follow from the order of
//! such calls. It does if the first thread makes one after its access, before the second makes one before its
//! own. Such accesses need none: under a lock that is nearly all of them.

use std::collections::HashMap;
use symx_trace::{Mode, Place, ThreadId};

/// An operation that the plan may have as a step.
pub(super) struct Candidate {
    /// Its position in the execution.
    pub index: usize,
    /// Its thread.
    pub thread: ThreadId,
    /// The places it touches.
    pub touched: Vec<(Place, Mode)>,
    /// Whether it has a turn, whatever it touches.
    pub has_turn: bool,
    /// The threads it creates: from this number on, before that one.
    pub created: std::ops::Range<u32>,
}

/// Bytes that are looked at as one.
const GRANULE: u64 = 32;

/// Where threads begin, end and have turns.
#[derive(Default)]
struct Turns {
    of: HashMap<ThreadId, Vec<usize>>,
    created: HashMap<ThreadId, usize>,
    joined: HashMap<ThreadId, usize>,
}

impl Turns {
    fn new(candidates: &[Candidate]) -> Self {
        let mut turns = Self::default();
        for candidate in candidates.iter().filter(|candidate| candidate.has_turn) {
            turns.of.entry(candidate.thread).or_default().push(candidate.index);
            for created in candidate.created.clone() {
                turns.created.insert(ThreadId(created), candidate.index);
            }
            for (place, mode) in &candidate.touched {
                if let (Place::Thread(ended), Mode::Acquire) = (place, mode) {
                    turns.joined.entry(*ended).or_insert(candidate.index);
                }
            }
        }
        turns
    }

    /// Whether `first` of thread `one` comes before `second` of thread `other` whenever all turns are kept.
    fn order(&self, one: ThreadId, first: usize, other: ThreadId, second: usize) -> bool {
        let none = Vec::new();
        let of = |thread| self.of.get(&thread).unwrap_or(&none);
        let (mine, others) = (of(one), of(other));
        let next = mine.get(mine.partition_point(|&turn| turn <= first));
        let next = next.or_else(|| self.joined.get(&one));
        let before = others.partition_point(|&turn| turn < second).checked_sub(1).map(|at| &others[at]);
        let before = before.or_else(|| self.created.get(&other));
        matches!((next, before), (Some(next), Some(before)) if next <= before)
    }
}

/// Gives turns to the accesses whose order does not follow from that of others.
pub(super) fn give_turns(candidates: &mut [Candidate]) {
    let turns = Turns::new(candidates);
    let mut memory: HashMap<u64, Granule> = HashMap::new();
    let mut needed = Vec::new();
    for (number, candidate) in candidates.iter().enumerate() {
        for (place, mode) in &candidate.touched {
            let &Place::Memory { start, end } = place else { continue };
            for at in start / GRANULE..=end.max(start + 1).saturating_sub(1) / GRANULE {
                let granule = memory.entry(at).or_default();
                granule.touch(number, candidate, *mode == Mode::Read, candidates, |other, this| {
                    let (first, second): (&Candidate, &Candidate) = (&candidates[other], &candidates[this]);
                    if !turns.order(first.thread, first.index, second.thread, second.index) {
                        needed.extend([other, this]);
                    }
                });
            }
        }
    }
    for number in needed {
        candidates[number].has_turn = true;
    }
}

/// The last accesses to some bytes.
#[derive(Default)]
struct Granule {
    /// The last candidate that wrote.
    writer: Option<usize>,
    /// Those that read since, the last of each thread.
    readers: Vec<usize>,
}

impl Granule {
    fn touch(
        &mut self,
        number: usize,
        candidate: &Candidate,
        is_read: bool,
        candidates: &[Candidate],
        mut conflict: impl FnMut(usize, usize),
    ) {
        let others = |of: &usize| candidates[*of].thread != candidate.thread;
        self.writer.iter().copied().filter(others).for_each(|writer| conflict(writer, number));
        if is_read {
            self.readers.retain(others);
            self.readers.push(number);
        } else {
            self.readers.iter().copied().filter(others).for_each(|reader| conflict(reader, number));
            self.readers.clear();
            self.writer = Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(index: usize, thread: u32, mode: Mode) -> Candidate {
        let touched = vec![(Place::Memory { start: 64, end: 68 }, mode)];
        Candidate { index, thread: ThreadId(thread), touched, has_turn: false, created: 0..0 }
    }

    fn call(index: usize, thread: u32) -> Candidate {
        let (thread, touched) = (ThreadId(thread), Vec::new());
        Candidate { index, thread, touched, has_turn: true, created: 0..0 }
    }

    fn turns(mut candidates: Vec<Candidate>) -> Vec<bool> {
        give_turns(&mut candidates);
        candidates.iter().map(|candidate| candidate.has_turn).collect()
    }

    #[test]
    fn accesses_between_calls_that_order_them_need_no_turn() {
        let locked = vec![
            call(0, 1),
            access(1, 1, Mode::Write),
            call(2, 1),
            call(3, 2),
            access(4, 2, Mode::Write),
            call(5, 2),
        ];
        assert_eq!(turns(locked), [true, false, true, true, false, true]);
    }

    #[test]
    fn accesses_that_race_have_turns() {
        assert_eq!(turns(vec![access(0, 1, Mode::Write), access(1, 2, Mode::Read)]), [true, true]);
        assert_eq!(turns(vec![access(0, 1, Mode::Read), access(1, 2, Mode::Read)]), [false, false]);
        let after = vec![access(0, 1, Mode::Write), call(1, 2), access(2, 2, Mode::Read), call(3, 1)];
        assert_eq!(turns(after), [true, true, true, true]);
    }

    #[test]
    fn creation_and_joining_order_accesses() {
        let mut create = call(1, 0);
        create.created = 1..2;
        let mut join = call(3, 0);
        join.touched.push((Place::Thread(ThreadId(1)), Mode::Acquire));
        let all = vec![
            access(0, 0, Mode::Write),
            create,
            access(2, 1, Mode::Write),
            join,
            access(4, 0, Mode::Read),
        ];
        assert_eq!(turns(all), [false, true, false, true, false]);
    }
}
