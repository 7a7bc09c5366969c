//! `symx record`: run an instrumented program and collect its profile, or run any program in symx
//! and write the same.

use crate::exit_code::INCOMPLETE;
use crate::files::own::create_private;
use crate::limits::progress::ProgressLine;
use crate::native::interpreted_recording::{InterpretedRecord, InterpretedRun, record_interpreted};
use crate::native::profile_words::{describe_end, gaps, thread_gaps};
use crate::options::{
    CompilingOptions, ProgramOptions, SurroundingOptions, UndefinedOptions, memory_model, read_own_input,
    seconds,
};
use crate::refusal::Refusal;
use crate::text::{counted, one_line};
use clap::Args;
use std::ffi::OsString;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use symx_interp::RecordingOptions;
use symx_memmodel::MemoryModel;
use symx_recorder::{RecordOptions, record as run_and_collect};
use symx_trace::profile::{ProcessEnd, Profile};

/// Arguments of `record`.
#[derive(Args, Debug)]
pub struct RecordArguments {
    /// A program to run once in symx itself: .bc, .ll, .c/.cc, or a binary built by `symx cc`; its
    /// arguments follow `--`
    #[arg(value_name = "PROG")]
    interpreted: Option<PathBuf>,
    /// The profile to write
    #[arg(short = 'o', long = "output", value_name = "PROFILE", default_value = "path.prof")]
    output: PathBuf,
    /// Set an environment variable of the program; it is recorded
    #[arg(long = "env", value_name = "K=V")]
    environment: Vec<String>,
    /// Kill the program after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Keep only the last MIB mebibytes of each thread's record, in memory
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with_all = ["stream", "interpreted"])]
    ring: Option<u32>,
    /// Keep all of each thread's record (the default)
    #[arg(long)]
    stream: bool,
    /// Order synchronisation operations by a shared counter instead of the processor's clock, for machines
    /// whose cores have no common clock. The counter synchronises threads more than the program does
    #[arg(long)]
    record_sync: bool,
    /// Run the program again and again, at most RUNS times (10000), until a run fails: by a signal, a status
    /// other than 0, or the end of --timeout. The profile is that of the last run
    #[arg(long, value_name = "RUNS", num_args = 0..=1, default_missing_value = "10000", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "interpreted")]
    until_failure: Option<u64>,
    /// Delay threads at random where they synchronise, begin and create others: rare orders come about more
    /// often. Each run of --until-failure has the next seed
    #[arg(long, value_name = "SEED", num_args = 0..=1, default_missing_value = "0", conflicts_with = "interpreted")]
    noise: Option<u64>,
    /// Do not record the results of external calls (time, random numbers, bytes from pipes)
    #[arg(long)]
    no_inputs: bool,
    /// With PROG: schedule threads at random with this seed, instead of in turns
    #[arg(long, value_name = "N", requires = "interpreted")]
    seed: Option<u64>,
    /// With PROG: the memory model (see `symx run --list-memmodels`)
    #[arg(long = "memmodel", value_name = "MODEL", default_value = "sc", value_parser = memory_model, requires = "interpreted")]
    memory_model: &'static dyn MemoryModel,
    /// With PROG: let it read this file or folder of the host, besides those named by its arguments
    #[arg(long = "mount", value_name = "PATH", requires = "interpreted")]
    mounts: Vec<PathBuf>,
    /// With PROG: its standard input; `-` (the default unless that is a terminal) for symx's own
    #[arg(long, value_name = "FILE", requires = "interpreted")]
    stdin: Option<PathBuf>,
    #[command(flatten)]
    undefined: UndefinedOptions,
    /// Print nothing
    #[arg(long)]
    quiet: bool,
    /// The instrumented program and its arguments
    #[arg(last = true, required_unless_present = "interpreted", value_name = "BIN ARGS")]
    program: Vec<OsString>,
}

/// Runs the command. The exit code is the program's own status, or 128 and the number of the signal that
/// ended it. So a script can loop until a run fails.
pub fn record(arguments: &RecordArguments) -> Result<u8, Refusal> {
    match &arguments.interpreted {
        Some(program) => interpret(arguments, program),
        None => run_natively(arguments),
    }
}

/// Runs the instrumented program, once or until a run fails.
fn run_natively(arguments: &RecordArguments) -> Result<u8, Refusal> {
    if arguments.undefined.is_given() {
        return Err(Refusal::Usage(
            "--undefined: a native run does what the machine does; name a PROG".into(),
        ));
    }
    let mut options = recording(arguments)?;
    let Some(most) = arguments.until_failure else {
        let profile = run(arguments, &options)?;
        tell_end(arguments, &profile)?;
        return Ok(status(&profile.process.end));
    };
    let mut line = if arguments.quiet { ProgressLine::silent() } else { ProgressLine::on_stderr() };
    let begun = Instant::now();
    for number in 0..most {
        line.say(begun.elapsed(), || format!("run {} of {most}: none has failed", number + 1));
        options.noise = arguments.noise.map(|seed| seed.wrapping_add(number));
        let profile = run(arguments, &options)?;
        let status = status(&profile.process.end);
        if status != 0 {
            drop(line);
            tell_end(arguments, &profile)?;
            tell(arguments, &format!("run {} failed, the first of at most {most} that did", number + 1));
            return Ok(status);
        }
    }
    drop(line);
    tell(
        arguments,
        &format!("none of {most} runs failed; the last one is in {}", arguments.output.display()),
    );
    Ok(0)
}

fn tell(arguments: &RecordArguments, what: &str) {
    if !arguments.quiet {
        eprintln!("symx: {what}");
    }
}

/// Runs the program in symx.
fn interpret(arguments: &RecordArguments, program: &Path) -> Result<u8, Refusal> {
    arguments.environment.iter().try_for_each(|variable| split(variable).map(|_| ()))?;
    let text = |argument: &OsString| {
        let why = || Refusal::Usage(format!("the argument {argument:?} is not UTF-8"));
        argument.to_str().map(str::to_owned).ok_or_else(why)
    };
    let program = ProgramOptions {
        program: program.to_path_buf(),
        arguments: arguments.program.iter().map(text).collect::<Result<_, _>>()?,
        surroundings: SurroundingOptions {
            environment: arguments.environment.clone(),
            mounts: arguments.mounts.clone(),
            stdin: arguments.stdin.clone(),
            ..SurroundingOptions::default()
        },
        undefined: arguments.undefined.clone(),
        compiling: CompilingOptions::default(),
    };
    let InterpretedRecord { end, threads, failure, gaps } = record_interpreted(&InterpretedRun {
        program: &program,
        memory_model: arguments.memory_model,
        seed: arguments.seed,
        timeout: arguments.timeout,
        recording: RecordingOptions { inputs: !arguments.no_inputs },
        output: &arguments.output,
    })?;
    if !arguments.quiet {
        failure.iter().for_each(|failure| eprintln!("symx: {}", one_line(failure)));
        let count = counted(threads.len() as u64, "thread");
        eprintln!("symx: {}; {count} recorded in {}", describe_end(&end), arguments.output.display());
        gaps.iter().chain(&thread_gaps(&threads)).for_each(|gap| eprintln!("symx: {}", one_line(gap)));
    }
    Ok(status(&end))
}

/// How the instrumented program is run natively. Standard input is read here, once for all runs.
fn recording(arguments: &RecordArguments) -> Result<RecordOptions, Refusal> {
    let binary = PathBuf::from(&arguments.program[0]);
    std::fs::metadata(&binary).map_err(|error| Refusal::unreadable(&binary, error))?;
    // Input is remembered in the profile, so that the reproduction reads the same. A pipe may never end.
    let own_input = std::fs::metadata("/dev/stdin").map(|stdin| stdin.file_type());
    let is_file = own_input.as_ref().is_ok_and(|kind| kind.is_file());
    let is_pipe = own_input.is_ok_and(|kind| kind.is_fifo() || kind.is_socket());
    let stdin = if is_file { Some(read_own_input()?) } else { None };
    Ok(RecordOptions {
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
        show_output: arguments.until_failure.is_none(),
        timeout: arguments.timeout,
        ring: arguments.ring,
        sync: arguments.record_sync,
        noise: arguments.noise,
        no_inputs: arguments.no_inputs,
        log_directory: memory_backed(),
    })
}

/// Runs the instrumented program natively, and writes its profile.
fn run(arguments: &RecordArguments, options: &RecordOptions) -> Result<Profile, Refusal> {
    let profile = run_and_collect(options).map_err(|error| Refusal::Recording(error.to_string()))?;
    create_private(&arguments.output)
        .and_then(|mut file| std::io::Write::write_all(&mut file, &profile.write()))
        .map_err(|error| Refusal::unwritable(&arguments.output, error))?;
    Ok(profile)
}

/// The standard error of a recorded run, how it ended, and which parts of it are not recorded.
fn tell_end(arguments: &RecordArguments, profile: &Profile) -> Result<(), Refusal> {
    if arguments.quiet {
        return Ok(());
    }
    std::io::Write::write_all(&mut std::io::stderr(), &profile.process.stderr_tail)
        .map_err(|error| Refusal::unwritable("standard error", error))?;
    let threads = counted(profile.threads.len() as u64, "thread");
    let end = describe_end(&profile.process.end);
    eprintln!("symx: {end}; {threads} recorded in {}", arguments.output.display());
    for gap in gaps(profile) {
        eprintln!("symx: {}", one_line(&gap));
    }
    Ok(())
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
