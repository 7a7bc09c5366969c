//! One execution: on a plain scheduler, or replaying a schedule.

pub(super) mod fair_scheduler;
pub(super) mod recording;

use super::{Exploration, ExploreOptions, Observer};
use crate::environment::Environment;
use crate::explore::bounds::poll_interval::Looks;
use crate::explore::single::fair_scheduler::{Candidate, Turns};
use crate::machine::{Executor, Machine};
use crate::memory::Site;
use crate::state::{End, State};
use crate::stop::Incomplete;
use crate::threads::agents::Step;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_ir::SpanId;
use symx_trace::{Agent, Decision, Event, Failure, IncompleteReason, ThreadId, Trace};

/// After how many steps a livelock is looked for at first; then whenever there were twice as many.
pub(super) const FIRST_SEARCH: u64 = 8;

/// Runs the program once. Threads run in turns; with a seed, a random agent takes each step.
/// Symbolic values take the first way that is possible. `watch` may look at the state after every
/// step (for passing output on).
pub fn run_once<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    seed: Option<u64>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    watch: &mut dyn FnMut(&State<E>),
) -> Exploration {
    let mut executor = Executor::new(machine, solver);
    run(&mut executor, seed, options, observer, &mut |_, state, _| watch(state)).exploration
}

/// One execution and the state it ended in.
pub(super) struct SingleRun<E: Environment> {
    pub(super) exploration: Exploration,
    pub(super) state: State<E>,
}

/// Looks at an execution after each step, and who took it, and at its end.
pub(super) type Looker<'w, 'm, E> = dyn FnMut(&mut Executor<'m, E>, &State<E>, Option<Agent>) + 'w;

/// The same by an executor.
pub(super) fn run<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    seed: Option<u64>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    watch: &mut Looker<'_, 'm, E>,
) -> SingleRun<E> {
    let machine = executor.machine;
    let mut random = seed.map(fastrand::Rng::with_seed);
    let mut turns = Turns::default();
    let mut candidates: SmallVec<[Candidate; 8]> = SmallVec::new();
    let mut exploration = Exploration::default();
    let mut decisions = Vec::new();
    let mut state = machine.initial_state();
    let mut taken = 0_u64;
    let mut looks = Looks::default();
    let mut next_search = FIRST_SEARCH;
    while state.end.is_none() {
        if taken == next_search {
            next_search *= 2;
            // What is tried to find out is not what is recorded.
            let recorder = executor.recorder.take();
            let is_found = executor.find_livelock(&mut state, &[]);
            executor.recorder = recorder;
            if is_found {
                break;
            }
        }
        let enabled = executor.enabled(&state);
        if enabled.is_empty() {
            executor.stuck(&mut state);
            break;
        }
        let agent = match &mut random {
            Some(random) => enabled[random.usize(..enabled.len())],
            None => {
                candidates.clear();
                candidates.extend(enabled.iter().map(|agent| Candidate {
                    agent: *agent,
                    until: executor.patience(&state, *agent),
                    gives_way: executor.gives_way(&state, *agent),
                    priority: machine.environment.priority(&state.data, agent.thread()),
                }));
                turns.next(&candidates, machine.environment.clock(&state.data))
            }
        };
        decisions.push(Decision::Run(agent));
        let executed = executor.counters.instructions;
        let mut step = executor.step(&mut state, agent);
        loop {
            step = match step {
                Step::Done | Step::Paused => break,
                Step::Fork { ways, granted } => {
                    state.path.add(&machine.terms, ways[0]);
                    executor.resume(&mut state, agent.thread(), granted)
                }
                Step::Choose(count) => {
                    let choice = random.as_mut().map_or(0, |random| random.u32(..count));
                    decisions.push(Decision::Choose(choice));
                    state.alternative = Some(choice);
                    executor.resume(&mut state, agent.thread(), true)
                }
                Step::Pruned => {
                    let what = "an assumption does not hold in this execution".to_string();
                    exploration.cut(Incomplete {
                        reason: IncompleteReason::Assumption,
                        what,
                        span: SpanId::UNKNOWN,
                    });
                    return SingleRun { exploration: totals(exploration, executor), state };
                }
                Step::Halted(reason) => {
                    exploration.cut(reason.into());
                    return SingleRun { exploration: totals(exploration, executor), state };
                }
                Step::Cut(incomplete) => {
                    exploration.cut(incomplete);
                    watch(executor, &state, Some(agent));
                    return SingleRun { exploration: totals(exploration, executor), state };
                }
            };
        }
        watch(executor, &state, Some(agent));
        turns.spent(executor.counters.instructions - executed);
        taken += 1;
        if looks.is_due(executor.counters.instructions) {
            exploration.progress.instructions = executor.counters.instructions;
            if let Some(reason) = observer.progress(&exploration.progress) {
                exploration.cut(Incomplete { reason, what: String::new(), span: SpanId::UNKNOWN });
                return SingleRun { exploration: totals(exploration, executor), state };
            }
        }
    }
    watch(executor, &state, None);
    executor.collect(&state, &decisions, &mut exploration, observer, options);
    SingleRun { exploration: totals(exploration, executor), state }
}

fn totals<E: Environment>(mut exploration: Exploration, executor: &Executor<'_, E>) -> Exploration {
    executor.account(&mut exploration);
    exploration.misuse = executor.misuse.clone();
    exploration
}

/// What came of replaying a schedule.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// How the execution ended; `None` if it diverged.
    pub end: Option<End>,
    /// Why and where it left the schedule, if it did.
    pub divergence: Option<String>,
    /// The events, and the path condition, in their order.
    pub trace: Trace,
    /// What the program wrote to standard output.
    pub output: Vec<u8>,
    /// How often another thread took a step though the one before it could have gone on.
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
pub(super) trait Watch<E: Environment> {
    /// Why the replay is to end before its next step; none if it need not.
    fn cut(&self) -> Option<&'static str> {
        None
    }

    /// Whether the next step, by the only one who can take any, is none of the schedule's.
    /// Asked before every step.
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

    /// When it failed, or nobody can take a step.
    fn failed(&mut self, _executor: &Executor<'_, E>, _state: &State<E>) {}

    /// After a step.
    fn after(&mut self, _executor: &Executor<'_, E>, _state: &State<E>, _agent: Agent) {}
}

/// Nobody looks on.
struct Unwatched;

impl<E: Environment> Watch<E> for Unwatched {}

/// Runs the program under exactly these decisions. An execution goes on after a race: if one is `expected`,
/// that the last step has it ends this one. For symbolic inputs, set
/// [`Options::assignment`](crate::machine::Options::assignment) in the machine.
pub fn replay<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    visible: Option<&[Site]>,
    decisions: &[Decision],
    expected: Option<&Failure>,
    options: &ExploreOptions,
) -> Replayed {
    replay_watched(machine, solver, visible, decisions, expected, options, &mut Unwatched)
}

/// The same with somebody who looks on.
pub(super) fn replay_watched<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    visible: Option<&[Site]>,
    decisions: &[Decision],
    expected: Option<&Failure>,
    options: &ExploreOptions,
    watch: &mut dyn Watch<E>,
) -> Replayed {
    let mut executor = Executor::new(machine, solver);
    executor.visible = visible.map(|sites| Arc::new(sites.iter().copied().collect()));
    let mut state = machine.initial_state();
    let mut events: Vec<Event> = Vec::new();
    let mut divergence = None;
    let mut position = 0;
    let mut running = Agent::Thread(ThreadId::MAIN);
    let mut preemptions = 0;
    while state.end.is_none() && divergence.is_none() {
        if let Some(reason) = watch.cut() {
            divergence = Some(format!("decision {position}: {reason}"));
            break;
        }
        let enabled = executor.enabled(&state);
        let is_unscheduled = watch.is_unscheduled(&mut executor, &state, &enabled);
        let agent = match decisions.get(position) {
            _ if is_unscheduled => enabled[0],
            Some(Decision::Run(agent)) if enabled.contains(agent) => *agent,
            Some(Decision::Run(agent)) => {
                divergence = Some(format!("decision {position}: {agent:?} cannot take a step"));
                break;
            }
            Some(Decision::Choose(_)) => {
                divergence =
                    Some(format!("decision {position} is an alternative where an agent is expected"));
                break;
            }
            None => {
                let is_expected = |race: &Failure| expected.is_some_and(|failure| failure.same_fault(race));
                if executor.races.iter().any(is_expected) {
                    break;
                }
                if enabled.is_empty() {
                    executor.stuck(&mut state);
                } else if !executor.find_livelock(&mut state, &events) {
                    divergence =
                        Some(format!("the schedule ends after {position} decisions, the program does not"));
                }
                break;
            }
        };
        position += usize::from(!is_unscheduled);
        if !agent.is_buffer() && agent != running {
            preemptions += u32::from(enabled.contains(&running));
            running = agent;
        }
        let kind = executor.event_kind(&state, agent);
        let started = state.thread(agent.thread()).pending.is_some() || agent.is_buffer();
        let event = started.then(|| executor.event(&state, agent, kind));
        let choice = match decisions.get(position) {
            Some(Decision::Choose(choice)) => *choice,
            _ => 0,
        };
        watch.before(&executor, &state, agent, event.as_ref(), choice);
        events.extend(event);
        executor.races.clear();
        let mut step = executor.step(&mut state, agent);
        loop {
            step = match step {
                Step::Done | Step::Paused => break,
                Step::Choose(count) => match decisions.get(position) {
                    Some(Decision::Choose(choice)) if *choice < count => {
                        state.alternative = Some(*choice);
                        position += 1;
                        executor.resume(&mut state, agent.thread(), true)
                    }
                    _ => {
                        divergence =
                            Some(format!("decision {position}: one of {count} alternatives is expected"));
                        break;
                    }
                },
                Step::Fork { .. } => {
                    divergence = Some(format!("decision {position}: a symbolic input has no value"));
                    break;
                }
                Step::Pruned => {
                    divergence = Some(format!("decision {position}: an assumption does not hold"));
                    break;
                }
                Step::Halted(reason) => {
                    divergence = Some(format!("decision {position}: {reason}"));
                    break;
                }
                Step::Cut(incomplete) => {
                    divergence =
                        Some(format!("decision {position}: {} {}", incomplete.reason, incomplete.what));
                    break;
                }
            };
        }
        watch.after(&executor, &state, agent);
    }
    if matches!(state.end, Some(End::Failed(_))) {
        watch.failed(&executor, &state);
    }
    let race = executor.races.iter().find(|race| expected.is_some_and(|failure| failure.same_fault(race)));
    if let Some(race) = race
        && position == decisions.len()
        && divergence.is_none()
    {
        state.end = Some(End::Failed(Arc::new(race.clone())));
    }
    if let Some(End::Exit(status)) = state.end
        && let Some(failure) = crate::explore::exit_checks::check(&executor, &state, status, options)
    {
        state.end = Some(End::Failed(Arc::new(failure)));
    }
    let failure = match &state.end {
        Some(End::Failed(failure)) => Some((**failure).clone()),
        _ => None,
    };
    Replayed {
        trace: executor.trace(&state, events, failure),
        output: {
            let written = machine.environment.standard_output(&state.data);
            let assignment = machine.options.assignment.clone().unwrap_or_default();
            written.under(&machine.terms, &assignment)
        },
        end: if divergence.is_none() { state.end } else { None },
        divergence,
        preemptions,
    }
}
