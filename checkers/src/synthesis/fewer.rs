//! Fewer preemptions: stretches of a schedule are put next to each other where the execution allows it (as
//! Tinertia, FSE 2010, does). The stretches run anew, as a thread's next stretch may read another value
//! earlier.
//!
//! Each attempt is executed, and abandoned as soon as it leaves the paths or costs as much as what is known
//! already. Where all that later steps depend on is then as it was without the change, they need not be
//! executed again. So long schedules take about as many steps as they have. The result is executed in the
//! end, so nothing is taken on trust. That none with fewer is found does not show that there is none.

use crate::synthesis::engines::forward::choose_sleepers;
use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::linearise::linearise;
use crate::synthesis::execution::machine::{Machine, Mark, State};
use crate::synthesis::execution::model::Model;
use crate::synthesis::execution::schedule::{Schedule, commit_move, thread_move, validate};
use crate::synthesis::limits::{MOST_STEPS_ACROSS, MOST_STEPS_TO_THE_END, STEPS_AN_EVENT};
use crate::synthesis::problem::{EventId, Problem};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use symx_expr::StopToken;
use symx_memmodel::Lane;
use symx_trace::{Agent, Move};

/// The cost to minimise: preemptions, then changes of the running thread.
type Cost = (u32, u32);

/// A stretch of one thread and its buffer.
type Stretch = Rc<[Agent]>;

/// A schedule that has the same bug and at most as many preemptions. Unless interrupted, the search takes
/// about `steps` steps of the machine, or [for long traces](STEPS_AN_EVENT) as many as an attempt at each
/// event takes.
pub fn with_fewer_preemptions(
    problem: &Problem,
    certain: &[(EventId, EventId)],
    schedule: Schedule,
    steps: u64,
    stop: &StopToken,
) -> Schedule {
    let mut best = schedule;
    let mut left = steps.max(STEPS_AN_EVENT * problem.event_count() as u64);
    let future = Future::new(problem);
    loop {
        let before = cost_of(&best);
        let machine = Machine::of_one_that_goes_back(problem, &best.inputs);
        let stretches = stretches_of(best.moves.iter().map(|one| one.agent));
        let mut run = Run::new(problem, &machine, &future, left, stop);
        let agents = run.improve(stretches);
        left = run.left;
        let consider = |moves: Option<Vec<Move>>, best: &mut Schedule| {
            let found = moves.and_then(|moves| validate(problem, &moves, &best.inputs).ok());
            if let Some(found) = found.filter(|found| cost_of(found) < cost_of(best)) {
                *best = found;
            }
        };
        if !agents.iter().eq(best.moves.iter().map(|one| &one.agent)) {
            let moves: Vec<Move> = agents.into_iter().map(move_of).collect();
            consider(choose_sleepers(problem, &best.inputs, &moves), &mut best);
        }
        let model = Model { order: best.order.clone(), inputs: best.inputs.clone(), ..Model::default() };
        consider(linearise(problem, certain, &model), &mut best);
        if cost_of(&best) >= before || left == 0 || stop.is_over() {
            return best;
        }
    }
}

fn cost_of(schedule: &Schedule) -> Cost {
    (schedule.preemptions, schedule.context_switches)
}

fn move_of(agent: Agent) -> Move {
    match agent {
        Agent::Thread(thread) => thread_move(thread.index(), None),
        Agent::Buffer { thread, lane } => commit_move(thread.index(), Lane(lane)),
    }
}

/// Cuts steps where the thread changes.
fn stretches_of(agents: impl Iterator<Item = Agent>) -> Vec<Stretch> {
    let agents: Vec<Agent> = agents.collect();
    agents.chunk_by(|one, next| one.thread() == next.thread()).map(Rc::from).collect()
}

/// One execution on its way, and what it has cost so far.
struct Run<'a, 'p> {
    problem: &'p Problem,
    machine: &'a Machine<'p>,
    future: &'a Future,
    state: State,
    running: Option<usize>,
    cost: Cost,
    /// Steps that may be taken.
    left: u64,
    stop: &'a StopToken,
}

/// A position of a run, to go back to.
#[derive(Clone, Copy)]
struct Place {
    mark: Mark,
    running: Option<usize>,
    cost: Cost,
}

impl<'a, 'p> Run<'a, 'p> {
    fn new(
        problem: &'p Problem,
        machine: &'a Machine<'p>,
        future: &'a Future,
        left: u64,
        stop: &'a StopToken,
    ) -> Self {
        let state = machine.start();
        Self { problem, machine, future, state, running: None, cost: (0, 0), left, stop }
    }

    fn place(&self) -> Place {
        Place { mark: self.machine.mark(&self.state), running: self.running, cost: self.cost }
    }

    fn go_back(&mut self, place: Place) {
        self.machine.go_back(&mut self.state, place.mark);
        (self.running, self.cost) = (place.running, place.cost);
    }

    /// Takes a step; whether it was possible.
    fn step(&mut self, agent: Agent) -> bool {
        self.left = self.left.saturating_sub(1);
        let number = agent.thread().index();
        match agent {
            Agent::Buffer { lane, .. } => self.machine.commit(&mut self.state, number, Lane(lane)).is_ok(),
            Agent::Thread(_) => {
                if let Some(last) = self.running.filter(|last| *last != number) {
                    self.cost.0 += u32::from(self.machine.is_enabled(&self.state, last));
                    self.cost.1 += 1;
                }
                self.running = Some(number);
                self.machine.execute(&mut self.state, number, 0).is_ok()
            }
        }
    }

    /// Takes all these steps, as long as they cost less than this; whether that was possible.
    fn take<'s>(&mut self, stretches: impl IntoIterator<Item = &'s Stretch>, below: Cost) -> bool {
        let mut steps = stretches.into_iter().flat_map(|stretch| stretch.iter());
        steps.all(|agent| self.left > 0 && self.step(*agent) && self.cost < below)
    }

    /// Whether the first stretches can be taken in another order, so that all costs less, and the rest still
    /// follows and shows the bug. The run is left where it was.
    fn is_better(&mut self, as_known: &[Stretch], otherwise: [&[Stretch]; 2], rest: &[Stretch]) -> bool {
        const ANY: Cost = (u32::MAX, u32::MAX);
        let here = self.place();
        let next = rest.first().map(|stretch| Stretch::from(&stretch[..1]));
        let known = || as_known.iter().chain(&next);
        let other = || otherwise.into_iter().flatten().chain(&next);
        let mut taken = self.take(known(), ANY);
        let cost = self.cost;
        self.go_back(here);
        taken = taken && self.take(other(), cost);
        if !taken {
            self.go_back(here);
            return false;
        }
        // Few are cheaper: outcomes are compared only then.
        let outcome = self.outcome(known());
        self.go_back(here);
        let is_same = self.take(known(), ANY) && self.outcome(known()) == outcome;
        self.go_back(here);
        let is_better = is_same || self.take(other(), cost) && self.leads_to_the_end(rest);
        self.go_back(here);
        is_better
    }

    /// Whether the rest, of which the first step has been taken, can be run to the end and shows the bug, if
    /// that is quick. The run is left there.
    fn leads_to_the_end(&mut self, rest: &[Stretch]) -> bool {
        if rest.iter().map(|stretch| stretch.len()).sum::<usize>() > MOST_STEPS_TO_THE_END {
            return false;
        }
        let mut steps = rest.iter().flat_map(|stretch| stretch.iter()).skip(1);
        let is_possible = steps.all(|agent| self.left > 0 && self.step(*agent));
        is_possible && self.machine.is_over(&self.state) && self.machine.shows_bug(&self.state)
    }

    /// A fingerprint of the part of these stretches' effects on which later steps depend (two collide with a
    /// probability of 2^-64).
    fn outcome<'s>(&self, stretches: impl IntoIterator<Item = &'s Stretch>) -> u64 {
        let mut hasher = FxHasher::default();
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for stretch in stretches {
            let thread = stretch[0].thread().index();
            let steps = stretch.iter().filter(|agent| !agent.is_buffer()).count();
            match taken.iter_mut().find(|(other, _)| *other == thread) {
                Some((_, count)) => *count += steps,
                None => taken.push((thread, steps)),
            }
        }
        taken.sort_unstable();
        for (thread, steps) in taken {
            let executed = self.state.executed(thread);
            for event in (executed - steps..executed).map(|index| self.problem.event(thread, index)) {
                if self.future.is_needed(&self.state, thread, event) {
                    self.machine.read_value(&self.state, event).hash(&mut hasher);
                }
                for location in self.future.locations()[event.index()].clone() {
                    if self.future.is_read_later(&self.state, location) {
                        self.machine.memory(&self.state, location).hash(&mut hasher);
                    }
                }
            }
        }
        match self.problem.model.buffers_stores() {
            true => self.state.hash_progress(&mut hasher),
            false => self.state.hash_synchronisation(&mut hasher),
        }
        hasher.finish()
    }

    /// Runs stretches in order, and better ones in their place wherever that is possible.
    fn improve(&mut self, mut stretches: Vec<Stretch>) -> Vec<Agent> {
        let thread = |stretch: &Stretch| stretch[0].thread();
        let mut at = 0;
        while at < stretches.len() {
            let next_of = |wanted, from: usize| {
                let mut steps = 0;
                let mut near = (from..stretches.len()).take_while(|at| {
                    steps += stretches[*at].len();
                    steps <= MOST_STEPS_ACROSS
                });
                near.find(|at| thread(&stretches[*at]) == wanted)
            };
            // The thread that runs goes on with its next stretch; or whose turn it is waits until its next.
            let pulled = at.checked_sub(1).and_then(|last| next_of(thread(&stretches[last]), at));
            let pushed = next_of(thread(&stretches[at]), at + 1);
            if let Some(next) = pulled.filter(|next| {
                let (known, rest) = stretches[at..].split_at(*next - at + 1);
                let (between, own) = known.split_at(known.len() - 1);
                !between.is_empty() && self.is_better(known, [own, between], rest)
            }) {
                stretches[at..=next].rotate_right(1);
            } else if let Some(next) = pushed.filter(|next| {
                let (known, rest) = stretches[at..].split_at(*next - at);
                let (own, between) = known.split_at(1);
                !between.is_empty() && self.is_better(known, [between, own], rest)
            }) {
                stretches[at..next].rotate_left(1);
                continue;
            }
            let is_possible = stretches[at].clone().iter().all(|agent| self.step(*agent));
            at += 1;
            if !is_possible || self.left == 0 || self.stop.is_over() {
                break;
            }
        }
        stretches.iter().flat_map(|stretch| stretch.iter().copied()).collect()
    }
}
