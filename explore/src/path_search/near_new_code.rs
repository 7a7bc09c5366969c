//! The states from which paths continue, those near to new code and random ones in turn.
//!
//! What stands near to new code may be kept from it by its inputs, again and again: a random walk down the
//! tree of forks comes to other states, and to the ends of paths. Cadar, Dunbar and Engler (KLEE, OSDI 2008,
//! section 3.4) take both in turn for the same reason.

use crate::path_search::distances::Distances;
use crate::path_search::open_path::OpenPath;
use crate::path_search::tree::{Node, PathTree};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_ir::Program;

/// Of how many states, drawn at random, the nearest to new code is taken.
const DRAWN: usize = 16;

/// States to continue from.
pub(super) struct NearNewCode<E: Environment> {
    tree: PathTree<Leaf<E>>,
    /// The leaf that was taken last.
    taken: Node,
    /// The leaves that were not, to draw from.
    open: Vec<Node>,
    distances: Distances,
    /// How much was covered when distances were computed.
    known: u64,
    random: fastrand::Rng,
    is_turn_of_walk: bool,
}

struct Leaf<E: Environment> {
    path: OpenPath<E>,
    /// Its index among the open leaves.
    at: usize,
}

impl<E: Environment> NearNewCode<E> {
    /// One state.
    pub fn new(program: &Program, random: fastrand::Rng, path: OpenPath<E>) -> Self {
        let mut all = Self {
            tree: PathTree::new(),
            taken: PathTree::<Leaf<E>>::ROOT,
            open: Vec::new(),
            distances: Distances::new(program),
            known: 0,
            random,
            is_turn_of_walk: false,
        };
        all.add(path);
        all
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn open(&self) -> impl Iterator<Item = &OpenPath<E>> {
        self.tree.entries().map(|leaf| &leaf.path)
    }

    /// Adds a state in which the one taken last has ended up, or one of several.
    pub fn add(&mut self, path: OpenPath<E>) {
        let node = self.tree.add(self.taken, Leaf { path, at: self.open.len() });
        self.open.push(node);
    }

    /// Takes the next state.
    pub fn take(&mut self, executor: &Executor<'_, E>) -> Option<OpenPath<E>> {
        self.tree.prune(self.taken);
        if self.open.is_empty() {
            return None;
        }
        self.is_turn_of_walk = !self.is_turn_of_walk;
        self.taken = match self.is_turn_of_walk {
            true => self.tree.walk(&mut self.random),
            false => self.nearest(executor)?,
        };
        let Leaf { path, at } = self.tree.take(self.taken)?;
        self.open.swap_remove(at);
        if let Some(moved) = self.open.get(at).and_then(|node| self.tree.entry(*node)) {
            moved.at = at;
        }
        Some(path)
    }

    /// The nearest to new code of some that are drawn.
    fn nearest(&mut self, executor: &Executor<'_, E>) -> Option<Node> {
        let program = &executor.machine.program;
        if let Some(coverage) = &executor.notes.coverage
            && coverage.count() != self.known
        {
            self.known = coverage.count();
            self.distances.compute(program, coverage);
        }
        // Few enough are all looked at; the newest of equals is taken.
        let drawn: Vec<Node> = match self.open.len() {
            few @ 0..=DRAWN => self.open[..few].iter().rev().copied().collect(),
            many => (0..DRAWN).map(|_| self.open[self.random.usize(..many)]).collect(),
        };
        let Self { tree, distances, .. } = self;
        drawn
            .into_iter()
            .min_by_key(|node| tree.entry(*node).map(|leaf| distances.of(program, &leaf.path.root.state)))
    }
}
