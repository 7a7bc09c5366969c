//! All states that so many changes of threads lead to, then those that one more does; of each
//! layer some are kept.
//!
//! Among states after [as many steps](super::beam), those that put off what will cost them changes seem
//! better than those that have come through it. Among states after as many changes they have no such
//! advantage: where nothing is gained from a change, the others are ahead by the next.

use super::Unlocked;
use super::kept::{Kept, Steps};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;
use symx_expr::StopToken;
use symx_trace::Move;

/// What is kept of each layer.
#[derive(Clone, Copy, Debug)]
pub(in crate::synthesis::engines::forward) struct LayerLimits {
    /// States.
    pub(in crate::synthesis::engines::forward) width: usize,
    /// One state of those whose threads have taken as many steps, counted by so many.
    pub(in crate::synthesis::engines::forward) apart: usize,
    /// Which.
    pub(in crate::synthesis::engines::forward) which: Which,
}

/// Which states of a layer are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::synthesis::engines::forward) enum Which {
    /// Those with the fewest stretches to come.
    Best,
    /// As many as the width says of each number of stretches to come: those that have got farthest may be the
    /// ones that nothing comes of, and they are many by the time that is seen.
    OfEach,
}

/// A turn of a thread in a state of the layer before.
#[derive(Clone, Copy)]
struct Turn {
    from: usize,
    thread: usize,
    /// Steps that the thread takes, beside those with which others look.
    steps: usize,
}

/// A state that a turn leads to.
struct Reached {
    /// In how many stretches all threads get to their ends, at least.
    to_come: u32,
    chance: u64,
    /// Says how far the threads are, about: one of 2^64 looks like another.
    region: u64,
    turn: Turn,
}

/// What a walk keeps to, and what it knows.
struct Layers {
    limits: LayerLimits,
    /// Fingerprints of the states that were kept, and of those from which nobody can go on.
    seen: FxHashSet<u64>,
    /// The steps that lead to states kept.
    steps: Steps,
}

impl Unlocked<'_> {
    /// An execution, if one is found when so much is kept. What, among equals, is left to chance.
    pub(in crate::synthesis::engines::forward) fn walk_in_layers(
        &mut self,
        limits: LayerLimits,
        stop: &StopToken,
    ) -> Option<Vec<Move>> {
        self.start_again();
        let mut layers = Layers { limits, seen: FxHashSet::default(), steps: Steps::default() };
        let mut layer = vec![self.kept(None, 0, None)];
        for changes in 1.. {
            if layer.is_empty() {
                break;
            }
            match self.next_layer(&layer, &layers, stop) {
                Ok(reached) => layer = self.keep_some(&layer, reached, changes, &mut layers),
                Err(last) => {
                    self.take(&layer, last);
                    let end = self.note(&layer, last, &mut layers.steps);
                    return Some(self.moves(layers.steps.threads(end).into_iter()));
                }
            }
        }
        None
    }

    /// The states that one more change leads to and that were not seen before, or a turn that leads to the
    /// end. None if the walk is interrupted.
    fn next_layer(
        &mut self,
        layer: &[Kept],
        layers: &Layers,
        stop: &StopToken,
    ) -> Result<Vec<Reached>, Turn> {
        let all: usize = self.steps.iter().map(Vec::len).sum();
        let (mut reached, mut here) = (Vec::new(), FxHashSet::default());
        for (from, kept) in layer.iter().enumerate() {
            if stop.is_over() {
                return Ok(Vec::new());
            }
            for thread in (0..self.steps.len()).filter(|thread| kept.running != Some(*thread)) {
                self.stand_at(kept);
                let mut turn = Turn { from, thread, steps: 0 };
                while self.step_and_look(thread) {
                    turn.steps += 1;
                    if self.taken.iter().sum::<usize>() == all {
                        return Err(turn);
                    }
                    if layers.seen.contains(&self.fingerprint) || !here.insert(self.fingerprint) {
                        continue;
                    }
                    let taken = (0..).zip(&self.taken);
                    let to_come = taken.map(|(thread, step)| self.stretches.left(thread, *step)).sum();
                    let region = self.region(layers.limits.apart);
                    reached.push(Reached { to_come, chance: self.random(), region, turn });
                }
            }
        }
        Ok(reached)
    }

    /// Those of these states that are to be kept: from which threads can go on, each far from better ones.
    fn keep_some(
        &mut self,
        layer: &[Kept],
        mut reached: Vec<Reached>,
        changes: u32,
        layers: &mut Layers,
    ) -> Vec<Kept> {
        reached.sort_unstable_by_key(|reached| (reached.to_come, reached.chance));
        let (mut kept, mut regions) = (Vec::new(), FxHashSet::default());
        let mut of_each: FxHashMap<u32, usize> = FxHashMap::default();
        // By turn, after how many of its steps nobody can go on; nor can anybody after more.
        let mut ends: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for Reached { to_come, region, turn, .. } in reached {
            let alike =
                of_each.entry(if layers.limits.which == Which::Best { 0 } else { to_come }).or_default();
            let end = ends.entry((turn.from, turn.thread)).or_insert(usize::MAX);
            if *alike == layers.limits.width || turn.steps >= *end || regions.contains(&region) {
                continue;
            }
            self.take(layer, turn);
            layers.seen.insert(self.fingerprint);
            // This takes most of the time, so nothing is asked that is not to be kept.
            if self.can_go_on() {
                regions.insert(region);
                *alike += 1;
                let last = self.note(layer, turn, &mut layers.steps);
                kept.push(self.kept(Some(turn.thread), changes, last));
            } else {
                *end = turn.steps;
            }
        }
        kept
    }

    /// Says how far the threads are, about.
    fn region(&self, apart: usize) -> u64 {
        let mut hasher = FxHasher::default();
        self.taken.iter().for_each(|taken| hasher.write_usize(taken / apart));
        hasher.finish()
    }

    /// Lets a thread take a step, and then all look at what they want to see; whether it could.
    fn step_and_look(&mut self, thread: usize) -> bool {
        let can = self.step(thread);
        if can {
            self.look_around();
        }
        can
    }

    /// Takes a turn anew.
    fn take(&mut self, layer: &[Kept], turn: Turn) {
        self.stand_at(&layer[turn.from]);
        (0..turn.steps).for_each(|_| _ = self.step_and_look(turn.thread));
    }

    /// Notes the steps of a turn just taken; the last of them.
    fn note(&self, layer: &[Kept], turn: Turn, steps: &mut Steps) -> Option<u32> {
        self.changes.iter().fold(layer[turn.from].last, |last, (thread, _)| steps.push(*thread, last))
    }
}
