//! Loops that wait: a thread that comes back to where it was, in the state it was in, having done nothing but look.
//!
//! Going round once more is no execution of its own: what the thread sees at last it could as well have seen at once.
//! So the thread stops there, and the executions in which it sees something else are alternatives of its reads.

use super::event::{Ended, Event, Index, Kind};
use super::{Halt, Walk};
use crate::environment::Environment;
use crate::frame::Frame;
use crate::state::State;
use crate::stop::Incomplete;
use crate::thread::{Activation, Thread};
use rustc_hash::FxHashMap;
use symx_ir::live::live_registers;
use symx_ir::{FunctionId, Program};
use symx_trace::ThreadId;

/// Registers that matter at a place, by slot.
pub(super) type Live = FxHashMap<(FunctionId, u32), Box<[bool]>>;

/// Visible steps within which a loop that waits is to come round, to be told from one that goes on.
const LONGEST_ROUND: usize = 64;

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the thread of a new event, that has just happened, is where it was before, nothing having changed.
    pub(super) fn comes_round(&mut self, index: Index, state: &State<E>) -> bool {
        let thread = self.events[usize::from(index)].thread;
        let log = &self.threads[thread.index()].events;
        let looks: Vec<Index> = log
            .iter()
            .rev()
            .copied()
            .take(LONGEST_ROUND)
            .take_while(|event| self.events[usize::from(*event)].only_looks())
            .collect();
        looks.into_iter().any(|event| {
            let step = self.run.iter().rev().find(|step| step.event == event && !step.commits);
            let Some(earlier) = step.and_then(|step| step.before.as_ref()) else { return false };
            is_same(
                &self.executor.machine.program,
                &mut self.live,
                earlier.thread(thread),
                state.thread(thread),
            )
        })
    }

    /// Tells of threads that would wait for ever at the end of an execution in which all others have done all they can.
    pub(super) fn find_livelock(&mut self, state: &State<E>) -> Result<(), Halt> {
        let mut state = state.clone();
        let waiting: Vec<ThreadId> = state
            .threads
            .iter()
            .map(|thread| thread.id)
            .filter(|thread| self.last_of(*thread).is_some_and(|event| event.end == Some(Ended::Waits)))
            .collect();
        for thread in &waiting {
            let mut places = vec![std::sync::Arc::clone(&state.threads[thread.index()])];
            loop {
                let version = state.memory.version();
                let step = self.executor.step(&mut state, symx_trace::Agent::Thread(*thread));
                let decisions = self.decisions.len();
                let goes_on = self.settle(&mut state, *thread, step)?;
                self.decisions.truncate(decisions);
                let now = state.thread(*thread);
                if !goes_on || state.end.is_some() || now.exited || state.memory.version() != version {
                    return Ok(());
                }
                // What it sees is what there is for good: coming to the same place twice, it does so for ever.
                let program = &self.executor.machine.program;
                if places.iter().any(|earlier| is_same(program, &mut self.live, earlier, now)) {
                    break;
                }
                if places.len() > LONGEST_ROUND {
                    return Ok(());
                }
                places.push(std::sync::Arc::clone(&state.threads[thread.index()]));
            }
        }
        let names: Vec<String> =
            waiting.iter().map(|thread| state.thread(*thread).name.to_string()).collect();
        let Some(first) = waiting.first() else { return Ok(()) };
        let span = self.executor.position(&state, *first);
        self.result.cut(Incomplete {
            reason: "livelock",
            what: format!("thread {} waits in a loop for what nobody is left to write", names.join(", ")),
            span,
        });
        Ok(())
    }

    pub(super) fn last_of(&self, thread: ThreadId) -> Option<&Event> {
        let last = self.threads.get(thread.index())?.events.last()?;
        Some(&self.events[usize::from(*last)])
    }
}

impl Event {
    /// Whether it can be told from never having happened by its own thread alone.
    fn only_looks(&self) -> bool {
        let writes = self.touches.iter().any(|touch| touch.writes);
        let is_look = match self.kind {
            Kind::Load(_) | Kind::Update(_) => true,
            Kind::Operation { .. } => self.touches.is_empty(),
            _ => false,
        };
        is_look && !writes && !self.is_lasting && !self.changes_memory
    }
}

/// Whether a thread is where it was and nothing that matters there has changed in its registers.
fn is_same<E: Environment>(program: &Program, live: &mut Live, earlier: &Thread<E>, now: &Thread<E>) -> bool {
    if !stand_alike(earlier, now) {
        return false;
    }
    let pairs = earlier.stack.iter().zip(&now.stack);
    let mut frames = pairs.filter_map(|(earlier, now)| match (earlier, now) {
        (Activation::Program(earlier), Activation::Program(now)) => Some((earlier, now)),
        _ => None,
    });
    frames.all(|(earlier, now)| {
        let live = live
            .entry((now.function, now.pc))
            .or_insert_with(|| live_registers(program.function(now.function), now.pc).into());
        live.iter().enumerate().filter(|(_, live)| **live).all(|(slot, _)| {
            earlier.slots[slot] == now.slots[slot] && earlier.is_symbolic(slot) == now.is_symbolic(slot)
        })
    })
}

/// Whether a thread stands at the same place in the same calls.
fn stand_alike<E: Environment>(earlier: &Thread<E>, now: &Thread<E>) -> bool {
    let place = |frame: &Frame| -> (FunctionId, u32) { (frame.function, frame.pc) };
    earlier.stack.len() == now.stack.len()
        && earlier.stores_issued == now.stores_issued
        && earlier.stack.iter().zip(&now.stack).all(|(earlier, now)| match (earlier, now) {
            (Activation::Program(earlier), Activation::Program(now)) => {
                place(earlier) == place(now) && earlier.allocas == now.allocas && {
                    let (earlier, now) = (earlier.rare(), now.rare());
                    (earlier.variadic, earlier.progress, earlier.held)
                        == (now.variadic, now.progress, now.held)
                }
            }
            (Activation::Model(earlier), Activation::Model(now)) => {
                earlier.name == now.name
                    && earlier.phase == now.phase
                    && earlier.scratch == now.scratch
                    && earlier.arguments == now.arguments
                    && earlier.invoked == now.invoked
            }
            _ => false,
        })
}
