//! The states from which paths continue, and which of them comes next.

use crate::PathOrder;
use crate::path_search::distances::Distances;
use crate::path_search::open_path::OpenPath;
use crate::path_search::tree::{Node, PathTree};
use std::collections::VecDeque;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;

/// Of how many states, drawn at random, the nearest to new code is taken.
const DRAWN: usize = 16;

/// States to continue from, in an order.
pub(super) enum Frontier<E: Environment> {
    /// The oldest first.
    BreadthFirst(VecDeque<OpenPath<E>>),
    /// A random walk down the tree of forks.
    RandomPath { tree: PathTree<OpenPath<E>>, taken: Node, count: usize, random: fastrand::Rng },
    /// The nearest to new code of some drawn at random.
    Coverage { open: Vec<OpenPath<E>>, distances: Distances, known: u64, random: fastrand::Rng },
}

impl<E: Environment> Frontier<E> {
    /// A frontier with one state.
    pub fn new(order: PathOrder, seed: u64, executor: &Executor<'_, E>, path: OpenPath<E>) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        match order {
            PathOrder::BreadthFirst => Self::BreadthFirst(VecDeque::from([path])),
            PathOrder::RandomPath => {
                let mut tree = PathTree::new();
                tree.add(PathTree::<OpenPath<E>>::ROOT, path);
                Self::RandomPath { tree, taken: PathTree::<OpenPath<E>>::ROOT, count: 1, random }
            }
            PathOrder::Coverage => {
                let distances = Distances::new(&executor.machine.program);
                Self::Coverage { open: vec![path], distances, known: 0, random }
            }
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        match self {
            Self::BreadthFirst(queue) => queue.len(),
            Self::RandomPath { count, .. } => *count,
            Self::Coverage { open, .. } => open.len(),
        }
    }

    /// All states, in any order.
    pub fn open(&self) -> Box<dyn Iterator<Item = &OpenPath<E>> + '_> {
        match self {
            Self::BreadthFirst(queue) => Box::new(queue.iter()),
            Self::RandomPath { tree, .. } => Box::new(tree.entries()),
            Self::Coverage { open, .. } => Box::new(open.iter()),
        }
    }

    /// Adds a state in which the one taken last has ended up, or one of several.
    pub fn add(&mut self, path: OpenPath<E>) {
        match self {
            Self::BreadthFirst(queue) => queue.push_back(path),
            Self::RandomPath { tree, taken, count, .. } => {
                tree.add(*taken, path);
                *count += 1;
            }
            Self::Coverage { open, .. } => open.push(path),
        }
    }

    /// Takes the next state.
    pub fn take(&mut self, executor: &Executor<'_, E>) -> Option<OpenPath<E>> {
        match self {
            Self::BreadthFirst(queue) => queue.pop_front(),
            Self::RandomPath { tree, taken, count, random } => {
                tree.prune(*taken);
                let (node, path) = tree.take(random)?;
                (*taken, *count) = (node, *count - 1);
                Some(path)
            }
            Self::Coverage { open, distances, known, random } => {
                let program = &executor.machine.program;
                if let Some(coverage) = &executor.notes.coverage
                    && coverage.count() != *known
                {
                    *known = coverage.count();
                    distances.compute(program, coverage);
                }
                // Few enough are all looked at; the newest of equals is taken.
                let drawn: Vec<usize> = match open.len() {
                    0 => return None,
                    few @ 1..=DRAWN => (0..few).rev().collect(),
                    many => (0..DRAWN).map(|_| random.usize(..many)).collect(),
                };
                let nearest =
                    drawn.into_iter().min_by_key(|index| distances.of(program, &open[*index].root.state))?;
                Some(open.swap_remove(nearest))
            }
        }
    }
}
