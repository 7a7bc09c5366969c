//! From a judgement of a race to what the result file says of it, with the executions that show
//! harm replayed and kept.

use crate::limits::budget::Deadline;
use crate::refusal::Refusal;
use crate::report::{ClassifiedRace, RacingAccess};
use crate::schedules::artefacts;
use crate::schedules::confirm::{Confirmed, confirm_one, schedule};
use crate::session::Session;
use std::path::{Path, PathBuf};
use symx_checkers::race_class::{Evidence, Judgement};
use symx_expr::solver::Model;
use symx_expr::{StopToken, evaluate};
use symx_interp::memory::Site;
use symx_interp::state::End;
use symx_posix_explore::{ExploreOptions, FixedSchedule, Found, replay};
use symx_trace::race::{EndResult, Ending, Written};
use symx_trace::{Failure, FailureKind, Input, Race, Schedule};

/// A judged race and what shows its harm.
pub struct RaceFinding {
    /// For the result file.
    pub report: ClassifiedRace,
    /// The failure it leads to, replayed.
    pub failure: Option<Confirmed>,
    /// Schedules to be written: what shows the harm, and the other order.
    schedules: Vec<Schedule>,
}

impl RaceFinding {
    /// Replays what shows the harm of a race; `visible` is what counted as visible there. An error says why
    /// it does not show again.
    pub fn new(
        session: &Session,
        race: &Race,
        judgement: &Judgement,
        visible: &[Site],
    ) -> Result<Self, String> {
        let report = ClassifiedRace {
            class: judgement.class,
            k: judgement.k,
            exhaustive: judgement.is_exhaustive,
            object: race.part.clone(),
            size: race.size,
            accesses: race.accesses.iter().map(RacingAccess::new).collect(),
            unordered: unordered(race),
            consequence: String::new(),
            schedule: None,
            inputs: None,
            other_schedule: None,
            replayed: false,
        };
        let mut finding = Self { report, failure: None, schedules: Vec::new() };
        let Some(evidence) = &judgement.evidence else { return Ok(finding) };
        finding.report.consequence = consequence(session, evidence);
        if let EndResult::Failed(failure) = &evidence.shown.result {
            let found = found(session, evidence, &evidence.shown, failure, visible);
            let confirmed = confirm_one(session, &found, &ExploreOptions::default(), &Deadline::default())?;
            finding.failure = Some(confirmed);
        } else {
            for ending in std::iter::once(&evidence.shown).chain(&evidence.other) {
                finding.schedules.push(replayed(session, evidence, ending, visible)?);
            }
        }
        finding.report.replayed = true;
        Ok(finding)
    }

    /// Writes the schedules as `race-N...` into `folder`.
    pub fn write(&mut self, session: &Session, folder: &Path, number: usize) -> Result<(), Refusal> {
        if let Some(confirmed) = &mut self.failure {
            artefacts::write(folder, Some(number), session, confirmed)?;
            self.report.schedule = confirmed.violation.schedule.clone();
            self.report.inputs = confirmed.violation.inputs.clone();
            return Ok(());
        }
        if self.schedules.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(folder).map_err(|error| Refusal::unwritable(folder, error))?;
        let name = |what: &str| folder.join(format!("race-{number}.{what}.json"));
        let mut written = Vec::new();
        for (schedule, what) in self.schedules.iter().zip(["schedule", "other-schedule"]) {
            let path: PathBuf = name(what);
            artefacts::write_json(&path, schedule)?;
            written.push(path.display().to_string());
        }
        let inputs = name("inputs");
        artefacts::write_json(&inputs, &self.schedules[0].inputs)?;
        let mut written = written.into_iter();
        self.report.schedule = written.next();
        self.report.other_schedule = written.next();
        self.report.inputs = Some(inputs.display().to_string());
        Ok(())
    }
}

/// The inputs of an execution, with values.
fn inputs(session: &Session, ending: &Ending, model: &Model) -> Vec<Input> {
    let value = |term| evaluate(session.terms(), term, model).limbs()[0] as u8;
    let input = |unknown: &symx_trace::race::Unknown| Input {
        name: unknown.name.clone(),
        bytes: unknown.bytes.iter().map(|term| value(*term)).collect(),
        origin: unknown.origin.clone(),
        declared: unknown.declared,
    };
    ending.inputs.iter().map(input).collect()
}

fn found(
    session: &Session,
    evidence: &Evidence,
    ending: &Ending,
    failure: &Failure,
    visible: &[Site],
) -> Found {
    Found {
        failure: failure.clone(),
        decisions: ending.decisions.clone(),
        inputs: inputs(session, ending, &evidence.inputs),
        threads: ending.threads.clone(),
        visible: Some(visible.to_vec()),
    }
}

/// The schedule of an execution that does not fail, if a replay ends alike.
fn replayed(
    session: &Session,
    evidence: &Evidence,
    ending: &Ending,
    visible: &[Site],
) -> Result<Schedule, String> {
    // The failure is only there because a way to a failure has one.
    let nothing = Failure::new(FailureKind::Exit, "");
    let found = found(session, evidence, ending, &nothing, visible);
    let decisions = FixedSchedule { visible: Some(visible), decisions: &found.decisions, expected: None };
    let (machine, solver) = (session.machine_for(&found.inputs), session.solver(StopToken::default()));
    let again = replay(&machine, solver, decisions, &ExploreOptions::default());
    let is_same = match (&ending.result, &again.end) {
        (EndResult::Exit { status, output, .. }, Some(End::Exit(seen))) => {
            *status == seen.status && text(session, output, &evidence.inputs) == again.output
        }
        (EndResult::Failed(failure), Some(End::Failed(seen))) => failure.same_fault(seen),
        _ => false,
    };
    if !is_same {
        return Err(again.divergence.unwrap_or_else(|| "the replay ends differently".into()));
    }
    let failure = again.failure().cloned();
    Ok(Schedule { failure, ..schedule(session, &found) })
}

/// The text written under these inputs.
fn text(session: &Session, written: &Written, model: &Model) -> Vec<u8> {
    let mut bytes = written.bytes.clone();
    for (at, term) in &written.symbolic {
        bytes[*at as usize] = evaluate(session.terms(), *term, model).limbs()[0] as u8;
    }
    bytes
}

/// Why nothing orders the accesses.
fn unordered(race: &Race) -> String {
    let [first, second] = &race.accesses;
    let locks = |access: &symx_trace::RaceAccess| match access.locks.as_slice() {
        [] => format!("{} holds no lock", access.title),
        held => format!("{} holds {}", access.title, held.join(", ")),
    };
    let other = if second.ends { "the end of the variable's life" } else { "the other" };
    format!(
        "no happens-before: {} and {}, and nothing that {} releases after its access is acquired by {} before {other}",
        locks(first),
        locks(second),
        first.title,
        second.title
    )
}

/// One sentence on the harm.
fn consequence(session: &Session, evidence: &Evidence) -> String {
    let result = |ending: &Ending, beside: Option<&Ending>| match &ending.result {
        EndResult::Failed(failure) => format!("fails: {}", failure.message),
        EndResult::Exit { status, output, errors, files } => {
            let text_of =
                |written| Some(text(session, written, &evidence.inputs)).filter(|it| !it.is_empty());
            let output = text_of(output).map_or_else(|| "nothing".to_owned(), |output| short(&output));
            let errors = text_of(errors).map(|errors| format!(" and {} to standard error", short(&errors)));
            let errors = errors.unwrap_or_default();
            let files = files_that_differ(files, beside).map(|(path, left)| match left {
                Some(left) => format!(", leaves {} in {path}", short(&text(session, left, &evidence.inputs))),
                None => format!(", leaves no {path}"),
            });
            format!("writes {output}{errors}{} and exits with status {status}", files.collect::<String>())
        }
    };
    let order = match evidence.order {
        symx_trace::race::AccessOrder::Seen => "in this order",
        symx_trace::race::AccessOrder::Reversed => "in the other order",
    };
    let other = evidence.other.as_ref();
    let shown = result(&evidence.shown, other);
    let other = other.map(|other| format!(", else it {}", result(other, Some(&evidence.shown))));
    format!("{order} the program {shown}{}", other.unwrap_or_default())
}

/// The files of an execution that another one does not leave so.
fn files_that_differ<'e>(
    files: &'e [(String, Option<Written>)],
    beside: Option<&'e Ending>,
) -> impl Iterator<Item = &'e (String, Option<Written>)> {
    let theirs = match beside.map(|ending| &ending.result) {
        Some(EndResult::Exit { files, .. }) => Some(files),
        _ => None,
    };
    files.iter().filter(move |file| theirs.is_some_and(|theirs| !theirs.contains(file)))
}

/// Bytes in quotes, the end of long ones left out.
fn short(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let cut = if bytes.len() > MOST { "..." } else { "" };
    format!("{:?}{cut}", String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]))
}
