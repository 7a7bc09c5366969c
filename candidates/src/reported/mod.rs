//! Races that other tools report, as text: ThreadSanitizer's and Helgrind's.
//!
//! Reports may be mixed with anything else that a program and its tools print. A report that begins and is
//! not complete is an error with its line: the rest would be taken for the whole.

mod helgrind;
mod thread_sanitizer;

use crate::Position;
use std::fmt;
use symx_ir::SourceName;

/// The tool that reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tool {
    /// ThreadSanitizer, of LLVM or GCC.
    ThreadSanitizer,
    /// Valgrind's Helgrind.
    Helgrind,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ThreadSanitizer => "ThreadSanitizer",
            Self::Helgrind => "Helgrind",
        })
    }
}

/// One of the accesses of a report.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportedAccess {
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// The thread, as the tool calls it.
    pub thread: String,
    /// Where, innermost first; frames whose source the tool does not know are left out. Empty if it has
    /// forgotten the stack.
    pub frames: Vec<Position>,
}

/// A report of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    /// Whose.
    pub tool: Tool,
    /// The line where it begins, from 1.
    pub line: u32,
    /// Both accesses, in the report's order; of the second nothing may be known.
    pub accesses: [Option<ReportedAccess>; 2],
    /// The object, if the tool knows its name.
    pub object: Option<SourceName>,
}

/// An error in a file of reports.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ReportError {
    /// From 1.
    pub line: u32,
    /// In words.
    pub what: String,
}

/// A line, with its number.
type Line<'t> = (u32, &'t str);

/// Reads all reports of races in a text, of either tool.
pub fn read(text: &str) -> Result<Vec<Reported>, ReportError> {
    let lines: Vec<Line<'_>> = (1..).zip(text.lines()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (report, next) = match lines[at].1 {
            line if thread_sanitizer::begins(line) => thread_sanitizer::report(&lines, at)?,
            line if helgrind::begins(line) => helgrind::report(&lines, at)?,
            _ => {
                at += 1;
                continue;
            }
        };
        found.push(report);
        at = next;
    }
    match found.is_empty() {
        true => {
            Err(ReportError { line: 1, what: "no report of a race, by ThreadSanitizer or Helgrind".into() })
        }
        false => Ok(found),
    }
}

fn error(line: u32, what: impl Into<String>) -> ReportError {
    ReportError { line, what: what.into() }
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`.
fn position(text: &str, function: &str) -> Option<Position> {
    let mut parts = text.rsplitn(3, ':');
    let (last, middle, first) = (parts.next()?, parts.next()?, parts.next());
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let function = function.to_owned();
    if let (Some(file), Some(line), Some(column)) = (first, number(middle), number(last)) {
        return Some(Position { file: file.into(), line, column, function });
    }
    let file = text.strip_suffix(last)?.strip_suffix(':')?;
    Some(Position { file: file.into(), line: number(last)?, column: 0, function })
        .filter(|_| !file.is_empty())
}

#[cfg(test)]
mod tests;
