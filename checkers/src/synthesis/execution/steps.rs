//! Between moves, which executions of a trace are made of, and steps, which say which event each is.

use crate::synthesis::execution::machine::{Machine, Refused};
use crate::synthesis::execution::schedule::{Invalid, Schedule, commit_move, thread_move};
use crate::synthesis::problem::{EventId, Problem};
use symx_expr::Assignment;
use symx_memmodel::Lane;
use symx_trace::symbolic::{Taken, ThreadRef};
use symx_trace::{Agent, Move};

fn event_of(problem: &Problem, thread: ThreadRef, index: u32) -> Option<EventId> {
    let events = problem.trace.threads.get(thread.0 as usize)?.events.len();
    ((index as usize) < events).then(|| problem.event(thread.0 as usize, index as usize))
}

/// The moves that are these steps, executed under these inputs.
pub fn moves_of(problem: &Problem, steps: &[Taken], inputs: &Assignment) -> Result<Vec<Move>, Invalid> {
    let machine = Machine::of_one_execution(problem, inputs);
    let mut state = machine.start();
    let mut moves = Vec::new();
    for (step, taken) in steps.iter().enumerate() {
        let refused = |reason| Invalid::Step { step, reason };
        let (Taken::Event { thread, index, .. } | Taken::Commit { thread, index }) = *taken;
        let event = event_of(problem, thread, index).ok_or(refused(Refused::Nothing))?;
        let thread = thread.0 as usize;
        match *taken {
            Taken::Event { wakes, .. } => {
                if machine.next(&state, thread) != Some(event) {
                    return Err(refused(Refused::Nothing));
                }
                let sleeper = wakes.and_then(|woken| {
                    let sleepers = machine.sleepers(&state, thread);
                    sleepers.iter().position(|sleeper| *sleeper == woken.0 as usize)
                });
                machine.execute(&mut state, thread, sleeper.unwrap_or(0)).map_err(refused)?;
                moves.push(thread_move(thread, sleeper));
            }
            Taken::Commit { .. } => {
                let lanes: Vec<Lane> = machine.committable(&state, thread).into_iter().collect();
                let is_meant = |lane: &Lane| machine.next_commit(&state, thread, *lane) == Some(event);
                let lane = lanes.into_iter().find(is_meant).ok_or(refused(Refused::Nothing))?;
                machine.commit(&mut state, thread, lane).map_err(refused)?;
                moves.push(commit_move(thread, lane));
            }
        }
    }
    Ok(moves)
}

/// The steps of a schedule.
pub fn steps_of(problem: &Problem, schedule: &Schedule) -> Result<Vec<Taken>, Invalid> {
    let machine = Machine::of_one_execution(problem, &schedule.inputs);
    let mut state = machine.start();
    let mut steps = Vec::new();
    for (step, one) in schedule.moves.iter().enumerate() {
        let refused = |reason| Invalid::Step { step, reason };
        let thread = one.agent.thread().index();
        let place = |event| ThreadRef(problem.position(event).thread as u32);
        match one.agent {
            Agent::Thread(_) => {
                let choice = one.choices.first().map_or(0, |choice| *choice as usize);
                let wakes = machine.sleepers(&state, thread).get(choice).copied();
                let (event, _) = machine.execute(&mut state, thread, choice).map_err(refused)?;
                let index = problem.position(event).index as u32;
                let wakes = wakes.map(|thread| ThreadRef(thread as u32));
                steps.push(Taken::Event { thread: place(event), index, wakes });
            }
            Agent::Buffer { lane, .. } => {
                let event = machine.commit(&mut state, thread, Lane(lane)).map_err(refused)?;
                let index = problem.position(event).index as u32;
                steps.push(Taken::Commit { thread: place(event), index });
            }
        }
    }
    Ok(steps)
}
