//! Failures near a recorded run: branches and schedules are flipped together, the nearest executions first.
//! The idea is that of CORTEX (Machado, Lucia, Rodrigues, "Production-guided concurrency debugging", PPoPP
//! 2016).
//!
//! An execution's distance is how many branches it flips ([`reference`](symx_interp::paths::reference)) and
//! how often it departs from a plain scheduler. That lets each thread run for as long as it can. A best-first
//! walk over copy-on-write states executes in order of distance. It is complete for executions within two
//! bounds: on flipped branches, and on preemptions. It says nothing of any other, so it never ends with the
//! verdict *safe*.
//!
//! Branches need no flipping by hand: another schedule, or another way of a symbolic value, flips them. So
//! whatever is found is an execution of the program.

mod equivalence;
mod expand;
pub(crate) mod flipped;
mod frontier;
mod past;
mod rounds;

use crate::bounds::poll_interval::Looks;
use crate::driver::fork::Way;
use crate::execution::{self, Collected};
use crate::refinement::truncated::Unfinished;
use crate::replays::lookahead;
use crate::{Exploration, ExploreOptions, Observer};
use frontier::{Entry, Frontier};
use past::{Looks as Round, Past, Point};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::progress::livelock::LongRun;
use symx_interp::state::State;
use symx_interp::stop::Incomplete;
use symx_interp::stop::Step;
use symx_trace::{Agent, Decision, IncompleteReason, ThreadId};

/// How far from the recorded run failures are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nearness {
    /// Branches that an execution may flip. One that leads straight into the failure is not counted.
    pub flips: u32,
    /// Preemptions that an execution may have.
    pub preemptions: u32,
}

impl Nearness {
    fn in_words(self) -> String {
        let plural = |count: u32, many: &'static str, one: &'static str| if count == 1 { one } else { many };
        format!(
            "{} flipped {} and {} {}",
            self.flips,
            plural(self.flips, "branches", "branch"),
            self.preemptions,
            plural(self.preemptions, "preemptions", "preemption"),
        )
    }
}

/// Looks for failures near the recorded paths that the machine
/// [compares with](symx_interp::machine::Options::reference).
pub fn explore_near<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    nearness: Nearness,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut executor = options.executor(machine, solver);
    let mut sites: FxHashSet<Site> = FxHashSet::default();
    let mut failures = Vec::new();
    let mut result = loop {
        executor.visible = Some(Arc::new(sites.clone()));
        let mut search = Search::new(&mut executor, nearness, options, observer);
        search.result.failures = std::mem::take(&mut failures);
        search.run();
        let is_whole = search.discovered.is_empty() && !search.has_learned;
        let Search { result, discovered, .. } = search;
        if is_whole
            || options.end_with(&result.failures)
            || result.incomplete.iter().any(|cut| cut.reason.ends_exploration())
        {
            break result;
        }
        // Memory that was found to be shared only now was not explored as such: begin again, knowing it.
        sites.extend(discovered);
        failures = result.failures;
    };
    if let Some(left_out) = executor.learned.time_left_out() {
        result.cut(left_out);
    }
    execution::account(&executor, &mut result);
    result.visible = sites.into_iter().collect();
    result.visible.sort_unstable();
    result
}

struct Search<'s, 'm, E: Environment> {
    executor: &'s mut Executor<'m, E>,
    nearness: Nearness,
    options: &'s ExploreOptions,
    observer: &'s mut dyn Observer,
    result: Exploration,
    frontier: Frontier<E>,
    /// The distance of the executions that the walk is at.
    distance: u32,
    /// The fewest preemptions with which a state was continued.
    seen: FxHashMap<past::Key, u32>,
    discovered: FxHashSet<Site>,
    /// Whether an execution had threads that had no [number](symx_interp::step::numbers) yet.
    has_learned: bool,
    unfinished: Unfinished,
    looks: Looks,
    stopped: bool,
}

impl<'s, 'm, E: Environment> Search<'s, 'm, E> {
    fn new(
        executor: &'s mut Executor<'m, E>,
        nearness: Nearness,
        options: &'s ExploreOptions,
        observer: &'s mut dyn Observer,
    ) -> Self {
        let looks = Looks::every(observer.steps_between());
        Self {
            executor,
            nearness,
            options,
            observer,
            result: Exploration::default(),
            frontier: Frontier::default(),
            distance: 0,
            seen: FxHashMap::default(),
            discovered: FxHashSet::default(),
            has_learned: false,
            unfinished: Unfinished::default(),
            looks,
            stopped: false,
        }
    }

    fn run(&mut self) {
        let state = self.executor.machine.initial_state();
        let start = Point { state, past: Past::default(), looks: Round::new() };
        self.frontier.add(0, Entry::Arrived(Box::new(start)));
        while !self.stopped
            && let Some((distance, entry)) = self.frontier.next()
        {
            self.distance = distance;
            let next = match entry {
                Entry::Arrived(point) => Some(*point),
                Entry::Step { from, turn } => {
                    let point = Arc::try_unwrap(from).unwrap_or_else(|shared| (*shared).clone());
                    self.step(point, &turn)
                }
                Entry::Way { way, past } => self.enter(way, *past),
            };
            if let Some(point) = next {
                self.go_on(point);
            }
        }
        self.say_how_far();
    }

    /// Says within which bounds nothing was left out.
    fn say_how_far(&mut self) {
        let is_to_restart = !self.discovered.is_empty() || self.has_learned;
        if is_to_restart || self.options.end_with(&self.result.failures) {
            return;
        }
        let within = self.nearness.in_words();
        let what = match (self.stopped, self.distance) {
            (false, _) => format!("explored is all within {within}, and nothing beyond"),
            (true, 0) => format!("executions within {within} are left that were not explored"),
            (true, distance) => format!(
                "of the executions within {within}, explored are those at distances up to {} from the recording",
                distance - 1
            ),
        };
        self.result.cut(Incomplete { what, ..IncompleteReason::Nearness.into() });
    }

    /// Follows one execution for as long as it comes no further from the recording.
    fn go_on(&mut self, mut point: Point<E>) {
        while !self.stopped {
            if self.look() {
                return;
            }
            let Some(turn) = self.expand(&mut point) else { return };
            match self.step(point, &turn) {
                Some(next) => point = next,
                None => return,
            }
        }
    }

    /// Takes a step. Returns the next point, if it is as near as the walk's present distance.
    fn step(&mut self, mut point: Point<E>, turn: &past::Turn) -> Option<Point<E>> {
        point.note_look(turn);
        let Point { state, past, .. } = &mut point;
        past.begin(state, turn);
        let step = self.executor.step(state, turn.agent);
        self.settle(point, turn.agent.thread(), step)
    }

    /// Goes one of the ways of a fork.
    fn enter(&mut self, way: Way<E>, mut past: Past) -> Option<Point<E>> {
        if let Some(alternative) = way.alternative() {
            past.decisions.push_back(Decision::Choose(alternative));
        }
        let thread = way.thread();
        let (state, step) = way.enter(self.executor);
        self.settle(Point { state, past, looks: Round::new() }, thread, step)
    }

    /// Follows a step to its end; the ways of a fork are deferred.
    fn settle(&mut self, point: Point<E>, thread: ThreadId, mut step: Step) -> Option<Point<E>> {
        let Point { mut state, mut past, looks } = point;
        let mut run = LongRun::default();
        loop {
            if !self.executor.notes.races.is_empty() {
                let mut decisions = past.decisions();
                // It is a race of the step with a choice, which replays make.
                decisions.extend(matches!(step, Step::Choose(_)).then_some(Decision::Choose(0)));
                let (executor, result) = (&mut *self.executor, &mut self.result);
                self.stopped |= !execution::collect_races(executor, &state, &decisions, result, self.options);
            }
            match step {
                Step::Done if self.stopped => return None,
                Step::Done => return self.arrive(Point { state, past, looks }),
                Step::Paused => {
                    run.pauses += 1;
                    self.discovered.extend(lookahead::scout(self.executor, &state, thread, run.pauses));
                    self.looks.hasten();
                    if self.look() || self.discover(&state) {
                        return None;
                    }
                    if self.executor.never_parks(&mut state, thread, &mut run) {
                        return self.arrive(Point { state, past, looks: Round::new() });
                    }
                    past.decisions.push_back(Decision::Run(Agent::Thread(thread)));
                    step = self.executor.resume(&mut state, thread, false);
                }
                Step::Pruned => {
                    self.result.progress.blocked += 1;
                    self.leave(&state);
                    return None;
                }
                Step::Halted(reason) => {
                    self.result.cut(reason.into());
                    self.stopped = true;
                    return None;
                }
                Step::Cut(incomplete) => {
                    self.result.cut(incomplete);
                    self.leave(&state);
                    return None;
                }
                Step::Fork { .. } | Step::Choose(_) => {
                    self.defer_ways(state, past, thread, step);
                    return None;
                }
            }
        }
    }

    fn defer_ways(&mut self, state: State<E>, mut past: Past, thread: ThreadId, step: Step) {
        if let Step::Fork { ways, .. } = &step {
            let span = self.executor.position(&state, thread);
            let forbidden = self.options.forbids_fork(&self.result.progress, past.forks, span);
            if let Some(cut) = forbidden.filter(|_| self.options.bounds_forks()) {
                self.result.cut(cut);
                return self.leave(&state);
            }
            past.forks += 1;
            self.result.progress.paths += ways.len() as u64 - 1;
        }
        self.executor.counters.forks += 1;
        let ways: Vec<Way<E>> = Way::all(state, thread, step).collect();
        for (number, way) in ways.into_iter().enumerate().rev() {
            let mut past = past.clone();
            past.note_way(thread, number);
            self.frontier.add(self.distance, Entry::Way { way, past: Box::new(past) });
        }
    }

    /// A step was taken to its end: counts what it flipped.
    fn arrive(&mut self, point: Point<E>) -> Option<Point<E>> {
        if point.state.end.is_some() {
            self.finish(&point.state, &point.past);
            return None;
        }
        if self.discover(&point.state) {
            return None;
        }
        let Some(mut point) = self.without_round(point) else {
            self.result.progress.blocked += 1;
            return None;
        };
        point.past.count_flips(&point.state);
        if point.past.flips > self.nearness.flips {
            self.leave(&point.state);
            return None;
        }
        let distance = point.past.distance();
        if distance > self.distance {
            self.frontier.add(distance, Entry::Arrived(Box::new(point)));
            return None;
        }
        Some(point)
    }

    /// Collects the result of an execution.
    fn finish(&mut self, state: &State<E>, past: &Past) {
        if state.threads.iter().any(|thread| !thread.exited) {
            self.unfinished.note(state);
        }
        let decisions = past.decisions();
        let (executor, result) = (&mut *self.executor, &mut self.result);
        match execution::collect(executor, state, &decisions, result, self.observer, self.options) {
            Collected::GoOn => {}
            Collected::Enough | Collected::Halted => self.stopped = true,
        }
        self.discovered.extend(lookahead::scout_after_failure(self.executor, state, &decisions));
        if self.options.max_executions.is_some_and(|most| self.result.progress.executions >= most)
            && !self.frontier.is_empty()
        {
            self.result.cut(IncompleteReason::MaxExecutions.into());
            self.stopped = true;
        }
        self.discover(state);
    }

    /// Gives an execution up.
    fn leave(&mut self, state: &State<E>) {
        self.unfinished.note(state);
        self.discover(state);
    }

    /// Notes what this execution found to be shared, and which threads there are; the search restarts at once
    /// if there is any. Whether there is.
    fn discover(&mut self, state: &State<E>) -> bool {
        self.discovered.extend(state.discovered.iter().copied());
        self.discovered.extend(self.unfinished.shared(state));
        self.has_learned |= self.executor.learn_numbers(state) | self.executor.learned.apply_notes();
        let is_to_restart = !self.discovered.is_empty() || self.has_learned;
        self.stopped |= is_to_restart;
        is_to_restart
    }

    /// Looks at the clock now and then. Whether the search is to end.
    fn look(&mut self) -> bool {
        if !self.looks.is_due(self.executor.counters.instructions) {
            return self.stopped;
        }
        let mut progress = self.result.progress;
        progress.events = self.executor.counters.events;
        progress.instructions = self.executor.counters.instructions;
        progress.open = self.frontier.len() as u64;
        if let Some(reason) = self.observer.progress(&progress) {
            self.result.cut(reason.into());
            self.stopped = true;
        }
        self.stopped
    }
}
