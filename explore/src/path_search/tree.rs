//! The tree of forks: leaves are states to continue from. A walk down from the root, at each fork a random
//! way, leads to a leaf. Paths that fork little are as likely as whole families of those that fork a lot.

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
}

impl<T> PathTree<T> {
    /// A root without an entry.
    pub fn new() -> Self {
        let root = Place { parent: None, children: SmallVec::new(), entry: None };
        Self { nodes: vec![root], free: Vec::new() }
    }

    /// The root.
    pub const ROOT: Node = 0;

    /// A new leaf below `parent`.
    pub fn add(&mut self, parent: Node, entry: T) -> Node {
        let place = Place { parent: Some(parent), children: SmallVec::new(), entry: Some(entry) };
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
        while let Place { parent: Some(parent), children, entry: None } = &self.nodes[node]
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
