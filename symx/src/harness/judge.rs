//! Whether a report is what the annotations say.

use super::annotation::{Expectations, Label, Severity};
use super::outcome_set::difference;
use super::problem::Problem;
use super::process::SymxRun;
use crate::exit_code::Verdict;
use crate::report::{Report, Violation, Warning};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use symx_trace::{FailureKind, Location};

/// Everything that is not as expected; empty if all is.
pub fn judge(source: &Path, model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<Problem> {
    let source = as_named(source);
    let source = source.as_path();
    let mut problems = Vec::new();
    let report = &run.report;
    let errors: Vec<&Label> = expectations.labels_under(model, Severity::Error).collect();
    let expected = if errors.is_empty() { Verdict::Safe } else { Verdict::Violation };
    let is_cut = report.verdict == Verdict::Incomplete;
    if report.verdict != expected {
        let cuts: Vec<String> = report.incomplete.iter().map(ToString::to_string).collect();
        let cuts = if cuts.is_empty() { String::new() } else { format!(" ({})", cuts.join("; ")) };
        let text = format!("the verdict is {}{cuts}, not {}", report.verdict.name(), expected.name());
        problems.push(Problem::new(text).unless_cut(is_cut));
    }
    if run.code != i32::from(report.verdict.exit_code()) {
        let text = format!("exit code {} with the verdict {}", run.code, report.verdict.name());
        problems.push(Problem::new(text));
    }
    for label in &errors {
        if !report.violations.iter().any(|violation| is_primary(source, label, violation)) {
            problems.push(missing("error", label).unless_cut(is_cut));
        }
    }
    for violation in &report.violations {
        let line = line_in(source, violation);
        if !violation.replayed {
            problems.push(Problem::at(line, format!("`{}` was not replayed", violation.message)));
        }
        if !errors.iter().any(|label| is_primary(source, label, violation)) {
            let at = &violation.location;
            let text = format!("unexpected error at {}:{}: {}", at.file, at.line, violation.message);
            problems.push(Problem::at(line, text));
        }
    }
    for label in expectations.labels_under(model, Severity::Note) {
        let mut notes = report.violations.iter().flat_map(|violation| &violation.notes);
        if !notes.any(|note| is_on(source, label.line, &note.location) && note.message.contains(&label.text))
        {
            problems.push(missing("note", label).unless_cut(is_cut));
        }
    }
    let contradictions = report.contradictions.iter();
    problems.extend(contradictions.map(|found| Problem::new(format!("a bug of symx: {found}"))));
    problems.extend(warnings(source, model, expectations, run));
    problems.extend(counts(model, expectations, run));
    problems
}

fn missing(kind: &str, label: &Label) -> Problem {
    Problem::at(label.line, format!("line {}: no {kind} `{}`", label.line, label.text))
}

fn warnings(source: &Path, model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<Problem> {
    let mut problems = Vec::new();
    let is_cut = run.report.verdict == Verdict::Incomplete;
    let labels: Vec<&Label> = expectations.labels_under(model, Severity::Warning).collect();
    let fits = |label: &Label, warning: &Warning| {
        is_on(source, label.line, &warning.location) && warning.message.contains(&label.text)
    };
    for label in &labels {
        if !run.report.warnings.iter().any(|warning| fits(label, warning)) {
            problems.push(missing("warning", label).unless_cut(is_cut));
        }
    }
    for warning in &run.report.warnings {
        if !labels.iter().any(|label| fits(label, warning)) {
            let at = &warning.location;
            let text = format!("unexpected warning at {}:{}: {}", at.file, at.line, warning.message);
            problems.push(Problem::at(is_in(source, at).then_some(at.line), text));
        }
    }
    problems
}

fn counts(model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<Problem> {
    let mut problems = Vec::new();
    let is_cut = run.report.verdict == Verdict::Incomplete;
    for (_, expected) in expectations.outcomes.iter().filter(|(models, _)| models.contain(model)) {
        match outputs(&run.report) {
            None => problems.push(Problem::new("the report lists no outcomes")),
            Some(seen) => {
                let is_part = seen.is_subset(expected);
                let text = difference(expected, &seen);
                problems.extend(text.map(|text| Problem::new(text).unless_cut(is_cut && is_part)));
            }
        }
    }
    let stats = &run.report.stats;
    let numbers = [
        (&expectations.executions, stats.executions, "executions"),
        (&expectations.blocked, stats.blocked, "blocked executions"),
    ];
    for (stated, seen, noun) in numbers {
        let stated = stated.iter().filter(|(models, expected)| models.contain(model) && seen != *expected);
        problems.extend(stated.map(|(_, expected)| {
            Problem::new(format!("{seen} {noun} instead of {expected}")).unless_cut(is_cut)
        }));
    }
    problems
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

/// The line of the program in which it fails: a call, if the fault is in another file.
fn line_in(source: &Path, violation: &Violation) -> Option<u32> {
    let places = [&violation.location].into_iter().chain(&violation.stack);
    places.into_iter().find(|place| is_in(source, place)).map(|place| place.line)
}

fn is_on(source: &Path, line: u32, location: &Location) -> bool {
    location.line == line && is_in(source, location)
}

/// A source as debug information names it: by its absolute path, as text.
pub fn as_named(source: &Path) -> PathBuf {
    let source = std::fs::canonicalize(source).unwrap_or_else(|_| source.into());
    source.to_string_lossy().into_owned().into()
}

/// Whether a location is in the program itself, and not in a file of that name in another folder.
pub fn is_in(source: &Path, location: &Location) -> bool {
    !location.file.is_empty() && source.ends_with(&location.file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::reported_command::ReportedCommand;
    use crate::report::{Cut, Outcome, Report, Statistics};
    use symx_trace::{Failure, IncompleteReason};

    fn run(failed_line: Option<u32>, incomplete: Vec<Cut>) -> SymxRun {
        let violations: Vec<Violation> = failed_line
            .map(|line| Failure {
                location: Location { file: "fail/a.c".into(), line, column: 1, function: "main".into() },
                ..Failure::new(FailureKind::Assert, "assertion failed: x")
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

    fn judged(annotations: &str, run: &SymxRun) -> Vec<Problem> {
        judge(Path::new("fail/a.c"), "sc", &Expectations::parse(annotations).unwrap(), run)
    }

    fn problems(annotations: &str, run: &SymxRun) -> Vec<String> {
        judged(annotations, run).into_iter().map(|problem| problem.text).collect()
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
    fn an_error_in_another_file_of_that_name_is_not_on_the_line() {
        let mut other = run(Some(1), vec![]);
        let violation = &mut other.report.violations[0];
        violation.location.file = "/suite/inc/a.c".into();
        violation.stack = vec![Location { file: "fail/a.c".into(), line: 7, ..Location::default() }];
        let found = judged("//~ ERROR: assertion failed", &other);
        assert_eq!(found.iter().map(|problem| problem.line).collect::<Vec<_>>(), [Some(1), Some(7)]);
    }

    #[test]
    fn problems_know_their_lines_and_whether_more_time_would_mend_them() {
        let unexpected = judged("", &run(Some(4), vec![]));
        assert_eq!(unexpected.iter().find_map(|problem| problem.line), Some(4));
        assert!(unexpected.iter().all(|problem| !problem.is_incompleteness));
        let cut = || run(None, vec![Cut::because(IncompleteReason::MaxTime, "")]);
        let less = judged("//@ outcomes: 00 01\n//@ executions: 2\n//~ ERROR: assertion", &cut());
        assert_eq!(less.len(), 4);
        assert!(less.iter().all(|problem| problem.is_incompleteness), "{less:?}");
        let other = judged("//@ outcomes: 01", &cut());
        assert!(!other.iter().all(|problem| problem.is_incompleteness), "{other:?}");
    }

    #[test]
    fn outcomes_and_executions_are_exact() {
        assert_eq!(problems("//@ outcomes: 00\n//@ executions: 1", &run(None, vec![])), [""; 0]);
        assert_eq!(problems("//@ outcomes: 00 01\n//@ executions: 2", &run(None, vec![])).len(), 2);
    }
}
