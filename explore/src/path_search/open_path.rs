//! States still to be continued from, and how they are written down for another process.

use crate::refinement::root::Root;
use crate::saved::Saved;
use crate::saved::paths::SavedPaths;
use std::ops::Range;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_interp::threads::thread::Activation;
use symx_ir::FunctionId;

/// A state to continue from, and the way there: which way was taken at each fork and each choice of a model.
pub(super) struct OpenPath<E: Environment> {
    pub root: Root<E>,
    pub ways: Vec<u32>,
    pub left: Left,
    /// The fork at which it left others, if there was one.
    pub fork: Option<Fork>,
}

/// A fork, and one of its ways.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Fork {
    pub place: ForkPlace,
    pub way: u32,
}

/// Where in a program a path forks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ForkPlace {
    function: FunctionId,
    /// The instruction's number in the function.
    instruction: u32,
    /// How many calls are under way.
    depth: usize,
}

impl ForkPlace {
    /// Where the only thread of a state stands.
    pub fn of<E: Environment>(state: &State<E>) -> Option<Self> {
        let stack = &state.threads.first()?.stack;
        let innermost = stack.iter().rev().find_map(|activation| match activation {
            Activation::Program(frame) => Some(frame),
            _ => None,
        })?;
        Some(Self { function: innermost.function, instruction: innermost.pc, depth: stack.len() })
    }
}

/// The part of an open path's continuations that is to be explored.
#[derive(Clone)]
pub(super) enum Left {
    /// All of it.
    All,
    /// The rest that a depth-first walk of an earlier process has left of it.
    Rest(Arc<Saved>),
    /// Only what these of the saved paths lead to: the rest was explored by an earlier process.
    Saved(Range<usize>),
}

/// The saved paths, as they are gone again.
#[derive(Default)]
pub(super) struct PathsAgain {
    paths: Vec<Vec<u32>>,
    rests: Vec<(usize, Arc<Saved>)>,
}

/// What is left on open paths, to be written down; paths that lead to ones saved earlier are replaced by
/// those.
pub(super) fn left_on<'p, E: Environment + 'p>(
    open: impl Iterator<Item = &'p OpenPath<E>>,
    earlier: &PathsAgain,
) -> SavedPaths {
    let mut all: Vec<(&[u32], Option<&Arc<Saved>>)> = Vec::new();
    for path in open {
        match &path.left {
            Left::All => all.push((&path.ways, None)),
            Left::Rest(rest) => all.push((&path.ways, Some(rest))),
            Left::Saved(range) => {
                all.extend(range.clone().map(|index| (&*earlier.paths[index], earlier.rest(index))));
            }
        }
    }
    all.sort_unstable_by_key(|(ways, _)| *ways);
    SavedPaths::new(&all)
}

impl PathsAgain {
    pub fn new(saved: &SavedPaths) -> Self {
        Self { paths: saved.all_ways(), rests: saved.rests().to_vec() }
    }

    /// The part that all of them leave to explore.
    pub fn all(&self) -> Option<Left> {
        self.left(0..self.paths.len(), 0)
    }

    /// The part that those of a range leave to explore that go this way at their fork of this depth; nothing
    /// if none does.
    pub fn below(&self, range: &Range<usize>, depth: usize, way: u32) -> Option<Left> {
        let paths = &self.paths[range.clone()];
        let from = paths.partition_point(|path| path[depth] < way);
        let to = paths.partition_point(|path| path[depth] <= way);
        self.left(range.start + from..range.start + to, depth + 1)
    }

    /// Whether all those of a range go one of the first `count` ways at their fork of this depth.
    pub fn fit(&self, range: &Range<usize>, depth: usize, count: u32) -> bool {
        self.paths[range.clone()].last().is_none_or(|path| path[depth] < count)
    }

    fn left(&self, range: Range<usize>, depth: usize) -> Option<Left> {
        let first = self.paths[range.clone()].first()?;
        Some(match first.len() == depth {
            true => self.rest(range.start).map_or(Left::All, |rest| Left::Rest(Arc::clone(rest))),
            false => Left::Saved(range),
        })
    }

    fn rest(&self, index: usize) -> Option<&Arc<Saved>> {
        let at = self.rests.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        Some(&self.rests[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_paths_are_gone_again_fork_by_fork() {
        let all: [(&[u32], _); 3] = [(&[0, 1, 0], None), (&[0, 1, 2], None), (&[2], None)];
        let again = PathsAgain::new(&SavedPaths::new(&all));
        let Some(Left::Saved(all)) = again.all() else { panic!("there are forks") };
        assert!(again.fit(&all, 0, 3) && !again.fit(&all, 0, 2));
        assert!(again.below(&all, 0, 1).is_none());
        assert!(matches!(again.below(&all, 0, 2), Some(Left::All)));
        let Some(Left::Saved(first)) = again.below(&all, 0, 0) else { panic!("two paths go on") };
        let Some(Left::Saved(both)) = again.below(&first, 1, 1) else { panic!("to their second fork") };
        assert_eq!(both, 0..2);
        assert!(matches!(again.below(&both, 2, 2), Some(Left::All)) && again.below(&both, 2, 1).is_none());
    }
}
