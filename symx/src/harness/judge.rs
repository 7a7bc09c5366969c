//! Whether a report is what the annotations say.

use super::annotation::{Expectations, Label, Severity};
use super::outcome_set::difference;
use super::process::SymxRun;
use crate::exit_code::Verdict;
use crate::report::{Report, Violation, Warning};
use std::collections::BTreeSet;
use std::path::Path;
use symx_trace::{FailureKind, Location};

/// Everything that is not as expected; empty if all is.
pub fn judge(source: &Path, model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<String> {
    let mut problems = Vec::new();
    let report = &run.report;
    let errors: Vec<&Label> = expectations.labels_under(model, Severity::Error).collect();
    let expected = if errors.is_empty() { Verdict::Safe } else { Verdict::Violation };
    if report.verdict != expected {
        let cuts: Vec<String> = report.incomplete.iter().map(ToString::to_string).collect();
        let cuts = if cuts.is_empty() { String::new() } else { format!(" ({})", cuts.join("; ")) };
        problems.push(format!("the verdict is {}{cuts}, not {}", report.verdict.name(), expected.name()));
    }
    if run.code != i32::from(report.verdict.exit_code()) {
        problems.push(format!("exit code {} with the verdict {}", run.code, report.verdict.name()));
    }
    for label in &errors {
        if !report.violations.iter().any(|violation| is_primary(source, label, violation)) {
            problems.push(format!("line {}: no error `{}`", label.line, label.text));
        }
    }
    for violation in &report.violations {
        if !violation.replayed {
            problems.push(format!("`{}` was not replayed", violation.message));
        }
        if !errors.iter().any(|label| is_primary(source, label, violation)) {
            let at = &violation.location;
            problems.push(format!("unexpected error at {}:{}: {}", at.file, at.line, violation.message));
        }
    }
    for label in expectations.labels_under(model, Severity::Note) {
        let mut notes = report.violations.iter().flat_map(|violation| &violation.notes);
        if !notes.any(|note| is_on(source, label.line, &note.location) && note.message.contains(&label.text))
        {
            problems.push(format!("line {}: no note `{}`", label.line, label.text));
        }
    }
    problems.extend(report.contradictions.iter().map(|found| format!("a bug of symx: {found}")));
    warnings(source, model, expectations, run, &mut problems);
    counts(model, expectations, run, &mut problems);
    problems
}

fn warnings(
    source: &Path,
    model: &str,
    expectations: &Expectations,
    run: &SymxRun,
    problems: &mut Vec<String>,
) {
    let labels: Vec<&Label> = expectations.labels_under(model, Severity::Warning).collect();
    let fits = |label: &Label, warning: &Warning| {
        is_on(source, label.line, &warning.location) && warning.message.contains(&label.text)
    };
    for label in &labels {
        if !run.report.warnings.iter().any(|warning| fits(label, warning)) {
            problems.push(format!("line {}: no warning `{}`", label.line, label.text));
        }
    }
    for warning in &run.report.warnings {
        if !labels.iter().any(|label| fits(label, warning)) {
            let at = &warning.location;
            problems.push(format!("unexpected warning at {}:{}: {}", at.file, at.line, warning.message));
        }
    }
}

fn counts(model: &str, expectations: &Expectations, run: &SymxRun, problems: &mut Vec<String>) {
    for (_, expected) in expectations.outcomes.iter().filter(|(models, _)| models.contain(model)) {
        match outputs(&run.report) {
            None => problems.push("the report lists no outcomes".into()),
            Some(seen) => problems.extend(difference(expected, &seen)),
        }
    }
    for (_, expected) in expectations.executions.iter().filter(|(models, _)| models.contain(model)) {
        let seen = run.report.stats.executions;
        if seen != *expected {
            problems.push(format!("{seen} executions instead of {expected}"));
        }
    }
    for (_, expected) in expectations.blocked.iter().filter(|(models, _)| models.contain(model)) {
        let seen = run.report.stats.blocked;
        if seen != *expected {
            problems.push(format!("{seen} blocked executions instead of {expected}"));
        }
    }
}

/// The distinct outputs of a report, as annotations list them.
pub fn outputs(report: &Report) -> Option<BTreeSet<String>> {
    let outcomes = report.outcomes.as_ref()?;
    Some(outcomes.iter().map(|outcome| outcome.stdout.trim().to_owned()).collect())
}

/// Whether a violation is where a label says. A race is at both of its accesses: which comes first
/// depends on the search.
fn is_primary(source: &Path, label: &Label, violation: &Violation) -> bool {
    let other = violation.notes.first().filter(|_| violation.kind == FailureKind::Race);
    let places = [Some(&violation.location), other.map(|note| &note.location)];
    places.into_iter().flatten().any(|place| is_on(source, label.line, place))
        && violation.message.contains(&label.text)
}

fn is_on(source: &Path, line: u32, location: &Location) -> bool {
    location.line == line && Path::new(&location.file).file_name() == source.file_name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::reported_command::ReportedCommand;
    use crate::report::{Cut, Outcome, Report, Statistics};
    use symx_trace::{Failure, FailureDetail, IncompleteReason, ThreadName};

    fn run(failed_line: Option<u32>, incomplete: Vec<Cut>) -> SymxRun {
        let violations: Vec<Violation> = failed_line
            .map(|line| Failure {
                kind: FailureKind::Assert,
                detail: FailureDetail::Plain,
                message: "assertion failed: x".into(),
                location: Location { file: "fail/a.c".into(), line, column: 1, function: "main".into() },
                thread: ThreadName::main(),
                stack: vec![],
                notes: vec![],
                others: vec![],
                wait: None,
            })
            .iter()
            .map(|failure| Violation::new(failure, 0, 0))
            .collect();
        let report = Report {
            program: "a.bc".into(),
            memmodel: "sc".into(),
            outcomes: Some(vec![Outcome {
                stdout: "00\n".into(),
                hex: None,
                exit_status: 0,
                executions: 1,
                example: false,
            }]),
            stats: Statistics { executions: 1, ..Statistics::default() },
            ..Report::new(ReportedCommand::Run, violations, incomplete)
        };
        SymxRun { code: i32::from(report.verdict.exit_code()), report }
    }

    fn problems(annotations: &str, run: &SymxRun) -> Vec<String> {
        judge(Path::new("fail/a.c"), "sc", &Expectations::parse(annotations).unwrap(), run)
    }

    #[test]
    fn an_annotated_error_must_be_there_and_only_there() {
        assert_eq!(problems("//~ ERROR: assertion failed", &run(Some(1), vec![])), [""; 0]);
        assert_eq!(problems("//~ ERROR: assertion failed", &run(Some(2), vec![])).len(), 2);
        assert_eq!(problems("//~ ERROR: assertion failed", &run(None, vec![])).len(), 2);
        assert_eq!(problems("//~[pso] ERROR: assertion failed", &run(Some(1), vec![])).len(), 2);
        assert_eq!(problems("", &run(None, vec![])), [""; 0]);
    }

    #[test]
    fn incomplete_is_neither_safe_nor_an_error() {
        let cut = vec![Cut::because(IncompleteReason::MaxTime, "")];
        assert_eq!(problems("", &run(None, cut)), ["the verdict is incomplete (max-time), not safe"]);
    }

    #[test]
    fn outcomes_and_executions_are_exact() {
        assert_eq!(problems("//@ outcomes: 00\n//@ executions: 1", &run(None, vec![])), [""; 0]);
        assert_eq!(problems("//@ outcomes: 00 01\n//@ executions: 2", &run(None, vec![])).len(), 2);
    }
}
