//! Depth-first search: the last choice is made anew first. Restarts take other preferences.

use super::limits::RANKS_A_STEP;
use super::walker::{OpenList, Undoable};
use super::window::Window;
use fastrand::Rng;
use rustc_hash::FxHashSet;

/// Which thread goes on where several can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// The one that runs, then by preference.
    Stays,
    /// Any.
    Random,
    /// The one whose event comes first in the order that is known, or else would be fair.
    InOrder,
}

/// A state in which there is a choice.
struct Fork<M> {
    mark: M,
    fingerprint: u64,
    /// The threads that may go on.
    ready: Vec<usize>,
    /// Those that are left to try, the best last.
    left: Vec<usize>,
}

/// The choices on the way to where a walk is.
pub(super) struct Stack<M> {
    forks: Vec<Fork<M>>,
    /// States that lead nowhere; they are kept when a walk starts again.
    dead: FxHashSet<u64>,
    random: Rng,
    /// By thread, which is preferred, the highest first.
    preference: Vec<u64>,
    manner: Manner,
    /// How many choices are made anew together, where an order is followed.
    window: Option<Window>,
    has_left_out: bool,
    has_order: bool,
}

impl<M: Copy> Stack<M> {
    /// A list for traces of this many threads, of which an order may be known.
    pub(super) fn new(threads: usize, has_order: bool) -> Self {
        Self {
            forks: Vec::new(),
            dead: FxHashSet::default(),
            random: Rng::with_seed(0),
            preference: vec![0; threads],
            manner: Manner::Stays,
            window: None,
            has_left_out: false,
            has_order,
        }
    }

    /// Prepares the attempt with a number.
    pub(super) fn restart<S: Undoable<Mark = M>>(&mut self, number: u64, space: &mut S) {
        self.manner = match number {
            _ if self.has_order && number.is_multiple_of(3) => Manner::InOrder,
            _ if number.is_multiple_of(2) => Manner::Stays,
            _ => Manner::Random,
        };
        for thread in 0..self.preference.len() {
            self.preference[thread] =
                if number == 0 { u64::MAX - thread as u64 } else { self.random.u64(..) };
        }
        self.window = self.has_order.then(|| Window::new(self.preference.len(), space.steps()));
        self.has_left_out = false;
        self.forks.clear();
        space.trust_order(self.follows_order());
    }

    /// Whether an order is followed as it is.
    fn follows_order(&self) -> bool {
        self.manner == Manner::InOrder && self.window.as_ref().is_some_and(|window| window.disorder() == 0)
    }

    /// The threads that may go on, the best last.
    fn ranked<S: Undoable>(&mut self, space: &S, ready: &[usize]) -> Vec<usize> {
        let stays = self.manner == Manner::Stays;
        let disorder = self.window.as_ref().map_or(0, Window::disorder) * RANKS_A_STEP;
        let mut ranked: Vec<((bool, u64), usize)> = Vec::new();
        for &thread in ready {
            let preferred = match self.manner {
                Manner::Stays => self.preference[thread],
                Manner::Random => self.random.u64(..),
                Manner::InOrder if disorder == 0 => u64::MAX - space.rank(thread),
                Manner::InOrder => u64::MAX - space.rank(thread) - self.random.u64(..disorder),
            };
            ranked.push(((stays && thread == space.running(), preferred), thread));
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, thread)| thread).collect()
    }

    /// Makes the last choices anew once they have had their steps.
    fn make_anew<S: Undoable<Mark = M>>(&mut self, space: &mut S) {
        let Some(window) = &mut self.window else { return };
        let anew = window.is_used_up(space.depth(), space.steps());
        space.trust_order(self.follows_order());
        let Some(anew) = anew else { return };
        self.has_left_out = true;
        self.forks.truncate((self.forks.len() + 1).saturating_sub(anew).max(1));
        let Some(mut fork) = self.forks.pop() else { return };
        space.undo(fork.mark);
        if !self.dead.contains(&fork.fingerprint) {
            fork.left = self.ranked(space, &fork.ready);
            self.forks.push(fork);
        }
    }
}

impl<S: Undoable> OpenList<S> for Stack<S::Mark> {
    fn push(&mut self, space: &mut S) {
        let ready = space.ready().to_vec();
        let (left, fingerprint) = (self.ranked(space, &ready), space.fingerprint());
        if !left.is_empty() && !self.dead.contains(&fingerprint) {
            self.forks.push(Fork { mark: space.mark(), fingerprint, ready, left });
        }
    }

    fn pop(&mut self, space: &mut S) -> Option<usize> {
        self.make_anew(space);
        loop {
            let fork = self.forks.last_mut()?;
            if let Some(thread) = fork.left.pop() {
                space.undo(fork.mark);
                return Some(thread);
            }
            self.dead.insert(fork.fingerprint);
            self.forks.pop();
        }
    }

    fn is_exhaustive(&self) -> bool {
        !self.has_left_out
    }
}
