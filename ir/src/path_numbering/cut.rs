//! The choice of edges at which paths are cut. They are back edges, those into loops where paths are to
//! begin, and more where there would be too many paths.

use std::collections::BTreeMap;

/// The number of rounds that a loop is assumed to take.
const ROUNDS: u64 = 16;

/// A function's graph with what a depth-first search finds out about it.
pub(super) struct Graph<'a> {
    pub(super) successors: &'a [Vec<u32>],
    pub(super) first_edge: Vec<usize>,
    pub(super) targets: Vec<u32>,
    pub(super) reachable: Vec<bool>,
    /// Edges that lead back to a block still being searched; without them the graph is acyclic.
    pub(super) is_back: Vec<bool>,
    /// Reachable blocks, each after all its successors over edges that are not back edges.
    postorder: Vec<u32>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(successors: &'a [Vec<u32>]) -> Self {
        let mut first_edge = vec![0];
        for list in successors {
            first_edge.push(first_edge[first_edge.len() - 1] + list.len());
        }
        let targets: Vec<u32> = successors.iter().flatten().copied().collect();
        let mut graph = Graph {
            successors,
            first_edge,
            is_back: vec![false; targets.len()],
            targets,
            reachable: vec![false; successors.len()],
            postorder: Vec::new(),
        };
        if !successors.is_empty() {
            graph.search();
        }
        graph
    }

    fn search(&mut self) {
        let mut open = vec![false; self.successors.len()];
        let mut stack = vec![(0u32, 0usize)];
        self.reachable[0] = true;
        open[0] = true;
        while let Some((block, next)) = stack.last_mut() {
            let edge = self.first_edge[*block as usize] + *next;
            if edge == self.first_edge[*block as usize + 1] {
                open[*block as usize] = false;
                self.postorder.push(*block);
                stack.pop();
                continue;
            }
            *next += 1;
            let target = self.targets[edge];
            if open[target as usize] {
                self.is_back[edge] = true;
            } else if !self.reachable[target as usize] {
                self.reachable[target as usize] = true;
                open[target as usize] = true;
                stack.push((target, 0));
            }
        }
    }

    /// In how many loops the edges are that lead to each block and close none: the most of them.
    fn levels(&self) -> Vec<u32> {
        let depths = self.loop_depths();
        let mut levels = vec![0; depths.len()];
        for block in (0..self.successors.len()).filter(|&block| self.reachable[block]) {
            for edge in self.first_edge[block]..self.first_edge[block + 1] {
                let target = self.targets[edge] as usize;
                if !self.is_back[edge] {
                    levels[target] = levels[target].max(depths[block].min(depths[target]));
                }
            }
        }
        levels
    }

    /// In how many loops each block is. A loop is all that leads to a back edge without
    /// leaving its target first.
    pub(super) fn loop_depths(&self) -> Vec<u32> {
        let mut enters: Vec<Vec<u32>> = vec![Vec::new(); self.successors.len()];
        let mut latches: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for block in (0..self.successors.len() as u32).filter(|&block| self.reachable[block as usize]) {
            for edge in self.first_edge[block as usize]..self.first_edge[block as usize + 1] {
                let target = self.targets[edge];
                enters[target as usize].push(block);
                if self.is_back[edge] {
                    latches.entry(target).or_default().push(block);
                }
            }
        }
        let mut depths = vec![0; self.successors.len()];
        let mut counted_for = vec![u32::MAX; self.successors.len()];
        for (header, mut open) in latches {
            open.push(header);
            while let Some(block) = open.pop() {
                if std::mem::replace(&mut counted_for[block as usize], header) != header {
                    depths[block as usize] += 1;
                    if block != header {
                        open.extend(&enters[block as usize]);
                    }
                }
            }
        }
        depths
    }
}

/// Where paths start beside the entry.
#[derive(Clone, Default)]
pub(super) struct Starts {
    /// Blocks to which control may return from outside the graph, if they can be reached. The edges into
    /// them are not cut.
    pub(super) resume: Vec<u32>,
    /// For each block, whether all edges into it are cut. Blocks that are not in the list have none.
    pub(super) all_cut: Vec<bool>,
}

/// Which edges are cut, and how many paths that leaves.
pub(super) struct Cut {
    pub(super) is_cut: Vec<bool>,
    pub(super) is_start: Vec<bool>,
    pub(super) paths_from: Vec<u64>,
    pub(super) total: u64,
}

impl Cut {
    /// Cuts the back edges and what `starts` says, and more where there are too many paths. Of some such cuts
    /// that leave at most `limit`, it takes the one by which paths end the least often, if loops take
    /// `ROUNDS` rounds. Their thresholds are lower outside of loops than in them. If none leaves so few,
    /// every edge is cut.
    pub(super) fn choose(graph: &Graph<'_>, starts: &Starts, limit: u64) -> Self {
        let few = Self::above(graph, starts, &[], |_| limit);
        if few.total <= limit {
            return few;
        }
        let levels = graph.levels();
        let mut best: Option<(u64, Cut)> = None;
        // By how many bits the threshold grows with each loop around a block.
        for growth in [0, 1, 2, 3, 4, 6, 8, 12] {
            let mut threshold = limit;
            while threshold > 1 {
                threshold /= 2;
                let of_level =
                    |level: u32| threshold.saturating_mul(1 << (growth * level).min(32)).min(limit);
                let cut = Self::above(graph, starts, &levels, of_level);
                if cut.total <= limit {
                    let cost = cut.cost(graph, &levels);
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, cut));
                    }
                    break;
                }
            }
        }
        best.map_or_else(|| Self::above(graph, starts, &levels, |_| 1), |(_, cut)| cut)
    }

    /// How often paths end on edges that close no loop, if loops take `ROUNDS` rounds.
    fn cost(&self, graph: &Graph<'_>, levels: &[u32]) -> u64 {
        let ends = (0..self.is_cut.len()).filter(|&edge| self.is_cut[edge] && !graph.is_back[edge]);
        ends.map(|edge| ROUNDS.saturating_pow(levels[graph.targets[edge] as usize]))
            .fold(0, u64::saturating_add)
    }

    /// Cuts the back edges, those of `starts`, and every edge into a block with more paths than its level's
    /// threshold (0 if `levels` is empty).
    fn above(graph: &Graph<'_>, starts: &Starts, levels: &[u32], threshold: impl Fn(u32) -> u64) -> Self {
        let blocks = graph.successors.len();
        let mut cut = Cut {
            is_cut: graph.is_back.clone(),
            is_start: vec![false; blocks],
            paths_from: vec![0; blocks],
            total: 0,
        };
        if blocks == 0 {
            return cut;
        }
        let mut is_crowded = vec![false; blocks];
        for &block in &graph.postorder {
            let first = graph.first_edge[block as usize];
            let mut paths = 0u64;
            for edge in first..graph.first_edge[block as usize + 1] {
                let target = graph.targets[edge] as usize;
                cut.is_cut[edge] |= is_crowded[target] || starts.all_cut.get(target) == Some(&true);
                if cut.is_cut[edge] {
                    cut.is_start[target] = true;
                    paths += 1;
                } else {
                    paths += cut.paths_from[target];
                }
            }
            cut.paths_from[block as usize] = paths.max(1);
            is_crowded[block as usize] =
                paths > threshold(levels.get(block as usize).copied().unwrap_or_default());
        }
        cut.is_start[0] = true;
        for &block in starts.resume.iter().filter(|&&b| graph.reachable[b as usize]) {
            cut.is_start[block as usize] = true;
        }
        cut.total = (0..blocks).filter(|&b| cut.is_start[b]).map(|b| cut.paths_from[b]).sum();
        cut
    }
}
