//! Exhaustive exploration of paths in other orders than depth first.
//!
//! As long as there is one thread, nothing but symbolic values and models offers a choice, and the states
//! where paths fork may be gone on from in any order. Partial-order reduction needs depth first order: what
//! follows the step in which a second thread appears is left to [`reduction`](crate::reduction), as
//! a whole.

use crate::execution::{self, Collected};
use crate::path_search::frontier::Frontier;
use crate::reduction::{Root, explore_from};
use crate::{Exploration, ExploreOptions, Observer, PathCase, PathOrder, Progress};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::Term;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_interp::threads::agents::Step;
use symx_trace::{Agent, Decision, IncompleteReason, Nesting, ThreadId};

/// Segments of paths between two looks at the clock.
const SEGMENTS_BETWEEN_LOOKS: u64 = 16;

/// Explores every schedule and input, up to equivalence, within the bounds; paths in the given order.
pub fn explore_paths<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    order: PathOrder,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut executor = Executor::new(machine, solver);
    executor.visible = Some(Arc::default());
    let root = Root { state: machine.initial_state(), resumed: None, decisions: Vec::new(), depth: 0 };
    let frontier = Frontier::new(order, options.seed, &executor, root);
    let mut paths = Paths {
        executor: &mut executor,
        options,
        observer,
        frontier,
        result: Exploration::default(),
        sites: FxHashSet::default(),
    };
    paths.explore();
    let mut result = paths.result;
    execution::account(&executor, &mut result);
    result
}

struct Paths<'p, 'm, E: Environment> {
    executor: &'p mut Executor<'m, E>,
    options: &'p ExploreOptions,
    observer: &'p mut dyn Observer,
    frontier: Frontier<E>,
    result: Exploration,
    /// What threads were found to share.
    sites: FxHashSet<Site>,
}

/// Whether exploration goes on.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Stop,
}

impl<E: Environment> Paths<'_, '_, E> {
    fn explore(&mut self) {
        let mut segments = 0_u64;
        while let Some(root) = self.frontier.take(self.executor) {
            segments += 1;
            if segments.is_multiple_of(SEGMENTS_BETWEEN_LOOKS) && self.look() == Go::Stop {
                return;
            }
            if self.follow(root) == Go::Stop {
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

    /// Goes on from a state up to the next fork, the end, or a second thread.
    fn follow(&mut self, mut at: Root<E>) -> Go {
        let mut pauses = 0_u32;
        loop {
            if at.state.end.is_some() {
                return self.finish(&at);
            }
            // The reduction has to see the whole step in which a second thread appears.
            let (resumed, decided, before);
            let (thread, step) = match at.resumed.take() {
                Some((thread, granted)) => {
                    (resumed, decided) = (Some((thread, granted)), at.decisions.len());
                    before = at.state.clone();
                    (thread, self.executor.resume(&mut at.state, thread, granted))
                }
                None => {
                    let enabled = self.executor.enabled(&at.state);
                    let &[Agent::Thread(thread)] = enabled.as_slice() else {
                        if enabled.is_empty() {
                            self.executor.stuck(&mut at.state);
                            continue;
                        }
                        return self.leave_to_reduction(&at);
                    };
                    (resumed, decided) = (None, at.decisions.len());
                    before = at.state.clone();
                    at.decisions.push(Decision::Run(Agent::Thread(thread)));
                    (thread, self.executor.step(&mut at.state, Agent::Thread(thread)))
                }
            };
            if at.state.threads.len() > 1 {
                at.decisions.truncate(decided);
                let root = Root { state: before, resumed, decisions: at.decisions, depth: at.depth };
                return self.leave_to_reduction(&root);
            }
            match step {
                Step::Done => {}
                Step::Paused => {
                    if self.look() == Go::Stop {
                        return Go::Stop;
                    }
                    pauses += 1;
                    if pauses.is_power_of_two() && self.executor.never_parks(&mut at.state, thread) {
                        continue;
                    }
                    at.decisions.push(Decision::Run(Agent::Thread(thread)));
                    at.resumed = Some((thread, false));
                }
                Step::Pruned => {
                    self.result.progress.blocked += 1;
                    return Go::On;
                }
                Step::Halted(reason) => {
                    self.result.cut(reason.into());
                    return Go::Stop;
                }
                Step::Cut(incomplete) => {
                    self.result.cut(incomplete);
                    return Go::On;
                }
                Step::Fork { ways, granted } => return self.fork(&at, thread, granted, &ways),
                Step::Choose(count) => {
                    for choice in 0..count {
                        let mut way = at.clone();
                        way.state.alternative = Some(choice);
                        way.decisions.push(Decision::Choose(choice));
                        way.resumed = Some((thread, true));
                        self.frontier.add(way);
                    }
                    return Go::On;
                }
            }
        }
    }

    fn fork(&mut self, at: &Root<E>, thread: ThreadId, granted: bool, ways: &[Term]) -> Go {
        let span = self.executor.position(&at.state, thread);
        if let Some(cut) = self.options.forbids_fork(&self.result.progress, at.depth, span) {
            let go = if cut.reason.ends_exploration() { Go::Stop } else { Go::On };
            self.result.cut(cut);
            return go;
        }
        self.result.progress.paths += ways.len() as u64 - 1;
        for constraint in ways {
            self.executor.counters.forks += 1;
            let mut way = at.clone();
            way.state.path.add(&self.executor.machine.terms, *constraint);
            way.resumed = Some((thread, granted));
            way.depth += 1;
            self.frontier.add(way);
        }
        Go::On
    }

    fn finish(&mut self, at: &Root<E>) -> Go {
        let (executor, result) = (&mut *self.executor, &mut self.result);
        match execution::collect(executor, &at.state, &at.decisions, result, self.observer, self.options) {
            Collected::GoOn => Go::On,
            Collected::Enough | Collected::Halted => Go::Stop,
        }
    }

    /// Explores everything that follows `root` depth first.
    fn leave_to_reduction(&mut self, root: &Root<E>) -> Go {
        let done = self.result.progress;
        let options = ExploreOptions {
            max_executions: self
                .options
                .max_executions
                .map(|most| most.saturating_sub(done.executions).max(1)),
            max_forks: self.options.max_forks.map(|most| most.saturating_sub(done.paths)),
            resume: None,
            ..self.options.clone()
        };
        let mut observer = Part { observer: self.observer, done };
        let part = explore_from(self.executor, &mut self.sites, root, &options, &mut observer, None);
        let stop = part.incomplete.iter().any(|cut| cut.reason.ends_exploration())
            || self.options.end_with(&part.failures);
        self.result.absorb(part);
        if stop { Go::Stop } else { Go::On }
    }

    fn look(&mut self) -> Go {
        let progress = Progress {
            events: self.executor.counters.events,
            instructions: self.executor.counters.instructions,
            open: self.frontier.len() as u64,
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

impl<E: Environment> Clone for Root<E> {
    fn clone(&self) -> Self {
        let state: State<E> = self.state.clone();
        Self { state, resumed: self.resumed, decisions: self.decisions.clone(), depth: self.depth }
    }
}

/// Shows the whole's progress while a part is explored.
struct Part<'o> {
    observer: &'o mut dyn Observer,
    /// What was done before.
    done: Progress,
}

impl Observer for Part<'_> {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        let mut whole = self.done;
        whole.add(progress);
        self.observer.progress(&Progress {
            instructions: progress.instructions,
            events: progress.events,
            open: progress.open,
            ..whole
        })
    }

    fn ended_well(&mut self) {
        self.observer.ended_well();
    }

    fn nesting(&mut self, nesting: Nesting) {
        self.observer.nesting(nesting);
    }

    fn wants_paths(&self) -> bool {
        self.observer.wants_paths()
    }

    fn path(&mut self, case: PathCase) {
        self.observer.path(case);
    }
}
