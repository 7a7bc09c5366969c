//! Expectations written as they came out, in place (`symx test --bless`).
//!
//! Sets and numbers that a program states are rewritten: outcomes, executions, blocked executions, races.
//! Where memory models differ, each group of models gets a line. Failures that a program is to have are not
//! rewritten: its author knows which they are.

use super::annotation::{AnnotationError, Expectations, ExpectedRace, directive};
use super::outcome_set::{stated, statement};
use std::collections::BTreeSet;

/// The results of a run, as far as annotations can express them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Distinct outputs; `None` if the report lists none.
    pub outcomes: Option<BTreeSet<String>>,
    /// Complete executions.
    pub executions: u64,
    /// Blocked executions.
    pub blocked: u64,
    /// Classes and lines of races.
    pub races: Vec<ExpectedRace>,
}

impl Seen {
    /// The value of a directive as it came out; `None` if it is no set or number, or cannot be written.
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "outcomes" => self.outcomes.as_ref().map(statement),
            "executions" => Some(self.executions.to_string()),
            "blocked" => Some(self.blocked.to_string()),
            _ => None,
        }
    }
}

/// A program's text with the sets and numbers that came out under these models. No line moves, as races and
/// flags are about lines: what needs further lines gets them at the end. Code before an annotation and the
/// ends of lines stay.
pub fn blessed(text: &str, seen: &[(&str, Seen)]) -> Result<String, AnnotationError> {
    let expected = Expectations::parse(text)?;
    let (written, ends): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').map(without_end).unzip();
    let mut lines: Vec<String> = written.iter().map(|line| (*line).to_owned()).collect();
    let mut further: Vec<String> = Vec::new();
    let mut race_lines: Vec<(usize, &str)> = Vec::new();
    let mut names_models = false;
    for (at, line) in written.into_iter().enumerate() {
        let Some(directive) = directive(at as u32 + 1, line)? else { continue };
        if directive.name == "races" {
            race_lines.push((at, directive.before));
            names_models |= !directive.models.are_all();
            continue;
        }
        let under = seen.iter().filter(|(model, _)| directive.models.contain(model));
        let Some(mut groups) = grouped(under, |seen| seen.value(directive.name)) else { continue };
        if let [(value, _)] = &groups[..] {
            let is_same = match directive.name {
                "outcomes" => stated(value) == stated(directive.value),
                _ => value == directive.value.trim(),
            };
            if !is_same {
                lines[at] = format!("{}//@ {}: {value}", directive.before, directive.head);
            }
        } else {
            let line = |(value, models): (String, Vec<&str>)| {
                format!("//@ {}[{}]: {value}", directive.name, models.join(","))
            };
            lines[at] = format!("{}{}", directive.before, line(groups.remove(0)));
            further.extend(groups.into_iter().map(line));
        }
    }
    let is_other = |(model, seen): &(&str, Seen)| sorted(expected.races_under(model)) != sorted(&seen.races);
    if !race_lines.is_empty() && seen.iter().any(is_other) {
        let mut races = race_annotations(seen, names_models).into_iter();
        for (at, before) in race_lines {
            lines[at] = match races.next() {
                Some(race) => format!("{before}{race}"),
                None => before.trim_end().to_owned(),
            };
        }
        further.extend(races);
    }
    further.retain(|line| !lines.contains(line));
    let end = ends.first().copied().filter(|end| !end.is_empty()).unwrap_or("\n");
    let mut blessed: String =
        lines.iter().map(String::as_str).zip(&ends).flat_map(|(line, end)| [line, *end]).collect();
    for line in &further {
        // A last line without an end stays one.
        let around = if text.ends_with('\n') { [line, end] } else { [end, line] };
        blessed.extend(around);
    }
    Ok(blessed)
}

/// A line and its end, which is empty if the text ends in the line.
fn without_end(line: &str) -> (&str, &str) {
    let text = line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text));
    line.split_at(text.len())
}

/// Values with the models that they came out under; `None` if one is missing, or there is no model.
fn grouped<'m, V: PartialEq>(
    seen: impl Iterator<Item = &'m (&'m str, Seen)>,
    value: impl Fn(&Seen) -> Option<V>,
) -> Option<Vec<(V, Vec<&'m str>)>> {
    let mut groups: Vec<(V, Vec<&str>)> = Vec::new();
    for (model, seen) in seen {
        let value = value(seen)?;
        match groups.iter_mut().find(|(other, _)| *other == value) {
            Some((_, models)) => models.push(model),
            None => groups.push((value, vec![model])),
        }
    }
    (!groups.is_empty()).then_some(groups)
}

/// The annotations of all races. Models are named if they differ, or if they were: a variant runs only where
/// it is named.
fn race_annotations(seen: &[(&str, Seen)], names_models: bool) -> Vec<String> {
    let groups = grouped(seen.iter(), |seen| Some(sorted(&seen.races))).unwrap_or_default();
    let names_models = names_models || groups.len() > 1;
    let mut lines = Vec::new();
    for (mut races, models) in groups {
        if races.is_empty() {
            races.push("none".into());
        }
        let models = if names_models { format!("[{}]", models.join(",")) } else { String::new() };
        lines.extend(races.iter().map(|race| format!("//@ races{models}: {race}")));
    }
    lines
}

fn sorted<'r>(races: impl IntoIterator<Item = &'r ExpectedRace>) -> Vec<String> {
    let mut races: Vec<String> = races.into_iter().map(ToString::to_string).collect();
    races.sort();
    races
}

#[cfg(test)]
mod tests {
    use super::super::annotation::RacePlace;
    use super::*;

    fn race(class: &str, lines: [u32; 2]) -> ExpectedRace {
        let places = lines.map(|line| RacePlace { file: String::new(), line });
        ExpectedRace { class: class.into(), places }
    }

    fn seen(outcomes: &[&str], executions: u64) -> Seen {
        let outcomes = Some(outcomes.iter().map(|word| (*word).to_owned()).collect());
        Seen { outcomes, executions, ..Seen::default() }
    }

    #[test]
    fn what_came_out_replaces_what_was_expected() {
        let text =
            "//@ outcomes: 9\n//@ executions[sc]: 7\n//@ flags: --check leak\nint x; // `//@ native`\n";
        let came = [("sc", seen(&["01", "00"], 3)), ("tso", seen(&["00", "01"], 4))];
        let expected =
            "//@ outcomes: 00 01\n//@ executions[sc]: 3\n//@ flags: --check leak\nint x; // `//@ native`\n";
        assert_eq!(blessed(text, &came).unwrap(), expected);
        assert_eq!(blessed(expected, &came).unwrap(), expected);
    }

    #[test]
    fn models_that_differ_have_lines_of_their_own() {
        let came = [("sc", seen(&["1"], 1)), ("tso", seen(&["1", "0"], 2)), ("pso", seen(&["0", "1"], 2))];
        let text = "  //@ outcomes: 1\n//@ executions: 1";
        let expected = "  //@ outcomes[sc]: 1\n//@ executions[sc]: 1\n\
                        //@ outcomes[tso,pso]: 0 1\n//@ executions[tso,pso]: 2";
        assert_eq!(blessed(text, &came).unwrap(), expected);
    }

    #[test]
    fn races_are_listed_anew_and_move_no_line() {
        let race = |lines: [u32; 2]| race("output-differs", lines);
        let raced = Seen { races: vec![race([3, 8]), race([3, 4])], ..Seen::default() };
        let came = [("sc", Seen::default()), ("tso", raced)];
        let text = "//@ races[sc]: none\nx\n//@ races[tso]: spec-violated at 9\ny\n";
        let expected = "//@ races[sc]: none\nx\n//@ races[tso]: output-differs at 3 4\ny\n\
                        //@ races[tso]: output-differs at 3 8\n";
        assert_eq!(blessed(text, &came).unwrap(), expected);
        assert_eq!(blessed(expected, &came).unwrap(), expected);
        let fewer = [("sc", Seen::default()), ("tso", Seen::default())];
        let gone = "//@ races[sc,tso]: none\nx\n\ny\n\n";
        assert_eq!(blessed(expected, &fewer).unwrap(), gone);
    }

    #[test]
    fn code_before_an_annotation_stays() {
        let raced = |races| [("sc", Seen { races, ..Seen::default() })];
        let race = race("k-witness-harmless", [3, 5]);
        let text = "x = 2; //@ races: single-ordering at 5\ny = 1; //@ races: single-ordering at 2\n";
        let expected = "x = 2; //@ races: k-witness-harmless at 3 5\ny = 1;\n";
        assert_eq!(blessed(text, &raced(vec![race])).unwrap(), expected);
        let none = "x = 2; //@ races: none\ny = 1;\n";
        assert_eq!(blessed(text, &raced(vec![])).unwrap(), none);
    }

    #[test]
    fn ends_of_lines_stay() {
        let text = "//@ outcomes: 1\r\nint x;\n\r\nint y;\r\n";
        assert_eq!(blessed(text, &[("sc", seen(&["1"], 1))]).unwrap(), text);
        let other = [("sc", seen(&["2"], 1)), ("tso", seen(&["3"], 1))];
        let expected = "//@ outcomes[sc]: 2\r\nint x;\n\r\nint y;\r\n//@ outcomes[tso]: 3\r\n";
        assert_eq!(blessed(text, &other).unwrap(), expected);
    }

    #[test]
    fn races_keep_the_models_they_name() {
        let race = race("output-differs", [8, 8]);
        let raced = || Seen { races: vec![race.clone()], ..Seen::default() };
        let came = [("sc", raced()), ("weak", raced())];
        let text = "//@ races[sc,weak]: output-differs at 8 9";
        assert_eq!(blessed(text, &came).unwrap(), "//@ races[sc,weak]: output-differs at 8");
        assert_eq!(blessed("//@ races: none", &came).unwrap(), "//@ races: output-differs at 8");
    }

    #[test]
    fn outputs_that_are_no_words_are_quoted() {
        let came = [("sc", seen(&["two words", "1"], 1))];
        let quoted = r#"//@ outcomes: 1 "two words""#;
        assert_eq!(blessed("//@ outcomes: 1", &came).unwrap(), quoted);
        assert_eq!(blessed(quoted, &came).unwrap(), quoted);
    }
}
