//! Exhaustive exploration of paths in other orders than depth first.
//!
//! As long as there is one thread, nothing but symbolic values and models offers a choice. The states where
//! paths fork may be explored in any order. Partial-order reduction needs depth first order: the subtree
//! after the step in which a second thread appears is left to [`reduction`](crate::reduction), as a whole.

use crate::bounds::observer::Between;
use crate::bounds::poll_interval::Looks;
use crate::execution::{self, Collected};
use crate::path_search::frontier::Frontier;
use crate::path_search::open_path::{Fork, ForkPlace, Left, OpenPath, PathsAgain, left_on};
use crate::reduction::explore_from;
use crate::refinement::root::Root;
use crate::saved::{Saved, SavedWalk};
use crate::{Exploration, ExploreOptions, Observer, PathCase, PathOrder, Progress};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::Term;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::progress::livelock::LongRun;
use symx_interp::state::State;
use symx_interp::stop::Step;
use symx_trace::{Agent, Decision, IncompleteReason, ThreadId};

/// Explores every schedule and input, up to equivalence, within the bounds; paths in the given order.
pub fn explore_paths<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    order: PathOrder,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut executor = options.executor(machine, solver);
    let mut sites = FxHashSet::default();
    let mut again = PathsAgain::default();
    let mut left = Left::All;
    let mut begun_anew = true;
    if let Some(saved) = &options.resume {
        sites.extend(saved.sites());
        executor.learned.add(saved.learned());
        if let SavedWalk::Paths(paths) = saved.walk() {
            again = PathsAgain::new(paths);
            (left, begun_anew) = (again.all().unwrap_or(Left::All), false);
        }
    }
    let mut earlier = Vec::new();
    loop {
        executor.visible = Some(Arc::default());
        let root = Root { state: machine.initial_state(), resumed: None, decisions: Vec::new(), depth: 0 };
        let path = OpenPath { root, ways: Vec::new(), left, fork: None };
        let mut paths = Paths {
            frontier: Frontier::new(order, options.seed, &executor, path),
            executor: &mut executor,
            options,
            again: &again,
            interrupted: None,
            may_be_saved: true,
            leads_elsewhere: false,
            looks: Looks::every(observer.steps_between()),
            observer: &mut *observer,
            result: Exploration { failures: earlier, begun_anew, ..Exploration::default() },
            sites: &mut sites,
            covered: 0,
        };
        paths.explore();
        if paths.leads_elsewhere {
            earlier = paths.result.failures;
            (again, left, begun_anew) = (PathsAgain::default(), Left::All, true);
            continue;
        }
        paths.report_open();
        let saved = paths.saved();
        let mut result = paths.result;
        result.saved = saved.map(|walk| Arc::new(Saved::new(&sites, &executor.learned, walk)));
        execution::account(&executor, &mut result);
        return result;
    }
}

struct Paths<'p, 'm, E: Environment> {
    executor: &'p mut Executor<'m, E>,
    options: &'p ExploreOptions,
    observer: &'p mut dyn Observer,
    looks: Looks,
    frontier: Frontier<E>,
    /// The paths that an earlier process has left open.
    again: &'p PathsAgain,
    /// The path that was under way when the exploration was ended.
    interrupted: Option<OpenPath<E>>,
    /// Whether another process could continue.
    may_be_saved: bool,
    /// Whether ways of an earlier process do not fit the program, or what has been learned since.
    leads_elsewhere: bool,
    result: Exploration,
    /// Sites that threads were found to share.
    sites: &'p mut FxHashSet<Site>,
    /// How much was covered when inputs were last reported.
    covered: u64,
}

/// Whether exploration continues.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Stop,
}

impl<E: Environment> Paths<'_, '_, E> {
    fn explore(&mut self) {
        while let Some(path) = self.frontier.take(self.executor) {
            if self.follow(path) == Go::Stop {
                return;
            }
            if self.options.max_executions.is_some_and(|most| self.result.progress.executions >= most)
                && self.frontier.len() > 0
            {
                self.cut(IncompleteReason::MaxExecutions);
                return;
            }
        }
    }

    /// The rest, if the exploration was ended from outside and another process can continue.
    fn saved(&self) -> Option<SavedWalk> {
        if !self.result.incomplete.iter().any(|cut| cut.reason.ends_exploration()) || !self.may_be_saved {
            return None;
        }
        let restarts = |path: &OpenPath<E>| match &path.left {
            Left::Rest(rest) => matches!(rest.walk(), SavedWalk::Beginning),
            Left::All | Left::Saved(_) => false,
        };
        // A part that restarts has counted what it counts again.
        if self.frontier.open().chain(&self.interrupted).any(restarts) {
            return Some(SavedWalk::Beginning);
        }
        let open = self.frontier.open().chain(&self.interrupted);
        Some(SavedWalk::Paths(left_on(open, self.again)))
    }

    /// Ends the exploration in the middle of a path: it is still to be explored.
    fn interrupt(&mut self, path: OpenPath<E>) -> Go {
        self.interrupted = Some(path);
        Go::Stop
    }

    /// Ends the exploration, which restarts: the ways of an earlier process do not fit.
    fn lead_elsewhere(&mut self) -> Go {
        self.leads_elsewhere = true;
        Go::Stop
    }

    /// Continues from a state up to the next fork, the end, or a second thread.
    fn follow(&mut self, mut path: OpenPath<E>) -> Go {
        let mut run = LongRun::default();
        let mut has_gone_on = false;
        loop {
            if self.looks.is_due(self.executor.counters.instructions) {
                self.report_new_code(&path.root.state);
                if self.look(&path) == Go::Stop {
                    return self.interrupt(path);
                }
                // A path that goes on for long, or without end, lets others have their turn. It takes a step
                // in each turn of its own, however often progress is looked at.
                if has_gone_on && self.frontier.len() > 0 {
                    self.frontier.set_aside(path);
                    return Go::On;
                }
            }
            has_gone_on = true;
            let at = &mut path.root;
            if at.state.end.is_some() {
                return self.finish(path);
            }
            // The reduction has to see the whole step in which a second thread appears.
            let (resumed, decided) = (at.resumed.take(), at.decisions.len());
            let thread = match resumed {
                Some((thread, _)) => thread,
                None => match self.executor.enabled(&at.state).as_slice() {
                    &[Agent::Thread(thread)] => thread,
                    [] => {
                        self.executor.stuck(&mut at.state);
                        continue;
                    }
                    _ => return self.leave_to_reduction(path),
                },
            };
            let before = at.state.clone();
            let step = self.step(at, thread, resumed.map(|(_, granted)| granted));
            if at.state.threads.len() > 1 {
                at.decisions.truncate(decided);
                (at.state, at.resumed) = (before, resumed);
                return self.leave_to_reduction(path);
            }
            match step {
                Step::Done => {}
                Step::Paused => {
                    self.looks.hasten();
                    run.pauses += 1;
                    if self.executor.never_parks(&mut at.state, thread, &mut run) {
                        continue;
                    }
                    at.decisions.push(Decision::Run(Agent::Thread(thread)));
                    at.resumed = Some((thread, false));
                }
                Step::Pruned | Step::Cut(_) if path.is_led() => return self.lead_elsewhere(),
                Step::Pruned => {
                    self.executor.note_departure(&path.root.state, thread);
                    self.result.progress.blocked += 1;
                    return Go::On;
                }
                Step::Halted(reason) => {
                    self.result.cut(reason.into());
                    return self.interrupt(path);
                }
                Step::Cut(incomplete) => {
                    self.result.cut(incomplete);
                    return Go::On;
                }
                Step::Fork { ways, granted } => return self.fork(path, thread, granted, &ways),
                Step::Choose(count) => {
                    return self.branch(&path, count, |_, way, number| {
                        way.state.alternative = Some(number);
                        way.decisions.push(Decision::Choose(number));
                        way.resumed = Some((thread, true));
                    });
                }
            }
        }
    }

    /// Takes a thread's next step, or what is left of the one in which it was interrupted.
    fn step(&mut self, at: &mut Root<E>, thread: ThreadId, resumed: Option<bool>) -> Step {
        match resumed {
            Some(granted) => self.executor.resume(&mut at.state, thread, granted),
            None => {
                at.decisions.push(Decision::Run(Agent::Thread(thread)));
                self.executor.step(&mut at.state, Agent::Thread(thread))
            }
        }
    }

    /// Reports the inputs of a path under way that has executed what none has before: it may take long to its
    /// end, or never come there.
    fn report_new_code(&mut self, state: &State<E>) {
        let covered = self.executor.notes.coverage.as_ref().map_or(0, |coverage| coverage.count());
        if covered == self.covered || !self.observer.wants_paths() {
            return;
        }
        self.covered = covered;
        // A path whose inputs are not known now is reported at its end, or named where it is cut.
        report_under_way(self.executor, self.observer, state);
    }

    /// Reports the inputs of paths that are left open, as far as they are known without further search.
    fn report_open(&mut self) {
        if !self.observer.wants_paths() {
            return;
        }
        let open = self.frontier.open_by_promise(self.executor);
        for path in self.interrupted.iter().chain(open).filter(|path| !path.is_led()) {
            if !self.observer.wants_open_path() {
                return;
            }
            report_under_way(self.executor, self.observer, &path.root.state);
        }
    }

    /// Continues from a fork on symbolic values.
    fn fork(&mut self, path: OpenPath<E>, thread: ThreadId, granted: bool, ways: &[Term]) -> Go {
        self.report_new_code(&path.root.state);
        if !path.is_led() {
            let span = self.executor.position(&path.root.state, thread);
            if let Some(cut) = self.options.forbids_fork(&self.result.progress, path.root.depth, span) {
                let ends = cut.reason.ends_exploration();
                self.result.cut(cut);
                return if ends { self.interrupt(path) } else { Go::On };
            }
            self.result.progress.paths += ways.len() as u64 - 1;
            self.executor.counters.forks += ways.len() as u64;
        }
        self.branch(&path, ways.len() as u32, |executor, way, number| {
            way.state.path.add(&executor.machine.terms, ways[number as usize]);
            way.resumed = Some((thread, granted));
            way.depth += 1;
        })
    }

    /// Opens the ways that go on from a path, each as `enter` makes it.
    fn branch(
        &mut self,
        path: &OpenPath<E>,
        count: u32,
        enter: impl Fn(&mut Executor<'_, E>, &mut Root<E>, u32),
    ) -> Go {
        let depth = path.ways.len();
        let fits = match &path.left {
            Left::All => true,
            Left::Rest(_) => false,
            Left::Saved(range) => self.again.fit(range, depth, count),
        };
        if !fits {
            return self.lead_elsewhere();
        }
        let place = ForkPlace::of(&path.root.state);
        for number in 0..count {
            let left = match &path.left {
                Left::Saved(range) => self.again.below(range, depth, number),
                Left::All | Left::Rest(_) => Some(Left::All),
            };
            let Some(left) = left else { continue };
            let mut root = path.root.clone();
            enter(self.executor, &mut root, number);
            let ways = path.ways.iter().copied().chain([number]).collect();
            let fork = place.map(|place| Fork { place, way: number });
            self.frontier.add(OpenPath { root, ways, left, fork });
        }
        Go::On
    }

    fn finish(&mut self, path: OpenPath<E>) -> Go {
        if path.is_led() {
            return self.lead_elsewhere();
        }
        let (executor, result) = (&mut *self.executor, &mut self.result);
        let Root { state, decisions, .. } = &path.root;
        match execution::collect(executor, state, decisions, result, self.observer, self.options) {
            Collected::GoOn => Go::On,
            Collected::Enough => Go::Stop,
            Collected::Halted => self.interrupt(path),
        }
    }

    /// Explores everything that follows a path depth first.
    fn leave_to_reduction(&mut self, path: OpenPath<E>) -> Go {
        let resume = match &path.left {
            Left::All => None,
            Left::Rest(rest) => Some(Arc::clone(rest)),
            Left::Saved(_) => return self.lead_elsewhere(),
        };
        let is_resumed = resume.is_some();
        let done = self.result.progress;
        let options = ExploreOptions {
            max_executions: self
                .options
                .max_executions
                .map(|most| most.saturating_sub(done.executions).max(1)),
            max_forks: self.options.max_forks.map(|most| most.saturating_sub(done.paths)),
            resume,
            ..self.options.clone()
        };
        let whole = |part: &Progress| {
            let mut whole = done;
            whole.add(part);
            Progress { instructions: part.instructions, events: part.events, open: part.open, ..whole }
        };
        let progress = |observer: &mut dyn Observer, part: &Progress| observer.progress(&whole(part));
        let mut observer = Between { observer: self.observer, progress };
        let part = explore_from(self.executor, self.sites, &path.root, &options, &mut observer, None);
        if is_resumed && part.begun_anew {
            // An earlier process's counts of the part are not known apart from the whole.
            self.result.absorb(part);
            return self.lead_elsewhere();
        }
        let is_ended = part.incomplete.iter().any(|cut| cut.reason.ends_exploration());
        let stop = is_ended || self.options.end_with(&part.failures);
        let rest = part.saved.clone();
        self.result.absorb(part);
        self.executor.visible = Some(Arc::default());
        match rest {
            Some(rest) => return self.interrupt(OpenPath { left: Left::Rest(rest), ..path }),
            None => self.may_be_saved &= !is_ended,
        }
        if stop { Go::Stop } else { Go::On }
    }

    fn look(&mut self, path: &OpenPath<E>) -> Go {
        let progress = Progress {
            events: self.executor.counters.events,
            instructions: self.executor.counters.instructions,
            open: self.frontier.len() as u64,
            repeats: path.is_led(),
            ..self.result.progress
        };
        match self.observer.progress(&progress) {
            None => Go::On,
            Some(reason) => {
                self.cut(reason);
                Go::Stop
            }
        }
    }

    fn cut(&mut self, reason: IncompleteReason) {
        self.result.cut(reason.into());
    }
}

/// Reports the inputs of a path that has not ended, if they are known.
fn report_under_way<E: Environment>(
    executor: &mut Executor<'_, E>,
    observer: &mut dyn Observer,
    state: &State<E>,
) {
    if let Ok(inputs) = execution::inputs(executor, state) {
        observer.path(PathCase { inputs, exit_status: None, failure: None });
    }
}

impl<E: Environment> OpenPath<E> {
    /// Whether it only leads to paths that an earlier process has left open.
    fn is_led(&self) -> bool {
        matches!(self.left, Left::Saved(_))
    }
}

impl<E: Environment> Clone for Root<E> {
    fn clone(&self) -> Self {
        let state: State<E> = self.state.clone();
        Self { state, resumed: self.resumed, decisions: self.decisions.clone(), depth: self.depth }
    }
}
