//! Exploration of the graph of states: what follows a state is explored once, however it was reached.
//!
//! Threads that try again until they succeed, and whose tries others see, have no longest execution:
//! `std::lock` of two locks, for one. The walks by executions do not come to an end there. The states are
//! few, so where an exploration takes long and threads come round ([`rounds`]), they are tried. No reduction
//! is needed: each state is entered once, with all steps that it allows.
//!
//! The result counts only if every state has a way to an end, or is in a livelock ([`endless`]). Whether
//! threads that go round forever otherwise are in one, is for the other walks to say.

pub(crate) mod endless;
mod patience;
pub(crate) mod rounds;
mod spins;
mod visited;

pub(crate) use patience::{Most, Patience, most_states};

use crate::bounds::poll_interval::Looks;
use crate::driver::{self, Decider, Obstacle, Reached};
use crate::execution::{self, Collected};
use crate::refinement::root::Root;
use crate::refinement::truncated::Unfinished;
use crate::{Exploration, ExploreOptions, Found, Observer};
use endless::Changing;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::progress::livelock::LongRun;
use symx_interp::shared::Numbered;
use symx_interp::state::State;
use symx_trace::{Agent, Decision, IncompleteReason, ThreadId};
use visited::{Number, Visited};

/// How often one step may pause: threads that compute for long between their steps are left to other walks.
const MOST_PAUSES: u64 = 64;

/// Explores all states that follow a root, if no more than `most` is needed and each has a way to an end or
/// to a livelock. `sites` are those known to be visible; more are added. `failures` were found before; the
/// error has those known by now.
pub(crate) fn explore_states<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    (mut failures, most): (Vec<Found>, Most),
) -> Result<Exploration, Vec<Found>> {
    if root.resumed.is_some() || !is_covered(executor, options) {
        return Err(failures);
    }
    let stops_at_fences = std::mem::replace(&mut executor.stops_at_fences, false);
    let until = executor.counters.instructions.saturating_add(most.instructions);
    let mut left = most.states;
    let mut endless = Vec::new();
    let result = loop {
        executor.visible = Some(Arc::new(sites.clone()));
        let mut walk = Walk::new(executor, options, observer, &root.state, (left, until));
        walk.result.failures = failures;
        walk.endless.clone_from(&endless);
        match walk.run(root) {
            Halt::Finished => match walk.visited.without_way_out() {
                None => break Ok(walk.result),
                // Which decisions lead there is known when the walk comes there again.
                Some(number) => endless.push(number),
            },
            Halt::Stopped => break Ok(walk.result),
            Halt::Learned => {
                // Those that a walk entered in vain count, too.
                left = left.saturating_sub(walk.visited.len());
                sites.extend(walk.discovered);
                endless.clear();
            }
            Halt::Beyond => break Err(walk.result.failures),
        }
        failures = walk.result.failures;
    };
    executor.stops_at_fences = stops_at_fences;
    result
}

/// Whether a state says all that matters of what comes after it, and each end is reported alike.
pub(crate) fn is_covered<E: Environment>(executor: &Executor<'_, E>, options: &ExploreOptions) -> bool {
    let machine = &executor.machine;
    options.bound.is_none()
        && !options.bounds_forks()
        && !options.keep_endings
        && !machine.options.races
        && machine.options.guide.is_none()
        && machine.options.remedies.is_none()
        && !machine.model.keeps_history()
}

/// Why a walk ends.
enum Halt {
    /// All states were entered.
    Finished,
    /// It is ended from outside, or has found what it looked for.
    Stopped,
    /// It restarts with what it has learned.
    Learned,
    /// There are too many states, or a step that it does not cover.
    Beyond,
}

struct Walk<'w, 'm, E: Environment> {
    executor: &'w mut Executor<'m, E>,
    options: &'w ExploreOptions,
    observer: &'w mut dyn Observer,
    result: Exploration,
    visited: Visited<E>,
    path: Vec<Entered<E>>,
    decisions: Vec<Decision>,
    discovered: FxHashSet<Site>,
    /// What threads have touched on all paths.
    touched: Unfinished,
    /// Those of the path that was noted last: the next one's mostly share them.
    noted: Numbered<Option<ThreadId>>,
    looks: Looks,
    /// How many states may be entered, and the count of instructions at which none is entered any more.
    most: usize,
    until: u64,
    /// States from which no way leads to an end.
    endless: Vec<Number>,
    /// What threads do, if that is all that is asked. Then an end ends the walk, too.
    changing: Option<Changing>,
}

/// A state on the present path.
struct Entered<E: Environment> {
    state: State<E>,
    number: Number,
    /// The agents that can take the next step, and which of them does.
    enabled: SmallVec<[Agent; 8]>,
    next: usize,
    /// The alternatives that its step takes.
    choices: Choices,
    /// The decisions on the way here.
    decisions: usize,
}

/// The alternatives taken in one step, in order, each with how many there are.
#[derive(Clone, Default)]
struct Choices(SmallVec<[(u32, u32); 2]>);

impl Choices {
    /// Goes on to the next combination. Whether there is one.
    fn advance(&mut self) -> bool {
        while let Some((chosen, count)) = self.0.pop() {
            if chosen + 1 < count {
                self.0.push((chosen + 1, count));
                return true;
            }
        }
        false
    }
}

/// Takes given alternatives, then the first ones, and notes the decisions.
struct Chooses<'c> {
    choices: &'c mut Choices,
    at: usize,
    decisions: &'c mut Vec<Decision>,
}

impl<E: Environment> Decider<E> for Chooses<'_> {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        if self.at == self.choices.0.len() {
            self.choices.0.push((0, count));
        }
        let (chosen, _) = self.choices.0[self.at];
        self.at += 1;
        self.decisions.push(Decision::Choose(chosen));
        Some(chosen)
    }
}

impl<'w, 'm, E: Environment> Walk<'w, 'm, E> {
    fn new(
        executor: &'w mut Executor<'m, E>,
        options: &'w ExploreOptions,
        observer: &'w mut dyn Observer,
        beginning: &State<E>,
        (most, until): (usize, u64),
    ) -> Self {
        let looks = Looks::every(observer.steps_between());
        Self {
            executor,
            options,
            observer,
            result: Exploration::default(),
            visited: Visited::new(beginning),
            path: Vec::new(),
            decisions: Vec::new(),
            discovered: FxHashSet::default(),
            touched: Unfinished::default(),
            noted: Numbered::default(),
            looks,
            most,
            until,
            endless: Vec::new(),
            changing: None,
        }
    }

    fn run(&mut self, root: &Root<E>) -> Halt {
        self.decisions.clone_from(&root.decisions);
        match self.enter(root.state.clone(), None) {
            Ok(()) => {}
            Err(halt) => return halt,
        }
        while let Some(top) = self.path.last() {
            if top.next == top.enabled.len() {
                self.path.pop();
            } else if let Err(halt) = self.take_next() {
                return halt;
            }
        }
        Halt::Finished
    }

    /// Takes the next step from the last state on the path.
    fn take_next(&mut self) -> Result<(), Halt> {
        self.look()?;
        let Some(top) = self.path.last_mut() else { return Ok(()) };
        let (before, from, agent) = (top.state.clone(), top.number, top.enabled[top.next]);
        let mut state = before.clone();
        self.decisions.truncate(top.decisions);
        let mut choices = std::mem::take(&mut top.choices);
        let mut chooses = Chooses { choices: &mut choices, at: 0, decisions: &mut self.decisions };
        let mut run = LongRun::default();
        let taken = loop {
            chooses.decisions.push(Decision::Run(agent));
            match driver::whole_step(self.executor, &mut state, agent, &mut chooses) {
                Ok(Reached::Pause) if run.pauses == MOST_PAUSES => return Err(Halt::Beyond),
                Ok(Reached::Pause) => {
                    run.pauses += 1;
                    if self.executor.never_parks(&mut state, agent.thread(), &mut run) {
                        break Ok(());
                    }
                }
                Ok(Reached::NextStep) => break Ok(()),
                Err(obstacle) => break Err(obstacle),
            }
        };
        if !choices.advance() {
            top.next += 1;
        }
        top.choices = choices;
        match taken {
            Ok(()) => {
                self.note_change(&before, &state, agent);
                self.finish_spin(&before, &mut state, agent)?;
                self.enter(state, Some(from))
            }
            Err(Obstacle::Pruned) => {
                self.result.progress.blocked += 1;
                self.visited.mark_end(from);
                self.learn(&state)
            }
            Err(Obstacle::Halted(reason)) => {
                self.result.cut(reason.into());
                Err(Halt::Stopped)
            }
            Err(Obstacle::Cut(_) | Obstacle::NoAlternative(_) | Obstacle::NoWay) => Err(Halt::Beyond),
        }
    }

    /// Enters a state that a step has led to, unless one that leads on alike was entered before.
    fn enter(&mut self, mut state: State<E>, from: Option<Number>) -> Result<(), Halt> {
        self.learn(&state)?;
        let enabled = match state.end {
            Some(_) => SmallVec::new(),
            None => self.executor.enabled(&state),
        };
        if enabled.is_empty() {
            if state.end.is_none() {
                if self.executor.parked_too_early(&state) {
                    return Err(Halt::Beyond);
                }
                self.executor.stuck(&mut state);
            }
            from.into_iter().for_each(|from| self.visited.mark_end(from));
            return self.finish(&state);
        }
        if !state.is_without_inputs() || state.has_forked() || state.order.is_some() {
            return Err(Halt::Beyond);
        }
        let (number, is_new) = self.visited.enter(self.executor.machine, &state, from);
        if !is_new {
            if self.changing.is_none() {
                execution::report_nestings(self.executor, &state, self.observer);
            }
            // What was touched on the way here counts for what was explored from there.
            return self.note_touches(&state);
        }
        if self.visited.len() > self.most || self.executor.counters.instructions > self.until {
            return Err(Halt::Beyond);
        }
        if self.endless.contains(&number) {
            let mut ended = state.clone();
            if !endless::find_livelock(self.executor, &mut ended, &[]) {
                return Err(Halt::Beyond);
            }
            self.visited.mark_end(number);
            self.finish(&ended)?;
        }
        self.executor.counters.forks += 1;
        self.result.progress.states += 1;
        let decisions = self.decisions.len();
        let choices = Choices::default();
        self.path.push(Entered { state, number, enabled, next: 0, choices, decisions });
        Ok(())
    }

    /// Notes which threads have touched what on the present path. It goes on as others do, so that memory is
    /// shared if threads touch it on any two paths.
    fn note_touches(&mut self, state: &State<E>) -> Result<(), Halt> {
        if self.noted.ptr_eq(&state.touched) {
            return Ok(());
        }
        self.noted.clone_from(&state.touched);
        self.discovered.extend(self.touched.shared(state));
        self.touched.note(state);
        if self.discovered.is_empty() { Ok(()) } else { Err(Halt::Learned) }
    }

    /// Collects the result of an execution.
    fn finish(&mut self, state: &State<E>) -> Result<(), Halt> {
        if self.changing.is_some() {
            return Err(Halt::Beyond);
        }
        self.note_touches(state)?;
        let (executor, result) = (&mut *self.executor, &mut self.result);
        match execution::collect(executor, state, &self.decisions, result, self.observer, self.options) {
            Collected::GoOn if self.has_enough() => {
                self.result.cut(IncompleteReason::MaxExecutions.into());
                Err(Halt::Stopped)
            }
            Collected::GoOn => Ok(()),
            Collected::Enough | Collected::Halted => Err(Halt::Stopped),
        }
    }

    /// Whether as many executions have ended as there may, and there is something left.
    fn has_enough(&self) -> bool {
        let most = self.options.max_executions.is_some_and(|most| self.result.progress.executions >= most);
        most && self.path.iter().any(|entered| entered.next < entered.enabled.len())
    }

    /// Restarts as soon as more memory is found to be shared, or threads to be without a number.
    fn learn(&mut self, state: &State<E>) -> Result<(), Halt> {
        self.discovered.extend(state.discovered.iter().copied());
        let has_more = self.changing.is_none()
            && (self.executor.learn_numbers(state) | self.executor.learned.apply_notes());
        if self.discovered.is_empty() && !has_more { Ok(()) } else { Err(Halt::Learned) }
    }

    fn look(&mut self) -> Result<(), Halt> {
        if !self.looks.is_due(self.executor.counters.instructions) {
            return Ok(());
        }
        let mut progress = self.result.progress;
        progress.events = self.executor.counters.events;
        progress.instructions = self.executor.counters.instructions;
        progress.open = self.path.len() as u64;
        match self.observer.progress(&progress) {
            None => Ok(()),
            Some(reason) => {
                self.result.cut(reason.into());
                Err(Halt::Stopped)
            }
        }
    }
}
