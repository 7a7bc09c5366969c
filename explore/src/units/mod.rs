//! Exploration in units: open parts of one exploration as data, explored by whichever process has time.
//!
//! A [`Unit`] is a subtree of the walk over classes, or a stretch of the walk with source sets. It is
//! explored for a while ([`explore_unit`]); its result ([`UnitResult`]) has the counts and findings, and the
//! rest, as units again. A [`Campaign`](campaign::Campaign) adds results up: each counts once, and the whole
//! is the result that one process would have.

pub mod campaign;
pub mod saved;

use crate::reads_from::subtree::{Explored, Rest, Subtree, explore_subtree};
use crate::refinement::root::{Beyond, Root};
use crate::refinement::truncated::{SavedGathered, SavedUnfinished};
use crate::source_sets::Position;
use crate::source_sets::division::{Left, Request};
use crate::source_sets::stretch::{Stretch, explore_stretch};
use crate::{Exploration, ExploreOptions, Found, Observer, Outcome, PathCase, Progress, execution};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::fmt;
use symx_expr::solver::Solver;
use symx_interp::Learned;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_interp::memory::Site;
use symx_interp::stop::Incomplete;
use symx_trace::{Failure, IncompleteReason, Nesting};

/// The name of a unit: a hash of its content and of its parent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct UnitName(String);

/// An open part of an exploration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// How often the exploration had restarted when the unit was made.
    epoch: u64,
    /// Its parent, and which part of that it is.
    parent: Option<UnitName>,
    ordinal: usize,
    /// Known facts: the visible sites, and what else was learned.
    sites: Vec<u64>,
    learned: Learned,
    /// How many executions may still be counted, if there is a limit.
    executions_left: Option<u64>,
    /// Whether it is to be explored to its end at once, and never in parts.
    is_whole: bool,
    /// Whether what is left of it may be several units.
    may_be_divided: bool,
    /// Which part of the exploration it is taken to be.
    weight: f64,
    work: Work,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Work {
    /// A subtree of the walk over classes of executions with the same reads-from relation.
    Classes(Subtree),
    /// The subtree of a position in the walk with source sets.
    SourceSets(Box<Position>),
}

/// For how long to explore a unit, and what to make of the rest.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)] // a closure has none
pub struct UnitLimits<'w> {
    /// Whether the time for it is over.
    pub is_over: &'w (dyn Fn() -> bool + Sync),
    /// How many units to make of what is left, if it can be divided.
    pub units: usize,
}

/// The result of a unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct UnitResult {
    progress: Progress,
    exchanged: u64,
    outcomes: Vec<(Outcome, u64)>,
    examples: Vec<Outcome>,
    errors: Option<Vec<u8>>,
    failures: Vec<Found>,
    incomplete: Vec<Incomplete>,
    misuse: Vec<Failure>,
    havocked: Vec<String>,
    nestings: Vec<Nesting>,
    learned: Learned,
    came: Came,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
enum Came {
    /// Nothing is known: the unit could not be explored at all.
    #[default]
    Nothing,
    /// A subtree was explored, to its end or in part.
    Classes { rest: Rest, unfinished: SavedUnfinished, gathered: SavedGathered },
    /// A stretch was explored: its rest, alternatives to be tried at choice points that others share, and
    /// whether it depends on how executions ended elsewhere.
    SourceSets { left: Left, requests: Vec<Request>, depends_on_others: bool },
    /// More is known: the exploration restarts with it.
    Learned { sites: Vec<u64> },
    /// Something is beyond the walk over classes.
    Beyond { is_contradiction: bool, what: String },
    /// The way to where the unit begins leads elsewhere.
    LeadsElsewhere,
    /// An execution along recorded paths has too many steps for a step an access.
    TooLong,
}

impl fmt::Display for UnitName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl From<String> for UnitName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl Unit {
    /// Its name.
    fn name(&self) -> UnitName {
        let bytes = postcard::to_stdvec(self).unwrap_or_default();
        UnitName(blake3::hash(&bytes).to_hex()[..32].to_owned())
    }

    /// How often the exploration had restarted when it came to be.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The unit that it was left of.
    pub fn parent(&self) -> Option<&UnitName> {
        self.parent.as_ref()
    }
}

impl UnitResult {
    /// The result of a unit that cannot be explored, for this reason.
    pub fn abandoned(reason: IncompleteReason, what: String) -> Self {
        let cut = Incomplete { what, ..reason.into() };
        Self { incomplete: vec![cut], ..Self::default() }
    }

    /// Executions that were counted.
    pub fn executions(&self) -> u64 {
        self.progress.executions
    }
}

/// Explores a unit, at least one execution of it. The observer ends it at any time.
pub fn explore_unit<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    unit: &Unit,
    limits: UnitLimits<'_>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> UnitResult {
    let mut executor = options.executor(machine, solver);
    let root = Root { state: machine.initial_state(), resumed: None, decisions: Vec::new(), depth: 0 };
    executor.learned.add(&unit.learned);
    let sites: FxHashSet<Site> = unit.sites.iter().copied().map(Site).collect();
    let options = &ExploreOptions { max_executions: unit.executions_left, resume: None, ..options.clone() };
    let mut watch = Watch { observer, limits, is_whole: unit.is_whole, nestings: Vec::new() };
    let units = if unit.may_be_divided { limits.units } else { 1 };
    let (mut result, discovered, has_learned, came) = match &unit.work {
        Work::Classes(subtree) => {
            let explored =
                explore_subtree(&mut executor, &sites, &root, (subtree, units), options, &mut watch);
            let came = came_of_subtree(&explored);
            (explored.result, explored.discovered, explored.has_learned, came)
        }
        Work::SourceSets(position) => {
            let position = (&**position, units);
            let stretch = explore_stretch(&mut executor, &sites, &root, position, options, &mut watch);
            let Stretch { left, requests, depends_on_others, .. } = stretch;
            let came = match (stretch.leads_elsewhere, stretch.is_too_long) {
                (true, _) => Came::LeadsElsewhere,
                (false, true) => Came::TooLong,
                (false, false) => Came::SourceSets { left, requests, depends_on_others },
            };
            (stretch.result, stretch.discovered, stretch.has_learned, came)
        }
    };
    let nestings = watch.nestings;
    execution::account(&executor, &mut result);
    let is_settled = matches!(came, Came::Beyond { .. } | Came::LeadsElsewhere | Came::TooLong);
    let came = match (!discovered.is_empty() || has_learned) && !is_settled {
        true => {
            let mut sites: Vec<u64> = sites.iter().chain(&discovered).map(|site| site.0).collect();
            sites.sort_unstable();
            sites.dedup();
            Came::Learned { sites }
        }
        false => came,
    };
    UnitResult { nestings, learned: executor.learned.clone(), came, ..UnitResult::of(result) }
}

/// What has units explored one after the other: a bound counts all executions, identical threads are
/// exchanged by what was seen before, or executions are looked at in their order. Nothing if workers share
/// them.
pub fn one_after_another<E: Environment>(
    machine: &Machine<E>,
    options: &ExploreOptions,
) -> Option<&'static str> {
    let reasons = [
        (options.symmetry, "exchanges of identical threads"),
        (options.max_executions.is_some(), "a bound on executions"),
        (machine.options.havoc_externals, "external functions that may return anything"),
    ];
    reasons.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

fn came_of_subtree(explored: &Explored) -> Came {
    match explored.beyond {
        Some(Beyond::Uncovered(what)) => Came::Beyond { is_contradiction: false, what: what.into() },
        Some(Beyond::Contradiction(what)) => Came::Beyond { is_contradiction: true, what: what.into() },
        None => Came::Classes {
            rest: explored.rest.clone(),
            unfinished: explored.gathered.unfinished().save(),
            gathered: explored.gathered.save(),
        },
    }
}

impl UnitResult {
    fn of(mut result: Exploration) -> Self {
        // The rest is a unit: nothing is missing for that.
        result.incomplete.retain(|cut| !is_end_of_unit(cut.reason));
        Self {
            // How many races there are is known at the end of them all.
            progress: Progress { races: 0, ..result.progress },
            exchanged: result.exchanged,
            outcomes: result.outcomes.into_iter().collect(),
            examples: result.examples.into_iter().collect(),
            errors: result.errors,
            failures: result.failures,
            incomplete: result.incomplete,
            misuse: result.misuse,
            havocked: result.havocked,
            ..Self::default()
        }
    }
}

impl UnitResult {
    /// The counts and findings, as an exploration has them.
    fn counted(self) -> Exploration {
        Exploration {
            failures: self.failures,
            outcomes: self.outcomes.into_iter().collect(),
            examples: self.examples.into_iter().collect(),
            errors: self.errors,
            incomplete: self.incomplete,
            exchanged: self.exchanged,
            progress: self.progress,
            misuse: self.misuse,
            ..Exploration::default()
        }
    }
}

/// Whether a unit ends for this reason, with its rest to be explored in its place.
fn is_end_of_unit(reason: IncompleteReason) -> bool {
    matches!(reason, IncompleteReason::MaxTime | IncompleteReason::Interrupted)
}

/// Stands between a unit's walk and the observer, and ends the unit when its time is over.
struct Watch<'o> {
    observer: &'o mut dyn Observer,
    limits: UnitLimits<'o>,
    is_whole: bool,
    nestings: Vec<Nesting>,
}

impl Observer for Watch<'_> {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        // Each unit comes further than the one that it is left of, or none would ever end.
        let has_advanced = !progress.repeats && progress.executions + progress.blocked > 0;
        let is_over = has_advanced && !self.is_whole && (self.limits.is_over)();
        self.observer.progress(progress).or(is_over.then_some(IncompleteReason::MaxTime))
    }

    fn steps_between(&self) -> u32 {
        self.observer.steps_between()
    }

    fn execution_passed(&mut self) {
        self.observer.execution_passed();
    }

    fn nesting(&mut self, nesting: Nesting) {
        self.nestings.push(nesting);
    }

    fn path(&mut self, case: PathCase) {
        self.observer.path(case);
    }
}
