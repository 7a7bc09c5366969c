//! Whether the races of a report are those that the annotations name.

use super::annotation::{Expectations, ExpectedRace, RacePlace};
use super::judge::{as_named, is_in};
use super::problem::Problem;
use super::process::SymxRun;
use crate::exit_code::Verdict;
use crate::report::ClassifiedRace;
use std::path::Path;
use symx_ir::short_file;
use symx_trace::Location;

/// Everything that is not as expected; empty if all is.
pub fn judge_races(source: &Path, model: &str, expectations: &Expectations, run: &SymxRun) -> Vec<Problem> {
    let source = &as_named(source);
    let described = |race: &ClassifiedRace| described(source, race);
    let at = |race: &ExpectedRace, text: String| {
        Problem::at(race.places.iter().find_map(RacePlace::own_line), text)
    };
    let report = &run.report;
    let is_cut = report.verdict == Verdict::Incomplete;
    let expected: Vec<&ExpectedRace> = expectations.races_under(model).collect();
    let mut seen: Vec<ExpectedRace> = report.races.iter().flatten().map(described).collect();
    let mut problems = Vec::new();
    for race in expected {
        match seen.iter().position(|known| known == race) {
            Some(at) => drop(seen.remove(at)),
            None => problems.push(at(race, format!("no race {race}")).unless_cut(is_cut)),
        }
    }
    problems.extend(seen.iter().map(|race| at(race, format!("unexpected race {race}"))));
    let harmful = || report.races.iter().flatten().filter(|race| race.class.is_harmful());
    let unconfirmed = harmful().filter(|race| !race.replayed).map(described);
    problems.extend(unconfirmed.map(|race| at(&race, format!("{race} was not replayed"))));
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

/// A race as annotations of the program `source`, by its path in debug information, describe it.
pub fn described(source: &Path, race: &ClassifiedRace) -> ExpectedRace {
    let place = |location: &Location| {
        let name = || short_file(&location.file).to_owned();
        let file = if is_in(source, location) { String::new() } else { name() };
        RacePlace { file, line: location.line }
    };
    let place = |index: usize| race.accesses.get(index).map(|access| place(&access.location));
    let mut places =
        [0, 1].map(|index| place(index).unwrap_or_else(|| RacePlace { file: String::new(), line: 0 }));
    places.sort_unstable();
    ExpectedRace { class: race.class.name().into(), places }
}
