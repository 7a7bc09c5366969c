//! `symx trace`: symbolic traces of executions.

use crate::exit_code::{INCOMPLETE, VIOLATION};
use crate::limits::budget::Deadline;
use crate::limits::memory::KeptFree;
use crate::options::{jobs, seconds, workers};
use crate::refusal::Refusal;
use crate::render;
use crate::report::SynthesisStatistics;
use crate::schedules::guided::count;
use crate::schedules::laid_out::{describes_itself, problem_of};
use crate::schedules::scheduled::{Scheduled, ScheduledOptions};
use crate::schedules::traced::{Solved, Solving, solve, trace_of};
use crate::text::{counted, one_line};
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use symx_checkers::synthesis::{System, to_smtlib};
use symx_expr::StopToken;
use symx_trace::symbolic::{SymbolicTrace, file};

/// What to do with symbolic traces.
#[derive(Subcommand, Debug)]
pub enum TraceCommand {
    /// Make the symbolic trace of the execution under a schedule
    Make(MakeArguments),
    /// Print a symbolic trace
    Show(ShowArguments),
    /// Find a failing schedule from the trace alone, and replay it
    Solve(SolveArguments),
}

/// Arguments of `trace make`.
#[derive(Args, Debug)]
pub struct MakeArguments {
    #[command(flatten)]
    scheduled: ScheduledOptions,
    /// The trace to write: JSON if the name ends in `.json`, else binary
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    output: PathBuf,
}

/// Arguments of `trace show`.
#[derive(Args, Debug)]
pub struct ShowArguments {
    /// The trace, JSON or binary
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
}

/// Arguments of `trace solve`.
#[derive(Args, Debug)]
pub struct SolveArguments {
    #[command(flatten)]
    scheduled: ScheduledOptions,
    /// Write the constraints of a failing execution as SMT-LIB
    #[arg(long, value_name = "FILE")]
    dump_smt2: Option<PathBuf>,
    /// Write statistics of the trace and of solving
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    max_time: Option<Duration>,
    /// Engines to run in parallel (default: one per processor); with 1 the result is deterministic
    #[arg(long, value_name = "N", value_parser = workers)]
    jobs: Option<NonZeroUsize>,
    /// Prove that no schedule of the trace has fewer preemptions, or find one
    #[arg(long)]
    prove_minimal: bool,
}

impl SolveArguments {
    fn solving(&self) -> Solving {
        let end = self.max_time.and_then(|limit| Instant::now().checked_add(limit));
        let deadline = Deadline::at(end).or_without_memory(None, KeptFree::HalfOfRest);
        Solving { jobs: jobs(self.jobs), proves_minimal: self.prove_minimal, deadline }
    }
}

/// Runs the command.
pub fn trace(command: &TraceCommand) -> Result<u8, Refusal> {
    match command {
        TraceCommand::Make(arguments) => make(arguments),
        TraceCommand::Show(arguments) => show(&arguments.trace),
        TraceCommand::Solve(arguments) => find(arguments),
    }
}

fn open(options: &ScheduledOptions) -> Result<Scheduled, Refusal> {
    Scheduled::open(&options.program, &options.schedule, &options.surroundings(), &options.source)
}

fn make(arguments: &MakeArguments) -> Result<u8, Refusal> {
    let options = &arguments.scheduled;
    let traced = match trace_of(&open(options)?, &StopToken::default()) {
        Ok(traced) => traced,
        Err(why) => {
            println!("not traced: {}", one_line(&why.to_string()));
            return Ok(VIOLATION);
        }
    };
    let is_json = arguments.output.extension().is_some_and(|extension| extension == "json");
    let bytes = if is_json { traced.trace.to_json().into_bytes() } else { file::write(&traced.trace) };
    std::fs::write(&arguments.output, bytes)
        .map_err(|error| Refusal::unwritable(&arguments.output, error))?;
    if !options.quiet {
        println!("{}; trace in {}", summary(&traced.trace), arguments.output.display());
    }
    Ok(0)
}

fn summary(trace: &SymbolicTrace) -> String {
    let conditions: usize = trace.threads.iter().map(|thread| thread.conditions.len()).sum();
    format!(
        "{}, {}, {}, {}",
        counted(trace.threads.len() as u64, "thread"),
        counted(trace.objects.len() as u64, "object"),
        counted(trace.event_count() as u64, "event"),
        counted(conditions as u64, "condition")
    )
}

fn read(path: &Path) -> Result<SymbolicTrace, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    let trace = match bytes.first() {
        Some(b'{') => SymbolicTrace::from_json(&String::from_utf8_lossy(&bytes)),
        _ => file::read(&bytes),
    };
    trace.map_err(|why| Refusal::Trace { path: path.to_owned(), why: why.to_string() })
}

fn show(path: &Path) -> Result<u8, Refusal> {
    print!("{}", render::symbolic_trace(&read(path)?));
    Ok(0)
}

fn find(arguments: &SolveArguments) -> Result<u8, Refusal> {
    let solving = arguments.solving();
    let over = solving.deadline.cutoff();
    let scheduled = open(&arguments.scheduled)?;
    let said = |what: String| {
        println!("{}", one_line(&what));
        Ok(VIOLATION)
    };
    let cut = |why: String| {
        println!("incomplete: {}", one_line(&why));
        Ok(INCOMPLETE)
    };
    let traced = match (trace_of(&scheduled, &over), solving.deadline.reason()) {
        (Ok(traced), _) => traced,
        (Err(why), Some(limit)) => return cut(format!("{limit}; not traced: {why}")),
        (Err(why), None) => return said(format!("not traced: {why}")),
    };
    let problem = match problem_of(&traced, scheduled.session.memory_model) {
        Ok(problem) => problem,
        Err(why) => return said(format!("not solved: {why}")),
    };
    if let Some(path) = &arguments.dump_smt2 {
        if let Err(why) = problem.fits_in_tables() {
            return said(format!("not written: {why}"));
        }
        let text = to_smtlib(&problem, &System::new(&problem));
        std::fs::write(path, text).map_err(|error| Refusal::unwritable(path, error))?;
    }
    if let Err(why) = describes_itself(&problem, &traced) {
        return said(format!("not traced: the trace does not describe its own execution: {why}"));
    }
    let mut statistics = SynthesisStatistics::default();
    count(&traced.trace, &mut statistics);
    let started = Instant::now();
    let solved = solve(&scheduled, &traced, &problem, &solving);
    statistics.solving_ms = started.elapsed().as_millis() as u64;
    if let Ok(Solved::Found { engine, switches, preemptions, fewest, enacted }) = &solved {
        statistics.fewest.clone_from(fewest);
        statistics.instructions = enacted.instructions;
        statistics.engine = (*engine).into();
        (statistics.context_switches, statistics.preemptions) = (*switches, *preemptions);
    }
    if let Some(path) = &arguments.json {
        if problem.fits_in_tables().is_ok() {
            let system = System::stopped_by(&problem, &over);
            if !over.is_over() {
                statistics.constraints = (system.clauses.len() + system.edges.len()) as u64;
            }
        }
        let text = serde_json::to_string_pretty(&statistics).expect("statistics have no map keys but text");
        std::fs::write(path, text).map_err(|error| Refusal::unwritable(path, error))?;
    }
    match solved {
        Err(why) => said(format!("not enacted: {why}")),
        Ok(Solved::Impossible(engine)) => {
            said(format!("not solved: {engine}: no execution of the trace shows the bug"))
        }
        Ok(Solved::Unknown(why)) => cut(format!("not solved: {why}")),
        Ok(Solved::Found { engine, switches, fewest, enacted, .. }) => {
            let same = match (&traced.trace.bug.failure, enacted.failure()) {
                (Some(expected), Some(seen)) => expected.same_fault(seen),
                (None, None) => enacted.end.is_some(),
                _ => false,
            };
            let seen = enacted.failure().map_or("no failure".to_string(), |failure| failure.message.clone());
            let verdict = if same { "reproduced" } else { "not reproduced" };
            println!(
                "{verdict} by {engine} with {switches} context switches ({}): {}",
                summary(&traced.trace),
                one_line(&seen)
            );
            print!("{}", fewest.map_or_else(String::new, |fewest| fewest.told()));
            Ok(if same { 0 } else { VIOLATION })
        }
    }
}
