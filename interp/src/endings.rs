//! What the last thread does when all others have ended: many executions come to the same there.
//!
//! What follows depends on the state alone, and seldom on what the others have left in shared memory. So the thread is
//! let go on with that unknown: if it gets to the end of the process nevertheless, having decided nothing by it and written
//! none of it, all executions that differ in no more end so. Where that does not work, states must be the same in full.
//! All states compared are kept, so that it is certain that they are the same; if few are met again, none are any more.

use crate::agents::Step;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Life;
use crate::sameness::LiveRegisters;
use crate::state::{End, State};
use crate::thread::{Activation, Thread};
use crate::value::Byte;
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use symx_ir::FunctionId;
use symx_ir::address::Cell;
use symx_trace::ThreadId;

/// States kept, each in the one place it maps to.
const COUNT: usize = 1 << COUNT_LOG2;
const COUNT_LOG2: u32 = 10;

/// Shared objects whose contents are set apart: at most so many, of at most so many bytes.
const WATCHED: usize = 16;
const WATCHED_BYTES: u64 = 64;

/// How often the end may turn out to depend on what is set apart before that is given up.
const VAIN: u32 = 8;

/// States looked up before it is asked whether that was worth it, and of how many one must have been met before.
const TRIED: u64 = 1024;
const WORTHWHILE: u64 = 4;

/// States that only one thread goes on from, and what its step led to.
#[derive(Debug)]
pub(crate) struct Endings<E: Environment> {
    known: Vec<Option<Known<E>>>,
    /// Objects that threads share, as far as they were met.
    watched: Vec<Cell>,
    live: LiveRegisters,
    /// How often the end depended on what threads had left in shared objects.
    vain: u32,
    /// Where the thread stood when its step did not lead to the end.
    not_last: FxHashSet<(FunctionId, u32)>,
    tried: u64,
    met_again: u64,
}

#[derive(Debug)]
struct Known<E: Environment> {
    before: State<E>,
    after: State<E>,
    /// Objects whose contents do not matter.
    set_apart: SmallVec<[Cell; 4]>,
}

impl<E: Environment> Default for Endings<E> {
    fn default() -> Self {
        Self {
            known: Vec::new(),
            watched: Vec::new(),
            live: LiveRegisters::default(),
            vain: 0,
            not_last: FxHashSet::default(),
            tried: 0,
            met_again: 0,
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

    fn is_worthwhile(&self) -> bool {
        self.tried < TRIED || self.met_again * WORTHWHILE >= self.tried
    }

    fn place(&self, state: &State<E>, thread: &Thread<E>, generalises: bool) -> usize {
        let mut hasher = FxHasher::default();
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
        (hasher.finish() >> (64 - COUNT_LOG2)) as usize
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Takes the next step of `thread`, that is not interrupted, if all others have ended and it is known what it comes to.
    /// If it is not, but may be met again, says what to hand to [`keep_ending`](Self::keep_ending) when the step has been
    /// taken.
    pub(crate) fn repeat_ending(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
    ) -> Result<(), Option<Box<Ending<E>>>> {
        let alone = |other: &Thread<E>| other.buffer.is_empty() && (other.exited || other.id == id);
        let is_covered = state.threads.len() > 1
            && self.contested.is_empty()
            && state.threads.iter().all(|other| alone(other))
            && self.endings.is_worthwhile()
            && self.depends_on_states_only(state);
        if !is_covered {
            return Err(None);
        }
        self.attend();
        let endings = &mut self.endings;
        if endings.known.is_empty() {
            endings.known.resize_with(COUNT, || None);
        }
        endings.tried += 1;
        endings.live.learn(&self.machine.program, &state.threads[id.index()]);
        let generalises = !self.memory_matters_at_end && endings.vain < VAIN;
        let place = endings.place(state, &state.threads[id.index()], generalises);
        if let Some(Known { before, after, set_apart }) = &endings.known[place]
            && self.machine.is_same_state(before, state, id, &endings.live, set_apart)
        {
            endings.met_again += 1;
            let executed = |state: &State<E>| state.threads[id.index()].instructions;
            self.counters.instructions += executed(after) - executed(before);
            let changes = after.memory.version() != before.memory.version();
            let version = state.memory.version() + u64::from(changes);
            *state = after.clone();
            state.memory.continue_from(version);
            return Ok(());
        }
        if !endings.is_worthwhile() {
            endings.known.clear();
            return Err(None);
        }
        if generalises {
            return self.generalise(state, id, place).map_err(|()| None);
        }
        Err(Some(Box::new(Ending { before: state.clone(), place })))
    }

    /// Takes the step with what is in shared objects unknown. An error if it does not lead to the end of the process so.
    fn generalise(&mut self, state: &mut State<E>, id: ThreadId, place: usize) -> Result<(), ()> {
        let place_in_program =
            state.threads[id.index()].stack.iter().rev().find_map(|activation| match activation {
                Activation::Program(frame) => Some((frame.function, frame.pc)),
                Activation::Model(_) => None,
            });
        if place_in_program.is_some_and(|place| self.endings.not_last.contains(&place)) {
            return Err(());
        }
        let mut after = state.clone();
        let mut set_apart = SmallVec::new();
        for cell in &self.endings.watched {
            let Some(object) = after.memory.get_mut(*cell).filter(|object| object.life == Life::Live) else {
                continue;
            };
            if object.read_only || object.size > WATCHED_BYTES || !object.is_concrete(0, object.size) {
                continue;
            }
            set_apart.push(*cell);
            for offset in 0..object.size {
                let name = format!("left in shared memory at {:#x}", object.base + offset);
                object.set_byte(offset, Byte::Symbolic(self.machine.terms.symbol(&name, 8)));
            }
        }
        let instructions = self.counters.instructions;
        let granted = after.threads[id.index()].pending.is_some();
        let step = self.resume(&mut after, id, granted);
        let leads_to_end = matches!(step, Step::Done)
            && matches!(after.end, Some(End::Exit(_)))
            && after.path.is_empty()
            && after.inputs.is_empty()
            && self.machine.environment.standard_output(&after.data).is_concrete();
        if !leads_to_end {
            self.counters.instructions = instructions;
            match (step, after.end) {
                (Step::Done, None) => self.endings.not_last.extend(place_in_program),
                _ => self.endings.vain += 1,
            }
            return Err(());
        }
        self.endings.vain = 0;
        let before = std::mem::replace(state, after.clone());
        self.endings.known[place] = Some(Known { before, after, set_apart });
        Ok(())
    }

    /// Keeps the step just taken.
    pub(crate) fn keep_ending(&mut self, state: &State<E>, ending: Option<Box<Ending<E>>>) {
        if let Some(Ending { before, place }) = ending.map(|ending| *ending)
            && let Some(known) = self.endings.known.get_mut(place)
        {
            *known = Some(Known { before, after: state.clone(), set_apart: SmallVec::new() });
        }
    }
}
