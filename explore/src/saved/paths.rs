//! Paths that are still to be continued, as they are written down.

use super::Saved;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

impl SavedPaths {
    /// Of open paths, in lexicographical order of their ways, with where depth-first walks below them stood.
    pub fn new(all: &[(&[u32], Option<&Arc<Saved>>)]) -> Self {
        let mut paths = Vec::with_capacity(all.len());
        let mut before: &[u32] = &[];
        for (ways, _) in all {
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
        let mut length = 0;
        let are_whole = self.paths.iter().all(|path| {
            let fits = path.shared <= length;
            length = path.shared + path.ways.len();
            fits
        });
        are_whole
            && self.all_ways().is_sorted_by(|one, next| one < next && !next.starts_with(one))
            && self.rests.is_sorted_by(|one, next| one.0 < next.0)
            && self.rests.iter().all(|(index, rest)| *index < self.paths.len() && rest.is_sound())
    }

    /// All ways of each path.
    pub fn all_ways(&self) -> Vec<Vec<u32>> {
        let mut paths: Vec<Vec<u32>> = Vec::with_capacity(self.paths.len());
        for path in &self.paths {
            let before = paths.last().map_or(&[][..], Vec::as_slice);
            let shared = &before[..path.shared.min(before.len())];
            paths.push([shared, &path.ways].concat());
        }
        paths
    }

    /// Where depth-first walks below some of the paths stood, by the path's index.
    pub fn rests(&self) -> &[(usize, Arc<Saved>)] {
        &self.rests
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
    fn what_contradicts_itself_is_not_sound() {
        assert!(saved(&[]).is_sound() && saved(&[&[]]).is_sound() && saved(&[&[0], &[1, 1]]).is_sound());
        assert!(!saved(&[&[0], &[0, 1]]).is_sound(), "one path through the end of another");
        assert!(!saved(&[&[1], &[0]]).is_sound(), "no order");
        assert!(!saved(&[&[1], &[1]]).is_sound(), "twice the same");
        let longer = SavedPath { shared: 1, ways: Vec::new() };
        assert!(!SavedPaths { paths: vec![longer], rests: Vec::new() }.is_sound(), "shared with nothing");
    }
}
