//! Executions of a trace whose threads only access memory, by the states of its locations.
//!
//! A state is how far each thread is and what state each [location](super::place) is in. A step changes the
//! state of one location, which is looked up: no term is evaluated twice. Where no single location is a dead
//! end, threads can still wait for each other in cycles. So each state is checked for that
//! ([`reach`](super::reach)). Accesses to locations of which nothing is known are left out. The caller
//! executes the result.

use super::before::Before;
use super::limits::LOOKUPS_AN_EVENT;
use super::location_states::States;
use super::places::Places;
use super::reach::Reach;
use super::step::Step;
use super::supply::Supply;
use super::turns::Turns;
use super::walker::{Comparable, Space};
use crate::synthesis::execution::schedule::thread_move;
use crate::synthesis::problem::{EventId, Problem};
use symx_trace::Move;
use symx_trace::symbolic::Operation;

/// The steps before a step: threads, with how many of their steps.
type Needs = Box<[(usize, usize)]>;

/// A state that is kept.
pub(super) struct Kept {
    states: Box<[u32]>,
    taken: Box<[usize]>,
    fingerprint: u64,
    /// The last of the steps that lead to it; none before the first.
    last: Option<u32>,
}

/// One execution on its way.
pub(super) struct LocationSpace<'e> {
    problem: &'e Problem,
    before: &'e Before,
    /// By thread.
    all: Vec<Vec<Step>>,
    /// By thread and step, the steps that come before it in any case and not before an earlier one.
    needs: Vec<Vec<Needs>>,
    /// By thread, how many steps it has taken.
    taken: Vec<usize>,
    /// By location, the number of its state.
    states: Vec<u32>,
    known: States<'e>,
    reach: Reach,
    turns: Turns,
    /// Fingerprint of the state; two states collide with a probability of 2^-64.
    fingerprint: u64,
    /// Steps that lead to states kept: the thread of each, and the number of the step before it.
    path: Vec<(usize, Option<u32>)>,
    /// The last of them that leads to the state, and the threads of the steps since.
    last: Option<u32>,
    since: Vec<usize>,
    /// Steps taken in all states.
    lookups: u64,
}

/// Whether locations determine a trace completely. No operation waits but for lives of threads, all
/// conditions are on single reads, and values written are known where conditions depend on them.
pub(super) fn is_exact(supply: &Supply, places: &Places) -> bool {
    let problem = supply.problem;
    let is_plain = |event: EventId| {
        let operation = problem.operation(event);
        operation.is_access_or_fence()
            || matches!(
                operation,
                Operation::Create(_) | Operation::Begin | Operation::End | Operation::Join(_)
            )
    };
    !problem.model.buffers_stores()
        && problem.events().all(is_plain)
        && problem.trace.threads.iter().all(|thread| thread.blocked.is_none())
        && problem.conditions().all(|condition| supply.is_on_one_read(condition))
        && places.all().next().is_some()
        && places.all().all(|(_, place)| place.is_determined())
}

impl<'e> LocationSpace<'e> {
    /// The first state. Steps keep the order `before`.
    pub(super) fn new(supply: &'e Supply<'e>, places: &'e Places, before: &'e Before) -> Self {
        let problem = supply.problem;
        let threads = problem.thread_count();
        let mut all: Vec<Vec<Step>> = vec![Vec::new(); threads];
        for (location, place) in places.all() {
            for (visitor, (thread, events)) in place.visits().enumerate() {
                all[thread].extend(events.enumerate().map(|(done, event)| Step {
                    event,
                    location,
                    visitor,
                    done,
                    only_looks: place.only_looks(visitor, done),
                }));
            }
        }
        all.iter_mut().for_each(|steps| steps.sort_unstable_by_key(|step| step.event));
        let needs = (0..threads).map(|thread| needs_of(problem, before, &all, thread)).collect();
        let mut reach = Reach::new(supply, places, &all);
        let turns = Turns::new(&mut reach, all.iter().map(Vec::len));
        let known = States::new(supply, places, &reach);
        Self {
            problem,
            before,
            all,
            needs,
            taken: vec![0; threads],
            states: vec![0; problem.execution.locations.len()],
            known,
            reach,
            turns,
            fingerprint: 0,
            path: Vec::new(),
            last: None,
            since: Vec::new(),
            lookups: 0,
        }
    }

    /// Lets threads take steps that only look and see the value they ask for, for as long as one does.
    fn look_around(&mut self) {
        let mut has_looked = true;
        while std::mem::take(&mut has_looked) {
            for thread in 0..self.all.len() {
                while self.next(thread).is_some_and(|next| next.only_looks) && self.step(thread) {
                    has_looked = true;
                }
            }
        }
    }

    fn next(&self, thread: usize) -> Option<Step> {
        self.all[thread].get(self.taken[thread]).copied()
    }

    /// Lets a thread take a step; whether it could.
    fn step(&mut self, thread: usize) -> bool {
        let Some(next) = self.next(thread) else { return false };
        let needs = &self.needs[thread][self.taken[thread]];
        if needs.iter().any(|(other, need)| *need > self.taken[*other]) {
            return false;
        }
        self.lookups += 1;
        let state = self.states[next.location];
        let Some(after) = self.known.after(next.location, state, next.visitor, &self.reach) else {
            return false;
        };
        self.states[next.location] = after;
        let fingerprint = |state: u32| self.known.known(next.location, state).fingerprint;
        self.fingerprint ^= fingerprint(state) ^ fingerprint(after);
        self.since.push(thread);
        self.taken[thread] += 1;
        true
    }
}

impl Space for LocationSpace<'_> {
    fn start(&mut self) -> bool {
        self.states.fill(0);
        self.taken.fill(0);
        self.path.clear();
        self.since.clear();
        (self.fingerprint, self.last) = (0, None);
        self.look_around();
        true
    }

    fn go_on(&mut self, thread: usize) -> bool {
        let can = self.step(thread);
        if can {
            self.look_around();
        }
        can
    }

    fn is_over(&self) -> bool {
        self.all.iter().zip(&self.taken).all(|(steps, taken)| steps.len() == *taken)
    }

    fn shows_bug(&self) -> bool {
        true
    }

    fn threads(&self) -> usize {
        self.all.len()
    }

    fn steps(&self) -> u64 {
        self.lookups / LOOKUPS_AN_EVENT
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The steps as moves, with all events in between.
    fn moves(&self) -> Vec<Move> {
        let mut threads: Vec<usize> = self.since.iter().rev().copied().collect();
        let mut last = self.last;
        while let Some((thread, before)) = last.map(|step| self.path[step as usize]) {
            threads.push(thread);
            last = before;
        }
        let (problem, before) = (self.problem, self.before);
        let mut order = Order { problem, before, done: vec![0; self.all.len()], moves: Vec::new() };
        let mut taken = vec![0; self.all.len()];
        for thread in threads.into_iter().rev() {
            let event = self.all[thread][taken[thread]].event;
            order.bring(thread, self.problem.position(event).index + 1);
            taken[thread] += 1;
        }
        for thread in 0..self.all.len() {
            order.bring(thread, self.problem.events_of(thread).count());
        }
        order.moves
    }
}

impl Comparable for LocationSpace<'_> {
    type Kept = Kept;

    fn keep(&mut self) -> Kept {
        for thread in self.since.drain(..) {
            self.path.push((thread, self.last));
            self.last = Some(self.path.len() as u32 - 1);
        }
        let (states, taken) = (self.states.clone().into(), self.taken.clone().into());
        Kept { states, taken, fingerprint: self.fingerprint, last: self.last }
    }

    fn return_to(&mut self, kept: &Kept) {
        self.states.copy_from_slice(&kept.states);
        self.taken.copy_from_slice(&kept.taken);
        (self.fingerprint, self.last) = (kept.fingerprint, kept.last);
        self.since.clear();
    }

    fn turns_left(&self) -> u32 {
        self.taken.iter().enumerate().map(|(thread, step)| self.turns.left(thread, *step)).sum()
    }

    fn taken(&self) -> &[usize] {
        &self.taken
    }

    fn can_go_on(&mut self) -> bool {
        self.reach.can_go_on(self.known.all_known(&self.states), &self.taken)
    }
}

/// By step of a thread, how many steps of which others come before it and not before an earlier one.
fn needs_of(problem: &Problem, before: &Before, all: &[Vec<Step>], thread: usize) -> Vec<Needs> {
    let mut known = vec![0; all.len()];
    let of_step = |step: &Step| {
        let counts = before.of(step.event).iter().enumerate().filter(|(other, _)| *other != thread);
        let needs = counts.map(|(other, count)| {
            let is_before = |step: &Step| problem.position(step.event).index < *count as usize;
            (other, all[other].partition_point(is_before))
        });
        needs.filter(|(other, need)| *need > std::mem::replace(&mut known[*other], *need)).collect()
    };
    all[thread].iter().map(of_step).collect()
}

/// Events in the order of their steps.
struct Order<'e> {
    problem: &'e Problem,
    before: &'e Before,
    done: Vec<usize>,
    moves: Vec<Move>,
}

impl Order<'_> {
    /// Lets the first `count` events of a thread happen, and before each the events that come before it.
    fn bring(&mut self, thread: usize, count: usize) {
        let mut open = vec![(thread, count)];
        while let Some((thread, count)) = open.last().copied() {
            if self.done[thread] >= count {
                open.pop();
                continue;
            }
            let event = self.problem.event(thread, self.done[thread]);
            let counts = self.before.of(event).iter().enumerate();
            let mut missing =
                counts.filter(|(other, count)| *other != thread && self.done[*other] < **count as usize);
            if let Some((other, count)) = missing.next() {
                open.push((other, *count as usize));
                continue;
            }
            self.done[thread] += 1;
            self.moves.push(thread_move(thread, None));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesis::engines::forward::beam::{Beam, Width};
    use crate::synthesis::engines::forward::walker::{End, walk};
    use crate::synthesis::execution::future::Future;
    use crate::synthesis::execution::machine::Machine;
    use std::sync::Arc;
    use symx_expr::{Assignment, StopToken, Term, Terms};
    use symx_memmodel::MODELS;
    use symx_trace::ThreadName;
    use symx_trace::symbolic::{AccessOrdering, SymbolicTrace, ThreadRef, TraceBuilder};

    /// Two threads each set a place that the other one reads as set: first or, for a cycle, only after they
    /// have read.
    fn exchange(in_circles: bool) -> SymbolicTrace {
        const PLAIN: AccessOrdering = AccessOrdering::NotAtomic;
        let terms = Terms::new();
        let mut builder = TraceBuilder::new(&terms);
        let places = [builder.variable("one", 4), builder.variable("other", 4)];
        for thread in 1..=2 {
            let created = builder.thread(ThreadName::main().child(thread));
            builder.event(ThreadRef(0), Operation::Create(created));
            builder.event(created, Operation::Begin);
        }
        let set = terms.constant(32, 1);
        for (thread, own, others) in [(ThreadRef(1), 0, 1), (ThreadRef(2), 1, 0)] {
            if !in_circles {
                builder.write(thread, places[own], PLAIN, set);
            }
            let read = builder.read(thread, places[others], PLAIN);
            builder.condition(thread, terms.equal(read, set));
            if in_circles {
                builder.write(thread, places[own], PLAIN, set);
            }
        }
        builder.finish(Term::TRUE, None)
    }

    /// Whether no threads seem to wait in a cycle at first, and whether an execution is found.
    fn walked(trace: SymbolicTrace) -> (bool, bool) {
        let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
        let machine = Machine::new(&problem, &Assignment::new());
        let future = Future::new(&problem);
        let supply = Supply::new(&problem, &machine, future.locations());
        let places = Places::new(&supply, &machine, future.locations());
        assert!(is_exact(&supply, &places));
        let mut before = Before::new(&problem);
        before.close(&problem).expect("program order is an order");
        let mut space = LocationSpace::new(&supply, &places, &before);
        let can_go_on = space.can_go_on();
        let mut beam = Beam::new(Width { all: 4, alike: 4 }, 0);
        let moves = match walk(&mut space, &mut beam, u64::MAX, &StopToken::default()) {
            End::Found(moves) => Some(moves),
            _ => None,
        };
        assert!(moves.as_ref().is_none_or(|moves| moves.len() == problem.event_count()));
        (can_go_on, moves.is_some())
    }

    /// A thread sets a place and reads the value that another one sets: it is interrupted in between.
    #[test]
    fn a_thread_that_reads_another_value_than_its_own_takes_two_turns() {
        let terms = Terms::new();
        let mut builder = TraceBuilder::new(&terms);
        let place = builder.variable("place", 4);
        for thread in 1..=2 {
            let created = builder.thread(ThreadName::main().child(thread));
            builder.event(ThreadRef(0), Operation::Create(created));
            builder.event(created, Operation::Begin);
        }
        for (thread, value) in [(1, 1), (2, 2)] {
            let value = terms.constant(32, value);
            builder.write(ThreadRef(thread), place, AccessOrdering::NotAtomic, value);
        }
        let read = builder.read(ThreadRef(1), place, AccessOrdering::NotAtomic);
        builder.condition(ThreadRef(1), terms.equal(read, terms.constant(32, 2)));
        let trace = builder.finish(Term::TRUE, None);
        let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
        let machine = Machine::new(&problem, &Assignment::new());
        let future = Future::new(&problem);
        let supply = Supply::new(&problem, &machine, future.locations());
        let places = Places::new(&supply, &machine, future.locations());
        let mut before = Before::new(&problem);
        before.close(&problem).expect("program order is an order");
        let mut space = LocationSpace::new(&supply, &places, &before);
        let left =
            [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)].map(|(thread, step)| space.turns.left(thread, step));
        assert_eq!(left, [0, 2, 1, 0, 1]);
        let at_first = space.known.all_known(&space.states);
        assert_eq!(space.reach.comes_alone(1, 1, 2, at_first), 1, "the place holds neither value yet");
        assert_eq!(space.reach.comes_alone(1, 1, 2, std::iter::empty()), 2, "it may hold anything");
    }

    #[test]
    fn a_cycle_of_waits_is_seen_before_any_thread_moves() {
        assert_eq!(walked(exchange(false)), (true, true));
        assert_eq!(walked(exchange(true)), (false, false));
    }
}
