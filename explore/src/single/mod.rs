//! One execution on a plain scheduler.

pub(super) mod fair_scheduler;
pub(super) mod recording;

use super::{Exploration, ExploreOptions, Observer};
use crate::bounds::poll_interval::Looks;
use crate::driver::{self, Course, Decider, Obstacle};
use crate::execution;
use crate::single::fair_scheduler::{Candidate, Turns};
use smallvec::SmallVec;
use symx_expr::Term;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::state::State;
use symx_interp::stop::Incomplete;
use symx_ir::SpanId;
use symx_trace::{Agent, Decision};

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

/// Looks at an execution after each step, with the agent that took it, and at its end.
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
    let mut looks = Looks::default();
    let mut course = Course::default();
    while let Some(enabled) = course.enabled(executor, &mut state) {
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
        let mut ways = FirstWay { random: &mut random, decisions: &mut decisions };
        if let Err(obstacle) = driver::whole_step(executor, &mut state, agent, &mut ways) {
            let is_seen = matches!(obstacle, Obstacle::Cut(_));
            let at = executor.position(&state, agent.thread());
            obstacle.incomplete().into_iter().for_each(|cut| exploration.cut(placed(cut, at)));
            if is_seen {
                watch(executor, &state, Some(agent));
            }
            return SingleRun { exploration: totals(exploration, executor), state };
        }
        watch(executor, &state, Some(agent));
        turns.spent(executor.counters.instructions - executed);
        if looks.is_due(executor.counters.instructions) {
            exploration.progress.instructions = executor.counters.instructions;
            if let Some(reason) = observer.progress(&exploration.progress) {
                exploration.cut(placed(reason.into(), executor.position(&state, agent.thread())));
                return SingleRun { exploration: totals(exploration, executor), state };
            }
        }
    }
    watch(executor, &state, None);
    execution::collect(executor, &state, &decisions, &mut exploration, observer, options);
    SingleRun { exploration: totals(exploration, executor), state }
}

/// Symbolic values go the first way that is possible; alternatives are random, or the first.
struct FirstWay<'r> {
    random: &'r mut Option<fastrand::Rng>,
    decisions: &'r mut Vec<Decision>,
}

impl<E: Environment> Decider<E> for FirstWay<'_> {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        let choice = self.random.as_mut().map_or(0, |random| random.u32(..count));
        self.decisions.push(Decision::Choose(choice));
        Some(choice)
    }

    fn branch(&mut self, _: &mut Executor<'_, E>, _: &State<E>, _: Agent, ways: &[Term]) -> Option<Term> {
        ways.first().copied()
    }
}

/// Says where the execution stood when it was ended: `at`, unless it says more already.
fn placed(cut: Incomplete, at: SpanId) -> Incomplete {
    if cut.span == SpanId::UNKNOWN { Incomplete { span: at, ..cut } } else { cut }
}

fn totals<E: Environment>(mut exploration: Exploration, executor: &Executor<'_, E>) -> Exploration {
    execution::account(executor, &mut exploration);
    exploration
}
