//! Whether the races of a report are those that the annotations name.

use super::annotation::{Expectations, ExpectedRace};
use super::process::SymxRun;
use crate::exit_code::Verdict;
use crate::report::ClassifiedRace;

/// Everything that is not as expected; empty if all is.
pub fn judge_races(model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<String> {
    let report = &run.report;
    let expected: Vec<&ExpectedRace> = expectations.races_under(model).collect();
    let mut seen: Vec<ExpectedRace> = report.races.iter().flatten().map(described).collect();
    let mut problems = Vec::new();
    for race in expected {
        match seen.iter().position(|known| known == race) {
            Some(at) => drop(seen.remove(at)),
            None => problems.push(format!("no race {race}")),
        }
    }
    problems.extend(seen.iter().map(|race| format!("unexpected race {race}")));
    let harmful = || report.races.iter().flatten().filter(|race| race.class.is_harmful());
    problems.extend(
        harmful().filter(|race| !race.replayed).map(|race| format!("{} was not replayed", described(race))),
    );
    let verdict = if harmful().next().is_some() { Verdict::Violation } else { Verdict::Safe };
    if report.verdict != verdict {
        let cuts: Vec<String> = report.incomplete.iter().map(ToString::to_string).collect();
        let (seen, wanted) = (report.verdict.name(), verdict.name());
        problems.push(format!("the verdict is {seen} ({}), not {wanted}", cuts.join("; ")));
    }
    if run.code != i32::from(report.verdict.exit_code()) {
        problems.push(format!("exit code {} with the verdict {}", run.code, report.verdict.name()));
    }
    problems
}

/// A race as annotations describe it.
pub fn described(race: &ClassifiedRace) -> ExpectedRace {
    let line = |index: usize| race.accesses.get(index).map_or(0, |access| access.location.line);
    let mut lines = [line(0), line(1)];
    lines.sort_unstable();
    ExpectedRace { class: race.class.name().into(), lines }
}
