//! Stores that leave a thread's buffer. Such a step depends on the thread, and changes it and one number in
//! memory. So it is taken back as a known step is.

use super::direct_mapped::DirectMapped;
use super::taken::Recommitted;
use super::{COUNT, Place, Taken, Undo, Unput, put};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::threads::thread::AFTER_STORE_STORE;
use crate::threads::thread::Thread;
use crate::value::Byte;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU8;
use std::sync::Arc;
use symx_memmodel::{BufferedStore, Lane};
use symx_trace::ThreadId;

/// A thread, and what it is once the oldest store of a lane has left its buffer.
#[derive(Debug)]
struct Committed<E: Environment> {
    before: Arc<Thread<E>>,
    lane: Lane,
    after: Arc<Thread<E>>,
}

/// Commits by the thread before them and the lane. The table gets its slots with the first one.
#[derive(Debug)]
pub(super) struct Commits<E: Environment>(DirectMapped<Committed<E>>);

impl<E: Environment> Default for Commits<E> {
    fn default() -> Self {
        Self(DirectMapped::default())
    }
}

impl<E: Environment> Commits<E> {
    fn of(&mut self, before: &Arc<Thread<E>>, lane: Lane) -> &mut Option<Committed<E>> {
        if self.0.slots() == 0 {
            self.0 = DirectMapped::with_slots(COUNT);
        }
        let mut hasher = FxHasher::default();
        (Arc::as_ptr(before) as usize, lane.0).hash(&mut hasher);
        self.0.slot_mut(hasher.finish())
    }
}

/// The number that a store writes; none if it is none of at most 8 bytes.
fn number(store: &BufferedStore<Byte>) -> Option<u64> {
    let mut bytes = [0; 8];
    for (index, byte) in store.bytes.iter().enumerate() {
        let Byte::Concrete(byte) = byte else { return None };
        *bytes.get_mut(index)? = *byte;
    }
    Some(u64::from_le_bytes(bytes))
}

impl<E: Environment> Executor<'_, E> {
    /// Commits the oldest store of a lane to memory if it writes a number in the place of one; says how to
    /// take it back. With `unput`, the number is noted there.
    pub fn commit_known(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
        lane: Lane,
        unput: Option<&mut Unput>,
    ) -> Option<Undo<E>> {
        let undo = self.repeat_commit_audited(state, id, lane, unput)?;
        self.counters.events += 1;
        Some(undo)
    }

    /// Notes, by the number of its event, the commit of a store that has led to this state.
    pub fn note_committed(
        &self,
        (taken, number): (&mut Taken<E>, usize),
        state: &State<E>,
        lane: Lane,
        undo: &Undo<E>,
    ) {
        let before = undo.thread();
        let Some(store) = before.buffer.next_in(self.machine.model, lane) else { return };
        let (Some((address, length, _)), Some(word)) = (undo.word, self::number(store)) else { return };
        if !taken.stands_where(&state.memory) {
            return;
        }
        if taken.commits.len() <= number {
            taken.commits.resize_with(number + 1, || None);
        }
        let after = Arc::clone(&state.threads[before.id.index()]);
        let (issued, left) = (store.event & !AFTER_STORE_STORE, (address, length, word));
        taken.commits[number] = Some(Recommitted { before: Arc::clone(before), after, lane, issued, left });
    }

    /// Commits the store that an event issued as the thread's `issued`th, as it was noted by the event's
    /// number, if it is the same here, where [steps repeat](Self::repeats_steps). The number that it leaves
    /// in memory is noted. Says through which lane it went, and how to take it back.
    pub fn recommit(
        &mut self,
        state: &mut State<E>,
        unput: &mut Unput,
        issued: u32,
        (taken, number): (&Taken<E>, usize),
    ) -> Option<(Lane, Undo<E>)> {
        let known = taken.commits.get(number)?.as_ref()?;
        let index = known.before.id.index();
        if known.issued != issued
            || !Arc::ptr_eq(&state.threads[index], &known.before)
            || !taken.ground.as_ref()?.is_of(&state.memory)
            || !state.is_without_inputs()
        {
            return None;
        }
        let (address, length, _) = known.left;
        let at = Place { address, length: u64::from(length.get()), reads: false, writes: true };
        let found = match unput.find(at.address, at.length).ok()? {
            Some(word) => word,
            None => at.look(state)?.0,
        };
        let before = std::mem::replace(&mut state.threads[index], Arc::clone(&known.after));
        unput.note(state, known.left);
        self.counters.events += 1;
        Some((
            known.lane,
            Undo { thread: before, word: Some((address, length, found)), data: None, past: None },
        ))
    }

    /// As [`commit_known`](Self::commit_known), but not counted.
    pub(crate) fn repeat_commit(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
        lane: Lane,
        unput: Option<&mut Unput>,
    ) -> Option<Undo<E>> {
        if !self.repeats_steps(state) || !state.is_without_inputs() || state.end.is_some() {
            return None;
        }
        let store = state.threads[id.index()].buffer.next_in(self.machine.model, lane)?;
        let word = number(store)?;
        let length = NonZeroU8::new(u8::try_from(store.bytes.len()).ok()?)?;
        let at =
            Place { address: store.address, length: u64::from(length.get()), reads: false, writes: true };
        let (there, _) = at.look(state)?;
        let noted = match &unput {
            Some(unput) => unput.find(at.address, at.length).ok()?,
            None => None,
        };
        self.attend();
        let after = self.without_store(state, id, lane);
        let before = std::mem::replace(&mut state.threads[id.index()], after);
        match unput {
            Some(unput) => unput.note(state, (at.address, length, word)),
            None => put(state, at.address, at.length, word),
        }
        let found = noted.unwrap_or(there);
        Some(Undo { thread: before, word: Some((at.address, length, found)), data: None, past: None })
    }

    /// A thread once the oldest store of a lane has left its buffer: the same pointer where it was before.
    fn without_store(&mut self, state: &State<E>, id: ThreadId, lane: Lane) -> Arc<Thread<E>> {
        let before = &state.threads[id.index()];
        if let Some(known) = self.caches.transitions.commits.of(before, lane)
            && Arc::ptr_eq(&known.before, before)
            && known.lane == lane
        {
            return Arc::clone(&known.after);
        }
        let mut after = Arc::clone(before);
        Arc::make_mut(&mut after).buffer.commit(self.machine.model, lane);
        self.unify(&mut after, &state.data);
        let committed = Committed { before: Arc::clone(before), lane, after: Arc::clone(&after) };
        *self.caches.transitions.commits.of(before, lane) = Some(committed);
        after
    }
}
