//! A persistent array over sparse numbers: the address space's table of objects.

use std::sync::Arc;

const BITS: u32 = 4;
const FAN_OUT: usize = 1 << BITS;

/// A persistent map from numbers below 2^32 to `T`. A clone shares everything; a change after a clone copies one
/// node of 16 entries a level. The height grows with the largest number stored.
#[derive(Clone, Debug)]
pub struct Radix<T> {
    root: Option<Arc<Node<T>>>,
    /// Levels of inner nodes above the leaves.
    height: u32,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // of one size for the table of objects
enum Node<T> {
    Inner([Option<Arc<Node<T>>>; FAN_OUT]),
    Leaf([Option<T>; FAN_OUT]),
}

impl<T> Default for Radix<T> {
    fn default() -> Self {
        Self { root: None, height: 0 }
    }
}

fn digit(key: u32, level: u32) -> usize {
    (key >> (level * BITS)) as usize & (FAN_OUT - 1)
}

impl<T> Radix<T> {
    fn covers(&self, key: u32) -> bool {
        let bits = (self.height + 1) * BITS;
        bits >= 32 || key >> bits == 0
    }

    /// The entry at `key`.
    pub fn get(&self, key: u32) -> Option<&T> {
        if !self.covers(key) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Inner(children) => node = children[digit(key, level)].as_deref()?,
                Node::Leaf(entries) => return entries[digit(key, 0)].as_ref(),
            }
            level -= 1;
        }
    }

    /// Calls `visit` with every entry, in order of their numbers.
    pub fn for_each(&self, mut visit: impl FnMut(u32, &T)) {
        fn walk<T>(node: &Node<T>, base: u32, level: u32, visit: &mut impl FnMut(u32, &T)) {
            match node {
                Node::Inner(children) => {
                    for (index, child) in children.iter().enumerate() {
                        if let Some(child) = child {
                            walk(child, base | (index as u32) << (level * BITS), level - 1, visit);
                        }
                    }
                }
                Node::Leaf(entries) => {
                    for (index, entry) in entries.iter().enumerate() {
                        if let Some(entry) = entry {
                            visit(base | index as u32, entry);
                        }
                    }
                }
            }
        }
        if let Some(root) = &self.root {
            walk(root, 0, self.height, &mut visit);
        }
    }
}

impl<T> Radix<T> {
    /// Calls `visit` with every number that may have another entry in `other`: what the two share is passed over.
    pub fn for_each_unshared(&self, other: &Self, mut visit: impl FnMut(u32)) {
        fn walk<T>(
            [one, other]: [Option<&Arc<Node<T>>>; 2],
            base: u32,
            level: u32,
            visit: &mut impl FnMut(u32),
        ) {
            if one.map(Arc::as_ptr) == other.map(Arc::as_ptr) {
                return;
            }
            let (one, other) = (one.map(|node| &**node), other.map(|node| &**node));
            for index in 0..FAN_OUT {
                if level == 0 {
                    let there = |node: Option<&Node<T>>| matches!(node, Some(Node::Leaf(entries)) if entries[index].is_some());
                    if there(one) || there(other) {
                        visit(base | index as u32);
                    }
                } else {
                    let children = [one, other].map(|node| match node {
                        Some(Node::Inner(children)) => children[index].as_ref(),
                        _ => None,
                    });
                    walk(children, base | (index as u32) << (level * BITS), level - 1, visit);
                }
            }
        }
        if self.height == other.height {
            walk([self.root.as_ref(), other.root.as_ref()], 0, self.height, &mut visit);
        } else {
            self.for_each(|key, _| visit(key));
            other.for_each(|key, _| visit(key));
        }
    }
}

impl<T: Clone> Radix<T> {
    /// Stores `value` at `key`.
    pub fn insert(&mut self, key: u32, value: T) {
        if self.root.is_none() {
            while !self.covers(key) {
                self.height += 1;
            }
        }
        while !self.covers(key) {
            let mut children = std::array::from_fn(|_| None);
            children[0] = self.root.take();
            self.root = Some(Arc::new(Node::Inner(children)));
            self.height += 1;
        }
        let mut level = self.height;
        let mut slot = &mut self.root;
        loop {
            let node = slot.get_or_insert_with(|| {
                Arc::new(if level == 0 {
                    Node::Leaf(std::array::from_fn(|_| None))
                } else {
                    Node::Inner(std::array::from_fn(|_| None))
                })
            });
            match Arc::make_mut(node) {
                Node::Inner(children) => slot = &mut children[digit(key, level)],
                Node::Leaf(entries) => {
                    entries[digit(key, 0)] = Some(value);
                    return;
                }
            }
            level -= 1;
        }
    }

    /// Takes the entry at `key` out. Unlike [`remove`](Self::remove) it keeps the nodes, for the entry to come back to.
    pub fn take(&mut self, key: u32) -> Option<T> {
        self.get(key)?;
        let mut node = Arc::make_mut(self.root.as_mut()?);
        let mut level = self.height;
        loop {
            match node {
                Node::Inner(children) => node = Arc::make_mut(children[digit(key, level)].as_mut()?),
                Node::Leaf(entries) => return entries[digit(key, 0)].take(),
            }
            level -= 1;
        }
    }

    /// The entry at `key`, taken out if no other array shares the nodes on the way; else it stays there, too, for nodes
    /// would have to be copied.
    pub fn lend(&mut self, key: u32) -> Option<T> {
        if !self.covers(key) {
            return None;
        }
        let mut next = self.root.as_ref()?;
        let mut level = self.height;
        let mut is_shared = false;
        let entry = loop {
            is_shared |= Arc::strong_count(next) > 1;
            match &**next {
                Node::Inner(children) => next = children[digit(key, level)].as_ref()?,
                Node::Leaf(entries) => break entries[digit(key, 0)].as_ref()?,
            }
            level -= 1;
        };
        if is_shared { Some(entry.clone()) } else { self.take(key) }
    }

    /// Removes the entry at `key`.
    pub fn remove(&mut self, key: u32) {
        fn clear<T: Clone>(node: &mut Arc<Node<T>>, key: u32, level: u32) -> bool {
            match Arc::make_mut(node) {
                Node::Inner(children) => {
                    let child = &mut children[digit(key, level)];
                    if child.as_mut().is_some_and(|child| clear(child, key, level - 1)) {
                        *child = None;
                    }
                    children.iter().all(Option::is_none)
                }
                Node::Leaf(entries) => {
                    entries[digit(key, 0)] = None;
                    entries.iter().all(Option::is_none)
                }
            }
        }
        if self.get(key).is_some()
            && let Some(root) = &mut self.root
            && clear(root, key, self.height)
        {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_is_shared_is_not_compared() {
        let mut one = Radix::default();
        (0..100).for_each(|key| one.insert(key, key));
        let mut other = one.clone();
        let unshared = |one: &Radix<u32>, other: &Radix<u32>| {
            let mut keys = Vec::new();
            one.for_each_unshared(other, |key| keys.push(key));
            keys
        };
        assert!(unshared(&one, &other).is_empty());
        other.insert(20, 7);
        other.remove(99);
        let keys = unshared(&one, &other);
        assert!(keys.contains(&20) && keys.contains(&99) && !keys.contains(&50));
        other.insert(70_000, 1);
        assert_eq!(unshared(&one, &other).len(), 200, "of another height");
    }

    #[test]
    fn behaves_as_a_map_and_forks_do_not_see_each_other() {
        let mut radix = Radix::default();
        let mut map = BTreeMap::new();
        let mut seed = 1_u32;
        let mut forks = Vec::new();
        for step in 0..4000_u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = match seed >> 30 {
                0 => seed >> 8 & 0xff,
                1 => seed >> 4 & 0xf_ffff,
                _ => seed >> 10 & 0x3ff,
            };
            if seed & 12 == 4 {
                assert_eq!(radix.take(key), map.remove(&key));
            } else if seed & 12 == 8 {
                assert_eq!(radix.lend(key).as_ref(), map.get(&key));
                if radix.get(key).is_none() {
                    map.remove(&key);
                }
            } else if seed & 4 == 0 {
                radix.remove(key);
                map.remove(&key);
            } else {
                radix.insert(key, step);
                map.insert(key, step);
            }
            if step % 500 == 0 {
                forks.push((radix.clone(), map.clone()));
            }
        }
        forks.push((radix, map));
        for (radix, map) in &forks {
            let mut entries = Vec::new();
            radix.for_each(|key, value| entries.push((key, *value)));
            assert_eq!(entries, map.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>());
            for (key, value) in map {
                assert_eq!(radix.get(*key), Some(value));
            }
            assert_eq!(radix.get(u32::MAX), None);
        }
    }
}
