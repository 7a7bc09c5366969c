//! Expectations written as they came out, in place (`symx test --bless`).
//!
//! Sets and numbers that a program states are rewritten: outcomes, executions, blocked executions, races.
//! Where memory models differ, each group of models gets a line. Failures that a program is to have are not
//! rewritten: its author knows which they are.

use super::annotation::{AnnotationError, ExpectedRace, directive};
use std::collections::BTreeSet;

/// What a run came to, as far as annotations can say it.
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
    /// The values of a directive as they came out, one a line; `None` if it is no set or number, or if its
    /// values cannot be written so.
    fn values(&self, name: &str) -> Option<Vec<String>> {
        match name {
            "outcomes" => {
                let outcomes = self.outcomes.as_ref()?;
                let is_word =
                    |outcome: &String| !outcome.is_empty() && !outcome.contains(char::is_whitespace);
                let words: Vec<&str> = outcomes.iter().map(String::as_str).collect();
                outcomes.iter().all(is_word).then(|| vec![words.join(" ")])
            }
            "executions" => Some(vec![self.executions.to_string()]),
            "blocked" => Some(vec![self.blocked.to_string()]),
            "races" if self.races.is_empty() => Some(vec!["none".into()]),
            "races" => {
                let mut races: Vec<String> = self.races.iter().map(ToString::to_string).collect();
                races.sort();
                Some(races)
            }
            _ => None,
        }
    }
}

/// A program's text with the sets and numbers that came out under these models.
pub fn blessed(text: &str, seen: &[(&str, Seen)]) -> Result<String, AnnotationError> {
    let mut lines: Vec<String> = Vec::new();
    let mut has_races = false;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(directive) = directive(number, line)? else {
            lines.push(line.to_owned());
            continue;
        };
        let is_race = directive.name == "races";
        // The first line of races stands for all of them, whatever their models.
        if is_race && std::mem::replace(&mut has_races, true) {
            continue;
        }
        let under = seen.iter().filter(|(model, _)| is_race || directive.models.contain(model));
        let mut groups: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
        let mut is_known = true;
        for (model, seen) in under {
            match seen.values(directive.name) {
                None => is_known = false,
                Some(values) => match groups.iter_mut().find(|(other, _)| *other == values) {
                    Some((_, models)) => models.push(model),
                    None => groups.push((values, vec![model])),
                },
            }
        }
        if groups.is_empty() || !is_known {
            lines.push(line.to_owned());
            continue;
        }
        let is_one = groups.len() == 1;
        for (values, models) in groups {
            let head = match (is_one, is_race) {
                (true, true) => directive.name.to_owned(),
                (true, false) => directive.head.to_owned(),
                (false, _) => format!("{}[{}]", directive.name, models.join(",")),
            };
            lines.extend(values.iter().map(|value| format!("{}//@ {head}: {value}", directive.before)));
        }
    }
    let mut blessed = lines.join("\n");
    if text.ends_with('\n') {
        blessed.push('\n');
    }
    Ok(blessed)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let expected = "  //@ outcomes[sc]: 1\n  //@ outcomes[tso,pso]: 0 1\n\
                        //@ executions[sc]: 1\n//@ executions[tso,pso]: 2";
        assert_eq!(blessed(text, &came).unwrap(), expected);
    }

    #[test]
    fn races_are_listed_anew() {
        let race = |lines| ExpectedRace { class: "output-differs".into(), lines };
        let raced = Seen { races: vec![race([3, 8]), race([3, 4])], ..Seen::default() };
        let text = "//@ races[sc]: none\nx\n//@ races[tso]: spec-violated at 9\n";
        let came = [("sc", Seen::default()), ("tso", raced)];
        let expected = "//@ races[sc]: none\n//@ races[tso]: output-differs at 3 4\n\
                        //@ races[tso]: output-differs at 3 8\nx\n";
        assert_eq!(blessed(text, &came).unwrap(), expected);
    }

    #[test]
    fn outputs_that_are_no_words_are_left_to_people() {
        let came = [("sc", seen(&["two words"], 1))];
        assert_eq!(blessed("//@ outcomes: 1", &came).unwrap(), "//@ outcomes: 1");
    }
}
