//! The states from which paths continue, and which of them comes next.

use crate::PathOrder;
use crate::path_search::near_new_code::NearNewCode;
use crate::path_search::open_path::OpenPath;
use crate::path_search::tree::{Node, PathTree};
use std::collections::VecDeque;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;

/// States to continue from, in an order.
pub(super) enum Frontier<E: Environment> {
    /// The oldest first.
    BreadthFirst(VecDeque<OpenPath<E>>),
    /// A random walk down the tree of forks.
    RandomPath { tree: PathTree<OpenPath<E>>, taken: Node, count: usize, random: fastrand::Rng },
    /// What is near to new code, and a random walk, in turn.
    Coverage(NearNewCode<E>),
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
            PathOrder::Coverage => Self::Coverage(NearNewCode::new(&executor.machine.program, random, path)),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        match self {
            Self::BreadthFirst(queue) => queue.len(),
            Self::RandomPath { count, .. } => *count,
            Self::Coverage(near) => near.len(),
        }
    }

    /// All states, in any order.
    pub fn open(&self) -> Box<dyn Iterator<Item = &OpenPath<E>> + '_> {
        match self {
            Self::BreadthFirst(queue) => Box::new(queue.iter()),
            Self::RandomPath { tree, .. } => Box::new(tree.entries()),
            Self::Coverage(near) => Box::new(near.open()),
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
            Self::Coverage(near) => near.add(path),
        }
    }

    /// Takes the next state.
    pub fn take(&mut self, executor: &Executor<'_, E>) -> Option<OpenPath<E>> {
        match self {
            Self::BreadthFirst(queue) => queue.pop_front(),
            Self::RandomPath { tree, taken, count, random } => {
                tree.prune(*taken);
                *taken = tree.walk(random);
                let path = tree.take(*taken)?;
                *count -= 1;
                Some(path)
            }
            Self::Coverage(near) => near.take(executor),
        }
    }
}
