//! `symx explain`: why a schedule fails, and what would rule the failure out.

use crate::commands::compose::drawing::DrawingOptions;
use crate::exit_code::VIOLATION;
use crate::explain::patch::{Patch, Trying, patch};
use crate::explain::trial::try_remedies;
use crate::explain::weakest_ordering::weaken_orderings;
use crate::explain::{explain as explain_failure, found_by};
use crate::limits::budget::Deadline;
use crate::options::seconds;
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::schedules::scheduled::{Scheduled, ScheduledOptions};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symx_trace::Explanation;

/// The time limit of an explanation, unless one is given.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time limit of trying its fixes, unless one is given.
const TRYING: Duration = Duration::from_secs(10);

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct ExplainArguments {
    #[command(flatten)]
    scheduled: ScheduledOptions,
    /// Write the explanation as JSON (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the first verified fix that is statements to insert as a unified diff (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    #[command(flatten)]
    drawing: DrawingOptions,
    /// Explain the schedule as it is, without minimising its context switches first
    #[arg(long)]
    as_it_is: bool,
    /// Stop the analysis after this many seconds and report the results so far [default: 20]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    max_time: Option<Duration>,
    /// Verify suggested fixes for at most this many seconds altogether [default: 10]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    trial_time: Option<Duration>,
}

/// Runs the command.
pub fn explain(arguments: &ExplainArguments) -> Result<u8, Refusal> {
    let options = &arguments.scheduled;
    let scheduled =
        Scheduled::open(&options.program, &options.schedule, &options.surroundings(), &options.source)?;
    let Some(given) = found_by(&scheduled.schedule) else {
        let why = "it ends in no failure; there is nothing to explain".into();
        return Err(Refusal::Schedule { path: options.schedule.clone(), why });
    };
    let end = Deadline::default().or_interrupted().within(arguments.max_time.unwrap_or(PATIENCE));
    let explained = explain_failure(&scheduled.session, &given, &scheduled.options, arguments.as_it_is, &end);
    let Some(mut explanation) = explained.map(|explained| explained.explanation) else {
        println!("not reproduced: the schedule does not lead to the failure");
        return Ok(VIOLATION);
    };
    let trial_time = arguments.trial_time.unwrap_or(TRYING);
    let trying = end.renewed(trial_time);
    try_remedies(&scheduled.session, &mut explanation, &scheduled.options, &trying);
    weaken_orderings(&scheduled.session, &mut explanation, &scheduled.options, &trying);
    arguments.drawing.write(&explanation, &scheduled.session.loaded.source)?;
    let json = || render::ExplanationWithSentences::new(&explanation).to_json();
    let on_stdout = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    match &arguments.json {
        Some(_) if on_stdout(&arguments.json) => println!("{}", json()),
        Some(path) => std::fs::write(path, json()).map_err(|error| Refusal::unwritable(path, error))?,
        None => {}
    }
    if let Some(path) = &arguments.patch {
        let end = end.renewed(trial_time);
        let trying = Trying { session: &scheduled.session, options: &scheduled.options, end: &end };
        write_patch(path, &explanation, &trying)?;
    }
    if !options.quiet && !on_stdout(&arguments.json) && !on_stdout(&arguments.patch) {
        let look = Look::new(options.color, &std::io::stdout(), &scheduled.session.loaded.source);
        print!("{}", render::explanation(&explanation, false, look));
    }
    Ok(0)
}

/// Writes the patch, or says why there is none: an explanation without one is still an explanation.
fn write_patch(path: &Path, explanation: &Explanation, trying: &Trying<'_>) -> Result<(), Refusal> {
    let folder = std::env::current_dir().unwrap_or_default();
    let Patch { diff, is_tried } = match patch(explanation, trying, &folder) {
        Ok(patch) => patch,
        Err(why) => {
            eprintln!("symx: no patch: {why}");
            return Ok(());
        }
    };
    match path == Path::new("-") {
        true => print!("{diff}"),
        false => std::fs::write(path, diff).map_err(|error| Refusal::unwritable(path, error))?,
    }
    if !is_tried {
        let why = "it is not known how the program is compiled";
        eprintln!("symx: note: the source with the patch was not explored: {why}");
    }
    Ok(())
}
