//! Ways of searching, and their names on command lines. A new one is a file with its policy, a variant here,
//! and a row of [`SEARCHES`].

use crate::bounds::schedule_bound::BoundKind;
use symx_trace::IncompleteReason;

/// How schedules are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Depth first, all of them, up to equivalence.
    Exhaustive,
    /// All of them, up to equivalence; paths of symbolic values in this order.
    Paths(PathOrder),
    /// All of them without reduction: within a bound of 0, then of 1, 2 and so on, until a bound cuts
    /// nothing. A [bound](crate::ExploreOptions::bound) of the same kind is the last one.
    Iterative(BoundKind),
    /// Some of them, chosen at random.
    Random(RandomSchedules),
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

/// How schedules are chosen at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomSchedules {
    /// Uniformly random choices at every step.
    Uniform,
    /// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): random priorities, `depth - 1`
    /// random points at which the running thread's priority drops.
    Pct {
        /// The bug depth aimed at, at least 1.
        depth: u32,
    },
    /// Partial order sampling (Yuan, Yang and Gu, CAV 2018): random priorities of steps, drawn again for
    /// those that depend on a step taken.
    PartialOrder,
    /// Random choices among all agents but one, which runs last: each in turn.
    Starving,
}

/// The bug depth that probabilistic concurrency testing aims at unless another one is asked for: few bugs are
/// deeper (Burckhardt et al., section 5).
pub const PCT_DEPTH: u32 = 3;

/// A way of searching as it is asked for by name.
#[derive(Debug)]
pub struct NamedSearch {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line of help.
    pub description: &'static str,
    /// The search.
    pub search: Search,
}

/// All ways of searching, those that prove safety first.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch {
        name: "dfs",
        description: "Depth-first, exhaustive up to equivalence",
        search: Search::Exhaustive,
    },
    NamedSearch {
        name: "bfs",
        description: "Exhaustive; paths breadth-first until a second thread starts",
        search: Search::Paths(PathOrder::BreadthFirst),
    },
    NamedSearch {
        name: "random-path",
        description: "Exhaustive; random-path selection until a second thread starts",
        search: Search::Paths(PathOrder::RandomPath),
    },
    NamedSearch {
        name: "coverage",
        description: "Exhaustive; paths near uncovered code first until a second thread starts",
        search: Search::Paths(PathOrder::Coverage),
    },
    NamedSearch {
        name: "preemptions",
        description: "Exhaustive without reduction; schedules without preemption first, then with 1, 2, ... \
                      (iterative context bounding)",
        search: Search::Iterative(BoundKind::Preemptions),
    },
    NamedSearch {
        name: "delays",
        description: "Exhaustive without reduction; schedules without delay first, then with 1, 2, ... \
                      (delay-bounded scheduling)",
        search: Search::Iterative(BoundKind::Delays),
    },
    NamedSearch {
        name: "random",
        description: "Random schedules; never proves safety",
        search: Search::Random(RandomSchedules::Uniform),
    },
    NamedSearch {
        name: "pct",
        description: "Probabilistic concurrency testing (random priorities); never proves safety",
        search: Search::Random(RandomSchedules::Pct { depth: PCT_DEPTH }),
    },
    NamedSearch {
        name: "pos",
        description: "Partial order sampling (random priorities of steps, drawn again for dependent ones); \
                      never proves safety",
        search: Search::Random(RandomSchedules::PartialOrder),
    },
    NamedSearch {
        name: "starving",
        description: "Random schedules in which one thread or store buffer runs last, each in turn; never \
                      proves safety",
        search: Search::Random(RandomSchedules::Starving),
    },
];

impl Search {
    /// Whether it tries some schedules only: it proves nothing, and its schedules have more switches than
    /// they need.
    pub fn is_sample(self) -> bool {
        matches!(self, Self::Random(_))
    }

    /// Of an iterative search, the reason by which it names the bound that was completed. Each piece of an
    /// exploration states it again.
    pub fn bound_reason(self) -> Option<IncompleteReason> {
        match self {
            Self::Iterative(kind) => Some(kind.reason()),
            Self::Exhaustive | Self::Paths(_) | Self::Random(_) => None,
        }
    }
}

impl NamedSearch {
    /// The search of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        SEARCHES.iter().find(|search| search.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_that_of_one_search() {
        for row in SEARCHES {
            assert_eq!(NamedSearch::by_name(row.name).map(|found| found.search), Some(row.search));
            assert_eq!(SEARCHES.iter().filter(|other| other.search == row.search).count(), 1, "{}", row.name);
        }
        assert!(NamedSearch::by_name("fastest").is_none());
    }

    #[test]
    fn random_searches_say_that_they_prove_nothing() {
        for row in SEARCHES {
            assert_eq!(
                row.search.is_sample(),
                row.description.ends_with("never proves safety"),
                "{}",
                row.name
            );
        }
    }
}
