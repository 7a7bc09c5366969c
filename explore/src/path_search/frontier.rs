//! The states from which paths continue, and which of them comes next.

use crate::PathOrder;
use crate::path_search::open_path::OpenPath;
use crate::path_search::paths_in_tree::PathsInTree;
use std::collections::VecDeque;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;

/// States to continue from, in an order.
pub(super) enum Frontier<E: Environment> {
    /// The oldest first.
    BreadthFirst(VecDeque<OpenPath<E>>),
    /// By random walks down the tree of forks; maybe what is near to new code in turn with them.
    Tree(PathsInTree<E>),
}

impl<E: Environment> Frontier<E> {
    /// A frontier with one state.
    pub fn new(order: PathOrder, seed: u64, executor: &Executor<'_, E>, path: OpenPath<E>) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        match order {
            PathOrder::BreadthFirst => Self::BreadthFirst(VecDeque::from([path])),
            PathOrder::RandomPath => Self::Tree(PathsInTree::at_random(random, path)),
            PathOrder::Coverage => {
                Self::Tree(PathsInTree::near_new_code(&executor.machine.program, random, path))
            }
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        match self {
            Self::BreadthFirst(queue) => queue.len(),
            Self::Tree(tree) => tree.len(),
        }
    }

    /// All states, in any order.
    pub fn open(&self) -> Box<dyn Iterator<Item = &OpenPath<E>> + '_> {
        match self {
            Self::BreadthFirst(queue) => Box::new(queue.iter()),
            Self::Tree(tree) => Box::new(tree.open()),
        }
    }

    /// All states: first those near to new code, if the order is by that.
    pub fn open_by_promise(&self, executor: &Executor<'_, E>) -> Vec<&OpenPath<E>> {
        match self {
            Self::BreadthFirst(queue) => queue.iter().collect(),
            Self::Tree(tree) => tree.open_by_promise(executor),
        }
    }

    /// Adds one of the states in which the one taken last has ended up at a fork.
    pub fn add(&mut self, path: OpenPath<E>) {
        match self {
            Self::BreadthFirst(queue) => queue.push_back(path),
            Self::Tree(tree) => tree.add(path),
        }
    }

    /// Sets aside the path taken last, which has not forked.
    pub fn set_aside(&mut self, path: OpenPath<E>) {
        match self {
            Self::BreadthFirst(queue) => queue.push_back(path),
            Self::Tree(tree) => tree.set_aside(path),
        }
    }

    /// Takes the next state.
    pub fn take(&mut self, executor: &Executor<'_, E>) -> Option<OpenPath<E>> {
        match self {
            Self::BreadthFirst(queue) => queue.pop_front(),
            Self::Tree(tree) => tree.take(executor),
        }
    }
}
