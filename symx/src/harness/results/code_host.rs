//! Results where code hosts show them: a summary of the job in Markdown, and a mark at each failing program.

use super::Results;
use crate::text::{one_line, visible};
use std::fmt::Write;

/// Failing cases that a summary lists: a page of thousands is of no use.
const MOST: usize = 100;

impl Results {
    /// A summary of the job, in Markdown.
    pub fn summary(&self) -> String {
        let failed = self.failed();
        let mut text = format!("## symx test\n\n{}", self.counts());
        match self.unchanged() {
            0 => text.push('\n'),
            unchanged => {
                let _ = writeln!(text, ", {unchanged} of them unchanged since they passed");
            }
        }
        if failed == 0 {
            return text;
        }
        text.push_str("\n| program | memory model | what is not as expected |\n|---|---|---|\n");
        let failing = self.cases.iter().filter_map(|case| Some((case, case.problem.as_ref()?)));
        for (case, problem) in failing.take(MOST) {
            let (name, problem) = (markdown(&case.name), markdown(&problem.shortened()));
            let _ = writeln!(text, "| {name} | {} | {problem} |", case.model);
        }
        if failed > MOST {
            let _ = writeln!(text, "\nand {} more", failed - MOST);
        }
        text
    }

    /// GitHub's workflow commands, a line each: an error at the line of each failing program.
    pub fn github_annotations(&self) -> String {
        let mut text = String::new();
        for case in &self.cases {
            let Some(problem) = &case.problem else { continue };
            let _ = writeln!(
                text,
                "::error file={},line={},title={}::{}",
                property(&case.source.display().to_string()),
                case.line.unwrap_or(1),
                property(&format!("{} under {}", one_line(&case.name), case.model)),
                data(&visible(&problem.shortened()))
            );
        }
        text
    }
}

/// As a cell of a table: on one line, without markup.
fn markdown(text: &str) -> String {
    let mut escaped = String::new();
    for character in one_line(text).chars() {
        if "\\|`<>&*_[]~$".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// As the text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
