//! Recording a run that symx makes itself: the profile of a native run that would go the same way.

use crate::files::own::create_private;
use crate::files::program_output::PassThrough;
use crate::limits::budget::Budget;
use crate::limits::progress::ProgressLine;
use crate::load::{Wanted, load};
use crate::options::{ProgramOptions, read_own_input};
use crate::refusal::Refusal;
use crate::schedules::confirm::{Findings, confirm};
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use std::io::{BufWriter, Cursor, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;
use symx_expr::StopToken;
use symx_interp::RecordingOptions;
use symx_interp::machine::Options;
use symx_ir::path_numbering::PATH_LIMIT;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{ExploreOptions, RecordedRun, record_once};
use symx_trace::profile::{
    ProcessEnd, ProcessRecord, Profile, ProfileError, ProfileStream, ProgramHash, ThreadProfile,
};

/// How much of standard error a profile keeps, in bytes.
const STDERR_TAIL: usize = 16 << 10;

/// The program to run, how, and what is recorded of it.
pub struct InterpretedRun<'a> {
    /// The program and what surrounds it.
    pub program: &'a ProgramOptions,
    /// The memory model.
    pub memory_model: &'static dyn MemoryModel,
    /// Seed of random choices; without one threads take turns.
    pub seed: Option<u64>,
    /// After how long it is abandoned.
    pub timeout: Option<Duration>,
    /// The data recorded beside paths.
    pub recording: RecordingOptions,
    /// Where the profile goes.
    pub output: &'a Path,
}

/// Facts about a recording that has been made.
pub struct InterpretedRecord {
    /// How the run ended.
    pub end: ProcessEnd,
    /// The records of its threads, without logs that have been written already.
    pub threads: Vec<ThreadProfile>,
    /// The failure, if it failed.
    pub failure: Option<String>,
    /// Why less is recorded than there is.
    pub gaps: Vec<String>,
}

/// Runs a program once, and writes its profile. The program's output is passed on.
pub fn record_interpreted(run: &InterpretedRun<'_>) -> Result<InterpretedRecord, Refusal> {
    let loaded = load(&run.program.program, Wanted::default())?;
    let mut surroundings = Surroundings::new(run.program)?;
    if run.program.surroundings.stdin.is_none() && !std::io::stdin().is_terminal() {
        surroundings.standard_input = read_own_input()?;
    }
    let tolerance = run.program.undefined.tolerance();
    let options = Options { records_paths: true, tolerance, ..Options::default() };
    let visible = &run.program.surroundings;
    let session = Session::new(loaded, surroundings, visible, run.memory_model, options)?;
    let session =
        session.passing_output_on().tolerating_sync_misuse(true).tolerating_unwritten_arguments(true);
    let unwritable = |error| Refusal::unwritable(std::env::temp_dir(), error);
    let mut stream = ProfileStream::new(tempfile::tempfile().map_err(unwritable)?);
    let explore_options = ExploreOptions::default();
    let mut budget = Budget::new(run.timeout, None, ProgressLine::silent());
    let cutoff = budget.cutoff();
    let machine = session.machine_until(cutoff.clone());
    let mut passed_on = PassThrough::default();
    let recorded = record_once(
        &machine,
        &|| session.solver(cutoff.clone()),
        run.seed,
        run.recording,
        &explore_options,
        &mut budget,
        &mut |state| passed_on.look(state),
        &mut stream,
    );
    let end = budget.deadline(None);
    let findings = confirm(&session, &recorded.exploration, &explore_options, &end);
    let written = write(run, &session, &recorded, stream);
    written.map_err(|error| Refusal::unwritable(run.output, error))?;
    let RecordedRun { end, threads, stopped, .. } = recorded;
    let failure = failure(&findings);
    Ok(InterpretedRecord { end, threads, failure, gaps: gaps(&findings, stopped) })
}

/// The profile of a run that symx makes of the program, whose threads take turns. Nothing is written.
pub fn own_profile(session: &Session, stop: StopToken) -> Result<Profile, Refusal> {
    let machine = session.recording(stop.clone());
    let mut stream = ProfileStream::new(Cursor::new(Vec::new()));
    let mut budget = Budget::new(None, None, ProgressLine::silent());
    let recorded = record_once(
        &machine,
        &|| session.solver(stop.clone()),
        None,
        RecordingOptions { inputs: false },
        &ExploreOptions::default(),
        &mut budget,
        &mut |_| {},
        &mut stream,
    );
    profile_of_threads(session, recorded.end, &recorded.threads, stream)
}

/// The profile of a run of which nothing but the paths of its threads matters.
pub fn profile_of_threads(
    session: &Session,
    end: ProcessEnd,
    threads: &[ThreadProfile],
    stream: ProfileStream<Cursor<Vec<u8>>>,
) -> Result<Profile, Refusal> {
    let process = ProcessRecord {
        program: ProgramHash(session.loaded.program.hash),
        path_limit: PATH_LIMIT,
        arguments: Vec::new(),
        environment: Vec::new(),
        working_directory: Vec::new(),
        stdin: None,
        end,
        stderr_tail: Vec::new(),
        unrecorded: Vec::new(),
    };
    let mut bytes = Vec::new();
    let path = &session.loaded.path;
    stream.finish(&process, threads, &mut bytes).map_err(|error| Refusal::unwritable(path, error))?;
    let refused = |error: ProfileError| Refusal::Profile { path: path.clone(), why: error.to_string() };
    Profile::read(&bytes).map_err(refused)
}

fn write(
    run: &InterpretedRun<'_>,
    session: &Session,
    recorded: &RecordedRun,
    stream: ProfileStream<std::fs::File>,
) -> std::io::Result<()> {
    let surroundings = &session.surroundings;
    let bytes = |text: &str| text.as_bytes().to_vec();
    let variables = &run.program.surroundings.environment;
    let variables = variables.iter().filter_map(|variable| variable.split_once('='));
    let errors = &recorded.standard_error;
    let process = ProcessRecord {
        program: ProgramHash(session.loaded.program.hash),
        path_limit: PATH_LIMIT,
        arguments: surroundings.arguments.iter().map(|argument| bytes(argument)).collect(),
        environment: variables.map(|(name, value)| (bytes(name), bytes(value))).collect(),
        working_directory: std::env::current_dir()?.as_os_str().as_bytes().to_vec(),
        stdin: Some(surroundings.standard_input.clone()).filter(|input| !input.is_empty()),
        end: recorded.end.clone(),
        stderr_tail: errors[errors.len().saturating_sub(STDERR_TAIL)..].to_vec(),
        unrecorded: Vec::new(),
    };
    let mut out = BufWriter::new(create_private(run.output)?);
    stream.finish(&process, &recorded.threads, &mut out)?;
    out.flush()
}

/// The failure of the run that occurs again.
fn failure(findings: &Findings) -> Option<String> {
    let failure = findings.confirmed.first()?.schedule.failure.as_ref()?;
    let at = &failure.location;
    Some(format!("{}:{}: {} in {}", at.file, at.line, failure.message, failure.thread.label()))
}

fn gaps(findings: &Findings, stopped: Option<std::io::Error>) -> Vec<String> {
    let cuts = findings.incomplete.iter();
    let cuts = cuts.map(|cut| format!("the run ended early: {cut}; it is recorded as far as it went"));
    let stopped = stopped.map(|error| format!("recording stopped before the run ended: {error}"));
    cuts.chain(stopped).collect()
}
