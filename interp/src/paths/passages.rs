//! The blocks that a recorded route leads through, indexed. A loop may have taken many rounds, so its rest is
//! not to be searched each time.

use rustc_hash::FxHashMap;

/// An index of a route's edges.
#[derive(Debug, Default)]
pub(super) struct Passages {
    /// By block, the numbers of the edges that lead to it, ascending.
    arrivals: FxHashMap<u32, Vec<u32>>,
    /// By edge, how many calls there are in the blocks that the edges before it lead to.
    calls: Vec<u32>,
}

impl Passages {
    /// Of edges that lead to these blocks, with `calls_in` each of them.
    pub fn of(blocks: impl Iterator<Item = u32>, mut calls_in: impl FnMut(u32) -> u32) -> Self {
        let mut passages = Self::default();
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        let mut calls = 0;
        for (block, edge) in blocks.zip(0..) {
            passages.arrivals.entry(block).or_default().push(edge);
            passages.calls.push(calls);
            calls += *known.entry(block).or_insert_with(|| calls_in(block));
        }
        passages
    }

    /// The first edge from number `first` on that leads to `block`.
    pub fn first_arrival(&self, block: u32, first: usize) -> Option<usize> {
        let arrivals = self.arrivals.get(&block)?;
        let at = arrivals.partition_point(|edge| (*edge as usize) < first);
        arrivals.get(at).map(|edge| *edge as usize)
    }

    /// How many calls there are in the blocks that the edges from `first` up to `last` (exclusive) lead to.
    pub fn calls_between(&self, first: usize, last: usize) -> usize {
        (self.calls[last] - self.calls[first]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_and_calls_are_those_of_the_edges_between() {
        let passages = Passages::of([1, 2, 1, 3].into_iter(), |block| block * 10);
        assert_eq!(passages.first_arrival(1, 0), Some(0));
        assert_eq!(passages.first_arrival(1, 1), Some(2));
        assert_eq!((passages.first_arrival(1, 3), passages.first_arrival(7, 0)), (None, None));
        assert_eq!((passages.calls_between(0, 3), passages.calls_between(1, 1)), (40, 0));
    }
}
