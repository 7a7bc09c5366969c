//! A schedule that an earlier run wrote, and all that is needed to run its program under it.

use crate::files::source_text::SourceOptions;
use crate::load::what_if::WhatIf;
use crate::load::{Wanted, load};
use crate::options::{Color, SurroundingOptions};
use crate::refusal::Refusal;
use crate::schedules::confirm::replay_observed;
use crate::schedules::file;
use crate::session::Session;
use crate::session::surroundings::Surroundings;
use clap::Args;
use std::path::{Path, PathBuf};
use symx_interp::machine::Options;
use symx_interp::memory::Site;
use symx_posix_explore::{ExploreOptions, FixedSchedule, Replayed};
use symx_trace::explanation::Execution;
use symx_trace::{Decision, Failure, FailureDetail, FailureKind, FailureKinds, Schedule};

/// The options of commands that run a program under a schedule.
#[derive(Args, Debug)]
pub struct ScheduledOptions {
    /// The program that the schedule belongs to
    #[arg(value_name = "PROG")]
    pub program: PathBuf,
    /// The schedule
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,
    /// Let the program read this file or folder of the host, besides those named by its arguments
    #[arg(long = "mount", value_name = "PATH")]
    mounts: Vec<PathBuf>,
    /// The program's standard input, instead of the recorded one; `-` for symx's own
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceOptions,
    /// Print nothing
    #[arg(long)]
    pub quiet: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

impl ScheduledOptions {
    /// The part of the host that the program sees; the rest of its surroundings is in the schedule.
    pub fn surroundings(&self) -> SurroundingOptions {
        SurroundingOptions {
            mounts: self.mounts.clone(),
            stdin: self.stdin.clone(),
            ..SurroundingOptions::default()
        }
    }
}

/// The failures that count where this one is to be seen again.
fn counted_with(failure: &Failure) -> FailureKinds {
    FailureKinds::USUAL.with(failure.kind).with_detail(failure.kind, failure.detail)
}

/// A schedule and its program.
pub struct Scheduled {
    /// The schedule.
    pub schedule: Schedule,
    /// The program in the surroundings of that run.
    pub session: Session,
    /// The failures that count.
    pub options: ExploreOptions,
    /// The memory that counts as visible.
    pub sites: Option<Vec<Site>>,
}

impl Scheduled {
    /// Reads the schedule at `path` and loads the program it was made for.
    pub fn open(
        program: &Path,
        path: &Path,
        visible: &SurroundingOptions,
        source: &SourceOptions,
    ) -> Result<Self, Refusal> {
        let schedule = file::read(path)?;
        let entry = schedule.symbolic.entry.as_ref().map(|entry| entry.function.as_str());
        let assumption = |text: &String| {
            text.parse().map_err(|why: &str| {
                let why = format!("what if `{text}`: {why}");
                Refusal::Schedule { path: path.into(), why }
            })
        };
        let assumptions: Vec<WhatIf> = schedule.what_if.iter().map(assumption).collect::<Result<_, _>>()?;
        let (checks_overflow, standards) = (schedule.checks_overflow, schedule.standard.as_slice());
        let wanted = Wanted { entry, checks_overflow, standards };
        let loaded = load(program, wanted)?.under(&assumptions)?.with_source(source)?;
        let model = file::check(path, &schedule, &loaded)?;
        let surroundings = Surroundings {
            arguments: schedule.arguments.clone(),
            environment: schedule.environment.clone(),
            standard_input: visible.standard_input()?.unwrap_or_else(|| schedule.standard_input.clone()),
            symbolic: schedule.symbolic.clone(),
            recorded_calls: schedule.recorded_calls.clone(),
            elsewhere: None,
        };
        let kind = schedule.failure.as_ref().map(|failure| failure.kind);
        // Before any other failure no thread panicked, or panics were to unwind.
        let is_panic =
            schedule.failure.as_ref().is_some_and(|failure| failure.detail == FailureDetail::Panic);
        let machine_options = Options {
            races: kind == Some(FailureKind::Race),
            havoc_externals: schedule.symbolic.externals,
            tolerance: schedule.tolerance,
            expected_output: schedule.expected_output.as_deref().map(Into::into),
            threads: schedule.threads.as_slice().into(),
            ..Options::default()
        };
        let session = Session::new(loaded, surroundings, visible, model, machine_options)?
            .tolerating_sync_misuse(schedule.tolerates_sync_misuse)
            .tolerating_unwritten_arguments(schedule.tolerates_unwritten_arguments)
            .with_spurious_wakeups(schedule.spurious_wakeups)
            .with_independent_descriptors(schedule.independent_descriptors)
            .with_rust_runtime(schedule.models_rust_runtime)
            .with_failing_panics(is_panic);
        let options = ExploreOptions {
            counted: schedule.failure.as_ref().map_or(FailureKinds::USUAL, counted_with),
            ..ExploreOptions::default()
        };
        let sites = schedule.visible_sites.as_ref();
        let sites = sites.map(|sites| sites.iter().map(|site| Site(*site)).collect());
        Ok(Self { schedule, session, options, sites })
    }

    /// Runs the program under these decisions; the execution step by step, too.
    pub fn observe(&self, decisions: &[Decision]) -> (Replayed, Execution) {
        let (visible, expected) = (self.sites.as_deref(), self.schedule.failure.as_ref());
        let schedule = FixedSchedule { visible, decisions, expected };
        replay_observed(&self.session, &self.schedule.inputs, schedule, &self.options)
    }
}
