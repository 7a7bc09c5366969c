//! The walk itself.

use super::before::Before;
use super::future::Future;
use super::places::Places;
use super::supply::Supply;
use crate::synthesis::engine::Interrupt;
use crate::synthesis::machine::{Machine, Mark, Refused, State};
use crate::synthesis::problem::{EventId, Problem, value_of};
use crate::synthesis::schedule::{commit_move, thread_move};
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use symx_expr::BitVector;
use symx_trace::Move;
use symx_trace::symbolic::{ObjectRef, Operation};

/// Why a walk whose steps are used up does not know.
pub(super) const STEP_LIMIT: &str = "step-limit";

/// Why an attempt ended.
pub(super) enum End {
    Found(Vec<Move>),
    /// Its steps are used up.
    Abandoned,
    /// All was tried.
    Exhausted,
    Stopped(&'static str),
}

/// A state in which there is a choice.
struct Fork {
    mark: Mark,
    moves: usize,
    running: usize,
    fingerprint: u64,
    /// What is left to try, the best last.
    left: Vec<usize>,
}

/// What is known of what is to come.
pub(super) struct Foresight<'e> {
    pub future: &'e Future,
    pub supply: &'e Supply,
    pub places: &'e Places,
    pub before: Option<&'e Before>,
}

/// One execution on its way.
pub(super) struct Walk<'e, 'p> {
    problem: &'p Problem,
    machine: &'e Machine<'p>,
    future: &'e Future,
    supply: &'e Supply,
    places: &'e Places,
    before: Option<&'e Before>,
    interrupt: &'e Interrupt,
    state: State,
    moves: Vec<Move>,
    running: usize,
    /// States that lead nowhere.
    dead: FxHashSet<u64>,
    steps: u64,
    random: u64,
    /// By thread, which is preferred, the highest first.
    preference: Vec<u64>,
    stays: bool,
}

impl<'e, 'p> Walk<'e, 'p> {
    pub(super) fn new(
        problem: &'p Problem,
        machine: &'e Machine<'p>,
        Foresight { future, supply, places, before }: Foresight<'e>,
        interrupt: &'e Interrupt,
        steps: u64,
    ) -> Self {
        Self {
            problem,
            machine,
            future,
            supply,
            places,
            before,
            interrupt,
            state: machine.start(),
            moves: Vec::new(),
            running: 0,
            dead: FxHashSet::default(),
            steps,
            random: 0x9e37_79b9_7f4a_7c15,
            preference: vec![0; problem.thread_count()],
            stays: true,
        }
    }

    fn random(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    /// Walks from the first event for so many steps.
    pub(super) fn attempt(&mut self, number: u64, steps: u64) -> End {
        let beginning = self.machine.mark(&self.state);
        let end = self.steps.saturating_sub(steps);
        self.stays = number.is_multiple_of(2);
        for thread in 0..self.preference.len() {
            self.preference[thread] = if number == 0 { u64::MAX - thread as u64 } else { self.random() };
        }
        self.running = 0;
        let found = self.search(end);
        self.machine.go_back(&mut self.state, beginning);
        self.moves.clear();
        found
    }

    fn search(&mut self, end: u64) -> End {
        let mut forks: Vec<Fork> = Vec::new();
        let mut choices = self.settle();
        loop {
            if let Some(left) = choices.take() {
                if self.machine.is_over(&self.state) {
                    if self.machine.shows_bug(&self.state) {
                        return End::Found(std::mem::take(&mut self.moves));
                    }
                } else {
                    let fingerprint = self.fingerprint();
                    if !left.is_empty() && !self.dead.contains(&fingerprint) {
                        let mark = self.machine.mark(&self.state);
                        let (moves, running) = (self.moves.len(), self.running);
                        forks.push(Fork { mark, moves, running, fingerprint, left });
                    }
                }
            }
            let Some(fork) = forks.last_mut() else { return End::Exhausted };
            self.machine.go_back(&mut self.state, fork.mark);
            self.moves.truncate(fork.moves);
            self.running = fork.running;
            let Some(thread) = fork.left.pop() else {
                self.dead.insert(fork.fingerprint);
                forks.pop();
                continue;
            };
            if self.steps <= end {
                return if self.steps == 0 { End::Stopped(STEP_LIMIT) } else { End::Abandoned };
            }
            if self.interrupt.is_stopped() {
                return End::Stopped(Interrupt::REASON);
            }
            if self.go_on(thread).is_ok() {
                choices = self.settle();
            }
        }
    }

    /// Lets happen what may as well happen now. What there is to choose from then; nothing if there is no way on.
    fn settle(&mut self) -> Option<Vec<usize>> {
        let mut choices = Vec::new();
        loop {
            let mut has_moved = false;
            choices.clear();
            for thread in 0..self.problem.thread_count() {
                match self.look(thread) {
                    Ok(true) => has_moved = true,
                    Ok(false) => choices.push(thread),
                    Err(Refused::Acausal) => return None,
                    Err(_) => {}
                }
            }
            if !has_moved {
                break;
            }
        }
        let running = self.running;
        let mut ranked: Vec<((bool, u64), usize)> = Vec::new();
        for thread in choices {
            let shuffled = if self.stays { self.preference[thread] } else { self.random() };
            ranked.push(((self.stays && thread == running, shuffled), thread));
        }
        ranked.sort_unstable();
        Some(ranked.into_iter().map(|(_, thread)| thread).collect())
    }

    /// Lets a thread go on if nobody else can tell; whether it did.
    fn look(&mut self, thread: usize) -> Result<bool, Refused> {
        let (mark, moves, running) = (self.machine.mark(&self.state), self.moves.len(), self.running);
        let only_looks = self.go_on(thread);
        if only_looks != Ok(true) {
            self.machine.go_back(&mut self.state, mark);
            self.moves.truncate(moves);
            self.running = running;
        }
        only_looks
    }

    /// Lets a thread take a step and all that follow of its own for which it does not matter when they happen. Where it
    /// would leave its path the state is in between. Whether it only looked: nobody else can tell that it happened.
    fn go_on(&mut self, thread: usize) -> Result<bool, Refused> {
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
            self.steps = self.steps.saturating_sub(1);
            self.machine.execute(&mut self.state, thread, 0)?;
            self.moves.push(thread_move(thread, None));
            self.commit(thread);
            for (location, before) in written.zip(before) {
                let now = self.holds(location);
                if !self.supply.suffices(self.problem, &self.state, location, &now) {
                    return Err(Refused::OffPath);
                }
                let asks = |read| !self.supply.meets(self.problem, read, &before);
                only_looks &= now == before
                    || self.future.is_awaited(self.problem, &self.state, thread, location, asks);
            }
            let mut accessed = self.future.locations()[event.index()].clone();
            let can_go_on = |location: usize| {
                self.places.can_go_on(self.problem, self.supply, self.machine, &self.state, location)
            };
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

    /// Whether a signal may as well happen now: nobody else will ever wait for it, or who does sleeps already.
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
            if self.machine.commit(&mut self.state, thread, lane).is_err() {
                break;
            }
            self.moves.push(commit_move(thread, lane));
        }
    }

    /// What is to come depends on nothing else (one of 2^64 states looks like another).
    fn fingerprint(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        for thread in 0..self.problem.thread_count() {
            self.state.executed(thread).hash(&mut hasher);
            for read in self.future.needed_at(thread, self.state.executed(thread)) {
                self.machine.read_value(&self.state, *read).hash(&mut hasher);
            }
        }
        for location in self.future.read_later(&self.state) {
            self.machine.memory(&self.state, location).hash(&mut hasher);
        }
        self.state.hash_synchronisation(&mut hasher);
        hasher.finish()
    }
}
