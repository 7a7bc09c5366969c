//! A candidate, as data.

use std::fmt;
use symx_expr::StopReason;
use symx_ir::{SourceName, SpanId};

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The file, as debug information names it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
    /// The function whose text it is; "" if that is not known.
    pub function: String,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// One of the accesses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CandidateAccess {
    /// Where.
    pub position: Position,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// Whether it ends the memory's life.
    pub ends: bool,
    /// The locks that are held there for certain, by name.
    pub locks: Vec<String>,
    /// Which threads make it, in words.
    pub thread: String,
}

/// Two accesses that may race.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Candidate {
    /// Whether it is about a variable. Memory that is allocated is often handed from thread to thread, by
    /// means that are not looked at; variables come first.
    pub is_variable: bool,
    /// The accesses, by position.
    pub accesses: [CandidateAccess; 2],
    /// The first objects that both may access, each once.
    pub objects: Vec<SourceName>,
    /// How many more there are.
    pub further_objects: usize,
    /// Why it could be a race: a sentence.
    pub reason: String,
}

/// Candidates that are put in words. Large programs have millions: those do not fit into memory, and are not
/// read.
pub const MOST_IN_WORDS: usize = 1 << 19;

/// A candidate as a pair of places in the code, and whether each access writes.
pub type CandidatePair = [(SpanId, bool); 2];

/// The result of the analysis.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoundCandidates {
    /// Candidates in words, at most [`MOST_IN_WORDS`]: those about variables first, then by position.
    pub list: Vec<Candidate>,
    /// All of them.
    pub pairs: Vec<CandidatePair>,
    /// Why the analysis ended before all pairs were compared, if it did: there may be others, too.
    pub ended: Option<StopReason>,
}
