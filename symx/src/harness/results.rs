//! Results of many cases: as text, JUnit XML and JSON.

use crate::render::shown;
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

/// What came of one case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// The folder and file of the program.
    pub name: String,
    /// The memory model's name.
    pub model: String,
    /// What is not as expected; `None` if all is.
    pub problem: Option<String>,
    /// How long it took, in milliseconds.
    pub wall_ms: u64,
}

/// Results of all cases, in order.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Results {
    /// One a case.
    pub cases: Vec<CaseResult>,
}

impl Results {
    /// How many cases are not as expected.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| case.problem.is_some()).count()
    }

    /// For people: each failed case with what is wrong, and the count.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for case in &self.cases {
            if let Some(problem) = &case.problem {
                let _ = writeln!(
                    text,
                    "FAILED {} [{}]\n  {}",
                    case.name,
                    case.model,
                    problem.replace('\n', "\n  ")
                );
            }
        }
        let _ = writeln!(text, "{} passed, {} failed", self.cases.len() - self.failed(), self.failed());
        text
    }

    /// For CI systems.
    pub fn junit(&self) -> String {
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let (count, failed) = (self.cases.len(), self.failed());
        let _ = writeln!(text, "<testsuite name=\"symx\" tests=\"{count}\" failures=\"{failed}\">");
        for case in &self.cases {
            let time = Duration::from_millis(case.wall_ms).as_secs_f64();
            let (name, model) = (escape(&case.name), escape(&case.model));
            let _ = write!(text, "  <testcase classname=\"{model}\" name=\"{name}\" time=\"{time:.3}\"");
            let _ = match &case.problem {
                Some(problem) => writeln!(text, "><failure>{}</failure></testcase>", escape(problem)),
                None => writeln!(text, "/>"),
            };
        }
        text.push_str("</testsuite>\n");
        text
    }
}

/// As XML text; control characters XML does not know are replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(shown(c)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_in_every_form() {
        let case = |name: &str, problem: Option<&str>| CaseResult {
            name: name.into(),
            model: "tso".into(),
            problem: problem.map(str::to_owned),
            wall_ms: 1500,
        };
        let results = Results { cases: vec![case("pass/a", None), case("fail/b", Some("a < b\u{1}"))] };
        assert_eq!(results.failed(), 1);
        assert_eq!(results.text(), "FAILED fail/b [tso]\n  a < b\u{1}\n1 passed, 1 failed\n");
        let junit = results.junit();
        assert!(
            junit.contains("tests=\"2\" failures=\"1\"") && junit.contains("a &lt; b\u{2401}"),
            "{junit}"
        );
        assert!(junit.contains("<testcase classname=\"tso\" name=\"pass/a\" time=\"1.500\"/>"), "{junit}");
    }
}
