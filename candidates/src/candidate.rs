//! A candidate, as data.

use std::fmt;
use symx_expr::StopReason;
use symx_ir::SourceName;

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
    /// The objects that both may access, each once.
    pub objects: Vec<SourceName>,
    /// Why it could be a race: a sentence.
    pub reason: String,
}

/// The result of the analysis.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoundCandidates {
    /// Those about variables first, then by position.
    pub list: Vec<Candidate>,
    /// Why the analysis ended before all pairs were compared, if it did: there may be others, too.
    pub ended: Option<StopReason>,
}
