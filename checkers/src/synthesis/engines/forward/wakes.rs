//! Which sleeper each signal of an execution woke, once it is known which went on.

use crate::synthesis::execution::machine::Machine;
use crate::synthesis::execution::schedule::thread_move;
use crate::synthesis::problem::Problem;
use std::collections::HashMap;
use symx_expr::Assignment;
use symx_memmodel::Lane;
use symx_trace::symbolic::{ObjectRef, Operation};
use symx_trace::{Agent, Move};

/// The threads that sleep at a condition variable, and the signals whose sleeper is not known yet. Each
/// signal has its place among the moves and the number of those it may wake, the first of those left.
#[derive(Default)]
struct Queue {
    sleepers: Vec<usize>,
    owed: Vec<(usize, usize)>,
}

/// Puts the choices of signals into moves that were made without. Nothing if they are no execution.
pub(in crate::synthesis) fn choose(
    problem: &Problem,
    inputs: &Assignment,
    moves: &[Move],
) -> Option<Vec<Move>> {
    let woken = woken(problem, moves);
    let machine = Machine::of_one_execution(problem, inputs);
    let mut state = machine.start();
    let mut chosen = Vec::with_capacity(moves.len());
    for (place, one) in moves.iter().enumerate() {
        let thread = one.agent.thread().index();
        if let Agent::Buffer { lane, .. } = one.agent {
            machine.commit(&mut state, thread, Lane(lane)).ok()?;
            chosen.push(one.clone());
            continue;
        }
        let sleepers = machine.sleepers(&state, thread);
        let wanted = woken.get(&place).and_then(|woken| sleepers.iter().position(|sleeper| sleeper == woken));
        let choice = (!sleepers.is_empty()).then(|| wanted.unwrap_or(0));
        machine.execute(&mut state, thread, choice.unwrap_or(0)).ok()?;
        chosen.push(thread_move(thread, choice));
    }
    Some(chosen)
}

/// By place of a signal among the moves, the thread it wakes.
fn woken(problem: &Problem, moves: &[Move]) -> HashMap<usize, usize> {
    let mut queues: HashMap<ObjectRef, Queue> = HashMap::new();
    let mut executed = vec![0; problem.thread_count()];
    let mut woken = HashMap::new();
    let threads = moves.iter().enumerate().filter(|(_, one)| matches!(one.agent, Agent::Thread(_)));
    for (place, one) in threads {
        let thread = one.agent.thread().index();
        let operation = problem.operation(problem.event(thread, executed[thread]));
        executed[thread] += 1;
        match operation {
            Operation::WaitBegin(wait) => {
                let next = problem.trace.threads[thread].events.get(executed[thread]);
                if !matches!(next.map(|next| &next.operation), Some(Operation::WaitElapsed(_))) {
                    queues.entry(wait.condition).or_default().sleepers.push(thread);
                }
            }
            Operation::Signal(condition) => {
                let queue = queues.entry(*condition).or_default();
                if queue.owed.len() < queue.sleepers.len() {
                    queue.owed.push((place, queue.sleepers.len()));
                }
            }
            Operation::Broadcast(condition) => {
                let queue = std::mem::take(queues.entry(*condition).or_default());
                queue.settle(&mut woken);
            }
            Operation::WaitSignalled(wait) => {
                let queue = queues.entry(wait.condition).or_default();
                if let Some(sleeper) = queue.sleepers.iter().position(|sleeper| *sleeper == thread) {
                    queue.wake(sleeper, &mut woken);
                }
            }
            _ => {}
        }
    }
    queues.into_values().for_each(|queue| queue.settle(&mut woken));
    woken
}

impl Queue {
    /// The sleeper at a place goes on.
    fn wake(&mut self, place: usize, woken: &mut HashMap<usize, usize>) {
        let thread = self.sleepers.remove(place);
        if let Some(signal) = self.owed.iter().position(|(_, among)| place < *among) {
            woken.insert(self.owed.remove(signal).0, thread);
        }
        self.owed.iter_mut().filter(|(_, among)| place < *among).for_each(|(_, among)| *among -= 1);
    }

    /// Any thread that still sleeps will do for the signals that are left.
    fn settle(mut self, woken: &mut HashMap<usize, usize>) {
        while !self.owed.is_empty() && !self.sleepers.is_empty() {
            self.wake(0, woken);
        }
    }
}
