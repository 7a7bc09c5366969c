//! Replaying a schedule, decision by decision.

use crate::driver::{self, Decider};
use crate::replays::tracing;
use crate::state_graph::endless::find_livelock;
use crate::{ExploreOptions, exit_checks};
use std::fmt::Display;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::{End, State};
use symx_trace::{Agent, CallOutcome, Decision, Event, Failure, ThreadId, Trace};

/// Where a replay is in its schedule. Of a step's alternatives it decides as the schedule does.
pub(crate) struct ScheduleCursor<'d> {
    decisions: &'d [Decision],
    position: usize,
}

impl<'d> ScheduleCursor<'d> {
    /// Before the first decision.
    pub fn new(decisions: &'d [Decision]) -> Self {
        Self { decisions, position: 0 }
    }

    /// Before one of the decisions.
    pub fn at(decisions: &'d [Decision], position: usize) -> Self {
        Self { decisions, position }
    }

    /// How many decisions it has passed.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Passes the next decision.
    pub fn skip(&mut self) {
        self.position += 1;
    }

    /// Whether it has passed all decisions.
    pub fn is_at_end(&self) -> bool {
        self.position >= self.decisions.len()
    }

    /// The next decision.
    pub fn peek(&self) -> Option<Decision> {
        self.decisions.get(self.position).copied()
    }

    /// Passes the next decision and returns the agent that takes a step by it; `None` at the end. The error
    /// says why none can.
    pub fn next_agent(&mut self, enabled: &[Agent]) -> Result<Option<Agent>, String> {
        let position = self.position;
        match self.peek() {
            Some(Decision::Run(agent)) if enabled.contains(&agent) => {
                self.position += 1;
                Ok(Some(agent))
            }
            Some(Decision::Run(agent)) => Err(self.divergence(format!("{agent:?} cannot take a step"))),
            Some(Decision::Choose(_)) => {
                Err(format!("decision {position} is an alternative where an agent is expected"))
            }
            None => Ok(None),
        }
    }

    /// The alternative that comes next, if one does.
    pub fn next_choice(&self) -> Option<u32> {
        match self.peek() {
            Some(Decision::Choose(choice)) => Some(choice),
            _ => None,
        }
    }

    /// That the execution diverges from the schedule here, and why.
    pub fn divergence(&self, why: impl Display) -> String {
        format!("decision {}: {why}", self.position)
    }

    fn ends_before_the_program(&self) -> String {
        format!("the schedule ends after {} decisions, the program does not", self.position)
    }
}

impl<E: Environment> Decider<E> for ScheduleCursor<'_> {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        let choice = self.next_choice().filter(|choice| *choice < count)?;
        self.position += 1;
        Some(choice)
    }
}

/// The results of replaying a schedule.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// How the execution ended; `None` if it diverged.
    pub end: Option<End>,
    /// Why and where it diverged from the schedule, if it did.
    pub divergence: Option<String>,
    /// The events, and the path condition, in their order.
    pub trace: Trace,
    /// The program's standard output.
    pub output: Vec<u8>,
    /// How often another thread took a step though the one before it was enabled.
    pub preemptions: u32,
}

impl Replayed {
    /// The failure it ended in.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            Some(End::Failed(failure)) => Some(failure),
            _ => None,
        }
    }
}

/// Looks on while a schedule is replayed.
pub(crate) trait Watch<E: Environment> {
    /// Before the first step.
    fn begin(&mut self, _executor: &mut Executor<'_, E>) {}

    /// Why the replay is to end before its next step; none if it need not.
    fn cut(&self) -> Option<&'static str> {
        None
    }

    /// Whether the next step, by the only agent that can take any, is none of the schedule's. Asked before
    /// every step.
    fn is_unscheduled(
        &mut self,
        _executor: &mut Executor<'_, E>,
        _state: &State<E>,
        _enabled: &[Agent],
    ) -> bool {
        false
    }

    /// Before a step that will take this choice, if it has any; there is no event where
    /// a thread merely starts.
    fn before(
        &mut self,
        _executor: &Executor<'_, E>,
        _state: &State<E>,
        _agent: Agent,
        _event: Option<&Event>,
        _choice: u32,
    ) {
    }

    /// When it failed, or no agent can take a step.
    fn failed(&mut self, _executor: &Executor<'_, E>, _state: &State<E>) {}

    /// After a step.
    fn after(&mut self, _executor: &Executor<'_, E>, _state: &State<E>, _agent: Agent) {}
}

/// No observer.
struct Unwatched;

impl<E: Environment> Watch<E> for Unwatched {}

/// Decisions that an execution is to follow.
#[derive(Clone, Copy, Debug)]
pub struct FixedSchedule<'s> {
    /// Sites that counted as shared memory where they were taken; `None`: the present sites.
    pub visible: Option<&'s [Site]>,
    /// The decisions, from the program's start on.
    pub decisions: &'s [Decision],
    /// The failure that they lead to, if it is known. An execution goes on after a race: if one is expected,
    /// that the last step has it ends the execution.
    pub expected: Option<&'s Failure>,
}

/// Runs the program under exactly these decisions. For symbolic inputs, set
/// [`Options::assignment`](symx_interp::machine::Options::assignment) in the machine.
pub fn replay<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> Replayed {
    replay_watched(machine, solver, schedule, options, &mut Unwatched)
}

/// The same with an observer.
pub(crate) fn replay_watched<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
    watch: &mut dyn Watch<E>,
) -> Replayed {
    let FixedSchedule { visible, decisions, expected } = schedule;
    let mut executor = Executor::new(machine, solver);
    executor.visible = visible.map(|sites| Arc::new(sites.iter().copied().collect()));
    watch.begin(&mut executor);
    let mut state = machine.initial_state();
    let mut events: Vec<Event> = Vec::new();
    let mut divergence = None;
    let mut schedule = ScheduleCursor::new(decisions);
    let mut running = Agent::Thread(ThreadId::MAIN);
    let mut preemptions = 0;
    while state.end.is_none() && divergence.is_none() {
        if let Some(reason) = watch.cut() {
            divergence = Some(schedule.divergence(reason));
            break;
        }
        let enabled = executor.enabled(&state);
        let agent = match next_agent(watch, &mut executor, &state, (&enabled, &mut schedule)) {
            Ok(Some(agent)) => agent,
            Err(why) => {
                divergence = Some(why);
                break;
            }
            Ok(None) => {
                let has_raced = expected_race(&executor, expected).is_some();
                if !has_raced && !end_there(&mut executor, &mut state, (&enabled, &events)) {
                    divergence = Some(schedule.ends_before_the_program());
                }
                break;
            }
        };
        if !agent.is_buffer() && agent != running {
            preemptions += u32::from(enabled.contains(&running));
            running = agent;
        }
        let (event, step) = watched_step(watch, &mut executor, &mut state, (agent, &mut schedule));
        events.extend(event);
        divergence = step.err();
    }
    if matches!(state.end, Some(End::Failed(_))) {
        watch.failed(&executor, &state);
    }
    if let Some(race) = expected_race(&executor, expected)
        && schedule.is_at_end()
        && divergence.is_none()
    {
        state.end = Some(End::Failed(Arc::new(race.clone())));
    }
    state.end = exit_checks::end_of(&executor, &state, options);
    let failure = state.failure().cloned();
    let written = machine.environment.standard_output(&state.data);
    let assignment = machine.options.assignment.clone().unwrap_or_default();
    Replayed {
        trace: tracing::trace(&executor, &state, events, failure),
        output: written.under(&machine.terms, &assignment),
        end: if divergence.is_none() { state.end } else { None },
        divergence,
        preemptions,
    }
}

/// The agent that takes the next step; `None` at the end of the schedule. The error says why none can.
fn next_agent<E: Environment>(
    watch: &mut dyn Watch<E>,
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    (enabled, schedule): (&[Agent], &mut ScheduleCursor<'_>),
) -> Result<Option<Agent>, String> {
    match watch.is_unscheduled(executor, state, enabled) {
        true => Ok(Some(enabled[0])),
        false => schedule.next_agent(enabled),
    }
}

/// Has an agent take its step, with the choices of the schedule. Returns the event that the step was; a
/// thread that merely starts has none.
fn watched_step<E: Environment>(
    watch: &mut dyn Watch<E>,
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    (agent, schedule): (Agent, &mut ScheduleCursor<'_>),
) -> (Option<Event>, Result<(), String>) {
    let kind = executor.event_kind(state, agent);
    let started = state.thread(agent.thread()).pending.is_some() || agent.is_buffer();
    let event = started.then(|| executor.event(state, agent, kind));
    let choice = schedule.next_choice().unwrap_or(0);
    watch.before(executor, state, agent, event.as_ref(), choice);
    executor.notes.races.clear();
    executor.notes.outcome = executor.notes.outcome.map(|_| CallOutcome::Done);
    let step = driver::whole_step(executor, state, agent, schedule);
    watch.after(executor, state, agent);
    (event, step.map(drop).map_err(|obstacle| schedule.divergence(obstacle)))
}

/// Ends an execution where no further step is given: it is stuck, or in a livelock. Whether it is.
fn end_there<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    (enabled, events): (&[Agent], &[Event]),
) -> bool {
    if enabled.is_empty() {
        executor.stuck(state);
        return true;
    }
    find_livelock(executor, state, events)
}

/// The race that is to be replayed, if the last step has shown it.
fn expected_race<'e, E: Environment>(
    executor: &'e Executor<'_, E>,
    expected: Option<&Failure>,
) -> Option<&'e Failure> {
    executor.notes.races.iter().find(|race| expected.is_some_and(|failure| failure.same_fault(race)))
}
