//! All executions of a trace by number of preemptions: none first, then one, and so on.
//!
//! A concrete walk: values are numbers, and an execution that leaves a path is given up at once. What it finds has the
//! fewest preemptions there are. It knows inputs only as they were recorded, so where there are any, finding nothing
//! shows nothing.

use super::engine::{Answer, Engine, Interrupt, Model};
use super::future::Future;
use super::machine::{Machine, Mark, State};
use super::problem::{EventId, Problem};
use super::schedule::{Schedule, commit_move, execute, thread_move};
use super::system::{Atom, Literal};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use symx_expr::{Assignment, evaluate};
use symx_memmodel::Lane;
use symx_trace::{Agent, Move};

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Preemptions that an execution may have at most.
    pub preemptions: u32,
    /// Steps in all.
    pub steps: u64,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { preemptions: u32::MAX, steps: 2_000_000 }
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
    /// By thread and number of its events that have happened, the reads on which nothing depends any more from then on.
    over: Vec<Vec<Vec<EventId>>>,
    limits: SearchLimits,
    /// Whether executions that do not show the bug will do.
    any_outcome: bool,
    clauses: Vec<Vec<Literal>>,
    /// Executions with fewer preemptions were all looked at, and none is one that was asked for.
    ruled_out: u32,
    interrupt: Interrupt,
}

/// A state on the way to where the walk is.
struct Frame {
    mark: Mark,
    /// How many moves led to it.
    moves: usize,
    /// What memory holds and reads have returned that something still depends on, for telling states apart.
    contents: u128,
    running: Option<usize>,
    /// Preemptions that are left.
    left: u32,
    alternatives: Vec<(Move, u32)>,
}

/// Why a walk ended.
enum End {
    Found(Vec<Move>),
    /// Nothing; whether executions with more preemptions were left out.
    Exhausted {
        cut: bool,
    },
    Stopped(&'static str),
}

impl<'p> Search<'p> {
    /// A search for executions that show the bug.
    pub fn new(problem: &'p Problem, limits: SearchLimits) -> Self {
        let inputs = problem.recorded_inputs();
        let machine = Machine::of_a_search(problem, &inputs);
        let (future, heeds_others) = (Future::new(problem), machine.heeds_others());
        let over = over(problem, &future);
        let (clauses, interrupt) = (Vec::new(), Interrupt::default());
        Self {
            problem,
            machine,
            inputs,
            future,
            heeds_others,
            over,
            limits,
            any_outcome: false,
            clauses,
            ruled_out: 0,
            interrupt,
        }
    }

    /// The same, stopped by an interrupt that there is.
    pub fn stopped_by(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// The number of preemptions that the last question has shown to be needed: all executions with fewer were looked at.
    /// Nothing is shown where inputs could have been others than were recorded.
    pub fn at_least(&self) -> u32 {
        if self.is_complete() { self.ruled_out } else { 0 }
    }

    fn is_complete(&self) -> bool {
        self.problem.inputs().next().is_none() && self.problem.free_symbols().is_empty()
    }

    /// A search for executions that take the paths, whether they show the bug or not.
    pub fn of_paths(problem: &'p Problem, limits: SearchLimits) -> Self {
        Self { any_outcome: true, ..Self::new(problem, limits) }
    }

    fn alternatives(&self, state: &State, running: Option<usize>) -> Vec<(Move, u32)> {
        let goes_on = running.is_some_and(|running| self.machine.is_enabled(state, running));
        let mut alternatives = Vec::new();
        // The last is tried first: going on.
        for thread in (0..self.problem.thread_count()).rev() {
            if Some(thread) != running && self.machine.is_enabled(state, thread) {
                self.steps_of(state, thread, u32::from(goes_on), &mut alternatives);
            }
        }
        for thread in 0..self.problem.thread_count() {
            let lanes = self.machine.committable(state, thread);
            alternatives.extend(lanes.into_iter().map(|lane| (commit_move(thread, lane), 0)));
        }
        if let Some(running) = running.filter(|_| goes_on) {
            self.steps_of(state, running, 0, &mut alternatives);
        }
        alternatives
    }

    /// The steps a thread can take: a signal has as many as there are sleepers.
    fn steps_of(&self, state: &State, thread: usize, cost: u32, alternatives: &mut Vec<(Move, u32)>) {
        match self.machine.sleepers(state, thread).len() {
            0 => alternatives.push((thread_move(thread, None), cost)),
            sleepers => {
                alternatives
                    .extend((0..sleepers).rev().map(|wakes| (thread_move(thread, Some(wakes)), cost)));
            }
        }
    }

    fn walk(&self, most: u32, steps: &mut u64, assumptions: &[Literal]) -> End {
        let mut state = self.machine.start();
        let frame = |state: &State, moves: &[Move], contents, running, left| {
            let alternatives = self.alternatives(state, running);
            Frame {
                mark: self.machine.mark(state),
                moves: moves.len(),
                contents,
                running,
                left,
                alternatives,
            }
        };
        // States do not tell how they came about, which clauses ask about.
        let any_order = assumptions.is_empty() && self.clauses.is_empty();
        let mut seen: HashMap<u128, u32, BuildHasherDefault<DefaultHasher>> = HashMap::default();
        let (mut frames, mut moves, mut cut) = (vec![frame(&state, &[], 0, None, most)], Vec::new(), false);
        if self.machine.is_over(&state) && self.is_wanted(&state, &moves, assumptions) {
            return End::Found(moves);
        }
        while let Some(last) = frames.last_mut() {
            let Some((next, cost)) = last.alternatives.pop() else {
                frames.pop();
                continue;
            };
            if cost > last.left {
                cut = true;
                continue;
            }
            self.machine.go_back(&mut state, last.mark);
            moves.truncate(last.moves);
            let running = match next.agent {
                Agent::Thread(thread) => Some(thread.index()),
                Agent::Buffer { .. } => last.running,
            };
            let (left, mut contents) = (last.left - cost, last.contents);
            let mut next = Some(next);
            let mut is_possible = true;
            while let Some(step) = next.take() {
                if *steps == 0 {
                    return End::Stopped("step-limit");
                }
                *steps -= 1;
                if steps.is_multiple_of(1 << 6) && self.interrupt.is_stopped() {
                    return End::Stopped(Interrupt::REASON);
                }
                is_possible = self.step(&mut state, &step, &mut contents);
                moves.push(step);
                next = running
                    .filter(|thread| is_possible && any_order && self.just_goes_on(&state, *thread))
                    .map(|thread| thread_move(thread, None));
            }
            if !is_possible {
                continue;
            }
            if any_order {
                let fingerprint = contents
                    ^ hash_twice(|hasher| {
                        running.hash(hasher);
                        state.hash_progress(hasher);
                    });
                let has_more = seen.entry(fingerprint).or_insert(0);
                if *has_more > left {
                    continue;
                }
                *has_more = left.saturating_add(1);
            }
            if !self.machine.is_over(&state) {
                frames.push(frame(&state, &moves, contents, running, left));
            } else if self.is_wanted(&state, &moves, assumptions) {
                return End::Found(moves);
            }
        }
        End::Exhausted { cut }
    }

    /// Whether nothing is left out if a running thread takes its next step: it is an access that no other thread can tell from
    /// one that comes later, so who would be interrupted before it may as well be interrupted after it. (It lets nobody go on
    /// who could not, as the end of a locked section does: then others might have come to wait in between.)
    fn just_goes_on(&self, state: &State, thread: usize) -> bool {
        !self.problem.model.buffers_stores()
            && self.machine.next(state, thread).is_some_and(|event| {
                !self.heeds_others[event.index()] && self.future.is_free_of_others(self.problem, state, event)
            })
    }

    /// The event that a step executes, or whose store it commits.
    fn event_of(&self, state: &State, step: &Move) -> Option<EventId> {
        match step.agent {
            Agent::Thread(thread) => self.machine.next(state, thread.index()),
            Agent::Buffer { thread, lane } => self.machine.next_commit(state, thread.index(), Lane(lane)),
        }
    }

    /// What the places that an event accesses hold, of those that are still to be read.
    fn contents(&self, state: &State, event: EventId) -> u128 {
        let places = self.future.locations()[event.index()].clone();
        places.filter(|place| self.future.is_read_later(state, *place)).fold(0, |all, place| {
            all ^ hash_twice(|hasher| (place, self.machine.memory(state, place)).hash(hasher))
        })
    }

    fn value_read(&self, state: &State, event: EventId) -> u128 {
        hash_twice(|hasher| (event, self.machine.read_value(state, event)).hash(hasher))
    }

    /// Takes a step, and notes what becomes of the contents; whether it was possible.
    fn step(&self, state: &mut State, step: &Move, contents: &mut u128) -> bool {
        let Some(event) = self.event_of(state, step) else { return false };
        let before = self.contents(state, event);
        let is_possible = match step.agent {
            Agent::Thread(thread) => {
                let wakes = step.choices.first().map_or(0, |choice| *choice as usize);
                self.machine.execute(state, thread.index(), wakes).is_ok()
            }
            Agent::Buffer { thread, lane } => self.machine.commit(state, thread.index(), Lane(lane)).is_ok(),
        };
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
        if !self.any_outcome && !self.machine.shows_bug(state) {
            return false;
        }
        if assumptions.is_empty() && self.clauses.is_empty() {
            return true;
        }
        let Ok(schedule) = execute(self.problem, moves, &self.inputs, !self.any_outcome) else {
            return false;
        };
        let facts = Facts::new(self.problem, &schedule);
        let holds = |literal: &Literal| facts.holds(*literal);
        assumptions.iter().all(holds) && self.clauses.iter().all(|clause| clause.iter().any(holds))
    }

    fn is_understood(literal: &Literal) -> bool {
        matches!(literal.atom, Atom::Before(..) | Atom::Holds(_))
    }
}

/// By thread and number of its events that have happened, the reads before the last of these on which nothing depends any more.
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

/// What was true of an execution.
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

/// What tells parts of states apart: two of 2^64 such states in one walk look the same.
fn hash_twice(part: impl Fn(&mut DefaultHasher)) -> u128 {
    let hash = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        part(&mut hasher);
        hasher.finish()
    };
    u128::from(hash(0)) << 64 | u128::from(hash(0x9e37_79b9_7f4a_7c15))
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
            return Answer::Unknown("a search understands orders and conditions only".into());
        }
        self.ruled_out = 0;
        let mut steps = self.limits.steps;
        let mut most = 0;
        let cut = loop {
            if !self.machine.can_start() {
                break false;
            }
            self.ruled_out = most;
            match self.walk(most, &mut steps, assumptions) {
                End::Found(moves) => {
                    let Ok(schedule) = execute(self.problem, &moves, &self.inputs, !self.any_outcome) else {
                        return Answer::Unknown("an execution that cannot be repeated".into());
                    };
                    let wakes = Vec::new();
                    let (order, inputs) = (schedule.order, schedule.inputs);
                    return Answer::Model(Model { order, wakes, inputs, moves: Some(moves) });
                }
                End::Exhausted { cut } if !cut || most >= self.limits.preemptions => break cut,
                End::Exhausted { .. } => most += 1,
                End::Stopped(reason) => return Answer::Unknown(reason.into()),
            }
        };
        self.ruled_out = most.saturating_add(1);
        match (cut, self.is_complete()) {
            (true, _) => Answer::Unknown("preemption-limit".into()),
            (false, true) => Answer::Core(assumptions.to_vec()),
            (false, false) => Answer::Unknown("none with the inputs recorded".into()),
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }
}
