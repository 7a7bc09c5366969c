//! Known steps that are taken again, and taken back, many in a row.
//!
//! Between one execution and the next, a walk takes back a dozen steps and takes nearly as many again. It has
//! taken all of them before. The result of such a step is noted with the walk's event, so that no table has
//! to be asked. Of the numbers that the steps leave in memory, only the last ones are put there, just before
//! memory is read.

use super::{Known, Undo, put};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{AddressSpace, Ground};
use crate::state::State;
use crate::threads::thread::Thread;
use smallvec::SmallVec;
use std::num::NonZeroU8;
use std::sync::Arc;
use symx_memmodel::Lane;
use symx_trace::ThreadId;

/// Known steps, by the numbers of events, that have to do with nothing but their threads and one
/// place in memory each.
///
/// The same thread, a pointer, finding the same number there, takes the same step on the same
/// [ground](Ground). The objects, their sites, whether they are alive, and which of their bytes are numbers
/// are then what they were. So what decided that the step was known decides so again, what counts as visible
/// being the same throughout a walk. Which event goes by a number makes no difference to that.
#[derive(Debug)]
pub struct Taken<E: Environment> {
    steps: Vec<Option<Repeated<E>>>,
    /// How the stores of events left their buffers.
    pub(super) commits: Vec<Option<Recommitted<E>>>,
    /// Where all of them were taken.
    pub(super) ground: Option<Ground>,
}

/// The commit of an event's store, to be taken again.
#[derive(Debug)]
pub(super) struct Recommitted<E: Environment> {
    pub(super) before: Arc<Thread<E>>,
    pub(super) after: Arc<Thread<E>>,
    pub(super) lane: Lane,
    /// The number of the store in its buffer.
    pub(super) issued: u32,
    /// What it leaves in memory.
    pub(super) left: Number,
}

/// A known step of an event.
#[derive(Debug)]
struct Repeated<E: Environment> {
    known: Arc<Known<E>>,
    /// The thread that the step led to, where it was taken back. To take it again need not count one more
    /// user of it, nor did taking it back count one less.
    spare: Option<Arc<Thread<E>>>,
}

impl<E: Environment> Default for Taken<E> {
    fn default() -> Self {
        Self { steps: Vec::new(), commits: Vec::new(), ground: None }
    }
}

impl<E: Environment> Taken<E> {
    /// Forgets those from number `length` on.
    pub fn truncate(&mut self, length: usize) {
        self.steps.truncate(length);
        self.commits.truncate(length);
    }

    /// Whether steps can be noted that are taken where an address space stands. What was taken elsewhere is
    /// forgotten.
    pub(super) fn stands_where(&mut self, memory: &AddressSpace) -> bool {
        if self.ground.as_ref().is_some_and(|ground| ground.is_of(memory)) {
            return true;
        }
        let Some(ground) = memory.ground() else { return false };
        self.steps.iter_mut().for_each(|step| *step = None);
        self.commits.iter_mut().for_each(|commit| *commit = None);
        self.ground = Some(ground);
        true
    }

    /// Forgets the step of an event.
    pub fn forget(&mut self, number: usize) {
        if let Some(step) = self.steps.get_mut(number) {
            *step = None;
        }
    }

    /// Keeps the thread that the step of an event had led to.
    #[inline]
    fn keep_spare(&mut self, number: usize, after: Arc<Thread<E>>) {
        if let Some(Some(step)) = self.steps.get_mut(number) {
            step.spare = Some(after);
        }
    }
}

/// A number in memory: its address, how many bytes it takes, and what it is.
pub(super) type Number = (u64, NonZeroU8, u64);

/// Numbers that are to be put into a state's memory. No two of them overlap.
#[derive(Debug, Default)]
pub struct Unput {
    numbers: SmallVec<[Number; 4]>,
    /// How many changes of memory these represent.
    changes: u64,
}

impl Unput {
    /// Puts all numbers where they belong.
    pub fn put<E: Environment>(&mut self, state: &mut State<E>) {
        let changes = self.changes - self.numbers.len() as u64;
        for (address, length, word) in self.numbers.drain(..) {
            put(state, address, u64::from(length.get()), word);
        }
        // The version of memory is a count, which goes on as if each number had been put there in its turn.
        state.memory.count_puts(changes);
        self.changes = 0;
    }

    /// Nothing is to be put anywhere.
    pub fn forget(&mut self) {
        self.numbers.clear();
        self.changes = 0;
    }

    /// The number to be put at a place, if that is known here; an error where some of it is.
    pub(super) fn find(&self, address: u64, length: u64) -> Result<Option<u64>, ()> {
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

    pub(super) fn note<E: Environment>(&mut self, state: &mut State<E>, number: Number) {
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
    /// As [`take_back`](Self::take_back), of a step of this thread that was that of the event `number` if
    /// that is given, but for the number that was in memory: it is noted.
    pub fn take_back_unput(
        self,
        of: ThreadId,
        state: &mut State<E>,
        unput: &mut Unput,
        of_event: Option<(&mut Taken<E>, usize)>,
    ) {
        let Self { thread, word, data, past } = self;
        let after = std::mem::replace(&mut state.threads[of.index()], thread);
        if let Some((taken, number)) = of_event {
            taken.keep_spare(number, after);
        }
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
}

impl<E: Environment> Executor<'_, E> {
    /// Notes the known step just taken, which has led `thread` to this state, by the number of its event.
    pub fn note_taken(&self, taken: &mut Taken<E>, number: usize, state: &State<E>, thread: ThreadId) {
        if taken.steps.len() <= number {
            taken.steps.resize_with(number + 1, || None);
        }
        let known = self.caches.transitions.steps.get(self.caches.transitions.repeated);
        let after = &state.threads[thread.index()];
        let is_it = |known: &&Arc<Known<E>>| {
            Arc::ptr_eq(&known.after, after)
                && known.at.is_some()
                && known.around.is_none()
                && !after.exited
                && known.issues_no_other()
        };
        let Some(known) = known.filter(is_it) else {
            taken.steps[number] = None;
            return;
        };
        let is_noted = taken.stands_where(&state.memory);
        taken.steps[number] = is_noted.then(|| Repeated { known: Arc::clone(known), spare: None });
    }

    /// Takes the step of a thread again that was noted by a number if it is the same here, where [steps
    /// repeat](Self::repeats_steps). The number that it leaves in memory is noted, and it reads what was
    /// noted before.
    pub fn retake(
        &mut self,
        state: &mut State<E>,
        unput: &mut Unput,
        thread: ThreadId,
        (taken, number): (&mut Taken<E>, usize),
    ) -> Option<Undo<E>> {
        let Taken { steps, ground, .. } = taken;
        let Repeated { known, spare } = steps.get_mut(number)?.as_mut()?;
        let at = known.at?;
        let present = &state.threads[thread.index()];
        if !Arc::ptr_eq(present, &known.before) || !ground.as_ref()?.is_of(&state.memory) {
            return None;
        }
        let word = match unput.find(at.address, at.length).ok()? {
            Some(word) => word,
            // A store into the buffer has nothing to do with what is there.
            None if !at.reads && known.left.is_none() => 0,
            None => at.look(state)?.0,
        };
        if at.reads && word != known.found || self.is_interrupted(state, &known.before) {
            return None;
        }
        let length = u8::try_from(at.length).ok().and_then(NonZeroU8::new)?;
        let spare = spare.take().filter(|spare| Arc::ptr_eq(spare, &known.after));
        let after = spare.unwrap_or_else(|| Arc::clone(&known.after));
        let before = std::mem::replace(&mut state.threads[thread.index()], after);
        if let Some(left) = known.left {
            unput.note(state, (at.address, length, left));
        }
        self.counters.events += 1;
        self.counters.instructions += known.instructions;
        self.counters.known += known.instructions;
        let word = known.left.map(|_| (at.address, length, word));
        Some(Undo { thread: before, word, data: None, past: None })
    }
}
