//! All executions of a trace by number of preemptions: none first, then one, and so on.
//!
//! States that a preemption leads to wait until all that take fewer were explored, so each state is left
//! once, with the fewest. The running thread makes no difference to a state that takes one more than before:
//! changing threads costs no more than that. Stores leave their buffers only for a step to which they matter
//! ([`Commits`]).
//!
//! A concrete walk: values are numbers, and an execution that leaves a path is pruned at once. The execution
//! it finds has the fewest preemptions. It knows inputs only as they were recorded, so where there are any,
//! finding nothing shows nothing.

mod commits;
mod fingerprint;
mod walk;

use crate::synthesis::Unknown;
use crate::synthesis::engines::{Answer, Engine};
use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::machine::{Machine, State};
use crate::synthesis::execution::model::Model;
use crate::synthesis::execution::schedule::{Schedule, commit_move, thread_move, validate};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{Atom, Literal};
use commits::Commits;
use fingerprint::fingerprint;
use std::hash::Hash;
use symx_expr::{Assignment, StopToken, evaluate};
use symx_memmodel::{Drain, Lane};
use symx_trace::symbolic::Operation;
use symx_trace::{Agent, Move};
use walk::{Alternative, SearchNode, Walk};

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Preemptions that an execution may have at most.
    pub preemptions: u32,
    /// Steps in all.
    pub steps: u64,
    /// At most about this many steps with each number of preemptions, from the states in which most has
    /// happened (a beam search). An execution found has few preemptions, and may not have the fewest; that
    /// nothing is found shows nothing.
    pub narrow: Option<u64>,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { preemptions: u32::MAX, steps: 2_000_000, narrow: None }
    }
}

/// The engine.
pub struct Search<'p> {
    problem: &'p Problem,
    machine: Machine<'p>,
    inputs: Assignment,
    future: Future,
    /// By event, whether it may have to wait for what others read.
    heeds_others: Vec<bool>,
    /// By thread and number of its events that have happened, the reads on which nothing depends any
    /// more from then on.
    over: Vec<Vec<Vec<EventId>>>,
    /// By thread, the places of the events that wait for stores to reach memory.
    waits: Vec<Vec<usize>>,
    limits: SearchLimits,
    clauses: Vec<Vec<Literal>>,
    /// Executions with fewer preemptions were all looked at, and none is one that was asked for.
    ruled_out: u32,
    stop: StopToken,
}

/// The result of a search.
enum End {
    Found(Vec<Move>),
    /// Nothing; whether executions with more preemptions were left out.
    Exhausted {
        cut: bool,
    },
}

impl<'p> Search<'p> {
    /// A search for executions that show the bug.
    pub fn new(problem: &'p Problem, limits: SearchLimits) -> Self {
        let inputs = problem.recorded_inputs();
        let machine = Machine::of_a_search(problem, &inputs);
        let (future, heeds_others) = (Future::new(problem), machine.heeds_others());
        let over = over(problem, &future);
        let waits_for = |thread: usize| {
            let events = problem.events_of(thread).enumerate();
            let waits =
                events.filter(|(_, event)| machine.drain(problem.operation(*event)) != Drain::Nothing);
            waits.map(|(index, _)| index).collect()
        };
        let waits = (0..problem.thread_count()).map(waits_for).collect();
        let (clauses, stop) = (Vec::new(), StopToken::default());
        Self {
            problem,
            machine,
            inputs,
            future,
            heeds_others,
            over,
            waits,
            limits,
            clauses,
            ruled_out: 0,
            stop,
        }
    }

    /// The same, which ends with other work.
    pub fn stopped_by(self, stop: StopToken) -> Self {
        Self { stop, ..self }
    }

    /// The number of preemptions that the last question has shown to be needed: all executions with fewer
    /// were looked at. Nothing is shown where inputs could have been others than were recorded.
    pub fn at_least(&self) -> u32 {
        if self.is_complete() { self.ruled_out } else { 0 }
    }

    fn is_complete(&self) -> bool {
        self.problem.inputs().next().is_none() && self.problem.free_symbols().is_empty()
    }

    /// Walks; what comes of it, and the number of preemptions below which all executions were looked at.
    fn look(&self, any_order: bool, assumptions: &[Literal]) -> (u32, Result<End, Unknown>) {
        let is_wanted = |state: &State, moves: &[Move]| self.is_wanted(state, moves, assumptions);
        let mut walk = Walk::new(self, any_order, &is_wanted);
        let (mut preemptions, mut looked_at) = (0, 0);
        while self.machine.can_start() && walk.has_more() {
            match walk.go_on(preemptions) {
                Err(reason) => return (looked_at, Err(reason)),
                Ok(Some(moves)) => return (looked_at, Ok(End::Found(moves))),
                Ok(None) => preemptions += 1,
            }
            if !walk.is_partial {
                looked_at = preemptions;
            }
        }
        match walk.is_partial {
            true => (looked_at, Err(Unknown::NarrowSearch)),
            false => (looked_at.max(1), Ok(End::Exhausted { cut: walk.cut })),
        }
    }

    /// The steps that may come next; if `any_order` is, stores are committed only for steps to come.
    fn alternatives(
        &self,
        commits: &Commits,
        state: &State,
        at: &SearchNode,
        any_order: bool,
    ) -> Vec<Alternative> {
        let SearchNode { running, committed, .. } = at;
        let goes_on = running.is_some_and(|running| self.machine.is_enabled(state, running));
        let mut alternatives = Vec::new();
        let waiting = commits.waiting(state);
        let commit = |thread, lane, committed| Alternative {
            step: commit_move(thread, lane),
            is_preemption: false,
            committed,
        };
        let threads = 0..self.problem.thread_count();
        // The last is tried first: going on.
        for thread in threads.clone().rev().filter(|thread| Some(*thread) != *running).chain(*running) {
            let Some(event) = self.machine.next(state, thread) else { continue };
            if committed.as_ref().is_some_and(|committed| committed.thread != thread) {
                continue;
            }
            if any_order && !waiting.is_empty() {
                let before = commits.before(state, &waiting, event, committed.as_ref());
                alternatives.extend(
                    before.into_iter().map(|(owner, lane, before)| commit(owner, lane, Some(before))),
                );
            }
            let is_of_use = committed.as_ref().is_none_or(|committed| commits.all_matter(committed, event));
            if is_of_use && self.machine.is_enabled(state, thread) {
                let is_preemption = goes_on && Some(thread) != *running;
                self.steps_of(state, thread, is_preemption, &mut alternatives);
            }
        }
        let is_last = || threads.clone().all(|thread| self.machine.next(state, thread).is_none());
        if !waiting.is_empty() && (!any_order || is_last()) {
            let lanes = threads.flat_map(|thread| {
                self.machine.committable(state, thread).into_iter().map(move |lane| (thread, lane))
            });
            // The order in which stores leave after all events makes no difference.
            let most = if any_order { 1 } else { usize::MAX };
            alternatives.extend(lanes.take(most).map(|(thread, lane)| commit(thread, lane, None)));
        }
        alternatives
    }

    /// The steps a thread can take: a signal has as many as there are sleepers.
    fn steps_of(
        &self,
        state: &State,
        thread: usize,
        is_preemption: bool,
        alternatives: &mut Vec<Alternative>,
    ) {
        let mut push = |wakes| {
            let step = thread_move(thread, wakes);
            alternatives.push(Alternative { step, is_preemption, committed: None });
        };
        match self.machine.sleepers(state, thread).len() {
            0 => push(None),
            sleepers => (0..sleepers).rev().for_each(|wakes| push(Some(wakes))),
        }
    }

    /// The next step of a running thread, if taking it leaves nothing out. It is an access that no other
    /// thread can distinguish from one that comes later. So a thread that would be interrupted before it may
    /// as well be interrupted after it. (It unblocks no thread, as the end of a critical section does: then
    /// others might have begun to wait in between.)
    fn just_goes_on(&self, state: &State, thread: usize) -> Option<Move> {
        let event = self.machine.next(state, thread)?;
        let is_free = !self.heeds_others[event.index()]
            && match self.problem.model.buffers_stores() {
                false => self.future.is_free_of_others(self.problem, state, event),
                true => self.is_free_beside_buffers(state, thread, event),
            };
        is_free.then(|| thread_move(thread, None))
    }

    /// The same where stores are buffered. The step is a store that only goes into the buffer, or a read of
    /// memory that no other thread is to change. Nor must another thread, once it runs, wait for a buffer
    /// before this thread ends. That wait could be over without a step of a thread, so taking this step in
    /// between would be a needless context switch.
    fn is_free_beside_buffers(&self, state: &State, thread: usize, event: EventId) -> bool {
        let operation = self.problem.operation(event);
        let others = || (0..self.problem.thread_count()).filter(|other| *other != thread);
        let is_pending = || {
            let mut waiting = others().flat_map(|other| self.machine.waiting(state, other));
            waiting.any(|store| self.future.overlap(store, event))
        };
        let is_private = self.machine.is_buffered(operation)
            || matches!(operation, Operation::Read { .. })
                && self.machine.drain(operation) == Drain::Nothing
                && self.future.is_free_of_others(self.problem, state, event)
                && !is_pending();
        let may_wait = |other: usize| {
            let waits = &self.waits[other];
            let next = state.executed(other);
            let to_come = &waits[waits.partition_point(|index| *index < next)..];
            let ends = |index: &&usize| {
                let event = self.problem.event(other, **index);
                matches!(self.problem.operation(event), Operation::Join(joined) if joined.0 as usize == thread)
            };
            to_come.iter().take_while(|index| !ends(index)).any(|index| *index > next)
        };
        is_private && !others().any(may_wait)
    }

    /// The event that a step executes, or whose store it commits.
    fn event_of(&self, state: &State, step: &Move) -> Option<EventId> {
        match step.agent {
            Agent::Thread(thread) => self.machine.next(state, thread.index()),
            Agent::Buffer { thread, lane } => self.machine.next_commit(state, thread.index(), Lane(lane)),
        }
    }

    /// The contents of the places that an event accesses, of those that are still to be read.
    fn contents(&self, state: &State, event: EventId) -> u128 {
        let places = self.future.locations()[event.index()].clone();
        places.filter(|place| self.future.is_read_later(state, *place)).fold(0, |all, place| {
            all ^ fingerprint(|hasher| (place, self.machine.memory(state, place)).hash(hasher))
        })
    }

    fn value_read(&self, state: &State, event: EventId) -> u128 {
        fingerprint(|hasher| (event, self.machine.read_value(state, event)).hash(hasher))
    }

    /// Takes a step; whether it was possible.
    fn repeat(&self, state: &mut State, step: &Move) -> bool {
        match step.agent {
            Agent::Thread(thread) => {
                let wakes = step.choices.first().map_or(0, |choice| *choice as usize);
                self.machine.execute(state, thread.index(), wakes).is_ok()
            }
            Agent::Buffer { thread, lane } => self.machine.commit(state, thread.index(), Lane(lane)).is_ok(),
        }
    }

    /// Takes a step, and notes what becomes of the contents; whether it was possible.
    fn step(&self, state: &mut State, step: &Move, contents: &mut u128) -> bool {
        let Some(event) = self.event_of(state, step) else { return false };
        let before = self.contents(state, event);
        let is_possible = self.repeat(state, step);
        *contents ^= before ^ self.contents(state, event);
        if let Agent::Thread(thread) = step.agent
            && is_possible
        {
            let executed = state.executed(thread.index());
            let is_read = self.problem.operation(event).symbol().is_some();
            if is_read && self.future.needed_until(event) > executed {
                *contents ^= self.value_read(state, event);
            }
            for read in &self.over[thread.index()][executed] {
                *contents ^= self.value_read(state, *read);
            }
        }
        is_possible
    }

    /// Whether a finished execution is one that was asked for.
    fn is_wanted(&self, state: &State, moves: &[Move], assumptions: &[Literal]) -> bool {
        if !self.machine.shows_bug(state) {
            return false;
        }
        if assumptions.is_empty() && self.clauses.is_empty() {
            return true;
        }
        let Ok(schedule) = validate(self.problem, moves, &self.inputs) else { return false };
        let facts = Facts::new(self.problem, &schedule);
        let holds = |literal: &Literal| facts.holds(*literal);
        assumptions.iter().all(holds) && self.clauses.iter().all(|clause| clause.iter().any(holds))
    }

    fn is_understood(literal: &Literal) -> bool {
        matches!(literal.atom, Atom::Before(..) | Atom::Holds(_))
    }
}

/// By thread and number of its events that have happened, the reads before the last of these on which
/// nothing depends any more.
fn over(problem: &Problem, future: &Future) -> Vec<Vec<Vec<EventId>>> {
    let mut over: Vec<Vec<Vec<EventId>>> = (0..problem.thread_count())
        .map(|thread| vec![Vec::new(); problem.events_of(thread).count() + 1])
        .collect();
    for event in problem.events().filter(|event| problem.operation(*event).symbol().is_some()) {
        let (position, until) = (problem.position(event), future.needed_until(event));
        if until > position.index + 1
            && let Some(over) = over[position.thread].get_mut(until)
        {
            over.push(event);
        }
    }
    over
}

/// The literals true of an execution.
struct Facts<'a> {
    problem: &'a Problem,
    schedule: &'a Schedule,
    places: Vec<usize>,
}

impl<'a> Facts<'a> {
    fn new(problem: &'a Problem, schedule: &'a Schedule) -> Self {
        let mut places = vec![0; problem.event_count()];
        schedule.order.iter().enumerate().for_each(|(place, event)| places[event.index()] = place);
        Self { problem, schedule, places }
    }

    fn holds(&self, literal: Literal) -> bool {
        let place = |event: EventId| self.places[event.index()];
        let truth = match literal.atom {
            Atom::Before(one, other) => place(one) < place(other),
            Atom::Holds(condition) => {
                !evaluate(&self.problem.terms, condition, &self.schedule.values).is_zero()
            }
            _ => return false,
        };
        truth == literal.positive
    }
}

impl Engine for Search<'_> {
    fn name(&self) -> &'static str {
        "search"
    }

    fn add(&mut self, clause: &[Literal]) {
        self.clauses.push(clause.to_vec());
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Answer {
        let mut literals = self.clauses.iter().flatten().chain(assumptions);
        if !literals.all(Self::is_understood) {
            return Answer::Unknown(Unknown::ForeignClauses);
        }
        // A state does not record the order that led to it, which clauses ask about.
        let any_order = assumptions.is_empty() && self.clauses.is_empty();
        let (ruled_out, answer) = self.look(any_order, assumptions);
        self.ruled_out = ruled_out;
        let cut = match answer {
            Err(reason) => return Answer::Unknown(reason),
            Ok(End::Exhausted { cut }) => cut,
            Ok(End::Found(moves)) => {
                let Ok(schedule) = validate(self.problem, &moves, &self.inputs) else {
                    return Answer::Unknown(Unknown::NoExecution);
                };
                let wakes = Vec::new();
                let (order, inputs) = (schedule.order, schedule.inputs);
                return Answer::Model(Model { order, wakes, inputs, moves: Some(moves) });
            }
        };
        match (cut, self.is_complete()) {
            (true, _) => Answer::Unknown(Unknown::PreemptionLimit),
            (false, true) => Answer::Core(assumptions.to_vec()),
            (false, false) => Answer::Unknown(Unknown::RecordedInputs),
        }
    }

    fn stop(&self) -> StopToken {
        self.stop.clone()
    }
}
