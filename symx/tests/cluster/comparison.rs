//! The result of one process, and that of a campaign.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An exploration: a program of the corpus, and options.
#[derive(Clone, Copy)]
pub struct Case(pub &'static str, pub &'static [&'static str]);

impl Case {
    pub fn program(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../bitcode-corpus").join(self.0)
    }

    /// Explored by one process with one worker.
    pub fn alone(&self, folder: &Path) -> (i32, Value) {
        report(&self.run(folder, &["--jobs", "1"]))
    }

    /// Explored by the workers of a server.
    pub fn together(&self, folder: &Path, address: &str, slice: &str) -> (i32, Value) {
        report(&self.run(folder, &["--cluster", address, "--slice", slice]))
    }

    fn run(&self, folder: &Path, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
        command
            .args(["run", "--quiet", "--no-explain", "--json", "-"])
            .args(self.1)
            .args(more)
            .arg(self.program());
        command.current_dir(folder).output().expect("symx runs")
    }
}

/// The exit code and the JSON of a run.
pub fn report(output: &Output) -> (i32, Value) {
    let json = serde_json::from_slice(&output.stdout);
    let json = json.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().expect("an exit code"), json)
}

/// The part that has to be the same however a program is explored.
pub fn essence(&(code, ref report): &(i32, Value)) -> Value {
    let counts = ["executions", "blocked", "paths", "threads"].map(|count| report["stats"][count].clone());
    let failure =
        |violation: &Value| ["kind", "detail", "location"].map(|part| violation[part].to_string()).join(" ");
    let violations = report["violations"].as_array().expect("a list").iter();
    let mut failures: Vec<String> = violations.map(failure).collect();
    failures.sort();
    serde_json::json!({
        "code": code,
        "verdict": report["verdict"],
        "counts": counts,
        "outcomes": report["outcomes"],
        "failures": failures,
        "incomplete": report["incomplete"],
        "beyond": report["beyond_reads_from"],
    })
}
