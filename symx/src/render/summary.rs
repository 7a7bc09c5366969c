//! The verdict in one line, and what it stands on.

use crate::exit_code::Verdict;
use crate::report::Report;

/// `safe`, `violation` or `incomplete: reasons`, with the amount of work.
pub fn summary(report: &Report) -> String {
    let reasons: Vec<String> = report.incomplete.iter().map(ToString::to_string).collect();
    let verdict = match report.verdict {
        Verdict::Safe => "safe".to_owned(),
        Verdict::Incomplete => format!("incomplete: {}", reasons.join("; ")),
        Verdict::Violation => match report.violations.as_slice() {
            [one] => format!("violation: {}", one_line(&one.message)),
            many => format!("violation: {} errors", many.len()),
        },
    };
    let stats = &report.stats;
    let executions = if stats.executions == 1 { "execution" } else { "executions" };
    let assuming: String =
        report.assumptions.iter().map(|assumption| format!("assuming that {assumption}\n")).collect();
    let solver = match stats.queries {
        0 => String::new(),
        queries => format!(
            ", {} paths, {queries} queries ({} to Z3), {} ms in the solver",
            stats.paths, stats.solver_queries, stats.solver_ms
        ),
    };
    let lines = match (stats.lines_executed, stats.lines) {
        (Some(executed), Some(all)) if all > 0 => {
            format!(", {executed} of {all} lines ({} %)", executed * 100 / all)
        }
        _ => String::new(),
    };
    format!(
        "{verdict}\n{assuming}{} {executions} ({} blocked) under {}, {} instructions{solver}{lines}, {}.{:03} s\n",
        stats.executions,
        stats.blocked,
        report.memmodel,
        stats.instructions,
        stats.wall_ms / 1000,
        stats.wall_ms % 1000
    )
}

/// The text on one line.
pub fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
