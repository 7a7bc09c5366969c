//! `symx simplify`: a schedule with fewer context switches and the same failure.

use crate::exit_code::VIOLATION;
use crate::limits::budget::Deadline;
use crate::options::seconds;
use crate::refusal::Refusal;
use crate::render::{self, Look};
use crate::schedules::confirm::{Simpler, as_given, simpler};
use crate::schedules::optimal::{Least, least};
use crate::schedules::scheduled::{Scheduled, ScheduledOptions};
use crate::text::one_line;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use symx_checkers::{Cost, Simplified};
use symx_expr::StopReason;
use symx_posix_explore::{Found, ScheduleBound};
use symx_trace::Schedule;
use symx_trace::schedule::fold;

/// Arguments of `simplify`.
#[derive(Args, Debug)]
pub struct SimplifyArguments {
    #[command(flatten)]
    scheduled: ScheduledOptions,
    /// The minimised schedule [default: beside SCHEDULE, as NAME.simplified.json]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop after this many seconds and keep the best schedule so far
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    max_time: Option<Duration>,
    /// Prove that no failing execution has fewer context switches or fewer preemptions, or find one
    #[arg(long)]
    optimal: bool,
}

/// Runs the command.
pub fn simplify(arguments: &SimplifyArguments) -> Result<u8, Refusal> {
    let options = &arguments.scheduled;
    let scheduled =
        Scheduled::open(&options.program, &options.schedule, &options.surroundings(), &options.source)?;
    let Some(failure) = &scheduled.schedule.failure else {
        let why = "it ends in no failure; there is nothing to simplify".into();
        return Err(Refusal::Schedule { path: options.schedule.clone(), why });
    };
    let schedule = &scheduled.schedule;
    let given = Found {
        failure: failure.clone(),
        decisions: schedule.unfolded().collect(),
        inputs: schedule.inputs.clone(),
        threads: schedule.threads.clone(),
        visible: scheduled.sites.clone(),
    };
    let end = Deadline::at(arguments.max_time.map(|limit| Instant::now() + limit)).or_interrupted();
    let simpler = simpler(&scheduled.session, &given, &scheduled.options, &end)
        .or_else(|| as_given(&scheduled.session, &given, &scheduled.options));
    let Some(simpler) = simpler else {
        println!("not reproduced: the schedule does not lead to the failure");
        return Ok(VIOLATION);
    };
    let prove = |simpler: &Simpler, bound, known| {
        least(&scheduled.session, &simpler.found, &scheduled.options, bound, known, &end)
    };
    let cost = simpler.simplified.cost;
    let switches = arguments.optimal.then(|| prove(&simpler, ScheduleBound::Switches, cost.switches));
    let better = switches.as_ref().and_then(|switches| switches.found.clone());
    let better = better.and_then(|better| as_given(&scheduled.session, &better, &scheduled.options));
    let tried = simpler.simplified.clone();
    let shown = better.unwrap_or(simpler);
    // The schedule that the first proof found may have fewer preemptions, too: none are the fewest without a
    // proof.
    let preemptions = shown.simplified.cost.preemptions;
    let proof = switches.map(|switches| {
        let preemptions = prove(&shown, ScheduleBound::Preemptions, preemptions);
        Proof { switches, preemptions }
    });
    let Simpler { found, simplified, replayed, execution, .. } = shown;
    // The schedule that the proof found is also a minimised one of the given schedule.
    let simplified = Simplified { attempt: simplified.attempt, cost: simplified.cost, ..tried };
    let schedule = Schedule {
        threads: found.threads,
        decisions: fold(found.decisions.iter().copied()),
        ..schedule.clone()
    };
    let output = arguments.output.clone().unwrap_or_else(|| beside(&options.schedule));
    let text = serde_json::to_string_pretty(&schedule).expect("a schedule has no map keys but text");
    std::fs::write(&output, text).map_err(|error| Refusal::unwritable(&output, error))?;
    if !options.quiet {
        let look = Look::new(options.color, &std::io::stdout(), &scheduled.session.loaded.source);
        print!("{}", render::failure(&found.failure, &replayed.trace, &execution, look));
        let said = format!("{}; schedule in {}", summary(&simplified, end.reason()), output.display());
        println!("{}", one_line(&said));
        print!("{}", proof.map_or_else(String::new, |proof| proof.in_words()));
    }
    Ok(0)
}

/// The known facts about the fewest switches and preemptions.
struct Proof {
    switches: Least,
    preemptions: Least,
}

impl Proof {
    fn in_words(&self) -> String {
        let in_words = |least: &Least, what: &str| match &least.cut {
            None => format!("optimal: it takes {what}\n"),
            Some(why) => format!("not proven optimal ({why}): at least {what}\n"),
        };
        in_words(&self.switches, &counted(self.switches.at_least, "context switch", "es"))
            + &in_words(&self.preemptions, &counted(self.preemptions.at_least, "preemption", "s"))
    }
}

/// `1 preemption`, `2 preemptions`.
fn counted(count: u32, what: &str, plural: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { plural })
}

/// `NAME.schedule.json` or `NAME.json` to `NAME.simplified.json`.
fn beside(schedule: &Path) -> PathBuf {
    let name = schedule.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".json").unwrap_or(&name);
    let stem = stem.strip_suffix(".schedule").unwrap_or(stem);
    schedule.with_file_name(format!("{stem}.simplified.json"))
}

fn summary(found: &Simplified, ended: Option<StopReason>) -> String {
    let words = |cost: Cost| {
        let (switches, preemptions) =
            (counted(cost.switches, "context switch", "es"), counted(cost.preemptions, "preemption", "s"));
        format!("{switches} ({preemptions})")
    };
    let stopped = match ended {
        _ if found.is_finished => "",
        Some(StopReason::Interrupted) => ", interrupted",
        _ => ", stopped by --max-time",
    };
    format!(
        "simplified: {} to {}, {} attempts{stopped}",
        words(found.cost_before),
        words(found.cost),
        found.attempts
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simpler_schedule_lies_beside() {
        for name in ["out/failure-1.schedule.json", "out/failure-1.json", "out/failure-1"] {
            assert_eq!(beside(Path::new(name)), Path::new("out/failure-1.simplified.json"));
        }
    }
}
