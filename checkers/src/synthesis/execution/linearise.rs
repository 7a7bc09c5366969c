//! A schedule with few context switches from the order an engine found.
//!
//! Most of such an order is accidental. The execution is determined by reads-from, by the coherence order,
//! and by the order of operations on each object. Among all orders that agree in these, a greedy one is
//! taken. The running thread goes on as long as possible, then the one that can run longest.

use crate::synthesis::execution::machine::{Machine, State};
use crate::synthesis::execution::model::Model;
use crate::synthesis::execution::objects::objects_of;
use crate::synthesis::execution::schedule::{commit_move, thread_move};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::System;
use std::collections::{HashMap, HashSet};
use symx_memmodel::Operation as Memory;
use symx_trace::Move;
use symx_trace::symbolic::ObjectRef;

/// The moves of a schedule that agrees with the model, in which these pairs of events come one after the
/// other in any case. `None` if the model is no execution.
pub fn linearise(problem: &Problem, certain: &[(EventId, EventId)], model: &Model) -> Option<Vec<Move>> {
    let order = Order::of(problem, certain, model)?;
    let machine = Machine::of_one_execution(problem, &model.inputs);
    let walk = Walk { problem, machine: &machine, order: &order };
    let mut at = PartialSchedule::new(problem, &machine);
    // A thread's trial steps are undone: a copy of all positions would take time in proportion to the events.
    at.state.keep_changes();
    let mut running = 0;
    while !machine.is_over(&at.state) {
        let before = at.moves.len();
        walk.run(&mut at, running);
        if machine.is_over(&at.state) {
            break;
        }
        let (mark, moves, done) = (machine.mark(&at.state), at.moves.len(), at.in_order.len());
        let mut length = |thread: usize| {
            walk.run(&mut at, thread);
            let length = at.moves.len() - moves;
            machine.go_back(&mut at.state, mark);
            at.moves.truncate(moves);
            at.in_order.drain(done..).for_each(|event| at.done[event.index()] = false);
            length
        };
        let others = (0..problem.thread_count()).filter(|thread| *thread != running);
        let (longest, thread) = others.map(|thread| (length(thread), std::cmp::Reverse(thread))).max()?;
        if longest == 0 && at.moves.len() == before {
            return None;
        }
        running = thread.0;
    }
    Some(at.moves)
}

/// The moves of a schedule that agrees with the model. It stays as near as it can to another one, in which
/// events take effect at these `places`. Stretches of the events that are `whole` are not interrupted, nor
/// begun before what they wait for.
pub fn follow(
    problem: &Problem,
    system: &System,
    model: &Model,
    places: &[usize],
    whole: &HashSet<EventId>,
) -> Option<Vec<Move>> {
    let order = Order::of(problem, &system.edges, model)?;
    let machine = Machine::of_one_execution(problem, &model.inputs);
    let walk = Walk { problem, machine: &machine, order: &order };
    let mut at = PartialSchedule::new(problem, &machine);
    let mut running = 0;
    while !machine.is_over(&at.state) {
        walk.commit(&mut at);
        let next = |thread: usize| machine.next(&at.state, thread);
        // A stretch once begun is finished.
        let goes_on = next(running).filter(|event| {
            let before = event.0.checked_sub(1).map(EventId);
            let is_inside = |before: EventId| {
                problem.position(before).thread == running
                    && places[before.index()] + 1 == places[event.index()]
                    && at.done[before.index()]
            };
            whole.contains(event) && before.is_some_and(is_inside)
        });
        let mut threads: Vec<(usize, usize)> = (0..problem.thread_count())
            .filter_map(|thread| Some((places[next(thread)?.index()], thread)))
            .collect();
        threads.sort_unstable();
        let wanted =
            goes_on.map(|_| running).into_iter().chain(threads.into_iter().map(|(_, thread)| thread));
        let candidates: Vec<usize> = wanted.collect();
        let taken = candidates.iter().copied().find(|thread| {
            let has_begun = goes_on.is_some() && *thread == running;
            (has_begun || walk.may_begin(&at, *thread, places, whole)) && walk.step(&mut at, *thread)
        });
        running = match taken {
            Some(thread) => thread,
            None => candidates.iter().copied().find(|thread| walk.step(&mut at, *thread))?,
        };
    }
    Some(at.moves)
}

/// Which events must take effect before which.
struct Order {
    before: Vec<Vec<EventId>>,
    wakes: HashMap<EventId, EventId>,
}

impl Order {
    fn of(problem: &Problem, certain: &[(EventId, EventId)], model: &Model) -> Option<Self> {
        let mut place = vec![usize::MAX; problem.event_count()];
        for (number, event) in model.order.iter().enumerate() {
            place[event.index()] = number;
        }
        if place.contains(&usize::MAX) {
            return None;
        }
        let mut before = vec![Vec::new(); problem.event_count()];
        let mut pair = |earlier: EventId, later: EventId| before[later.index()].push(earlier);
        certain.iter().for_each(|(earlier, later)| pair(*earlier, *later));
        let events = &problem.execution.events;
        for location in &problem.execution.locations {
            let id = |event: usize| EventId(event as u32);
            // Events are numbered thread by thread, in program order.
            let mut numbered = location.coherence.clone();
            numbered.sort_unstable();
            let mut writes = numbered.clone();
            writes.sort_unstable_by_key(|write| place[*write]);
            writes.windows(2).for_each(|pair_of| pair(id(pair_of[0]), id(pair_of[1])));
            for (read, _) in &location.reads_from {
                let own = numbered.partition_point(|write| write < read).checked_sub(1);
                let own = own.map(|last| numbered[last]);
                let own = own.filter(|write| events[*write].thread == events[*read].thread);
                // The number of writes up to the one it reads from.
                let mut seen = writes.partition_point(|write| place[*write] < place[*read]);
                if let Some(own) = own.filter(|_| events[*read].operation == Memory::Load) {
                    let own = writes.partition_point(|write| place[*write] <= place[own]);
                    seen = seen.max(own);
                }
                let source = seen.checked_sub(1).map(|last| writes[last]);
                if let Some(source) = source
                    && (events[source].thread != events[*read].thread
                        || events[*read].operation != Memory::Load)
                {
                    pair(id(source), id(*read));
                }
                if let Some(next) = writes.get(seen).filter(|next| *next != read) {
                    pair(id(*read), id(*next));
                }
                // An update comes between the write that it reads from and the next.
                if let Some(after) = writes.get(seen + 1).filter(|_| writes.get(seen) == Some(read)) {
                    pair(id(*read), id(*after));
                }
            }
        }
        let mut of_object: HashMap<ObjectRef, EventId> = HashMap::new();
        for event in &model.order {
            for object in objects_of(problem.operation(*event)) {
                if let Some(last) = of_object.insert(object, *event) {
                    pair(last, *event);
                }
            }
        }
        Some(Self { before, wakes: model.wakes.iter().copied().collect() })
    }
}

/// A schedule as far as it is made, and the state after it.
struct PartialSchedule {
    state: State,
    /// By event, whether it has taken effect.
    done: Vec<bool>,
    /// Those that have, in this order.
    in_order: Vec<EventId>,
    moves: Vec<Move>,
}

impl PartialSchedule {
    fn new(problem: &Problem, machine: &Machine) -> Self {
        let done = vec![false; problem.event_count()];
        Self { state: machine.start(), done, in_order: Vec::new(), moves: Vec::new() }
    }

    /// An event has taken effect.
    fn note(&mut self, event: EventId) {
        self.done[event.index()] = true;
        self.in_order.push(event);
    }
}

struct Walk<'a> {
    problem: &'a Problem,
    machine: &'a Machine<'a>,
    order: &'a Order,
}

impl Walk<'_> {
    /// Lets a thread go on as long as the order allows; stores reach memory as soon as they may.
    fn run(&self, at: &mut PartialSchedule, thread: usize) {
        self.commit(at);
        while self.step(at, thread) {}
    }

    /// Lets a thread take one step, if the order allows it.
    fn step(&self, at: &mut PartialSchedule, thread: usize) -> bool {
        let Some(event) = self.machine.next(&at.state, thread) else { return false };
        let may_wait = self.machine.is_buffered(self.problem.operation(event));
        if !may_wait && !self.is_due(at, event) {
            return false;
        }
        let sleepers = self.machine.sleepers(&at.state, thread);
        // A signal that wakes no thread in the model can only find sleepers that need not be woken in time:
        // any will do.
        let woken = self.order.wakes.get(&event).map(|wait| self.problem.position(*wait).thread);
        let wakes = woken.and_then(|woken| sleepers.iter().position(|sleeper| *sleeper == woken));
        let choice = (!sleepers.is_empty()).then(|| wakes.unwrap_or(0));
        let Ok((_, takes_effect)) = self.machine.execute(&mut at.state, thread, choice.unwrap_or(0)) else {
            return false;
        };
        at.moves.push(thread_move(thread, choice));
        if takes_effect {
            at.note(event);
        }
        self.commit(at);
        true
    }

    /// Whether nothing that the whole stretch beginning with a thread's next event waits for is open.
    fn may_begin(
        &self,
        at: &PartialSchedule,
        thread: usize,
        places: &[usize],
        whole: &HashSet<EventId>,
    ) -> bool {
        let Some(first) = self.machine.next(&at.state, thread) else { return false };
        if !whole.contains(&first) {
            return true;
        }
        let mut last = first;
        for event in self.problem.events_of(thread).filter(|event| *event > first) {
            if !whole.contains(&event) || places[last.index()] + 1 != places[event.index()] {
                break;
            }
            last = event;
        }
        let is_open = |earlier: &EventId| !at.done[earlier.index()] && !(first..=last).contains(earlier);
        !(first.0..=last.0).any(|event| self.order.before[event as usize].iter().any(is_open))
    }

    fn is_due(&self, at: &PartialSchedule, event: EventId) -> bool {
        self.order.before[event.index()].iter().all(|earlier| at.done[earlier.index()])
    }

    fn commit(&self, at: &mut PartialSchedule) {
        if !self.problem.model.buffers_stores() {
            return;
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for thread in 0..self.problem.thread_count() {
                for lane in self.machine.committable(&at.state, thread) {
                    let next = self.machine.next_commit(&at.state, thread, lane);
                    if next.is_some_and(|event| self.is_due(at, event))
                        && let Ok(event) = self.machine.commit(&mut at.state, thread, lane)
                    {
                        at.note(event);
                        at.moves.push(commit_move(thread, lane));
                        changed = true;
                    }
                }
            }
        }
    }
}
