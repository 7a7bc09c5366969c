//! The numbers that tune native runs. Those of the runtime are in `runtime/`; those that both know say so.

use std::time::Duration;

// Recording.

/// How many units a function may log between two checks; less than the runtime's `SLACK_UNITS` by what its
/// calls take.
pub(crate) const SLACK_UNITS: u32 = 240;

/// How much of standard error is kept, in bytes.
pub(crate) const STDERR_TAIL: u64 = 16 << 10;

// Enforcing a schedule.

/// For how long all must have waited to count as deadlocked.
pub(crate) const DEADLOCKED: Duration = Duration::from_millis(200);

/// Time between two looks at the page on which a native run shows where its threads are.
pub(crate) const GLANCE: Duration = Duration::from_millis(2);
