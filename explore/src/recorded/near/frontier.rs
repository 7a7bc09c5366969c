//! Steps still to be executed, by distance.

use super::past::{Past, Point, Turn};
use crate::driver::fork::Way;
use std::sync::Arc;
use symx_interp::environment::Environment;

/// Something to continue from.
pub(super) enum Entry<E: Environment> {
    /// A state between steps.
    Arrived(Box<Point<E>>),
    /// A step that has not been taken yet, from a state that it shares with others.
    Step {
        /// The state.
        from: Arc<Point<E>>,
        /// Whose step, and at which cost.
        turn: Turn,
    },
    /// A way of a fork.
    Way {
        /// The way.
        way: Way<E>,
        /// The past that led to it.
        past: Box<Past>,
    },
}

/// All of that, in buckets of one distance each. In a bucket the newest comes first, so that one execution is
/// followed to its end before another is begun.
pub(super) struct Frontier<E: Environment> {
    buckets: Vec<Vec<Entry<E>>>,
    length: usize,
}

impl<E: Environment> Default for Frontier<E> {
    fn default() -> Self {
        Self { buckets: Vec::new(), length: 0 }
    }
}

impl<E: Environment> Frontier<E> {
    pub fn add(&mut self, distance: u32, entry: Entry<E>) {
        let bucket = distance as usize;
        if self.buckets.len() <= bucket {
            self.buckets.resize_with(bucket + 1, Vec::new);
        }
        self.buckets[bucket].push(entry);
        self.length += 1;
    }

    /// The nearest, with its distance.
    pub fn next(&mut self) -> Option<(u32, Entry<E>)> {
        let (distance, bucket) = (0..).zip(&mut self.buckets).find(|(_, bucket)| !bucket.is_empty())?;
        self.length -= 1;
        Some((distance, bucket.pop()?))
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}
