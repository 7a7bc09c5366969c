//! Candidates for races in the result file.

use serde::{Deserialize, Serialize};
use symx_ir::SourceName;
use symx_trace::{IncompleteReason, Location, RaceClass};

/// Candidates, and what became of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CandidatesReport {
    /// The candidates, in the order of their numbers.
    pub list: Vec<CandidateReport>,
    /// How many are not in the list, because there are too many. No execution has met them.
    #[serde(default)]
    pub left_out: usize,
    /// Whether those are open, or refuted.
    #[serde(default)]
    pub left_out_end: CandidateEnd,
    /// Races that were found and are none of the candidates: their places, two each.
    pub races_elsewhere: Vec<[Location; 2]>,
    /// Time of the static analysis, in milliseconds.
    pub analysis_ms: u64,
    /// Why the static analysis ended before it had compared all pairs, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis_ended: Option<IncompleteReason>,
    /// The hash of the program's bitcode: programs that watch a candidate are made of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// A candidate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CandidateReport {
    /// From 1.
    pub number: usize,
    /// The analysis or tool that named it.
    pub source: CandidateSource,
    /// Its line in the file of reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether the static analysis has this pair of lines, too; of those from elsewhere, and if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_static: Option<bool>,
    /// The first objects that both accesses may access.
    #[serde(with = "super::names::each")]
    pub objects: Vec<SourceName>,
    /// How many more there are.
    #[serde(default)]
    pub further_objects: usize,
    /// The accesses: two, or one if the other is unknown.
    pub accesses: Vec<CandidatePlace>,
    /// Why it could be a race, one sentence.
    pub reason: String,
    /// Its end.
    pub end: CandidateEnd,
    /// The class of the race, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<RaceClass>,
    /// Whether an execution had two threads make these accesses to one place, one directly after the other,
    /// in an order that synchronisation made.
    #[serde(default)]
    pub is_ordered: bool,
    /// How that is known, one sentence.
    pub why: String,
}

impl CandidateReport {
    /// Its place in a list for people.
    pub fn rank(&self) -> CandidateRank {
        match self.end {
            CandidateEnd::Confirmed => CandidateRank::Confirmed,
            CandidateEnd::Open if self.is_ordered => CandidateRank::OnlyOrdered,
            CandidateEnd::Open => CandidateRank::Open,
            CandidateEnd::Refuted => CandidateRank::Refuted,
        }
    }
}

/// How much there is to see in a candidate, the most first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CandidateRank {
    /// It is a race.
    Confirmed,
    /// Threads make its accesses to one place; executions had them ordered.
    OnlyOrdered,
    /// No execution made its accesses to one place, one directly after the other.
    Open,
    /// It is none.
    Refuted,
}

/// Where a candidate comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateSource {
    /// The static analysis.
    Static,
    /// A report of ThreadSanitizer.
    ThreadSanitizer,
    /// A report of Helgrind.
    Helgrind,
}

/// The end of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateEnd {
    /// A race between its places was found.
    Confirmed,
    /// Everything was explored, and there is none.
    Refuted,
    /// Neither.
    #[default]
    Open,
}

impl CandidateEnd {
    /// The result file's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Open => "open",
        }
    }
}

/// The kind of an access, as reports name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads atomically.
    #[serde(rename = "atomic read")]
    #[strum(serialize = "atomic read")]
    AtomicRead,
    /// Writes atomically.
    #[serde(rename = "atomic write")]
    #[strum(serialize = "atomic write")]
    AtomicWrite,
    /// Ends the life of what it accesses.
    #[serde(rename = "end of life")]
    #[strum(serialize = "end of life")]
    End,
}

impl AccessKind {
    /// That of an access to memory that stays.
    pub fn new(writes: bool, atomic: bool) -> Self {
        match (writes, atomic) {
            (false, false) => Self::Read,
            (true, false) => Self::Write,
            (false, true) => Self::AtomicRead,
            (true, true) => Self::AtomicWrite,
        }
    }
}

impl std::fmt::Display for AccessKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.into())
    }
}

/// An access of a candidate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CandidatePlace {
    /// Where.
    pub location: Location,
    /// Its kind.
    pub kind: AccessKind,
    /// The locks held there for certain.
    pub locks: Vec<String>,
    /// Which threads make it.
    pub thread: String,
}
