//! Memoised steps of threads: an exploration takes the same ones again and again.
//!
//! Consider a step that touches memory once, where others can see it, and else only registers. It depends on
//! two things: the thread, and the number it finds. Threads are persistent data, so the same thread in
//! another execution is mostly the very same pointer. The step is taken by putting the thread that it led to
//! in its place. Threads that have come to the same place with the same registers by other ways are made one
//! again.
//!
//! A step may also read memory of its own, and stop in a modelled function (the end of a thread, a join).
//! Then it depends on that memory and on the environment's bookkeeping, too, and may change the latter. It
//! depends on nothing else: the [call](crate::environment::Call) reports that.

mod direct_mapped;
mod known_commits;
mod recent;
mod taken;

pub use taken::{Taken, Unput};

use crate::caches::endings::Endings;
use crate::caches::sameness::{LiveRegisters, goes_on_alike, is_same_thread};
use crate::environment::Environment;
use crate::machine::{Counters, Executor, Sites};
use crate::memory::{AddressSpace, Ground, Life, Site};
use crate::shared::Shared;
use crate::state::{Past, State};
use crate::threads::thread::{Action, Activation, Pending, Thread};
use direct_mapped::DirectMapped;
use known_commits::Commits;
use recent::Recent;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU8;
use std::sync::Arc;
use symx_ir::address::Cell;
use symx_ir::instruction::{Extended, Inst};
use symx_trace::{Access, Mode, Place as AccessPlace, ThreadId};

/// Slots of each table of steps, threads and commits.
const COUNT: usize = 1 << 13;

/// Slots of the table of steps where there are many.
const MOST: usize = 4 * COUNT;

/// Instructions that may depend on more than registers, in a step that is worth keeping: the access, and the
/// one before which the thread stops.
const EFFECTS: u32 = 2;

/// A step.
#[derive(Debug)]
struct Known<E: Environment> {
    before: Arc<Thread<E>>,
    /// Where it touched memory as others could see, if it did.
    at: Option<Place>,
    /// The number it found there; 0 if it did not read.
    found: u64,
    after: Arc<Thread<E>>,
    /// The number it left in memory, if it wrote.
    left: Option<u64>,
    /// The site of the object before whose access the thread stands afterwards; `None` if it is
    /// in a modelled function.
    next: Option<Site>,
    /// Its further dependencies, if it has any.
    around: Option<Box<Around<E>>>,
    instructions: u64,
}

/// The context of a step besides its thread and the memory that it touches as others do.
#[derive(Debug)]
struct Around<E: Environment> {
    /// The bookkeeping that it found, and what it made of that.
    data: (Arc<E::Data>, Arc<E::Data>),
    /// How many threads there were, and whether any but its own had not ended.
    threads: (usize, bool),
    /// The memory of the thread's own that it found, if it read any, and which threads had touched which
    /// objects, before and after.
    memory: Option<(Ground, Shared<Past>, Shared<Past>)>,
}

impl<E: Environment> Known<E> {
    /// Whether a step from this state is this one, its thread and what that finds being the same.
    fn fits(&self, state: &State<E>) -> bool {
        let has_next = self.next.is_none_or(|site| {
            let next = self.after.pending.as_deref().and_then(Place::of);
            next.and_then(|next| next.look(state)).is_some_and(|(_, there)| there == site)
        });
        has_next && self.around.as_ref().is_none_or(|around| around.is_of(state, self.before.id))
    }

    /// Whether no store but that of its access, if that is one, went into the thread's buffer.
    fn issues_no_other(&self) -> bool {
        let (before, after) = (self.before.buffer.len(), self.after.buffer.len());
        let is_store = self.at.is_some_and(|at| at.writes && !at.reads);
        after == before || after == before + 1 && is_store && self.left.is_none()
    }
}

impl<E: Environment> Around<E> {
    fn is_of(&self, state: &State<E>, thread: ThreadId) -> bool {
        Arc::ptr_eq(&self.data.0, &state.data)
            && self.threads == (state.threads.len(), state.others_go_on(thread))
            && self
                .memory
                .as_ref()
                .is_none_or(|(ground, past, _)| past.is_same(state.past()) && ground.is_of(&state.memory))
    }
}

/// Steps and threads met so far, as many as there is room for.
#[derive(Debug)]
pub struct Transitions<E: Environment> {
    steps: DirectMapped<Arc<Known<E>>>,
    /// The slot of the step that was repeated last.
    repeated: usize,
    /// How many steps were kept since the table has had its present number of slots.
    kept: usize,
    threads: DirectMapped<Arc<Thread<E>>>,
    commits: Commits<E>,
    /// Other results of recent steps.
    data: Recent<Arc<E::Data>>,
    past: Recent<Shared<Past>>,
    grounds: Recent<AddressSpace>,
    /// The bookkeeping looked at last, and whether something in it leads back into an activation.
    jumps: Option<(Arc<E::Data>, bool)>,
    /// The sites that counted as visible: they decide where steps end.
    visible: Option<Sites>,
    stops_at_fences: bool,
}

impl<E: Environment> Default for Transitions<E> {
    fn default() -> Self {
        Self {
            steps: DirectMapped::default(),
            repeated: 0,
            kept: 0,
            threads: DirectMapped::default(),
            commits: Commits::default(),
            data: Recent::default(),
            past: Recent::default(),
            grounds: Recent::default(),
            jumps: None,
            visible: None,
            stops_at_fences: false,
        }
    }
}

/// The changes of a known step: enough to take it back.
#[derive(Debug)]
pub struct Undo<E: Environment> {
    thread: Arc<Thread<E>>,
    /// Where it wrote, how many bytes, and the number that was there.
    word: Option<(u64, NonZeroU8, u64)>,
    /// The bookkeeping and what had been before, if it may have changed that.
    data: Option<Arc<E::Data>>,
    past: Option<Shared<Past>>,
}

impl<E: Environment> Clone for Undo<E> {
    fn clone(&self) -> Self {
        let Self { thread, word, data, past } = self;
        Self { thread: Arc::clone(thread), word: *word, data: data.clone(), past: past.clone() }
    }
}

impl<E: Environment> Undo<E> {
    /// The thread before the step.
    pub fn thread(&self) -> &Arc<Thread<E>> {
        &self.thread
    }

    /// Makes of the state after the step the one before it.
    pub fn take_back(self, state: &mut State<E>) {
        let index = self.thread.id.index();
        state.threads[index] = self.thread;
        if let Some((address, length, word)) = self.word {
            put(state, address, u64::from(length.get()), word);
        }
        if let Some(data) = self.data {
            state.data = data;
        }
        if let Some(past) = self.past {
            *state.past_mut() = past;
        }
    }
}

/// A step under way that may be worth keeping.
pub(crate) struct Trial<E: Environment> {
    before: Arc<Thread<E>>,
    /// Where it touches memory as others could see; a thread's first step does not, nor
    /// those of modelled functions.
    at: Option<Place>,
    /// The number there.
    word: u64,
    found: u64,
    version: u64,
    ground: Option<Ground>,
    past: Shared<Past>,
    data: Arc<E::Data>,
    counters: Counters,
    /// Races and misuse met before.
    met: (usize, usize),
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u64,
    length: u64,
    reads: bool,
    writes: bool,
}

impl Place {
    fn of<E: Environment>(pending: &Pending<E>) -> Option<Self> {
        let (address, length, reads, writes) = match pending.action {
            Action::Load { address, length, .. } => (address, length, true, false),
            Action::Store { address, length, .. } => (address, length, false, true),
            Action::ReadModifyWrite { address, length, .. } => (address, length, true, true),
            Action::Fence(_) | Action::Return(_) | Action::Model(_) | Action::Fail(_) | Action::Never => {
                return None;
            }
        };
        (1..=8).contains(&length).then_some(Self { address, length, reads, writes })
    }

    /// The number there and the site of its object, if an access is no error and finds a number.
    fn look<E: Environment>(self, state: &State<E>) -> Option<(u64, Site)> {
        let object = state.memory.near(self.address)?;
        let offset = self.address.wrapping_sub(object.base);
        let fits = object.life == Life::Live
            && object.contains(offset, self.length)
            && !(self.writes && object.read_only);
        (fits && object.is_concrete(offset, self.length))
            .then(|| (object.read_word(offset, self.length), object.site))
    }
}

/// Puts a number of `length` bytes at an address.
fn put<E: Environment>(state: &mut State<E>, address: u64, length: u64, word: u64) {
    if let Some(cell) = Cell::of(address)
        && let Some(object) = state.memory.get(cell)
    {
        let offset = address - object.base;
        state.memory.put_word(cell, offset, length, word);
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Whether steps depend on no more than their threads and memory, and neither a tracer nor halts observe
    /// them.
    pub fn repeats_steps(&self, state: &State<E>) -> bool {
        state.unjoined > 1 && self.depends_on_states_only(state)
    }

    /// Whether what steps do depends on states only, and neither a tracer nor halts observe it.
    pub(crate) fn depends_on_states_only(&self, state: &State<E>) -> bool {
        let options = &self.machine.options;
        state.order.is_none()
            && state.processes.is_none()
            && self.notes.tracer.is_none()
            && self.notes.halts.is_none()
            && self.visible.is_some()
            && options.max_instructions == u64::MAX
            && !options.races
            && options.remedies.is_none()
            && !options.watches_edges()
    }

    /// Takes the next step of `thread`, that is not interrupted, if it is known. If it may be worth knowing,
    /// says what to hand to [`remember`](Self::remember) when it has been taken.
    pub(crate) fn repeat(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
    ) -> Result<Undo<E>, Option<Box<Trial<E>>>> {
        let thread = &state.threads[id.index()];
        let at = thread.pending.as_deref().and_then(Place::of);
        // What waits in its buffer is part of a thread. What is no access may wait for that.
        let notes_calls = self.notes.census.is_some() || self.notes.outcome.is_some();
        let is_apart = at.is_some() || thread.buffer.is_empty() && !notes_calls && may_stay_apart(thread);
        if !is_apart || !self.repeats_steps(state) {
            return Err(None);
        }
        let word = match at.map(|at| at.look(state)) {
            Some(None) => return Err(None),
            Some(Some((word, _))) => word,
            None => 0,
        };
        let found = if at.is_some_and(|at| at.reads) { word } else { 0 };
        self.attend();
        let steps = &self.caches.transitions.steps;
        let known = [None, Some(&state.data)].into_iter().find_map(|data| {
            let slot = steps.slot(step_hash(thread, found, data));
            let known = steps.get(slot)?;
            let is_it = known.found == found && Arc::ptr_eq(&known.before, thread) && known.fits(state);
            is_it.then_some((slot, known))
        });
        if let Some((slot, known)) = known {
            self.caches.transitions.repeated = slot;
            let before = std::mem::replace(&mut state.threads[id.index()], Arc::clone(&known.after));
            let left = known.left.zip(at);
            if let Some((left, at)) = left {
                put(state, at.address, at.length, left);
            }
            let (mut data, mut past) = (None, None);
            if let Some(around) = &known.around {
                data = Some(std::mem::replace(&mut state.data, Arc::clone(&around.data.1)));
                past = around
                    .memory
                    .as_ref()
                    .map(|(.., left)| std::mem::replace(state.past_mut(), left.clone()));
            }
            self.counters.instructions += known.instructions;
            self.counters.known += known.instructions;
            let word = left.and_then(|(_, at)| {
                let length = u8::try_from(at.length).ok().and_then(NonZeroU8::new)?;
                Some((at.address, length, word))
            });
            return Ok(Undo { thread: before, word, data, past });
        }
        (self.present.effects, self.present.calls) = (0, 0);
        self.present.reaches_beyond.set(false);
        self.present.looks_at_memory.set(false);
        if let Some(cell) = at.and_then(|at| Cell::of(at.address)) {
            self.caches.endings.watch(cell);
        }
        let trial = Trial {
            before: Arc::clone(thread),
            at,
            word,
            found,
            version: state.memory.version(),
            ground: state.memory.ground(),
            past: state.past().clone(),
            data: Arc::clone(&state.data),
            counters: self.counters,
            met: (self.notes.races.len(), self.notes.misuse.len()),
        };
        Err(Some(Box::new(trial)))
    }

    /// Whether a thread that is about to load from a range is known to come back to where it is, in the state
    /// it is in, if it finds a number there.
    pub fn is_known_to_come_round(
        &mut self,
        thread: &Arc<Thread<E>>,
        range: (u64, u64),
        number: u64,
    ) -> bool {
        self.attend();
        let steps = &self.caches.transitions.steps;
        let known = steps.get(steps.slot(step_hash(thread, number, None))).filter(|known| {
            let is_look = |at: Place| at.reads && !at.writes && (at.address, at.address + at.length) == range;
            known.found == number
                && Arc::ptr_eq(&known.before, thread)
                && known.at.is_some_and(is_look)
                && known.left.is_none()
                && known.around.is_none()
                && thread.buffer.is_empty()
        });
        let after = known.map(|known| Arc::clone(&known.after));
        after.is_some_and(|after| self.is_where_it_was(thread, &after))
    }

    /// Keeps the step just taken, if the same step will have the same result. The thread has stopped before
    /// its next one.
    pub(crate) fn remember(&mut self, state: &mut State<E>, id: ThreadId, trial: Option<Box<Trial<E>>>) {
        if state.end.is_some() || !self.repeats_steps(state) {
            return;
        }
        self.attend();
        let environment = &self.machine.environment;
        let Transitions { data, past, .. } = &mut self.caches.transitions;
        data.unify(&mut state.data, Arc::ptr_eq, |one, other| environment.is_same(one, other));
        past.unify(state.past_mut(), Shared::is_same, |one, other| one.is_equal(other));
        let thread = &mut state.threads[id.index()];
        let next = thread.pending.as_deref().and_then(Place::of);
        let is_in_call =
            || matches!(thread.pending.as_deref(), Some(Pending { action: Action::Model(_), .. }));
        if next.is_none() && !thread.exited && !is_in_call() {
            return;
        }
        self.unify(thread, &state.data);
        let after = Arc::clone(thread);
        let Some(trial) = trial.map(|trial| *trial) else { return };
        let next = next.map(|next| next.look(state).map(|(_, site)| site));
        let own = u32::from(trial.at.is_some()) + u32::from(next.is_some());
        // A thread that parks before memory of its own, as for a barrier, has noted there which thread
        // touches it.
        let is_private = |site: Site| self.visible.as_ref().is_some_and(|visible| !visible.contains(&site));
        let parks_at_own = next.flatten().is_some_and(is_private);
        let looks = self.present.effects - self.present.calls > own
            || self.present.looks_at_memory.get()
            || parks_at_own;
        let mut left = None;
        if let Some(at) = trial.at {
            let Some((word, site)) = at.look(state) else { return };
            let is_shared = self.visible.as_ref().is_some_and(|visible| visible.contains(&site));
            if !is_shared || !self.is_single_access(&trial.before) {
                return;
            }
            left = (state.memory.version() != trial.version).then_some(word);
            // Of one change it is certain where it was if nothing else was touched, or if it is
            // to be seen there. A store that waits in its buffer has changed nothing.
            let is_buffered = !after.buffer.is_empty() || !trial.before.buffer.is_empty();
            if left.is_some() && (looks && word == trial.word || is_buffered) {
                return;
            }
        }
        if next == Some(None) || !after.exited && !is_plain(&after) {
            return;
        }
        let around = if self.present.effects == EFFECTS && own == EFFECTS && !parks_at_own {
            None
        } else if self.stays_apart(state, &trial, looks) {
            let memory = trial.ground.map(|ground| (ground, trial.past, state.past().clone()));
            if looks && memory.is_none() {
                return;
            }
            let data = (trial.data, Arc::clone(&state.data));
            let memory = memory.filter(|_| looks);
            let threads = (state.threads.len(), state.others_go_on(id));
            Some(Box::new(Around { data, threads, memory }))
        } else {
            return;
        };
        state.memory.has_only_put_since(trial.version);
        self.caches.transitions.keep(Known {
            before: trial.before,
            at: trial.at,
            found: trial.found,
            after,
            left,
            next: next.flatten(),
            around,
            instructions: self.counters.instructions - trial.counters.instructions,
        });
    }

    /// Whether a step depends only on its thread, what that found, the bookkeeping and memory of its own. It
    /// must have changed no more than the bookkeeping, the notes of accesses, its thread, and its visible
    /// writes.
    fn stays_apart(&self, state: &State<E>, trial: &Trial<E>, looks: bool) -> bool {
        let writes = trial.at.is_some_and(|at| at.writes);
        !self.present.reaches_beyond.get()
            && state.memory.version() - trial.version <= u64::from(writes)
            && (looks || trial.past.is_same(state.past()))
            && state.discovered.len() == trial.past.discovered.len()
            && self.counters.time_stamps == trial.counters.time_stamps
            && (self.notes.races.len(), self.notes.misuse.len()) == trial.met
            && state.path.is_empty()
            && state.inputs.is_empty()
            && !self.machine.environment.answers_as_recorded()
    }

    /// Finds out, after a step, the ground of memory: that of one of the last few, if they differ in what
    /// threads share only. Where that is hardly ever so it is always its own.
    pub(crate) fn know_ground(&mut self, state: &mut State<E>) {
        if state.memory.ground().is_some() || state.end.is_some() || !self.repeats_steps(state) {
            return;
        }
        self.attend();
        let grounds = &mut self.caches.transitions.grounds;
        if grounds.rests() {
            state.memory.know_ground();
            return;
        }
        let is_visible = |site: Site| self.visible.as_ref().is_some_and(|visible| visible.contains(&site));
        let shared: SmallVec<[Cell; 16]> =
            self.caches.endings.watched_of(&state.memory, is_visible).collect();
        match grounds.find(|known| known.is_same(&state.memory, &shared)) {
            Some(known) => state.memory.adopt_ground(known),
            None => {
                state.memory.know_ground();
                grounds.keep(state.memory.clone());
            }
        }
    }

    /// Makes a thread the same pointer as one met before that goes on as it does.
    fn unify(&mut self, thread: &mut Arc<Thread<E>>, data: &Arc<E::Data>) {
        if !is_plain(thread) {
            return;
        }
        let Transitions { threads, jumps, .. } = &mut self.caches.transitions;
        let jumps = match jumps {
            Some((known, jumps)) if Arc::ptr_eq(known, data) => *jumps,
            _ => {
                // Anything that leads back into an activation is found to differ from itself.
                let may_jump = !self.machine.environment.is_same(data, data);
                *jumps = Some((Arc::clone(data), may_jump));
                may_jump
            }
        };
        let live = self.caches.endings.live(self.machine, thread);
        let is_same = |known: &Thread<E>| match jumps {
            true => is_same_thread(known, thread),
            false => goes_on_alike(known, thread, live),
        };
        match threads.slot_mut(thread_hash(thread, live)) {
            Some(known) if Arc::ptr_eq(known, thread) => {}
            Some(known) if is_same(known) => *thread = Arc::clone(known),
            slot => *slot = Some(Arc::clone(thread)),
        }
    }

    /// Forgets results of steps if they end elsewhere now.
    pub(crate) fn attend(&mut self) {
        let is_same = match (&self.caches.transitions.visible, &self.visible) {
            (Some(known), Some(visible)) => Arc::ptr_eq(known, visible),
            _ => false,
        };
        if !is_same || self.caches.transitions.stops_at_fences != self.stops_at_fences {
            self.caches.endings = Endings::default();
            self.caches.transitions = Transitions {
                steps: DirectMapped::with_slots(COUNT),
                threads: DirectMapped::with_slots(COUNT),
                visible: self.visible.clone(),
                stops_at_fences: self.stops_at_fences,
                ..Transitions::default()
            };
        }
    }

    /// Whether a thread stands before an instruction that is one access.
    fn is_single_access(&self, thread: &Thread<E>) -> bool {
        let Some(Activation::Program(frame)) = thread.stack.last() else { return false };
        let function = self.machine.program.function(frame.function);
        match function.code.get(frame.pc as usize) {
            Some(Inst::Load { .. } | Inst::Store { .. }) => true,
            Some(Inst::Extended { index }) => matches!(
                function.extended[*index as usize],
                Extended::AtomicLoad { .. }
                    | Extended::AtomicStore { .. }
                    | Extended::AtomicRmw { .. }
                    | Extended::CompareExchange { .. }
            ),
            _ => false,
        }
    }
}

impl<E: Environment> Transitions<E> {
    /// Keeps a step, in place of another one if need be.
    fn keep(&mut self, known: Known<E>) {
        self.kept += 1;
        if self.kept > self.steps.slots() && self.steps.slots() < MOST {
            let steps = std::mem::replace(&mut self.steps, DirectMapped::with_slots(MOST));
            self.kept = 0;
            steps.into_entries().for_each(|known| self.put(known));
        }
        self.put(Arc::new(known));
    }

    fn put(&mut self, known: Arc<Known<E>>) {
        let data = known.around.as_ref().map(|around| &around.data.0);
        let hash = step_hash(&known.before, known.found, data);
        *self.steps.slot_mut(hash) = Some(known);
    }
}

/// Whether the next step of a thread, if it is no access to memory, might depend only on its own and the
/// bookkeeping. These are the first one, and those of modelled functions but for joins.
fn may_stay_apart<E: Environment>(thread: &Thread<E>) -> bool {
    match thread.pending.as_deref().map(|pending| &pending.action) {
        None => true,
        Some(Action::Model(operation)) => {
            let joins = |access: &Access| {
                matches!(access.place, AccessPlace::Thread(_)) && access.mode == Mode::Acquire
            };
            operation.alternatives <= 1 && !operation.footprint.iter().any(joins)
        }
        Some(_) => false,
    }
}

fn step_hash<E: Environment>(before: &Arc<Thread<E>>, found: u64, data: Option<&Arc<E::Data>>) -> u64 {
    let mut hasher = FxHasher::default();
    (Arc::as_ptr(before) as usize, found).hash(&mut hasher);
    if let Some(data) = data {
        (Arc::as_ptr(data) as usize).hash(&mut hasher);
    }
    hasher.finish()
}

fn thread_hash<E: Environment>(thread: &Thread<E>, live: &LiveRegisters) -> u64 {
    let mut hasher = FxHasher::default();
    (thread.id, thread.instructions, thread.stack.len()).hash(&mut hasher);
    thread.buffer.stores().for_each(|store| store.event.hash(&mut hasher));
    if let Some(Activation::Program(frame)) = thread.stack.last() {
        (frame.function, frame.pc).hash(&mut hasher);
        live.of(frame).for_each(|register| register.hash(&mut hasher));
    }
    hasher.finish()
}

/// Whether a thread goes on, and all is known of it: numbers.
fn is_plain<E: Environment>(thread: &Thread<E>) -> bool {
    let is_concrete = |activation: &Activation<E>| match activation {
        Activation::Program(frame) => frame.is_concrete(),
        Activation::Model(frame) => {
            frame.interrupted.is_none()
                && frame.arguments.iter().chain(&frame.invoked).all(|value| value.concrete().is_some())
        }
    };
    !thread.exited && thread.guide.is_none() && thread.stack.iter().all(is_concrete)
}
