//! The ordering an instruction asks for, in LLVM's vocabulary.

use std::fmt;

/// How strongly an access or a fence is ordered (LLVM Language Reference, "Atomic Memory Ordering
/// Constraints").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ordering {
    /// A plain or `volatile` access.
    NotAtomic,
    /// Atomic, no ordering, not even per-location coherence (Java's plain fields).
    Unordered,
    /// `memory_order_relaxed`: per-location coherence only.
    Monotonic,
    /// Later accesses of the thread stay after this one.
    Acquire,
    /// Earlier accesses of the thread stay before this one.
    Release,
    /// Both [`Ordering::Acquire`] and [`Ordering::Release`].
    AcquireRelease,
    /// One total order over all such operations.
    SequentiallyConsistent,
}

impl Ordering {
    /// Whether earlier accesses of the thread must stay before the operation.
    pub fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease | Self::SequentiallyConsistent)
    }

    /// Whether later accesses of the thread must stay after the operation.
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease | Self::SequentiallyConsistent)
    }
}

impl fmt::Display for Ordering {
    /// LLVM's spelling; a non-atomic access prints as `not_atomic`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NotAtomic => "not_atomic",
            Self::Unordered => "unordered",
            Self::Monotonic => "monotonic",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcquireRelease => "acq_rel",
            Self::SequentiallyConsistent => "seq_cst",
        })
    }
}
