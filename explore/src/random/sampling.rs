//! Random exploration: uniform choices, probabilistic concurrency testing, partial order sampling, or one
//! agent starved.

use crate::bounds::poll_interval::Looks;
use crate::driver::{self, Course, Decider, Obstacle};
use crate::execution::{self, Collected};
use crate::random::LONGEST_WAIT;
use crate::random::partial_order::PartialOrder;
use crate::random::starving::Starving;
use crate::{Exploration, ExploreOptions, Observer, Progress, RandomSchedules};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_expr::Term;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_interp::stop::Incomplete;
use symx_trace::footprint::dependent;
use symx_trace::{Agent, Decision, IncompleteReason, ThreadId};

/// Executions tried when no bound is given.
const DEFAULT_EXECUTIONS: u64 = 1000;

/// Steps after which the first execution is abandoned that has not ended; then after twice as many each time.
/// One that never ends leaves time for others, and a long one ends in a later go.
const FIRST_PATIENCE: u64 = 1 << 14;

/// Runs the program again and again under random schedules (and random ways of symbolic values).
///
/// Finding nothing proves nothing: without a failure the result is always incomplete.
pub fn explore_samples<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    schedules: RandomSchedules,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Exploration {
    let mut executor = Executor::new(machine, solver);
    let mut exploration = Exploration::default();
    let mut sampling = Sampling::new(schedules, options.seed);
    let most = options.max_executions.unwrap_or(DEFAULT_EXECUTIONS);
    loop {
        let tried = exploration.progress.executions + exploration.progress.blocked;
        if tried >= most {
            let executions = exploration.progress.executions;
            let chance = match schedules {
                RandomSchedules::Pct { depth } => format!("; {}", sampling.guarantee(depth)),
                _ => String::new(),
            };
            let what = format!("{executions} random executions do not cover all{chance}");
            exploration.cut(Incomplete { what, ..IncompleteReason::Sampled.into() });
            break;
        }
        if !sampling.once(&mut executor, options, observer, &mut exploration) {
            break;
        }
    }
    execution::account(&executor, &mut exploration);
    exploration
}

/// Random executions, and what they have shown that the next go by.
pub(crate) struct Sampling {
    /// How agents are picked in the next execution.
    pub schedules: RandomSchedules,
    random: fastrand::Rng,
    /// Sites known to be shared.
    sites: Arc<FxHashSet<Site>>,
    /// Steps of the longest execution so far: where points of priority change may fall.
    length: u64,
    /// Threads and lanes of store buffers in the execution with most of them.
    agents: usize,
    /// Whose turn it is to be starved.
    starving: Starving,
    /// Steps after which an execution is abandoned.
    patience: u64,
}

impl Sampling {
    pub(crate) fn new(schedules: RandomSchedules, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        let starving = Starving::default();
        Self {
            schedules,
            random,
            sites: Arc::default(),
            length: 1,
            agents: 1,
            starving,
            patience: FIRST_PATIENCE,
        }
    }

    /// Places points of priority change within this many steps at least.
    pub(super) fn within(self, length: u64) -> Self {
        Self { length, ..self }
    }

    /// Runs the program once. Returns whether to continue: not after a failure, nor when the observer has
    /// enough.
    pub(crate) fn once<E: Environment>(
        &mut self,
        executor: &mut Executor<'_, E>,
        options: &ExploreOptions,
        observer: &mut dyn Observer,
        exploration: &mut Exploration,
    ) -> bool {
        let mut state = executor.machine.initial_state();
        let (finished, decisions) = self.run(executor, &mut state, options, observer, exploration);
        match finished {
            Finished::Stopped => return false,
            Finished::Pruned | Finished::TooLong => exploration.progress.blocked += 1,
            Finished::Ended => {
                let collected =
                    execution::collect(executor, &state, &decisions, exploration, observer, options);
                if collected != Collected::GoOn {
                    return false;
                }
            }
        }
        // Only now: what was found above replays under what counted as visible while it ran.
        self.learn(&state);
        if let Some(reason) = observer.progress(&exploration.progress) {
            exploration.cut(reason.into());
            return false;
        }
        true
    }

    /// Runs the program from its initial state to an end; the decisions that took.
    pub(super) fn run<E: Environment>(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &mut State<E>,
        options: &ExploreOptions,
        observer: &mut dyn Observer,
        exploration: &mut Exploration,
    ) -> (Finished, Vec<Decision>) {
        executor.visible = Some(Arc::clone(&self.sites));
        let picker = match self.schedules {
            RandomSchedules::Pct { depth } => Picker::priorities(&mut self.random, depth, self.length),
            RandomSchedules::PartialOrder => Picker::PartialOrder(PartialOrder::default()),
            RandomSchedules::Starving => Picker::Starving(self.starving.begin()),
            RandomSchedules::Uniform => Picker::Uniform,
        };
        let patience = self.patience;
        let mut sample = Sample { decisions: Vec::new(), picker, random: &mut self.random, patience };
        let finished = sample.run(executor, state, options, observer, exploration);
        if matches!(finished, Finished::TooLong) {
            self.patience *= 2;
        }
        self.length = self.length.max(sample.decisions.len() as u64);
        self.agents = self.agents.max(sample.picker.agents());
        exploration.progress.instructions = executor.counters.instructions;
        exploration.progress.events = executor.counters.events;
        (finished, sample.decisions)
    }

    /// Adds what an execution has shown to be shared to what counts as visible in the next.
    pub(super) fn learn<E: Environment>(&mut self, state: &State<E>) {
        if !state.discovered.is_empty() {
            Arc::make_mut(&mut self.sites).extend(state.discovered.iter().copied());
        }
    }

    /// How likely one execution is to show a bug of the depth aimed at, if there is one. It is at least 1 in
    /// n·k^(d-1), where n agents take k steps (Burckhardt et al., theorem 9).
    fn guarantee(&self, depth: u32) -> String {
        let Self { agents, length: steps, .. } = self;
        let odds = *agents as f64 * (*steps as f64).powf(f64::from(depth.max(1)) - 1.0);
        format!(
            "with {agents} agents and {steps} steps, each further one shows a bug of depth {depth} with a probability of at least 1 in {odds:.0}"
        )
    }
}

/// How one random execution went.
pub(super) enum Finished {
    /// To its end.
    Ended,
    /// An assumption does not hold in it, or it cannot be followed.
    Pruned,
    /// It was abandoned for its length.
    TooLong,
    /// Work is ended from outside.
    Stopped,
}

/// How the next agent is picked.
///
/// Each way is random, unlike turns (`driver::Unpreempted`, `single/fair_scheduler.rs`, `races/seeded.rs`).
/// It holds for one execution of a sample, and goes by nothing but the enabled agents and what their next
/// steps touch.
enum Picker<'s> {
    Uniform,
    PartialOrder(PartialOrder),
    Starving(&'s mut Starving),
    /// Highest priority first; at these steps the running agent falls below all others.
    Priorities {
        of: FxHashMap<Agent, u64>,
        changes: Vec<u64>,
        lowest: u64,
        /// The agent picked last, and how many times in a row.
        row: (Agent, u64),
    },
}

impl Picker<'_> {
    fn priorities(random: &mut fastrand::Rng, depth: u32, length: u64) -> Self {
        let changes = (1..depth.max(1)).map(|_| random.u64(..length)).collect();
        let row = (Agent::Thread(ThreadId::MAIN), 0);
        Self::Priorities { of: FxHashMap::default(), changes, lowest: u64::from(u32::MAX), row }
    }

    /// How many agents have been seen; 0 if they are not counted.
    fn agents(&self) -> usize {
        match self {
            Self::Priorities { of, .. } => of.len(),
            _ => 0,
        }
    }

    fn pick(&mut self, random: &mut fastrand::Rng, enabled: &[Agent], step: u64) -> Agent {
        match self {
            Self::Uniform => enabled[random.usize(..enabled.len())],
            Self::PartialOrder(order) => order.pick(random, enabled),
            Self::Starving(starving) => starving.pick(random, enabled),
            Self::Priorities { of, changes, lowest, row } => {
                for agent in enabled {
                    of.entry(*agent).or_insert_with(|| u64::from(u32::MAX) + u64::from(random.u32(..)));
                }
                let highest = |of: &FxHashMap<Agent, u64>| {
                    enabled.iter().copied().max_by_key(|agent| of[agent]).expect("an agent is enabled")
                };
                let mut chosen = highest(of);
                *row = (chosen, if row.0 == chosen { row.1 + 1 } else { 1 });
                // An agent that goes on for this long may be waiting for the others without saying so.
                let is_long = row.1.is_multiple_of(LONGEST_WAIT) && enabled.len() > 1;
                if is_long || changes.contains(&step) {
                    *lowest -= 1;
                    of.insert(chosen, *lowest);
                    chosen = highest(of);
                }
                chosen
            }
        }
    }
}

/// The agents, another than this one, whose next steps depend on its next step.
fn dependents<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
    enabled: &[Agent],
) -> impl Iterator<Item = Agent> {
    let own = executor.footprint(state, agent);
    let others = enabled.iter().copied().filter(move |other| *other != agent);
    others.filter(move |other| dependent(&own, &executor.footprint(state, *other)))
}

struct Sample<'s> {
    decisions: Vec<Decision>,
    picker: Picker<'s>,
    random: &'s mut fastrand::Rng,
    /// Steps after which it is abandoned.
    patience: u64,
}

impl Sample<'_> {
    fn run<E: Environment>(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &mut State<E>,
        options: &ExploreOptions,
        observer: &mut dyn Observer,
        exploration: &mut Exploration,
    ) -> Finished {
        let mut depth = 0;
        let mut course = Course::default();
        let mut looks = Looks::default();
        while let Some(enabled) = course.enabled(executor, state) {
            if course.begun() > self.patience {
                return Finished::TooLong;
            }
            let agent = self.picker.pick(self.random, &enabled, course.begun() - 1);
            if let Picker::PartialOrder(order) = &mut self.picker {
                order.takes(agent, dependents(executor, state, agent, &enabled));
            }
            self.decisions.push(Decision::Run(agent));
            executor.log_step(state, agent);
            let (decisions, progress) = (&mut self.decisions, &mut exploration.progress);
            let (random, depth) = (&mut *self.random, &mut depth);
            let mut ways = AtRandom { random, decisions, options, progress, depth, cut: None };
            let taken = driver::whole_step(executor, state, agent, &mut ways);
            let forbidden = ways.cut;
            if !executor.notes.races.is_empty()
                && !execution::collect_races(executor, state, &self.decisions, exploration, options)
            {
                return Finished::Stopped;
            }
            if let Err(obstacle) = taken {
                let cut = match obstacle {
                    Obstacle::Pruned => {
                        executor.note_departure(state, agent.thread());
                        None
                    }
                    obstacle => obstacle.incomplete().or(forbidden),
                };
                let ends = cut.as_ref().is_some_and(|cut| cut.reason.ends_exploration());
                cut.into_iter().for_each(|cut| exploration.cut(cut));
                return if ends { Finished::Stopped } else { Finished::Pruned };
            }
            if looks.is_due(executor.counters.instructions) {
                exploration.progress.instructions = executor.counters.instructions;
                if let Some(reason) = observer.progress(&exploration.progress) {
                    exploration.cut(reason.into());
                    return Finished::Stopped;
                }
            }
        }
        Finished::Ended
    }
}

/// Ways and alternatives are chosen at random, as far as paths may fork.
struct AtRandom<'s> {
    random: &'s mut fastrand::Rng,
    decisions: &'s mut Vec<Decision>,
    options: &'s ExploreOptions,
    progress: &'s mut Progress,
    /// Forks on the path so far.
    depth: &'s mut u32,
    /// The reason that forbids a fork.
    cut: Option<Incomplete>,
}

impl<E: Environment> Decider<E> for AtRandom<'_> {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        let choice = self.random.u32(..count);
        self.decisions.push(Decision::Choose(choice));
        Some(choice)
    }

    fn branch(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &State<E>,
        agent: Agent,
        ways: &[Term],
    ) -> Option<Term> {
        let span = executor.position(state, agent.thread());
        self.cut = self.options.forbids_fork(self.progress, *self.depth, span);
        if self.cut.is_some() {
            return None;
        }
        *self.depth += 1;
        self.progress.paths += 1;
        Some(ways[self.random.usize(..ways.len())])
    }
}
