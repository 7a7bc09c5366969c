//! What states and threads keep for an environment.

use std::fmt::Debug;

/// What states and threads keep for an environment: data, of which they know no more.
pub trait Kept: Sized + Send + Sync + Debug + 'static {
    /// Its bookkeeping in a state: plain persistent data, cheap to clone.
    type Data: Clone + Debug + Send + Sync;
    /// The part of its bookkeeping that each process has for itself, of a process that is not current.
    type Own: Clone + Debug + Send + Sync;
    /// A wait of a thread: plain data.
    type Wait: Clone + Debug + PartialEq + Send + Sync;
    /// A modelled function that is in progress.
    type Model: Copy + Debug + Send + Sync;
}
