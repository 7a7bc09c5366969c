//! Fewer preemptions: stretches of a schedule are put next to each other where the execution allows it (as Tinertia, FSE 2010,
//! does), and what runs is run anew, as a thread's next stretch may read something else earlier.
//!
//! Each attempt is executed, so nothing is believed; it is given up as soon as it leaves the paths or has as many preemptions as
//! what is known already. That none with fewer is found does not show that there is none.

use super::engine::{Interrupt, Model};
use super::forward::choose_sleepers;
use super::linearise::linearise;
use super::machine::{Machine, Mark, State};
use super::problem::{EventId, Problem};
use super::schedule::{Schedule, commit_move, thread_move, validate};
use std::rc::Rc;
use symx_memmodel::Lane;
use symx_trace::{Agent, Move};

/// What is to be little: preemptions, then changes of the running thread.
type Cost = (u32, u32);

/// A stretch of one thread and its buffer.
type Stretch = Rc<[Agent]>;

/// A schedule that has the same bug and at most as many preemptions; takes about so many steps of the machine to find, or until
/// it is interrupted.
pub fn with_fewer_preemptions(
    problem: &Problem,
    certain: &[(EventId, EventId)],
    schedule: Schedule,
    steps: u64,
    interrupt: &Interrupt,
) -> Schedule {
    let mut best = schedule;
    let mut left = steps;
    loop {
        let before = cost_of(&best);
        let machine = Machine::of_one_that_goes_back(problem, &best.inputs);
        let stretches = stretches_of(best.moves.iter().map(|one| one.agent));
        let mut run = Run::new(&machine, before, left, interrupt);
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
        if cost_of(&best) >= before || left == 0 || interrupt.is_stopped() {
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
    machine: &'a Machine<'p>,
    state: State,
    running: Option<usize>,
    cost: Cost,
    /// What the best execution costs.
    best: Cost,
    /// Steps that may be taken.
    left: u64,
    interrupt: &'a Interrupt,
}

/// Where a run stood.
struct Place {
    mark: Mark,
    running: Option<usize>,
    cost: Cost,
}

impl<'a, 'p> Run<'a, 'p> {
    fn new(machine: &'a Machine<'p>, best: Cost, left: u64, interrupt: &'a Interrupt) -> Self {
        Self { machine, state: machine.start(), running: None, cost: (0, 0), best, left, interrupt }
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

    /// Whether these stretches can be run to the end, show the bug, and cost less than what is known, which they then are. The
    /// run stands where it stood.
    fn is_better<'s>(&mut self, stretches: impl Iterator<Item = &'s Stretch>) -> bool {
        let here = self.place();
        let mut steps = stretches.flat_map(|stretch| stretch.iter());
        let is_possible = steps.all(|agent| self.left > 0 && self.step(*agent) && self.cost < self.best);
        let is_better =
            is_possible && self.machine.is_over(&self.state) && self.machine.shows_bug(&self.state);
        if is_better {
            self.best = self.cost;
        }
        self.go_back(here);
        is_better
    }

    /// Runs stretches in order, and better ones in their place wherever that is possible.
    fn improve(&mut self, mut stretches: Vec<Stretch>) -> Vec<Agent> {
        let thread = |stretch: &Stretch| stretch[0].thread();
        let mut at = 0;
        while at < stretches.len() {
            let next_of =
                |wanted, from: usize| (from..stretches.len()).find(|at| thread(&stretches[*at]) == wanted);
            // The thread that runs goes on with its next stretch; or whose turn it is waits until its next.
            let pulled = at.checked_sub(1).and_then(|last| next_of(thread(&stretches[last]), at));
            let pushed = next_of(thread(&stretches[at]), at + 1);
            let better = if let Some(next) = pulled.filter(|next| {
                *next > at && {
                    let tail = [&stretches[*next..=*next], &stretches[at..*next], &stretches[*next + 1..]];
                    self.is_better(tail.into_iter().flatten())
                }
            }) {
                stretches[at..=next].rotate_right(1);
                true
            } else if let Some(next) = pushed.filter(|next| {
                *next > at + 1 && {
                    let tail = [&stretches[at + 1..*next], &stretches[at..=at], &stretches[*next..]];
                    self.is_better(tail.into_iter().flatten())
                }
            }) {
                stretches[at..next].rotate_left(1);
                true
            } else {
                false
            };
            if better {
                let joined = stretches_of(stretches[at..].iter().flat_map(|stretch| stretch.iter().copied()));
                stretches.splice(at.., joined);
                continue;
            }
            let is_possible = stretches[at].clone().iter().all(|agent| self.step(*agent));
            at += 1;
            if !is_possible || self.left == 0 || self.interrupt.is_stopped() {
                break;
            }
        }
        stretches.iter().flat_map(|stretch| stretch.iter().copied()).collect()
    }
}
