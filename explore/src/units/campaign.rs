//! One exploration out of the results of its units.
//!
//! A campaign adds results in one order, and all its state follows from them and that order. So a process
//! that has the results can compute the campaign again. A result counts if its unit is open. Then the unit is
//! open no more, and its rest is open, as units of other names. A second result of the same unit finds it
//! gone. When more is learned the exploration restarts: an epoch ends, and its units and counts with it.

use super::{Came, Unit, UnitName, UnitResult, Work, one_after_another};
use crate::bounds::estimate::Done;
use crate::reads_from::subtree::{SharedPoints, Subtree};
use crate::reduction::ordered;
use crate::refinement::root::Beyond;
use crate::refinement::truncated::{Gathered, Unfinished};
use crate::source_sets::stretches::{Number, Stretches};
use crate::source_sets::{Grain, Position};
use crate::{Exploration, ExploreOptions, Progress, Reduction};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use symx_interp::Learned;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_interp::memory::Site;
use symx_trace::{FailureKind, IncompleteReason, Nesting};

/// An exploration in units.
#[derive(Debug)]
pub struct Campaign {
    pub(super) options: ExploreOptions,
    pub(super) epoch: u64,
    /// The sites known when the epoch began.
    pub(super) sites: BTreeSet<u64>,
    pub(super) known: Learned,
    /// The facts learned since.
    pub(super) learned: Learned,
    /// Why the walk is with source sets, and whether it is.
    pub(super) beyond: Option<Beyond>,
    pub(super) has_source_sets: bool,
    /// What counts as a step, and how many failures were known when the epoch began.
    pub(super) grain: Grain,
    pub(super) failures_before: usize,
    /// Whether units are not to be explored in parts any more.
    pub(super) is_whole: bool,
    /// Whether what is left of a unit may be several units, and whether it was.
    pub(super) may_be_divided: bool,
    pub(super) is_divided: bool,
    pub(super) open: BTreeMap<UnitName, Unit>,
    pub(super) points: SharedPoints,
    pub(super) stretches: Stretches,
    /// Which unit explores which stretch.
    pub(super) numbers: BTreeMap<UnitName, Number>,
    pub(super) gathered: Gathered,
    pub(super) result: Exploration,
    pub(super) havocked: BTreeSet<String>,
    pub(super) nestings: FxHashSet<Nesting>,
    pub(super) done: f64,
    pub(super) has_ended: bool,
}

impl Campaign {
    /// The exploration of a program under options, with all of it open.
    pub fn new<E: Environment>(machine: &Machine<E>, options: &ExploreOptions) -> Self {
        let is_guided = machine.options.guide.is_some();
        let is_plain = options.bound.is_none() && !options.bounds_forks() && !is_guided;
        let by_classes = options.reduction == Reduction::ReadsFrom;
        let beyond = ordered(machine).map(Beyond::Uncovered).filter(|_| by_classes);
        let mut campaign = Self {
            options: options.clone(),
            epoch: 0,
            sites: BTreeSet::new(),
            known: Learned::default(),
            learned: Learned::default(),
            has_source_sets: !by_classes || !is_plain || beyond.is_some(),
            beyond,
            grain: Grain::first(machine, options),
            failures_before: 0,
            is_whole: false,
            may_be_divided: one_after_another(machine, options).is_none(),
            is_divided: false,
            open: BTreeMap::new(),
            points: SharedPoints::default(),
            stretches: Stretches::default(),
            numbers: BTreeMap::new(),
            gathered: Gathered::default(),
            result: Exploration::default(),
            havocked: BTreeSet::new(),
            nestings: FxHashSet::default(),
            done: 0.0,
            has_ended: false,
        };
        campaign.open_root();
        campaign
    }

    /// The units to be explored.
    pub fn open(&self) -> impl Iterator<Item = (&UnitName, &Unit)> {
        self.open.iter()
    }

    /// A unit to be explored, if it still is.
    pub fn unit(&self, name: &UnitName) -> Option<&Unit> {
        self.open.get(name)
    }

    /// Whether all is explored, or what was looked for is found.
    pub fn has_ended(&self) -> bool {
        self.has_ended || self.open.is_empty()
    }

    /// How often it has restarted.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Totals so far.
    pub fn progress(&self) -> Progress {
        let done = Some(Done::part(self.done));
        Progress { open: self.open.len() as u64, done, ..self.result.progress }
    }

    /// Which part of it is taken to be done, from 0 to 1.
    pub fn done(&self) -> f64 {
        self.done
    }

    /// Ways of taking locks while others are held.
    pub fn nestings(&self) -> impl Iterator<Item = &Nesting> {
        self.nestings.iter()
    }

    /// Adds the result of a unit, unless that was added before or belongs to an earlier epoch. Returns the
    /// units that are open for it.
    pub fn add(&mut self, name: &UnitName, result: UnitResult) -> Vec<UnitName> {
        if self.has_ended {
            return Vec::new();
        }
        let Some(unit) = self.open.remove(name) else { return Vec::new() };
        self.note_work(&result);
        match &result.came {
            Came::Nothing => {
                result.incomplete.iter().for_each(|cut| self.result.cut(cut.clone()));
                self.done += unit.weight;
                Vec::new()
            }
            Came::Learned { .. } if self.grain == Grain::Coarse => {
                self.learned.add(&result.learned);
                self.absorb(result);
                self.leave_coarse()
            }
            Came::Learned { sites } => {
                self.sites.extend(sites);
                self.learned.add(&result.learned);
                self.restart_or_end(result)
            }
            Came::Beyond { is_contradiction, what } => {
                let is_part = !matches!(&unit.work, Work::Classes(subtree) if subtree.is_whole());
                self.learned.add(&result.learned);
                if *is_contradiction && is_part && !self.is_whole {
                    // One process that explores all in one go need not reach that.
                    self.is_whole = true;
                } else {
                    let what = kept(what);
                    self.leave_to_source_sets(match is_contradiction {
                        true => Beyond::Contradiction(what),
                        false => Beyond::Uncovered(what),
                    });
                }
                self.restart()
            }
            Came::LeadsElsewhere => {
                self.is_whole = true;
                self.restart()
            }
            Came::TooLong => {
                self.learned.add(&result.learned);
                self.grain = Grain::Coarse;
                self.restart_or_end(result)
            }
            Came::SourceSets { .. } => self.add_stretch(name, &unit, result),
            Came::Classes { .. } => self.add_classes(name, &unit, result),
        }
    }

    fn add_classes(&mut self, name: &UnitName, unit: &Unit, mut result: UnitResult) -> Vec<UnitName> {
        let came = std::mem::take(&mut result.came);
        let (Work::Classes(subtree), Came::Classes { rest, unfinished, gathered }) = (&unit.work, came)
        else {
            return Vec::new();
        };
        let gathered = Gathered::restored(&gathered).with(Unfinished::restored(&unfinished));
        let shared: Vec<Site> = self.gathered.shared_with(&gathered).collect();
        self.sites.extend(shared.iter().map(|site| site.0));
        self.gathered.add(gathered);
        self.learned.add(&result.learned);
        if self.learned.apply_notes() || !shared.is_empty() {
            return self.restart_or_end(result);
        }
        let subtrees = match self.points.add(subtree, &rest) {
            Ok(subtrees) => subtrees,
            Err(beyond) => {
                self.leave_to_source_sets(beyond);
                return self.restart();
            }
        };
        self.absorb(result);
        self.open_all(name, unit, subtrees.into_iter().map(Work::Classes).collect())
    }

    fn add_stretch(&mut self, name: &UnitName, unit: &Unit, mut result: UnitResult) -> Vec<UnitName> {
        let came = std::mem::take(&mut result.came);
        let Came::SourceSets { left, requests, depends_on_others } = came else { return Vec::new() };
        self.learned.add(&result.learned);
        // Facts that one unit alone did not show.
        if self.learned.apply_notes() {
            return self.restart_or_end(result);
        }
        self.is_divided |= left.positions.len() > 1;
        let Some(number) = self.numbers.remove(name) else { return Vec::new() };
        let new = match self.stretches.add(number, left, requests) {
            Ok(new) if !(depends_on_others && self.is_divided) => new,
            _ => {
                self.may_be_divided = false;
                return self.restart_or_end(result);
            }
        };
        self.absorb(result);
        let (numbers, work): (Vec<_>, Vec<_>) =
            new.into_iter().map(|(number, position)| (number, Work::SourceSets(Box::new(position)))).unzip();
        let names = self.open_all(name, unit, work);
        self.numbers.extend(names.iter().cloned().zip(numbers));
        match self.grain == Grain::Coarse && self.open.is_empty() {
            true => self.leave_coarse(),
            false => names,
        }
    }

    /// Goes on with a step an access, unless coarse steps have shown what was looked for.
    fn leave_coarse(&mut self) -> Vec<UnitName> {
        if self.has_ended || self.result.failures.len() > self.failures_before {
            return Vec::new();
        }
        self.grain = Grain::Fine;
        self.restart()
    }

    fn leave_to_source_sets(&mut self, beyond: Beyond) {
        (self.beyond, self.has_source_sets) = (Some(beyond), true);
        self.result.failures.clear();
    }

    /// Notes what was done, whether or not its counts count.
    fn note_work(&mut self, result: &UnitResult) {
        let progress = &mut self.result.progress;
        progress.events += result.progress.events;
        progress.instructions += result.progress.instructions;
        progress.known += result.progress.known;
        self.result.note_misuse(&result.misuse);
        self.havocked.extend(result.havocked.iter().cloned());
        self.nestings.extend(result.nestings.iter().cloned());
    }

    /// Adds what was counted and found.
    fn absorb(&mut self, result: UnitResult) {
        // Misuse is noted already, whether or not counts count.
        self.result.absorb(Exploration { misuse: Vec::new(), ..result.counted() });
        self.has_ended = self.options.end_with(&self.result.failures)
            || self.result.incomplete.iter().any(|cut| cut.reason.ends_exploration());
    }

    /// Begins a new epoch, unless what the unit found is what was looked for.
    fn restart_or_end(&mut self, result: UnitResult) -> Vec<UnitName> {
        let mut failures = self.result.failures.clone();
        failures.extend(result.failures.iter().cloned());
        if self.options.end_with(&failures) {
            self.absorb(result);
            return Vec::new();
        }
        let earlier = Exploration { failures: result.failures, ..Exploration::default() };
        self.result.absorb(earlier);
        self.restart()
    }

    /// Begins a new epoch with all that is known. The unit to begin with.
    fn restart(&mut self) -> Vec<UnitName> {
        self.epoch += 1;
        self.learned.apply_notes();
        self.known = self.learned.clone();
        self.points = SharedPoints::default();
        self.gathered = Gathered::default();
        self.open.clear();
        self.is_divided = false;
        self.done = 0.0;
        let earlier = std::mem::take(&mut self.result);
        let Progress { events, instructions, known, .. } = earlier.progress;
        self.result.progress = Progress { events, instructions, known, ..Progress::default() };
        (self.result.failures, self.result.misuse) = (earlier.failures, earlier.misuse);
        self.failures_before = self.result.failures.len();
        vec![self.open_root()]
    }

    fn open_root(&mut self) -> UnitName {
        let work = match self.has_source_sets {
            true => Work::SourceSets(Box::new(Position::beginning(self.grain))),
            false => Work::Classes(Subtree::default()),
        };
        let name = self.open_unit(None, 0, 1.0, work);
        let (stretches, number) = Stretches::of_all();
        self.stretches = stretches;
        self.numbers = BTreeMap::from([(name.clone(), number)]);
        name
    }

    /// Opens what is left of a unit.
    fn open_all(&mut self, parent: &UnitName, unit: &Unit, left: Vec<Work>) -> Vec<UnitName> {
        if self.has_ended {
            return Vec::new();
        }
        if left.is_empty() {
            self.done += unit.weight;
            return Vec::new();
        }
        if self.options.max_executions.is_some_and(|most| self.result.progress.executions >= most) {
            self.result.cut(IncompleteReason::MaxExecutions.into());
            self.has_ended = true;
            return Vec::new();
        }
        let weight = unit.weight / left.len() as f64;
        let open = left.into_iter().enumerate();
        open.map(|(ordinal, work)| self.open_unit(Some(parent.clone()), ordinal, weight, work)).collect()
    }

    fn open_unit(&mut self, parent: Option<UnitName>, ordinal: usize, weight: f64, work: Work) -> UnitName {
        let counted = self.result.progress.executions;
        let unit = Unit {
            epoch: self.epoch,
            parent,
            ordinal,
            sites: self.sites.iter().copied().collect(),
            learned: self.known.clone(),
            executions_left: self.options.max_executions.map(|most| most.saturating_sub(counted).max(1)),
            is_whole: self.is_whole,
            // How many coarse executions there are is counted along the walk.
            may_be_divided: self.may_be_divided && !self.is_whole && self.grain != Grain::Coarse,
            weight,
            work,
        };
        let name = unit.name();
        self.open.insert(name.clone(), unit);
        name
    }

    /// The result of the whole, ended from outside for this reason if there is one and something is left.
    pub fn finish(mut self, ended: Option<IncompleteReason>) -> Exploration {
        if let Some(reason) = ended.filter(|_| !self.has_ended()) {
            self.result.cut(reason.into());
        }
        if let Some(left_out) = self.learned.time_left_out() {
            self.result.cut(left_out);
        }
        let is_race = |found: &&crate::Found| found.failure.kind == FailureKind::Race;
        self.result.progress.races = self.result.failures.iter().filter(is_race).count() as u64;
        self.result.beyond = self.beyond;
        self.result.havocked = self.havocked.into_iter().collect();
        self.result.visible = self.sites.into_iter().map(Site).collect();
        self.result
    }
}

/// The reasons beyond a walk are texts that live as long as the process. One of another process has to live
/// as long, too; a campaign has two at most.
pub(super) fn kept(what: &str) -> &'static str {
    Box::leak(Box::from(what))
}
