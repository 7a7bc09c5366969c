//! A persistent array over sparse numbers: the address space's table of objects.

use std::sync::Arc;

const BITS: u32 = 4;
const FAN_OUT: usize = 1 << BITS;

/// A persistent map from numbers below 2^32 to `T`. A clone shares everything; a change after a clone copies
/// one node of 16 entries a level. The height grows with the largest number stored.
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

impl<T> Radix<Arc<T>> {
    /// Whether entries of two arrays at the same key are the same by `is_same`, but for keys that are left
    /// out. Nodes that they share are not looked at.
    pub fn agrees(
        &self,
        other: &Self,
        is_left_out: impl Fn(u32) -> bool,
        is_same: impl Fn(Option<&T>, Option<&T>) -> bool,
    ) -> bool {
        let agrees = |key, one: Option<&Arc<T>>, other: Option<&Arc<T>>| match (one, other) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => true,
            _ if is_left_out(key) => true,
            (one, other) => is_same(one.map(|one| &**one), other.map(|other| &**other)),
        };
        let height = self.height.max(other.height);
        let (one, other) = (self.raised(height), other.raised(height));
        Node::agree(one.as_ref(), other.as_ref(), 0, height, &agrees)
    }

    /// Its root, were it of a greater height.
    fn raised(&self, height: u32) -> Option<Arc<Node<Arc<T>>>> {
        let mut root = Arc::clone(self.root.as_ref()?);
        for _ in self.height..height {
            let mut children = [const { None }; FAN_OUT];
            children[0] = Some(root);
            root = Arc::new(Node::Inner(children));
        }
        Some(root)
    }
}

impl<T> Node<T> {
    fn agree(
        one: Option<&Arc<Self>>,
        other: Option<&Arc<Self>>,
        base: u32,
        level: u32,
        agrees: &impl Fn(u32, Option<&T>, Option<&T>) -> bool,
    ) -> bool {
        match (one, other) {
            (None, None) => return true,
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => return true,
            _ => {}
        }
        let (one, other) = (one.map(|node| &**node), other.map(|node| &**node));
        let key = |index: usize| base | (index as u32) << (level * BITS);
        if level == 0 {
            let (one, other) = (one.and_then(Self::entries), other.and_then(Self::entries));
            return (0..FAN_OUT).all(|index| {
                agrees(
                    key(index),
                    one.and_then(|entries| entries[index].as_ref()),
                    other.and_then(|entries| entries[index].as_ref()),
                )
            });
        }
        let (one, other) = (one.and_then(Self::children), other.and_then(Self::children));
        (0..FAN_OUT).all(|index| {
            let one = one.and_then(|children| children[index].as_ref());
            let other = other.and_then(|children| children[index].as_ref());
            match (one, other) {
                (None, None) => true,
                (Some(one), Some(other)) if Arc::ptr_eq(one, other) => true,
                _ => Self::agree(one, other, key(index), level - 1, agrees),
            }
        })
    }

    fn entries(&self) -> Option<&[Option<T>; FAN_OUT]> {
        match self {
            Self::Leaf(entries) => Some(entries),
            Self::Inner(_) => None,
        }
    }

    fn children(&self) -> Option<&[Option<Arc<Self>>; FAN_OUT]> {
        match self {
            Self::Inner(children) => Some(children),
            Self::Leaf(_) => None,
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

    /// Takes the entry at `key` out. Unlike [`remove`](Self::remove) it keeps the nodes, for the entry
    /// to come back to.
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

    /// The entry at `key`, taken out if no other array shares the nodes on the way. Else it stays there, too,
    /// for nodes would have to be copied.
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
    fn arrays_agree_if_their_entries_do_but_for_those_left_out() {
        let mut one = Radix::default();
        for key in [0, 1, 17, 0x1234] {
            one.insert(key, Arc::new(key));
        }
        let mut other = one.clone();
        let agree = |one: &Radix<Arc<u32>>, other: &Radix<Arc<u32>>, except: u32| {
            one.agrees(other, |key| key == except, |a, b| a == b)
        };
        other.insert(17, Arc::new(17));
        assert!(agree(&one, &other, u32::MAX), "equal, though not shared");
        other.insert(17, Arc::new(18));
        assert!(!agree(&one, &other, u32::MAX) && agree(&one, &other, 17));
        other.remove(17);
        assert!(!agree(&one, &other, u32::MAX) && !agree(&other, &one, 0) && agree(&other, &one, 17));
        let mut higher = one.clone();
        higher.insert(0x12_3456, Arc::new(0));
        assert!(!agree(&one, &higher, u32::MAX) && !agree(&higher, &one, u32::MAX));
        assert!(agree(&one, &higher, 0x12_3456) && agree(&higher, &one, 0x12_3456));
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
