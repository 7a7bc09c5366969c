//! `symx record`: run an instrumented program and collect its profile.

use super::profile::describe_end;
use crate::exit_code::INCOMPLETE;
use crate::options::{read_own_input, seconds};
use crate::refusal::Refusal;
use clap::Args;
use std::ffi::OsString;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symx_recorder::{RecordOptions, record as run_and_collect};
use symx_trace::profile::{ProcessEnd, Profile};

/// Arguments of `record`.
#[derive(Args, Debug)]
pub struct RecordArguments {
    /// Where the profile goes
    #[arg(short = 'o', long = "output", value_name = "PROFILE", default_value = "path.prof")]
    output: PathBuf,
    /// A variable to set in the program's environment; the recording remembers it
    #[arg(long = "env", value_name = "K=V")]
    environment: Vec<String>,
    /// Kill the program after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Keep the last MIB mebibytes of each thread's record, in memory, instead of all of it
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with = "stream")]
    ring: Option<u32>,
    /// Keep all of each thread's record (the default)
    #[arg(long)]
    stream: bool,
    /// Record the order of synchronisation operations too, which orders threads more than the program does
    #[arg(long)]
    record_sync: bool,
    /// Do not record what external calls answer (the time, random numbers, what comes over pipes)
    #[arg(long)]
    no_inputs: bool,
    /// Say nothing
    #[arg(long)]
    quiet: bool,
    /// The instrumented program and its arguments
    #[arg(last = true, required = true, value_name = "BIN ARGS")]
    program: Vec<OsString>,
}

/// Runs the command. The exit code is the program's own status, or 128 and the number of the signal that ended it, so
/// that a script can loop until a run fails.
pub fn record(arguments: &RecordArguments) -> Result<u8, Refusal> {
    let binary = PathBuf::from(&arguments.program[0]);
    std::fs::metadata(&binary).map_err(|error| Refusal::unreadable(&binary, error))?;
    // What is read is remembered in the profile, so that the reproduction reads the same. A pipe may never end.
    let own_input = std::fs::metadata("/dev/stdin").map(|stdin| stdin.file_type());
    let is_file = own_input.as_ref().is_ok_and(|kind| kind.is_file());
    let is_pipe = own_input.is_ok_and(|kind| kind.is_fifo() || kind.is_socket());
    let stdin = if is_file { Some(read_own_input()?) } else { None };
    let options = RecordOptions {
        // A plain name would be looked for on PATH.
        binary: if binary.components().count() == 1 { Path::new(".").join(&binary) } else { binary },
        arguments: arguments.program[1..].to_vec(),
        environment: arguments
            .environment
            .iter()
            .map(|variable| split(variable))
            .collect::<Result<_, _>>()?,
        working_directory: None,
        stdin,
        hands_on_stdin: is_pipe && !arguments.no_inputs,
        show_output: true,
        timeout: arguments.timeout,
        ring: arguments.ring,
        sync: arguments.record_sync,
        no_inputs: arguments.no_inputs,
        log_directory: memory_backed(),
    };
    let profile = run_and_collect(&options).map_err(|error| Refusal::Recording(error.to_string()))?;
    std::fs::write(&arguments.output, profile.write())
        .map_err(|error| Refusal::unwritable(&arguments.output, error))?;
    if !arguments.quiet {
        std::io::Write::write_all(&mut std::io::stderr(), &profile.process.stderr_tail)
            .map_err(|error| Refusal::unwritable("standard error", error))?;
        let threads = profile.threads.len();
        let end = describe_end(&profile.process.end);
        eprintln!("symx: {end}; {threads} threads recorded in {}", arguments.output.display());
        for gap in gaps(&profile) {
            eprintln!("symx: {gap}");
        }
    }
    Ok(status(&profile.process.end))
}

/// What is not in a profile though it happened.
pub fn gaps(profile: &Profile) -> Vec<String> {
    let stopped = profile.threads.iter().filter(|thread| thread.stopped_early());
    let stopped = stopped.map(|thread| {
        format!("thread {}: recording stopped early, for want of room for its log", thread.name)
    });
    let late = profile.threads.iter().filter(|thread| thread.lost_units > 0);
    let late =
        late.map(|thread| format!("thread {}: the ring holds the end of its record only", thread.name));
    let loaded = profile.process.unrecorded.iter();
    let loaded = loaded.map(|name| {
        format!(
            "what {} does is not recorded: it was loaded while the program ran",
            String::from_utf8_lossy(name)
        )
    });
    let cut = profile
        .is_truncated
        .then(|| "the file is cut off: threads, or the end of a log, may be missing".into());
    stopped.chain(late).chain(loaded).chain(cut).collect()
}

fn status(end: &ProcessEnd) -> u8 {
    match end {
        ProcessEnd::Exited(status) => *status as u8,
        ProcessEnd::Signalled { signal, .. } => 128 + *signal as u8,
        ProcessEnd::TimedOut => 128 + 9,
        ProcessEnd::Unknown => INCOMPLETE,
    }
}

fn split(variable: &str) -> Result<(OsString, OsString), Refusal> {
    match variable.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err(Refusal::Usage(format!("--env: expected NAME=VALUE, not `{variable}`"))),
    }
}

/// Logs are written fastest to memory.
fn memory_backed() -> Option<PathBuf> {
    let folder = Path::new("/dev/shm");
    tempfile::tempfile_in(folder).is_ok().then(|| folder.to_path_buf())
}
