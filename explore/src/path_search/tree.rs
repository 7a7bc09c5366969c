//! The tree of forks: leaves are states to continue from. A walk down from the root, at each fork a random
//! way, leads to a leaf. Paths that fork little are as likely as whole families of those that fork a lot.
//!
//! A loop that compares one value with many, such as `getopt`, forks at one place, where one way goes on to
//! the next round. Its rounds are one node with many children: in a tree of two ways a fork the last of
//! twenty letters would come up once in a million walks.

use smallvec::SmallVec;

/// A node's number.
pub(crate) type Node = usize;

/// A tree with an entry at some leaves.
#[derive(Debug)]
pub(crate) struct PathTree<T> {
    nodes: Vec<Place<T>>,
    /// Numbers of nodes that are gone.
    free: Vec<Node>,
}

#[derive(Debug)]
struct Place<T> {
    parent: Option<Node>,
    children: SmallVec<[Node; 2]>,
    entry: Option<T>,
    /// Of a loop that forks in each round: the way that goes on to the next one.
    goes_on_by: Option<u32>,
}

impl<T> PathTree<T> {
    /// A root without an entry.
    pub fn new() -> Self {
        let root = Place { parent: None, children: SmallVec::new(), entry: None, goes_on_by: None };
        Self { nodes: vec![root], free: Vec::new() }
    }

    /// The root.
    pub const ROOT: Node = 0;

    /// A new leaf below `parent`.
    pub fn add(&mut self, parent: Node, entry: T) -> Node {
        let children = SmallVec::new();
        let place = Place { parent: Some(parent), children, entry: Some(entry), goes_on_by: None };
        let node = match self.free.pop() {
            Some(node) => {
                self.nodes[node] = place;
                node
            }
            None => {
                self.nodes.push(place);
                self.nodes.len() - 1
            }
        };
        self.nodes[parent].children.push(node);
        node
    }

    /// Where the ways go of a fork at the leaf `node`, which left its parent by `way` at the same place: to
    /// the parent, if no other way goes on from there to a next round.
    pub fn next_round(&mut self, node: Node, way: u32) -> Node {
        let Some(parent) = self.nodes[node].parent else { return node };
        match *self.nodes[parent].goes_on_by.get_or_insert(way) == way {
            true => parent,
            false => node,
        }
    }

    /// The leaf that a random walk leads to. Every leaf but the root must have an entry.
    pub fn walk(&self, random: &mut fastrand::Rng) -> Node {
        let mut node = Self::ROOT;
        while let children = &self.nodes[node].children
            && !children.is_empty()
        {
            node = children[random.usize(..children.len())];
        }
        node
    }

    /// Takes the entry of a leaf. The leaf stays, for [`add`](Self::add) and [`prune`](Self::prune).
    pub fn take(&mut self, leaf: Node) -> Option<T> {
        self.nodes[leaf].entry.take()
    }

    /// Gives back the entry of a leaf that was taken.
    pub fn give_back(&mut self, leaf: Node, entry: T) {
        self.nodes[leaf].entry = Some(entry);
    }

    /// The entry of a leaf, if it was not taken.
    pub fn entry(&mut self, leaf: Node) -> Option<&mut T> {
        self.nodes[leaf].entry.as_mut()
    }

    /// The entries that were not taken.
    pub fn entries(&self) -> impl Iterator<Item = &T> {
        self.nodes.iter().filter_map(|place| place.entry.as_ref())
    }

    /// Removes `node` if nothing is below it, and what is left without anything by that.
    pub fn prune(&mut self, mut node: Node) {
        while let Place { parent: Some(parent), children, entry: None, .. } = &self.nodes[node]
            && children.is_empty()
        {
            let parent = *parent;
            self.nodes[parent].children.retain(|child| *child != node);
            self.free.push(node);
            node = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_set_aside_stays_where_it_is() {
        let mut tree = PathTree::new();
        let leaf = tree.add(PathTree::<u32>::ROOT, 0);
        for round in 0..9 {
            assert_eq!(tree.take(leaf), Some(round));
            tree.give_back(leaf, round + 1);
            tree.prune(leaf);
            assert_eq!(tree.walk(&mut fastrand::Rng::with_seed(1)), leaf);
        }
        assert_eq!(tree.nodes.len(), 2);
    }

    #[test]
    fn the_rounds_of_a_loop_are_equally_likely() {
        let mut tree = PathTree::new();
        let mut last = tree.add(PathTree::<u32>::ROOT, 0);
        for round in 0..20 {
            let below = if round == 0 { last } else { tree.next_round(last, 1) };
            assert!(tree.take(last).is_some());
            tree.add(below, round);
            let next = tree.add(below, 100);
            tree.prune(last);
            last = next;
        }
        let mut random = fastrand::Rng::with_seed(1);
        let mut seen = [0_u32; 20];
        for _ in 0..2100 {
            let node = tree.walk(&mut random);
            if let Some(round @ 0..20) = tree.entry(node).copied() {
                seen[round as usize] += 1;
            }
        }
        assert!(seen.iter().all(|count| (60..150).contains(count)), "{seen:?}");
        // The way that leaves the loop does not become a round of it.
        let other = tree.add(PathTree::<u32>::ROOT, 0);
        assert!(tree.take(other).is_some());
        let (stays, goes) = (tree.add(other, 1), tree.add(other, 2));
        assert_eq!(tree.next_round(goes, 1), other);
        assert_eq!(tree.next_round(stays, 0), stays);
    }

    #[test]
    fn every_leaf_is_taken_once_and_high_ones_early() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut firsts = 0;
        for _ in 0..200 {
            let mut tree = PathTree::new();
            let node = tree.add(PathTree::<u32>::ROOT, 0);
            assert_eq!(tree.take(node), Some(0));
            let (high, low) = (tree.add(node, 1000), tree.add(node, 1));
            assert_eq!(tree.take(low), Some(1));
            for entry in 2..52 {
                tree.add(low, entry);
            }
            let mut taken = Vec::new();
            while let node = tree.walk(&mut random)
                && let Some(entry) = tree.take(node)
            {
                taken.push(entry);
                tree.prune(node);
            }
            firsts += u32::from(taken[0] == 1000);
            taken.sort_unstable();
            assert_eq!(taken, (2..52).chain([1000]).collect::<Vec<_>>());
            assert!(high > 0 && tree.nodes[0].children.is_empty());
        }
        assert!((60..140).contains(&firsts), "one leaf of 51 is first half of the time, not {firsts} of 200");
    }
}
