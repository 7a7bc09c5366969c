//! Results as JUnit XML, in the shape that `cargo nextest` gives it: a suite a memory model.

use super::{CaseResult, Results};
use crate::text::{one_line, visible};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::time::Duration;

impl Results {
    /// For CI systems.
    pub fn junit(&self) -> String {
        let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
        for case in &self.cases {
            let suite = suites.entry(&case.model).or_insert_with(|| TestSuite::new(case.model.clone()));
            suite.add_test_case(test_case(case));
            let before = suite.time.unwrap_or_default();
            suite.set_time(before + Duration::from_millis(case.wall_ms));
        }
        let mut report = Report::new("symx");
        report.set_timestamp(self.began);
        report.add_test_suites(suites.into_values());
        without_commands(&report.to_string().expect("text is written to memory"))
    }
}

/// The document without lines that begin like a command of a code host, which reads all that is printed. In
/// the text of an element, `&#10;` is the end of a line, too.
fn without_commands(document: &str) -> String {
    let mut lines = document.split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        text.push_str(if line.trim_start().starts_with("::") { "&#10;" } else { "\n" });
        text.push_str(line);
    }
    text
}

fn test_case(case: &CaseResult) -> TestCase {
    let status = match &case.problem {
        None if case.is_unchanged => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("unchanged since it passed");
            status
        }
        None => TestCaseStatus::success(),
        Some(problem) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let text = visible(&problem.shortened()).into_owned();
            status.set_type("unexpected").set_message(text.lines().next().unwrap_or_default().to_owned());
            status.set_description(text);
            status
        }
    };
    let mut told = TestCase::new(one_line(&case.name), status);
    told.set_classname(format!("symx::{}", case.model)).set_time(Duration::from_millis(case.wall_ms));
    told.extra.insert("file".into(), one_line(&case.source.display().to_string()).into());
    if let Some(line) = case.line {
        told.extra.insert("line".into(), line.to_string().into());
    }
    told
}
