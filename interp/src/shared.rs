//! Data that states share: parts that change seldom, one pointer in every state, copied by the first change
//! after a fork; and tables.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value shared between states until one of them changes it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shared<T>(Arc<T>);

/// A persistent table. Its order depends on the keys only: the same in every run.
pub type Table<K, V> =
    imbl::GenericHashMap<K, V, rustc_hash::FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;

/// A persistent map from numbers, with a cheap hash.
pub type Numbered<T> = Table<u32, T>;

impl<T> Shared<T> {
    /// A value of one state.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// Where it is, as long as it is kept.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether both are one value, unchanged since the states parted.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_by_one_state_only() {
        let one = Shared::new(vec![1]);
        let mut other = one.clone();
        other.push(2);
        assert_eq!((one.len(), other.len()), (1, 2));
    }
}
