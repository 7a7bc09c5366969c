//! Control dependence (Ferrante, Ottenstein, Warren): which branches decide whether a block is entered.

use super::terminator;
use crate::function::Function;

/// For each block, the instructions that decide whether it is entered.
pub(super) struct ControlDependence(Vec<Vec<u32>>);

impl ControlDependence {
    /// A block depends on the branch that ends another block if it post-dominates a target of the branch, but
    /// not the other block.
    pub fn of(function: &Function) -> Self {
        let dominators = PostDominators::of(function);
        let mut branches = vec![Vec::new(); function.blocks.len()];
        for (block, number) in function.blocks.iter().zip(0..) {
            if block.edge_count < 2 {
                continue;
            }
            let end = dominators.parent[number as usize];
            for edge in &function.edges[block.edges()] {
                let mut next = Some(edge.block);
                while let Some(entered) = next.filter(|entered| Some(*entered) != end) {
                    let of = &mut branches[entered as usize];
                    let branch = terminator(function, number);
                    if of.contains(&branch) {
                        break;
                    }
                    of.push(branch);
                    next = dominators.parent[entered as usize];
                }
            }
        }
        Self(branches)
    }

    /// The branches that decide whether a block is entered.
    pub fn branches(&self, block: u32) -> &[u32] {
        &self.0[block as usize]
    }
}

/// The tree of immediate post-dominators; blocks that end the function have none.
#[derive(Debug)]
pub struct PostDominators {
    parent: Vec<Option<u32>>,
}

impl PostDominators {
    /// By intersection along the tree (Cooper, Harvey, Kennedy), on the reversed graph. A block from which no
    /// end is reached post-dominates itself only.
    pub fn of(function: &Function) -> Self {
        let count = function.blocks.len();
        let order = reverse_postorder(function);
        let mut position = vec![usize::MAX; count];
        order.iter().enumerate().for_each(|(at, block)| position[*block as usize] = at);
        // `None` is not known yet, `Some(None)` the end common to all.
        let mut parent: Vec<Option<Option<u32>>> = vec![None; count];
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order {
                let edges = &function.edges[function.blocks[block as usize].edges()];
                let known = edges.iter().filter(|edge| parent[edge.block as usize].is_some());
                let mut new: Option<Option<u32>> = edges.is_empty().then_some(None);
                for edge in known {
                    new = Some(match new {
                        None => Some(edge.block),
                        Some(other) => intersect(&parent, &position, other, Some(edge.block)),
                    });
                }
                if new.is_some() && new != parent[block as usize] {
                    parent[block as usize] = new;
                    changed = true;
                }
            }
        }
        Self { parent: parent.into_iter().map(Option::flatten).collect() }
    }

    /// The first block that every way from this one to the function's end leads through.
    pub fn immediate(&self, block: u32) -> Option<u32> {
        self.parent[block as usize]
    }
}

/// The nearest common ancestor.
fn intersect(
    parent: &[Option<Option<u32>>],
    position: &[usize],
    mut a: Option<u32>,
    mut b: Option<u32>,
) -> Option<u32> {
    while a != b {
        let (Some(left), Some(right)) = (a, b) else { return None };
        // The one further from the end goes up.
        match position[left as usize] > position[right as usize] {
            true => a = parent[left as usize].flatten(),
            false => b = parent[right as usize].flatten(),
        }
    }
    a
}

/// The blocks from which an end is reached, ends first: each after what post-dominates it.
fn reverse_postorder(function: &Function) -> Vec<u32> {
    let count = function.blocks.len() as u32;
    let mut before = vec![Vec::new(); count as usize];
    for (block, number) in function.blocks.iter().zip(0..) {
        function.edges[block.edges()].iter().for_each(|edge| before[edge.block as usize].push(number));
    }
    let mut seen = vec![false; count as usize];
    let mut postorder = Vec::new();
    for end in (0..count).filter(|block| function.blocks[*block as usize].edge_count == 0) {
        let mut stack = vec![(end, 0)];
        seen[end as usize] = true;
        while let Some((block, next)) = stack.pop() {
            let Some(&from) = before[block as usize].get(next) else {
                postorder.push(block);
                continue;
            };
            stack.push((block, next + 1));
            if !std::mem::replace(&mut seen[from as usize], true) {
                stack.push((from, 0));
            }
        }
    }
    postorder.reverse();
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Block, Edge};
    use crate::instruction::Inst;

    /// Blocks of one instruction each, with these successors.
    fn graph(successors: &[&[u32]]) -> Function {
        let mut function = Function::default();
        for (targets, start) in successors.iter().zip(0..) {
            let first_edge = function.edges.len() as u32;
            function.blocks.push(Block { start, first_edge, edge_count: targets.len() as u32 });
            let edge = |block: &u32| Edge { block: *block, target: *block, first_move: 0, move_count: 0 };
            function.edges.extend(targets.iter().map(edge));
            function.code.push(Inst::Unreachable);
        }
        function
    }

    #[test]
    fn arms_depend_on_their_branch_and_the_join_does_not() {
        let control = ControlDependence::of(&graph(&[&[1, 2], &[3], &[3], &[]]));
        assert_eq!(
            [0, 1, 2, 3].map(|block| control.branches(block).to_vec()),
            [vec![], vec![0], vec![0], vec![]]
        );
    }

    #[test]
    fn a_loop_depends_on_its_own_branch() {
        let control = ControlDependence::of(&graph(&[&[1], &[2, 3], &[1], &[]]));
        assert_eq!(
            [0, 1, 2, 3].map(|block| control.branches(block).to_vec()),
            [vec![], vec![1], vec![1], vec![]]
        );
    }

    #[test]
    fn what_comes_after_an_early_end_depends_on_the_branch_that_avoids_it() {
        // 0 branches to 1, which ends, or to 2, which ends.
        let control = ControlDependence::of(&graph(&[&[1, 2], &[], &[]]));
        assert_eq!([1, 2].map(|block| control.branches(block).to_vec()), [vec![0], vec![0]]);
        // A loop without an end is entered by a branch, too.
        let control = ControlDependence::of(&graph(&[&[1, 2], &[1], &[]]));
        assert_eq!(control.branches(1), [0]);
    }
}
