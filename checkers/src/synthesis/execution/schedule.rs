//! Schedules of a trace, and whether one shows the bug: executed event by event, whatever engine found it.

use crate::synthesis::execution::machine::{Machine, Refused};
use crate::synthesis::problem::{EventId, Problem};
use symx_expr::Assignment;
use symx_memmodel::Lane;
use symx_trace::{Agent, Move, ThreadId};

/// A way to execute all events of a trace.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Which agent takes which step; threads are numbered as in the trace. A signal's choice is which of the
    /// sleepers it wakes, in order of their arrival. A lane is that of the address the problem gave the
    /// stored bytes.
    pub moves: Vec<Move>,
    /// The values of inputs.
    pub inputs: Assignment,
    /// The events in the order in which they take effect.
    pub order: Vec<EventId>,
    /// How often another thread took a step though the one before it could have gone on.
    pub preemptions: u32,
    /// How often the running thread changes; commits do not count.
    pub context_switches: u32,
    /// The values of inputs and of reads.
    pub values: Assignment,
}

/// Why moves are no schedule that shows the bug.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Invalid {
    /// A step was not possible.
    #[error("step {step} of the schedule is not possible: {reason}")]
    Step {
        /// In the moves.
        step: usize,
        /// Why.
        reason: Refused,
    },
    /// It ends too early.
    #[error("the schedule ends before the trace does")]
    Unfinished,
    /// All events happen, and nothing is wrong.
    #[error("the schedule does not show the bug")]
    NoBug,
}

/// A thread's move.
pub(crate) fn thread_move(thread: usize, wakes: Option<usize>) -> Move {
    let choices = wakes.into_iter().map(|choice| choice as u32).collect();
    Move { agent: Agent::Thread(ThreadId(thread as u32)), choices }
}

/// A commit.
pub(crate) fn commit_move(thread: usize, lane: Lane) -> Move {
    let agent = Agent::Buffer { thread: ThreadId(thread as u32), lane: lane.0 };
    Move { agent, choices: Default::default() }
}

/// Executes moves; the schedule they are, if it takes the trace's paths and shows the bug.
pub fn validate(problem: &Problem, moves: &[Move], inputs: &Assignment) -> Result<Schedule, Invalid> {
    execute(problem, moves, inputs, true)
}

/// The same for executions that need not show the bug.
pub fn execute(
    problem: &Problem,
    moves: &[Move],
    inputs: &Assignment,
    shows_bug: bool,
) -> Result<Schedule, Invalid> {
    let machine = Machine::of_one_execution(problem, inputs);
    let mut state = machine.start();
    if !machine.can_start() {
        return Err(Invalid::Step { step: 0, reason: Refused::OffPath });
    }
    let (mut order, mut preemptions, mut context_switches) = (Vec::new(), 0, 0);
    let mut running: Option<usize> = None;
    for (step, one) in moves.iter().enumerate() {
        let refused = |reason| Invalid::Step { step, reason };
        let thread = one.agent.thread().index();
        if thread >= problem.thread_count() {
            return Err(refused(Refused::Choice));
        }
        match one.agent {
            Agent::Buffer { lane, .. } => {
                order.push(machine.commit(&mut state, thread, Lane(lane)).map_err(refused)?);
            }
            Agent::Thread(_) => {
                if let Some(last) = running.filter(|last| *last != thread) {
                    context_switches += 1;
                    preemptions += u32::from(machine.is_enabled(&state, last));
                }
                running = Some(thread);
                let wakes = one.choices.first().map_or(0, |choice| *choice as usize);
                let (event, takes_effect) = machine.execute(&mut state, thread, wakes).map_err(refused)?;
                if takes_effect {
                    order.push(event);
                }
            }
        }
    }
    if !machine.is_over(&state) {
        return Err(Invalid::Unfinished);
    }
    if shows_bug && !machine.shows_bug(&state) {
        return Err(Invalid::NoBug);
    }
    let values = machine.values(&state);
    Ok(Schedule {
        moves: moves.to_vec(),
        inputs: inputs.clone(),
        order,
        preemptions,
        context_switches,
        values,
    })
}
