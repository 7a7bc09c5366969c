//! Beam search by turns of threads: all states that one more change of threads leads to, of which the most
//! promising are kept.
//!
//! States are compared with those after as many changes. Among states after as many steps, one that postpones
//! a costly change would look better than one that has made it.

use super::limits::REGION;
use super::walker::{Comparable, OpenList};
use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;

/// How many states of a layer are kept, the best first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Width {
    /// In all.
    pub all: usize,
    /// Of those from which the same number of turns is left at least: those that lead may all be lost.
    pub alike: usize,
}

/// A state that is kept, and the thread whose turn led to it.
struct Member<K> {
    state: K,
    running: Option<usize>,
}

/// A turn of a thread from a state of the layer.
#[derive(Clone, Copy)]
struct Turn {
    from: usize,
    thread: usize,
    steps: usize,
}

/// A state that a turn leads to.
struct Candidate {
    turns_left: u32,
    /// Ties are broken at random.
    chance: u64,
    /// Says how far the threads are, about: one of 2^64 looks like another.
    region: u64,
    turn: Turn,
}

/// The layer to leave, and what was reached from it.
pub(super) struct Beam<K> {
    width: Width,
    layer: Vec<Member<K>>,
    /// The turn that is on its way.
    turn: Turn,
    /// From which state which thread takes the next turn.
    next: (usize, usize),
    /// Whether its last step was possible.
    goes_on: bool,
    candidates: Vec<Candidate>,
    /// Fingerprints of the candidates.
    reached: FxHashSet<u64>,
    /// Fingerprints of the states that were kept, and of dead ends.
    seen: FxHashSet<u64>,
    random: Rng,
}

impl<K> Beam<K> {
    /// An empty list; ties are broken by the random numbers that follow from a seed.
    pub(super) fn new(width: Width, seed: u64) -> Self {
        Self {
            width,
            layer: Vec::new(),
            turn: Turn { from: 0, thread: 0, steps: 0 },
            next: (0, 0),
            goes_on: false,
            candidates: Vec::new(),
            reached: FxHashSet::default(),
            seen: FxHashSet::default(),
            random: Rng::with_seed(seed),
        }
    }

    /// Takes a turn again.
    fn take<S: Comparable<Kept = K>>(&self, space: &mut S, turn: Turn) {
        space.return_to(&self.layer[turn.from].state);
        (0..turn.steps).for_each(|_| _ = space.go_on(turn.thread));
    }

    /// Keeps the best candidates that are no dead ends, each far from better ones.
    fn next_layer<S: Comparable<Kept = K>>(&mut self, space: &mut S) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_unstable_by_key(|one| (one.turns_left, one.chance));
        let (mut kept, mut regions) = (Vec::new(), FxHashSet::default());
        let mut alike: FxHashMap<u32, usize> = FxHashMap::default();
        // By turn, after how many of its steps no thread can go on; nor can any after more.
        let mut ends: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for Candidate { turns_left, region, turn, .. } in candidates {
            let alike = alike.entry(turns_left).or_default();
            let end = ends.entry((turn.from, turn.thread)).or_insert(usize::MAX);
            if kept.len() == self.width.all {
                break;
            }
            if *alike == self.width.alike || turn.steps >= *end || regions.contains(&region) {
                continue;
            }
            self.take(space, turn);
            self.seen.insert(space.fingerprint());
            // This takes most of the time, so only states to be kept are asked.
            if space.can_go_on() {
                regions.insert(region);
                *alike += 1;
                kept.push(Member { state: space.keep(), running: Some(turn.thread) });
            } else {
                *end = turn.steps;
            }
        }
        self.layer = kept;
        self.reached.clear();
    }
}

impl<S: Comparable> OpenList<S> for Beam<S::Kept> {
    fn push(&mut self, space: &mut S) {
        if self.layer.is_empty() {
            self.layer.push(Member { state: space.keep(), running: None });
            return;
        }
        self.goes_on = true;
        self.turn.steps += 1;
        let fingerprint = space.fingerprint();
        if !self.seen.contains(&fingerprint) && self.reached.insert(fingerprint) {
            let mut region = FxHasher::default();
            space.taken().iter().for_each(|taken| region.write_usize(taken / REGION));
            let (turns_left, region) = (space.turns_left(), region.finish());
            let chance = self.random.u64(..);
            self.candidates.push(Candidate { turns_left, chance, region, turn: self.turn });
        }
    }

    fn pop(&mut self, space: &mut S) -> Option<usize> {
        if std::mem::take(&mut self.goes_on) {
            return Some(self.turn.thread);
        }
        let (mut from, mut thread) = self.next;
        loop {
            if from == self.layer.len() {
                self.next_layer(space);
                (from, thread) = (0, 0);
                if self.layer.is_empty() {
                    return None;
                }
            }
            let running = self.layer[from].running;
            match (thread..space.threads()).find(|thread| Some(*thread) != running) {
                Some(next) => {
                    self.turn = Turn { from, thread: next, steps: 0 };
                    self.next = (from, next + 1);
                    space.return_to(&self.layer[from].state);
                    return Some(next);
                }
                None => (from, thread) = (from + 1, 0),
            }
        }
    }

    fn is_exhaustive(&self) -> bool {
        false
    }
}
