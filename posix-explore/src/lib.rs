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

/// Functions of `symx-explore`, compiled here.
macro_rules! compiled {
    ($(fn $name:ident$(<$life:lifetime>)?($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[doc = concat!("See [`symx_explore::", stringify!($name), "`].")]
        pub fn $name$(<$life>)?($($argument: $type),*) -> $result {
            generic::$name($($argument),*)
        }
    )*};
}

compiled! {
    fn explore<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, help: &Help<'_, 'm>, options: &ExploreOptions,
        observer: &mut dyn Observer
    ) -> Exploration;
    fn explore_all<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, options: &ExploreOptions,
        observer: &mut dyn Observer
    ) -> Exploration;
    fn explore_near<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, nearness: Nearness, options: &ExploreOptions,
        observer: &mut dyn Observer
    ) -> Exploration;
    fn explore_unit<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, unit: &Unit, limits: UnitLimits<'_>,
        options: &ExploreOptions, observer: &mut dyn Observer
    ) -> UnitResult;
    fn find_races<'m>(
        machine: &'m Machine, strongest: &'m Machine, solver: &dyn Fn() -> Box<dyn Solver + 'm>,
        search: &RaceSearch, observer: &mut dyn RaceObserver
    ) -> FoundRaces;
    fn recorded_trace(
        machine: &Machine, new_solver: &dyn Fn() -> Box<dyn Solver>, order: u64, leaves_open: bool,
        stop: &StopToken
    ) -> Result<Recorded, NotTraced>;
    fn sample_logged<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, options: &ExploreOptions, most: u64,
        observer: &mut dyn Observer, enough: &mut dyn FnMut(&[RunLog]) -> bool
    ) -> LoggedRuns;
    fn run_once<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, seed: Option<u64>, options: &ExploreOptions,
        observer: &mut dyn Observer, watch: &mut dyn FnMut(&State<Posix>)
    ) -> Exploration;
    fn replay<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, schedule: FixedSchedule<'_>,
        options: &ExploreOptions
    ) -> Replayed;
    fn observe_steps<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, schedule: FixedSchedule<'_>,
        options: &ExploreOptions
    ) -> (Replayed, Execution);
    fn symbolic_trace<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, visible: Option<&[Site]>, decisions: &[Decision],
        options: &ExploreOptions, stop: &StopToken
    ) -> Result<Traced, NotTraced>;
    fn enact<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, traced: &Traced, steps: &[Taken],
        options: &ExploreOptions, cutoff: &StopToken
    ) -> Result<Enacted, NotTraced>;
    fn enact_passing<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, traced: &Traced, steps: &[Taken],
        options: &ExploreOptions, cutoff: &StopToken
    ) -> Option<Enacted>;
    fn locate(
        plain: &Machine, machine: &Machine, solvers: &mut dyn FnMut() -> Box<dyn Solver>,
        map: Arc<InstructionMap>, schedule: FixedSchedule<'_>, options: &ExploreOptions
    ) -> Result<Located, String>;
    fn audit_commutation<'m>(
        machine: &'m Machine, solver: Box<dyn Solver + 'm>, seed: u64, limits: AuditLimits
    ) -> CommutationAudit;
}
