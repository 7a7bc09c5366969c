//! The states that paths go on from, and which of them comes next.

use crate::PathOrder;
use crate::path_search::distances::Distances;
use crate::path_search::tree::{Node, PathTree};
use crate::reduction::Root;
use std::collections::VecDeque;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;

/// Of how many states, drawn at random, the nearest to new code is taken.
const DRAWN: usize = 16;

/// States to go on from, in an order.
pub(crate) enum Frontier<E: Environment> {
    /// The oldest first.
    BreadthFirst(VecDeque<Root<E>>),
    /// A random walk down the tree of forks.
    RandomPath { tree: PathTree<Root<E>>, taken: Node, count: usize, random: fastrand::Rng },
    /// The nearest to new code of some drawn at random.
    Coverage { open: Vec<Root<E>>, distances: Distances, known: u64, random: fastrand::Rng },
}

impl<E: Environment> Frontier<E> {
    /// A frontier with one state.
    pub fn new(order: PathOrder, seed: u64, executor: &Executor<'_, E>, root: Root<E>) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        match order {
            PathOrder::BreadthFirst => Self::BreadthFirst(VecDeque::from([root])),
            PathOrder::RandomPath => {
                let mut tree = PathTree::new();
                tree.add(PathTree::<Root<E>>::ROOT, root);
                Self::RandomPath { tree, taken: PathTree::<Root<E>>::ROOT, count: 1, random }
            }
            PathOrder::Coverage => {
                let distances = Distances::new(&executor.machine.program);
                Self::Coverage { open: vec![root], distances, known: 0, random }
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

    /// Adds a state in which the one taken last has ended up, or one of several.
    pub fn add(&mut self, root: Root<E>) {
        match self {
            Self::BreadthFirst(queue) => queue.push_back(root),
            Self::RandomPath { tree, taken, count, .. } => {
                tree.add(*taken, root);
                *count += 1;
            }
            Self::Coverage { open, .. } => open.push(root),
        }
    }

    /// Takes the next state.
    pub fn take(&mut self, executor: &Executor<'_, E>) -> Option<Root<E>> {
        match self {
            Self::BreadthFirst(queue) => queue.pop_front(),
            Self::RandomPath { tree, taken, count, random } => {
                tree.prune(*taken);
                let (node, root) = tree.take(random)?;
                (*taken, *count) = (node, *count - 1);
                Some(root)
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
                    drawn.into_iter().min_by_key(|index| distances.of(program, &open[*index].state))?;
                Some(open.swap_remove(nearest))
            }
        }
    }
}
