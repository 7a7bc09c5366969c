//! Loops with one way round: their paths come in runs, which a log can count instead of repeat.

use super::{Edge, EdgeAction, PathNumbering};

/// The only path from where a cut edge leads back to that edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayRound {
    /// Its number.
    pub path: u32,
    /// The blocks it leads through, the edge's own block first.
    pub blocks: Vec<u32>,
    /// The path's sum at each of them.
    pub sums: Vec<u32>,
}

impl PathNumbering {
    /// The loops with one way round: the edge that closes each, in order of edges, and the way. The place in
    /// this list is the loop's number in a record.
    pub fn ways_round(&self) -> &[(Edge, WayRound)] {
        &self.ways_round
    }

    /// The way round the loop that an edge closes, if the edge is cut and there is one way.
    pub fn way_round(&self, edge: Edge) -> Option<&WayRound> {
        let at = self.ways_round.binary_search_by_key(&edge, |&(closing, _)| closing).ok()?;
        Some(&self.ways_round[at].1)
    }

    pub(super) fn find_ways_round(&self) -> Vec<(Edge, WayRound)> {
        let blocks = 0..self.first_edge.len().saturating_sub(1);
        let edges = blocks.flat_map(|block| {
            let count = self.first_edge[block + 1] - self.first_edge[block];
            (0..count as u32).map(move |successor| Edge { block: block as u32, successor })
        });
        edges.filter_map(|edge| Some((edge, self.find_way_round(edge)?))).collect()
    }

    fn find_way_round(&self, edge: Edge) -> Option<WayRound> {
        let EdgeAction::Cut { add, restart } = self.edge_action(edge) else { return None };
        let start = self.targets[self.edge_index(edge)];
        let into = self.uncut_into(start);
        let mut way = WayRound { path: 0, blocks: vec![edge.block], sums: Vec::new() };
        let (mut at, mut adds) = (edge.block, Vec::new());
        while at != start {
            let Entry::One { block, add } = into[at as usize] else { return None };
            adds.push(add);
            way.blocks.push(block);
            at = block;
        }
        let mut sum = restart;
        way.sums.push(sum);
        for add in adds.into_iter().rev() {
            sum += add;
            way.sums.push(sum);
        }
        way.sums.reverse();
        way.path = sum + add;
        Some(way)
    }

    /// How paths from `start` enter each block.
    fn uncut_into(&self, start: u32) -> Vec<Entry> {
        let mut into = vec![Entry::None; self.first_edge.len() - 1];
        let mut open = vec![start];
        while let Some(block) = open.pop() {
            for edge in self.first_edge[block as usize]..self.first_edge[block as usize + 1] {
                let EdgeAction::Continue { add } = self.actions[edge] else { continue };
                let target = self.targets[edge];
                let entry = &mut into[target as usize];
                if *entry == Entry::None {
                    *entry = Entry::One { block, add };
                    open.push(target);
                } else {
                    *entry = Entry::Several;
                }
            }
        }
        into
    }
}

/// The edges by which paths enter a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    None,
    One { block: u32, add: u32 },
    Several,
}

#[cfg(test)]
mod tests {
    use super::super::PATH_LIMIT;
    use super::*;

    fn way(graph: &[Vec<u32>], block: u32, successor: u32) -> Option<WayRound> {
        let numbering = PathNumbering::new(graph, PATH_LIMIT).unwrap();
        let edge = Edge { block, successor };
        let way = numbering.way_round(edge)?.clone();
        let path = numbering.decode(way.path).unwrap();
        assert_eq!(path.edges.last(), Some(&edge));
        assert_eq!(path.edges.iter().rev().map(|edge| edge.block).collect::<Vec<_>>(), way.blocks);
        // The sums are those that lead to each block.
        let mut sum = numbering.resume_value(path.start).unwrap();
        for (edge, &expected) in path.edges.iter().zip(way.sums.iter().rev()) {
            assert_eq!(sum, expected);
            let (EdgeAction::Continue { add } | EdgeAction::Cut { add, .. }) = numbering.edge_action(*edge);
            sum += add;
        }
        assert_eq!((sum, way.sums.len()), (way.path, way.blocks.len()));
        Some(way)
    }

    #[test]
    fn a_loop_of_straight_code_has_one() {
        // 0 → 1 ⇄ 2, 1 also leaves to 3, and 3 branches.
        let graph = [vec![1], vec![2, 3], vec![1], vec![4, 5], vec![], vec![]];
        assert_eq!(way(&graph, 2, 0).unwrap().blocks, [2, 1]);
        assert_eq!(way(&graph, 1, 1), None, "not a cut edge");
        assert_eq!(way(&[vec![0, 1], vec![]], 0, 0).unwrap().blocks, [0]);
    }

    #[test]
    fn a_branch_within_makes_two() {
        let graph = [vec![1], vec![2, 3], vec![4], vec![4], vec![1, 5], vec![]];
        assert_eq!(way(&graph, 4, 0), None);
        // Two edges between the same blocks are two ways, and two ends of a loop have one each.
        assert_eq!(way(&[vec![1], vec![2, 2], vec![1, 3], vec![]], 2, 0), None);
        let ends = [vec![1], vec![2, 3], vec![1], vec![1, 4], vec![]];
        assert!(way(&ends, 2, 0).is_some() && way(&ends, 3, 0).is_some());
    }
}
