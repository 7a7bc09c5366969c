//! Deviations of a program from what it states.

use serde::{Serialize, Serializer};
use std::fmt;

/// A deviation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What deviates, for people.
    pub text: String,
    /// The line of the program, from 1, if it is one line's.
    pub line: Option<u32>,
    /// Whether the only reason is that not everything was explored.
    pub is_incompleteness: bool,
}

impl Problem {
    /// Of no line.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), line: None, is_incompleteness: false }
    }

    /// Of a line of the program.
    pub fn at(line: impl Into<Option<u32>>, text: impl Into<String>) -> Self {
        Self { line: line.into(), ..Self::new(text) }
    }

    /// The same. If the exploration was cut, what it did not find may be there all the same.
    pub fn unless_cut(self, is_cut: bool) -> Self {
        Self { is_incompleteness: is_cut, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(out)
    }
}

/// All deviations of a case, at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// `Err` if there are any.
    pub fn of(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// The problems for people: of a long one, its beginning.
    pub fn shortened(&self) -> String {
        let texts: Vec<String> = self.0.iter().map(|problem| beginning(&problem.text)).collect();
        texts.join("\n")
    }

    /// The first line that one of them is at.
    pub fn line(&self) -> Option<u32> {
        self.0.iter().find_map(|problem| problem.line)
    }

    /// Whether all would go if everything were explored.
    pub fn are_incompleteness(&self) -> bool {
        self.0.iter().all(|problem| problem.is_incompleteness)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.0.iter().enumerate() {
            write!(out, "{}{problem}", if number == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

/// Bytes of one problem that people are shown: a program may print without end.
const MOST: usize = 2048;

fn beginning(text: &str) -> String {
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MOST);
    format!("{} ... ({} more bytes)", &text[..end], text.len() - end)
}

impl Serialize for Problems {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Problems {
    fn from(text: String) -> Self {
        Self(vec![Problem::new(text)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_beginning_of_each_problem() {
        let long = "é".repeat(MOST);
        let problems = Problems(vec![Problem::new(long), Problem::at(3, "short")]);
        let shown = problems.shortened();
        assert!(shown.ends_with(" ... (2048 more bytes)\nshort"), "{shown}");
        assert!(shown.len() < MOST + 100);
        assert_eq!(problems.to_string().len(), 2 * MOST + "\nshort".len());
        assert_eq!(problems.line(), Some(3));
    }
}
