//! Sets that contain each other, and the order in which others are propagated.

use super::{NodeId, Solver};
use crate::offsets::Shift;
use std::cmp::Reverse;
use symx_expr::StopReason;

/// The search for strongly connected components under way (Tarjan, 1972).
struct Search {
    /// By set: when it was met, from 1.
    met: Vec<u32>,
    /// By set: the earliest one met that it leads to and that is on the stack.
    low: Vec<u32>,
    is_on_stack: Vec<bool>,
    stack: Vec<NodeId>,
    count: u32,
}

impl Search {
    fn meet(&mut self, node: NodeId) {
        self.count += 1;
        self.met[node.0 as usize] = self.count;
        self.low[node.0 as usize] = self.count;
        self.is_on_stack[node.0 as usize] = true;
        self.stack.push(node);
    }

    fn lower(&mut self, node: NodeId, to: u32) {
        let low = &mut self.low[node.0 as usize];
        *low = (*low).min(to);
    }

    /// The component that a set is the first of that was met, if it is.
    fn component(&mut self, node: NodeId) -> Option<Vec<NodeId>> {
        if self.low[node.0 as usize] != self.met[node.0 as usize] {
            return None;
        }
        let at = self.stack.iter().rposition(|other| *other == node)?;
        let members = self.stack.split_off(at);
        members.iter().for_each(|member| self.is_on_stack[member.0 as usize] = false);
        Some(members)
    }
}

impl Solver<'_> {
    /// Makes sets one that contain each other, and ranks them by what is copied where.
    pub(super) fn rank_sets(&mut self) -> Result<(), StopReason> {
        let components = self.components()?;
        for members in &components {
            for other in &members[1..] {
                self.merge(members[0], *other);
            }
        }
        for at in 0..self.one_of.len() {
            self.one_of[at] = self.one_of(self.one_of[at]);
        }
        // Components come out after those that they are copied into.
        for (members, rank) in components.iter().rev().zip(0..) {
            self.rank[members[0].0 as usize] = rank;
            if members.len() > 1 {
                self.tidy_copies(members[0]);
            }
        }
        for Reverse((_, node)) in std::mem::take(&mut self.open) {
            if self.one_of(node) == node {
                self.open.push(Reverse((self.rank[node.0 as usize], node)));
            }
        }
        self.ranked = self.edges.len();
        Ok(())
    }

    /// The sets by what contains what: those that contain each other together.
    fn components(&mut self) -> Result<Vec<Vec<NodeId>>, StopReason> {
        let count = self.nodes.len();
        self.budget.ask(count.saturating_mul(2 * size_of::<u32>() + 1))?;
        let mut search = Search {
            met: vec![0; count],
            low: vec![0; count],
            is_on_stack: vec![false; count],
            stack: Vec::new(),
            count: 0,
        };
        let mut components = Vec::new();
        for root in (0..count as u32).map(NodeId) {
            if self.one_of(root) != root || search.met[root.0 as usize] != 0 {
                continue;
            }
            search.meet(root);
            let mut path = vec![(root, 0)];
            while let Some((node, next)) = path.last_mut() {
                self.budget.proceed()?;
                let node = *node;
                let Some((to, shift)) = self.nodes[node.0 as usize].copies.get(*next) else {
                    components.extend(search.component(node));
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        let low = search.low[node.0 as usize];
                        search.lower(*before, low);
                    }
                    continue;
                };
                *next += 1;
                let to = self.one_of(*to);
                if *shift != Shift::NONE {
                    continue;
                }
                if search.met[to.0 as usize] == 0 {
                    search.meet(to);
                    path.push((to, 0));
                } else if search.is_on_stack[to.0 as usize] {
                    let met = search.met[to.0 as usize];
                    search.lower(node, met);
                }
            }
        }
        Ok(components)
    }

    /// `other` is the same set as `node` from now on. What either had is new to those that the other is
    /// copied into.
    fn merge(&mut self, node: NodeId, other: NodeId) {
        let merged = std::mem::take(&mut self.nodes[other.0 as usize]);
        self.one_of[other.0 as usize] = node;
        merged.places.into_values().flatten().for_each(|place| self.add(node, place));
        let into = &mut self.nodes[node.0 as usize];
        into.copies.extend(merged.copies);
        into.dependents.extend(merged.dependents);
        let was_open = !into.new.is_empty();
        into.new = into.places.values().flatten().copied().collect();
        if !was_open && !into.new.is_empty() {
            self.open.push(Reverse((self.rank[node.0 as usize], node)));
        }
    }

    /// Leaves of several copies into one set, the same way, one; none into the set itself.
    fn tidy_copies(&mut self, node: NodeId) {
        let mut copies = std::mem::take(&mut self.nodes[node.0 as usize].copies);
        copies.iter_mut().for_each(|(to, _)| *to = self.one_of[to.0 as usize]);
        copies.retain(|(to, shift)| *to != node || *shift != Shift::NONE);
        copies.sort_unstable_by_key(|(to, shift)| (*to, shift.add, shift.stride));
        copies.dedup();
        self.nodes[node.0 as usize].copies = copies;
    }
}
