//! One execution, to go about in: forwards and backwards, by steps and by the instructions within them.
//!
//! A state is plain data, so that going back is to take a state from before and to execute from there. States
//! are kept at intervals along the whole execution, and one by one around the place that was looked at last.
//! A step leads to the state that the [replay](crate::replay) came to. To look into a step, its thread
//! executes it again and [stops](Pattern) on the way.

mod cursor;
mod states;

pub use cursor::{Cursor, Hit, Look, Place};

use crate::ExploreOptions;
use crate::driver::{self, Decider};
use crate::replays::schedule::{FixedSchedule, Replayed, ScheduleCursor, Watch, replay_watched};
use states::States;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::paths::halts::{Arrival, Grain, Halts, Pattern};
use symx_interp::state::State;
use symx_interp::stop::Step;
use symx_trace::{Agent, Decision, ThreadId};

/// A place in an execution: before a step, or between two instructions of its thread within it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// How many steps have been taken.
    pub step: usize,
    /// 0 before the step; else one more than the instructions that its thread has executed in it.
    pub within: u64,
}

impl Position {
    /// Before a step.
    pub fn before(step: usize) -> Self {
        Self { step, within: 0 }
    }
}

/// Sees a state in the middle of a step, and says whether this is the place.
type Visit<'v, 'm, E> = dyn FnMut(&Executor<'m, E>, &State<E>, &Arrival) -> bool + 'v;

/// Why a position in an execution cannot be gone to.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimelineError {
    /// The schedule does not lead anywhere.
    #[error("the execution diverges from the schedule: {0}")]
    Diverged(String),
    /// There is no such place.
    #[error("the execution has no such place")]
    NoPlace,
}

/// An execution under given decisions.
pub struct Timeline<'m, E: Environment> {
    executor: Executor<'m, E>,
    decisions: Vec<Decision>,
    /// By step, its decision.
    steps: Vec<usize>,
    states: States<E>,
    replayed: Replayed,
}

/// Keeps states while a schedule is replayed.
struct Keeper<E: Environment> {
    states: States<E>,
    taken: usize,
}

impl<E: Environment> Watch<E> for Keeper<E> {
    fn begin(&mut self, executor: &mut Executor<'_, E>) {
        executor.notes.halts = Some(Box::new(Halts::nowhere()));
    }

    fn before(
        &mut self,
        _: &Executor<'_, E>,
        state: &State<E>,
        _: Agent,
        _: Option<&symx_trace::Event>,
        _: u32,
    ) {
        self.states.pass(self.taken, state);
        self.taken += 1;
    }
}

impl<'m, E: Environment> Timeline<'m, E> {
    /// Runs the program under a schedule's decisions, as [`replay`](crate::replay) does, and keeps what it
    /// takes to go about in the execution. `solvers` makes a solver for the replay, and one for what is
    /// executed again.
    pub fn of(
        machine: &'m Machine<E>,
        solvers: impl Fn() -> Box<dyn Solver + 'm>,
        schedule: FixedSchedule<'_>,
        options: &ExploreOptions,
    ) -> Result<Self, TimelineError> {
        let FixedSchedule { visible, decisions, .. } = schedule;
        let mut keeper = Keeper { states: States::new(machine.initial_state()), taken: 0 };
        let replayed = replay_watched(machine, solvers(), schedule, options, &mut keeper);
        if let Some(why) = replayed.divergence {
            return Err(TimelineError::Diverged(why));
        }
        let mut executor = Executor::new(machine, solvers());
        executor.visible = visible.map(|sites| Arc::new(sites.iter().copied().collect()));
        let runs = decisions.iter().enumerate();
        let runs = runs.filter(|(_, decision)| matches!(decision, Decision::Run(_)));
        let steps = runs.map(|(index, _)| index).take(keeper.taken).collect();
        Ok(Self { executor, decisions: decisions.to_vec(), steps, states: keeper.states, replayed })
    }

    /// The results of the replay.
    pub fn replayed(&self) -> &Replayed {
        &self.replayed
    }

    /// The executor.
    pub fn executor(&self) -> &Executor<'m, E> {
        &self.executor
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The place after its last step.
    pub fn end(&self) -> Position {
        Position::before(self.steps())
    }

    /// The agent that takes a step.
    pub fn agent(&self, step: usize) -> Option<Agent> {
        match self.decisions[*self.steps.get(step)?] {
            Decision::Run(agent) => Some(agent),
            Decision::Choose(_) => None,
        }
    }

    /// The state before a step; after the last one, that in which the execution ends.
    pub fn before(&mut self, step: usize) -> Result<State<E>, TimelineError> {
        if step > self.steps() {
            return Err(TimelineError::NoPlace);
        }
        if let Some(known) = self.states.known(step) {
            return Ok(known.clone());
        }
        let (mut at, mut state) = self.states.nearest(step);
        let until = self.states.next_kept(at).min(self.steps());
        let mut window = vec![state.clone()];
        while at < until {
            self.take(at, &mut state)?;
            at += 1;
            window.push(state.clone());
        }
        if at == self.steps()
            && let Some(last) = window.last_mut()
        {
            last.end.clone_from(&self.replayed.end);
        }
        self.states.look_at(window);
        self.states.known(step).cloned().ok_or(TimelineError::NoPlace)
    }

    /// The state at a place.
    pub fn state(&mut self, position: Position) -> Result<State<E>, TimelineError> {
        let before = self.before(position.step)?;
        let Some(executed) = position.within.checked_sub(1) else { return Ok(before) };
        let thread = self.agent(position.step).ok_or(TimelineError::NoPlace)?.thread();
        let executed = before.thread(thread).instructions + executed;
        let pattern = Pattern { grain: Grain::Executed(executed), ..Pattern::default() };
        self.walk(position.step, pattern, &mut |_, _, _| true)?.ok_or(TimelineError::NoPlace)
    }

    /// Takes a whole step.
    fn take(&mut self, step: usize, state: &mut State<E>) -> Result<(), TimelineError> {
        let agent = self.agent(step).ok_or(TimelineError::NoPlace)?;
        self.executor.notes.halts = Some(Box::new(Halts::nowhere()));
        self.executor.notes.races.clear();
        let mut choices = ScheduleCursor::at(&self.decisions, self.steps[step] + 1);
        let taken = driver::whole_step(&mut self.executor, state, agent, &mut choices);
        taken.map(drop).map_err(|obstacle| TimelineError::Diverged(choices.divergence(obstacle)))
    }

    /// Executes a step and has `visit` see the state wherever its thread comes to what `pattern` looks for.
    /// Returns the state at which it says that this is the place.
    fn walk(
        &mut self,
        step: usize,
        pattern: Pattern,
        visit: &mut Visit<'_, 'm, E>,
    ) -> Result<Option<State<E>>, TimelineError> {
        let agent = self.agent(step).ok_or(TimelineError::NoPlace)?;
        let Agent::Thread(thread) = agent else { return Ok(None) };
        let mut state = self.before(step)?;
        let last = self.last_count(step, thread)?;
        let halts = Halts::of(pattern, &self.executor.machine.program, &state, thread);
        self.executor.notes.halts = Some(Box::new(halts));
        let mut choices = ScheduleCursor::at(&self.decisions, self.steps[step] + 1);
        let mut came = self.executor.step(&mut state, agent);
        loop {
            came = match came {
                Step::Paused => {
                    let halts = self.executor.notes.halts.as_mut();
                    match halts.and_then(|halts| halts.take_stop()) {
                        Some(arrival) if arrival.executed > last => return Ok(None),
                        Some(arrival) if visit(&self.executor, &state, &arrival) => return Ok(Some(state)),
                        // It has run for long: the replay may have left it there.
                        None if state.thread(thread).instructions > last => return Ok(None),
                        _ => {}
                    }
                    self.executor.resume(&mut state, thread, false)
                }
                Step::Choose(count) => {
                    let choice = choices.choose(&mut self.executor, &mut state, agent, count);
                    let Some(choice) = choice else { return Ok(None) };
                    state.alternative = Some(choice);
                    self.executor.resume(&mut state, thread, true)
                }
                Step::Done | Step::Fork { .. } | Step::Pruned | Step::Cut(_) | Step::Halted(_) => {
                    return Ok(None);
                }
            };
        }
    }

    /// How many instructions its thread has executed where a step may be stopped last. Where the thread ran
    /// for long, the step ended before an instruction that belongs to the next one.
    fn last_count(&mut self, step: usize, thread: ThreadId) -> Result<u64, TimelineError> {
        let after = self.before(step + 1)?;
        let after = after.thread(thread);
        let was_paused = after.pending.is_none() && !after.exited && step + 1 < self.steps();
        Ok(after.instructions.saturating_sub(u64::from(was_paused)))
    }
}
