//! `symx-explore` and `symx-interp` for programs under the POSIX model.
//!
//! Both are generic over the environment of programs, so that they know nothing of POSIX. What they do is
//! compiled where the environment is known: here, once, and not again in each crate that explores programs.
//! The functions are those of `symx-explore`, and are described there.

use std::sync::Arc;
use symx_explore as generic;
pub use symx_explore::*;
use symx_expr::StopToken;
use symx_expr::solver::Solver;
use symx_interp::memory::Site;
use symx_interp::paths::census::InstructionMap;
use symx_interp::state::State;
use symx_interp::tracing::{NotTraced, Traced};
use symx_posix_model::Posix;
use symx_trace::explanation::Execution;
use symx_trace::symbolic::Taken;
use symx_trace::{Decision, RunLog};

/// A program, its memory model and what symx was told about it.
pub type Machine = symx_interp::machine::Machine<Posix>;

/// See [`symx_explore::explore`].
pub fn explore<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    help: &Help<'_, 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    generic::explore(machine, solver, help, options, observer)
}

/// See [`symx_explore::explore_all`].
pub fn explore_all<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    generic::explore_all(machine, solver, options, observer)
}

/// See [`symx_explore::explore_near`].
pub fn explore_near<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    nearness: Nearness,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    generic::explore_near(machine, solver, nearness, options, observer)
}

/// See [`symx_explore::explore_unit`].
pub fn explore_unit<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    unit: &Unit,
    limits: UnitLimits<'_>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> UnitResult {
    generic::explore_unit(machine, solver, unit, limits, options, observer)
}

/// See [`symx_explore::find_races`].
pub fn find_races<'m>(
    machine: &'m Machine,
    strongest: &'m Machine,
    solver: &dyn Fn() -> Box<dyn Solver + 'm>,
    search: &RaceSearch,
    observer: &mut dyn RaceObserver,
) -> FoundRaces {
    generic::find_races(machine, strongest, solver, search, observer)
}

/// See [`symx_explore::recorded_trace`].
pub fn recorded_trace(
    machine: &Machine,
    new_solver: &dyn Fn() -> Box<dyn Solver>,
    order: u64,
    leaves_open: bool,
    stop: &StopToken,
) -> Result<Recorded, NotTraced> {
    generic::recorded_trace(machine, new_solver, order, leaves_open, stop)
}

/// See [`symx_explore::sample_logged`].
pub fn sample_logged<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    options: &ExploreOptions,
    most: u64,
    observer: &mut dyn Observer,
    enough: &mut dyn FnMut(&[RunLog]) -> bool,
) -> LoggedRuns {
    generic::sample_logged(machine, solver, options, most, observer, enough)
}

/// See [`symx_explore::run_once`].
pub fn run_once<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    seed: Option<u64>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    watch: &mut dyn FnMut(&State<Posix>),
) -> Exploration {
    generic::run_once(machine, solver, seed, options, observer, watch)
}

/// See [`symx_explore::replay`].
pub fn replay<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> Replayed {
    generic::replay(machine, solver, schedule, options)
}

/// See [`symx_explore::observe_steps`].
pub fn observe_steps<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> (Replayed, Execution) {
    generic::observe_steps(machine, solver, schedule, options)
}

/// See [`symx_explore::symbolic_trace`].
pub fn symbolic_trace<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    visible: Option<&[Site]>,
    decisions: &[Decision],
    options: &ExploreOptions,
    stop: &StopToken,
) -> Result<Traced, NotTraced> {
    generic::symbolic_trace(machine, solver, visible, decisions, options, stop)
}

/// See [`symx_explore::enact`].
pub fn enact<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    traced: &Traced,
    steps: &[Taken],
    options: &ExploreOptions,
    cutoff: &StopToken,
) -> Result<Enacted, NotTraced> {
    generic::enact(machine, solver, traced, steps, options, cutoff)
}

/// See [`symx_explore::enact_passing`].
pub fn enact_passing<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    traced: &Traced,
    steps: &[Taken],
    options: &ExploreOptions,
    cutoff: &StopToken,
) -> Option<Enacted> {
    generic::enact_passing(machine, solver, traced, steps, options, cutoff)
}

/// See [`symx_explore::locate`].
pub fn locate(
    plain: &Machine,
    machine: &Machine,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    map: Arc<InstructionMap>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> Result<Located, String> {
    generic::locate(plain, machine, solvers, map, schedule, options)
}

/// See [`symx_explore::audit_commutation`].
pub fn audit_commutation<'m>(
    machine: &'m Machine,
    solver: Box<dyn Solver + 'm>,
    seed: u64,
    limits: AuditLimits,
) -> CommutationAudit {
    generic::audit_commutation(machine, solver, seed, limits)
}
