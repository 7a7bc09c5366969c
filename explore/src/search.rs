//! Ways of searching. A new one is a file with its policy, a variant here, an arm of
//! [`explore`](crate::explore), and a name in `symx/src/options/mod.rs`.

/// How schedules are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Depth first, all of them, up to equivalence.
    Exhaustive,
    /// Uniformly random choices at every step.
    Random,
    /// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): random priorities, `depth - 1`
    /// random points at which the running thread's priority drops.
    Pct {
        /// The bug depth aimed at, at least 1.
        depth: u32,
    },
    /// Random choices among all agents but one, which runs last: each in turn.
    Starving,
    /// All of them, up to equivalence; paths of symbolic values in this order.
    Paths(PathOrder),
}

/// In which order paths that fork on symbolic values are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathOrder {
    /// The oldest first.
    BreadthFirst,
    /// A random walk down the tree of forks leads to the next.
    RandomPath,
    /// Those nearest to code that no path has executed yet.
    Coverage,
}

impl Search {
    /// Whether it tries some schedules only: it proves nothing, and its schedules have more switches than
    /// they need.
    pub fn is_sample(self) -> bool {
        match self {
            Self::Exhaustive | Self::Paths(_) => false,
            Self::Random | Self::Pct { .. } | Self::Starving => true,
        }
    }
}
