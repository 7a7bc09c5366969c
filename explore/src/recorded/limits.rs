//! The numbers that tune how recorded paths are followed, and the search for failures near them.

// Following recorded paths.

/// How often threads run again in one order, with other values.
pub(crate) const TURNS: u32 = 64;

/// How often one step is taken again with other values.
pub(crate) const MOST_RETRIES: usize = 16;

/// At most this many parts of a term are looked at: hashes of all that was read have parts without end.
pub(crate) const MOST_PARTS: usize = 1_024;

/// At most this many writes to a place are looked at, the latest first.
pub(crate) const MOST_WRITES: usize = 256;

// Failures near a recorded run.

/// After how many steps of one thread in a row, and twice, four times as many, others go on first, without a
/// preemption. It may wait for them in a loop that is not known to wait.
pub(crate) const MOST_IN_A_ROW: u32 = 512;

/// After how many steps in a row it is first looked whether a thread spins without effect.
pub(crate) const ROW_TO_LOOK: u32 = 8;

/// Steps of one execution: no bound on distance ends one in which threads take turns forever.
pub(crate) const MOST_STEPS: u32 = 1 << 20;

/// Steps of a round: a loop that waits seldom looks at more places.
pub(crate) const LONGEST_ROUND: usize = 4;

/// Bytes that count as one place.
pub(crate) const GRAIN: u64 = 8;
