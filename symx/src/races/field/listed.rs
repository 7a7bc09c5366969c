//! The list of candidates that `symx races --candidates --json` writes, and one of it to watch.

use crate::report::{AccessKind, CandidatePlace, CandidateReport, CandidatesReport};
use serde::Deserialize;
use symx_recorder::{WatchedAccess, WatchedKind, WatchedPair};
use symx_trace::IncompleteReason;
use symx_trace::profile::ProgramHash;

/// The candidates of a result file.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The hash of their program.
    pub program: String,
    /// In the order of their numbers.
    pub candidates: Vec<CandidateReport>,
    /// Why the static analysis ended early, if it did: other pairs may race, too.
    pub analysis_ended: Option<IncompleteReason>,
}

/// Why a file has no candidates to watch, or not the one asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ListError {
    /// It is no result file.
    #[error("not a result of `symx races --candidates --json FILE`: {0}")]
    Malformed(String),
    /// A result without candidates.
    #[error("a result without candidates: run `symx races` with --candidates")]
    NoCandidates,
    /// A result that does not say of which program it is.
    #[error(
        "does not name its program by hash: written by an earlier version of symx; list the candidates again"
    )]
    NoProgram,
    /// Candidates of another program.
    #[error(
        "the candidates are of another program ({listed:.12}, not {given:.12}): list the candidates of this one"
    )]
    OtherProgram {
        /// The list's.
        listed: String,
        /// The one to instrument.
        given: String,
    },
    /// No candidate has that number.
    #[error("no candidate {number}: there are {count}")]
    UnknownNumber {
        /// The number asked for.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A tool reported it without its second access.
    #[error("candidate {0} has one access only: the tool that reported it does not know the other")]
    OneAccess(usize),
}

/// The part of a result file that is read.
#[derive(Deserialize)]
struct ResultFile {
    candidates: Option<CandidatesReport>,
}

impl Listed {
    /// Reads a result file.
    pub fn read(text: &[u8]) -> Result<Self, ListError> {
        let file: ResultFile =
            serde_json::from_slice(text).map_err(|error| ListError::Malformed(error.to_string()))?;
        let report = file.candidates.ok_or(ListError::NoCandidates)?;
        let CandidatesReport { list, program, analysis_ended, .. } = report;
        Ok(Self { program: program.ok_or(ListError::NoProgram)?, candidates: list, analysis_ended })
    }

    /// Checks that the candidates are of this program.
    pub fn check_program(&self, program: ProgramHash) -> Result<(), ListError> {
        let given = program.to_string();
        if given == self.program {
            return Ok(());
        }
        Err(ListError::OtherProgram { listed: self.program.clone(), given })
    }

    /// The candidate of a number.
    pub fn candidate(&self, number: usize) -> Result<&CandidateReport, ListError> {
        let unknown = ListError::UnknownNumber { number, count: self.candidates.len() };
        self.candidates.iter().find(|candidate| candidate.number == number).ok_or(unknown)
    }

    /// That candidate as a pair to watch.
    pub fn pair(&self, number: usize) -> Result<WatchedPair, ListError> {
        let candidate = self.candidate(number)?;
        let [one, other] = &candidate.accesses[..] else { return Err(ListError::OneAccess(number)) };
        Ok(WatchedPair {
            candidate: number as u32,
            fingerprint: fingerprint(candidate),
            accesses: [watched(one), watched(other)],
        })
    }
}

fn watched(access: &CandidatePlace) -> WatchedAccess {
    let location = &access.location;
    let kind = match access.kind {
        AccessKind::End => WatchedKind::End,
        AccessKind::Write | AccessKind::AtomicWrite => WatchedKind::Write,
        AccessKind::Read | AccessKind::AtomicRead => WatchedKind::Read,
    };
    let atomic = matches!(access.kind, AccessKind::AtomicRead | AccessKind::AtomicWrite);
    WatchedAccess { file: location.file.clone(), line: location.line, column: location.column, kind, atomic }
}

/// The same for candidates with equal accesses: numbers are those of one list.
pub fn fingerprint(candidate: &CandidateReport) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for access in &candidate.accesses {
        let location = &access.location;
        let text = format!("{}\0{}:{}\0{}\n", location.file, location.line, location.column, access.kind);
        hasher.update(text.as_bytes());
    }
    let bytes = hasher.finalize();
    u64::from_le_bytes(bytes.as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
}
