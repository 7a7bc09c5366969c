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
    pub fn add(&mut self, parent: Node, entry: T) {
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
    }

    /// Takes the entry of a leaf that a random walk leads to. The leaf stays, for [`add`](Self::add) and
    /// [`prune`](Self::prune). Every leaf but the root must have an entry.
    pub fn take(&mut self, random: &mut fastrand::Rng) -> Option<(Node, T)> {
        let mut node = Self::ROOT;
        while let children = &self.nodes[node].children
            && !children.is_empty()
        {
            node = children[random.usize(..children.len())];
        }
        self.nodes[node].entry.take().map(|entry| (node, entry))
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
    fn every_leaf_is_taken_once_and_high_ones_early() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut firsts = 0;
        for _ in 0..200 {
            let mut tree = PathTree::new();
            tree.add(PathTree::<u32>::ROOT, 0);
            let (node, _) = tree.take(&mut random).unwrap();
            tree.add(node, 1000);
            tree.add(node, 1);
            let (high, low) = (tree.nodes[node].children[0], tree.nodes[node].children[1]);
            tree.nodes[low].entry = None;
            (2..52).for_each(|entry| tree.add(low, entry));
            let mut taken = Vec::new();
            while let Some((node, entry)) = tree.take(&mut random) {
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
