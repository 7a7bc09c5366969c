//! How files with executions are opened, and what they give.

use crate::files::source_text::SourceOptions;
use crate::limits::budget::Deadline;
use crate::options::ProgramOptions;
use crate::session::Session;
use symx_interp::memory::Site;
use symx_posix_explore::{ExploreOptions, replay_logged};
use symx_trace::{Decision, Input, RunLog};

/// The executions of a schedule, or of profiles with equal paths.
pub struct Given {
    /// The program in the surroundings of that run.
    pub session: Session,
    /// The failures that count.
    pub options: ExploreOptions,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// The events of each execution.
    pub logs: Vec<RunLog>,
}

/// How files are opened.
pub struct Opening<'a> {
    /// The program and its surroundings, as far as files do not say.
    pub program: &'a ProgramOptions,
    /// Where its source lies.
    pub source: &'a SourceOptions,
    /// When to stop.
    pub end: &'a Deadline,
    /// Seed of random choices.
    pub seed: u64,
}

/// The log of the execution under these decisions; why there is none.
pub fn logged(
    session: &Session,
    inputs: &[Input],
    visible: Option<&[Site]>,
    decisions: &[Decision],
    options: &ExploreOptions,
    end: &Deadline,
) -> Result<RunLog, String> {
    let machine = session.logging(Some(inputs), end.cutoff());
    let solver = session.solver(end.cutoff());
    replay_logged(&machine, solver, visible, decisions, options)
}
