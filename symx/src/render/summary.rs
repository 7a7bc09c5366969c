//! The verdict in one line, and what it stands on.

use super::covered::safe;
use crate::exit_code::Verdict;
use crate::report::{Contradiction, Report};
use crate::text::{counted, one_line, percent, visible};

/// `safe`, `violation` or `incomplete: reasons`, with the amount of work.
pub fn summary(report: &Report) -> String {
    let reasons: Vec<String> = report.incomplete.iter().map(ToString::to_string).collect();
    let verdict = match report.verdict {
        Verdict::Safe => safe(report),
        Verdict::Incomplete => format!("incomplete: {}", reasons.join("; ")),
        Verdict::Violation => match report.violations.as_slice() {
            [one] => format!("violation: {}", one_line(&one.message)),
            many => format!("violation: {} errors", many.len()),
        },
    };
    let verdict = visible(&verdict);
    let stats = &report.stats;
    let executions = if stats.executions == 1 { "execution" } else { "executions" };
    let assuming: String = report
        .assumptions
        .iter()
        .map(|assumption| format!("assuming that {}\n", visible(assumption)))
        .collect();
    let bugs: String = report.contradictions.iter().map(contradiction).collect();
    let solver = match stats.queries {
        0 => String::new(),
        queries => format!(
            ", {} on symbolic values, {} ({} to Z3), {} ms in the solver",
            counted(stats.paths, "fork"),
            if queries == 1 { "1 query".into() } else { format!("{queries} queries") },
            stats.solver_queries,
            stats.solver_ms
        ),
    };
    let lines = match (stats.lines_executed, stats.lines) {
        (Some(executed), Some(all)) if all > 0 => {
            format!(", {executed} of {all} lines ({} %)", executed * 100 / all)
        }
        _ => String::new(),
    };
    let explored = stats
        .explored_per_million
        .map_or_else(String::new, |parts| format!(" (estimated {} of all)", percent(f64::from(parts) / 1e6)));
    let amount = match stats.states {
        None => format!("{} {executions} ({} blocked){explored}", stats.executions, stats.blocked),
        Some(states) => format!("{}, each explored once{explored}", counted(states, "state")),
    };
    format!(
        "{verdict}\n{bugs}{assuming}{amount} under {}, {} instructions{solver}{lines}, {}.{:03} s\n",
        report.memmodel,
        stats.instructions,
        stats.wall_ms / 1000,
        stats.wall_ms % 1000
    )
}

/// A bug of symx, in a line.
pub fn contradiction(found: &Contradiction) -> String {
    format!("this is a bug of symx, please report it: {}\n", visible(&found.to_string()))
}
