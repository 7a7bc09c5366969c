//! The walk itself.

use super::RANKS_A_STEP;
use super::before::Before;
use super::places::Places;
use super::supply::Supply;
use super::window::Window;
use crate::synthesis::Unknown;
use crate::synthesis::execution::future::Future;
use crate::synthesis::execution::machine::{Machine, Mark, Refused, State};
use crate::synthesis::execution::schedule::{commit_move, thread_move};
use crate::synthesis::problem::{EventId, Problem, value_of};
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use symx_expr::{BitVector, StopToken};
use symx_trace::Move;
use symx_trace::symbolic::{ObjectRef, Operation};

/// Why an attempt ended.
pub(super) enum End {
    Found(Vec<Move>),
    /// Its steps are used up.
    Abandoned,
    /// All was tried.
    Exhausted,
    Stopped(Unknown),
}

/// Where a walk stood.
#[derive(Clone, Copy)]
struct Place {
    mark: Mark,
    moves: usize,
    running: usize,
    contents: u64,
}

/// A state in which there is a choice.
struct Fork {
    place: Place,
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
    /// By event, when it is to come if nothing speaks against that.
    pub ranks: &'e [u64],
}

/// Who goes on where several can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// Who runs, then by thread.
    Stays,
    /// Anybody.
    Random,
    /// Whose event comes first in the order that is known, or else would be fair.
    InOrder,
}

/// Traces with more events are walked in an order even if none is suggested.
const LONG: usize = 4_096;

/// One execution on its way.
pub(super) struct Walk<'e, 'p> {
    problem: &'p Problem,
    machine: &'e Machine<'p>,
    future: &'e Future,
    supply: &'e Supply,
    places: &'e Places,
    before: Option<&'e Before>,
    ranks: &'e [u64],
    stop: &'e StopToken,
    state: State,
    moves: Vec<Move>,
    running: usize,
    /// What locations hold that are still to be read, for telling states apart.
    contents: u64,
    /// States that lead nowhere.
    dead: FxHashSet<u64>,
    steps: u64,
    random: u64,
    /// By thread, which is preferred, the highest first.
    preference: Vec<u64>,
    manner: Manner,
    /// How far back choices are made anew, if that is done.
    window: Option<Window>,
}

impl<'e, 'p> Walk<'e, 'p> {
    pub(super) fn new(
        problem: &'p Problem,
        machine: &'e Machine<'p>,
        Foresight { future, supply, places, before, ranks }: Foresight<'e>,
        stop: &'e StopToken,
        steps: u64,
    ) -> Self {
        let mut walk = Self {
            problem,
            machine,
            future,
            supply,
            places,
            before,
            ranks,
            stop,
            state: machine.start(),
            moves: Vec::new(),
            running: 0,
            contents: 0,
            dead: FxHashSet::default(),
            steps,
            random: 0x9e37_79b9_7f4a_7c15,
            preference: vec![0; problem.thread_count()],
            manner: Manner::Stays,
            window: None,
        };
        walk.contents = walk.contents_of(0..problem.execution.locations.len());
        walk
    }

    fn random(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    /// Walks from the first event for so many steps.
    pub(super) fn attempt(&mut self, number: u64, steps: u64) -> End {
        let beginning = self.place();
        let end = self.steps.saturating_sub(steps);
        let has_order = self.problem.suggested().is_some() || self.problem.event_count() > LONG;
        self.manner = match number {
            _ if has_order && number.is_multiple_of(3) => Manner::InOrder,
            _ if number.is_multiple_of(2) => Manner::Stays,
            _ => Manner::Random,
        };
        self.window = has_order.then(|| Window::new(self.problem.thread_count(), self.steps));
        for thread in 0..self.preference.len() {
            self.preference[thread] = if number == 0 { u64::MAX - thread as u64 } else { self.random() };
        }
        self.running = 0;
        let found = self.search(end);
        self.go_back(beginning);
        found
    }

    fn place(&self) -> Place {
        let (mark, moves) = (self.machine.mark(&self.state), self.moves.len());
        Place { mark, moves, running: self.running, contents: self.contents }
    }

    fn go_back(&mut self, place: Place) {
        self.machine.go_back(&mut self.state, place.mark);
        self.moves.truncate(place.moves);
        (self.running, self.contents) = (place.running, place.contents);
    }

    fn search(&mut self, end: u64) -> End {
        let mut forks: Vec<Fork> = Vec::new();
        let mut choices = self.settle();
        let mut has_left_out = false;
        loop {
            if let Some(left) = choices.take() {
                if self.machine.is_over(&self.state) {
                    if self.machine.shows_bug(&self.state) {
                        return End::Found(std::mem::take(&mut self.moves));
                    }
                } else {
                    let fingerprint = self.fingerprint();
                    if !left.is_empty() && !self.dead.contains(&fingerprint) {
                        forks.push(Fork { place: self.place(), fingerprint, left });
                    }
                }
            }
            let (moves, steps) = (self.moves.len(), self.steps);
            let anew = self.window.as_mut().and_then(|window| window.is_used_up(moves, steps));
            if let Some(anew) = anew {
                has_left_out = true;
                forks.truncate((forks.len() + 1).saturating_sub(anew).max(1));
            }
            let Some(fork) = forks.last_mut() else {
                return if has_left_out { End::Abandoned } else { End::Exhausted };
            };
            let place = fork.place;
            if anew.is_some() {
                forks.pop();
                self.go_back(place);
                choices = self.settle();
                continue;
            }
            let Some(thread) = fork.left.pop() else {
                self.dead.insert(fork.fingerprint);
                forks.pop();
                continue;
            };
            if self.steps <= end {
                return if self.steps == 0 { End::Stopped(Unknown::StepLimit) } else { End::Abandoned };
            }
            if let Some(reason) = self.stop.reason() {
                return End::Stopped(reason.into());
            }
            self.go_back(place);
            if self.go_on(thread).is_ok() {
                choices = self.settle();
            }
        }
    }

    /// Lets happen what may as well happen now. What there is to choose from then; nothing if there
    /// is no way on.
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
        let stays = self.manner == Manner::Stays;
        let mut ranked: Vec<((bool, u64), usize)> = Vec::new();
        for thread in choices {
            let preferred = match self.manner {
                Manner::Stays => self.preference[thread],
                Manner::Random => self.random(),
                Manner::InOrder => u64::MAX - self.rank(thread),
            };
            ranked.push(((stays && thread == running, preferred), thread));
        }
        ranked.sort_unstable();
        Some(ranked.into_iter().map(|(_, thread)| thread).collect())
    }

    /// When a thread's next event is to come, changed a little where that led nowhere.
    fn rank(&mut self, thread: usize) -> u64 {
        let next = self.machine.next(&self.state, thread);
        let rank = next.map_or(u64::MAX / 2, |event| self.ranks[event.index()]);
        let disorder = self.window.as_ref().map_or(0, Window::disorder) * RANKS_A_STEP;
        if disorder == 0 { rank } else { rank + self.random() % disorder }
    }

    /// Lets a thread go on if nobody else can tell; whether it did.
    fn look(&mut self, thread: usize) -> Result<bool, Refused> {
        let place = self.place();
        let only_looks = self.go_on(thread);
        if only_looks != Ok(true) {
            self.go_back(place);
        }
        only_looks
    }

    /// Lets a thread take a step and all that follow of its own for which it does not matter when they
    /// happen. Where it would leave its path the state is in between. Whether it only looked: nobody else can
    /// tell that it happened.
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
            self.noting(event, |walk| walk.machine.execute(&mut walk.state, thread, 0).map(drop))?;
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
            let mut accessed = match self.foresees() {
                true => self.future.locations()[event.index()].clone(),
                false => 0..0,
            };
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

    /// Whether it is worth its time to look what is left to do with single places: an order may be
    /// right as it is.
    fn foresees(&self) -> bool {
        self.window.as_ref().is_none_or(|window| window.disorder() > 0)
            || self.manner != Manner::InOrder
            || self.problem.event_count() <= LONG
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

    /// Whether a signal may as well happen now: nobody else will ever wait for it, or
    /// who does sleeps already.
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
            if self.noting(event, |walk| walk.machine.commit(&mut walk.state, thread, lane)).is_err() {
                break;
            }
            self.moves.push(commit_move(thread, lane));
        }
    }

    /// Takes a step of an event, or commits its store, and notes what becomes of the contents: no other
    /// locations change, or cease to be read.
    fn noting<T>(&mut self, event: EventId, step: impl FnOnce(&mut Self) -> T) -> T {
        let locations = self.future.locations()[event.index()].clone();
        let before = self.contents_of(locations.clone());
        let done = step(self);
        self.contents ^= before ^ self.contents_of(locations);
        done
    }

    /// What locations hold, of those that are still to be read.
    fn contents_of(&self, locations: Range<usize>) -> u64 {
        let read = locations.filter(|location| self.future.is_read_later(&self.state, *location));
        read.fold(0, |all, location| {
            let mut hasher = rustc_hash::FxHasher::default();
            (location, self.machine.memory(&self.state, location)).hash(&mut hasher);
            all ^ hasher.finish()
        })
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
        self.contents.hash(&mut hasher);
        self.state.hash_synchronisation(&mut hasher);
        hasher.finish()
    }
}
