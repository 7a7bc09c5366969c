//! A faster walk of traces whose threads do nothing but read and write, as users of a cache without locks do.
//!
//! What such an execution has come to is how far each thread is and what state each [place](super::place) is
//! in, and its next states are those of the one place that is accessed: no term is looked at twice. Where
//! single places are all right, threads can still wait for each other in circles, so each step is asked
//! whether threads can [go on](super::reach) after it. Accesses to places of which nothing can be told are
//! left out; what is found is executed anew by whoever asked.

mod beam;
mod kept;
mod layers;
mod states;
mod stretches;

pub(super) use layers::{LayerLimits, Which};

use super::before::Before;
use super::places::Places;
use super::reach::Reach;
use super::supply::Supply;
use super::window::Window;
use crate::synthesis::execution::schedule::thread_move;
use crate::synthesis::problem::{EventId, Problem};
use rustc_hash::FxHashSet;
pub(super) use states::Known;
use states::States;
use stretches::Stretches;
use symx_expr::StopToken;
use symx_trace::Move;
use symx_trace::symbolic::Operation;

/// An access to a place of which something can be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The event.
    pub event: EventId,
    /// The place's location.
    pub location: usize,
    /// The thread's number among those that access the place.
    pub visitor: usize,
    /// How many accesses the thread has made there before.
    pub done: usize,
    /// Whether it is a read whose value nobody writes back.
    pub only_looks: bool,
}

/// What comes before a step: threads, with how many of their steps.
type Needs = Box<[(usize, usize)]>;

/// Who may go on in a state, the best last, and how to come back to it.
struct Fork {
    changes: usize,
    running: Option<usize>,
    fingerprint: u64,
    left: Vec<usize>,
}

/// One execution on its way.
pub(super) struct Unlocked<'e> {
    problem: &'e Problem,
    before: &'e Before,
    /// By thread.
    steps: Vec<Vec<Step>>,
    /// By thread and step, what comes before it in any case and not before an earlier one.
    needs: Vec<Vec<Needs>>,
    /// By thread, how many steps it has taken.
    taken: Vec<usize>,
    /// By location, the number of the state in which the place is.
    states: Vec<u32>,
    known: States<'e>,
    /// Who went on, with the state in which the place was before.
    changes: Vec<(usize, u32)>,
    reach: Reach,
    stretches: Stretches,
    /// What tells states apart: one of 2^64 looks like another.
    fingerprint: u64,
    running: Option<usize>,
    /// States that lead nowhere.
    dead: FxHashSet<u64>,
    /// Steps left.
    left: u64,
    random: u64,
    /// By thread, which is preferred, the highest first.
    preference: Vec<u64>,
    /// Whether anybody goes on where several can, not who runs.
    is_random: bool,
}

/// In so many of a hundred choices who runs goes on.
const STAYS: u64 = 95;

/// Whether a trace is of this kind: no operation waits but for lives of threads, all conditions are on single
/// reads, and it is known what is written where they are asked.
pub(super) fn is_unlocked(problem: &Problem, supply: &Supply, places: &Places) -> bool {
    let is_plain = |event: EventId| {
        matches!(
            problem.operation(event),
            Operation::Read { .. }
                | Operation::Write { .. }
                | Operation::ReadModifyWrite { .. }
                | Operation::Effect { .. }
                | Operation::Fence { .. }
                | Operation::Create(_)
                | Operation::Begin
                | Operation::End
                | Operation::Join(_)
        )
    };
    !problem.model.buffers_stores()
        && problem.events().all(is_plain)
        && problem.trace.threads.iter().all(|thread| thread.blocked.is_none())
        && problem.conditions().all(|condition| supply.is_on_one_read(problem, condition))
        && places.all().next().is_some()
        && places.all().all(|(_, place)| place.is_told())
}

impl<'e> Unlocked<'e> {
    /// A walk that keeps to what comes before what.
    pub(super) fn new(
        problem: &'e Problem,
        supply: &'e Supply,
        places: &'e Places,
        before: &'e Before,
        steps: u64,
    ) -> Self {
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
        let mut reach = Reach::new(problem, supply, places, &all);
        let stretches = Stretches::new(&mut reach, all.iter().map(Vec::len));
        let known = States::new(problem, supply, places, &reach);
        Self {
            problem,
            before,
            steps: all,
            needs,
            taken: vec![0; threads],
            states: vec![0; problem.execution.locations.len()],
            known,
            changes: Vec::new(),
            reach,
            stretches,
            fingerprint: 0,
            running: None,
            dead: FxHashSet::default(),
            left: steps,
            random: 0x9e37_79b9_7f4a_7c15,
            preference: (0..threads as u64).rev().collect(),
            is_random: false,
        }
    }

    /// An execution, if one is found in time.
    pub(super) fn walk(&mut self, stop: &StopToken) -> Option<Vec<Move>> {
        let all: usize = self.steps.iter().map(Vec::len).sum();
        let mut window = Window::new(PATIENCE, self.left);
        let mut forks: Vec<Fork> = Vec::new();
        let mut is_new = true;
        while self.left > 0 && !stop.is_over() {
            if std::mem::take(&mut is_new) {
                let left = self.choices();
                if self.changes.len() == all {
                    return Some(self.moves(self.changes.iter().map(|(thread, _)| *thread)));
                }
                let fingerprint = self.fingerprint;
                if !left.is_empty() && !self.dead.contains(&fingerprint) {
                    forks.push(Fork {
                        changes: self.changes.len(),
                        running: self.running,
                        fingerprint,
                        left,
                    });
                }
            }
            if let Some(anew) = window.is_used_up(self.changes.len(), self.left) {
                // Nothing has helped: all is made anew.
                let kept = forks.len().saturating_sub(anew);
                if kept == 0 {
                    window = Window::new(PATIENCE, self.left);
                }
                self.go_back(forks.get(kept).map_or(0, |fork| fork.changes));
                forks.truncate(kept);
                self.prefer_others();
                is_new = true;
                continue;
            }
            // Forks given up are made again where choices are made anew: if none is left, all was tried.
            let fork = forks.last_mut()?;
            let (changes, next) = (fork.changes, fork.left.pop());
            self.running = fork.running;
            if next.is_none() {
                self.dead.insert(fork.fingerprint);
                forks.pop();
            }
            self.go_back(changes);
            if let Some(thread) = next
                && self.step(thread)
            {
                self.running = Some(thread);
                is_new = true;
            }
        }
        None
    }

    fn random(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    /// From now on others are preferred.
    fn prefer_others(&mut self) {
        self.running = None;
        self.is_random = self.random().is_multiple_of(4);
        for thread in 0..self.preference.len() {
            self.preference[thread] = self.random();
        }
    }

    /// Lets threads look at what they want to see. Who may go on then, the best last.
    fn choices(&mut self) -> Vec<usize> {
        self.look_around();
        let stays = !self.is_random && self.random() % 100 < STAYS;
        let mut ranked: Vec<((bool, u64), usize)> = Vec::new();
        for thread in 0..self.steps.len() {
            let here = self.changes.len();
            if self.step(thread) {
                if self.can_go_on() {
                    let preferred = if self.is_random { self.random() } else { self.preference[thread] };
                    ranked.push(((stays && self.running == Some(thread), preferred), thread));
                }
                self.go_back(here);
            }
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, thread)| thread).collect()
    }

    /// Lets threads look at what they want to see, for as long as one does.
    fn look_around(&mut self) {
        let mut has_looked = true;
        while std::mem::take(&mut has_looked) {
            for thread in 0..self.steps.len() {
                while self.looks(thread) {
                    has_looked = true;
                }
            }
        }
    }

    /// Lets a thread take its next step if that only looks, and sees what the thread wants to
    /// see; whether it did.
    fn looks(&mut self, thread: usize) -> bool {
        self.next(thread).is_some_and(|next| next.only_looks) && self.step(thread)
    }

    fn next(&self, thread: usize) -> Option<Step> {
        self.steps[thread].get(self.taken[thread]).copied()
    }

    /// Lets a thread take a step; whether it could.
    fn step(&mut self, thread: usize) -> bool {
        let Some(next) = self.next(thread) else { return false };
        let needs = &self.needs[thread][self.taken[thread]];
        if needs.iter().any(|(other, need)| *need > self.taken[*other]) {
            return false;
        }
        self.left = self.left.saturating_sub(1);
        let state = self.states[next.location];
        let Some(after) = self.known.after(next.location, state, next.visitor, &self.reach) else {
            return false;
        };
        self.put(next.location, after);
        self.changes.push((thread, state));
        self.taken[thread] += 1;
        true
    }

    /// Has a place in a state.
    fn put(&mut self, location: usize, after: u32) {
        let state = std::mem::replace(&mut self.states[location], after);
        let fingerprint = |state: u32| self.known.known(location, state).fingerprint;
        self.fingerprint ^= fingerprint(state) ^ fingerprint(after);
    }

    /// Comes back to the first state. What is known of states stays.
    fn start_again(&mut self) {
        self.states.fill(0);
        self.taken.fill(0);
        self.fingerprint = 0;
        self.changes.clear();
    }

    /// Undoes all but so many steps.
    fn go_back(&mut self, changes: usize) {
        while self.changes.len() > changes {
            let Some((thread, before)) = self.changes.pop() else { break };
            self.taken[thread] -= 1;
            let step = self.steps[thread][self.taken[thread]];
            self.put(step.location, before);
        }
    }

    /// Whether no threads wait for each other for ever.
    fn can_go_on(&mut self) -> bool {
        self.reach.can_go_on(self.known.all_known(&self.states), &self.taken)
    }

    /// The steps of these threads as moves, with all events in between.
    fn moves(&self, threads: impl Iterator<Item = usize>) -> Vec<Move> {
        let mut order = Order {
            problem: self.problem,
            before: self.before,
            done: vec![0; self.steps.len()],
            moves: Vec::new(),
        };
        let mut taken = vec![0; self.steps.len()];
        for thread in threads {
            let event = self.steps[thread][taken[thread]].event;
            order.bring(thread, self.problem.position(event).index + 1);
            taken[thread] += 1;
        }
        for thread in 0..self.steps.len() {
            order.bring(thread, self.problem.events_of(thread).count());
        }
        order.moves
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

/// How long choices are tried, beside their number, before they are made anew.
const PATIENCE: usize = 2;

/// Events in the order of their steps.
struct Order<'e> {
    problem: &'e Problem,
    before: &'e Before,
    done: Vec<usize>,
    moves: Vec<Move>,
}

impl Order<'_> {
    /// Lets so many events of a thread happen, and before each what comes before it.
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
    use crate::synthesis::execution::future::Future;
    use crate::synthesis::execution::machine::Machine;
    use std::sync::Arc;
    use symx_expr::{Assignment, Term, Terms};
    use symx_memmodel::MODELS;
    use symx_trace::ThreadName;
    use symx_trace::symbolic::{AccessOrdering, SymbolicTrace, ThreadRef, TraceBuilder};

    /// Two threads each set a place that the other one reads set: first or, in circles, only
    /// after they have read.
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

    /// Whether nobody seems to wait in a circle at first, and whether an execution is found.
    fn walked(trace: SymbolicTrace) -> (bool, bool) {
        let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
        let machine = Machine::new(&problem, &Assignment::new());
        let future = Future::new(&problem);
        let supply = Supply::new(&problem, &machine, future.locations());
        let places = Places::new(&problem, &supply, &machine, future.locations());
        assert!(is_unlocked(&problem, &supply, &places));
        let mut before = Before::new(&problem);
        before.close(&problem).expect("program order is an order");
        let mut walk = Unlocked::new(&problem, &supply, &places, &before, 1_000);
        let can_go_on = walk.can_go_on();
        let moves = walk.walk(&StopToken::default());
        assert!(moves.as_ref().is_none_or(|moves| moves.len() == problem.event_count()));
        let mut walk = Unlocked::new(&problem, &supply, &places, &before, 1_000);
        let abreast = walk.walk_abreast(4, &StopToken::default());
        assert_eq!(abreast.map(|moves| moves.len()), moves.as_ref().map(Vec::len));
        let mut walk = Unlocked::new(&problem, &supply, &places, &before, 1_000);
        let limits = LayerLimits { width: 4, apart: 1, which: Which::Best };
        let layers = walk.walk_in_layers(limits, &StopToken::default());
        assert_eq!(layers.map(|moves| moves.len()), moves.as_ref().map(Vec::len));
        (can_go_on, moves.is_some())
    }

    /// A thread sets a place and sees what another one sets it to: it is held up in between.
    #[test]
    fn who_sees_another_value_than_his_own_takes_two_stretches() {
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
        let places = Places::new(&problem, &supply, &machine, future.locations());
        let mut before = Before::new(&problem);
        before.close(&problem).expect("program order is an order");
        let mut walk = Unlocked::new(&problem, &supply, &places, &before, 1_000);
        let left =
            [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)].map(|(thread, step)| walk.stretches.left(thread, step));
        assert_eq!(left, [0, 2, 1, 0, 1]);
        let at_first = walk.known.all_known(&walk.states);
        assert_eq!(walk.reach.comes_alone(1, 1, 2, at_first), 1, "the place holds neither value yet");
        assert_eq!(walk.reach.comes_alone(1, 1, 2, std::iter::empty()), 2, "it may hold anything");
    }

    #[test]
    fn who_waits_in_a_circle_is_seen_before_anybody_moves() {
        assert_eq!(walked(exchange(false)), (true, true));
        assert_eq!(walked(exchange(true)), (false, false));
    }
}
