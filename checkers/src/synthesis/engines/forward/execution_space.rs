//! Executions of a trace, event by event, on the [machine](Machine).
//!
//! As the paths are given, it is known which thread will access what. Events that commute with all that other
//! threads still do happen at once. So do stretches that only read, as soon as their values are there. The
//! only choice left is which thread goes on among those that change something.

use super::before::Before;
use super::limits::LONG_TRACE;
use super::places::Places;
use super::supply::Supply;
use super::walker::{Space, Undoable};
use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::machine::{Machine, Mark, Refused, State};
use crate::synthesis::execution::schedule::{commit_move, thread_move};
use crate::synthesis::problem::{EventId, Problem, value_of};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use symx_expr::BitVector;
use symx_trace::Move;
use symx_trace::symbolic::{ObjectRef, Operation};

/// A state on the way to where an execution is, to go back to.
#[derive(Clone, Copy)]
pub(super) struct Checkpoint {
    mark: Mark,
    moves: usize,
    running: usize,
    contents: u64,
}

/// Knowledge of the future.
#[derive(Clone, Copy)]
pub(super) struct Foresight<'e, 'p> {
    pub future: &'e Future,
    pub supply: &'e Supply<'p>,
    pub places: &'e Places,
    pub before: Option<&'e Before>,
    /// By event, when it is to come if nothing speaks against that.
    pub ranks: &'e [u64],
}

/// One execution on its way.
pub(super) struct ExecutionSpace<'e, 'p> {
    problem: &'p Problem,
    machine: &'e Machine<'p>,
    future: &'e Future,
    supply: &'e Supply<'p>,
    places: &'e Places,
    before: Option<&'e Before>,
    ranks: &'e [u64],
    state: State,
    moves: Vec<Move>,
    /// The thread that took the last step.
    running: usize,
    /// The state before the first event.
    first: Checkpoint,
    /// The threads that may go on.
    ready: Vec<usize>,
    /// The contents of locations that are still to be read, for the fingerprint.
    contents: u64,
    /// Events executed in all states.
    steps: u64,
    /// Whether single locations are asked for dead ends.
    looks_ahead: bool,
}

impl<'e, 'p> ExecutionSpace<'e, 'p> {
    pub(super) fn new(
        problem: &'p Problem,
        machine: &'e Machine<'p>,
        Foresight { future, supply, places, before, ranks }: Foresight<'e, 'p>,
    ) -> Self {
        let state = machine.start();
        let first = Checkpoint { mark: machine.mark(&state), moves: 0, running: 0, contents: 0 };
        let mut space = Self {
            problem,
            machine,
            future,
            supply,
            places,
            before,
            ranks,
            state,
            moves: Vec::new(),
            running: 0,
            first,
            ready: Vec::new(),
            contents: 0,
            steps: 0,
            looks_ahead: true,
        };
        space.contents = space.contents_of(0..problem.execution.locations.len());
        space.first.contents = space.contents;
        space
    }

    /// Lets happen what may as well happen now, and notes which threads may go on then; whether there is a
    /// way on.
    fn settle(&mut self) -> bool {
        let mut has_moved = true;
        while std::mem::take(&mut has_moved) {
            self.ready.clear();
            for thread in 0..self.problem.thread_count() {
                match self.look(thread) {
                    Ok(true) => has_moved = true,
                    Ok(false) => self.ready.push(thread),
                    Err(Refused::Acausal) => return false,
                    Err(_) => {}
                }
            }
        }
        true
    }

    /// Lets a thread go on if no other thread can observe it; whether it did.
    fn look(&mut self, thread: usize) -> Result<bool, Refused> {
        let here = self.mark();
        let only_looks = self.advance(thread);
        if only_looks != Ok(true) {
            self.undo(here);
        }
        only_looks
    }

    /// Lets a thread take a step and all that follow of its own for which it does not matter when they
    /// happen. Where it would diverge from its path, the state is in between. Whether it only looked: no
    /// other thread can observe that it happened.
    fn advance(&mut self, thread: usize) -> Result<bool, Refused> {
        let mut event = self.machine.next(&self.state, thread).ok_or(Refused::Nothing)?;
        let mut only_looks = true;
        let (mut held, mut reads) = (0, Vec::new());
        loop {
            if !self.may_come_now(event) {
                return Err(Refused::Waits);
            }
            let operation = self.problem.operation(event);
            match operation {
                Operation::Lock(_) | Operation::ReadLock(_) | Operation::WriteLock(_) => held += 1,
                Operation::WaitSignalled(wait) => {
                    held += 1;
                    only_looks &= !self.future.others_take(&self.state, thread, wait.condition);
                }
                Operation::WaitElapsed(_) => held += 1,
                Operation::Signal(condition) => {
                    only_looks &= self.is_due(thread, *condition);
                }
                Operation::Broadcast(condition) => {
                    only_looks &= !self.future.others_take(&self.state, thread, *condition);
                }
                Operation::Unlock(_) | Operation::ReadUnlock(_) | Operation::WriteUnlock(_) => held -= 1,
                Operation::WaitBegin(_) => held -= 1,
                Operation::SemaphoreWait(_) | Operation::SemaphorePost(_) => only_looks = false,
                Operation::Read { .. } => reads.push(event),
                _ => {}
            }
            let written = match operation.written() {
                Some(_) => self.future.locations()[event.index()].clone(),
                None => 0..0,
            };
            let before: Vec<BitVector> = written.clone().map(|location| self.holds(location)).collect();
            self.steps += 1;
            self.noting(event, |space| space.machine.execute(&mut space.state, thread, 0).map(drop))?;
            self.moves.push(thread_move(thread, None));
            self.commit(thread);
            for (location, before) in written.zip(before) {
                let now = self.holds(location);
                if !self.supply.suffices(&self.state, location, &now) {
                    return Err(Refused::OffPath);
                }
                let asks = |read| !self.supply.meets(read, &before);
                only_looks &= now == before
                    || self.future.is_awaited(self.problem, &self.state, thread, location, asks);
            }
            let mut accessed = match self.looks_ahead {
                true => self.future.locations()[event.index()].clone(),
                false => 0..0,
            };
            let can_go_on =
                |location: usize| self.places.can_go_on(self.supply, self.machine, &self.state, location);
            if !accessed.all(can_go_on) {
                return Err(Refused::OffPath);
            }
            match self.machine.next(&self.state, thread) {
                Some(next)
                    if self.may_come_now(next)
                        && self.future.is_free(self.problem, &self.state, next)
                        && self.machine.is_enabled(&self.state, thread) =>
                {
                    event = next
                }
                _ => break,
            }
        }
        self.running = thread;
        only_looks &= held <= 0;
        only_looks &= !reads.iter().any(|read: &EventId| self.future.is_needed(&self.state, thread, *read));
        Ok(only_looks)
    }

    /// Whether all has happened that comes before an event in any case.
    fn may_come_now(&self, event: EventId) -> bool {
        self.before.is_none_or(|before| {
            let counts = before.of(event).iter().enumerate();
            counts.into_iter().all(|(thread, count)| self.state.executed(thread) >= *count as usize)
        })
    }

    fn holds(&self, location: usize) -> BitVector {
        value_of(self.machine.memory(&self.state, location))
    }

    /// Whether a signal may as well happen now: no other thread will ever wait for it, or the only one that
    /// does sleeps already.
    fn is_due(&self, thread: usize, condition: ObjectRef) -> bool {
        let mut waiters = self.future.takers(&self.state, thread, condition);
        match (waiters.next(), waiters.next()) {
            (None, _) => true,
            (Some(only), None) => self.machine.sleeps_unsignalled(&self.state, only, condition),
            _ => false,
        }
    }

    /// Stores reach memory at once.
    fn commit(&mut self, thread: usize) {
        if !self.problem.model.buffers_stores() {
            return;
        }
        loop {
            let lane = self.machine.committable(&self.state, thread).into_iter().next();
            let Some(lane) = lane else { break };
            let Some(event) = self.machine.next_commit(&self.state, thread, lane) else { break };
            if self.noting(event, |space| space.machine.commit(&mut space.state, thread, lane)).is_err() {
                break;
            }
            self.moves.push(commit_move(thread, lane));
        }
    }

    /// Takes a step of an event, or commits its store, and updates the contents: no other locations change,
    /// or cease to be read.
    fn noting<T>(&mut self, event: EventId, step: impl FnOnce(&mut Self) -> T) -> T {
        let locations = self.future.locations()[event.index()].clone();
        let before = self.contents_of(locations.clone());
        let done = step(self);
        self.contents ^= before ^ self.contents_of(locations);
        done
    }

    /// The contents of those locations that are still to be read.
    fn contents_of(&self, locations: Range<usize>) -> u64 {
        let read = locations.filter(|location| self.future.is_read_later(&self.state, *location));
        read.fold(0, |all, location| {
            let mut hasher = rustc_hash::FxHasher::default();
            (location, self.machine.memory(&self.state, location)).hash(&mut hasher);
            all ^ hasher.finish()
        })
    }
}

impl Space for ExecutionSpace<'_, '_> {
    fn start(&mut self) -> bool {
        self.undo(self.first);
        self.settle()
    }

    fn go_on(&mut self, thread: usize) -> bool {
        self.advance(thread).is_ok() && self.settle()
    }

    fn is_over(&self) -> bool {
        self.machine.is_over(&self.state)
    }

    fn shows_bug(&self) -> bool {
        self.machine.shows_bug(&self.state)
    }

    fn threads(&self) -> usize {
        self.problem.thread_count()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        for thread in 0..self.problem.thread_count() {
            self.state.executed(thread).hash(&mut hasher);
            for read in self.future.needed_at(thread, self.state.executed(thread)) {
                self.machine.read_value(&self.state, *read).hash(&mut hasher);
            }
        }
        self.contents.hash(&mut hasher);
        self.state.hash_synchronisation(&mut hasher);
        hasher.finish()
    }
    fn moves(&self) -> Vec<Move> {
        self.moves.clone()
    }
}

impl Undoable for ExecutionSpace<'_, '_> {
    type Mark = Checkpoint;

    fn mark(&self) -> Checkpoint {
        let (mark, moves) = (self.machine.mark(&self.state), self.moves.len());
        Checkpoint { mark, moves, running: self.running, contents: self.contents }
    }

    fn undo(&mut self, to: Checkpoint) {
        self.machine.go_back(&mut self.state, to.mark);
        self.moves.truncate(to.moves);
        (self.running, self.contents) = (to.running, to.contents);
    }

    fn ready(&self) -> &[usize] {
        &self.ready
    }

    fn running(&self) -> usize {
        self.running
    }

    fn depth(&self) -> usize {
        self.moves.len()
    }

    fn rank(&self, thread: usize) -> u64 {
        let next = self.machine.next(&self.state, thread);
        next.map_or(u64::MAX / 2, |event| self.ranks[event.index()])
    }

    fn trust_order(&mut self, is_trusted: bool) {
        self.looks_ahead = !is_trusted || self.problem.event_count() <= LONG_TRACE;
    }
}
