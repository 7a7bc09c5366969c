//! All states that so many changes of threads lead to, then those that one more does; of each layer some are kept.
//!
//! Among states after [as many steps](super::beam), those that put off what will cost them changes seem better than those
//! that have come through it. Among states after as many changes they have no such advantage: where nothing is gained from a
//! change, the others are ahead by the next.

use super::Unlocked;
use super::stretches::Stretches;
use crate::synthesis::engine::Interrupt;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use symx_trace::Move;

/// What is kept of each layer.
#[derive(Clone, Copy, Debug)]
pub(in crate::synthesis::forward) struct LayerLimits {
    /// States.
    pub(in crate::synthesis::forward) width: usize,
    /// One state of those whose threads have taken as many steps, counted by so many.
    pub(in crate::synthesis::forward) apart: usize,
}

/// A state that is kept.
struct Kept {
    states: Vec<Rc<[u32]>>,
    taken: Vec<usize>,
    fingerprint: u64,
    running: Option<usize>,
    /// The last of the steps that lead to it, by its place among all; none before the first.
    last: Option<u32>,
}

/// A turn of a thread in a state of the layer before.
#[derive(Clone, Copy)]
struct Turn {
    from: usize,
    thread: usize,
    /// Steps that the thread takes, without looks that others take in between.
    steps: usize,
}

/// A state that a turn leads to.
struct Reached {
    /// In how many stretches all threads get to their ends, at least.
    to_come: u32,
    chance: u64,
    /// Says how far the threads are, about.
    region: Vec<usize>,
    turn: Turn,
}

/// Steps taken, each with the one before it.
type Steps = Vec<(usize, Option<u32>)>;

impl Unlocked<'_> {
    /// An execution, if one is found when so much is kept. What, among equals, depends on `chance`.
    pub(in crate::synthesis::forward) fn walk_in_layers(
        &mut self,
        limits: LayerLimits,
        chance: u64,
        interrupt: &Interrupt,
    ) -> Option<Vec<Move>> {
        self.random ^= chance << 20;
        let stretches = Stretches::new(&mut self.reach, self.steps.iter().map(Vec::len));
        let mut steps = Steps::new();
        let mut seen = FxHashSet::default();
        let mut layer = vec![self.kept_after(None, None)];
        while !layer.is_empty() {
            let mut reached = match self.next_layer(&layer, &stretches, &seen, limits, interrupt) {
                Ok(reached) => reached,
                Err(last) => {
                    let end = self.repeat(&layer, last, &mut steps);
                    return Some(self.moves(threads_of(&steps, end).into_iter()));
                }
            };
            reached.sort_unstable_by_key(|reached| (reached.to_come, reached.chance));
            let mut regions = FxHashSet::default();
            reached.retain_mut(|reached| regions.insert(std::mem::take(&mut reached.region)));
            reached.truncate(limits.width);
            layer = reached
                .into_iter()
                .map(|Reached { turn, .. }| {
                    let last = self.repeat(&layer, turn, &mut steps);
                    seen.insert(self.fingerprint);
                    self.kept_after(Some(turn.thread), last)
                })
                .collect();
        }
        None
    }

    /// The states that one more change leads to and that were not kept before, or a turn that leads to the end. None if the walk is
    /// interrupted.
    fn next_layer(
        &mut self,
        layer: &[Kept],
        stretches: &Stretches,
        seen: &FxHashSet<u64>,
        limits: LayerLimits,
        interrupt: &Interrupt,
    ) -> Result<Vec<Reached>, Turn> {
        let all: usize = self.steps.iter().map(Vec::len).sum();
        let (mut reached, mut here) = (Vec::new(), FxHashSet::default());
        for (from, kept) in layer.iter().enumerate() {
            if interrupt.is_stopped() {
                return Ok(Vec::new());
            }
            for thread in (0..self.steps.len()).filter(|thread| kept.running != Some(*thread)) {
                self.return_to(kept);
                for steps in 1.. {
                    if !self.step_and_look(thread) || !self.can_go_on() {
                        break;
                    }
                    let turn = Turn { from, thread, steps };
                    if self.taken.iter().sum::<usize>() == all {
                        return Err(turn);
                    }
                    if seen.contains(&self.fingerprint) || !here.insert(self.fingerprint) {
                        continue;
                    }
                    let to_come = (0..).zip(&self.taken).map(|(thread, step)| stretches.left(thread, *step));
                    reached.push(Reached {
                        to_come: to_come.sum(),
                        chance: self.random(),
                        region: self.taken.iter().map(|taken| taken / limits.apart).collect(),
                        turn,
                    });
                }
            }
        }
        Ok(reached)
    }

    /// Lets a thread take a step, and then all look at what they want to see; whether it could.
    fn step_and_look(&mut self, thread: usize) -> bool {
        let can = self.step(thread);
        if can {
            self.look_around();
        }
        can
    }

    /// Takes a turn anew, and notes its steps; the last of them.
    fn repeat(&mut self, layer: &[Kept], turn: Turn, steps: &mut Steps) -> Option<u32> {
        let kept = &layer[turn.from];
        self.return_to(kept);
        (0..turn.steps).for_each(|_| _ = self.step_and_look(turn.thread));
        self.changes.iter().fold(kept.last, |last, (thread, _)| {
            steps.push((*thread, last));
            Some(steps.len() as u32 - 1)
        })
    }

    fn return_to(&mut self, kept: &Kept) {
        self.states.clone_from(&kept.states);
        self.taken.clone_from(&kept.taken);
        self.fingerprint = kept.fingerprint;
        self.changes.clear();
    }

    fn kept_after(&self, running: Option<usize>, last: Option<u32>) -> Kept {
        let (states, taken) = (self.states.clone(), self.taken.clone());
        Kept { states, taken, fingerprint: self.fingerprint, running, last }
    }
}

/// Who took the steps up to one.
fn threads_of(steps: &Steps, mut last: Option<u32>) -> Vec<usize> {
    let mut threads = Vec::new();
    while let Some((thread, before)) = last.map(|step| steps[step as usize]) {
        threads.push(thread);
        last = before;
    }
    threads.reverse();
    threads
}
