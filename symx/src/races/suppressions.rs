//! Suppressions in ThreadSanitizer's syntax: `race:PATTERN`, a line each, `#` before comments.
//!
//! A pattern is found anywhere in a function's name, a file's name, or that of the object or of its part. `*`
//! matches any text, `^` and `$` match beginning and end. `race` looks at all levels of both stacks,
//! `race_top` at the innermost ones.

use crate::refusal::Refusal;
use crate::report::SuppressionUse;
use std::path::Path;
use symx_trace::Race;

/// Which races are not to be reported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Suppression {
    /// Where it stands in the file, from 1.
    line: u32,
    /// Only the innermost levels of the stacks count.
    is_top: bool,
    pattern: String,
}

/// Kinds that mean something to ThreadSanitizer and nothing here.
const OTHER_KINDS: [&str; 5] = ["thread", "mutex", "signal", "deadlock", "called_from_lib"];

impl Suppressions {
    /// Reads a file of suppressions.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let text = std::fs::read_to_string(path).map_err(|error| Refusal::unreadable(path, error))?;
        Self::parse(&text).map_err(|why| Refusal::Usage(format!("suppressions `{}`: {why}", path.display())))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut suppressions = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((kind, pattern)) = line.split_once(':') else {
                return Err(format!("line {number}: expected KIND:PATTERN"));
            };
            match kind {
                "race" | "race_top" => suppressions.push(Suppression {
                    line: number,
                    is_top: kind == "race_top",
                    pattern: pattern.trim().to_owned(),
                }),
                other if OTHER_KINDS.contains(&other) => {}
                other => return Err(format!("line {number}: unknown kind `{other}`")),
            }
        }
        Ok(Self(suppressions))
    }

    /// Whether a race is not to be reported.
    pub fn cover(&self, race: &Race) -> bool {
        self.0.iter().any(|suppression| suppression.covers(race))
    }

    /// How many of these races each covers.
    pub fn uses<'r>(&self, races: impl Iterator<Item = &'r Race> + Clone) -> Vec<SuppressionUse> {
        let told = |suppression: &Suppression| SuppressionUse {
            suppression: format!(
                "race{}:{}",
                if suppression.is_top { "_top" } else { "" },
                suppression.pattern
            ),
            line: suppression.line,
            races: races.clone().filter(|race| suppression.covers(race)).count(),
        };
        self.0.iter().map(told).collect()
    }
}

impl Suppression {
    fn covers(&self, race: &Race) -> bool {
        let most = if self.is_top { 1 } else { usize::MAX };
        let frames = race.accesses.iter().flat_map(|access| {
            let own = access.stack.is_empty().then_some(&access.location);
            own.into_iter().chain(access.stack.iter().take(most))
        });
        let mut frames = frames.flat_map(|frame| [&frame.function, &frame.file]);
        let what = [&race.object, &race.part];
        frames.any(|name| matches(&self.pattern, name))
            || !self.is_top && what.iter().any(|name| matches(&self.pattern, name))
    }
}

/// Whether a pattern is found in a text.
fn matches(pattern: &str, text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let (pattern, at_start) = match pattern.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let (pattern, at_end) = match pattern.strip_suffix('$') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let parts: Vec<&str> = pattern.split('*').collect();
    let mut rest = text;
    for (index, part) in parts.iter().enumerate() {
        let (is_first, is_last) = (index == 0, index + 1 == parts.len());
        if is_last && at_end {
            let fits = if is_first && at_start { rest == *part } else { rest.ends_with(part) };
            return fits;
        }
        if is_first && at_start {
            let Some(behind) = rest.strip_prefix(part) else { return false };
            rest = behind;
        } else {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::{Location, RaceAccess, ThreadName};

    #[test]
    fn patterns_are_found_anywhere_unless_anchored() {
        assert!(matches("ount", "counter") && matches("c*er", "a counter") && matches("", "x"));
        assert!(matches("^count", "counter") && !matches("^ount", "counter"));
        assert!(matches("ter$", "counter") && !matches("ter$", "counters"));
        assert!(matches("^c*r$", "counter") && !matches("^c*t$", "counter"));
        assert!(matches("^counter$", "counter") && !matches("^counter$", "counters"));
    }

    #[test]
    fn a_race_is_covered_by_function_file_or_object() {
        let place = |function: &str| Location {
            file: "src/queue.c".into(),
            line: 1,
            column: 1,
            function: function.into(),
        };
        let access = |function: &str| RaceAccess {
            title: String::new(),
            thread: ThreadName::main(),
            writes: true,
            atomic: false,
            ends: false,
            location: place(function),
            stack: vec![place(function), place("worker")],
            locks: vec![],
        };
        let accesses = [access("put"), access("get")];
        let race = Race { object: "head".into(), part: "head.next".into(), size: 8, accesses };
        let covers = |text: &str| Suppressions::parse(text).unwrap().cover(&race);
        assert!(covers("race:put") && covers("# why\nrace:queue.c\n") && covers("race:^head$"));
        assert!(covers("race:^head.next$"));
        assert!(covers("race:worker") && !covers("race_top:worker") && covers("race_top:get"));
        let uses = Suppressions::parse("race:get\n\nrace:tail").unwrap().uses([race.clone()].iter());
        let told: Vec<_> = uses.iter().map(|one| (&one.suppression[..], one.line, one.races)).collect();
        assert_eq!(told, [("race:get", 1, 1), ("race:tail", 3, 0)]);
        assert!(!covers("race:tail") && !covers("deadlock:put") && !covers(""));
        assert!(Suppressions::parse("races:put").is_err() && Suppressions::parse("put").is_err());
    }
}
