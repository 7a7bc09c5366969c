//! The edges of an activation in order. Rounds that follow each other are kept once: a thread that waited in
//! a loop has gone round millions of times.

/// An edge: the block that it leaves, and the number of the successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RouteEdge {
    pub(super) block: u32,
    pub(super) successor: u32,
}

/// Edges that follow each other are written out up to this number: looking one up is fastest then.
const WRITTEN_OUT: usize = 1 << 12;

/// A sequence of edges.
#[derive(Debug, Default)]
pub(super) struct EdgeSequence {
    edges: Vec<RouteEdge>,
    stretches: Vec<Stretch>,
    length: usize,
}

/// A part of the sequence.
#[derive(Debug)]
struct Stretch {
    /// The position of its first edge in the sequence.
    begin: usize,
    /// Where its edges are kept, and how many. They follow each other until the next stretch begins.
    first: usize,
    count: usize,
    repeats: bool,
}

impl EdgeSequence {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Adds an edge.
    pub(super) fn push(&mut self, edge: RouteEdge) {
        match self.stretches.last_mut().filter(|last| !last.repeats) {
            Some(last) => last.count += 1,
            None => {
                let (begin, first) = (self.length, self.edges.len());
                self.stretches.push(Stretch { begin, first, count: 1, repeats: false });
            }
        }
        self.edges.push(edge);
        self.length += 1;
    }

    /// Adds the last `count` edges, which were pushed one by one, as many times again.
    pub(super) fn repeat(&mut self, count: usize, times: usize) {
        let first = self.edges.len() - count;
        let all = count.saturating_mul(times);
        if all <= WRITTEN_OUT {
            (0..all).for_each(|at| self.push(self.edges[first + at % count]));
        } else {
            self.stretches.push(Stretch { begin: self.length, first, count, repeats: true });
            self.length = self.length.saturating_add(all);
        }
    }

    /// The edge at a position.
    #[inline]
    pub(super) fn get(&self, position: usize) -> Option<RouteEdge> {
        if position >= self.length {
            return None;
        }
        let stretch = &self.stretches[self.stretches.partition_point(|it| it.begin <= position) - 1];
        let offset = position - stretch.begin;
        let offset = if offset < stretch.count { offset } else { offset % stretch.count };
        Some(self.edges[stretch.first + offset])
    }

    /// All of them in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = RouteEdge> {
        (0..self.length).map_while(|position| self.get(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(block: u32) -> RouteEdge {
        RouteEdge { block, successor: 0 }
    }

    #[test]
    fn rounds_are_kept_once_and_found_at_each_position() {
        for times in [3, 1_000_000_000] {
            let mut sequence = EdgeSequence::default();
            [1, 2, 3].into_iter().for_each(|block| sequence.push(edge(block)));
            sequence.repeat(2, times);
            sequence.push(edge(4));
            assert_eq!(sequence.len(), 3 + 2 * times + 1);
            assert_eq!(sequence.get(0), Some(edge(1)));
            for round in [0, 1, times] {
                assert_eq!(sequence.get(1 + 2 * round), Some(edge(2)), "{round}");
                assert_eq!(sequence.get(2 + 2 * round), Some(edge(3)), "{round}");
            }
            assert_eq!(sequence.get(3 + 2 * times), Some(edge(4)));
            assert_eq!(sequence.get(4 + 2 * times), None);
            assert!(sequence.edges.len() <= 3 + WRITTEN_OUT);
        }
    }
}
