//! `symx sketch`: statements that distinguish failing executions of a program from passing ones.

use super::compose::write_text;
use crate::exit_code::{INCOMPLETE, VIOLATION};
use crate::explain::sketch::given::GivenRuns;
use crate::explain::sketch::opening::{Given, Opening};
use crate::explain::sketch::sampled::{Sampling, sample, search};
use crate::explain::sketch::{Runs, most_frequent, sketch_of};
use crate::files::source_text::SourceOptions;
use crate::files::writable::check_file;
use crate::limits::budget::Deadline;
use crate::limits::memory::KeptFree;
use crate::load::load;
use crate::options::{
    Color, CompilingOptions, ProgramOptions, SurroundingOptions, UndefinedOptions, seconds,
};
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symx_interp::machine::Options;
use symx_memmodel::SequentialConsistency;
use symx_posix_explore::ExploreOptions;
use symx_trace::sketch::NoSketch;
use symx_trace::{Failure, RunLog};

/// Most executions sampled unless a number is given. A failure of one execution in a hundred is then met
/// twenty times.
const RUNS: u64 = 2000;

/// How long executions are sampled unless a limit is given.
const PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of `sketch`.
#[derive(Args, Debug)]
pub struct SketchArguments {
    /// The program: .bc, .ll, or a .c/.cc file that clang compiles
    #[arg(value_name = "PROG")]
    program: PathBuf,
    /// Schedules and profiles of failing and passing executions. If all fail, or none is given, random
    /// executions are sampled as well
    #[arg(value_name = "RUN")]
    files: Vec<PathBuf>,
    /// Arguments of the program; schedules and profiles have their own
    #[arg(last = true, value_name = "ARGS", conflicts_with = "files")]
    arguments: Vec<String>,
    #[command(flatten)]
    surroundings: SurroundingOptions,
    #[command(flatten)]
    undefined: UndefinedOptions,
    #[command(flatten)]
    compiling: CompilingOptions,
    /// Random executions to sample at most; fewer suffice if many of them fail and many pass
    #[arg(long, value_name = "N", default_value_t = RUNS, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Stop sampling after this many seconds [default: 60]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    max_time: Option<Duration>,
    /// Stop when symx uses more memory than this [default: three quarters of the available memory]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u64>,
    /// Limit the instructions of one execution
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the sketch as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a self-contained page: one lane per thread, predictors, source code
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    source: SourceOptions,
    /// Print nothing
    #[arg(long)]
    quiet: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

impl SketchArguments {
    fn program(&self) -> ProgramOptions {
        ProgramOptions {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            surroundings: self.surroundings.clone(),
            undefined: self.undefined.clone(),
            compiling: self.compiling.clone(),
        }
    }

    fn sampling(&self, end: Deadline, options: ExploreOptions) -> Sampling {
        Sampling { runs: self.runs, end, options: ExploreOptions { seed: self.seed, ..options } }
    }
}

/// Runs the command. The exit code is that of `run`: 1 with a failure, 3 where none was found.
pub fn sketch(arguments: &SketchArguments) -> Result<u8, Refusal> {
    arguments.json.as_deref().map_or(Ok(()), check_file)?;
    arguments.html.as_deref().map_or(Ok(()), check_file)?;
    let end = Deadline::default()
        .or_interrupted()
        .or_without_memory(arguments.max_memory, KeptFree::Eighth)
        .within(arguments.max_time.unwrap_or(PATIENCE));
    let is_sampled = arguments.files.is_empty();
    let sketched = if is_sampled { of_program(arguments, end) } else { of_files(arguments, end) };
    let Sketched { session, runs, failure } = sketched?;
    let sketch = failure.as_ref().and_then(|failure| sketch_of(&session, &runs, failure));
    let program = session.loaded.path.display().to_string();
    let sketch = sketch.ok_or_else(|| NoSketch::of(program, runs.logs.len() as u32, runs.limits));
    if let Some(path) = &arguments.json {
        let text = match &sketch {
            Ok(sketch) => serde_json::to_string_pretty(sketch),
            Err(without) => serde_json::to_string_pretty(without),
        };
        write_text(path, &(text.expect("plain data encodes into memory") + "\n"))?;
    }
    if let Some(path) = &arguments.html {
        let page = match &sketch {
            Ok(sketch) => render::sketch_page(sketch, &session.loaded.source),
            Err(without) => render::no_sketch_page(without),
        };
        std::fs::write(path, page).map_err(|error| Refusal::unwritable(path, error))?;
    }
    let on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
    if !arguments.quiet && !on_stdout {
        let look = Look::new(arguments.color, &std::io::stdout(), &session.loaded.source);
        match &sketch {
            Ok(sketch) => print!("{}", render::sketch(sketch, look)),
            Err(without) => print!("{}", render::no_sketch(without)),
        }
    }
    Ok(if sketch.is_ok() { VIOLATION } else { INCOMPLETE })
}

/// The parts of a sketch.
struct Sketched {
    session: Session,
    runs: Runs,
    failure: Option<Failure>,
}

fn of_program(arguments: &SketchArguments, end: Deadline) -> Result<Sketched, Refusal> {
    let program = &arguments.program();
    let loaded = load(&program.program, program.wanted())?;
    let loaded = loaded.with_source(&arguments.source)?;
    let surroundings = Surroundings::new(program)?;
    let options = Options {
        max_instructions: arguments.max_steps.unwrap_or(u64::MAX),
        havoc_externals: surroundings.symbolic.externals,
        tolerance: program.undefined.tolerance(),
        ..Options::default()
    };
    let session = Session::new(loaded, surroundings, &program.surroundings, &SequentialConsistency, options)?
        .with_failing_panics(true);
    let sampling = arguments.sampling(end, ExploreOptions::default());
    let mut runs = sample(&session, None, &sampling);
    if most_frequent(&runs.logs).is_none() {
        let found = search(&session, &sampling, &mut runs.limits);
        if found.is_some() {
            runs.limits.push("no sampled execution fails; the failing one was found by exploration".into());
        }
        runs.logs.extend(found);
    }
    let failure = most_frequent(&runs.logs).map(|(failure, _)| failure.clone());
    Ok(Sketched { session, runs, failure })
}

fn of_files(arguments: &SketchArguments, end: Deadline) -> Result<Sketched, Refusal> {
    let program = &arguments.program();
    let opening = Opening { program, source: &arguments.source, end: &end, seed: arguments.seed };
    let GivenRuns { mut given, followed, mut limits } = opening.open_all(&arguments.files)?;
    let mut logs: Vec<RunLog> = Vec::new();
    let mut owners: Vec<usize> = Vec::new();
    for (number, given) in given.iter_mut().enumerate() {
        owners.extend(std::iter::repeat_n(number, given.logs.len()));
        logs.append(&mut given.logs);
    }
    let Some((failure, _)) = most_frequent(&logs) else {
        return Err(Refusal::Usage("none of the schedules and profiles fails".into()));
    };
    let failure = failure.clone();
    let ends_in_it = |log: &RunLog| log.failure.as_ref().is_some_and(|own| own.same_fault(&failure));
    let first = logs.iter().position(ends_in_it).map_or(0, |log| owners[log]);
    let Given { session, options, inputs, .. } = given.swap_remove(first);
    // A schedule says how its threads are numbered; other executions need not have these.
    let session = session.numbering(&[]);
    if logs.iter().all(|log| log.failure.is_some()) {
        let sampled = sample(&session, Some(&inputs), &arguments.sampling(end, options));
        logs.extend(sampled.logs);
        limits.extend(sampled.limits);
    }
    Ok(Sketched { session, runs: Runs { logs, limits, followed }, failure: Some(failure) })
}
