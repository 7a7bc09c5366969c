//! States that are kept while others are looked at, and the steps that lead to them.

use super::Unlocked;

/// A state that is kept.
pub(super) struct Kept {
    states: Box<[u32]>,
    taken: Box<[usize]>,
    fingerprint: u64,
    /// Whose turn it is.
    pub(super) running: Option<usize>,
    /// Changes of threads made.
    pub(super) changes: u32,
    /// The last of the steps that lead to it; none before the first.
    pub(super) last: Option<StepNumber>,
}

/// A step, by its place among all.
type StepNumber = u32;

/// Steps that lead to states kept: who took each, and which came before it.
#[derive(Default)]
pub(super) struct Steps(Vec<(usize, Option<StepNumber>)>);

impl Steps {
    /// Notes a thread's step after another one.
    pub(super) fn push(&mut self, thread: usize, before: Option<StepNumber>) -> Option<StepNumber> {
        self.0.push((thread, before));
        Some(self.0.len() as StepNumber - 1)
    }

    /// Who took the steps up to one.
    pub(super) fn threads(&self, mut last: Option<StepNumber>) -> Vec<usize> {
        let mut threads = Vec::new();
        while let Some((thread, before)) = last.map(|step| self.0[step as usize]) {
            threads.push(thread);
            last = before;
        }
        threads.reverse();
        threads
    }
}

impl Unlocked<'_> {
    /// The state as it is, to come back to.
    pub(super) fn kept(&self, running: Option<usize>, changes: u32, last: Option<StepNumber>) -> Kept {
        let (states, taken) = (self.states.clone().into(), self.taken.clone().into());
        Kept { states, taken, fingerprint: self.fingerprint, running, changes, last }
    }

    /// Comes back to a state; what has been done on the way to it cannot be undone.
    pub(super) fn stand_at(&mut self, kept: &Kept) {
        self.states.copy_from_slice(&kept.states);
        self.taken.copy_from_slice(&kept.taken);
        self.fingerprint = kept.fingerprint;
        self.changes.clear();
    }
}
