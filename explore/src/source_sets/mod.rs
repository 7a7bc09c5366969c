//! Exhaustive exploration with partial-order reduction: source sets and sleep sets over copy-on-write states.
//!
//! A depth-first walk over choice points. Each keeps the state before the choice, so that backtracking
//! resumes from there instead of from `main`. Which agents are tried at a point is driven by the races of the
//! executions that ran through it (see [`happens_before`](super::events::happens_before)). The walk goes on
//! ([`descent`]) and back ([`backtrack`]) by turns.

mod backtrack;
mod crew;
mod descent;
pub(super) mod division;
mod grain;
pub(crate) mod limits;
mod loops;
mod lower_bounds;
mod path;
mod point;
mod sections;
pub(super) mod stretch;
pub(super) mod stretches;
pub(crate) mod together;

pub(crate) use grain::Grain;
pub(crate) use lower_bounds::LowerBounds;
pub(crate) use point::{Position, SavedPoint};

use super::execution::Collected;
use super::{Exploration, ExploreOptions, Found, Observer, Search};
use crate::bounds::estimate::Done;
use crate::bounds::poll_interval::Looks;
use crate::execution;
use crate::refinement::root::{Beyond, Root, WalkPosition};
use crate::refinement::truncated::Unfinished;
use crate::replays::lookahead;
use crate::state_graph::Patience;
use crate::state_graph::rounds::ComesRound;
use backtrack::Backtrack;
use descent::Taken;
use division::Elsewhere;
use loops::Loops;
use path::Path;
use point::Point;
use rustc_hash::FxHashSet;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_trace::IncompleteReason;

/// The facts known before a walk.
#[derive(Default)]
pub(crate) struct Before<'p> {
    /// The reason why the reads-from reduction was not used, for the result.
    pub beyond: Option<Beyond>,
    /// The position that an earlier process has left, to continue from.
    pub position: Option<&'p Position>,
    /// Failures found within lower bounds, for the result.
    pub failures: Vec<Found>,
    /// The counts of walks within these.
    pub lower: LowerBounds,
    /// When it is asked whether threads come round, if that matters.
    pub patience: Option<Patience>,
}

/// Explores everything that follows a root. `sites` are those known to be visible; more are added. The error
/// is that threads come round, so that the walk may have no end; without patience it does not ask.
pub(super) fn explore_source_sets<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    before: Before<'_>,
) -> Result<(Exploration, Option<WalkPosition<Position>>), ComesRound> {
    let Before { beyond, mut position, failures, mut lower, patience } = before;
    let first = Grain::first(executor.machine, options);
    let mut grain = position.map_or(first, |position| position.grain);
    let mut begun_anew = position.is_none() && lower.counted_below == 0;
    let mut earlier = Exploration { failures, ..Exploration::default() };
    loop {
        executor.visible = grain.visible(sites);
        let mut walk = Walk::new(executor, options, observer, root, grain);
        walk.result.failures = std::mem::take(&mut earlier.failures);
        let known = walk.result.failures.len();
        (walk.result.beyond, walk.result.begun_anew) = (beyond, begun_anew);
        walk.progress.lower = lower;
        walk.patience = patience;
        if let Some(position) = position.take() {
            walk.resume(position);
        }
        walk.run(root);
        // Memory found to be shared changes the steps, so executions within lower bounds are counted again.
        (begun_anew, lower) = (true, LowerBounds::default());
        if walk.comes_round
            && let Some(patience) = walk.patience
        {
            sites.extend(walk.learned.sites);
            return Err(ComesRound { patience, failures: walk.result.failures });
        }
        if walk.is_too_long {
            grain = Grain::Coarse;
            earlier.failures = walk.result.failures;
            continue;
        }
        if walk.earlier.leads_elsewhere {
            continue;
        }
        let ended_outside = walk.result.incomplete.iter().any(|cut| cut.reason.ends_exploration());
        let standing = ended_outside.then(|| match walk.learned.is_empty() {
            true => WalkPosition::At(walk.position()),
            false => WalkPosition::Beginning,
        });
        let (result, learned) = (walk.result, walk.learned);
        if standing.is_some() {
            sites.extend(learned.sites.iter().copied());
        }
        let stop = ended_outside || options.end_with(&result.failures);
        if grain == Grain::Coarse && !stop && result.failures.len() == known {
            grain = Grain::Fine;
            earlier.failures = result.failures;
            continue;
        }
        // Memory that was found to be shared only now was not explored as such: begin again, knowing it.
        if learned.is_empty() || stop || grain == Grain::Coarse {
            return Ok((result, standing));
        }
        sites.extend(learned.sites);
        earlier = result;
    }
}

struct Walk<'w, 'm, E: Environment> {
    executor: &'w mut Executor<'m, E>,
    options: &'w ExploreOptions,
    observer: &'w mut dyn Observer,
    result: Exploration,
    path: Path<E>,
    loops: Loops<E>,
    progress: Counted,
    learned: Learned,
    unseen: Unseen,
    earlier: Earlier,
    elsewhere: Elsewhere,
    grain: Grain,
    /// Whether an execution had more steps than it may have.
    is_too_long: bool,
    /// Whether a race was found that ends the exploration.
    stopped: bool,
    /// When it is asked whether threads come round, if that matters, and whether they do.
    patience: Option<Patience>,
    comes_round: bool,
    /// Visible steps of all walks before this one.
    events_before: u64,
}

/// Counts of executions.
struct Counted {
    looks: Looks,
    /// Executions of earlier processes, and how many of them were abandoned.
    executed_before: u64,
    blocked_before: u64,
    /// Counts of walks within lower bounds, and how many of their executions this walk has gone through.
    lower: LowerBounds,
    known_below: u64,
    /// Whether the present execution was counted at its end, by an earlier process perhaps.
    is_explored: bool,
}

/// Facts that executions have shown and that change the steps of all: the walk begins again, knowing them.
#[derive(Default)]
struct Learned {
    /// Sites found to be shared.
    sites: FxHashSet<Site>,
    /// Whether there is more: threads without a [number](symx_interp::step::numbers), for example.
    has_more: bool,
}

impl Learned {
    fn is_empty(&self) -> bool {
        self.sites.is_empty() && !self.has_more
    }
}

/// Steps that executions have not come to.
#[derive(Default)]
struct Unseen {
    /// Whether some execution ended before all threads had done what they could.
    has_cut_short: bool,
    unfinished: Unfinished,
}

/// Choices of an earlier process.
#[derive(Default)]
struct Earlier {
    /// Those that are still to be made again.
    points: std::vec::IntoIter<SavedPoint>,
    /// Whether they do not fit.
    leads_elsewhere: bool,
    /// The length of the path at the last point to which the walk has gone back.
    descent: usize,
}

impl Earlier {
    /// Whether all were made again.
    fn is_over(&self) -> bool {
        self.points.as_slice().is_empty()
    }
}

/// Whether the walk continues.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Stop,
}

impl<'w, 'm, E: Environment> Walk<'w, 'm, E> {
    fn new(
        executor: &'w mut Executor<'m, E>,
        options: &'w ExploreOptions,
        observer: &'w mut dyn Observer,
        root: &Root<E>,
        grain: Grain,
    ) -> Self {
        let progress = Counted {
            looks: Looks::every(observer.steps_between()),
            executed_before: 0,
            blocked_before: 0,
            lower: LowerBounds::default(),
            known_below: 0,
            is_explored: false,
        };
        Self {
            events_before: executor.counters.events,
            executor,
            options,
            observer,
            result: Exploration::default(),
            path: Path::new(root),
            loops: Loops::default(),
            progress,
            learned: Learned::default(),
            unseen: Unseen::default(),
            earlier: Earlier::default(),
            elsewhere: Elsewhere::default(),
            grain,
            is_too_long: false,
            stopped: false,
            patience: None,
            comes_round: false,
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Has the walk begin with the choices that an earlier process had made.
    fn resume(&mut self, position: &Position) {
        self.unseen.unfinished = Unfinished::restored(&position.unfinished);
        self.unseen.has_cut_short = position.has_cut_short;
        self.loops.left = position.has_left_loops.into();
        self.progress.is_explored = position.is_explored;
        self.progress.executed_before = position.executed;
        self.progress.blocked_before = position.blocked;
        self.elsewhere.shared = position.shared;
        self.earlier.descent = position.descent;
        self.earlier.points = position.points.clone().into_iter();
    }

    /// The choices that lead to where the walk stands.
    fn position(&self) -> Position {
        Position {
            points: self.path.points.iter().map(Point::save).chain(self.earlier.points.clone()).collect(),
            is_explored: self.progress.is_explored,
            descent: self.earlier.descent,
            unfinished: self.unseen.unfinished.save(),
            has_cut_short: self.unseen.has_cut_short,
            has_left_loops: self.loops.left > 0,
            executed: self.executed(),
            blocked: self.blocked(),
            grain: self.grain,
            shared: self.elsewhere.shared,
        }
    }

    /// Ends the walk: the choices of an earlier process do not fit.
    fn lead_elsewhere(&mut self) -> Go {
        self.earlier.leads_elsewhere = true;
        self.stopped = true;
        Go::Stop
    }

    fn run(&mut self, root: &Root<E>) {
        let mut state = root.state.clone();
        let mut next = None;
        match root.resumed {
            None => next = Some((state, Vec::new(), None)),
            Some((thread, granted)) => {
                let step = self.executor.resume(&mut state, thread, granted);
                match self.settle(&mut state, thread, step) {
                    Taken::Done => next = Some((state, Vec::new(), Some(thread))),
                    Taken::Ended if self.discover(&state) == Go::Stop => return,
                    Taken::Ended => {}
                }
            }
        }
        loop {
            if let Some((state, sleep, previous)) = next.take()
                && self.descend(state, sleep, previous) == Go::Stop
            {
                return;
            }
            self.comes_round = self.do_threads_come_round();
            if self.comes_round {
                return;
            }
            match self.backtrack() {
                Backtrack::Finished => return,
                Backtrack::Stopped => return,
                Backtrack::Resumed(state, sleep, previous) => next = Some((state, sleep, previous)),
                Backtrack::Ended => {}
            }
        }
    }

    fn finish(&mut self, state: &State<E>) -> Go {
        self.cut_short(state);
        if std::mem::replace(&mut self.progress.is_explored, true) {
            return self.discover(state);
        }
        if self.is_known_below() {
            self.progress.known_below += 1;
            return self.discover(state);
        }
        let (executor, result) = (&mut *self.executor, &mut self.result);
        match execution::collect(executor, state, &self.path.decisions, result, self.observer, self.options) {
            Collected::GoOn => {}
            Collected::Enough => return Go::Stop,
            Collected::Halted => {
                self.progress.is_explored = false;
                return Go::Stop;
            }
        }
        self.learned.sites.extend(lookahead::scout_after_failure(self.executor, state, &self.path.decisions));
        let counted = self.progress.lower.progress.executions + self.result.progress.executions;
        if self.options.max_executions.is_some_and(|max| counted >= max) && self.path.has_alternatives() {
            self.result.cut(IncompleteReason::MaxExecutions.into());
            self.discover(state);
            return Go::Stop;
        }
        self.discover(state)
    }

    /// Notes what this execution found to be shared, and which threads there are; then the walk
    /// restarts at once.
    fn discover(&mut self, state: &State<E>) -> Go {
        self.learned.sites.extend(state.discovered.iter().copied());
        self.learned.sites.extend(self.unseen.unfinished.shared(state));
        self.learned.has_more |= self.executor.learn_numbers(state) | self.executor.learned.apply_notes();
        if self.learned.is_empty() { Go::On } else { Go::Stop }
    }

    /// Looks at the clock at once: what comes next takes long.
    fn look_now(&mut self) -> Go {
        self.progress.looks.hasten();
        self.look()
    }

    fn look(&mut self) -> Go {
        if !self.progress.looks.is_due(self.executor.counters.instructions) {
            return Go::On;
        }
        let mut progress = self.result.progress;
        progress.add(&self.progress.lower.progress);
        progress.bound = self.options.bound.filter(|_| matches!(self.options.search, Search::Iterative(_)));
        progress.events = self.executor.counters.events;
        progress.instructions = self.executor.counters.instructions;
        progress.open = self.path.points.len() as u64;
        progress.repeats = !self.earlier.is_over();
        // The rest along recorded paths has little to do with how wide the tree is.
        if self.executor.machine.options.guide.is_none() {
            let passed = self.path.points.iter().rev().map(Point::passed);
            progress.done = Some(Done::estimate(self.executed(), passed));
        }
        match self.observer.progress(&progress) {
            None => Go::On,
            Some(reason) => {
                self.result.progress.done = progress.done;
                self.result.cut(reason.into());
                Go::Stop
            }
        }
    }

    /// Executions so far, abandoned ones included.
    fn executed(&self) -> u64 {
        let counted = self.result.progress.executions + self.result.progress.blocked;
        self.progress.executed_before + counted + self.progress.known_below
    }

    /// How many of them were abandoned.
    fn blocked(&self) -> u64 {
        self.progress.blocked_before + self.result.progress.blocked
    }
}
