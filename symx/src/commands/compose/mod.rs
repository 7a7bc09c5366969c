//! From what an exploration found to the report, on the screen and in files.

pub mod drawing;
pub mod witness;

use crate::files::coverage::{CoveredSource, LineCount};
use crate::files::own;
use crate::files::program_output::write_to_stdout;
use crate::files::unwritten::Unwritten;
use crate::limits::memory::peak_memory_kib;
use crate::options::ReportOptions;
use crate::options::reported_command::ReportedCommand;
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::report::{MOST_OUTCOMES, Outcome, Report, Statistics};
use crate::schedules::artefacts;
use crate::schedules::confirm::{Confirmed, Findings};
use crate::session::Session;
use crate::text::visible;
use std::path::Path;
use std::time::Duration;
use symx_expr::solver::SolverStatistics;
use symx_posix_explore::{Done, Exploration};

/// The cost of an exploration.
#[derive(Clone, Copy)]
pub struct Work {
    /// In the solver.
    pub solver: SolverStatistics,
    /// In all.
    pub elapsed: Duration,
    /// How many failures an earlier part of it has numbered.
    pub known: usize,
}

/// The report of an exploration, with the artefacts of its failures written; what cannot be is noted.
pub fn compose(
    command: ReportedCommand,
    session: &Session,
    exploration: &Exploration,
    findings: &mut Findings,
    Work { solver, elapsed, known }: Work,
    options: &ReportOptions,
    unwritten: &mut Unwritten,
) -> Report {
    for (index, confirmed) in findings.confirmed.iter_mut().enumerate() {
        let number = session.options.guide.is_none().then_some(known + index + 1);
        unwritten.note(artefacts::write(&options.out, number, session, confirmed));
    }
    let violations: Vec<_> = findings.confirmed.iter().map(|confirmed| confirmed.violation.clone()).collect();
    let progress = exploration.progress;
    let lines = unwritten.note(write_coverage(session, exploration, options)).flatten();
    Report {
        program: session.loaded.path.display().to_string(),
        memmodel: session.memory_model.name().into(),
        outcomes: outcomes(exploration),
        stats: Statistics {
            executions: progress.executions,
            blocked: progress.blocked,
            states: Some(progress.states).filter(|states| *states > 0),
            paths: progress.paths,
            instructions: progress.instructions,
            events: progress.events,
            threads: progress.threads,
            queries: solver.queries,
            cache_hits: solver.cache_hits,
            solver_queries: solver.solver_queries,
            solver_ms: solver.solver_time.as_millis() as u64,
            wall_ms: elapsed.as_millis() as u64,
            peak_rss_kib: peak_memory_kib(),
            explored_per_million: progress.done.map(Done::per_million),
            lines: lines.map(|lines| lines.all),
            lines_executed: lines.map(|lines| lines.executed),
        },
        contradictions: findings.contradictions.clone(),
        beyond_reads_from: exploration.beyond.map(|beyond| beyond.to_string()),
        notes: notes(command, session, exploration, findings),
        assumptions: assumptions(session, exploration),
        ..Report::new(command, violations, findings.incomplete.clone())
    }
}

/// Bytes of standard error that are shown.
const MOST_OF_ERRORS: usize = 200;

/// Observations of the program beside what is checked: it wrote to standard error, or asked for files that it
/// does not see.
fn notes(
    command: ReportedCommand,
    session: &Session,
    exploration: &Exploration,
    findings: &Findings,
) -> Vec<String> {
    // Only of an unknown function all calls are known.
    let is_unknown_function = findings.incomplete.iter().any(|cut| !cut.locations.is_empty());
    let way_out = is_unknown_function.then(|| {
        "a function without a body: link its code (symx cc, symx c++), or let it return any value \
         (--externals havoc)"
            .to_owned()
    });
    // Output that `exec` passes through need not be reported.
    let written = exploration.errors.as_ref().filter(|_| command != ReportedCommand::Exec);
    let errors = written.map(|errors| {
        let text = String::from_utf8_lossy(&errors[..errors.len().min(MOST_OF_ERRORS)]).into_owned();
        let more = if errors.len() > MOST_OF_ERRORS { "..." } else { "" };
        let text = text.lines().collect::<Vec<_>>().join(" / ");
        format!("an execution writes to standard error: {text}{more}")
    });
    let hidden = session.hidden_files();
    let named: Vec<&str> = hidden.iter().map(String::as_str).take(3).collect();
    let files = named.first().map(|first| {
        let more = if hidden.len() > named.len() { ", ..." } else { "" };
        format!(
            "hidden from the program, but on this machine: {}{more}; --mount {first} shows it",
            named.join(", ")
        )
    });
    errors.into_iter().chain(files).chain(way_out).collect()
}

/// The assumptions of the verdict.
fn assumptions(session: &Session, exploration: &Exploration) -> Vec<String> {
    let havoc = |name: &String| format!("`{name}` returns any value and has no other effect");
    let entry = session.surroundings.symbolic.entry.iter().map(|entry| {
        format!("pointers given to `{}` lead to {} bytes each, none shared", entry.function, entry.bytes)
    });
    let symmetry = (exploration.exchanged > 0).then(|| {
        let count = exploration.exchanged;
        let which =
            if count == 1 { "1 alternative was".to_owned() } else { format!("{count} alternatives were") };
        format!("identical threads can be exchanged for each other ({which} left out)")
    });
    let numbers = session
        .has_independent_descriptors()
        .then(|| "it makes no difference which numbers descriptors get".to_owned());
    entry.chain(exploration.havocked.iter().map(havoc)).chain(symmetry).chain(numbers).collect()
}

/// Writes the file of `--coverage`; how many lines were executed, where that is known.
fn write_coverage(
    session: &Session,
    exploration: &Exploration,
    options: &ReportOptions,
) -> Result<Option<LineCount>, Refusal> {
    let Some(coverage) = &exploration.coverage else { return Ok(None) };
    let source = CoveredSource::new(&session.loaded.program, coverage);
    if let Some(path) = &options.coverage {
        std::fs::write(path, source.lcov()).map_err(|error| Refusal::unwritable(path, error))?;
    }
    Ok(Some(source.lines()))
}

fn outcomes(exploration: &Exploration) -> Option<Vec<Outcome>> {
    (exploration.outcomes.len() <= MOST_OUTCOMES).then(|| {
        let outcome = |(outcome, executions): (&(Vec<u8>, u8), &u64)| Outcome {
            stdout: String::from_utf8_lossy(&outcome.0).into_owned(),
            hex: std::str::from_utf8(&outcome.0).is_err().then(|| hexadecimal(&outcome.0)),
            exit_status: outcome.1,
            executions: *executions,
            example: exploration.examples.contains(outcome),
        };
        exploration.outcomes.iter().map(outcome).collect()
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The failures for people; of the first one, only the part that its story leaves out, where that follows.
pub fn failures(findings: &Findings, story_follows: bool, look: Look<'_>) -> String {
    let text = |(index, confirmed): (usize, &Confirmed)| {
        let failure = confirmed.schedule.failure.as_ref().expect("a confirmed schedule ends in a failure");
        if story_follows && index == 0 {
            return render::brief_failure(failure, &confirmed.explanation.failing, look);
        }
        let mut text = render::failure(failure, &confirmed.trace, &confirmed.explanation.failing, look);
        if let Some(schedule) = &confirmed.violation.schedule {
            text.push_str(&format!("replayed; schedule in {}\n", visible(schedule)));
        }
        text
    };
    findings.confirmed.iter().enumerate().map(text).collect::<Vec<_>>().join("\n")
}

/// Writes the result file where `--json` says.
pub fn write_json(report: &Report, options: &ReportOptions) -> Result<(), Refusal> {
    match options.json.as_deref() {
        // A folder may take no new files, and the file be one to write nevertheless.
        Some(path) if is_plain_file(path) => {
            own::write(path, report.to_json().as_bytes()).or_else(|_| write_text(path, &report.to_json()))
        }
        Some(path) => write_text(path, &report.to_json()),
        None => Ok(()),
    }
}

/// Writes the result file as it is by now: whole, in place of an earlier one. A target that takes one text
/// only, as standard output or a pipe, gets it in the end.
pub fn write_json_so_far(report: &Report, options: &ReportOptions) -> Result<(), Refusal> {
    match options.json.as_deref().filter(|path| is_plain_file(path)) {
        Some(_) => write_json(report, options),
        None => Ok(()),
    }
}

/// Whether a path leads to a file or to nothing yet, not to a link, standard output, a pipe or a device.
fn is_plain_file(path: &Path) -> bool {
    path.as_os_str() != "-" && path.symlink_metadata().map_or(true, |it| it.is_file())
}

/// Writes a result for scripts to a file, or to standard output where that is `-`.
pub fn write_text(path: &Path, text: &str) -> Result<(), Refusal> {
    if path.as_os_str() == "-" {
        write_to_stdout(text.as_bytes());
        return Ok(());
    }
    std::fs::write(path, text).map_err(|error| Refusal::unwritable(path, error))
}
