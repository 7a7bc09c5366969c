//! All states that are so many steps from the first, of which those are kept that may end with the fewest
//! changes of threads: those made, and those still to come at least ([`stretches`](super::stretches)).
//!
//! An execution that fails seldom takes many changes, and a state that comes to nothing does not hold up the
//! others. Nothing is made anew, so this is over soon; what it leaves out it cannot find.

use super::Unlocked;
use super::kept::{Kept, Steps};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use symx_expr::StopToken;
use symx_trace::Move;

/// A step from one state that is kept to another one.
#[derive(Clone, Copy)]
struct Next {
    changes: u32,
    /// How many changes there are in the end, at least.
    cost: u32,
    /// Which of several that cost as much is kept is left to chance.
    chance: u64,
    from: usize,
    thread: usize,
}

impl Unlocked<'_> {
    /// An execution, if one is found when `width` states are kept after each step. Which, among equals,
    /// is left to chance.
    pub(in crate::synthesis::engines::forward) fn walk_abreast(
        &mut self,
        width: usize,
        stop: &StopToken,
    ) -> Option<Vec<Move>> {
        let all: usize = self.steps.iter().map(Vec::len).sum();
        self.start_again();
        let mut steps = Steps::default();
        let mut abreast = vec![self.kept(None, 0, None)];
        for _ in 0..all {
            if stop.is_over() {
                return None;
            }
            let mut kept = self.next_of(&abreast);
            kept.sort_unstable_by_key(|next| (next.cost, next.chance));
            let mut following = Vec::new();
            for Next { changes, from, thread, .. } in kept {
                if following.len() == width {
                    break;
                }
                let from = &abreast[from];
                self.stand_at(from);
                self.step(thread);
                if !self.can_go_on() {
                    continue;
                }
                let last = steps.push(thread, from.last);
                // Who only looked has not been given his turn.
                let running = if changes > from.changes { Some(thread) } else { from.running };
                following.push(self.kept(running, changes, last));
            }
            abreast = following;
        }
        let last = abreast.iter().min_by_key(|kept| kept.changes)?.last;
        Some(self.moves(steps.threads(last).into_iter()))
    }

    /// The steps from these states that may lead on, one for each state reached.
    fn next_of(&mut self, abreast: &[Kept]) -> Vec<Next> {
        let mut reached: FxHashMap<u64, Next> = FxHashMap::default();
        let mut reach = |fingerprint: u64, next: Next| match reached.entry(fingerprint) {
            Entry::Occupied(mut known) if next.changes < known.get().changes => _ = known.insert(next),
            Entry::Occupied(_) => {}
            Entry::Vacant(new) => _ = new.insert(next),
        };
        for (from, kept) in abreast.iter().enumerate() {
            self.stand_at(kept);
            if let Some(thread) = (0..self.steps.len()).find(|thread| self.looks(*thread)) {
                // It is the only one from here, and looks change nothing but how far it is.
                let cost = self.cost(kept.changes, kept.running);
                reach(self.fingerprint, Next { changes: kept.changes, cost, chance: 0, from, thread });
                self.go_back(0);
                continue;
            }
            for thread in 0..self.steps.len() {
                if self.step(thread) {
                    let changes = kept.changes + u32::from(kept.running != Some(thread));
                    let (cost, chance) = (self.cost(changes, Some(thread)), self.random());
                    reach(self.fingerprint, Next { changes, cost, chance, from, thread });
                    self.go_back(0);
                }
            }
        }
        let mut all: Vec<(u64, Next)> = reached.into_iter().collect();
        all.sort_unstable_by_key(|(fingerprint, _)| *fingerprint);
        all.into_iter().map(|(_, next)| next).collect()
    }

    /// How many changes of threads there are in the end, at least, after so many.
    fn cost(&mut self, changes: u32, running: Option<usize>) -> u32 {
        let mut cost = changes;
        for thread in 0..self.steps.len() {
            let mut from = self.taken[thread];
            if running == Some(thread) {
                let end = self.steps[thread].len();
                from = self.reach.comes_alone(thread, from, end, self.known.all_known(&self.states));
            }
            cost += self.stretches.left(thread, from);
        }
        cost
    }
}
