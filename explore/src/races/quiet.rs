//! Programs too large to explore: racing memory is found in a few whole executions in which accesses are
//! noted but no thread stops before them. Then the executions are run again with that memory visible.

use super::again::{QuietExecution, Sample, again};
use super::directed::Directed;
use super::seeded::{Scheduler, Turns, run, seed};
use super::sightings::Recorded;
use super::{FoundRaces, Observer, RaceObserver, RaceSearch, add};
use crate::Progress;
use crate::execution;
use crate::races::limits::{MORE_SAMPLES, MOST_DIRECTED, MOST_SHARED, PART_FOR_QUIET};
use crate::races::limits::{MOST_ROUNDS, TIMES_BEYOND};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::races::{OrderedPair, OrderedPairs, QuietRaces};
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::End;
use symx_interp::stop::Incomplete;
use symx_ir::SpanId;
use symx_trace::IncompleteReason;

/// Executions that are looked at quietly.
pub(super) struct Quiet<'m, E: Environment> {
    executor: Executor<'m, E>,
    /// The sites that race.
    racing: FxHashSet<Site>,
    /// Those of them whose races were not met yet where they are visible: the name of an object,
    /// and where it raced.
    unmet: FxHashMap<Site, (String, SpanId)>,
    /// The executions in which they first did.
    met: Vec<(Vec<Site>, QuietExecution)>,
    /// The accesses that were ordered, if they are wanted.
    ordered: Option<OrderedPairs>,
}

impl<'m, E: Environment> Quiet<'m, E> {
    /// On a machine for the strongest model: what races there races under any.
    pub fn new(machine: &'m Machine<E>, solver: Box<dyn Solver + 'm>, search: &RaceSearch) -> Self {
        let (racing, unmet) = (FxHashSet::default(), FxHashMap::default());
        let ordered = search.notes_ordered.then(|| OrderedPairs::of(&machine.program));
        Self { executor: Executor::new(machine, solver), racing, unmet, met: Vec::new(), ordered }
    }

    /// The accesses that were ordered so far.
    pub fn ordered(self) -> FxHashSet<OrderedPair> {
        self.ordered.map(|ordered| ordered.seen).unwrap_or_default()
    }

    /// Whether one execution takes so much that exploring others as well is out of the question.
    pub fn is_too_large(&mut self, search: &RaceSearch, observer: &mut dyn Observer) -> bool {
        self.look(None, search.max_instructions / PART_FOR_QUIET, observer);
        self.executor.notes.quiet.as_ref().is_some_and(|quiet| quiet.shared_accesses() > MOST_SHARED)
    }

    /// One execution of at most `most` instructions; whether further sites race.
    fn look(&mut self, seed: Option<u64>, most: u64, observer: &mut dyn Observer) -> bool {
        self.executor.visible = Some(Arc::new(self.racing.clone()));
        self.executor.notes.quiet = Some(Box::new(QuietRaces::with(self.ordered.take())));
        let sample = run(&mut self.executor, &mut Scheduler::new(seed), most, observer);
        let mut racy = FxHashMap::default();
        if let Some(quiet) = &mut self.executor.notes.quiet {
            self.ordered = quiet.ordered.take();
            racy = std::mem::take(&mut quiet.racy);
        }
        let new: Vec<Site> = racy.keys().filter(|site| !self.racing.contains(site)).copied().collect();
        self.racing.extend(&new);
        self.unmet.extend(racy.into_iter().filter(|(site, _)| new.contains(site)));
        if new.is_empty() {
            return false;
        }
        if let Some(Sample { path, steps, .. }) = sample {
            self.met.push((new, QuietExecution { made: path.made, inputs: path.inputs, steps }));
        }
        true
    }

    /// The races of a few executions.
    pub fn sampled(
        mut self,
        mut executor: Executor<'m, E>,
        search: &RaceSearch,
        observer: &mut dyn RaceObserver,
    ) -> FoundRaces {
        let most = search.max_instructions.saturating_mul(TIMES_BEYOND);
        let mut found = FoundRaces::default();
        // How much was visible when a seed was run: what is found early can be judged early.
        let mut seen_with = Vec::new();
        for sample in 0..search.samples {
            if observer.progress(&Progress::default()).is_some() {
                break;
            }
            let seed = seed(sample, search);
            let mut seen_now = 0;
            for _ in 0..MOST_ROUNDS {
                if !self.look(seed, most, observer) {
                    break;
                }
                // The first races to be reported are met before further sites are looked for.
                if found.samples == 0 {
                    self.visibly(&mut executor, &mut Scheduler::new(seed), search, observer, &mut found);
                    seen_now = self.racing.len();
                }
            }
            if seen_now != self.racing.len() {
                self.visibly(&mut executor, &mut Scheduler::new(seed), search, observer, &mut found);
            }
            seen_with.push(self.racing.len());
        }
        // Where memory remembers, one and the same step can read what the quiet look does not know of.
        let remembers = executor.machine.model.keeps_history();
        let most_samples = search.samples.saturating_mul(if remembers { MORE_SAMPLES } else { 1 });
        for number in 0..most_samples {
            // Other schedules may meet what these have not.
            if number >= search.samples && self.unmet.is_empty() {
                break;
            }
            let seen_with = seen_with.get(number as usize).copied().unwrap_or_default();
            if seen_with > 0 && seen_with == self.racing.len() {
                // It was run with all of it.
                continue;
            }
            let mut turns = Scheduler::new(seed(number, search));
            if self.visibly(&mut executor, &mut turns, search, observer, &mut found).is_none() {
                break;
            }
        }
        // With more visible, the same seeds lead to other schedules, which need not meet all that
        // the first ones met.
        let visible = Arc::new(self.racing.clone());
        for (sites, looked_at) in std::mem::take(&mut self.met) {
            let is_met = sites.iter().all(|site| !self.unmet.contains_key(site));
            if is_met || remembers {
                continue;
            }
            executor.visible = Some(Arc::clone(&visible));
            executor.notes.sightings = Some(Box::default());
            match again(&mut executor, &looked_at, observer) {
                // Where it is lost, what it has not met stays unmet, and is reported below.
                Some(sample) => {
                    let sample = Sample { lost: None, ..sample };
                    self.add(&mut executor, sample, &visible, &mut found, observer);
                }
                None => break,
            }
        }
        self.directed(&mut executor, search, observer, &mut found);
        for (name, span) in std::mem::take(&mut self.unmet).into_values() {
            let what = format!("a race on {name} was observed in a sampled execution and not reproduced");
            found.exploration.cut(Incomplete { reason: IncompleteReason::RaceNotMetAgain, what, span });
        }
        if let Some(reason) = observer.progress(&Progress::default()) {
            found.exploration.cut(reason.into());
        }
        execution::account(&executor, &mut found.exploration);
        found.ordered = self.ordered();
        found
    }

    /// Executions directed at the sites in turn. They end when as many in a row as there are sites, or as are
    /// run at random, show no further race.
    fn directed(
        &mut self,
        executor: &mut Executor<'m, E>,
        search: &RaceSearch,
        observer: &mut dyn RaceObserver,
        found: &mut FoundRaces,
    ) {
        let mut sites: Vec<Site> = self.racing.iter().copied().collect();
        sites.sort_unstable();
        let patience = 2 * search.samples.max(sites.len() as u64);
        let mut in_vain = 0;
        for (focus, number) in sites.iter().cycle().zip(0..search.samples.saturating_mul(MOST_DIRECTED)) {
            let known = found.races.len();
            let mut turns = Directed::new(search.options.seed.wrapping_add(number), *focus);
            if self.visibly(executor, &mut turns, search, observer, found).is_none() {
                break;
            }
            in_vain = if found.races.len() > known { 0 } else { in_vain + 1 };
            if in_vain >= patience {
                break;
            }
        }
    }

    /// One execution with all that races visible; `None` if the observer ends it.
    fn visibly(
        &mut self,
        executor: &mut Executor<'m, E>,
        turns: &mut dyn Turns<E>,
        search: &RaceSearch,
        observer: &mut dyn RaceObserver,
        found: &mut FoundRaces,
    ) -> Option<()> {
        let visible = Arc::new(self.racing.clone());
        executor.visible = Some(Arc::clone(&visible));
        executor.notes.sightings = Some(Box::default());
        let most = search.max_instructions.saturating_mul(TIMES_BEYOND);
        let sample = run(executor, turns, most, observer)?;
        self.add(executor, sample, &visible, found, observer);
        Some(())
    }

    /// Adds the races of an execution in which all racing memory was visible; the sites whose races it met
    /// are removed.
    fn add(
        &mut self,
        executor: &mut Executor<'m, E>,
        sample: Sample<E>,
        visible: &Arc<FxHashSet<Site>>,
        found: &mut FoundRaces,
        observer: &mut dyn RaceObserver,
    ) {
        let Sample { path, lost, .. } = sample;
        found.samples += 1;
        found.exploration.progress.executions += 1;
        if let Some(what) = lost {
            let span = SpanId::UNKNOWN;
            found.exploration.cut(Incomplete { reason: IncompleteReason::ExecutionNotFollowed, what, span });
        }
        let failure = match &path.state.end {
            Some(End::Failed(failure)) => Some(execution::found(executor, &path.state, failure, &path.made)),
            _ => None,
        };
        let recorded = Recorded {
            decisions: Arc::new(path.made),
            inputs: path.inputs,
            visible: Arc::clone(visible),
            fails: failure.is_some(),
            is_large: true,
        };
        match failure {
            Some(Ok(failure)) => found.exploration.failures.push(failure),
            Some(Err(why)) => found.exploration.cut(why.into()),
            None => {}
        }
        let Some(sightings) = executor.notes.sightings.take() else { return };
        self.unmet.retain(|site, _| !sightings.sites.contains(site));
        let known = found.races.len();
        for race in sightings.seen {
            add(&mut found.races, race, &recorded);
        }
        if found.races.len() > known {
            observer.races(&found.races);
        }
    }
}
