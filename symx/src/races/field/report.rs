//! The report of one run of a program that watched a candidate. `recorder/runtime/watch_report.h` writes it.

use serde::{Deserialize, Serialize};

/// The version of the format.
const FORMAT: u32 = 1;

/// What a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunResult {
    /// Two threads were about to make the two accesses at once.
    Seen,
    /// Each time the second access was found, synchronisation ordered it after the first.
    Ordered,
    /// Both source locations were met, but never at once.
    BothMet,
    /// One of them was met.
    OneMet,
    /// None was.
    NotMet,
}

/// One of the accesses of a race that was seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeenAccess {
    /// The thread's name, as in profiles.
    pub thread: String,
    /// The address in that process.
    pub address: u64,
    /// In bytes.
    pub size: u64,
    /// Whether it writes.
    pub writes: bool,
}

/// The report of a run.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct RunReport {
    format: u32,
    /// The hash of the program, in hexadecimal.
    pub program: String,
    /// The candidate's number.
    pub candidate: usize,
    /// The fingerprint of its accesses, in hexadecimal.
    pub pair: String,
    /// What it came to.
    pub result: RunResult,
    /// How often a thread came to each of the two locations.
    pub met: [u64; 2],
    /// How often the second access was found in an order with the first.
    pub ordered: u64,
    /// How often in none that was found.
    pub unordered: u64,
    /// How often a thread was held back.
    pub delays: u64,
    /// For how long, all in all.
    pub held_ns: u64,
    /// How long the process ran.
    pub run_ns: u64,
    /// How many threads it had.
    pub threads: u64,
    /// How it ended.
    pub end: String,
    /// The accesses of the race, if one was seen.
    pub seen: Option<[SeenAccess; 2]>,
}

/// Why a file is no report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReportError {
    /// It is damaged.
    #[error("damaged: {0}")]
    Damaged(String),
    /// It has another format.
    #[error("format version {0}; this symx reads {FORMAT}")]
    OtherFormat(u32),
    /// What it says does not fit together.
    #[error("damaged: its result contradicts the accesses or counts beside it")]
    Contradictory,
}

/// The part that every format has.
#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

impl RunReport {
    /// Reads a report.
    pub fn read(text: &[u8]) -> Result<Self, ReportError> {
        let damaged = |error: serde_json::Error| ReportError::Damaged(error.to_string());
        let Versioned { format } = serde_json::from_slice(text).map_err(damaged)?;
        if format != FORMAT {
            return Err(ReportError::OtherFormat(format));
        }
        let report: Self = serde_json::from_slice(text).map_err(damaged)?;
        if report.is_consistent() { Ok(report) } else { Err(ReportError::Contradictory) }
    }

    /// Whether the result follows from the rest, as `recorder/runtime/watch_report.h` has it.
    fn is_consistent(&self) -> bool {
        let result = match (&self.seen, self.met) {
            (Some(_), _) => RunResult::Seen,
            (None, [0, 0]) => RunResult::NotMet,
            (None, [0, _] | [_, 0]) => RunResult::OneMet,
            (None, _) if self.ordered > 0 && self.unordered == 0 => RunResult::Ordered,
            (None, _) => RunResult::BothMet,
        };
        result == self.result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"format":1,"program":"ab","candidate":2,"pair":"00","result":"ordered","met":[3,4],
        "ordered":2,"unordered":0,"delays":1,"held_ns":5,"run_ns":6,"threads":7,"end":"exit"}"#;

    #[test]
    fn damage_is_named() {
        assert_eq!(RunReport::read(GOOD.as_bytes()).unwrap().met, [3, 4]);
        let error = |text: &str| RunReport::read(text.as_bytes()).unwrap_err();
        assert_eq!(error(&GOOD.replace(":1,", ":9,")), ReportError::OtherFormat(9));
        let contradictions = [
            ("ordered\",\"met", "seen\",\"met"),
            ("[3,4]", "[3,0]"),
            ("\"ordered\":2", "\"ordered\":0"),
            ("\"unordered\":0", "\"unordered\":1"),
        ];
        for (text, other) in contradictions {
            assert_eq!(error(&GOOD.replace(text, other)), ReportError::Contradictory, "{other}");
        }
        for text in ["", "{}", &GOOD[..GOOD.len() / 2], &GOOD.replace("[3,4]", "[3,-4]")] {
            assert!(matches!(error(text), ReportError::Damaged(_)), "{text}");
        }
    }
}
