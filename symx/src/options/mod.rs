//! Options that several commands share.

pub(crate) mod checks;
pub mod cluster;
pub mod covered;
pub(crate) mod project_file;
pub mod properties;
pub mod reported_command;
pub(crate) mod symbolic;

use crate::files::source_text::SourceOptions;
use crate::files::writable::{check_file, check_folder};
use crate::limits::budget::Deadline;
use crate::limits::memory::KeptFree;
use crate::load::Wanted;
use crate::refusal::Refusal;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use properties::Properties;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use symbolic::SymbolicOptions;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{
    ExploreOptions, NamedSearch, PCT_DEPTH, RandomSchedules, Reduction, SEARCHES, ScheduleBound, Search,
};
use symx_trace::{Forgivable, Policy, Tolerance};

/// The program and what surrounds it.
#[derive(Args, Clone, Debug)]
pub struct ProgramOptions {
    /// The program: .bc, .ll, or a .c/.cc file that clang compiles
    #[arg(value_name = "PROG")]
    pub program: PathBuf,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
    #[command(flatten)]
    pub surroundings: SurroundingOptions,
    #[command(flatten)]
    pub undefined: UndefinedOptions,
    #[command(flatten)]
    pub compiling: CompilingOptions,
}

impl ProgramOptions {
    /// How the program is to be loaded.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted { standards: &self.compiling.standards, ..Wanted::at(self.surroundings.symbolic.entry()) }
    }
}

/// How a source file is compiled.
#[derive(Args, Clone, Debug, Default)]
pub struct CompilingOptions {
    /// Standard by which a .c/.cc file is compiled, such as c++23 or gnu17 [default: gnu++17 for C++, clang's
    /// own for C]. Given once for C and once for C++, each file is compiled by its own
    #[arg(long = "std", value_name = "STANDARD", value_parser = language_standard)]
    pub standards: Vec<String>,
}

/// The name of a standard: the compiler knows which there are.
fn language_standard(text: &str) -> Result<String, String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+:".contains(letter);
    match text.starts_with(|first: char| first.is_ascii_lowercase()) && text.chars().all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("expected a standard such as c++23 or gnu17".into()),
    }
}

/// What becomes of undefined behaviour.
#[derive(Args, Clone, Debug, Default)]
pub struct UndefinedOptions {
    /// What undefined behaviour does that machines forgive: CLASS=POLICY. Classes: call, widening,
    /// overflow, uninitialised, release, alignment, or all; policies: error, warn, ignore [default:
    /// all=error,call=warn]
    #[arg(long = "undefined", value_name = "LIST", value_delimiter = ',', value_parser = undefined_behaviour)]
    policies: Vec<(Option<Forgivable>, Policy)>,
}

impl UndefinedOptions {
    /// Whether the command line says anything of it.
    pub fn is_given(&self) -> bool {
        !self.policies.is_empty()
    }

    /// The policy for each class of undefined behaviour; the last option counts.
    pub fn tolerance(&self) -> Tolerance {
        self.policies.iter().fold(Tolerance::default(), |tolerance, &(class, policy)| match class {
            None => Tolerance::all(policy),
            Some(class) => tolerance.with(class, policy),
        })
    }
}

/// `CLASS=POLICY`; no class is all of them.
fn undefined_behaviour(text: &str) -> Result<(Option<Forgivable>, Policy), String> {
    let expected = || "expected CLASS=POLICY, such as overflow=warn or all=ignore".to_owned();
    let (class, policy) = text.split_once('=').ok_or_else(expected)?;
    let class = match class {
        "all" => None,
        class => Some(class.parse().map_err(|_| expected())?),
    };
    Ok((class, policy.parse().map_err(|_| expected())?))
}

/// What of the host the program sees.
#[derive(Args, Clone, Debug, Default)]
pub struct SurroundingOptions {
    /// Set an environment variable of the program; the caller's environment is not inherited
    #[arg(long = "env", value_name = "K=V", value_parser = environment_variable)]
    pub environment: Vec<String>,
    /// Let the program read this file or folder of the host, besides those named by its arguments
    #[arg(long = "mount", value_name = "PATH")]
    pub mounts: Vec<PathBuf>,
    /// The program's standard input; `-` for symx's own
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    #[command(flatten)]
    pub symbolic: SymbolicOptions,
}

/// Which executions are explored, how, and how far.
#[derive(Args, Clone, Debug)]
pub struct ExploringOptions {
    /// Memory model (see --list-memmodels)
    #[arg(long = "memmodel", value_name = "MODEL", default_value = "sc", value_parser = memory_model)]
    pub memory_model: &'static dyn MemoryModel,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Stop after this many executions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// Limit the forks on symbolic values of one path
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Stop after this many forks on symbolic values
    #[arg(long, value_name = "N")]
    pub max_forks: Option<u64>,
    /// Limit the instructions of one execution
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u64>,
    /// Stop when symx uses more memory than this [default: three quarters of the available memory]
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
    /// Unroll each loop at most N times; a loop cut short makes the verdict incomplete
    #[arg(long, value_name = "N")]
    pub unroll: Option<u32>,
    /// Explore schedules of at most this many preemptions
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Explore schedules of at most this many delays: a delay skips the thread that a round-robin scheduler
    /// without preemption would run
    #[arg(long, value_name = "N", conflicts_with = "preemptions")]
    pub delays: Option<u32>,
    /// Partial-order reduction
    #[arg(long, value_enum, default_value_t = ReductionName::ReadsFrom)]
    pub reduction: ReductionName,
    /// Symmetry reduction for identical threads: threads that start the same function with the same argument.
    /// Assumes that the program does not depend on the addresses of their memory
    #[arg(long)]
    pub symmetry: bool,
    /// Worker threads of an exhaustive exploration (default: one per processor); the result does not depend
    /// on their number
    #[arg(long, value_name = "N", value_parser = workers)]
    pub jobs: Option<NonZeroUsize>,
    /// Model spurious wake-ups of condition variables: any wait may end by itself, or not
    #[arg(long)]
    pub spurious_wakeups: bool,
    /// Beside other threads, each thread takes the lowest free descriptor of numbers of its own. Assumes that
    /// the program does not depend on which numbers descriptors get
    #[arg(long)]
    pub independent_descriptors: bool,
    /// Search strategy for schedules and paths
    #[arg(long, default_value = "dfs", value_parser = search_parser())]
    search: &'static NamedSearch,
    /// Depth of the bug that `--search pct` aims at
    #[arg(long, value_name = "N", default_value_t = PCT_DEPTH, value_parser = clap::value_parser!(u32).range(1..))]
    pub pct_depth: u32,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Checks to make; the default is said by [`checks::help`]
    #[arg(long, help = checks::help(), value_parser = checks::parser())]
    #[arg(value_delimiter = ',', value_name = "LIST")]
    pub check: Vec<checks::AskedFor>,
    /// Property to check instead, as verifiers state it: unreach-call, valid-memsafety (valid-free,
    /// valid-deref, valid-memtrack), valid-memcleanup, no-overflow, no-data-race, termination, or a .prp file
    #[arg(long, value_delimiter = ',', value_name = "PROPERTY", value_parser = Properties::parse)]
    pub property: Vec<Properties>,
    /// Report all distinct errors instead of the first
    #[arg(long)]
    pub keep_going: bool,
}

/// Where results are written.
#[derive(Args, Clone, Debug)]
pub struct ReportOptions {
    /// Write the result as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write line, branch and function coverage in lcov's format
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// Output folder for schedules, inputs and traces of failures
    #[arg(long, value_name = "DIR", default_value = "symx-out")]
    pub out: PathBuf,
    #[command(flatten)]
    pub source: SourceOptions,
    /// Print nothing; only the exit code (and the JSON) gives the verdict
    #[arg(long)]
    pub quiet: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

impl ReportOptions {
    /// Refuses what could not be written in the end.
    pub fn check(&self) -> Result<(), Refusal> {
        self.json.as_deref().map_or(Ok(()), check_file)?;
        self.coverage.as_deref().map_or(Ok(()), check_file)?;
        check_folder(&self.out)
    }
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Partial-order reductions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReductionName {
    /// Reads-from equivalence; falls back to source sets where it does not apply.
    ReadsFrom,
    /// Dynamic partial-order reduction with source sets (Mazurkiewicz traces).
    SourceSets,
    /// Each state once, however it is reached: for threads that try again without end. Falls back to source
    /// sets where states do not say all (races, symbolic inputs, models that keep old writes).
    States,
}

/// Names of search strategies, with their help.
fn search_parser() -> impl TypedValueParser<Value = &'static NamedSearch> {
    let names = SEARCHES.iter().map(|row| PossibleValue::new(row.name).help(row.description));
    PossibleValuesParser::new(names)
        .try_map(|name| NamedSearch::by_name(&name).ok_or_else(|| format!("no search is called {name}")))
}

/// Most workers that can be asked for: more than any machine has processors. Each takes a thread and a
/// solver.
const MOST_WORKERS: usize = 1024;

/// A number of workers.
pub fn workers(text: &str) -> Result<NonZeroUsize, String> {
    let expected = || format!("expected a number from 1 to {MOST_WORKERS}");
    let workers: NonZeroUsize = text.parse().map_err(|_| expected())?;
    if workers.get() > MOST_WORKERS { Err(expected()) } else { Ok(workers) }
}

/// How many workers there are to be: as many as asked for, or one for each processor.
pub fn jobs(asked: Option<NonZeroUsize>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(all, NonZeroUsize::get)
}

impl ExploringOptions {
    /// How many workers there are to be.
    pub fn jobs(&self) -> usize {
        jobs(self.jobs)
    }

    /// The end of any work before exploring, which time and memory count for as well.
    pub fn end(&self) -> Deadline {
        let end = self.max_time.and_then(|limit| Instant::now().checked_add(limit));
        Deadline::at(end).or_interrupted().or_without_memory(self.max_memory, KeptFree::Eighth)
    }

    /// The way of searching.
    pub fn search(&self) -> Search {
        match self.search.search {
            Search::Random(RandomSchedules::Pct { .. }) => {
                Search::Random(RandomSchedules::Pct { depth: self.pct_depth })
            }
            search => search,
        }
    }

    /// The name of the way of searching.
    pub fn search_name(&self) -> &'static str {
        self.search.name
    }

    /// The bound on schedules, or the last one of an iterative search.
    fn bound(&self) -> Option<ScheduleBound> {
        match (self.preemptions, self.delays) {
            (Some(most), _) => Some(ScheduleBound::Preemptions(most)),
            (None, most) => most.map(ScheduleBound::Delays),
        }
    }

    /// Refuses an iterative search with a bound of another kind.
    pub fn refuse_other_bound(&self) -> Result<(), Refusal> {
        match (self.search().bound_reason(), self.bound()) {
            (Some(iterated), Some(bound)) if iterated != bound.reason() => Err(Refusal::Usage(format!(
                "--search {}: --{} is a bound of another kind",
                self.search.name,
                bound.reason()
            ))),
            _ => Ok(()),
        }
    }

    /// In the interpreter's words.
    pub fn explore_options(&self) -> ExploreOptions {
        let checks = self.checks();
        ExploreOptions {
            search: self.search(),
            reduction: match self.reduction {
                ReductionName::ReadsFrom => Reduction::ReadsFrom,
                ReductionName::SourceSets => Reduction::SourceSets,
                ReductionName::States => Reduction::States,
            },
            symmetry: self.symmetry,
            seed: self.seed,
            bound: self.bound(),
            max_executions: self.max_executions,
            max_depth: self.max_depth,
            max_forks: self.max_forks,
            counted: checks,
            quiet: self.properties().quiet(),
            strict_leaks: !self.property.is_empty(),
            keep_going: self.keep_going,
            resume: None,
            keep_endings: false,
        }
    }
}

fn environment_variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=VALUE".into()),
    }
}

/// The memory model or variant of this name.
pub fn memory_model(name: &str) -> Result<&'static dyn MemoryModel, String> {
    symx_memmodel::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = symx_memmodel::all().map(|model| model.name()).collect();
        format!("known models are {}", known.join(", "))
    })
}

/// Most seconds that can be asked for, some 136 years: a clock knows no times much later.
const MOST_SECONDS: u32 = u32::MAX;

/// A positive number of seconds, with a fraction if wanted.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if seconds > f64::from(MOST_SECONDS) {
        return Err(format!("expected at most {MOST_SECONDS} seconds"));
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a positive number of seconds".into()),
    }
}

impl SurroundingOptions {
    /// The bytes that `--stdin` denotes; `None` if it was not given.
    pub fn standard_input(&self) -> Result<Option<Vec<u8>>, Refusal> {
        let Some(path) = &self.stdin else { return Ok(None) };
        if path.as_os_str() == "-" {
            return read_own_input().map(Some);
        }
        std::fs::read(path).map(Some).map_err(|error| Refusal::unreadable(path, error))
    }
}

/// Everything on symx's own standard input.
pub fn read_own_input() -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
        .map_err(|error| Refusal::unreadable("standard input", error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standards_are_names() {
        assert!(["c++23", "gnu17", "iso9899:2017"].iter().all(|name| language_standard(name).is_ok()));
        assert!(["", "-x", "c++23 -x", "17", "c11,c17"].iter().all(|name| language_standard(name).is_err()));
    }

    #[test]
    fn seconds_are_positive_numbers() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("60"), Ok(Duration::from_secs(60)));
        for wrong in
            ["0", "-0", "-1", "1e40", "1.8e19", "4294967296", "NaN", "inf", "-inf", "1e-10", "soon", ""]
        {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn workers_are_a_number_that_a_machine_has() {
        assert_eq!(workers("2"), Ok(NonZeroUsize::MIN.saturating_add(1)));
        assert_eq!(workers("1024").map(NonZeroUsize::get), Ok(1024));
        for wrong in ["0", "-1", "1025", "20000", "18446744073709551616", "many", ""] {
            assert!(workers(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn variables_have_names() {
        assert!(environment_variable("A=").is_ok());
        assert!(environment_variable("=b").is_err());
        assert!(environment_variable("A").is_err());
    }

    #[test]
    fn models_are_known_by_name() {
        assert_eq!(memory_model("pso").map(|model| model.name()), Ok("pso"));
        assert!(memory_model("arm").unwrap_err().contains("sc, tso, pso"));
    }
}
