//! Results of many cases: as text, JUnit XML, JSON, and for code hosts.

mod code_host;
mod junit;

use super::problem::Problems;
use crate::exit_code::{INCOMPLETE, VIOLATION};
use crate::text::one_line;
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The result of one case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// The folder and file of the program.
    pub name: String,
    /// The program's source.
    #[serde(serialize_with = "as_text")]
    pub source: PathBuf,
    /// The memory model's name.
    pub model: String,
    /// The deviation from what is expected; `None` if there is none.
    pub problem: Option<Problems>,
    /// The line of the program, from 1, at which it deviates first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether it deviates only because not everything was explored.
    pub is_incompleteness: bool,
    /// How long it took, in milliseconds.
    pub wall_ms: u64,
    /// Whether it was not run, as it has not changed since it passed.
    pub is_unchanged: bool,
    /// Where the schedules and pages of its failures are, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text_if_any")]
    pub artefacts: Option<PathBuf>,
}

/// A path for people: its bytes may be no text.
fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

fn as_text_if_any<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.display().to_string()).serialize(serializer)
}

/// Results of all cases, in order.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Results {
    /// One a case.
    pub cases: Vec<CaseResult>,
    /// How many cases have none: the run was interrupted.
    pub not_run: usize,
    /// When the first began.
    #[serde(skip)]
    pub began: DateTime<Utc>,
}

impl Results {
    /// How many cases are not as expected.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| case.problem.is_some()).count()
    }

    /// The exit code of all: 0 if each is as expected, 3 if the only reason is that not everything was
    /// explored.
    pub fn exit_code(&self) -> u8 {
        let failed: Vec<&CaseResult> = self.cases.iter().filter(|case| case.problem.is_some()).collect();
        match &failed[..] {
            [] if self.not_run == 0 => 0,
            failed if failed.iter().all(|case| case.is_incompleteness) => INCOMPLETE,
            _ => VIOLATION,
        }
    }

    /// How many cases were not run, as they have not changed since they passed.
    pub fn unchanged(&self) -> usize {
        self.cases.iter().filter(|case| case.is_unchanged).count()
    }

    /// For people: each failed case with what is wrong, and the count.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for case in &self.cases {
            if let Some(problem) = &case.problem {
                let _ = writeln!(
                    text,
                    "FAILED {} [{}]\n  {}",
                    one_line(&case.name),
                    case.model,
                    problem.shortened().replace('\n', "\n  ")
                );
                if let Some(folder) = &case.artefacts {
                    let _ =
                        writeln!(text, "  schedules and pages: {}", one_line(&folder.display().to_string()));
                }
            }
        }
        let _ = writeln!(text, "{}", self.counts());
        text
    }

    /// How many cases passed, failed, and were not run.
    fn counts(&self) -> String {
        let failed = self.failed();
        let counts = format!("{} passed, {failed} failed", self.cases.len() - failed);
        match self.not_run {
            0 => counts,
            not_run => format!("{counts}, {not_run} not run (interrupted)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let case = |name: &str, problem: Option<&str>| CaseResult {
            name: name.into(),
            source: format!("suite/{name}.c").into(),
            model: "tso".into(),
            problem: problem.map(|text| text.to_owned().into()),
            line: problem.map(|_| 7),
            is_incompleteness: false,
            wall_ms: 1500,
            is_unchanged: false,
            artefacts: None,
        };
        let problem = "line 7: no error `a < b\u{1}`\n100% wrong | here";
        let cases = vec![case("pass/a", None), case("fail/b", Some(problem))];
        Results { cases, ..Results::default() }
    }

    #[test]
    fn only_incomplete_explorations_are_incomplete() {
        let mut results = results();
        assert_eq!(results.exit_code(), VIOLATION);
        results.cases[1].is_incompleteness = true;
        assert_eq!(results.exit_code(), INCOMPLETE);
        results.cases[1].problem = None;
        assert_eq!(results.exit_code(), 0);
        results.not_run = 2;
        assert_eq!(results.exit_code(), INCOMPLETE);
        assert!(results.text().ends_with("2 passed, 0 failed, 2 not run (interrupted)\n"));
    }

    #[test]
    fn paths_that_are_no_text_are_written() {
        use std::os::unix::ffi::OsStringExt;
        let mut results = results();
        let path = || PathBuf::from(std::ffi::OsString::from_vec(b"a\xff.c".to_vec()));
        (results.cases[0].source, results.cases[0].artefacts) = (path(), Some(path()));
        let text = serde_json::to_string(&results).unwrap();
        assert_eq!(text.matches("a\u{fffd}.c").count(), 2, "{text}");
    }

    #[test]
    fn failures_are_printed_for_people() {
        let results = results();
        assert_eq!(results.failed(), 1);
        let expected =
            "FAILED fail/b [tso]\n  line 7: no error `a < b\u{1}`\n  100% wrong | here\n1 passed, 1 failed\n";
        assert_eq!(results.text(), expected);
    }

    #[test]
    fn failures_are_in_junit_with_message_file_and_line() {
        let junit = results().junit();
        assert!(junit.contains("<testsuite name=\"tso\" tests=\"2\""), "{junit}");
        assert!(junit.contains("file=\"suite/fail/b.c\" line=\"7\""), "{junit}");
        assert!(
            junit.contains("message=\"line 7: no error `a &lt; b\u{2401}`\" type=\"unexpected\""),
            "{junit}"
        );
        assert!(junit.contains("time=\"1.500\""), "{junit}");
    }

    #[test]
    fn failures_are_shown_by_code_hosts() {
        let results = results();
        let annotations = results.github_annotations();
        let expected = "::error file=suite/fail/b.c,line=7,title=fail/b under tso::line 7%3A"
            .replace("7%3A", "7: no error");
        assert!(annotations.starts_with(&expected), "{annotations}");
        assert!(annotations.contains("%0A100%25 wrong"), "{annotations}");
        let summary = results.summary();
        assert!(summary.contains("1 passed, 1 failed") && summary.contains("wrong \\| here"), "{summary}");
        assert!(summary.contains("\\`a \\< b\u{2401}\\`"), "{summary}");
    }

    #[test]
    fn names_and_problems_start_no_line_and_no_markup() {
        let mut results = results();
        results.cases[1].name = "a\n::error::`<b>|".into();
        results.cases[1].problem = Some("x\n::error::\u{1b}[31m\r".to_owned().into());
        for text in [results.text(), results.summary(), results.junit()] {
            assert!(!text.contains("\n::") && !text.contains(" a\n"), "{text}");
        }
        assert!(results.junit().contains("name=\"a ::error::`&lt;b"), "{}", results.junit());
        let row = results.summary().lines().last().unwrap().to_owned();
        assert_eq!(row, "| a ::error::\\`\\<b\\>\\| | tso | x ::error::\u{241b}\\[31m |");
    }
}
