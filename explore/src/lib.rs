//! Exploration: which schedules and inputs are tried, and the results.
//!
//! Three types come first:
//!
//! - [`ExploreOptions`], how to search and what counts as a failure;
//! - [`Observer`], which sees progress and may end the exploration;
//! - [`Exploration`], its results: failures with the decisions that lead there, outcomes, and why it is
//!   incomplete if it is.
//!
//! Here the main thread reads `x` while another one sets it. There are two classes of executions,
//! distinguished by the write that the read observes:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use symx_bitcode::{LoadOptions, load};
//! use symx_explore::{ExploreOptions, Observer, Progress, Reduction, explore_all};
//! use symx_expr::Terms;
//! use symx_expr::solver::{Z3Options, standard};
//! use symx_interp::{Environment, Machine, Options};
//! use symx_posix_model::{Posix, PosixOptions, ROOTS};
//! use symx_trace::IncompleteReason;
//!
//! struct Patient;
//!
//! impl Observer for Patient {
//!     fn progress(&mut self, _: &Progress) -> Option<IncompleteReason> {
//!         None
//!     }
//! }
//!
//! let text = b"
//!     @x = global i32 0
//!     define ptr @set(ptr %unused) {
//!       store atomic i32 1, ptr @x seq_cst, align 4
//!       ret ptr null
//!     }
//!     define i32 @main() {
//!       %thread = alloca i64
//!       %made = call i32 @pthread_create(ptr %thread, ptr null, ptr @set, ptr null)
//!       %seen = load atomic i32, ptr @x seq_cst, align 4
//!       %handle = load i64, ptr %thread
//!       %joined = call i32 @pthread_join(i64 %handle, ptr null)
//!       ret i32 %seen
//!     }
//!     declare i32 @pthread_create(ptr, ptr, ptr, ptr)
//!     declare i32 @pthread_join(i64, ptr)";
//! let module = load(Path::new("race.ll"), text, &LoadOptions::default()).unwrap();
//! let program = symx_ir::link(vec![module], ROOTS, &<Posix as Environment>::models).unwrap();
//! let posix = Posix::new(PosixOptions::default());
//! let sc = symx_memmodel::by_name("sc").unwrap();
//! let machine = Machine::new(Arc::new(program), posix, sc, Arc::new(Terms::new()), Options::default());
//!
//! let solver = standard(&machine.terms, Z3Options::default());
//! let options = ExploreOptions { reduction: Reduction::ReadsFrom, ..ExploreOptions::default() };
//! let explored = explore_all(&machine, Box::new(solver), &options, &mut Patient);
//! assert_eq!(explored.progress.executions, 2);
//! assert!(explored.incomplete.is_empty() && explored.failures.is_empty());
//! let statuses: Vec<u8> = explored.outcomes.keys().map(|(_, status)| *status).collect();
//! assert_eq!(statuses, [0, 1]);
//! ```
//!
//! [`explore_near`] looks for failures near a recorded run. [`replay`] follows the decisions of a failure
//! again. [`symbolic_trace`] and [`recorded_trace`] make traces for the engines of `symx-checkers`, [`enact`]
//! runs what they find, and [`find_races`] looks for data races.
//!
//! Read on in `docs/notes/reads-from.md` and `docs/notes/source-sets.md`, then at `reads_from/mod.rs` and
//! `driver/mod.rs`.

mod bounds;
mod driver;
mod events;
mod execution;
mod exit_checks;
mod path_search;
mod races;
mod random;
mod reads_from;
mod recorded;
mod reduction;
mod refinement;
mod replays;
mod saved;
mod search;
mod single;
mod source_sets;
mod state_graph;
mod units;

pub use bounds::estimate::Done;
pub use bounds::observer::Observer;
pub use bounds::schedule_bound::{BoundKind, ScheduleBound};
pub use driver::fork::Way;
pub use races::{Danger, FoundRace, FoundRaces, KeptStates, RaceObserver, RaceRuns, RaceSearch, find_races};
pub use random::commutation::{AuditLimits, CommutationAudit, Difference, Disagreement, audit_commutation};
pub use random::logged::{LoggedRuns, sample_logged};
pub use recorded::near::flipped::flipped_branches;
pub use recorded::near::{Nearness, explore_near};
pub use recorded::{Recorded, recorded_trace};
pub use reduction::{explore_all, left_to_one};
pub use refinement::root::{Beyond, Help};
pub use replays::enact::{Enacted, enact, enact_passing};
pub use replays::locating::{Located, LocatedStep, Remaining, locate};
pub use replays::logged::replay_logged;
pub use replays::observed::{observe, observe_steps};
pub use replays::recorded::replay_recorded;
pub use replays::rerun::Rerun;
pub use replays::schedule::{FixedSchedule, Replayed, replay};
pub use replays::symbolic_replay::symbolic_trace;
pub use replays::timeline::{Cursor, Hit, Look, Place, Position, Timeline, TimelineError};
pub use saved::Saved;
pub use search::{NamedSearch, PCT_DEPTH, PathOrder, RandomSchedules, SEARCHES, Search};
pub use single::recording::{RecordedRun, record_once};
pub use single::run_once;
pub use units::campaign::Campaign;
pub use units::saved::SavedCampaign;
pub use units::{Unit, UnitLimits, UnitName, UnitResult, explore_unit, one_after_another};

use path_search::paths::explore_paths;
use random::sampling::explore_samples;
use reduction::explore_in_parallel;
use reduction::iterative_bounding::explore_within_bounds;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::caches::audited::KnownStepAudit;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::paths::coverage::Coverage;
use symx_interp::paths::departure::Departure;
use symx_interp::stop::Incomplete;
use symx_trace::failure::checks::AtEnd;
use symx_trace::race::Ending;
use symx_trace::{Decision, Failure, FailureKinds, Input};

/// Which executions count as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Those in which every read observes the same write, where that is covered; else as below.
    ReadsFrom,
    /// Those in which all that conflicts has the same order.
    SourceSets,
    /// Those that end alike: each state is explored once, however it was reached. Where that is not covered,
    /// as above.
    States,
}

/// Explores a program in the way that the options name, with several workers where that way allows for it.
pub fn explore<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    help: &Help<'_, 'm>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    match options.search {
        Search::Exhaustive => explore_in_parallel(machine, solver, help, options, observer),
        Search::Paths(order) => explore_paths(machine, solver, order, options, observer),
        Search::Iterative(kind) => explore_within_bounds(machine, solver, kind, options, observer),
        Search::Random(schedules) => explore_samples(machine, solver, schedules, options, observer),
    }
}

/// Bounds and style of an exploration.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// How schedules are searched.
    pub search: Search,
    /// Which executions count as one in an exhaustive search.
    pub reduction: Reduction,
    /// Executions that an exchange of identical threads turns into each other count as one, where the
    /// reduction is [`ReadsFrom`](Reduction::ReadsFrom). The addresses of these threads' memory are taken
    /// to make no difference.
    pub symmetry: bool,
    /// Seed of random choices.
    pub seed: u64,
    /// A bound on the schedule of each execution; in an iterative search, the last one.
    pub bound: Option<ScheduleBound>,
    /// Stop after this many complete executions.
    pub max_executions: Option<u64>,
    /// Symbolic values leave at most this many choices on one path.
    pub max_depth: Option<u32>,
    /// Stop after this many forks on symbolic values.
    pub max_forks: Option<u64>,
    /// The kinds of failure that count. Others are kept, too, and end no exploration. Only if they count are
    /// those looked for that an end shows.
    pub counted: FailureKinds,
    /// Failures that end an execution and are of no concern: what they end had no more to show.
    pub quiet: FailureKinds,
    /// Whether memory that only registers lead to may be lost: where there is some, that is unknown.
    pub strict_leaks: bool,
    /// Continue after the first failure that counts and report every distinct one.
    pub keep_going: bool,
    /// Continue with an exploration of the same program under the same options. Results of before are not
    /// counted and found again. Sampling searches do not look at it.
    pub resume: Option<Arc<Saved>>,
    /// Keep the distinct ends of executions, with the way to each.
    pub keep_endings: bool,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            search: Search::Exhaustive,
            reduction: Reduction::SourceSets,
            symmetry: false,
            seed: 0,
            bound: None,
            max_executions: None,
            max_depth: None,
            max_forks: None,
            counted: FailureKinds::USUAL,
            quiet: FailureKinds::NONE,
            strict_leaks: false,
            keep_going: false,
            resume: None,
            keep_endings: false,
        }
    }
}

impl ExploreOptions {
    /// A worker for `machine` that looks at what these options ask for.
    pub(crate) fn executor<'m, E: Environment>(
        &self,
        machine: &'m Machine<E>,
        solver: Box<dyn Solver + 'm>,
    ) -> Executor<'m, E> {
        let mut executor = Executor::new(machine, solver);
        executor.memory_matters_at_end = self.counted.look_at(AtEnd::Memory);
        executor
    }

    /// Whether an exploration that found these failures is to end for them.
    pub(crate) fn end_with(&self, failures: &[Found]) -> bool {
        !self.keep_going && failures.iter().any(|found| self.counted.counts(&found.failure))
    }
}

/// How far an exploration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions abandoned because an equivalent one was explored, or pruned.
    pub blocked: u64,
    /// Distinct states, where each is explored once.
    #[serde(default)]
    pub states: u64,
    /// Distinct paths: forks on symbolic values.
    pub paths: u64,
    /// Visible steps.
    pub events: u64,
    /// Instructions.
    pub instructions: u64,
    /// How many of them were not executed again, as their results were known.
    pub known: u64,
    /// Choices still open on the present path.
    pub open: u64,
    /// How much of the whole is done, where that can be estimated; in an iterative search, of its bound at
    /// work.
    pub done: Option<Done>,
    /// Most threads in one execution.
    pub threads: u32,
    /// Data races seen, each at the first sights of it.
    pub races: u64,
    /// Whether executions of another process are gone through again: they are not counted.
    pub repeats: bool,
    /// The bound at work in an iterative search. Executions within lower bounds are gone through again, and
    /// are not counted.
    #[serde(skip)]
    pub bound: Option<ScheduleBound>,
}

impl Progress {
    /// Adds the executions and paths of another part of the same exploration.
    fn add(&mut self, part: &Progress) {
        self.executions += part.executions;
        self.blocked += part.blocked;
        self.paths += part.paths;
        self.states += part.states;
        self.threads = self.threads.max(part.threads);
        self.races += part.races;
    }
}

/// A failure found, with what it takes to see it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The failure.
    pub failure: Failure,
    /// The decisions that lead there.
    pub decisions: Vec<Decision>,
    /// The symbolic inputs' bytes.
    pub inputs: Vec<Input>,
    /// Names of the threads, by number.
    pub threads: Vec<symx_trace::ThreadName>,
    /// Sites that counted as visible, ascending; `None` if no access did.
    pub visible: Option<Vec<Site>>,
}

/// A completed execution's result: what it wrote to standard output and its exit status.
pub type Outcome = (Vec<u8>, u8);

/// A completed execution as a test case.
#[derive(Clone, Debug)]
pub struct PathCase {
    /// The symbolic inputs' bytes.
    pub inputs: Vec<Input>,
    /// The exit status, unless it failed.
    pub exit_status: Option<u8>,
    /// The failure, if it failed.
    pub failure: Option<Failure>,
}

/// The results of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Distinct failures, in the order found.
    pub failures: Vec<Found>,
    /// Distinct outcomes of complete executions, with how many executions had each.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Those of the outcomes whose output depends on symbolic inputs: one example of several.
    pub examples: BTreeSet<Outcome>,
    /// The output of an execution to standard error, of the first one met that had any.
    pub errors: Option<Vec<u8>>,
    /// Reasons that cut the exploration short; empty if it is complete.
    pub incomplete: Vec<Incomplete>,
    /// The reason why the reads-from reduction was not used, if there is one.
    pub beyond: Option<Beyond>,
    /// How many alternatives were left out as exchanges of identical threads make them others.
    pub exchanged: u64,
    /// Totals.
    pub progress: Progress,
    /// The executed code, if that was to be noted.
    pub coverage: Option<Box<Coverage>>,
    /// External functions taken to return any value and to have no other effect, by name.
    pub havocked: Vec<String>,
    /// The results of auditing known steps, if that was asked for.
    pub known_steps: KnownStepAudit,
    /// Misuse of the library, and undefined behaviour that is warned of, after which executions continued.
    pub misuse: Vec<Failure>,
    /// Where the execution that followed recorded paths furthest left them, of those that did not follow them
    /// to the end.
    pub departure: Option<Departure>,
    /// Whether the failures were found at random, beside an exhaustive walk that has ended for that.
    pub is_random: bool,
    /// Where it stood when it was ended from outside, if another process can continue from there.
    pub saved: Option<Arc<Saved>>,
    /// Whether what an earlier process had counted was explored and counted again.
    pub begun_anew: bool,
    /// Distinct ends of executions, if they were to be kept.
    pub endings: Vec<Ending>,
    /// The memory that counted as visible in the end, ascending.
    pub visible: Vec<Site>,
}

impl Exploration {
    /// Adds the results of a part.
    pub(crate) fn absorb(&mut self, part: Exploration) {
        for found in part.failures {
            if !self.failures.iter().any(|known| known.failure.same_fault(&found.failure)) {
                self.failures.push(found);
            }
        }
        for (outcome, executions) in part.outcomes {
            *self.outcomes.entry(outcome).or_default() += executions;
        }
        self.examples.extend(part.examples);
        self.errors = self.errors.take().or(part.errors);
        part.incomplete.into_iter().for_each(|cut| self.cut(cut));
        self.progress.add(&part.progress);
        self.beyond = self.beyond.or(part.beyond);
        self.exchanged += part.exchanged;
        self.note_misuse(&part.misuse);
        self.departure = Departure::or_later(self.departure.take(), part.departure);
    }

    /// Notes misuse that executions continued after, each once.
    pub(crate) fn note_misuse(&mut self, met: &[Failure]) {
        for failure in met {
            if !self.misuse.iter().any(|known| known.same_fault(failure)) {
                self.misuse.push(failure.clone());
            }
        }
    }

    /// Notes a reason why the exploration is incomplete, once.
    pub fn cut(&mut self, incomplete: Incomplete) {
        if !self.incomplete.contains(&incomplete) {
            self.incomplete.push(incomplete);
        }
    }
}
