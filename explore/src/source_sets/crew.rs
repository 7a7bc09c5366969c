//! The workers at stretches of one walk with source sets: what they have to do, and what came of it.

use super::point::Position;
use super::stretch::{Stretch, explore_stretch};
use super::stretches::{Number, OpenStretches};
use crate::bounds::estimate::Done;
use crate::bounds::observer::Between;
use crate::refinement::root::Root;
use crate::refinement::workers::BEFORE_GIVING;
use crate::{Exploration, ExploreOptions, Found, Observer, Progress};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use symx_interp::Learned;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_trace::IncompleteReason;

/// The workers at stretches of one walk.
pub(super) struct Crew<'o> {
    options: &'o ExploreOptions,
    /// Into how many parts what is left of a stretch is divided.
    parts: usize,
    /// After how many executions a worker is asked for a part. It is asked more seldom while it has none.
    least: AtomicU64,
    /// How many workers wait for something to do and are not about to get it.
    hungry: AtomicUsize,
    /// Whether all workers are to leave.
    has_ended: AtomicBool,
    /// Executions of all workers that ran to their end, as far as they have told of them.
    pub executions: AtomicU64,
    /// The same with those that were abandoned, and with those before.
    executed: AtomicU64,
    work: Mutex<Work>,
    arrived: Condvar,
}

/// What there is to do, and what came of it.
pub(super) struct Work {
    pub walk: OpenStretches,
    /// How many stretches are being explored, and how many workers wait.
    running: usize,
    idle: usize,
    /// Whether the walk was divided.
    is_divided: bool,
    pub result: Exploration,
    /// Sites found to be shared, and what else was learned.
    pub sites: FxHashSet<Site>,
    pub learned: Learned,
    pub end: Option<End>,
    /// How much of the walk is done, as was estimated last.
    pub done: Option<Done>,
}

/// Why workers leave before all is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// What was looked for is found.
    Found,
    /// It was ended from outside, or by a bound; maybe after more was learned, for which it restarts.
    Stopped { reason: IncompleteReason, restarts: bool },
    /// More is known: the walk restarts.
    Learned,
    /// It cannot be divided.
    Undivided,
}

/// Makes all workers leave when one does, however it does.
pub(super) struct Leaving<'c, 'o>(pub &'c Crew<'o>);

impl Drop for Leaving<'_, '_> {
    fn drop(&mut self) {
        self.0.leave(&self.0.work());
    }
}

impl<'o> Crew<'o> {
    pub fn new(
        (walk, counted): (OpenStretches, u64),
        workers: usize,
        options: &'o ExploreOptions,
        learned: Learned,
    ) -> Self {
        let executed = walk.open.iter().map(|(_, position)| position.executed).max();
        Self {
            options,
            parts: workers,
            least: AtomicU64::new(BEFORE_GIVING),
            hungry: AtomicUsize::new(0),
            has_ended: AtomicBool::new(false),
            executions: AtomicU64::new(counted),
            executed: AtomicU64::new(executed.unwrap_or(0)),
            work: Mutex::new(Work {
                is_divided: walk.open.len() > 1,
                walk,
                running: 0,
                idle: 0,
                result: Exploration::default(),
                sites: FxHashSet::default(),
                learned,
                end: None,
                done: None,
            }),
            arrived: Condvar::new(),
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_work(self) -> Work {
        self.work.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has all workers leave.
    fn leave(&self, _work: &Work) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.arrived.notify_all();
    }

    fn count_hungry(&self, work: &Work) {
        self.hungry.store(work.idle.saturating_sub(work.walk.open.len()), Ordering::Relaxed);
    }

    /// The next stretch to explore; nothing if there is none any more.
    pub fn next(&self) -> Option<(Number, Position)> {
        let mut work = self.work();
        loop {
            if self.has_ended.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(open) = work.walk.open.pop_front() {
                work.running += 1;
                self.count_hungry(&work);
                return Some(open);
            }
            if work.running == 0 {
                self.leave(&work);
                return None;
            }
            work.idle += 1;
            self.count_hungry(&work);
            work = self.arrived.wait(work).unwrap_or_else(PoisonError::into_inner);
            work.idle -= 1;
        }
    }

    /// Explores stretches until there is none any more, beginning with `first`.
    pub fn explore<E: Environment>(
        &self,
        executor: &mut Executor<'_, E>,
        (sites, root): (&FxHashSet<Site>, &Root<E>),
        mut first: Option<(Number, Position)>,
        observer: &mut dyn Observer,
    ) {
        while let Some((number, position)) = first.take().or_else(|| self.next()) {
            let counted = self.work().result.progress.executions;
            let most = self.options.max_executions.map(|most| most.saturating_sub(counted).max(1));
            let options = &ExploreOptions { max_executions: most, resume: None, ..self.options.clone() };
            let before = position.executed;
            let mut turn = Turn { crew: self, before, told: Progress::default(), is_over: false };
            let progress = |observer: &mut dyn Observer, progress: &Progress| turn.look(observer, progress);
            let mut between = Between { observer: &mut *observer, progress };
            let from = (&position, self.parts);
            let stretch = explore_stretch(executor, sites, root, from, options, &mut between);
            turn.tell(&stretch.result.progress);
            self.add(number, stretch, turn.is_over, &executor.learned);
        }
    }

    /// Adds the result of a stretch; `was_asked` says whether it ended because it was to.
    fn add(&self, number: Number, stretch: Stretch, was_asked: bool, learned: &Learned) {
        let mut work = self.work();
        work.running -= 1;
        if work.end.is_some_and(|end| !matches!(end, End::Stopped { .. })) {
            // Nothing counts any more, but a failure that was found is not to be looked for again.
            if work.add_failures(stretch.result.failures, self.options) {
                work.end = Some(End::Found);
            }
            return;
        }
        let divides = stretch.left.positions.len() > 1;
        if was_asked {
            let least = self.least.load(Ordering::Relaxed);
            self.least.store(if divides { BEFORE_GIVING } else { 2 * least }, Ordering::Relaxed);
        }
        let end = work.add(number, stretch, learned, self.options);
        let end = end.filter(|end| !(was_asked && matches!(end, End::Stopped { restarts: false, .. })));
        work.end = match (work.end, end) {
            (Some(End::Stopped { reason, .. }), Some(End::Learned | End::Undivided)) => {
                Some(End::Stopped { reason, restarts: true })
            }
            (known, new) => known.or(new),
        };
        self.count_hungry(&work);
        match work.end {
            Some(_) => self.leave(&work),
            None => self.arrived.notify_all(),
        }
    }

    /// Ends the walk from outside.
    fn stop(&self, reason: IncompleteReason, done: Option<Done>) {
        let mut work = self.work();
        if work.end.is_none() {
            work.end = Some(End::Stopped { reason, restarts: false });
            work.done = done;
        }
        self.leave(&work);
    }
}

impl Work {
    /// Adds the result of a stretch. Returns why the walk ends for that; a stretch that was to end says so,
    /// too.
    fn add(
        &mut self,
        number: Number,
        stretch: Stretch,
        learned: &Learned,
        options: &ExploreOptions,
    ) -> Option<End> {
        let Stretch { mut result, discovered, left, requests, .. } = stretch;
        let ended = result.incomplete.iter().find(|cut| cut.reason.ends_exploration());
        let stopped = ended.map(|cut| End::Stopped { reason: cut.reason, restarts: false });
        result.incomplete.retain(|cut| !cut.reason.ends_exploration());
        self.learned.add(learned);
        let has_learned = stretch.has_learned | self.learned.apply_notes();
        if has_learned || !discovered.is_empty() {
            // What was counted is counted again, unless nothing more is to be explored.
            self.sites.extend(discovered);
            let is_found = self.add_failures(result.failures, options);
            return Some(if is_found { End::Found } else { End::Learned });
        }
        self.is_divided |= left.positions.len() > 1;
        let cannot_be_divided = stretch.leads_elsewhere || (stretch.depends_on_others && self.is_divided);
        self.result.absorb(result);
        if options.end_with(&self.result.failures) {
            return Some(End::Found);
        }
        match self.walk.order.add(number, left, requests) {
            Ok(open) if !cannot_be_divided => self.walk.open.extend(open),
            _ => return Some(End::Undivided),
        }
        let counted = self.result.progress.executions;
        let has_enough = options.max_executions.is_some_and(|most| counted >= most);
        let reason = IncompleteReason::MaxExecutions;
        let is_cut = has_enough && !self.walk.open.is_empty();
        stopped.or(is_cut.then_some(End::Stopped { reason, restarts: false }))
    }

    /// Adds failures to those found. Whether one of them is what was looked for.
    fn add_failures(&mut self, failures: Vec<Found>, options: &ExploreOptions) -> bool {
        self.result.absorb(Exploration { failures, ..Exploration::default() });
        options.end_with(&self.result.failures)
    }
}

/// A worker's turn at one stretch.
struct Turn<'c, 'o> {
    crew: &'c Crew<'o>,
    /// Executions before the stretch, abandoned ones included.
    before: u64,
    /// What has been told of it so far.
    told: Progress,
    /// Whether the stretch was told to end.
    is_over: bool,
}

impl Turn<'_, '_> {
    fn look(&mut self, observer: &mut dyn Observer, progress: &Progress) -> Option<IncompleteReason> {
        self.tell(progress);
        let done = self.done(progress);
        let outside = observer.progress(&Progress { done, ..*progress });
        if let Some(reason) = outside {
            self.crew.stop(reason, done);
        }
        // Each stretch comes further than the one that it is left of, or none would ever end.
        let least = self.crew.least.load(Ordering::Relaxed);
        let has_advanced = !progress.repeats && progress.executions + progress.blocked >= least;
        let is_asked = has_advanced && self.crew.hungry.load(Ordering::Relaxed) > 0;
        self.is_over = self.crew.has_ended.load(Ordering::Relaxed) || is_asked;
        self.is_over.then_some(outside.unwrap_or(IncompleteReason::Interrupted))
    }

    /// Adds what was executed since to the counts of all.
    fn tell(&mut self, progress: &Progress) {
        let executions = progress.executions - self.told.executions;
        let blocked = progress.blocked - self.told.blocked;
        self.crew.executions.fetch_add(executions, Ordering::Relaxed);
        self.crew.executed.fetch_add(executions + blocked, Ordering::Relaxed);
        self.told = *progress;
    }

    /// How much of the whole is done, by the size that this worker's path lets expect.
    fn done(&self, progress: &Progress) -> Option<Done> {
        let own = (self.before + progress.executions + progress.blocked).max(1);
        let all = self.crew.executed.load(Ordering::Relaxed);
        progress.done.map(|done| Done::part(done.fraction() * all as f64 / own as f64))
    }
}
