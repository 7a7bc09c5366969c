//! Looking for data races, and running the executions that show what a race can do (Kasikci, thesis 2015,
//! chapter 5).
//!
//! Races come from an exploration of all schedules and inputs, within bounds; where those cut it short, from
//! executions at random as well. Of a program far too large for that, a few executions are looked at quietly
//! for racing memory (`quiet.rs`). They are run again with nothing but that memory visible, if need be step
//! by step as they were (`again.rs`). Then others are directed at it (`directed.rs`). Each execution that is
//! remembered is run again to see where in it the accesses of its races are.

mod again;
mod directed;
mod follow;
mod hold;
mod kept;
mod limits;
mod orders;
mod quiet;
mod seeded;
mod sightings;

use crate::races::limits::{INSTRUCTIONS_A_STEP, MOST_EXITS, MOST_FAILURES};
pub use kept::KeptStates;
pub use orders::RaceRuns;

use super::{Exploration, ExploreOptions, Observer, Progress};
use crate::bounds::observer::Between;
use crate::execution;
use crate::reduction::explore_from;
use crate::refinement::root::Root;
use quiet::Quiet;
use rustc_hash::FxHashSet;
use seeded::seeded;
use sightings::{Recorded, sightings};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_expr::{Assignment, BitVector, PathCondition};
use symx_interp::environment::Environment;
use symx_interp::machine::races::{Instance, OrderedPair, SeenRace};
use symx_interp::machine::{Executor, Machine};
use symx_ir::SpanId;
use symx_trace::race::EndResult;
use symx_trace::{Decision, FailureKind, IncompleteReason, Input, Race};

/// The reason of an exploration that took more instructions than it may.
pub(super) const BOUND: IncompleteReason = IncompleteReason::MaxInstructions;

/// How far races are looked for.
#[derive(Clone, Debug)]
pub struct RaceSearch {
    /// Bounds of the exploration.
    pub options: ExploreOptions,
    /// Instructions of the exploration.
    pub max_instructions: u64,
    /// Executions at random, if the exploration is cut short.
    pub samples: u64,
    /// Whether pairs of accesses that are ordered are noted.
    pub notes_ordered: bool,
}

/// A race and the executions it was seen in.
#[derive(Clone, Debug)]
pub struct FoundRace {
    /// The race.
    pub race: Race,
    pub(super) witnesses: Vec<Witness>,
}

impl FoundRace {
    /// In how many executions it was seen, occurrences counted apart.
    pub fn witnesses(&self) -> usize {
        self.witnesses.len()
    }

    /// How likely it is to do harm.
    pub fn danger(&self) -> Danger {
        Danger {
            fails: self.witnesses.iter().any(|witness| witness.recorded.fails),
            writes: self.race.accesses.iter().all(|access| access.writes),
        }
    }
}

/// The properties that make a race more likely than others to do harm, the weightiest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Danger {
    /// It was seen in an execution that fails.
    pub fails: bool,
    /// Both accesses write.
    pub writes: bool,
}

/// Is notified of races while they are looked for.
pub trait RaceObserver: Observer {
    /// Called with all races found so far, after an execution of a large program that has shown new ones.
    fn races(&mut self, found: &[FoundRace]);
}

/// One occurrence of a race.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    recorded: Recorded,
    spans: [SpanId; 2],
    instance: Instance,
    /// Whether the first access writes.
    first_writes: bool,
}

impl Witness {
    /// The decisions before the second access.
    fn prefix(&self) -> &[Decision] {
        &self.recorded.decisions[..self.instance.steps[1]]
    }
}

/// The results of looking for races.
#[derive(Clone, Debug, Default)]
pub struct FoundRaces {
    /// The races, in the order found.
    pub races: Vec<FoundRace>,
    /// The exploration.
    pub exploration: Exploration,
    /// Executions at random that were added.
    pub samples: u64,
    /// Accesses of two threads to one place, one directly after the other, that conflict and were ordered.
    /// If they are wanted: of the executions that were looked at quietly, at least one.
    pub ordered: FxHashSet<OrderedPair>,
}

impl FoundRaces {
    /// Adds the races that were found only under another memory model.
    pub fn merge(&mut self, other: FoundRaces) {
        for found in other.races {
            if !self.races.iter().any(|known| known.race.is_same(&found.race)) {
                self.races.push(found);
            }
        }
        for cut in other.exploration.incomplete {
            self.exploration.cut(cut);
        }
        self.samples += other.samples;
        self.ordered.extend(other.ordered);
    }
}

/// Looks for races on a machine with [`races`](symx_interp::machine::Options::races). `solver` makes solvers;
/// `strongest` is such a machine under sequential consistency.
pub fn find_races<'m, E: Environment>(
    machine: &'m Machine<E>,
    strongest: &'m Machine<E>,
    solver: &dyn Fn() -> Box<dyn Solver + 'm>,
    search: &RaceSearch,
    observer: &mut dyn RaceObserver,
) -> FoundRaces {
    let options = ExploreOptions { keep_going: true, keep_endings: true, ..search.options.clone() };
    let mut quiet = Quiet::new(strongest, solver(), search);
    if quiet.is_too_large(search, observer) {
        return quiet.sampled(options.executor(machine, solver()), search, observer);
    }
    let mut executor = options.executor(machine, solver());
    let root = Root { state: machine.initial_state(), resumed: None, decisions: Vec::new(), depth: 0 };
    let mut sites = FxHashSet::default();
    let mut walk = |executor: &mut Executor<'m, E>, sites: &mut FxHashSet<_>| {
        let mut bounded = bounded(&mut *observer, work(executor), search.max_instructions);
        explore_from(executor, sites, &root, &options, &mut bounded, None)
    };
    let mut exploration = walk(&mut executor, &mut sites);
    // Schedules mean something only with what was visible: those of races found on the way
    // there are made again.
    let visible = execution::visible_sites(&executor);
    if exploration.failures.iter().any(|found| found.visible != visible) {
        let known = sites.len();
        exploration = walk(&mut executor, &mut sites);
        debug_assert!(!exploration.incomplete.is_empty() || known == sites.len(), "nothing new is shared");
    }
    execution::account(&executor, &mut exploration);
    let mut recorded = remembered(&mut executor, &exploration, &Arc::new(sites.clone()));
    let mut samples = 0;
    if !exploration.incomplete.is_empty() {
        for sample in seeded(&mut executor, &mut sites, search, observer) {
            samples += 1;
            recorded.push(sample);
        }
    }
    let mut races: Vec<FoundRace> = Vec::new();
    for recorded in recorded {
        // An execution that cannot be followed again is no witness.
        let Ok(seen) = sightings(machine, solver(), &recorded) else { continue };
        for race in seen {
            add(&mut races, race, &recorded);
        }
    }
    FoundRaces { races, exploration, samples, ordered: quiet.ordered() }
}

/// Adds the occurrences of a race in one execution: of a failing one the last ones first.
fn add(races: &mut Vec<FoundRace>, seen: SeenRace, recorded: &Recorded) {
    let SeenRace { race, spans, mut at } = seen;
    let first_writes = race.accesses[0].writes;
    let index = races.iter().position(|known| known.race.is_same(&race)).unwrap_or_else(|| {
        races.push(FoundRace { race, witnesses: Vec::new() });
        races.len() - 1
    });
    if recorded.fails {
        at.reverse();
    }
    let witnesses = &mut races[index].witnesses;
    let most = if recorded.fails { 4 } else { 2 };
    for instance in at.into_iter().take(most) {
        let witness = Witness { recorded: recorded.clone(), spans, instance, first_writes };
        let is_new = |known: &Witness| {
            known.prefix() != witness.prefix() || known.instance.steps != witness.instance.steps
        };
        if witnesses.iter().all(is_new) {
            witnesses.push(witness);
        }
    }
}

/// The executions an exploration remembers, failing ones first: each end of one kind, and each first
/// sight of a race.
fn remembered<E: Environment>(
    executor: &mut Executor<'_, E>,
    exploration: &Exploration,
    visible: &Arc<FxHashSet<symx_interp::memory::Site>>,
) -> Vec<Recorded> {
    let sorted = execution::visible_sites(executor);
    let mut failing = Vec::new();
    let mut exiting = Vec::new();
    for ending in &exploration.endings {
        let fails = matches!(ending.result, EndResult::Failed(_));
        let mut path = PathCondition::new();
        for constraint in &ending.path {
            path.add(&executor.machine.terms, *constraint);
        }
        let inputs = if path.is_empty() { Ok(Arc::default()) } else { executor.queries.model(&path) };
        let Ok(inputs) = inputs else { continue };
        let list = if fails { &mut failing } else { &mut exiting };
        let most = if fails { MOST_FAILURES } else { MOST_EXITS };
        if list.len() < most {
            let decisions = Arc::new(ending.decisions.clone());
            list.push(Recorded { decisions, inputs, visible: Arc::clone(visible), fails, is_large: false });
        }
    }
    let sights = exploration.failures.iter().filter(|found| found.failure.kind == FailureKind::Race);
    let sights = sights.filter(|found| found.visible == sorted).map(|found| Recorded {
        decisions: Arc::new(found.decisions.clone()),
        inputs: Arc::new(assignment(executor, &found.inputs)),
        visible: Arc::clone(visible),
        fails: false,
        is_large: false,
    });
    failing.into_iter().chain(sights).chain(exiting).collect()
}

/// Values of the symbols that the bytes of inputs are.
fn assignment<E: Environment>(executor: &Executor<'_, E>, inputs: &[Input]) -> Assignment {
    let mut assignment = Assignment::new();
    for input in inputs {
        for (index, byte) in input.bytes.iter().enumerate() {
            let symbol = executor.machine.terms.symbol(&format!("{}[{index}]", input.name), 8);
            assignment.set(symbol, BitVector::from_u64(8, u64::from(*byte)));
        }
    }
    assignment
}

/// The work of a worker, as a bound counts it.
pub(super) fn work<E: Environment>(executor: &Executor<'_, E>) -> u64 {
    executor.counters.instructions + INSTRUCTIONS_A_STEP * executor.counters.events
}

/// An observer that ends an exploration after this many instructions beyond those that its worker had
/// executed `before`.
pub(super) fn bounded(observer: &mut dyn Observer, before: u64, most: u64) -> impl Observer {
    let progress = move |observer: &mut dyn Observer, progress: &Progress| {
        let work = progress.instructions + INSTRUCTIONS_A_STEP * progress.events;
        let is_over = work.saturating_sub(before) > most;
        observer.progress(progress).or_else(|| is_over.then_some(BOUND))
    };
    Between { observer, progress }
}
