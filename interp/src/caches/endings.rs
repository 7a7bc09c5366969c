//! The last thread's steps when all others have ended: many executions have the same ones.
//!
//! The result depends on the state alone, and seldom on what the others have left in shared memory. So the
//! thread goes on with that unknown. Let it reach the end of the process nevertheless, having decided nothing
//! by it and written none of it. Then all executions that differ in no more end so. Where that does not work,
//! states must be the same in full. The same goes for several threads that have nothing left to do but to end
//! and to wait for each other. All states compared are kept, so that it is certain that they are the same.
//! While few are met again, none are compared.

use crate::caches::hit_rate::HitRate;
use crate::caches::sameness::LiveRegisters;
use crate::environment::Environment;
use crate::machine::{Executor, Machine};
use crate::memory::{AddressSpace, Ground, Life, Site};
use crate::shared::Shared;
use crate::state::{End, Past, State};
use crate::stop::Step;
use crate::threads::thread::{Action, Activation, Thread};
use crate::value::Byte;
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use symx_ir::FunctionId;
use symx_ir::address::Cell;
use symx_trace::{Mode, Place, ThreadId};

/// States kept, each in one of the few places it maps to.
const COUNT: usize = 1 << COUNT_LOG2;
const COUNT_LOG2: u32 = 12;

/// Places that a state can be kept in.
const WAYS: usize = 4;

/// Shared objects whose contents are set apart: at most this many, of at most this many bytes.
const WATCHED: usize = 16;
const WATCHED_BYTES: u64 = 64;

/// How often the end may turn out to depend on what is set apart before the attempt is abandoned.
const VAIN: u32 = 8;

/// States looked up before it is asked whether that was worth it.
const WINDOW: u32 = 1024;

/// States from which only one thread goes on, and the result of its step.
#[derive(Debug)]
pub struct Endings<E: Environment> {
    known: Vec<Option<Arc<Known<E>>>>,
    /// The same, where all that a state consists of was met before.
    by_parts: Vec<Option<Parts<E>>>,
    /// Objects that threads share, as far as they were met.
    watched: Vec<Cell>,
    pub(super) live: LiveRegisters,
    /// How often the end depended on what threads had left in shared objects.
    vain: u32,
    /// How often threads that seemed to have nothing left to do but to end turned out to have, in a row.
    busy: u32,
    /// The same where the order of writes to shared objects was open.
    busy_beside_contested: u32,
    /// Where the thread stood when its step did not lead to the end.
    not_last: FxHashSet<(FunctionId, u32)>,
    hits: HitRate,
    /// How many states were looked up.
    tried: usize,
}

/// The result of a state in which threads had nothing left to do but to end.
#[derive(Debug)]
pub struct Known<E: Environment> {
    before: State<E>,
    after: State<E>,
    /// Objects whose contents do not matter.
    set_apart: SmallVec<[Cell; 4]>,
    /// If it was more than one step: the threads that took them, and what they read without changing it.
    together: Option<Together>,
}

impl<E: Environment> Known<E> {
    /// How threads came to the end of the process, if it was all that was left.
    pub fn together(&self) -> Option<&Together> {
        self.together.as_ref()
    }

    /// The state that follows one that is the same as the one that this followed.
    pub fn follow(&self, state: &State<E>) -> State<E> {
        let changes = self.after.memory.version() != self.before.memory.version();
        let version = state.memory.version() + u64::from(changes);
        let mut followed = self.after.clone();
        followed.memory.continue_from(version, followed.end.is_none());
        followed
    }
}

/// The parts of states that threads end from together, but for the contents of the objects that threads
/// share.
#[derive(Debug)]
struct Parts<E: Environment> {
    threads: SmallVec<[Arc<Thread<E>>; 4]>,
    data: Arc<E::Data>,
    past: Shared<Past>,
    ground: Ground,
    /// How many objects they share.
    watched: usize,
    known: Arc<Known<E>>,
}

/// How threads came to the end of the process that had nothing else left to do.
#[derive(Debug, Default)]
pub struct Together {
    /// The threads that took a step, in this order.
    pub steps: SmallVec<[ThreadId; 8]>,
    /// Instructions that these steps executed.
    pub instructions: u64,
    /// Objects that they touched, and whether they changed them: then only one step touched it.
    pub touched: SmallVec<[(Place, bool); 4]>,
    /// Whether they touched no memory that threads share: then it is no matter which of it is
    /// [contested](Executor::contested).
    is_apart: bool,
}

impl<E: Environment> Default for Endings<E> {
    fn default() -> Self {
        Self {
            known: Vec::new(),
            by_parts: Vec::new(),
            watched: Vec::new(),
            live: LiveRegisters::default(),
            vain: 0,
            busy: 0,
            busy_beside_contested: 0,
            not_last: FxHashSet::default(),
            hits: HitRate::new(WINDOW),
            tried: 0,
        }
    }
}

/// A step under way that is worth keeping: the state before it, and where to keep it.
pub(crate) struct Ending<E: Environment> {
    before: State<E>,
    place: usize,
}

impl<E: Environment> Endings<E> {
    /// Notes that threads share the object in `cell`.
    pub fn watch(&mut self, cell: Cell) {
        if self.watched.len() < WATCHED && !self.watched.contains(&cell) {
            self.watched.push(cell);
        }
    }

    /// The objects that threads share, as far as they were met, from sites that are `visible`.
    pub fn watched_of<'w>(
        &'w self,
        memory: &'w AddressSpace,
        visible: impl Fn(Site) -> bool + 'w,
    ) -> impl Iterator<Item = Cell> + 'w {
        let is_visible = move |cell: &Cell| memory.get(*cell).is_some_and(|object| visible(object.site));
        self.watched.iter().copied().filter(is_visible)
    }

    /// The registers that matter in the calls of a thread.
    pub fn live(&mut self, machine: &Machine<E>, thread: &Thread<E>) -> &LiveRegisters {
        self.live.learn(machine, thread);
        &self.live
    }

    fn place(&self, state: &State<E>, generalises: bool) -> usize {
        let mut hasher = FxHasher::default();
        for thread in state.threads.iter().filter(|thread| !thread.exited) {
            thread.id.hash(&mut hasher);
            for activation in &thread.stack {
                match activation {
                    Activation::Program(frame) => {
                        frame.pc.hash(&mut hasher);
                        self.live.of(frame).for_each(|register| register.hash(&mut hasher));
                    }
                    Activation::Model(frame) => frame.phase.hash(&mut hasher),
                }
            }
        }
        let watched = if generalises { &[] } else { &self.watched[..] };
        let objects = watched.iter().filter_map(|cell| state.memory.get(*cell));
        // An object that is no more has no contents.
        for object in objects.filter(|object| object.life == Life::Live) {
            let mut bytes = [0; WATCHED_BYTES as usize];
            let length = object.size.min(WATCHED_BYTES);
            if object.contains(0, length) && object.is_concrete(0, length) {
                object.copy_out(0, &mut bytes[..length as usize]);
                hasher.write(&bytes[..length as usize]);
            }
        }
        (hasher.finish() >> (64 - COUNT_LOG2)) as usize / WAYS * WAYS
    }

    /// Keeps what is known of a state, in one of the places from `place` on.
    fn keep(&mut self, place: usize, known: Arc<Known<E>>) {
        let tried = self.tried;
        if let Some(ways) = self.known.get_mut(place..place + WAYS) {
            let way = ways.iter().position(Option::is_none).unwrap_or(tried % WAYS);
            ways[way] = Some(known);
        }
    }
}

impl<E: Environment> Parts<E> {
    /// Where they are kept.
    fn place(state: &State<E>) -> usize {
        let mut hasher = FxHasher::default();
        for thread in &state.threads {
            (Arc::as_ptr(thread) as usize).hash(&mut hasher);
        }
        (Arc::as_ptr(&state.data) as usize, state.memory.ground_address()).hash(&mut hasher);
        (hasher.finish() >> (64 - COUNT_LOG2)) as usize
    }

    /// Whether a state consists of these.
    fn are_of(&self, state: &State<E>) -> bool {
        self.ground.is_of(&state.memory)
            && self.past.is_same(state.past())
            && Arc::ptr_eq(&self.data, &state.data)
            && self.threads.len() == state.threads.len()
            && self.threads.iter().zip(&state.threads).all(|(one, other)| Arc::ptr_eq(one, other))
    }
}

impl<E: Environment> Endings<E> {
    /// The result of a state that consists of parts met before. The rest, which differs, is in shared
    /// objects, and does not matter.
    fn find_by_parts(&self, state: &State<E>) -> Option<&Arc<Known<E>>> {
        let parts = self.by_parts.get(Parts::place(state))?.as_ref()?;
        (parts.are_of(state) && parts.watched == self.watched.len() && self.sets_all_apart(state))
            .then_some(&parts.known)
    }

    /// Notes what a state consists of that `known` follows.
    fn keep_parts(&mut self, state: &State<E>, known: &Arc<Known<E>>) {
        let Some(ground) = state.memory.ground() else { return };
        if known.set_apart.len() != self.watched.len() || !self.sets_all_apart(state) {
            return;
        }
        if self.by_parts.is_empty() {
            self.by_parts.resize_with(COUNT, || None);
        }
        self.by_parts[Parts::place(state)] = Some(Parts {
            threads: state.threads.clone(),
            data: Arc::clone(&state.data),
            past: state.past().clone(),
            ground,
            watched: self.watched.len(),
            known: Arc::clone(known),
        });
    }

    /// Whether no shared object escapes notice, and each can be set apart.
    fn sets_all_apart(&self, state: &State<E>) -> bool {
        self.watched.len() < WATCHED && self.watched.iter().all(|cell| can_be_set_apart(state, *cell))
    }
}

/// The innermost place of the program at which a thread stands.
fn place_in_program<E: Environment>(thread: &Thread<E>) -> Option<(FunctionId, u32)> {
    thread.stack.iter().rev().find_map(|activation| match activation {
        Activation::Program(frame) => Some((frame.function, frame.pc)),
        Activation::Model(_) => None,
    })
}

/// Whether the contents of an object can be taken for unknown.
fn can_be_set_apart<E: Environment>(state: &State<E>, cell: Cell) -> bool {
    state.memory.get(cell).is_some_and(|object| {
        object.life == Life::Live
            && !object.read_only
            && object.size <= WATCHED_BYTES
            && object.is_concrete(0, object.size)
    })
}

impl<E: Environment> Executor<'_, E> {
    /// Takes the next step of `thread`, that is not interrupted, if all others have ended and its result is
    /// known. If it is not, but may be met again, says what to hand to [`keep_ending`](Self::keep_ending)
    /// when the step has been taken.
    pub(crate) fn repeat_ending(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
    ) -> Result<(), Option<Box<Ending<E>>>> {
        let alone = |other: &Thread<E>| other.buffer.is_empty() && (other.exited || other.id == id);
        let is_covered = state.threads.len() > 1
            && self.contested.is_empty()
            && state.threads.iter().all(|other| alone(other))
            && self.depends_on_states_only(state)
            && !self.caches.endings.hits.rests();
        if !is_covered {
            return Err(None);
        }
        self.attend();
        let at = place_in_program(&state.threads[id.index()]);
        // From one place a thread may join several others: only the last of these steps leads to the end.
        let is_passed = at.is_some_and(|at| self.caches.endings.not_last.contains(&at));
        let generalises = self.may_leave_unknown() && !is_passed;
        let endings = &mut self.caches.endings;
        if endings.known.is_empty() {
            endings.known.resize_with(COUNT, || None);
        }
        endings.tried += 1;
        endings.live.learn(self.machine, &state.threads[id.index()]);
        let place = endings.place(state, generalises);
        if let Some(at) = self.find_known(state, place, false) {
            let Some(known) = &self.caches.endings.known[at] else { return Err(None) };
            let executed = |state: &State<E>| state.threads[id.index()].instructions;
            self.counters.instructions += executed(&known.after) - executed(&known.before);
            *state = known.follow(state);
            return Ok(());
        }
        if generalises {
            return self.generalise(state, id, (place, at)).map_err(|()| None);
        }
        Err(Some(Box::new(Ending { before: state.clone(), place })))
    }

    /// Where it is kept what follows a state, if it is known: one step, or all to the end.
    fn find_known(&mut self, state: &State<E>, place: usize, is_together: bool) -> Option<usize> {
        let endings = &mut self.caches.endings;
        let found = (place..place + WAYS).find(|at| {
            endings.known[*at].as_deref().is_some_and(|Known { before, set_apart, together, .. }| {
                together.is_some() == is_together
                    && self.machine.is_same_state(before, state, &endings.live, set_apart)
            })
        });
        self.caches.endings.hits.note(found.is_some());
        found
    }

    /// Takes the step with what is in shared objects unknown. An error if it does not lead to the end
    /// of the process so.
    fn generalise(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
        (place, at): (usize, Option<(FunctionId, u32)>),
    ) -> Result<(), ()> {
        let (mut after, set_apart) = self.with_unknowns(state);
        let instructions = self.counters.instructions;
        let granted = after.threads[id.index()].pending.is_some();
        let step = self.without_solver(|executor| executor.resume(&mut after, id, granted));
        if !matches!(step, Step::Done) || !self.has_ended_regardless(&after) {
            self.counters.instructions = instructions;
            match (step, after.end) {
                (Step::Done, None) => self.caches.endings.not_last.extend(at),
                _ => self.caches.endings.vain += 1,
            }
            return Err(());
        }
        self.caches.endings.vain = 0;
        let before = std::mem::replace(state, after.clone());
        self.caches.endings.keep(place, Arc::new(Known { before, after, set_apart, together: None }));
        Ok(())
    }

    /// Whether it can be tried how threads end with what is in shared objects unknown. Where symbols are
    /// given, all have values, including those for unknown contents.
    fn may_leave_unknown(&self) -> bool {
        !self.memory_matters_at_end && self.caches.endings.vain < VAIN && self.given().is_none()
    }

    /// Takes steps, abandoned where a solver would have to be asked.
    fn without_solver<R>(&mut self, steps: impl FnOnce(&mut Self) -> R) -> R {
        self.queries.leave_unanswered(true);
        let result = steps(self);
        self.queries.leave_unanswered(false);
        result
    }

    /// The state with what is in shared objects unknown, and these.
    fn with_unknowns(&self, state: &State<E>) -> (State<E>, SmallVec<[Cell; 4]>) {
        let mut after = state.clone();
        let mut set_apart = SmallVec::new();
        for cell in &self.caches.endings.watched {
            if !can_be_set_apart(state, *cell) {
                continue;
            }
            let Some(object) = after.memory.get_mut(*cell) else { continue };
            set_apart.push(*cell);
            for offset in 0..object.size {
                let name = format!("left in shared memory at {:#x}", object.base + offset);
                object.set_byte(offset, Byte::Symbolic(self.machine.terms.symbol(&name, 8)));
            }
        }
        (after, set_apart)
    }

    /// Whether the process has ended, whatever was unknown.
    fn has_ended_regardless(&self, state: &State<E>) -> bool {
        matches!(state.end, Some(End::Exit(_)))
            && state.path.is_empty()
            && state.inputs.is_empty()
            && self.machine.environment.standard_output(&state.data).is_concrete()
    }

    /// The end of the process, and how threads come to it, if they have only to end and to wait for each
    /// other. They must [have only that left](Self::has_only_ends_left). They touch nothing on the way that
    /// is [contested](Executor::contested).
    ///
    /// `shared` are all objects into which steps have put numbers since the state's ground
    /// was begun, or more.
    pub fn ends_together(
        &mut self,
        state: &State<E>,
        shared: impl Iterator<Item = Cell> + Clone,
    ) -> Option<Arc<Known<E>>> {
        let is_contested = !self.contested.is_empty();
        let busy =
            if is_contested { self.caches.endings.busy_beside_contested } else { self.caches.endings.busy };
        let is_covered = self.may_leave_unknown()
            && busy < VAIN
            && self.depends_on_states_only(state)
            && !self.caches.endings.hits.rests();
        if !is_covered {
            return None;
        }
        self.attend();
        let endings = &mut self.caches.endings;
        if endings.known.is_empty() {
            endings.known.resize_with(COUNT, || None);
        }
        endings.tried += 1;
        shared.clone().for_each(|cell| endings.watch(cell));
        let fits = |together: &Together| together.is_apart || !is_contested;
        if let Some(known) = endings.find_by_parts(state)
            && known.together().is_some_and(fits)
        {
            let known = Arc::clone(known);
            endings.hits.note(true);
            return Some(known);
        }
        for thread in state.threads.iter().filter(|thread| !thread.exited) {
            endings.live.learn(self.machine, thread);
        }
        let place = endings.place(state, true);
        if let Some(at) = self.find_known(state, place, true) {
            let known = Arc::clone(self.caches.endings.known[at].as_ref()?);
            if !known.together().is_some_and(fits) {
                return None;
            }
            self.caches.endings.keep_parts(state, &known);
            return Some(known);
        }
        let contested = std::mem::replace(&mut self.contested, shared.collect());
        let apart = self.end_regardless(state, true);
        self.contested = contested;
        let known = match apart {
            None if !is_contested => self.end_regardless(state, false),
            apart => apart,
        };
        let endings = &mut self.caches.endings;
        let busy = if is_contested { &mut endings.busy_beside_contested } else { &mut endings.busy };
        *busy = if known.is_none() { *busy + 1 } else { 0 };
        let known = Arc::new(known?);
        self.caches.endings.keep_parts(state, &known);
        self.caches.endings.keep(place, Arc::clone(&known));
        Some(known)
    }

    /// The end of the process that follows a state in which threads only have ends left, if it is the same
    /// whatever shared objects contain: these hold unknowns meanwhile.
    ///
    /// An access to a [contested](Executor::contested) object is visible, so that the attempt fails with it.
    /// `is_apart` is for the result: whether the caller has made all shared objects contested.
    fn end_regardless(&mut self, state: &State<E>, is_apart: bool) -> Option<Known<E>> {
        let (mut after, set_apart) = self.with_unknowns(state);
        let (counters, met) = (self.counters, (self.notes.races.len(), self.notes.misuse.len()));
        let together = self.without_solver(|executor| executor.try_to_end(&mut after)).filter(|_| {
            self.has_ended_regardless(&after)
                && self.counters.time_stamps == counters.time_stamps
                && (self.notes.races.len(), self.notes.misuse.len()) == met
        });
        let instructions = self.counters.instructions - counters.instructions;
        self.counters = counters;
        self.notes.races.truncate(met.0);
        self.notes.misuse.truncate(met.1);
        let together = Together { instructions, is_apart, ..together? };
        Some(Known { before: state.clone(), after, set_apart, together: Some(together) })
    }

    /// Lets threads that have only ends left take their steps as long as that is so.
    fn try_to_end(&mut self, state: &mut State<E>) -> Option<Together> {
        let mut together = Together::default();
        while state.end.is_none() {
            if !self.has_only_ends_left(state) {
                return None;
            }
            let thread = self.enabled(state).first()?.thread();
            for (place, mode) in pending_places(state.thread(thread)) {
                if let (Place::Object(_) | Place::Readers(_), changes) = (place, mode != Mode::Read) {
                    let mut others = together.touched.iter().filter(|(other, _)| *other == place);
                    if others.any(|(_, changed)| changes || *changed) {
                        return None;
                    }
                    together.touched.push((place, changes));
                }
            }
            together.steps.push(thread);
            if !matches!(self.resume(state, thread, true), Step::Done) {
                return None;
            }
        }
        Some(together)
    }

    /// Whether all threads that have not ended are about to end or to wait for another's end. There must be
    /// several, or one that has waited for the others.
    pub fn has_only_ends_left(&self, state: &State<E>) -> bool {
        let may_end = |thread: &Arc<Thread<E>>| {
            thread.exited
                || thread.pending.as_deref().is_some_and(|next| matches!(next.action, Action::Model(_)))
        };
        state.threads.len() > 1
            && state.threads.iter().rev().all(may_end)
            && state.threads.iter().all(|thread| {
                thread.buffer.is_empty()
                    && (thread.exited
                        || !thread.service
                            && is_end_or_wait(thread)
                            && self.machine.environment.interruption_footprint(state, thread.id).is_empty())
            })
    }

    /// Whether a thread is about to end or to wait for another's end.
    pub fn is_at_an_end(&self, state: &State<E>, thread: ThreadId) -> bool {
        is_end_or_wait(state.thread(thread))
    }

    /// Whether a thread is about to create another one.
    pub fn creates_thread(&self, state: &State<E>, thread: ThreadId) -> bool {
        pending_places(state.thread(thread)).any(|(place, _)| matches!(place, Place::Child { .. }))
    }

    /// Keeps the step just taken.
    pub(crate) fn keep_ending(&mut self, state: &State<E>, ending: Option<Box<Ending<E>>>) {
        if let Some(Ending { before, place }) = ending.map(|ending| *ending) {
            let set_apart = SmallVec::new();
            let known = Known { before, after: state.clone(), set_apart, together: None };
            self.caches.endings.keep(place, Arc::new(known));
        }
    }
}

/// The places that a thread is about to touch in a modelled function.
fn pending_places<E: Environment>(thread: &Thread<E>) -> impl Iterator<Item = (Place, Mode)> {
    let footprint = match thread.pending.as_deref().map(|pending| &pending.action) {
        Some(Action::Model(operation)) => &operation.footprint[..],
        _ => &[],
    };
    footprint.iter().map(|access| (access.place, access.mode))
}

/// Whether a thread is about to end or to wait for another's end; which objects that touches
/// is looked at later.
fn is_end_or_wait<E: Environment>(thread: &Thread<E>) -> bool {
    let mut places = pending_places(thread);
    pending_places(thread).any(|(place, _)| matches!(place, Place::Thread(_)))
        && places.all(|place| {
            // A thread that creates another one opens the way to that one's beginning.
            matches!(place, (Place::Thread(id), Mode::Release | Mode::Post) if id == thread.id)
                || matches!(
                    place,
                    (Place::Thread(_), Mode::Acquire | Mode::Follow)
                        | (Place::Drained(_), Mode::Acquire)
                        | (Place::Object(_), Mode::Read | Mode::Write)
                )
        })
}
