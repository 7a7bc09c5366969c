//! Executions of a trace found by running it: threads go on as long as their paths let them.
//!
//! As the paths are given, it is known who will touch what. Events that commute with all that others may
//! still do happen at once, and so do stretches that only look: who waits for a value to be there takes it
//! when it is. What is left to choose is who goes on among those that change something; where nobody can
//! without leaving his path, the walk goes back, and after a while restarts with other preferences. States
//! that lead nowhere are remembered.
//!
//! Where an order of the events is suggested, or the trace is long, who comes first in such an order is
//! preferred, and where that leads nowhere the last choices are made anew, at first few of them, then
//! more and more ([`window`]).
//!
//! Values are numbers, so this knows nothing of inputs but what was recorded, and never that
//! there is no execution.

mod before;
mod place;
mod places;
mod reach;
mod supply;
mod unlocked;
mod wakes;
mod walk;
mod window;

use crate::synthesis::Unknown;
use crate::synthesis::engines::{Answer, Engine, Model};
use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::machine::Machine;
use crate::synthesis::execution::schedule::{execute, thread_move};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::Literal;
use before::Before;
use places::Places;
use supply::Supply;
use symx_expr::{Assignment, StopToken};
use symx_trace::Move;
use unlocked::{LayerLimits, Unlocked, Which, is_unlocked};
pub(in crate::synthesis) use wakes::choose as choose_sleepers;
use walk::{End, Foresight, Walk};

/// The engine.
pub struct Forward<'p> {
    problem: &'p Problem,
    machine: Machine<'p>,
    inputs: Assignment,
    future: Future,
    supply: Supply,
    places: Places,
    /// By event, when it is to come if nothing speaks against that.
    ranks: Vec<u64>,
    /// Steps in all.
    steps: u64,
    has_clauses: bool,
    stop: StopToken,
}

impl<'p> Forward<'p> {
    /// An engine that gives up after so many steps.
    pub fn new(problem: &'p Problem, steps: u64) -> Self {
        let inputs = problem.recorded_inputs();
        let machine = Machine::of_one_that_goes_back(problem, &inputs);
        let future = Future::new(problem);
        let supply = Supply::new(problem, &machine, future.locations());
        let places = Places::new(problem, &supply, &machine, future.locations());
        let stop = StopToken::default();
        let ranks = ranks(problem);
        // A trace that is long takes more.
        let steps = steps.max(STEPS_AN_EVENT * problem.event_count() as u64);
        Self { problem, machine, inputs, future, supply, places, ranks, steps, has_clauses: false, stop }
    }

    /// The same, stopped by an interrupt that there is.
    pub fn stopped_by(self, stop: StopToken) -> Self {
        Self { stop, ..self }
    }
}

/// By event, its place in the order suggested; else threads are to be equally far on their ways.
fn ranks(problem: &Problem) -> Vec<u64> {
    if let Some(suggested) = problem.suggested() {
        let mut ranks = vec![u64::from(u32::MAX); problem.event_count()];
        (0..).zip(suggested).for_each(|(place, event)| ranks[event.index()] = place * RANKS_A_STEP);
        return ranks;
    }
    let steps = RANKS_A_STEP * problem.event_count() as u64;
    let rank = |event: EventId| {
        let position = problem.position(event);
        let length = problem.events_of(position.thread).count() as u64;
        position.index as u64 * steps / length
    };
    problem.events().map(rank).collect()
}

/// So far apart are the ranks of events that are to follow each other.
const RANKS_A_STEP: u64 = 16;
/// So many steps are taken for an event of a long trace.
const STEPS_AN_EVENT: u64 = 1_024;

/// The sequence 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair and Zuckerman, 1993), from its first member on.
fn luby(number: u64) -> u64 {
    let (mut number, mut size) = (number, 1_u64);
    while size < number + 1 {
        size = 2 * size + 1;
    }
    while size - 1 != number {
        size /= 2;
        number %= size;
    }
    size.div_ceil(2)
}

/// So many states of a trace of reads and writes alone are kept after each step, in turn.
const ABREAST: [usize; 3] = [50, 100, 100];
/// And so many after each change of threads, in turn, before it is found out what comes before what.
const LAYERS: [LayerLimits; 13] = [
    best(1_000, 4),
    of_each(50, 2),
    best(500, 4),
    of_each(100, 2),
    best(1_000, 4),
    best(2_000, 4),
    of_each(100, 2),
    of_each(200, 4),
    best(2_000, 4),
    of_each(100, 2),
    of_each(50, 2),
    best(4_000, 4),
    of_each(200, 4),
];
/// So many of either afterwards.
const ABREAST_IN_ORDER: [usize; 3] = [50, 200, 800];
const LAYERS_IN_ORDER: [LayerLimits; 2] = [best(1_000, 4), best(4_000, 4)];

const fn best(width: usize, apart: usize) -> LayerLimits {
    LayerLimits { width, apart, which: Which::Best }
}

const fn of_each(width: usize, apart: usize) -> LayerLimits {
    LayerLimits { width, apart, which: Which::OfEach }
}

/// So many steps are taken in such a trace if that is to no avail.
const STEPS_UNLOCKED: u64 = 5_000_000;
/// Longer traces are none of these: what comes before each of their events would take long to tell.
const MOST_EVENTS_UNLOCKED: usize = 1 << 15;
/// So many of the shortest attempts are made before it is found out what comes before what.
const ATTEMPTS_ALONE: u64 = 8;

impl Forward<'_> {
    /// Steps of the shortest attempt.
    fn shortest(&self) -> u64 {
        // Each thread is looked at in each state.
        let looks = 16.max(4 * self.problem.thread_count() as u64);
        looks * self.problem.event_count() as u64 + 1024
    }

    /// The execution of these moves, in which nobody has said whom signals wake, if it is one
    /// that shows the bug.
    fn repeat(&self, moves: &[Move]) -> Option<Model> {
        let moves = wakes::choose(self.problem, &self.inputs, moves)?;
        let schedule = execute(self.problem, &moves, &self.inputs, true).ok()?;
        let (order, inputs) = (schedule.order, schedule.inputs);
        Some(Model { order, wakes: Vec::new(), inputs, moves: Some(moves) })
    }

    /// The order that was suggested, if it is an execution as it stands.
    fn as_suggested(&self) -> Option<Model> {
        let order = self.problem.suggested().filter(|_| !self.problem.model.buffers_stores())?;
        let moves = order.iter().map(|event| thread_move(self.problem.position(*event).thread, None));
        self.repeat(&moves.collect::<Vec<Move>>())
    }

    /// Walks until an execution is found, or so many steps are taken.
    fn walk(&self, before: Option<&Before>, steps: u64) -> Answer {
        let (future, supply, places) = (&self.future, &self.supply, &self.places);
        let foresight = Foresight { future, supply, places, before, ranks: &self.ranks };
        let mut walk = Walk::new(self.problem, &self.machine, foresight, &self.stop, steps);
        for attempt in 0.. {
            match walk.attempt(attempt, self.shortest() * luby(attempt)) {
                End::Found(moves) => {
                    let repeated = self.repeat(&moves).map(Answer::Model);
                    return repeated.unwrap_or_else(|| Answer::Unknown(Unknown::NoExecution));
                }
                End::Stopped(reason) => return Answer::Unknown(reason),
                End::Exhausted => return Answer::Unknown(Unknown::NoneTried),
                End::Abandoned => {}
            }
        }
        Answer::Unknown(Unknown::StepLimit)
    }

    /// Walks a trace of reads and writes alone; nothing if none is found, or if it is another one.
    fn walk_unlocked(&self, before: &Before, steps: u64) -> Option<Model> {
        let mut walk = Unlocked::new(self.problem, &self.supply, &self.places, before, steps);
        self.repeat(&walk.walk(&self.stop)?)
    }

    /// Walks such a trace with so many states abreast, in turn, and then in layers. Which of several states
    /// are kept is left to chance, so the same limits can do what they did not do before.
    fn walk_abreast(&self, before: &Before, widths: &[usize], layers: &[LayerLimits]) -> Option<Model> {
        let mut walk = Unlocked::new(self.problem, &self.supply, &self.places, before, u64::MAX);
        let abreast = widths.iter().find_map(|width| self.repeat(&walk.walk_abreast(*width, &self.stop)?));
        let found = abreast.or_else(|| {
            layers.iter().find_map(|limits| self.repeat(&walk.walk_in_layers(*limits, &self.stop)?))
        });
        // What took too long to tell in so many states is not to count against those of other walks.
        self.places.all().for_each(|(_, place)| place.forget_answers());
        found
    }

    /// What comes before what in any case, program order and lives alone, if a trace is one of
    /// reads and writes alone.
    fn before_of_unlocked(&self) -> Option<Before> {
        let is_short = self.problem.event_count() <= MOST_EVENTS_UNLOCKED;
        let mut before = (is_short && is_unlocked(self.problem, &self.supply, &self.places))
            .then(|| Before::new(self.problem))?;
        before.close(self.problem).ok()?;
        Some(before)
    }
}

impl Engine for Forward<'_> {
    fn name(&self) -> &'static str {
        "forward walk"
    }

    fn add(&mut self, _: &[Literal]) {
        self.has_clauses = true;
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Answer {
        if self.has_clauses || !assumptions.is_empty() {
            return Answer::Unknown(Unknown::ForeignClauses);
        }
        if !self.machine.can_start() {
            return Answer::Unknown(Unknown::RecordedInputs);
        }
        if let Some(model) = self.as_suggested() {
            return Answer::Model(model);
        }
        let unlocked = self.before_of_unlocked();
        let walked = unlocked.as_ref().and_then(|before| self.walk_abreast(before, &ABREAST, &LAYERS));
        if let Some(model) = walked {
            return Answer::Model(model);
        }
        // Most need no more than this; to find out what comes before what takes longer.
        let alone = (ATTEMPTS_ALONE * self.shortest()).min(self.steps);
        if unlocked.is_none() {
            let first = self.walk(None, alone);
            let stopped = matches!(&first, Answer::Unknown(Unknown::StepLimit)) && alone < self.steps;
            if !stopped {
                return first;
            }
        }
        let Ok(before) = self.places.put_in_order(self.problem, &self.supply, &self.stop) else {
            return Answer::Unknown(Unknown::RecordedInputs);
        };
        if let (Some(_), Some(before)) = (&unlocked, &before)
            && let Some(model) = self
                .walk_abreast(before, &ABREAST_IN_ORDER, &LAYERS_IN_ORDER)
                .or_else(|| self.walk_unlocked(before, STEPS_UNLOCKED))
        {
            return Answer::Model(model);
        }
        self.walk(before.as_ref(), self.steps - alone)
    }

    fn stop(&self) -> StopToken {
        self.stop.clone()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn attempts_grow_slowly() {
        let first: Vec<u64> = (0..15).map(super::luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
