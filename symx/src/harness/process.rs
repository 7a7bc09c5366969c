//! Running symx as a process.

use super::children::Children;
use crate::exit_code::REFUSED;
use crate::options::project_file::OVERRIDE;
use crate::options::reported_command::ReportedCommand;
use crate::report::Report;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

/// Only verdicts are judged, so nothing is explained.
pub(super) const NO_STORY: &str = "--no-explain";

/// How a refusal starts on standard error.
const REFUSAL_START: &str = "symx: error: ";

/// The symx to test.
#[derive(Clone, Debug)]
pub struct Symx {
    /// Its executable.
    pub executable: PathBuf,
    /// Bound on each exploration, in seconds.
    pub max_time: u32,
    /// Workers that explore.
    pub campaigns: Option<Campaigns>,
    /// The processes that a suite has started.
    pub children: Children,
}

/// Says of a command line whether it asks for an exploration that can be a campaign.
pub type AsksForCampaign = dyn Fn(&[String]) -> bool + Send + Sync;

/// Explorations that are campaigns.
#[derive(Clone)]
pub struct Campaigns {
    /// The options of `symx run` that lead to the workers.
    pub options: Vec<String>,
    /// Which command lines are to be campaigns.
    pub is_one: Arc<AsksForCampaign>,
}

impl fmt::Debug for Campaigns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.options.fmt(out)
    }
}

/// One run with a report.
#[derive(Clone, Debug)]
pub struct SymxRun {
    /// Its exit code.
    pub code: i32,
    /// Its report.
    pub report: Report,
}

/// A run without a report.
#[derive(Debug, thiserror::Error)]
pub enum SymxError {
    /// It could not be started.
    #[error("{}: {source}", executable.display())]
    Start {
        /// The executable.
        executable: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It refused its command line or the program, in these words.
    #[error("{0}")]
    Refused(String),
    /// It ended without one.
    #[error("no report ({status}; {why}):\n{stderr}")]
    NoReport {
        /// How the process ended.
        status: std::process::ExitStatus,
        /// The error in its output.
        why: serde_json::Error,
        /// Its standard error.
        stderr: String,
    },
}

impl Symx {
    /// An executable, each exploration of which may take this many seconds.
    pub fn new(executable: impl Into<PathBuf>, max_time: u32) -> Self {
        Self { executable: executable.into(), max_time, campaigns: None, children: Children::default() }
    }

    /// Runs it with these arguments and nothing on standard input.
    pub fn output(&self, arguments: &[String]) -> Result<Output, SymxError> {
        let mut command = Command::new(&self.executable);
        // The statements of a program are not to depend on the project that it lies in.
        command.args(arguments).env(OVERRIDE, "").stdin(Stdio::null());
        self.children
            .output(&mut command)
            .map_err(|source| SymxError::Start { executable: self.executable.clone(), source })
    }

    /// Runs `command` on `program` with a report; artefacts go to a folder that is removed.
    pub fn report(
        &self,
        command: ReportedCommand,
        program: &str,
        options: &[String],
        arguments: &[String],
    ) -> Result<SymxRun, SymxError> {
        let out = tempfile::tempdir()
            .map_err(|source| SymxError::Start { executable: self.executable.clone(), source })?;
        let fixed =
            [command.name(), program, "--json", "-", "--max-time", &self.max_time.to_string(), "--out"];
        let mut all: Vec<String> = fixed.iter().map(|word| (*word).to_owned()).collect();
        all.push(out.path().display().to_string());
        if command == ReportedCommand::Run {
            all.push(NO_STORY.into());
        }
        all.extend(options.iter().cloned());
        let campaigns = self.campaigns.iter().filter(|_| command == ReportedCommand::Run);
        for Campaigns { options, is_one } in campaigns {
            let own = all.len();
            all.extend(options.iter().cloned());
            if !is_one(&all) {
                all.truncate(own);
            }
        }
        all.push("--".into());
        all.extend(arguments.iter().cloned());
        let output = self.output(&all)?;
        match serde_json::from_slice(&output.stdout) {
            Ok(report) => Ok(SymxRun { code: output.status.code().unwrap_or(-1), report }),
            Err(_) if output.status.code() == Some(REFUSED.into()) => {
                let words = String::from_utf8_lossy(&output.stderr);
                let words = words.strip_prefix(REFUSAL_START).unwrap_or(&words);
                Err(SymxError::Refused(words.trim_end().to_owned()))
            }
            Err(why) => Err(SymxError::NoReport {
                status: output.status,
                why,
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            }),
        }
    }
}
