//! Properties of `symx run --property` and of verification tasks: what to check, and how to report it.

use super::RunArguments;
use crate::commands::compose::witness;
use crate::exit_code::Verdict;
use crate::load::language::Language;
use crate::options::properties::task::Task;
use crate::options::properties::{Answer, Properties, Property, PropertyVerdict};
use crate::refusal::Refusal;
use crate::render::place;
use crate::report::{Cut, Report};
use crate::schedules::confirm::Findings;
use crate::session::Session;
use crate::text::one_line;
use std::path::Path;
use symx_posix_model::is_error_call;
use symx_trace::{Failure, IncompleteReason};

/// The same run, of the source that a task names, and of its property.
pub fn of_task(arguments: &RunArguments, path: &Path) -> Result<RunArguments, Refusal> {
    let task = Task::read(path)?;
    let question = task.question(&arguments.exploring.properties(), path)?;
    let mut arguments = arguments.clone();
    arguments.program = Some(task.source);
    arguments.exploring.property = vec![question.properties];
    arguments.expected = question.expected;
    Ok(arguments)
}

/// The reasons why the executed code does not decide properties, whatever was found.
pub fn cannot_tell(session: &Session, properties: &Properties) -> Vec<Cut> {
    let program = &session.loaded.program;
    let name = session.loaded.path.display();
    let cut = |what: String| Cut::because(IncompleteReason::Unsupported, what);
    let mut cuts = Vec::new();
    if properties.has(Property::NoOverflow) && !session.loaded.checks_overflow {
        cuts.push(cut(format!(
            "no-overflow: in bitcode, sums that nothing uses and shifts have no sign; \
             give the source of {name} in C or C++"
        )));
    }
    let mut errors = program.externals.iter().filter(|external| is_error_call(&external.name)).peekable();
    let may_be_inlined = properties.has(Property::UnreachCall) && !keeps_calls(session);
    if may_be_inlined && errors.peek().is_none() {
        cuts.push(cut(format!(
            "unreach-call: {name} names no `reach_error`, or a compiler has taken it out with its calls"
        )));
    }
    let is_hidden = |body| !program.function(body).never_inlined;
    if may_be_inlined && let Some(hidden) = errors.find(|external| external.fallback.is_some_and(is_hidden)) {
        cuts.push(cut(format!(
            "unreach-call: a compiler may have put the body of `{}` in place of its calls in {name} (-O0 or \
             -fno-inline keeps them)",
            hidden.name
        )));
    }
    cuts
}

/// Whether each call of the program's source is a call in its bitcode: whether it was compiled here, as C.
fn keeps_calls(session: &Session) -> bool {
    Language::of(&session.loaded.path) == Some(Language::C)
}

/// Adds to a report what it says of the properties asked for, and what an earlier part of it said.
pub fn tell(report: &mut Report, findings: &Findings, arguments: &RunArguments) {
    let properties = arguments.exploring.properties();
    if properties.is_empty() {
        return;
    }
    let first = findings.confirmed.first().and_then(|confirmed| confirmed.schedule.failure.as_ref());
    let earlier = report.property.take();
    let violated = first.and_then(|failure| properties.violated_by(failure)).map(|it| it.name().to_owned());
    let violated = violated.or_else(|| earlier.as_ref()?.violated.clone());
    let answer = match (report.verdict, &violated) {
        (Verdict::Safe, _) => Answer::True,
        (Verdict::Violation, Some(_)) => Answer::False,
        _ => Answer::Unknown,
    };
    if properties.has(Property::Termination) && report.stats.threads > 1 {
        report.assumptions.push("a thread that can go on does go on some time".into());
    }
    let mut quiet_ends = earlier.map_or_else(Vec::new, |earlier| earlier.quiet_ends);
    for end in findings.quiet.iter().map(end) {
        if !quiet_ends.contains(&end) {
            quiet_ends.push(end);
        }
    }
    report.property = Some(PropertyVerdict {
        property: properties.name(),
        specification: properties.specification(),
        answer,
        violated,
        expected: arguments.expected,
        quiet_ends,
    });
}

/// An end of an execution in a line.
fn end(failure: &Failure) -> String {
    let message = one_line(&failure.message);
    match place(&failure.location) {
        nowhere if nowhere.is_empty() => message,
        at => format!("{message} ({at})"),
    }
}

/// Writes a witness of what was found, if there is one of it.
pub fn write_witness(
    path: &Path,
    session: &Session,
    arguments: &RunArguments,
    findings: &Findings,
    report: &Report,
) -> Result<(), Refusal> {
    let program = &session.loaded.path;
    let is_true = report.property.as_ref().is_some_and(|told| told.answer == Answer::True);
    match findings.confirmed.first() {
        Some(confirmed) => witness::write_violation(path, program, &confirmed.explanation.failing),
        None if is_true => witness::write_correctness(path, program, &arguments.exploring.properties()),
        None if report.property.is_none() => Err(Refusal::Usage(
            "--witness: nothing was found, and without --property nothing was asked".into(),
        )),
        None => Ok(()),
    }
}
