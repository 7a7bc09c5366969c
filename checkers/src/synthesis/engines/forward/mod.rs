//! Executions of a trace found by running it: threads go on as long as their paths let them.
//!
//! There is one loop ([`walker`]). It is given a space of states, with the test for dead ends in it, and an
//! open list. The [`execution_space`] executes any trace event by event, and its list is a [`stack`]. Where
//! locations say all there is to say, the [`location_space`] looks steps up, and its list is a [`beam`]. One
//! [`schedule`] gives attempts growing limits.
//!
//! Where an order of the events is suggested, or the trace is long, the thread that is first in such an order
//! is preferred. Where that leads nowhere the last choices are made anew, at first a few of them, then more
//! and more ([`window`]).
//!
//! Values are numbers, so inputs are fixed to the recorded ones. It never proves that there is no execution.

mod beam;
mod before;
mod execution_space;
mod limits;
mod location_space;
mod location_states;
mod place;
mod places;
mod reach;
mod schedule;
mod stack;
mod step;
mod supply;
mod turns;
mod wakes;
mod walker;
mod window;

use crate::synthesis::Unknown;
use crate::synthesis::engines::{Answer, Engine};
use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::machine::Machine;
use crate::synthesis::execution::model::Model;
use crate::synthesis::execution::schedule::{thread_move, validate};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::Literal;
use beam::Beam;
use before::Before;
use execution_space::{Checkpoint, ExecutionSpace, Foresight};
use location_space::{LocationSpace, is_exact};
use places::Places;
use stack::Stack;
use std::ops::Range;
use supply::Supply;
use symx_expr::{Assignment, StopToken};
use symx_trace::Move;
pub(in crate::synthesis) use wakes::choose as choose_sleepers;
use walker::{End, Space, walk};

/// The engine.
pub struct Forward<'p> {
    problem: &'p Problem,
    machine: Machine<'p>,
    inputs: Assignment,
    future: Future,
    supply: Supply<'p>,
    places: Places,
    /// By event, when it is to come if nothing speaks against that.
    ranks: Vec<u64>,
    /// Steps in all.
    steps: u64,
    has_clauses: bool,
    stop: StopToken,
}

impl<'p> Forward<'p> {
    /// An engine that stops after this many steps.
    pub fn new(problem: &'p Problem, steps: u64) -> Self {
        let inputs = problem.recorded_inputs();
        let machine = Machine::of_one_that_goes_back(problem, &inputs);
        let future = Future::new(problem);
        let supply = Supply::new(problem, &machine, future.locations());
        let places = Places::new(&supply, &machine, future.locations());
        let stop = StopToken::default();
        let ranks = ranks(problem);
        // A trace that is long takes more.
        let steps = steps.max(limits::STEPS_AN_EVENT * problem.event_count() as u64);
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
        (0..).zip(suggested).for_each(|(place, event)| ranks[event.index()] = place * limits::RANKS_A_STEP);
        return ranks;
    }
    let steps = limits::RANKS_A_STEP * problem.event_count() as u64;
    let rank = |event: EventId| {
        let position = problem.position(event);
        let length = problem.events_of(position.thread).count() as u64;
        position.index as u64 * steps / length
    };
    problem.events().map(rank).collect()
}

impl<'p> Forward<'p> {
    /// Steps of the shortest depth-first attempt.
    fn shortest(&self) -> u64 {
        let threads = (self.problem.thread_count() as u64).max(limits::LEAST_THREADS);
        let states = threads * self.problem.event_count() as u64;
        limits::STEPS_A_THREAD * states + limits::LEAST_STEPS
    }

    /// The execution of these moves, in which signals have no sleepers yet, if it is one that shows the bug.
    fn repeat(&self, moves: &[Move]) -> Option<Model> {
        let moves = wakes::choose(self.problem, &self.inputs, moves)?;
        let schedule = validate(self.problem, &moves, &self.inputs).ok()?;
        let (order, inputs) = (schedule.order, schedule.inputs);
        Some(Model { order, wakes: Vec::new(), inputs, moves: Some(moves) })
    }

    /// The order that was suggested, if it is an execution as it stands.
    fn as_suggested(&self) -> Option<Model> {
        let order = self.problem.suggested().filter(|_| !self.problem.model.buffers_stores())?;
        let moves = order.iter().map(|event| thread_move(self.problem.position(*event).thread, None));
        self.repeat(&moves.collect::<Vec<Move>>())
    }

    /// The order of events by program order and the lives of threads, for a space whose states can be
    /// compared. None if the trace has no such space.
    fn certain_order(&self) -> Option<Before> {
        let is_short = self.problem.event_count() <= limits::MOST_EVENTS_BY_LOCATION;
        let is_comparable = is_short && is_exact(&self.supply, &self.places);
        let mut before = is_comparable.then(|| Before::new(self.problem))?;
        before.close(self.problem).ok()?;
        Some(before)
    }

    /// Makes the attempts with these numbers, until an execution is found or the steps are used up.
    fn attempt(&self, numbers: Range<u64>, orders: Orders, steps: &mut u64) -> Answer {
        let mut spaces = Spaces::new(self, orders);
        for number in numbers {
            let left = steps.saturating_sub(spaces.steps());
            if left == 0 {
                break;
            }
            match spaces.attempt(number, self.shortest(), left, &self.stop) {
                End::Found(moves) => match self.repeat(&moves) {
                    Some(model) => return Answer::Model(model),
                    // Locations of which nothing is known were left out.
                    None if spaces.locations.is_some() => {}
                    None => return Answer::Unknown(Unknown::NoExecution),
                },
                End::Stopped(reason) => return Answer::Unknown(reason),
                End::Exhausted => return Answer::Unknown(Unknown::NoneTried),
                End::Abandoned => {}
            }
        }
        *steps = steps.saturating_sub(spaces.steps());
        Answer::Unknown(Unknown::StepLimit)
    }
}

/// Which event comes before which.
#[derive(Clone, Copy)]
struct Orders<'o> {
    /// As far as single locations show, if that was computed.
    found: Option<&'o Before>,
    /// The same, or less, if there is a space whose states can be compared.
    certain: Option<&'o Before>,
}

/// The spaces of a trace, and the open list that lasts from one attempt to the next.
struct Spaces<'e, 'p> {
    executions: ExecutionSpace<'e, 'p>,
    stack: Stack<Checkpoint>,
    locations: Option<LocationSpace<'e>>,
}

impl<'e, 'p> Spaces<'e, 'p> {
    fn new(forward: &'e Forward<'p>, orders: Orders<'e>) -> Self {
        let Forward { problem, machine, future, supply, places, ranks, .. } = forward;
        let foresight = Foresight { future, supply, places, before: orders.found, ranks };
        let has_order = problem.suggested().is_some() || problem.event_count() > limits::LONG_TRACE;
        Self {
            executions: ExecutionSpace::new(problem, machine, foresight),
            stack: Stack::new(problem.thread_count(), has_order),
            locations: orders.certain.map(|before| LocationSpace::new(supply, places, before)),
        }
    }

    fn steps(&self) -> u64 {
        self.executions.steps() + self.locations.as_ref().map_or(0, Space::steps)
    }

    /// Makes the attempt with a number, of at most `left` steps.
    fn attempt(&mut self, number: u64, shortest: u64, left: u64, stop: &StopToken) -> End {
        let has_beams = self.locations.is_some();
        if let Some((space, width)) = self.locations.as_mut().zip(schedule::beam(number)) {
            let limit = space.steps() + left;
            return walk(space, &mut Beam::new(width, number), limit, stop);
        }
        let (number, factor) = schedule::depth_first(number, has_beams);
        let limit = self.executions.steps() + left.min(factor * shortest);
        self.stack.restart(number, &mut self.executions);
        walk(&mut self.executions, &mut self.stack, limit, stop)
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
        let certain = self.certain_order();
        let orders = Orders { found: None, certain: certain.as_ref() };
        let (alone, mut steps) = (schedule::attempts_alone(certain.is_some()), self.steps);
        let first = self.attempt(0..alone, orders, &mut steps);
        if steps == 0 || !matches!(&first, Answer::Unknown(Unknown::StepLimit)) {
            return first;
        }
        // Questions that took too long in many states are not to count against those of other attempts.
        self.places.all().for_each(|(_, place)| place.forget_answers());
        let Ok(found) = self.places.put_in_order(&self.supply, &self.stop) else {
            return Answer::Unknown(Unknown::RecordedInputs);
        };
        let certain = certain.is_some().then_some(found.as_ref()).flatten().or(certain.as_ref());
        let orders = Orders { found: found.as_ref(), certain };
        self.attempt(alone..u64::MAX, orders, &mut steps)
    }

    fn stop(&self) -> StopToken {
        self.stop.clone()
    }
}
