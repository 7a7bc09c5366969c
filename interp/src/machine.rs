//! What is the same for every state and worker: the program, the environment, the memory model, the options.

use crate::access::race_report::{QuietRaces, Sightings};
use crate::caches::endings::Endings;
use crate::caches::symbolic_results::Memo;
use crate::caches::transitions::Transitions;
use crate::environment::{Environment, ModelFn};
use crate::explore::Learned;
use crate::memory::{Site, Windows};
use crate::paths::census::Census;
use crate::paths::coverage::Coverage;
use crate::paths::recorder::PathRecorder;
use crate::progress::bounded_spin::Spins;
use crate::progress::livelock::Live;
use crate::remedies::Remedies;
use crate::report::Standing;
use crate::step::PreparedCode;
use crate::stop::Fault;
use crate::symbolic_trace::Tracer;
use crate::threads::frame::Frame;
use crate::threads::thread::Pending;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;
use symx_expr::solver::{PathQueries, Solver, SolverStatistics};
use symx_expr::{Assignment, IndeterminateTerms, StopToken, Terms};
use symx_ir::address::Cell;
use symx_ir::{ExternalId, Program};
use symx_memmodel::MemoryModel;
use symx_trace::{Failure, Footprint, ThreadName};

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
    pub externals: Vec<Option<(&'static str, ModelFn<E>)>>,
    /// Options.
    pub options: Options,
    /// The program's functions, prepared for fast execution as they are first called.
    pub(crate) prepared: PreparedCode,
}

/// What the interpreter is told.
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
    /// What the program is to write to standard output; anything else is a failure. `None`: it may
    /// write what it will.
    pub expected_output: Option<Arc<[u8]>>,
    /// Whether an external function that nobody knows returns any value, instead of ending the execution.
    pub havoc_externals: bool,
    /// Whether to note what of the program is executed.
    pub coverage: bool,
    /// Whether some undefined behaviour has the effect it has on a common machine: sums,
    /// differences, products and left shifts wrap, memory nobody has written holds zeros, and
    /// misaligned accesses are made.
    pub tolerates_undefined: bool,
    /// Whether misuse of the library, and memory handed to it that nobody has written, has the effect it has
    /// on a common machine and is only noted, where that can be told.
    pub tolerates_misuse: bool,
    /// Whether to look for accesses that race.
    pub races: bool,
    /// Recorded paths to follow.
    pub guide: Option<Arc<crate::paths::guide::Guide>>,
    /// Whether an executor may have a [recorder](Executor::recorder) of paths.
    pub records_paths: bool,
    /// Remedies to explore the program under.
    pub remedies: Option<Arc<Remedies>>,
    /// Names of threads by the numbers that they are to have, if several create threads; others are numbered
    /// as they are created.
    pub threads: Arc<[ThreadName]>,
    /// What ends work from outside, also in the middle of an instruction.
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
            tolerates_undefined: false,
            tolerates_misuse: false,
            races: false,
            guide: None,
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
        self.guide.is_some() || self.records_paths
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
        if program.externals.iter().any(|external| environment.begins_atomic_block(&external.name)) {
            let remedies = options.remedies.unwrap_or_default();
            options.remedies = Some(Arc::new(remedies.with_own_blocks()));
        }
        let externals = program.externals.iter().map(|external| environment.bind(&external.name)).collect();
        let prepared = PreparedCode::new(&program, &options, environment.answers_as_recorded());
        Self { program, environment, model, terms, externals, options, prepared }
    }
}

/// One worker: a machine and the tools it executes with.
pub struct Executor<'m, E: Environment> {
    /// The machine.
    pub machine: &'m Machine<E>,
    /// Decides symbolic conditions.
    pub queries: PathQueries<Box<dyn Solver + 'm>>,
    /// Which terms depend on values the program never gave.
    pub(crate) indeterminate: IndeterminateTerms,
    /// Whether the next visible operation of the running thread may be performed.
    pub(crate) granted: bool,
    /// Which accesses to memory are visible operations while more than one thread runs: those to objects from
    /// these sites. `None` for none at all: threads change at synchronisation only.
    ///
    /// An access of a second thread to an object of another site is noted in
    /// [`discovered`](crate::state::State): exploration is complete only when nothing is.
    pub visible: Option<Sites>,
    /// Operations of the present step that no other thread could notice.
    pub(crate) unnoticed: u32,
    /// Objects to which threads that have ended wrote in an order that is still open: access to them is
    /// visible even to a thread that is alone.
    pub(crate) contested: FxHashSet<Cell>,
    /// Whether what a thread's own stores have to be in memory for is visible even if none of them
    /// is on its way.
    pub(crate) stops_at_fences: bool,
    /// What this worker has done.
    pub counters: Counters,
    /// What of the program it has executed, if that is to be noted.
    pub coverage: Option<Box<Coverage>>,
    /// Records the paths of threads, if they are recorded. The machine must be one that
    /// [records them](Options::records_paths).
    pub recorder: Option<Box<PathRecorder>>,
    /// How often threads came where, if that is counted.
    pub(crate) census: Option<Box<Census>>,
    /// Where the running thread stood before its step, if races are looked for.
    pub(crate) here: Option<Arc<Standing>>,
    /// Whether the value about to be loaded has any effect.
    pub(crate) value_counts: bool,
    /// Races of the step taken last.
    pub(crate) races: Vec<Failure>,
    /// All races of an execution, where they are to be told apart.
    pub(crate) sightings: Option<Box<Sightings>>,
    /// Which memory races, where nothing else is to be known: then no access parks that
    /// is not visible anyway.
    pub(crate) quiet: Option<Box<QuietRaces>>,
    /// Misuse that the model now running has met and gone on after.
    pub(crate) misuse_met: Vec<Fault>,
    /// The operation that the running thread has been scheduled for, until its model has run.
    pub(crate) performed: Option<Arc<Pending<E>>>,
    /// What the model that runs aside has touched of visible memory.
    pub(crate) touched: Option<Footprint>,
    /// Misuse after which executions went on.
    pub(crate) misuse: Vec<Failure>,
    /// Unknown external functions that returned any value.
    pub(crate) havocked: BTreeSet<ExternalId>,
    /// Hashes of the lock nestings that the observer knows.
    pub(crate) nestings_told: FxHashSet<u64>,
    /// Memory that the running thread may access without further ado.
    pub(crate) windows: Windows,
    /// Results of instructions on symbolic operands.
    pub(crate) memo: Memo,
    /// Frames of functions that have returned, for use in further calls.
    pub(crate) spare_frames: Vec<Arc<Frame>>,
    /// Whether anybody looks at memory when the process has ended.
    pub(crate) memory_matters_at_end: bool,
    /// What steps of threads that are alone came to.
    pub(crate) endings: Endings<E>,
    /// What steps came to.
    pub(crate) transitions: Transitions<E>,
    /// Instructions of the present step that depend, or may depend, on more than registers, or
    /// have effects on more.
    pub(crate) effects: u32,
    /// How many of them are calls and returns.
    pub(crate) calls: u32,
    /// Whether a modelled function has looked at more than its thread and the bookkeeping, or changed more.
    pub(crate) reaches_beyond: std::cell::Cell<bool>,
    /// Whether one has looked at memory that threads do not share.
    pub(crate) looks_at_memory: std::cell::Cell<bool>,
    /// Registers that matter at a place.
    pub(crate) live: Live,
    /// Loops whose rounds are counted.
    pub(crate) spins: Spins,
    /// Notes what happens as terms, if a symbolic trace is to be made.
    pub(crate) tracer: Option<Box<Tracer>>,
    /// What earlier walks have learned about memory.
    pub(crate) learned: Learned,
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
    pub(crate) fn restore(&mut self, earlier: Self) {
        self.instructions = earlier.instructions;
        self.known = earlier.known;
        self.events = earlier.events;
    }

    /// Adds another worker's.
    pub(crate) fn add(&mut self, other: Self) {
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
        Self {
            machine,
            queries,
            indeterminate: IndeterminateTerms::new(),
            granted: false,
            visible: None,
            unnoticed: 0,
            contested: FxHashSet::default(),
            stops_at_fences: false,
            counters: Counters::default(),
            coverage: machine.options.coverage.then(|| Box::new(Coverage::new(&machine.program))),
            recorder: None,
            census: None,
            here: None,
            value_counts: true,
            races: Vec::new(),
            sightings: None,
            quiet: None,
            misuse_met: Vec::new(),
            performed: None,
            touched: None,
            misuse: Vec::new(),
            havocked: BTreeSet::new(),
            nestings_told: FxHashSet::default(),
            windows: Windows::default(),
            memo: Memo::default(),
            spare_frames: Vec::new(),
            memory_matters_at_end: true,
            endings: Endings::default(),
            transitions: Transitions::default(),
            effects: 0,
            calls: 0,
            reaches_beyond: std::cell::Cell::new(false),
            looks_at_memory: std::cell::Cell::new(false),
            live: Live::default(),
            spins: Spins::default(),
            tracer: None,
            learned: Learned::numbering(&machine.options.threads),
        }
    }

    /// What the solver has done so far.
    pub fn solver_statistics(&self) -> SolverStatistics {
        self.queries.statistics()
    }
}
