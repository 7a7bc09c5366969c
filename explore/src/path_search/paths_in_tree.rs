//! The states from which paths continue, as leaves of the tree of forks: random ones, or those near to new
//! code and random ones in turn.
//!
//! What stands near to new code may be kept from it by its inputs, again and again: a random walk down the
//! tree of forks comes to other states, and to the ends of paths. Cadar, Dunbar and Engler (KLEE, OSDI 2008,
//! section 3.4) take both in turn for the same reason.

use crate::path_search::distances::Distances;
use crate::path_search::open_path::{Fork, OpenPath};
use crate::path_search::tree::{Node, PathTree};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_ir::Program;

/// Of how many states, drawn at random, the nearest to new code is taken.
const DRAWN: usize = 16;

/// States to continue from.
pub(super) struct PathsInTree<E: Environment> {
    tree: PathTree<Leaf<E>>,
    /// The leaf that was taken last.
    taken: Node,
    /// The fork at which its path left others.
    taken_from: Option<Fork>,
    /// The leaves that were not, to draw from.
    open: Vec<Node>,
    random: fastrand::Rng,
    /// What is near to new code, if such states have their turns.
    near: Option<Near>,
}

/// What it takes to find the states near to new code.
struct Near {
    distances: Distances,
    /// How much was covered when distances were computed.
    known: u64,
    /// Whether the next state is one of them, and no random one.
    is_next: bool,
}

struct Leaf<E: Environment> {
    path: OpenPath<E>,
    /// Its index among the open leaves.
    at: usize,
}

impl<E: Environment> PathsInTree<E> {
    /// One state; all are taken at random.
    pub fn at_random(random: fastrand::Rng, path: OpenPath<E>) -> Self {
        let mut all = Self {
            tree: PathTree::new(),
            taken: PathTree::<Leaf<E>>::ROOT,
            taken_from: None,
            open: Vec::new(),
            random,
            near: None,
        };
        all.add(path);
        all
    }

    /// One state; each second one is near to code of the program that nothing has executed.
    pub fn near_new_code(program: &Program, random: fastrand::Rng, path: OpenPath<E>) -> Self {
        let near = Near { distances: Distances::new(program), known: 0, is_next: false };
        Self { near: Some(near), ..Self::at_random(random, path) }
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn open(&self) -> impl Iterator<Item = &OpenPath<E>> {
        self.tree.entries().map(|leaf| &leaf.path)
    }

    /// All, the nearest to new code first.
    pub fn open_by_promise(&self, executor: &Executor<'_, E>) -> Vec<&OpenPath<E>> {
        let mut open: Vec<_> = self.open().collect();
        if let Some(near) = &self.near {
            let program = &executor.machine.program;
            open.sort_by_cached_key(|path| near.distances.of(program, &path.root.state));
        }
        open
    }

    /// Adds one of the states in which the one taken last has ended up at a fork.
    pub fn add(&mut self, path: OpenPath<E>) {
        let below = match (self.taken_from, path.fork) {
            (Some(from), Some(fork)) if from.place == fork.place => {
                self.tree.next_round(self.taken, from.way)
            }
            _ => self.taken,
        };
        let node = self.tree.add(below, Leaf { path, at: self.open.len() });
        self.open.push(node);
    }

    /// Sets aside the path taken last, which has not forked: its leaf stays where it is.
    pub fn set_aside(&mut self, path: OpenPath<E>) {
        self.tree.give_back(self.taken, Leaf { path, at: self.open.len() });
        self.open.push(self.taken);
    }

    /// Takes the next state.
    pub fn take(&mut self, executor: &Executor<'_, E>) -> Option<OpenPath<E>> {
        self.tree.prune(self.taken);
        if self.open.is_empty() {
            return None;
        }
        self.taken = match self.nearest(executor) {
            Some(nearest) => nearest,
            None => self.tree.walk(&mut self.random),
        };
        let Leaf { path, at } = self.tree.take(self.taken)?;
        self.open.swap_remove(at);
        if let Some(moved) = self.open.get(at).and_then(|node| self.tree.entry(*node)) {
            moved.at = at;
        }
        self.taken_from = path.fork;
        Some(path)
    }

    /// The nearest to new code of some that are drawn, if it is the turn of one.
    fn nearest(&mut self, executor: &Executor<'_, E>) -> Option<Node> {
        let Self { tree, open, random, near, .. } = self;
        let near = near.as_mut()?;
        let is_turn = near.is_next;
        near.is_next = !is_turn;
        if !is_turn {
            return None;
        }
        let program = &executor.machine.program;
        if let Some(coverage) = &executor.notes.coverage
            && coverage.count() != near.known
        {
            near.known = coverage.count();
            near.distances.compute(program, coverage);
        }
        // Few enough are all looked at; the newest of equals is taken.
        let drawn: Vec<Node> = match open.len() {
            few @ 0..=DRAWN => open[..few].iter().rev().copied().collect(),
            many => (0..DRAWN).map(|_| open[random.usize(..many)]).collect(),
        };
        drawn.into_iter().min_by_key(|node| {
            tree.entry(*node).map(|leaf| near.distances.of(program, &leaf.path.root.state))
        })
    }
}
