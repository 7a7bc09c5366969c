//! States along an execution: few along the whole of it, all of them around one place.

use crate::replays::limits::MOST_ON_TIMELINE;
use symx_interp::environment::Environment;
use symx_interp::state::State;

/// States before steps.
pub(super) struct States<E: Environment> {
    /// Every how many steps one is kept.
    every: usize,
    kept: Vec<State<E>>,
    /// The states of all steps from one that is kept to the next, with that step.
    window: (usize, Vec<State<E>>),
}

impl<E: Environment> States<E> {
    /// Only the first one.
    pub fn new(first: State<E>) -> Self {
        Self { every: 1, kept: vec![first], window: (0, Vec::new()) }
    }

    /// Sees the state before a step; steps come in their order.
    pub fn pass(&mut self, step: usize, state: &State<E>) {
        if step != self.kept.len() * self.every {
            return;
        }
        if self.kept.len() == MOST_ON_TIMELINE {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
        if step == self.kept.len() * self.every {
            self.kept.push(state.clone());
        }
    }

    /// The state before a step, if the place looked at last is near.
    pub fn known(&self, step: usize) -> Option<&State<E>> {
        self.window.1.get(step.checked_sub(self.window.0)?)
    }

    /// The last state that is kept before a step, and its own step.
    pub fn nearest(&mut self, step: usize) -> (usize, State<E>) {
        let index = (step / self.every).min(self.kept.len() - 1);
        let at = index * self.every;
        self.window = (at, Vec::new());
        (at, self.kept[index].clone())
    }

    /// The step of the state kept next after that of `step`; beyond all steps if there is none.
    pub fn next_kept(&self, step: usize) -> usize {
        let next = step / self.every + 1;
        if next < self.kept.len() { next * self.every } else { usize::MAX }
    }

    /// Has the states from that of [`nearest`](Self::nearest) on.
    pub fn look_at(&mut self, window: Vec<State<E>>) {
        self.window.1 = window;
    }
}
