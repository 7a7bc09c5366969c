//! Known steps that are taken again, and taken back, many in a row.
//!
//! A walk that goes from one execution to the next takes back a dozen steps and takes nearly as many again, all of which it
//! has taken before. What such a step comes to is noted with the walk's event, so that no table has to be asked; and of the
//! numbers that the steps leave in memory only the last ones are put there, when somebody is about to look.

use super::{Place, Undo, put};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Ground;
use crate::state::State;
use crate::thread::Thread;
use smallvec::SmallVec;
use std::num::NonZeroU8;
use std::sync::Arc;
use symx_trace::ThreadId;

/// What a known step came to that has to do with nothing but its thread and one place in memory.
///
/// The same thread, a pointer, finding the same number there, takes the same step on the same [ground](Ground): which objects
/// there are, of which sites, alive, and which of their bytes are numbers, is then what it was. So what decided that the
/// step was known decides so again, what counts as visible being the same throughout a walk.
#[derive(Debug)]
pub(crate) struct Taken<E: Environment> {
    before: Arc<Thread<E>>,
    after: Arc<Thread<E>>,
    at: Place,
    /// The number there before it.
    found: u64,
    /// The number that it left there, if it wrote.
    left: Option<u64>,
    ground: Ground,
}

impl<E: Environment> Clone for Taken<E> {
    fn clone(&self) -> Self {
        let Self { before, after, at, found, left, ground } = self;
        let (before, after) = (Arc::clone(before), Arc::clone(after));
        Self { before, after, at: *at, found: *found, left: *left, ground: ground.clone() }
    }
}

/// A number in memory: its address, how many bytes it takes, and what it is.
type Number = (u64, NonZeroU8, u64);

/// Numbers that are to be put into a state's memory. No two of them overlap.
#[derive(Debug, Default)]
pub(crate) struct Unput {
    numbers: SmallVec<[Number; 4]>,
    /// How many changes of memory these stand for.
    changes: u64,
}

impl Unput {
    /// Puts all numbers where they belong.
    pub fn put<E: Environment>(&mut self, state: &mut State<E>) {
        let changes = self.changes - self.numbers.len() as u64;
        for (address, length, word) in self.numbers.drain(..) {
            put(state, address, u64::from(length.get()), word);
        }
        // Memory is told from what it was by a count that goes on as if each had been put there in its turn.
        state.memory.count_puts(changes);
        self.changes = 0;
    }

    /// Nothing is to be put anywhere.
    pub fn forget(&mut self) {
        self.numbers.clear();
        self.changes = 0;
    }

    /// What is to be at a place, if that is known here; an error where some of it is.
    fn find(&self, address: u64, length: u64) -> Result<Option<u64>, ()> {
        for (other, size, word) in &self.numbers {
            if (*other, u64::from(size.get())) == (address, length) {
                return Ok(Some(*word));
            }
            if *other < address + length && address < *other + u64::from(size.get()) {
                return Err(());
            }
        }
        Ok(None)
    }

    fn note<E: Environment>(&mut self, state: &mut State<E>, number: Number) {
        let (address, length, word) = number;
        let is_here = |known: &&mut Number| (known.0, known.1) == (address, length);
        if let Some(known) = self.numbers.iter_mut().find(is_here) {
            known.2 = word;
        } else {
            if self.find(address, u64::from(length.get())).is_err() {
                self.put(state);
            }
            self.numbers.push(number);
        }
        self.changes += 1;
    }
}

impl<E: Environment> Undo<E> {
    /// As [`take_back`](Self::take_back), but for the number that was in memory: it is noted.
    pub fn take_back_unput(self, state: &mut State<E>, unput: &mut Unput) {
        let Self { thread, word, data, past } = self;
        let index = thread.id.index();
        state.threads[index] = thread;
        if let Some(number) = word {
            unput.note(state, number);
        }
        if let Some(data) = data {
            state.data = data;
        }
        if let Some(past) = past {
            *state.past_mut() = past;
        }
    }

    /// What the step came to that this takes back, after which the state is this one.
    pub fn taken(&self, state: &State<E>) -> Option<Taken<E>> {
        let Self { thread, word, data: None, past: None } = self else { return None };
        let at = thread.pending.as_deref().and_then(Place::of)?;
        let after = &state.threads[thread.id.index()];
        let (now, _) = at.look(state)?;
        let (found, left) = match word {
            Some((.., found)) => (*found, Some(now)),
            None => (now, None),
        };
        let goes_on = !after.exited && after.buffer.is_empty();
        let (before, after) = (Arc::clone(thread), Arc::clone(after));
        let ground = state.memory.ground().filter(|_| goes_on)?;
        Some(Taken { before, after, at, found, left, ground })
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Takes the step of a thread again if it is the same here, where [steps repeat](Self::repeats_steps). What it leaves in
    /// memory is noted, and what was noted before it finds there.
    pub(crate) fn retake(
        &mut self,
        state: &mut State<E>,
        unput: &mut Unput,
        thread: ThreadId,
        taken: &Taken<E>,
    ) -> Option<Undo<E>> {
        let Taken { before, after, at, found, left, ground } = taken;
        let present = &mut state.threads[thread.index()];
        if !Arc::ptr_eq(present, before) || !ground.is_of(&state.memory) {
            return None;
        }
        let word = match unput.find(at.address, at.length).ok()? {
            Some(word) => word,
            None => at.look(state)?.0,
        };
        if at.reads && word != *found || self.is_interrupted(state, before) {
            return None;
        }
        let length = u8::try_from(at.length).ok().and_then(NonZeroU8::new)?;
        let instructions = after.instructions - before.instructions;
        let thread = std::mem::replace(&mut state.threads[thread.index()], Arc::clone(after));
        if let Some(left) = left {
            unput.note(state, (at.address, length, *left));
        }
        self.counters.events += 1;
        self.counters.instructions += instructions;
        self.counters.known += instructions;
        let word = left.map(|_| (at.address, length, word));
        Some(Undo { thread, word, data: None, past: None })
    }
}
