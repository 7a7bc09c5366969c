//! Suggested fixes that would rule a failure out, and the results of their trials.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How accesses are ordered that a fix makes atomic, the weaker first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtomicOrdering {
    /// Stores release, loads acquire.
    ReleaseAcquire,
    /// There is one order of all such accesses.
    #[default]
    SequentiallyConsistent,
}

impl fmt::Display for AtomicOrdering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ReleaseAcquire => "release and acquire",
            Self::SequentiallyConsistent => "sequentially consistent",
        })
    }
}

/// A change that would rule a failure out. Steps are those of the failing execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Remedy {
    /// These steps of one thread must not be interrupted by conflicting ones: a lock around them.
    AtomicBlock {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
    /// One step must come before another: a wait, a join, a flag.
    Order {
        /// The earlier.
        before: u32,
        /// The later.
        after: u32,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
    /// A fence between two steps of one thread keeps a store from being late.
    Fence {
        /// The store.
        after: u32,
        /// The step that must not come before it.
        before: u32,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
    /// Two accesses of different threads are to be atomic.
    Atomic {
        /// One of them.
        first: u32,
        /// The other.
        second: u32,
        /// How they are ordered.
        #[serde(default)]
        ordering: AtomicOrdering,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
    /// Two accesses of different threads are to be made with one lock held.
    Lock {
        /// One of them.
        first: u32,
        /// The other.
        second: u32,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
    /// These steps of one thread are to be taken while it holds a lock that others hold at the same object.
    HoldLock {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
        /// A step in which some thread takes that lock.
        taken: u32,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
    /// A thread is to have ended before the one that created it takes a step: a join.
    Join {
        /// A step of the thread that is to end.
        ends: u32,
        /// The step that waits for that.
        before: u32,
        /// Whether it was tried, and what came of it.
        trial: Trial,
    },
}

/// The result of exploring the program with a fix applied.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trial {
    /// It was not tried.
    #[default]
    Untried,
    /// Explored completely: the failure is gone, and there is no other.
    Safe,
    /// Not enough alone; with all fixes of the explanation applied, explored completely:
    /// no failure is left.
    SafeTogether,
    /// There still are failures: the first, in a line.
    Fails(String),
    /// Exploration was cut short, for this reason.
    Incomplete(String),
}

impl Remedy {
    /// The two steps it speaks of.
    pub fn steps(&self) -> (u32, u32) {
        match *self {
            Self::AtomicBlock { first, last, .. } | Self::HoldLock { first, last, .. } => (first, last),
            Self::Order { before, after, .. } => (before, after),
            Self::Fence { after, before, .. } => (after, before),
            Self::Atomic { first, second, .. } | Self::Lock { first, second, .. } => (first, second),
            Self::Join { ends, before, .. } => (ends, before),
        }
    }

    /// All steps it names.
    pub fn all_steps(&self) -> Vec<u32> {
        self.clone().steps_mut().into_iter().map(|step| *step).collect()
    }

    /// All steps it names, to be given other numbers.
    pub fn steps_mut(&mut self) -> Vec<&mut u32> {
        match self {
            Self::AtomicBlock { first: one, last: other, .. }
            | Self::Order { before: one, after: other, .. }
            | Self::Fence { after: one, before: other, .. }
            | Self::Atomic { first: one, second: other, .. }
            | Self::Lock { first: one, second: other, .. }
            | Self::Join { ends: one, before: other, .. } => vec![one, other],
            Self::HoldLock { first, last, taken, .. } => vec![first, last, taken],
        }
    }

    /// The same about other steps, untried.
    pub fn of_steps(&self, one: u32, other: u32) -> Self {
        let trial = Trial::Untried;
        match self {
            Self::AtomicBlock { .. } => Self::AtomicBlock { first: one, last: other, trial },
            Self::Order { .. } => Self::Order { before: one, after: other, trial },
            Self::Fence { .. } => Self::Fence { after: one, before: other, trial },
            Self::Atomic { ordering, .. } => {
                Self::Atomic { first: one, second: other, ordering: *ordering, trial }
            }
            Self::Lock { .. } => Self::Lock { first: one, second: other, trial },
            Self::HoldLock { taken, .. } => Self::HoldLock { first: one, last: other, taken: *taken, trial },
            Self::Join { .. } => Self::Join { ends: one, before: other, trial },
        }
    }

    /// The result of its trial.
    pub fn trial(&self) -> &Trial {
        let (Self::AtomicBlock { trial, .. }
        | Self::Order { trial, .. }
        | Self::Fence { trial, .. }
        | Self::Atomic { trial, .. }
        | Self::Lock { trial, .. }
        | Self::HoldLock { trial, .. }
        | Self::Join { trial, .. }) = self;
        trial
    }

    /// Notes what came of trying it.
    pub fn set_trial(&mut self, came_of_it: Trial) {
        let (Self::AtomicBlock { trial, .. }
        | Self::Order { trial, .. }
        | Self::Fence { trial, .. }
        | Self::Atomic { trial, .. }
        | Self::Lock { trial, .. }
        | Self::HoldLock { trial, .. }
        | Self::Join { trial, .. }) = self;
        *trial = came_of_it;
    }
}
