//! States still to be continued from, and how they are written down for another process.

use crate::reduction::Root;
use crate::refinement::saved::Saved;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;
use symx_interp::environment::Environment;

/// A state to continue from, and the way there: which way was taken at each fork and each choice of a model.
pub(super) struct OpenPath<E: Environment> {
    pub root: Root<E>,
    pub ways: Vec<u32>,
    pub left: Left,
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

/// The open paths of an exploration, written down: the ways that lead to each.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedPaths {
    /// In lexicographical order of all ways.
    paths: Vec<SavedPath>,
    /// Where depth-first walks below some of them stood, by the path's index.
    rests: Vec<(usize, Arc<Saved>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedPath {
    /// How many ways it has in common with the path before, from the first one on.
    shared: usize,
    /// The ways after those.
    ways: Vec<u32>,
}

/// The saved paths, as they are gone again.
#[derive(Default)]
pub(super) struct PathsAgain {
    paths: Vec<Vec<u32>>,
    rests: Vec<(usize, Arc<Saved>)>,
}

impl SavedPaths {
    /// Of these open paths; paths that lead to ones saved earlier are replaced by those.
    pub(super) fn new<'p, E: Environment + 'p>(
        open: impl Iterator<Item = &'p OpenPath<E>>,
        earlier: &PathsAgain,
    ) -> Self {
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
        let mut paths = Vec::with_capacity(all.len());
        let mut before: &[u32] = &[];
        for (ways, _) in &all {
            let shared = before.iter().zip(*ways).take_while(|(one, other)| one == other).count();
            paths.push(SavedPath { shared, ways: ways[shared..].to_vec() });
            before = ways;
        }
        let rests = all.iter().enumerate();
        let rests = rests.filter_map(|(index, (_, rest))| rest.map(|rest| (index, Arc::clone(rest))));
        Self { paths, rests: rests.collect() }
    }

    /// Whether it can be what an exploration has left: no path leads through the end of another one.
    pub fn is_sound(&self) -> bool {
        let again = PathsAgain::new(self);
        let mut length = 0;
        let are_whole = self.paths.iter().all(|path| {
            let fits = path.shared <= length;
            length = path.shared + path.ways.len();
            fits
        });
        are_whole
            && again.paths.is_sorted_by(|one, next| one < next && !next.starts_with(one))
            && self.rests.is_sorted_by(|one, next| one.0 < next.0)
            && self.rests.iter().all(|(index, rest)| *index < self.paths.len() && rest.is_sound())
    }
}

impl PathsAgain {
    pub fn new(saved: &SavedPaths) -> Self {
        let mut paths: Vec<Vec<u32>> = Vec::with_capacity(saved.paths.len());
        for path in &saved.paths {
            let before = paths.last().map_or(&[][..], Vec::as_slice);
            let shared = &before[..path.shared.min(before.len())];
            paths.push([shared, &path.ways].concat());
        }
        Self { paths, rests: saved.rests.clone() }
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

    fn saved(paths: &[&[u32]]) -> SavedPaths {
        let paths = paths.iter().map(|ways| SavedPath { shared: 0, ways: ways.to_vec() });
        SavedPaths { paths: paths.collect(), rests: Vec::new() }
    }

    #[test]
    fn saved_paths_are_gone_again_fork_by_fork() {
        let again = PathsAgain::new(&saved(&[&[0, 1, 0], &[0, 1, 2], &[2]]));
        let Some(Left::Saved(all)) = again.all() else { panic!("there are forks") };
        assert!(again.fit(&all, 0, 3) && !again.fit(&all, 0, 2));
        assert!(again.below(&all, 0, 1).is_none());
        assert!(matches!(again.below(&all, 0, 2), Some(Left::All)));
        let Some(Left::Saved(first)) = again.below(&all, 0, 0) else { panic!("two paths go on") };
        let Some(Left::Saved(both)) = again.below(&first, 1, 1) else { panic!("to their second fork") };
        assert_eq!(both, 0..2);
        assert!(matches!(again.below(&both, 2, 2), Some(Left::All)) && again.below(&both, 2, 1).is_none());
    }

    #[test]
    fn what_contradicts_itself_is_not_sound() {
        assert!(saved(&[]).is_sound() && saved(&[&[]]).is_sound() && saved(&[&[0], &[1, 1]]).is_sound());
        assert!(!saved(&[&[0], &[0, 1]]).is_sound(), "one path through the end of another");
        assert!(!saved(&[&[1], &[0]]).is_sound(), "no order");
        assert!(!saved(&[&[1], &[1]]).is_sound(), "twice the same");
        let longer = SavedPath { shared: 1, ways: Vec::new() };
        assert!(!SavedPaths { paths: vec![longer], rests: Vec::new() }.is_sound(), "shared with nothing");
    }
}
