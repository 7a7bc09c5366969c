//! Making an execution again in which more is visible, so that its threads do everything in the same order.
//!
//! Where an access is visible its thread parks before it, so one step of the quiet execution is several here.
//! How far a step went is known by the instructions its thread had executed by then. The thread takes steps
//! until it has executed as many. Where the quiet step ended because it was long, the last of these may go
//! further. It ends before the next visible access all the same, so visible accesses come in the order that
//! they had.

use super::follow::{Lost, Path};
use crate::bounds::poll_interval::Looks;
use crate::{Observer, Progress};
use std::sync::Arc;
use symx_expr::Assignment;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::threads::thread::Activation;
use symx_trace::{Agent, Decision, ThreadId};

/// An execution that was looked at quietly.
pub(super) struct QuietExecution {
    /// Its decisions.
    pub made: Vec<Decision>,
    /// Values of its inputs.
    pub inputs: Arc<Assignment>,
    /// The results of its steps.
    pub steps: Vec<QuietStep>,
}

/// A step of such an execution.
pub(super) struct QuietStep {
    /// Whose it is.
    agent: Agent,
    /// Whether its thread was parked before an operation, which the step then began with.
    was_parked: bool,
    /// How far its thread was afterwards.
    distance: u64,
    /// Whether it was parked then, or had ended.
    is_parked: bool,
}

impl QuietStep {
    /// The step that has just been taken.
    pub fn taken<E: Environment>(
        state: &State<E>,
        distances: &Distances,
        agent: Agent,
        was_parked: bool,
    ) -> Self {
        let thread = agent.thread();
        Self { agent, was_parked, distance: distances.of(state, thread), is_parked: is_parked(state, thread) }
    }
}

/// One execution.
pub(super) struct Sample<E: Environment> {
    pub path: Path<E>,
    /// Its steps, if accesses were noted quietly.
    pub steps: Vec<QuietStep>,
    /// Why it was not followed to its end.
    pub lost: Option<Lost>,
}

/// How far threads are: the instructions that each has executed. One that its thread parks before is counted
/// by it before and after, which depends on what is visible, and by this once.
#[derive(Default)]
pub(super) struct Distances {
    /// By thread, the instructions that were counted twice.
    twice: Vec<u64>,
    /// By thread, how far it was after its last step in the execution that is made again.
    reached: Vec<u64>,
}

impl Distances {
    /// `agent` is about to take a step; whether its thread is parked.
    pub fn step<E: Environment>(&mut self, state: &State<E>, agent: Agent) -> bool {
        let thread = agent.thread();
        let known = state.thread(thread);
        if agent.is_buffer() || known.pending.is_none() {
            return false;
        }
        if matches!(known.stack.last(), Some(Activation::Program(_))) {
            let index = thread.index();
            self.twice.resize(self.twice.len().max(index + 1), 0);
            self.twice[index] += 1;
        }
        true
    }

    /// How far a thread was after its last step in the execution that is made again.
    fn reached(&self, thread: ThreadId) -> u64 {
        self.reached.get(thread.index()).copied().unwrap_or_default()
    }

    /// In that execution a thread is so far now.
    fn reach(&mut self, thread: ThreadId, distance: u64) {
        let index = thread.index();
        self.reached.resize(self.reached.len().max(index + 1), 0);
        self.reached[index] = distance;
    }

    /// How far a thread is.
    fn of<E: Environment>(&self, state: &State<E>, thread: ThreadId) -> u64 {
        let twice = self.twice.get(thread.index()).copied().unwrap_or_default();
        state.thread(thread).instructions.saturating_sub(twice)
    }
}

/// Whether a thread is before an operation, or has ended.
fn is_parked<E: Environment>(state: &State<E>, thread: ThreadId) -> bool {
    let thread = state.thread(thread);
    thread.pending.is_some() || thread.exited
}

/// Makes an execution again with what is visible now; stores leave their buffers at once. `None` if
/// the observer ends it.
pub(super) fn again<E: Environment>(
    executor: &mut Executor<'_, E>,
    looked_at: &QuietExecution,
    observer: &mut dyn Observer,
) -> Option<Sample<E>> {
    let state = executor.machine.initial_state();
    let mut path = Path { state, made: Vec::new(), inputs: Arc::clone(&looked_at.inputs) };
    let mut distances = Distances::default();
    let mut decisions = looked_at.made.iter().peekable();
    let mut looks = Looks::at_once();
    for step in looked_at.steps.iter() {
        if looks.is_due(executor.counters.instructions) && observer.progress(&Progress::default()).is_some() {
            return None;
        }
        decisions.next_if(|decision| matches!(decision, Decision::Run(_)));
        let thread = step.agent.thread();
        // A call may have parked it at an unobservable operation, if all accesses are noted; here it went on.
        let is_ahead = distances.of(&path.state, thread) > distances.reached(thread);
        distances.reach(thread, step.distance);
        let mut is_owed = step.was_parked && !is_ahead;
        while path.state.end.is_none() {
            let is_there = distances.of(&path.state, thread) >= step.distance
                && (is_parked(&path.state, thread) || !step.is_parked);
            if is_there && !is_owed {
                break;
            }
            is_owed = false;
            if !executor.enabled(&path.state).contains(&step.agent) {
                return Some(lost(path, "a quiet step cannot be taken again"));
            }
            if let Some(sightings) = &mut executor.notes.sightings {
                sightings.step = path.made.len();
            }
            distances.step(&path.state, step.agent);
            let mut choose = |_| match decisions.peek() {
                Some(Decision::Choose(choice)) => {
                    decisions.next();
                    *choice
                }
                _ => 0,
            };
            if let Err(why) = path.take(executor, step.agent, &mut choose) {
                return Some(lost(path, &why));
            }
            if let Err(why) = empty_buffer(executor, &mut path, thread) {
                return Some(lost(path, &why));
            }
            executor.notes.races.clear();
        }
        while decisions.next_if(|decision| matches!(decision, Decision::Choose(_))).is_some() {}
    }
    if path.state.end.is_none() && executor.enabled(&path.state).is_empty() {
        executor.stuck(&mut path.state);
    }
    match path.state.end {
        Some(_) => Some(Sample { path, steps: Vec::new(), lost: None }),
        None => Some(lost(path, "an execution did not end in time")),
    }
}

fn lost<E: Environment>(path: Path<E>, why: &str) -> Sample<E> {
    Sample { path, steps: Vec::new(), lost: Some(why.into()) }
}

/// Has all that a thread has stored leave its buffer.
fn empty_buffer<E: Environment>(
    executor: &mut Executor<'_, E>,
    path: &mut Path<E>,
    thread: ThreadId,
) -> Result<(), String> {
    while path.state.end.is_none() {
        let enabled = executor.enabled(&path.state);
        let Some(agent) = enabled.iter().find(|agent| agent.is_buffer() && agent.thread() == thread) else {
            break;
        };
        if let Some(sightings) = &mut executor.notes.sightings {
            sightings.step = path.made.len();
        }
        path.take(executor, *agent, &mut |_| 0)?;
    }
    Ok(())
}
