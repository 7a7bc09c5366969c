//! The part that is the same for every state and worker: the program, the environment, the memory model, the
//! options.

pub mod races;

use crate::caches::audited::KnownStepAudit;
use crate::caches::endings::Endings;
use crate::caches::places::{Comparisons, Live, LoopBranches, Spins};
use crate::caches::symbolic_results::Memo;
use crate::caches::transitions::Transitions;
use crate::environment::{Bound, Environment};
use crate::learned::Learned;
use crate::memory::{Site, Windows};
use crate::paths::census::Census;
use crate::paths::coverage::Coverage;
use crate::paths::departure::Departure;
use crate::paths::halts::Halts;
use crate::paths::recorder::PathRecorder;
use crate::paths::run_logger::RunLogger;
use crate::remedies::Remedies;
use crate::stop::Fault;
use crate::stop::position::ThreadPosition;
use crate::symbolic_trace::Tracer;
use crate::threads::frame::Frame;
use crate::threads::modelled::Role;
use crate::threads::thread::Pending;
use crate::words::PreparedCode;
use races::{QuietRaces, Sightings};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;
use symx_expr::solver::{PathQueries, Solver};
use symx_expr::{Assignment, IndeterminateTerms, StopToken, Terms};
use symx_ir::address::Cell;
use symx_ir::{CallTarget, ExternalId, Program};
use symx_memmodel::MemoryModel;
use symx_trace::{CallOutcome, Failure, Footprint, Forgivable, ThreadName, Tolerance};

/// The immutable surroundings of execution.
#[derive(Debug)]
pub struct Machine<E: Environment> {
    /// The program.
    pub program: Arc<Program>,
    /// The modelled outside.
    pub environment: E,
    /// The memory model.
    pub model: &'static dyn MemoryModel,
    /// The pool of terms.
    pub terms: Arc<Terms>,
    /// The models of the program's externals, by number.
    pub externals: Vec<Option<Bound<E>>>,
    /// Options.
    pub options: Options,
    /// The program's functions, prepared for fast execution as they are first called.
    pub(crate) prepared: PreparedCode,
}

/// Options of the interpreter.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions one execution may take; `u64::MAX` for no bound.
    pub max_instructions: u64,
    /// How often a back edge of the control-flow graph may be taken in one activation; `None` for no bound.
    pub unroll: Option<u32>,
    /// Values for the symbolic inputs: every symbolic condition is then decided by
    /// evaluation, never by forking.
    pub assignment: Option<Arc<Assignment>>,
    /// How many bytes an access at a symbolic place may touch as one term; beyond, the places are
    /// halved by a fork.
    pub select_limit: u64,
    /// How many values a symbolic number that must be concrete may take, each in an execution of its own.
    pub value_limit: usize,
    /// The expected standard output of the program; anything else is a failure. `None`: it may write what it
    /// will.
    pub expected_output: Option<Arc<[u8]>>,
    /// Whether an unknown external function returns any value, instead of ending the execution.
    pub havoc_externals: bool,
    /// Whether to note what of the program is executed.
    pub coverage: bool,
    /// Whether steps that are known are executed as well, and compared (in tests).
    pub audits_known_steps: bool,
    /// The treatment of undefined behaviour that machines forgive.
    pub tolerance: Tolerance,
    /// Whether misuse of the library is only noted. It then has the effect that it has on a common machine,
    /// where that is known.
    pub tolerates_misuse: bool,
    /// Whether unwritten memory passed to the library is only noted. It is then zero.
    pub tolerates_unwritten_arguments: bool,
    /// Whether to look for accesses that race.
    pub races: bool,
    /// Recorded paths to follow.
    pub guide: Option<Arc<crate::paths::guide::Guide>>,
    /// Recorded paths to compare with: executions may leave them.
    pub reference: Option<Arc<crate::paths::reference::Reference>>,
    /// Whether an executor may have a [recorder](Notes::recorder) of paths.
    pub records_paths: bool,
    /// Suggested fixes to explore the program under.
    pub remedies: Option<Arc<Remedies>>,
    /// Names of threads by the numbers that they are to have, if several create threads; others are numbered
    /// as they are created.
    pub threads: Arc<[ThreadName]>,
    /// The token that ends work from outside, also in the middle of an instruction.
    pub stop: StopToken,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_instructions: u64::MAX,
            unroll: None,
            assignment: None,
            select_limit: 4096,
            value_limit: 4096,
            havoc_externals: false,
            coverage: false,
            expected_output: None,
            audits_known_steps: false,
            tolerance: Tolerance::default(),
            tolerates_misuse: false,
            tolerates_unwritten_arguments: false,
            races: false,
            guide: None,
            reference: None,
            records_paths: false,
            remedies: None,
            threads: Arc::default(),
            stop: StopToken::default(),
        }
    }
}

impl Options {
    /// Whether something has to see every control-flow edge that is taken.
    pub fn watches_edges(&self) -> bool {
        self.watches_calls() || self.unroll.is_some() || self.coverage
    }

    /// Whether something has to see every call and return.
    pub fn watches_calls(&self) -> bool {
        self.guide.is_some() || self.reference.is_some() || self.records_paths
    }
}

/// Allocation sites whose objects threads share.
pub type Sites = Arc<FxHashSet<Site>>;

impl<E: Environment> Machine<E> {
    /// Binds a program to an environment under a memory model.
    pub fn new(
        program: Arc<Program>,
        environment: E,
        model: &'static dyn MemoryModel,
        terms: Arc<Terms>,
        mut options: Options,
    ) -> Self {
        let externals: Vec<Option<Bound<E>>> =
            program.externals.iter().map(|external| environment.bind(&external.name)).collect();
        let begins_block = |(function, _): &Bound<E>| function.role == Role::BeginsAtomicBlock;
        if externals.iter().flatten().any(begins_block) {
            let remedies = options.remedies.unwrap_or_default();
            options.remedies = Some(Arc::new(remedies.with_own_blocks()));
        }
        let prepared =
            PreparedCode::new(&program, options.watches_edges(), environment.answers_as_recorded());
        Self { program, environment, model, terms, externals, options, prepared }
    }

    /// Whether a call is one of a modelled function with this role.
    pub(crate) fn has_role(&self, target: &CallTarget, role: Role) -> bool {
        let CallTarget::External(id) = target else { return false };
        self.externals[id.0 as usize].is_some_and(|(function, _)| function.role == role)
    }
}

/// Instructions executed before other threads may take steps. A private loop without end is recognised by two
/// such pauses, in each of the many executions of a classification. With ten times as many instructions,
/// programs that compute would be noticeably slower.
pub const PAUSE: u64 = 1 << 18;

/// One worker: a machine and the tools it executes with.
pub struct Executor<'m, E: Environment> {
    /// The machine.
    pub machine: &'m Machine<E>,
    /// Decides symbolic conditions.
    pub queries: PathQueries<Box<dyn Solver + 'm>>,
    /// Which terms depend on values the program never gave.
    pub(crate) indeterminate: IndeterminateTerms,
    /// Which accesses to memory are visible operations while more than one thread runs: those to objects from
    /// these sites. `None` for none at all: threads change at synchronisation only.
    ///
    /// An access of a second thread to an object of another site is noted in
    /// [`discovered`](crate::state::State): exploration is complete only when nothing is.
    pub visible: Option<Sites>,
    /// Objects to which threads that have ended wrote in an order that is still open. Access to them is
    /// visible even to a thread that is alone.
    pub contested: FxHashSet<Cell>,
    /// Whether what a thread's own stores have to be in memory for is visible even if none of them
    /// is on its way.
    pub stops_at_fences: bool,
    /// Whether what is in memory at the process's end is looked at.
    pub memory_matters_at_end: bool,
    /// Instructions after which a running thread pauses: [`PAUSE`], or fewer where that is looked at.
    pub(crate) pause: u64,
    /// Counts of this worker's work.
    pub counters: Counters,
    /// Notes on executions.
    pub notes: Notes,
    /// The step under way.
    pub(crate) present: PresentStep<E>,
    /// Memoised results.
    pub caches: Caches<E>,
    /// Facts about memory learned by earlier walks.
    pub learned: Learned,
}

/// Notes on executions, where they are asked for.
#[derive(Default)]
pub struct Notes {
    /// The executed parts of the program.
    pub coverage: Option<Box<Coverage>>,
    /// Records the paths of threads, if they are recorded. The machine must be one that
    /// [records them](Options::records_paths).
    pub recorder: Option<Box<PathRecorder>>,
    /// How often threads came where, if that is counted.
    pub census: Option<Box<Census>>,
    /// Logs what threads do in the program's own code, if that is asked for. The machine must be one that
    /// [watches edges](Options::watches_edges).
    pub log: Option<Box<RunLogger>>,
    /// Stops threads in the middle of their steps, to inspect these.
    pub halts: Option<Box<Halts>>,
    /// Notes what happens as terms, if a symbolic trace is to be made.
    pub tracer: Option<Box<Tracer>>,
    /// Races of the step taken last.
    pub races: Vec<Failure>,
    /// All races of an execution, where they are to be distinguished.
    pub sightings: Option<Box<Sightings>>,
    /// What has come of the call that the step taken last is of, if that is noted.
    pub outcome: Option<CallOutcome>,
    /// Which memory races, where nothing else is to be known: then only visible accesses park.
    pub quiet: Option<Box<QuietRaces>>,
    /// Misuse after which executions continued.
    pub misuse: Vec<Failure>,
    /// The departure from recorded paths that came latest in its execution.
    pub departure: Option<Box<Departure>>,
    /// The results of auditing known steps.
    pub known_steps: KnownStepAudit,
    /// Unknown external functions that returned any value.
    pub havocked: BTreeSet<ExternalId>,
    /// Hashes of the lock nestings that the observer knows.
    pub nestings_told: FxHashSet<u64>,
}

/// The step that a thread takes.
pub(crate) struct PresentStep<E: Environment> {
    /// Whether the next visible operation of the running thread may be performed.
    pub granted: bool,
    /// The operation that the running thread has been scheduled for, until its model has run.
    pub performed: Option<Arc<Pending<E>>>,
    /// Operations that no other thread could notice.
    pub unnoticed: u32,
    /// The visible memory that the model that runs aside has touched.
    pub touched: Option<Footprint>,
    /// Misuse that the model now running has met and gone on after.
    pub misuse_met: Vec<Fault>,
    /// The fault that the instruction or phase now taken again is forgiven: it was warned of.
    pub forgiven: Option<Forgivable>,
    /// Where the running thread stood before its step, if races are looked for.
    pub here: Option<Arc<ThreadPosition>>,
    /// Whether the value about to be loaded has any effect.
    pub value_counts: bool,
    /// Instructions that depend, or may depend, on more than registers, or have effects on more.
    pub effects: u32,
    /// How many of them are calls and returns.
    pub calls: u32,
    /// Whether a modelled function has looked at more than its thread and the bookkeeping, or changed more.
    pub reaches_beyond: std::cell::Cell<bool>,
    /// Whether one has looked at memory that threads do not share.
    pub looks_at_memory: std::cell::Cell<bool>,
}

impl<E: Environment> Default for PresentStep<E> {
    fn default() -> Self {
        Self {
            granted: false,
            performed: None,
            unnoticed: 0,
            touched: None,
            misuse_met: Vec::new(),
            forgiven: None,
            here: None,
            value_counts: true,
            effects: 0,
            calls: 0,
            reaches_beyond: std::cell::Cell::new(false),
            looks_at_memory: std::cell::Cell::new(false),
        }
    }
}

/// Results that are computed once and used often.
pub struct Caches<E: Environment> {
    /// Results of steps.
    pub transitions: Transitions<E>,
    /// Results of steps of threads that are alone.
    pub endings: Endings<E>,
    /// Results of instructions on symbolic operands.
    pub memo: Memo,
    /// Registers that matter at a place.
    pub live: Live,
    /// Comparisons in which alone results of updates are used.
    pub comparisons: Comparisons,
    /// Loops whose rounds are counted.
    pub spins: Spins,
    /// Branches at which ways were chosen.
    pub(crate) loop_branches: LoopBranches,
    /// Memory that the running thread may access without further ado.
    pub windows: Windows,
    /// Frames of functions that have returned, for use in further calls.
    pub spare_frames: Vec<Arc<Frame>>,
}

impl<E: Environment> Default for Caches<E> {
    fn default() -> Self {
        Self {
            transitions: Transitions::default(),
            endings: Endings::default(),
            memo: Memo::default(),
            live: Live::default(),
            comparisons: Comparisons::default(),
            spins: Spins::default(),
            loop_branches: LoopBranches::default(),
            windows: Windows::default(),
            spare_frames: Vec::new(),
        }
    }
}

/// Work done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Instructions executed.
    pub instructions: u64,
    /// How many of them are of steps that were known.
    pub known: u64,
    /// States cloned.
    pub forks: u64,
    /// Visible steps.
    pub events: u64,
    /// Readings of the processor's time stamp.
    pub time_stamps: u64,
}

impl Counters {
    /// Forgets the instructions and steps since `earlier`: all of them had been counted before.
    pub fn restore(&mut self, earlier: Self) {
        self.instructions = earlier.instructions;
        self.known = earlier.known;
        self.events = earlier.events;
    }

    /// Adds another worker's.
    pub fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.known += other.known;
        self.forks += other.forks;
        self.events += other.events;
    }
}

impl<'m, E: Environment> Executor<'m, E> {
    /// A worker for `machine`.
    pub fn new(machine: &'m Machine<E>, solver: Box<dyn Solver + 'm>) -> Self {
        let queries = PathQueries::new(machine.terms.clone(), solver).until(machine.options.stop.clone());
        let coverage = machine.options.coverage.then(|| Box::new(Coverage::new(&machine.program)));
        Self {
            machine,
            queries,
            indeterminate: IndeterminateTerms::new(),
            visible: None,
            contested: FxHashSet::default(),
            stops_at_fences: false,
            memory_matters_at_end: true,
            pause: PAUSE,
            counters: Counters::default(),
            notes: Notes { coverage, ..Notes::default() },
            present: PresentStep::default(),
            caches: Caches::default(),
            learned: Learned::numbering(&machine.options.threads),
        }
    }
}
