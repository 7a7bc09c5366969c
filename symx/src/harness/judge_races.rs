//! Whether the races of a report are those that the annotations name.

use super::annotation::{Expectations, ExpectedRace};
use super::problem::Problem;
use super::process::SymxRun;
use crate::exit_code::Verdict;
use crate::report::ClassifiedRace;

/// Everything that is not as expected; empty if all is.
pub fn judge_races(model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<Problem> {
    let report = &run.report;
    let is_cut = report.verdict == Verdict::Incomplete;
    let expected: Vec<&ExpectedRace> = expectations.races_under(model).collect();
    let mut seen: Vec<ExpectedRace> = report.races.iter().flatten().map(described).collect();
    let mut problems = Vec::new();
    for race in expected {
        match seen.iter().position(|known| known == race) {
            Some(at) => drop(seen.remove(at)),
            None => problems.push(Problem::at(race.lines[0], format!("no race {race}")).unless_cut(is_cut)),
        }
    }
    problems.extend(seen.iter().map(|race| Problem::at(race.lines[0], format!("unexpected race {race}"))));
    let harmful = || report.races.iter().flatten().filter(|race| race.class.is_harmful());
    let unconfirmed = harmful().filter(|race| !race.replayed).map(described);
    problems.extend(unconfirmed.map(|race| Problem::at(race.lines[0], format!("{race} was not replayed"))));
    let verdict = if harmful().next().is_some() { Verdict::Violation } else { Verdict::Safe };
    if report.verdict != verdict {
        let cuts: Vec<String> = report.incomplete.iter().map(ToString::to_string).collect();
        let (seen, wanted) = (report.verdict.name(), verdict.name());
        let text = format!("the verdict is {seen} ({}), not {wanted}", cuts.join("; "));
        problems.push(Problem::new(text).unless_cut(is_cut));
    }
    if run.code != i32::from(report.verdict.exit_code()) {
        let text = format!("exit code {} with the verdict {}", run.code, report.verdict.name());
        problems.push(Problem::new(text));
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
