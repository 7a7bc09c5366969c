//! Locks taken while others are held: what an engine needs to find orders that contradict each other.

use crate::agent::ThreadName;
use crate::failure::Location;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A lock in a thread's hands, or about to be.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Lock {
    /// Its address, which identifies it.
    pub address: u64,
    /// For people: its name.
    pub name: String,
    /// Whether it is taken together with others (for reading).
    pub shared: bool,
    /// Where it is taken.
    pub location: Location,
}

/// A stretch of a thread between two creations or joins.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Stretch {
    /// The thread's number.
    pub thread: u32,
    /// By thread number, how many of its stretches have ended before this one begins, as far as
    /// creations and joins say.
    pub before: Arc<[u32]>,
}

impl Stretch {
    /// Which of its thread's stretches this is.
    fn number(&self) -> u32 {
        self.before.get(self.thread as usize).copied().unwrap_or(0)
    }

    fn ended_before(&self, other: &Self) -> bool {
        other.before.get(self.thread as usize).is_some_and(|ended| self.number() < *ended)
    }

    /// Whether neither of the two begins after the other has ended, so that they may run at the same time.
    pub fn is_concurrent_with(&self, other: &Self) -> bool {
        self.thread != other.thread && !self.ended_before(other) && !other.ended_before(self)
    }
}

/// A thread that holds locks waits for another one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Nesting {
    /// The thread.
    pub thread: ThreadName,
    /// Its name for people.
    pub title: String,
    /// When, as far as creations and joins say.
    pub stretch: Stretch,
    /// The locks it holds, in order of acquisition.
    pub held: Vec<Lock>,
    /// The lock it waits for.
    pub wanted: Lock,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creations_and_joins_order_stretches() {
        let stretch = |thread, before: &[u32]| Stretch { thread, before: before.into() };
        // Thread 0 creates 1, goes on, joins it, and creates 2.
        let (first, during, after) = (stretch(0, &[0]), stretch(0, &[1]), stretch(0, &[2, 1]));
        let (one, two) = (stretch(1, &[1, 0]), stretch(2, &[3, 1, 0]));
        assert!(one.is_concurrent_with(&during) && during.is_concurrent_with(&one));
        assert!(!one.is_concurrent_with(&first) && !one.is_concurrent_with(&after));
        assert!(!one.is_concurrent_with(&two) && !two.is_concurrent_with(&one));
        assert!(!first.is_concurrent_with(&after), "one thread");
    }
}
