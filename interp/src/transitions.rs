//! What the steps of threads came to: an exploration takes the same ones again and again.
//!
//! A step that touches memory once, where others can see it, and else only registers depends on two things: the thread,
//! and the number it finds. Threads are persistent data, so the same thread in another execution is mostly the very
//! same pointer, and the step is done by putting the thread that it led to in its place. Threads that have come to the
//! same place with the same registers by other ways are made one again.

use crate::endings::Endings;
use crate::environment::Environment;
use crate::machine::{Executor, Sites};
use crate::memory::{Life, Site};
use crate::sameness::is_same_thread;
use crate::state::State;
use crate::thread::{Action, Activation, Pending, Thread};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use symx_ir::address::Cell;
use symx_ir::instruction::{Extended, Inst};
use symx_trace::ThreadId;

/// Steps and threads kept, each in the one place it maps to.
const COUNT: usize = 1 << COUNT_LOG2;
const COUNT_LOG2: u32 = 13;

/// Instructions that may depend on more than registers, in a step that is worth keeping: the access, and the one before
/// which the thread stops.
const EFFECTS: u32 = 2;

/// A step.
#[derive(Debug)]
struct Known<E: Environment> {
    before: Arc<Thread<E>>,
    /// What it found in memory; 0 if it did not look.
    found: u64,
    after: Arc<Thread<E>>,
    /// What it left in memory, if it wrote.
    left: Option<u64>,
    /// The site of the object before whose access the thread stands afterwards.
    site: Site,
    instructions: u64,
}

/// Steps and threads met so far, as many as there is room for.
#[derive(Debug)]
pub(crate) struct Transitions<E: Environment> {
    steps: Vec<Option<Known<E>>>,
    threads: Vec<Option<Arc<Thread<E>>>>,
    /// What counted as visible: it decides where steps end.
    visible: Option<Sites>,
    stops_at_fences: bool,
}

impl<E: Environment> Default for Transitions<E> {
    fn default() -> Self {
        Self { steps: Vec::new(), threads: Vec::new(), visible: None, stops_at_fences: false }
    }
}

/// What a known step has changed: enough to take it back.
#[derive(Debug)]
pub(crate) struct Undo<E: Environment> {
    thread: Arc<Thread<E>>,
    at: Place,
    /// The number that was there, if it wrote.
    word: Option<u64>,
}

impl<E: Environment> Clone for Undo<E> {
    fn clone(&self) -> Self {
        Self { thread: Arc::clone(&self.thread), at: self.at, word: self.word }
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
        if let Some(word) = self.word {
            self.at.write(state, word);
        }
    }
}

/// A step under way that may be worth keeping.
pub(crate) struct Trial<E: Environment> {
    before: Arc<Thread<E>>,
    at: Place,
    found: u64,
    version: u64,
    instructions: u64,
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
            Action::Fence(_) | Action::Return(_) | Action::Model(_) | Action::Never => return None,
        };
        (length <= 8).then_some(Self { address, length, reads, writes })
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

    /// Leaves a number there.
    fn write<E: Environment>(self, state: &mut State<E>, word: u64) {
        if let Some(object) = Cell::of(self.address).and_then(|cell| state.memory.get_mut(cell)) {
            let offset = self.address - object.base;
            object.write_word(offset, self.length, word);
        }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Whether steps depend on no more than their threads and memory, and nobody looks on.
    fn repeats_steps(&self, state: &State<E>) -> bool {
        state.unjoined > 1 && self.depends_on_states_only(state)
    }

    /// Whether what steps do depends on states only, and nobody looks on.
    pub(crate) fn depends_on_states_only(&self, state: &State<E>) -> bool {
        let options = &self.machine.options;
        state.order.is_none()
            && self.tracer.is_none()
            && self.visible.is_some()
            && options.max_instructions == u64::MAX
            && !options.races
            && options.remedies.is_none()
            && !options.watches_edges()
    }

    /// Takes the next step of `thread`, that is not interrupted, if it is known. If it may be worth knowing, says what to
    /// hand to [`remember`](Self::remember) when it has been taken.
    pub(crate) fn repeat(&mut self, state: &mut State<E>, id: ThreadId) -> Result<Undo<E>, Option<Trial<E>>> {
        let thread = &state.threads[id.index()];
        let Some(at) = thread.pending.as_deref().and_then(Place::of) else { return Err(None) };
        if !thread.buffer.is_empty() || !self.repeats_steps(state) {
            return Err(None);
        }
        let Some((word, _)) = at.look(state) else { return Err(None) };
        let found = if at.reads { word } else { 0 };
        self.attend();
        let known = self.transitions.steps[step_place(thread, found)].as_ref();
        if let Some(known) = known.filter(|known| known.found == found && Arc::ptr_eq(&known.before, thread))
            && let Some(next) = known.after.pending.as_deref().and_then(Place::of)
            && next.look(state).is_some_and(|(_, site)| site == known.site)
        {
            let before = std::mem::replace(&mut state.threads[id.index()], Arc::clone(&known.after));
            if let Some(left) = known.left {
                at.write(state, left);
            }
            self.counters.instructions += known.instructions;
            return Ok(Undo { thread: before, at, word: known.left.map(|_| word) });
        }
        self.effects = 0;
        if let Some(cell) = Cell::of(at.address) {
            self.endings.watch(cell);
        }
        let (version, instructions) = (state.memory.version(), self.counters.instructions);
        Err(Some(Trial { before: Arc::clone(thread), at, found, version, instructions }))
    }

    /// Keeps the step just taken, if the same step will come to the same. The thread has stopped before its next one.
    pub(crate) fn remember(&mut self, state: &mut State<E>, id: ThreadId, trial: Option<Trial<E>>) {
        if state.end.is_some() || !self.repeats_steps(state) {
            return;
        }
        let thread = &mut state.threads[id.index()];
        let Some(next) = thread.pending.as_deref().and_then(Place::of) else { return };
        self.attend();
        self.transitions.unify(thread);
        let after = Arc::clone(thread);
        let Some(trial) = trial.filter(|_| self.effects == EFFECTS && is_plain(&after)) else { return };
        let (Some((left, _)), Some((_, site))) = (trial.at.look(state), next.look(state)) else { return };
        if !self.is_single_access(&trial.before) {
            return;
        }
        let has_written = state.memory.version() != trial.version;
        let place = step_place(&trial.before, trial.found);
        self.transitions.steps[place] = Some(Known {
            before: trial.before,
            found: trial.found,
            after,
            left: has_written.then_some(left),
            site,
            instructions: self.counters.instructions - trial.instructions,
        });
    }

    /// Forgets what steps came to if they end elsewhere now.
    pub(crate) fn attend(&mut self) {
        let is_same = match (&self.transitions.visible, &self.visible) {
            (Some(known), Some(visible)) => Arc::ptr_eq(known, visible),
            _ => false,
        };
        if !is_same || self.transitions.stops_at_fences != self.stops_at_fences {
            self.endings = Endings::default();
            self.transitions = Transitions {
                steps: (0..COUNT).map(|_| None).collect(),
                threads: (0..COUNT).map(|_| None).collect(),
                visible: self.visible.clone(),
                stops_at_fences: self.stops_at_fences,
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
    /// Makes a thread the same pointer as an equal one met before.
    fn unify(&mut self, thread: &mut Arc<Thread<E>>) {
        if !is_plain(thread) {
            return;
        }
        match &mut self.threads[thread_place(thread)] {
            Some(known) if Arc::ptr_eq(known, thread) => {}
            Some(known) if is_same_thread(known, thread) => *thread = Arc::clone(known),
            place => *place = Some(Arc::clone(thread)),
        }
    }
}

fn place_of(hasher: FxHasher) -> usize {
    (hasher.finish() >> (64 - COUNT_LOG2)) as usize
}

fn step_place<E: Environment>(before: &Arc<Thread<E>>, found: u64) -> usize {
    let mut hasher = FxHasher::default();
    (Arc::as_ptr(before) as usize, found).hash(&mut hasher);
    place_of(hasher)
}

fn thread_place<E: Environment>(thread: &Thread<E>) -> usize {
    let mut hasher = FxHasher::default();
    (thread.id, thread.instructions).hash(&mut hasher);
    if let Some(Activation::Program(frame)) = thread.stack.last() {
        (frame.function, frame.pc).hash(&mut hasher);
        frame.slots.hash(&mut hasher);
    }
    place_of(hasher)
}

/// Whether a thread is in a function of the program, of which all is known but registers.
fn is_plain<E: Environment>(thread: &Thread<E>) -> bool {
    let is_program = matches!(thread.stack.last(), Some(Activation::Program(frame)) if frame.is_concrete());
    is_program && !thread.exited && thread.guide.is_none()
}
