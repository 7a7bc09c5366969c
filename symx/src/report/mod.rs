//! The result file (`--json`), field by field as the contract has it.

mod candidates;
mod names;
pub(crate) mod warnings;

pub use candidates::{
    AccessKind, CandidateEnd, CandidatePlace, CandidateRank, CandidateReport, CandidateSource,
    CandidatesReport,
};

use crate::exit_code::Verdict;
use crate::options::covered::Covered;
use crate::options::properties::PropertyVerdict;
use crate::options::reported_command::ReportedCommand;
use serde::{Deserialize, Serialize};
use symx_ir::SourceName;
use symx_trace::explanation::{Execution, Lane};
use symx_trace::failure::Note;
use symx_trace::{
    Failure, FailureKind, FlippedBranch, IncompleteReason, Location, RaceAccess, RaceClass, ThreadStack,
};

/// Version of the result file.
pub const SCHEMA: u32 = 1;

/// More distinct outcomes than these are left out.
pub const MOST_OUTCOMES: usize = 10_000;

/// The report of a command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The program as the user named it.
    pub program: String,
    /// The command's name.
    pub command: ReportedCommand,
    /// The memory model's name.
    pub memmodel: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Distinct errors, each replayed.
    pub violations: Vec<Violation>,
    /// `races`: the races, each classified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub races: Option<Vec<ClassifiedRace>>,
    /// `races --candidates`: the candidates, and what became of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<CandidatesReport>,
    /// `races`: what each suppression covers, in the file's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressions: Vec<SuppressionUse>,
    /// Distinct results of completed executions; absent if there are more than [`MOST_OUTCOMES`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<Outcome>>,
    /// `exec`: the program's exit status, if it exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<u8>,
    /// `exec`: what the program wrote to standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// Work done.
    pub stats: Statistics,
    /// Why the exploration is not complete; empty if it is.
    pub incomplete: Vec<Cut>,
    /// Bugs of symx that showed in this run, else empty. The verdict does not rest on them.
    #[serde(default)]
    pub contradictions: Vec<Contradiction>,
    /// The reason why the reads-from reduction, if it was asked for, was not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_reads_from: Option<String>,
    /// Potential failures that no explored execution ends in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The cost of synthesis of a schedule from recorded paths, if it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<SynthesisStatistics>,
    /// `run`: what was looked at and what was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<Covered>,
    /// `run --property`: the verdict on the properties.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<PropertyVerdict>,
    /// Facts that a reader of the verdict should know, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The assumptions of the verdict, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}

/// A suppression, and what it covers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SuppressionUse {
    /// `race:PATTERN` or `race_top:PATTERN`.
    pub suppression: String,
    /// Its line in the file, from 1.
    pub line: u32,
    /// How many of the races found.
    pub races: usize,
}

/// The cost of synthesis of a schedule from recorded paths.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SynthesisStatistics {
    /// How often the threads were run along their paths.
    pub attempts: u64,
    /// Threads.
    pub threads: u32,
    /// Places of shared memory that are accessed.
    pub shared_places: u64,
    /// Events of all threads.
    pub events: u64,
    /// Conditions of all paths.
    pub conditions: u64,
    /// Which engine found the schedule; "" if none did.
    pub engine: String,
    /// Time for the symbolic trace, in milliseconds.
    pub tracing_ms: u64,
    /// Time for the schedule, in milliseconds.
    pub solving_ms: u64,
    /// How often the schedule found changes threads.
    pub context_switches: u32,
    /// How often it interrupts an enabled thread.
    #[serde(default)]
    pub preemptions: u32,
    /// Objects in memory that threads share.
    #[serde(default)]
    pub shared_objects: u64,
    /// Instructions executed under the schedule found; 0 where they were not counted.
    #[serde(default)]
    pub instructions: u64,
    /// Clauses and conditions of the constraint system; 0 where it was not counted.
    #[serde(default)]
    pub constraints: u64,
    /// Of the trace solved: with `--prove-minimal`, or where looking for a schedule has shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewest: Option<FewestPreemptions>,
}

/// The result of `--prove-minimal`, about the schedules in which each thread's events are those of one
/// execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FewestPreemptions {
    /// No such schedule with fewer preemptions fails so: every one was looked at.
    pub at_least: u32,
    /// Preemptions of the best one found, as they are counted in the trace.
    pub found: u32,
    /// Why the number found is not proven to be the least; absent if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_proven: Option<String>,
}

/// An error of the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// Its kind.
    pub kind: FailureKind,
    /// Which of the kind: `use-after-free`, ...; "" where the kind says it all.
    pub detail: String,
    /// One line.
    pub message: String,
    /// Where.
    pub location: Location,
    /// Name of the failing thread.
    pub thread: String,
    /// The threads of the failing execution, with what people call them.
    #[serde(default)]
    pub threads: Vec<NamedThread>,
    /// Its stack, innermost first.
    pub stack: Vec<Location>,
    /// Other places that matter.
    pub notes: Vec<Note>,
    /// Where the other threads stand.
    pub other_threads: Vec<ThreadStack>,
    /// File with the schedule, if it was written.
    pub schedule: Option<String>,
    /// File with the symbolic inputs, if it was written.
    pub inputs: Option<String>,
    /// How often the running thread changes.
    pub context_switches: u32,
    /// Changes away from an enabled thread (preemptions).
    pub preemptions: u32,
    /// Whether a replay failed in the same way. Always true of what is reported.
    pub replayed: bool,
    /// With `--prove-minimal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewest: Option<FewestPreemptions>,
    /// With `--find-failure`: the branches that go the other way than in the recorded run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flipped: Vec<FlippedBranch>,
    /// The class of the bug, as the field calls it, where it was explained and the kind does not say it:
    /// `atomicity-violation`, `lost-wakeup`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// File with the explanation, if it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// File with the page for people, if it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// A thread, and what people call it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NamedThread {
    /// Its name, as schedules have it: `0.1`.
    pub thread: String,
    /// As in what people read: `T1 worker`.
    pub title: String,
}

impl NamedThread {
    /// Those of an execution.
    pub fn of(execution: &Execution) -> Vec<Self> {
        let named = |lane: &Lane| Self { thread: lane.name.to_string(), title: lane.title() };
        execution.threads.iter().map(named).collect()
    }
}

/// A data race and what it can do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClassifiedRace {
    /// Its class.
    pub class: RaceClass,
    /// Under how many pairs of path and schedule both orders were compared.
    pub k: usize,
    /// Whether everything that can follow was compared, where the race was seen.
    pub exhaustive: bool,
    /// The part of an object that both access, as explanations name it.
    #[serde(with = "names::one")]
    pub object: SourceName,
    /// How many bytes both access.
    pub size: u64,
    /// The accesses, the one made first where the race was seen first.
    pub accesses: Vec<RacingAccess>,
    /// Why nothing orders them, one sentence.
    pub unordered: String,
    /// The harm, one sentence; "" where there is none.
    pub consequence: String,
    /// File with a schedule that shows the harm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// File with the inputs of that schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// File with a schedule in which the accesses come in the other order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_schedule: Option<String>,
    /// Whether the schedules were replayed. Always true of harm that is reported.
    #[serde(default)]
    pub replayed: bool,
}

/// An access of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RacingAccess {
    /// Name of the thread.
    pub thread: String,
    /// Its name for people: `T1 worker`.
    #[serde(default)]
    pub title: String,
    /// Whether it reads, writes, or ends the variable's life.
    pub kind: AccessKind,
    /// Whether it is atomic.
    pub atomic: bool,
    /// Where.
    pub location: Location,
    /// Its stack, innermost first.
    pub stack: Vec<Location>,
    /// The locks held.
    pub locks: Vec<String>,
}

impl RacingAccess {
    /// In the result file's words.
    pub fn new(access: &RaceAccess) -> Self {
        Self {
            thread: access.thread.to_string(),
            title: access.title.clone(),
            kind: match (access.ends, access.writes) {
                (true, _) => AccessKind::End,
                (false, writes) => AccessKind::new(writes, false),
            },
            atomic: access.atomic,
            location: access.location.clone(),
            stack: access.stack.clone(),
            locks: access.locks.clone(),
        }
    }
}

/// A potential failure that no explored execution ends in. It changes no verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Warning {
    /// The class: `lock-order`, or that of the failure it would be elsewhere.
    pub kind: String,
    /// One line.
    pub message: String,
    /// Where: the first place.
    pub location: Location,
    /// The other places.
    pub notes: Vec<Note>,
}

/// A result of completed executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The program's standard output; bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// All of it in hexadecimal, where it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// Its exit status.
    pub exit_status: u8,
    /// How many executions had this result; ways into such ends where each state was explored once.
    pub executions: u64,
    /// Whether standard output depends on symbolic inputs: it is an example of several then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub example: bool,
}

/// Work done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Executions that ran to their end; ways into their ends where each state was explored once.
    pub executions: u64,
    /// Executions pruned because an equivalent one was explored.
    pub blocked: u64,
    /// Distinct states, where each was explored once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Forks on symbolic values.
    pub paths: u64,
    /// Instructions interpreted.
    pub instructions: u64,
    /// Visible steps.
    pub events: u64,
    /// Most threads in one execution.
    pub threads: u32,
    /// Queries to the solver.
    pub queries: u64,
    /// Independent parts of queries that earlier answers or models decided.
    #[serde(default)]
    pub cache_hits: u64,
    /// Parts of queries that reached Z3.
    #[serde(default)]
    pub solver_queries: u64,
    /// Time in the solver, in milliseconds.
    pub solver_ms: u64,
    /// Time since the start, in milliseconds.
    pub wall_ms: u64,
    /// Most memory this process had, in KiB.
    pub peak_rss_kib: u64,
    /// How much was explored, by estimate, in parts of a million; where time, memory or the user ended an
    /// exploration of all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explored_per_million: Option<u32>,
    /// Lines of the program that have code, where coverage is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Those of them that were executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_executed: Option<u64>,
}

/// A bug of symx: what it found contradicts itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contradiction {
    /// Which kind of bug.
    pub kind: ContradictionKind,
    /// The details.
    pub what: String,
}

/// In which way symx contradicts itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContradictionKind {
    /// A failure that was found does not replay; it is not among the violations.
    ReplayDiverged,
    /// The reads-from reduction met what it holds to be impossible; everything was explored without it.
    ReadsFrom,
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            ContradictionKind::ReplayDiverged => "a failure that was found does not replay",
            ContradictionKind::ReadsFrom => "the reads-from reduction contradicts itself",
        };
        write!(out, "{kind} ({})", self.what)
    }
}

/// A reason why the exploration is not complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cut {
    /// Why.
    pub reason: IncompleteReason,
    /// The details.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
    /// Where, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// For an unknown external function: all places of the program that call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

impl Cut {
    /// A reason that needs no more words.
    pub fn because(reason: IncompleteReason, what: impl Into<String>) -> Self {
        Self { reason, what: what.into(), location: None, locations: Vec::new() }
    }
}

impl std::fmt::Display for Cut {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.reason.word())?;
        if !self.what.is_empty() {
            write!(out, " ({})", self.what)?;
        }
        match &self.location {
            Some(at) if at.line != 0 => write!(out, " at {}:{}", at.file, at.line)?,
            _ => {}
        }
        let others = self.locations.iter().filter(|at| Some(*at) != self.location.as_ref());
        for (index, at) in others.enumerate() {
            let join = if index == 0 { "; also called at" } else { "," };
            write!(out, "{join} {}:{}", at.file, at.line)?;
        }
        Ok(())
    }
}

impl Violation {
    /// What people call the failing thread: `T1 worker`.
    pub fn title(&self) -> Option<&str> {
        let named = self.threads.iter().find(|named| named.thread == self.thread);
        named.map(|named| named.title.as_str())
    }

    /// A replayed failure without its files.
    pub fn new(failure: &Failure, context_switches: u32, preemptions: u32) -> Self {
        Self {
            kind: failure.kind,
            detail: failure.detail.word().into(),
            message: failure.message.clone(),
            location: failure.location.clone(),
            thread: failure.thread.to_string(),
            threads: Vec::new(),
            stack: failure.stack.clone(),
            notes: failure.notes.clone(),
            other_threads: failure.others.clone(),
            schedule: None,
            inputs: None,
            context_switches,
            preemptions,
            replayed: true,
            fewest: None,
            flipped: Vec::new(),
            class: None,
            explanation: None,
            page: None,
        }
    }
}

impl Report {
    /// A report of these findings, and of nothing else.
    pub fn new(command: ReportedCommand, violations: Vec<Violation>, incomplete: Vec<Cut>) -> Self {
        Self {
            schema: SCHEMA,
            program: String::new(),
            command,
            memmodel: String::new(),
            verdict: Self::verdict(&violations, &incomplete),
            violations,
            races: None,
            candidates: None,
            suppressions: Vec::new(),
            outcomes: None,
            exit_status: None,
            stdout: None,
            stats: Statistics::default(),
            incomplete,
            contradictions: Vec::new(),
            beyond_reads_from: None,
            warnings: Vec::new(),
            synthesis: None,
            covered: None,
            property: None,
            notes: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// The verdict of these findings.
    pub fn verdict(violations: &[Violation], incomplete: &[Cut]) -> Verdict {
        if !violations.is_empty() {
            Verdict::Violation
        } else if incomplete.is_empty() {
            Verdict::Safe
        } else {
            Verdict::Incomplete
        }
    }

    /// Notes a reason why it is not complete, once.
    pub fn cut(&mut self, cut: Cut) {
        if !self.incomplete.contains(&cut) {
            self.incomplete.push(cut);
        }
        if self.verdict == Verdict::Safe {
            self.verdict = Verdict::Incomplete;
        }
    }

    /// Takes what is known of its violations by now, but for the first `known` of them.
    pub fn take_violations<'a>(&mut self, known: usize, now: impl Iterator<Item = &'a Violation>) {
        for violation in now {
            let own = self.violations.iter_mut().skip(known);
            let mut same = own.filter(|earlier| earlier.schedule == violation.schedule);
            if let Some(earlier) = same.next() {
                *earlier = violation.clone();
            }
        }
    }

    /// As JSON text with a line break at its end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a report is plain data with string keys");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(violations: Vec<Violation>, incomplete: Vec<Cut>) -> Report {
        Report {
            program: "prog.bc".into(),
            memmodel: "pso".into(),
            outcomes: Some(vec![Outcome {
                stdout: "0 1\n".into(),
                hex: None,
                exit_status: 0,
                executions: 4,
                example: false,
            }]),
            ..Report::new(ReportedCommand::Run, violations, incomplete)
        }
    }

    #[test]
    fn what_was_cut_is_never_safe() {
        assert_eq!(report(vec![], vec![]).verdict, Verdict::Safe);
        let cut = report(vec![], vec![Cut::because(IncompleteReason::MaxTime, "")]);
        assert_eq!(cut.verdict, Verdict::Incomplete);
        assert_eq!(cut.verdict.exit_code(), 3);
    }

    #[test]
    fn the_json_has_the_contracts_words() {
        let cut = Cut::because(IncompleteReason::Unsupported, "llvm.x86.sse42.crc32");
        let json: serde_json::Value = serde_json::from_str(
            &report(vec![], vec![cut, Cut::because(IncompleteReason::MaxTime, "")]).to_json(),
        )
        .unwrap();
        assert_eq!(json["schema"], 1);
        assert_eq!(json["verdict"], "incomplete");
        assert_eq!(json["incomplete"][0]["what"], "llvm.x86.sse42.crc32");
        assert_eq!(json["incomplete"][1], serde_json::json!({ "reason": "max-time" }));
        assert_eq!(json["outcomes"][0]["stdout"], "0 1\n");
        assert!(json.get("exit_status").is_none());
        let words = ["executions", "blocked", "paths", "instructions", "events", "threads", "queries"];
        assert!(words.iter().all(|word| json["stats"][word].is_u64()));
    }
}
