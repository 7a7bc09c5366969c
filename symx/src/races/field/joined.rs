//! What the runs of many installations say of each candidate.

use super::listed::{Listed, fingerprint};
use super::report::{RunReport, RunResult, SeenAccess};
use crate::report::{CandidatePlace, CandidateReport, SCHEMA};
use serde::Serialize;
use symx_trace::IncompleteReason;

/// What is known of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldEnd {
    /// A run saw both accesses at once.
    Confirmed,
    /// Both were met, in at least one run without an order that was found.
    BothMet,
    /// Both were met, and synchronisation ordered them wherever both were found.
    Ordered,
    /// No run met both.
    OneMet,
    /// No run met any.
    NotMet,
    /// No installation watched it.
    Open,
}

impl FieldEnd {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::BothMet => "both met",
            Self::Ordered => "ordered",
            Self::OneMet => "one met",
            Self::NotMet => "not met",
            Self::Open => "open",
        }
    }
}

/// How many runs had each result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Results {
    /// A race.
    pub seen: u64,
    /// Both accesses met, never at once.
    pub both_met: u64,
    /// Both met and ordered.
    pub ordered: u64,
    /// One met.
    pub one_met: u64,
    /// None met.
    pub not_met: u64,
}

impl Results {
    fn count(&mut self, result: RunResult) {
        *match result {
            RunResult::Seen => &mut self.seen,
            RunResult::BothMet => &mut self.both_met,
            RunResult::Ordered => &mut self.ordered,
            RunResult::OneMet => &mut self.one_met,
            RunResult::NotMet => &mut self.not_met,
        } += 1;
    }

    fn end(&self) -> FieldEnd {
        match self {
            Self { seen: 1.., .. } => FieldEnd::Confirmed,
            Self { both_met: 1.., .. } => FieldEnd::BothMet,
            Self { ordered: 1.., .. } => FieldEnd::Ordered,
            Self { one_met: 1.., .. } => FieldEnd::OneMet,
            Self { not_met: 1.., .. } => FieldEnd::NotMet,
            _ => FieldEnd::Open,
        }
    }
}

/// A candidate with what all runs that watched it reported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JoinedCandidate {
    /// Its number.
    pub number: usize,
    /// The objects that both accesses may access.
    pub objects: Vec<String>,
    /// The accesses.
    pub accesses: Vec<CandidatePlace>,
    /// What is known of it.
    pub end: FieldEnd,
    /// How many runs watched it.
    pub runs: u64,
    /// What they came to.
    pub results: Results,
    /// How often each of the source locations was met.
    pub met: [u64; 2],
    /// How often a thread was held back.
    pub delays: u64,
    /// For how long.
    pub held_ns: u64,
    /// How long the runs took.
    pub run_ns: u64,
    /// The accesses of the first race that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<[SeenAccess; 2]>,
}

/// All candidates with what the field reported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JoinedReports {
    /// The version of result files.
    pub schema: u32,
    /// The hash of the program.
    pub program: String,
    /// How many reports there are.
    pub runs: u64,
    /// How many files were copies of another report, and were left out.
    pub copies: u64,
    /// In the order of their numbers.
    pub candidates: Vec<JoinedCandidate>,
    /// Why the analysis that listed them ended early, if it did: other pairs may race, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis_ended: Option<IncompleteReason>,
}

/// Why a report does not belong to a list.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JoinError {
    /// The run was of another program.
    #[error("a report of another program ({reported:.12}, not {listed:.12})")]
    OtherProgram {
        /// The report's.
        reported: String,
        /// The list's.
        listed: String,
    },
    /// The list has no such candidate.
    #[error("a report of candidate {0}, which the list does not have")]
    UnknownCandidate(usize),
    /// The candidate of that number has other accesses.
    #[error("a report of another candidate {0}: the program was instrumented with another list")]
    OtherPair(usize),
}

impl JoinedReports {
    /// Nothing reported yet.
    pub fn new(listed: &Listed) -> Self {
        let joined = |candidate: &CandidateReport| JoinedCandidate {
            number: candidate.number,
            objects: candidate.objects.iter().map(ToString::to_string).collect(),
            accesses: candidate.accesses.clone(),
            end: FieldEnd::Open,
            runs: 0,
            results: Results::default(),
            met: [0; 2],
            delays: 0,
            held_ns: 0,
            run_ns: 0,
            example: None,
        };
        Self {
            schema: SCHEMA,
            program: listed.program.clone(),
            runs: 0,
            copies: 0,
            candidates: listed.candidates.iter().map(joined).collect(),
            analysis_ended: listed.analysis_ended,
        }
    }

    /// Adds a report of a candidate of that list.
    pub fn add(&mut self, listed: &Listed, report: &RunReport) -> Result<(), JoinError> {
        if report.program != listed.program {
            let (reported, listed) = (report.program.clone(), listed.program.clone());
            return Err(JoinError::OtherProgram { reported, listed });
        }
        let number = report.candidate;
        let at = listed.candidates.iter().position(|candidate| candidate.number == number);
        let at = at.ok_or(JoinError::UnknownCandidate(number))?;
        if format!("{:016x}", fingerprint(&listed.candidates[at])) != report.pair {
            return Err(JoinError::OtherPair(number));
        }
        let joined = &mut self.candidates[at];
        self.runs += 1;
        joined.runs += 1;
        joined.results.count(report.result);
        joined.end = joined.results.end();
        // The numbers come from files of others.
        for (sum, more) in joined.met.iter_mut().zip(report.met) {
            *sum = sum.saturating_add(more);
        }
        joined.delays = joined.delays.saturating_add(report.delays);
        joined.held_ns = joined.held_ns.saturating_add(report.held_ns);
        joined.run_ns = joined.run_ns.saturating_add(report.run_ns);
        joined.example = joined.example.take().or_else(|| report.seen.clone());
        Ok(())
    }

    /// How many candidates came to an end.
    pub fn count(&self, end: FieldEnd) -> usize {
        self.candidates.iter().filter(|candidate| candidate.end == end).count()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::{AccessKind, CandidateEnd, CandidateSource};
    use symx_trace::Location;

    /// A list of as many candidates, with accesses on lines of their own.
    pub(in crate::races::field) fn list(count: usize) -> Listed {
        let place = |line: usize| CandidatePlace {
            location: Location { file: "a.c".into(), line: line as u32, column: 3, function: "f".into() },
            kind: AccessKind::Write,
            locks: Vec::new(),
            thread: "any".into(),
        };
        let candidate = |number: usize| CandidateReport {
            number,
            source: CandidateSource::Static,
            line: None,
            is_static: None,
            objects: vec!["x".into()],
            further_objects: 0,
            accesses: vec![place(number), place(100 + number)],
            reason: String::new(),
            end: CandidateEnd::Open,
            class: None,
            is_ordered: false,
            why: String::new(),
        };
        let candidates = (1..=count).map(candidate).collect();
        Listed { program: "aa".into(), candidates, analysis_ended: None }
    }

    fn report(listed: &Listed, number: usize, result: &str) -> RunReport {
        let pair = listed.candidates.get(number - 1).map_or(0, fingerprint);
        let access = r#"{"thread":"0.1","address":16,"size":4,"writes":true}"#;
        let seen = if result == "seen" { format!(r#","seen":[{access},{access}]"#) } else { String::new() };
        let met = match result {
            "not-met" => [0, 0],
            "one-met" => [1, 0],
            _ => [1, 2],
        };
        let ordered = u64::from(result == "ordered");
        let text = format!(
            r#"{{"format":1,"program":"aa","candidate":{number},"pair":"{pair:016x}","result":"{result}",
            "met":{met:?},"ordered":{ordered},"unordered":0,"delays":3,"held_ns":4,"run_ns":5,"threads":2,
            "end":"exit"{seen}}}"#
        );
        RunReport::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn one_race_seen_outweighs_all_other_runs() {
        let listed = list(6);
        let mut joined = JoinedReports::new(&listed);
        let runs: [&[&str]; 6] = [
            &["ordered", "seen", "not-met"],
            &["ordered", "both-met"],
            &["one-met", "ordered"],
            &["not-met", "one-met"],
            &["not-met"],
            &[],
        ];
        for (number, results) in (1..).zip(runs) {
            results.iter().for_each(|result| joined.add(&listed, &report(&listed, number, result)).unwrap());
        }
        let ends: Vec<_> = joined.candidates.iter().map(|candidate| candidate.end.name()).collect();
        assert_eq!(ends, ["confirmed", "both met", "ordered", "one met", "not met", "open"]);
        assert_eq!((joined.runs, joined.count(FieldEnd::Open)), (10, 1));
        let first = &joined.candidates[0];
        assert_eq!((first.runs, first.met, first.delays), (3, [2, 4], 9));
        assert_eq!(first.example.as_ref().unwrap()[1].thread, "0.1");
    }

    #[test]
    fn reports_of_others_are_refused() {
        let listed = list(2);
        let mut joined = JoinedReports::new(&listed);
        let mut other = report(&listed, 1, "seen");
        other.program = "bb".into();
        assert!(matches!(joined.add(&listed, &other), Err(JoinError::OtherProgram { .. })));
        assert_eq!(joined.add(&listed, &report(&listed, 3, "seen")), Err(JoinError::UnknownCandidate(3)));
        let mut swapped = report(&listed, 1, "seen");
        swapped.candidate = 2;
        assert_eq!(joined.add(&listed, &swapped), Err(JoinError::OtherPair(2)));
        assert_eq!(joined.runs, 0);
    }
}
