//! The numbers that tune what is said of a failing execution: how much of it, and what is folded.

// Suggested fixes and suspected orders.

/// Suggested fixes of one kind that are reported at most.
pub(crate) const MOST_SUGGESTED: usize = 3;

/// Orders that are suspected at most: each may be explored.
pub(crate) const MOST_SUSPECTED: usize = 12;

/// Steps at the end of the execution that are looked at.
pub(crate) const MOST_STEPS_SUSPECTED: u32 = 200;

// Folded rounds of loops.

/// Steps in a round of a loop that is looked for.
pub(crate) const LONGEST_ROUND: usize = 6;

/// Rounds that are left as they are.
pub(crate) const FEWEST_ROUNDS: usize = 3;
