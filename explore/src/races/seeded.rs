//! Executions at random, for programs too large to explore.

use super::again::{Distances, QuietStep, Sample};
use super::follow::Path;
use super::sightings::Recorded;
use super::{Observer, RaceSearch};
use crate::Progress;
use crate::bounds::poll_interval::Looks;
use crate::driver::Course;
use crate::races::limits::{IDLE_PART, LONG_STEP, MOST_ROUNDS, TIMES_BEYOND, TURN};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::machine::PAUSE;
use symx_interp::memory::Site;
use symx_interp::state::{End, State};
use symx_trace::Agent;

/// Chooses the next agent where there is no search: threads take turns, or a random choice decides.
///
/// Store buffers have turns like threads, and a long step ends one, so that accesses of all threads meet.
/// With `driver::Unpreempted` a thread would run on as long as it can, before stores leave their buffers.
pub(crate) struct Scheduler {
    random: Option<fastrand::Rng>,
    running: Agent,
    turn: usize,
}

impl Scheduler {
    /// Turns, or with a seed, chance.
    pub fn new(seed: Option<u64>) -> Self {
        let random = seed.map(fastrand::Rng::with_seed);
        Self { random, running: Agent::Thread(symx_trace::ThreadId::MAIN), turn: 0 }
    }

    /// One of those that can take a step, of which there is one.
    pub fn next(&mut self, enabled: &[Agent]) -> Agent {
        if let Some(random) = &mut self.random {
            return enabled[random.usize(..enabled.len())];
        }
        self.turn += 1;
        if self.turn > TURN || !enabled.contains(&self.running) {
            self.turn = 0;
            let at = enabled.iter().position(|agent| *agent == self.running);
            // Store buffers empty before a thread gets its second turn.
            let behind = |agent: &&Agent| agent.is_buffer() || agent.thread() > self.running.thread();
            self.running = match at {
                Some(at) => enabled[(at + 1) % enabled.len()],
                None => *enabled.iter().find(behind).unwrap_or(&enabled[0]),
            };
        }
        self.running
    }

    /// Others are next.
    pub fn end_turn(&mut self) {
        self.turn = TURN;
    }

    /// One of a step's alternatives.
    pub fn choose(&mut self, count: u32) -> u32 {
        self.random.as_mut().map_or(0, |random| random.u32(..count))
    }
}

/// Chooses the next agent in an execution without a search.
pub(super) trait Turns<E: Environment> {
    /// One of those that can take a step, of which there is one.
    fn next(&mut self, executor: &Executor<'_, E>, state: &State<E>, enabled: &[Agent]) -> Agent;

    /// One of a step's alternatives.
    fn choose(&mut self, count: u32) -> u32;

    /// The last step was long: others may be next.
    fn end_turn(&mut self);
}

impl<E: Environment> Turns<E> for Scheduler {
    fn next(&mut self, _: &Executor<'_, E>, _: &State<E>, enabled: &[Agent]) -> Agent {
        Scheduler::next(self, enabled)
    }

    fn choose(&mut self, count: u32) -> u32 {
        Scheduler::choose(self, count)
    }

    fn end_turn(&mut self) {
        Scheduler::end_turn(self);
    }
}

/// Runs the program under the seeds; what is found to be shared is visible from then on.
pub(super) fn seeded<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    search: &RaceSearch,
    observer: &mut dyn Observer,
) -> Vec<Recorded> {
    let mut found = Vec::new();
    for sample in 0..search.samples {
        let seed = seed(sample, search);
        for _ in 0..MOST_ROUNDS {
            let visible = Arc::new(sites.clone());
            executor.visible = Some(Arc::clone(&visible));
            let most = search.max_instructions.saturating_mul(TIMES_BEYOND);
            let Some(Sample { path, .. }) = run(executor, &mut Scheduler::new(seed), most, observer) else {
                return found;
            };
            if path.state.discovered.is_empty() {
                found.push(Recorded {
                    decisions: Arc::new(path.made),
                    inputs: path.inputs,
                    visible,
                    fails: matches!(path.state.end, Some(End::Failed(_))),
                    is_large: false,
                });
                break;
            }
            sites.extend(path.state.discovered.iter().copied());
        }
    }
    found
}

/// The seed of an execution: the first has none.
pub(super) fn seed(sample: u64, search: &RaceSearch) -> Option<u64> {
    sample.checked_sub(1).map(|number| search.options.seed.wrapping_add(number))
}

/// How many accesses were noted quietly, if they are.
fn noted<E: Environment>(executor: &Executor<'_, E>) -> Option<u64> {
    executor.notes.quiet.as_ref().map(|quiet| quiet.noted)
}

/// One execution of at most `most` instructions; `None` if the observer ends it.
pub(super) fn run<E: Environment>(
    executor: &mut Executor<'_, E>,
    turns: &mut dyn Turns<E>,
    most: u64,
    observer: &mut dyn Observer,
) -> Option<Sample<E>> {
    let state = executor.machine.initial_state();
    let mut path = Path { state, made: Vec::new(), inputs: Arc::default() };
    let began = executor.counters.instructions;
    let mut course = Course::default();
    let (mut looks, mut idle) = (Looks::at_once(), 0);
    let (mut steps, mut distances) = (Vec::new(), Distances::default());
    while executor.counters.instructions - began < most {
        let Some(enabled) = course.enabled(executor, &mut path.state) else { break };
        let (agent, executed) = (turns.next(executor, &path.state, &enabled), executor.counters.instructions);
        let noted_before = noted(executor);
        if let Some(sightings) = &mut executor.notes.sightings {
            sightings.step = path.made.len();
        }
        let was_parked = distances.step(&path.state, agent);
        if let Err(lost) = path.take(executor, agent, &mut |count| turns.choose(count)) {
            return Some(Sample { path, steps, lost: Some(lost) });
        }
        if noted_before.is_some() {
            steps.push(QuietStep::taken(&path.state, &distances, agent, was_parked));
        }
        executor.notes.races.clear();
        let is_long = executor.counters.instructions - executed >= LONG_STEP;
        if is_long {
            turns.end_turn();
        }
        let noted_now = noted(executor);
        idle = if is_long && noted_now == noted_before { idle + 1 } else { 0 };
        if noted_now.is_some() && idle >= enabled.len() as u64 && IDLE_PART * PAUSE * idle > most {
            break;
        }
        if looks.is_due(executor.counters.instructions) {
            let progress = Progress { instructions: executor.counters.instructions, ..Progress::default() };
            observer.progress(&progress).is_none().then_some(())?;
        }
    }
    let lost = path.state.end.is_none().then(|| "an execution did not end in time".into());
    Some(Sample { path, steps, lost })
}
