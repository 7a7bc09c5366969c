//! `symx run --find-failure`: failures near a recorded run that passed, or near one that symx makes itself.

use super::RunArguments;
use crate::explain::branches::leads_straight_to;
use crate::explain::found_by;
use crate::load::profile::guide;
use crate::native::interpreted_recording::own_profile;
use crate::refusal::Refusal;
use crate::schedules::confirm::Confirmed;
use crate::session::Session;
use clap::Args;
use std::path::Path;
use std::sync::Arc;
use symx_expr::StopToken;
use symx_interp::paths::reference::Reference;
use symx_posix_explore::{FixedSchedule, Nearness, Search, flipped_branches};
use symx_trace::profile::Profile;

/// Preemptions of an execution, unless more or fewer are asked for. Most failures take two at most (Musuvathi
/// and Qadeer, PLDI 2007). The nearest executions come first, so that more cost time only where there are
/// none.
const PREEMPTIONS: u32 = 6;

/// Arguments of a search near a recorded run.
#[derive(Args, Clone, Debug)]
pub struct NearArguments {
    /// Look for a failure near the recorded run (--guide), which may have passed, or near a run that symx
    /// makes itself: executions that flip few branches and have few preemptions, the nearest first
    #[arg(long, conflicts_with_all = [
        "resume", "engine", "prove_minimal", "delays", "cluster", "write_paths", "coverage", "symmetry",
    ])]
    pub find_failure: bool,
    /// With --find-failure, the most branches that one execution flips; --preemptions bounds the rest
    /// [default: 8, and 6 preemptions]
    #[arg(long, value_name = "N", requires = "find_failure", default_value_t = 8, hide_default_value = true)]
    flips: u32,
}

/// A recorded run, and how near to it failures are looked for.
pub struct Near {
    /// The recorded paths that executions are compared with.
    pub reference: Arc<Reference>,
    /// The bounds.
    pub nearness: Nearness,
}

impl Near {
    /// The options of the command line; `recorded` is the profile given.
    pub fn new(
        session: &Session,
        arguments: &RunArguments,
        recorded: Option<(&Path, Profile)>,
    ) -> Result<Self, Refusal> {
        if arguments.exploring.search() != Search::Exhaustive {
            return Err(Refusal::Usage("--search: --find-failure has an order of its own".into()));
        }
        let program = &session.loaded.program;
        let stop = arguments.exploring.end().cutoff();
        let guide = match recorded {
            Some((path, profile)) => guide(path, &profile, program, &stop)?,
            None => guide(&session.loaded.path, &own_profile(session, stop.clone())?, program, &stop)?,
        };
        let preemptions = arguments.exploring.preemptions.unwrap_or(PREEMPTIONS);
        let nearness = Nearness { flips: arguments.near.flips, preemptions };
        Ok(Self { reference: Arc::new(Reference::new(guide, program)), nearness })
    }

    /// Notes which branches a failure flips.
    pub fn note_flips(&self, session: &Session, confirmed: &mut Confirmed) {
        let Some(found) = found_by(&confirmed.schedule) else { return };
        let session = session.numbering(&found.threads);
        let machine = session.beside(&found.inputs, Arc::clone(&self.reference));
        let solver = session.solver(StopToken::default());
        let schedule = FixedSchedule {
            visible: found.visible.as_deref(),
            decisions: &found.decisions,
            expected: Some(&found.failure),
        };
        let mut flipped = flipped_branches(&machine, solver, schedule);
        flipped.retain(|branch| !leads_straight_to(&found.failure, branch));
        confirmed.violation.flipped = flipped;
    }
}
