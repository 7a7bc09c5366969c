//! Branches that go different ways in two executions.

use crate::{Location, ThreadName};
use serde::{Deserialize, Serialize};

/// A branch at which a thread goes another way than in an execution that it is compared with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlippedBranch {
    /// The thread.
    pub thread: ThreadName,
    /// Its name for people: `T1 worker`.
    pub title: String,
    /// Where the branch is; of a call that leads to another function, that function.
    pub location: Location,
}
