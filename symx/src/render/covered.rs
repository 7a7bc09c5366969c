//! The coverage of a run without a failure: checks, bounds, distinct outputs.

use crate::exit_code::Verdict;
use crate::options::covered::Covered;
use crate::options::properties::{Answer, PropertyVerdict};
use crate::report::{Outcome, Report};
use crate::text::{counted, visible};
use symx_trace::FailureKind;

/// Distinct outputs that are listed.
const MOST_OUTPUTS: usize = 6;

/// Ends of executions that do not count and are listed.
const MOST_ENDS: usize = 4;

/// Characters of an output that are shown.
const MOST_CHARACTERS: usize = 48;

/// The lines below the verdict, and the notes.
pub fn covered(report: &Report) -> String {
    let mut text = String::new();
    let has_failed = report.verdict == Verdict::Violation;
    text.push_str(&report.property.as_ref().map(property).unwrap_or_default());
    if let Some(covered) = report.covered.as_ref().filter(|_| !has_failed) {
        text.push_str(&checks(covered, report.verdict));
        // Where each state was explored once, nothing says how many executions have an output.
        text.push_str(&outputs(report.outcomes.as_deref(), report.stats.states.is_none()));
    }
    for note in report.notes.iter().cloned().chain(exit_statuses(report)) {
        text.push_str(&format!("note: {}\n", visible(&note)));
    }
    text
}

/// The verdict on properties, and ends of executions that are none of their concern.
fn property(told: &PropertyVerdict) -> String {
    let answer = match (told.answer, &told.violated) {
        (Answer::True, _) => "true".to_owned(),
        (Answer::False, Some(part)) if *part != told.property => format!("false ({part})"),
        (Answer::False, _) => "false".to_owned(),
        (Answer::Unknown, _) => "unknown".to_owned(),
    };
    let expected = match told.expected {
        Some(expected) => format!(", expected {expected}"),
        None => String::new(),
    };
    let mut ends: Vec<String> = told.quiet_ends.iter().take(MOST_ENDS).cloned().collect();
    if told.quiet_ends.len() > MOST_ENDS {
        ends.push(format!("and {} more (--json)", told.quiet_ends.len() - MOST_ENDS));
    }
    let mut text = format!("property   {}: {answer}{expected}\n", told.property);
    if !ends.is_empty() {
        text.push_str(&format!("also ends  {}\n", visible(&ends.join(", "))));
    }
    text
}

fn checks(covered: &Covered, verdict: Verdict) -> String {
    let unchecked = match names(&covered.unchecked) {
        none if none.is_empty() => none,
        others => format!(" (not checked: {others})"),
    };
    let bounds = match (covered.bounds.join(", "), verdict) {
        (none, _) if none.is_empty() => "none".to_owned(),
        (bounds, Verdict::Safe) => format!("{bounds} (not reached)"),
        (bounds, _) => bounds,
    };
    let checks = match names(&covered.checks) {
        none if none.is_empty() => none,
        checks => format!("checks     {checks}{unchecked}\n"),
    };
    format!("{checks}bounds     {bounds}\n")
}

fn names(checks: &[FailureKind]) -> String {
    checks.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

fn outputs(outcomes: Option<&[Outcome]>, are_counted: bool) -> String {
    let Some(outcomes) = outcomes else { return "outputs    too many to list\n".into() };
    let title = match outcomes {
        [] => return String::new(),
        [_] => "outputs    the same in every execution: ".to_owned(),
        many => format!("outputs    {} distinct: ", many.len()),
    };
    let listed = outcomes.iter().take(MOST_OUTPUTS);
    let mut shown: Vec<String> = listed.map(|it| outcome(it, are_counted)).collect();
    if outcomes.len() > MOST_OUTPUTS {
        shown.push(format!("and {} more (--json)", outcomes.len() - MOST_OUTPUTS));
    }
    format!("{title}{}\n", shown.join(", "))
}

/// `"3\n" (2 executions)`.
fn outcome(outcome: &Outcome, is_counted: bool) -> String {
    let escaped = visible(&outcome.stdout).replace('\n', "\\n").replace('\t', "\\t");
    let output = match escaped.chars().count() {
        0 => "no output".to_owned(),
        length if length > MOST_CHARACTERS => {
            let start: String = escaped.chars().take(MOST_CHARACTERS).collect();
            format!("\"{start}...\"")
        }
        _ => format!("\"{escaped}\""),
    };
    let executions = is_counted.then(|| counted(outcome.executions, "execution"));
    let status = (outcome.exit_status != 0).then(|| format!("exit status {}", outcome.exit_status));
    let example = outcome.example.then(|| "an example".to_owned());
    let details: Vec<String> = executions.into_iter().chain(status).chain(example).collect();
    if details.is_empty() { output } else { format!("{output} ({})", details.join(", ")) }
}

/// That executions end with another status than 0, where that is no failure.
fn exit_statuses(report: &Report) -> Option<String> {
    if report.property.is_some() || report.covered.as_ref()?.checks.contains(&FailureKind::Exit) {
        return None;
    }
    let outcomes = report.outcomes.as_ref()?;
    let mut statuses: Vec<u8> =
        outcomes.iter().map(|outcome| outcome.exit_status).filter(|status| *status != 0).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let shown = statuses.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let number = |outcome: &&Outcome| outcome.exit_status != 0;
    let executions: u64 = outcomes.iter().filter(number).map(|outcome| outcome.executions).sum();
    let exit = match (report.stats.states, executions) {
        (Some(_), _) => "executions exit".to_owned(),
        (None, 1) => "1 execution exits".to_owned(),
        (None, many) => format!("{many} executions exit"),
    };
    (!statuses.is_empty()).then(|| format!("{exit} with status {shown}; `--check exit` makes that a failure"))
}

/// The meaning of `safe` where executions do not all end alike.
pub fn safe(report: &Report) -> String {
    match report.outcomes.as_deref() {
        Some([] | [_]) => "safe".into(),
        Some(many) => format!("safe: no check failed; {} distinct outputs", many.len()),
        None => "safe: no check failed; many distinct outputs".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stdout: &str, exit_status: u8, executions: u64) -> Outcome {
        Outcome { stdout: stdout.into(), hex: None, exit_status, executions, example: false }
    }

    #[test]
    fn outputs_are_listed_with_their_executions() {
        let three = [of("2\n", 0, 1), of("3\n", 0, 2), of("", 1, 4)];
        assert_eq!(
            outputs(Some(&three), true),
            "outputs    3 distinct: \"2\\n\" (1 execution), \"3\\n\" (2 executions), no output (4 executions, exit status 1)\n"
        );
        assert_eq!(
            outputs(Some(&three[..1]), true),
            "outputs    the same in every execution: \"2\\n\" (1 execution)\n"
        );
        let many: Vec<Outcome> = (0..9).map(|number| of(&number.to_string(), 0, 1)).collect();
        assert!(outputs(Some(&many), true).contains("and 3 more (--json)"));
        assert_eq!(
            outputs(Some(&three[1..]), false),
            "outputs    2 distinct: \"3\\n\", no output (exit status 1)\n",
            "states were counted"
        );
    }

    #[test]
    fn a_bound_that_is_given_is_said() {
        let covered = Covered {
            checks: vec![FailureKind::Assert],
            unchecked: vec![FailureKind::Race],
            bounds: vec!["--preemptions 2".into()],
        };
        assert_eq!(
            checks(&covered, Verdict::Safe),
            "checks     assert (not checked: race)\nbounds     --preemptions 2 (not reached)\n"
        );
        assert!(checks(&covered, Verdict::Incomplete).ends_with("bounds     --preemptions 2\n"));
        assert_eq!(checks(&Covered::default(), Verdict::Safe), "bounds     none\n");
    }
}
