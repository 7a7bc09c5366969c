//! Accesses, calls and fences in the [order](MemoryOrder) of accesses that a state remembers.
//!
//! Most states remember nothing, and then nothing here costs more than a look at one pointer.

use crate::access::race_report::Later;
use crate::environment::Environment;
use crate::machine::{Executor, Machine};
use crate::state::State;
use crate::state::order::MemoryOrder;
use crate::stop::Stop;
use crate::threads::running::MemoryAccess;
use crate::value::Byte;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{
    AccessKind, ByteRange, Epoch, Ordering, RaceDetector, Reading, Synchronisation, WriteHistory,
};
use symx_trace::{Access, Mode, Place, ThreadId};

/// Accesses of modelled calls to more bytes than this are as the ends of objects: they are compared
/// with what was before.
const WIDE: u64 = 1 << 12;

const WRITE: AccessKind = AccessKind { writes: true, atomic: false };

impl<E: Environment> Machine<E> {
    /// The order of accesses at program start.
    pub(crate) fn initial_order(&self) -> Option<Arc<MemoryOrder>> {
        let history = self.model.keeps_history();
        (history || self.options.races).then(|| {
            let history = history.then(WriteHistory::default);
            Arc::new(MemoryOrder { history, races: self.options.races.then(RaceDetector::default) })
        })
    }
}

impl<E: Environment> State<E> {
    /// The history of writes, if one is kept.
    #[inline]
    fn history(&self) -> Option<&WriteHistory<Byte>> {
        self.order.as_ref()?.history.as_ref()
    }

    /// Whether a load may return another value than the newest.
    #[inline]
    pub fn remembers_writes(&self) -> bool {
        self.history().is_some_and(|history| !history.is_empty())
    }

    /// The bytes of writes of which a load may fix the order for all threads. It commutes with no other load
    /// there.
    pub(crate) fn fixed_by_load(
        &self,
        thread: ThreadId,
        ordering: Ordering,
        range: ByteRange,
    ) -> Option<ByteRange> {
        self.history()?.fixed_by_load(thread.0, ordering, range)
    }

    /// The same of an update.
    pub(crate) fn fixed_by_update(&self, range: ByteRange) -> Option<ByteRange> {
        self.history()?.fixed_by_update(range)
    }

    /// Whether a thread that has only read since `before` may read no less and no more than there.
    pub(crate) fn is_ordered_as(&self, before: &Self, thread: ThreadId) -> bool {
        match (&self.order, &before.order) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before) || now.is_same_but_reads_of(before, thread),
            _ => true,
        }
    }

    /// The next access of a thread in the history of writes, if there is one.
    pub fn next_epoch(&self, thread: ThreadId) -> Option<Epoch> {
        Some(self.history()?.next_event(thread.0))
    }

    /// Notes that threads synchronise, if the order of memory is kept.
    pub(crate) fn synchronise(&mut self, change: impl Fn(&mut Synchronisation)) {
        if let Some(order) = &mut self.order {
            Arc::make_mut(order).synchronise(change);
        }
    }

    /// The bytes at `range` are all that can be read from now on: they were written, but not by an access.
    pub(crate) fn forget_writes(&mut self, range: ByteRange) {
        if self.remembers_writes()
            && let Some(order) = &mut self.order
            && let Some(history) = &mut Arc::make_mut(order).history
        {
            history.forget(range);
        }
    }
}

/// The way of reading that a choice means. An only one is no choice: what is chosen is something else.
fn chosen(mut ways: Vec<Reading<Byte>>, choice: u32) -> Option<Reading<Byte>> {
    let way = if ways.len() == 1 { 0 } else { choice as usize };
    (way < ways.len()).then(|| ways.swap_remove(way))
}

/// Chooses a way of reading. Where there is none, no machine executes what led here.
fn choose<E: Environment>(state: &mut State<E>, ways: Vec<Reading<Byte>>) -> Result<Reading<Byte>, Stop> {
    let choice = state.choose(ways.len() as u32)?;
    chosen(ways, choice).ok_or(Stop::Infeasible)
}

impl<E: Environment> Executor<'_, E> {
    /// The newest bytes of `range` in memory.
    fn newest(&self, state: &State<E>, cell: Cell, range: ByteRange) -> SmallVec<[Byte; 8]> {
        let object = state.memory.get(cell).expect("located by the caller");
        let offset = range.address - object.base;
        (0..range.length).map(|index| object.byte(&self.machine.terms, offset + index)).collect()
    }

    /// The bytes that a load reads under this choice, where memory and buffers do not settle it.
    pub(crate) fn old_reading(
        &self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        ordering: Ordering,
        choice: u32,
    ) -> Option<Reading<Byte>> {
        let newest = self.in_memory(state, range)?;
        chosen(state.history()?.readings(thread.0, ordering, range, &newest), choice)
    }

    /// The bytes that an update reads under this choice: of the newest write, which need not be the last one
    /// executed, that memory holds.
    pub(crate) fn newest_reading(
        &self,
        state: &State<E>,
        range: ByteRange,
        choice: u32,
    ) -> Option<Reading<Byte>> {
        chosen(state.history()?.newest(range, &self.in_memory(state, range)?), choice)
    }

    /// Settles which of the writes that an update is about to read is the newest. Memory holds it from now
    /// on.
    pub(crate) fn settle_newest(
        &self,
        state: &mut State<E>,
        cell: Cell,
        range: ByteRange,
    ) -> Result<(), Stop> {
        let Some(history) = state.history().filter(|history| !history.is_empty()) else { return Ok(()) };
        let newest = self.newest(state, cell, range);
        let ways = history.newest(range, &newest);
        let reading = choose(state, ways)?;
        if let Some(order) = &mut state.order
            && let Some(history) = &mut Arc::make_mut(order).history
        {
            history.settle(range, &reading);
        }
        if reading.bytes != newest {
            let object = state.memory.get_mut(cell).expect("located by the caller");
            let bytes = reading.bytes.iter().zip(range.address - object.base..);
            bytes.for_each(|(byte, offset)| object.set_byte(offset, *byte));
        }
        Ok(())
    }

    /// Notes a load that is performed. `Some` is what it reads, where that is not settled
    /// by memory and buffers.
    #[inline]
    pub(crate) fn load_in_order(
        &mut self,
        state: &mut State<E>,
        cell: Cell,
        access: MemoryAccess,
    ) -> Result<Option<SmallVec<[Byte; 8]>>, Stop> {
        match state.order.take() {
            None => Ok(None),
            Some(order) => {
                let mut order = order;
                let read = self.ordered_load(state, &mut order, cell, access);
                state.order = Some(order);
                read
            }
        }
    }

    fn ordered_load(
        &mut self,
        state: &mut State<E>,
        order: &mut Arc<MemoryOrder>,
        cell: Cell,
        access: MemoryAccess,
    ) -> Result<Option<SmallVec<[Byte; 8]>>, Stop> {
        let MemoryAccess { thread, span, range, ordering } = access;
        if self.notes.quiet.is_some() {
            if let Some(races) = &mut Arc::make_mut(order).races {
                if self.present.value_counts {
                    let kind = AccessKind::of(false, ordering);
                    self.note_quietly(state, races, (thread, span), range, kind);
                }
                races.read(thread.0, ordering, range, |_| false);
            }
            return Ok(None);
        }
        if order.races.is_some() && order.history.is_none() && self.present.value_counts {
            let here = self.here(state, thread);
            let pending: SmallVec<[u64; 8]> = {
                let buffer = &state.thread(thread).buffer;
                buffer.forward(range).map(|byte| range.address + byte.offset).collect()
            };
            let own = |address: u64| pending.contains(&address);
            if let Some(races) = &mut Arc::make_mut(order).races {
                let found = races.load(thread.0, ordering, range, own, Arc::clone(&here));
                self.note_races(state, thread, range, AccessKind::of(false, ordering), &found);
            }
        }
        let Some(history) = &order.history else { return Ok(None) };
        let newest = self.newest(state, cell, range);
        let reading = choose(state, history.readings(thread.0, ordering, range, &newest))?;
        if let Some(history) = &mut Arc::make_mut(order).history {
            history.read(thread.0, ordering, range, &reading);
        }
        if self.present.value_counts {
            let here = self.here(state, thread);
            if let Some(races) = &mut Arc::make_mut(order).races {
                let found = races.load_from(thread.0, ordering, range, &reading.writes(), here);
                self.note_races(state, thread, range, AccessKind::of(false, ordering), &found);
            }
        }
        Ok(Some(reading.bytes))
    }

    /// Notes a store of `bytes` that is performed; `buffered` is its number if it goes
    /// into the thread's buffer.
    pub(crate) fn store_in_order(
        &mut self,
        state: &mut State<E>,
        cell: Cell,
        access: MemoryAccess,
        buffered: Option<u32>,
        bytes: impl FnOnce() -> SmallVec<[Byte; 8]>,
    ) {
        let MemoryAccess { thread, span, range, ordering } = access;
        let Some(mut order) = state.order.take() else { return };
        let kept = Arc::make_mut(&mut order);
        if let (Some(_), Some(races)) = (&self.notes.quiet, &mut kept.races) {
            self.note_quietly(state, races, (thread, span), range, AccessKind::of(true, ordering));
            races.write(thread.0, ordering, range);
            state.order = Some(order);
            return;
        }
        let remembered = kept.history.as_mut().map(|history| {
            history.write(thread.0, ordering, range, &bytes(), &self.newest(state, cell, range))
        });
        let kind = AccessKind::of(true, ordering);
        if let Some(races) = &mut kept.races {
            let here = self.here(state, thread);
            let found = match buffered {
                Some(number) => races.buffer(thread.0, ordering, range, number, here),
                None => races.store(thread.0, ordering, range, here),
            };
            if let Some(write) = remembered {
                races.remember(write, range);
            }
            self.note_races(state, thread, range, kind, &found);
        }
        state.order = Some(order);
        self.forget_private(state, cell, range);
    }

    /// Memory that no other thread touches has one value. A note of an access to it orders other accesses,
    /// and is not to be read. Its plain stores are not noted.
    fn forget_private(&self, state: &mut State<E>, cell: Cell, range: ByteRange) {
        if state.remembers_writes() && self.is_private(state, cell) {
            state.forget_writes(range);
        }
    }

    /// Notes a read-modify-write before it writes `bytes`; `None` if its compare fails.
    pub(crate) fn update_in_order(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
        bytes: Option<&[Byte]>,
    ) {
        let MemoryAccess { thread, span, range, ordering } = access;
        let alone = state.unjoined <= 1 && !state.remembers_writes();
        let Some(cell) = Cell::of(range.address).filter(|_| !alone) else { return };
        let Some(mut order) = state.order.take() else { return };
        let kept = Arc::make_mut(&mut order);
        if let (Some(_), Some(races)) = (&self.notes.quiet, &mut kept.races) {
            let kind = AccessKind { writes: bytes.is_some(), atomic: true };
            self.note_quietly(state, races, (thread, span), range, kind);
            races.read_and_write(thread.0, ordering, range, bytes.is_some());
            state.order = Some(order);
            return;
        }
        let remembered = kept.history.as_mut().map(|history| {
            history.update(thread.0, ordering, range, bytes, &self.newest(state, cell, range))
        });
        let kind = AccessKind { writes: bytes.is_some(), atomic: true };
        if let Some(races) = &mut kept.races {
            let here = self.here(state, thread);
            let found = races.update(thread.0, ordering, range, bytes.is_some(), here);
            if let Some(write) = remembered.filter(|_| bytes.is_some()) {
                races.remember(write, range);
            }
            self.note_races(state, thread, range, kind, &found);
        }
        state.order = Some(order);
        self.forget_private(state, cell, range);
    }

    /// Notes an atomic access to an object that is wider than the machine's accesses. Memory keeps them in
    /// order, whatever is asked for; races go by the ordering that is asked for.
    pub(crate) fn wide_in_order(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
        (reads, writes): (bool, bool),
    ) {
        let MemoryAccess { thread, span, range, ordering } = access;
        let Some(mut order) = state.order.take() else { return };
        let kept = Arc::make_mut(&mut order);
        if let Some(history) = &mut kept.history {
            let synchronisation = history.order();
            synchronisation.acquire(thread.0, (range.address, 0));
            if writes {
                synchronisation.release(thread.0, (range.address, 0));
            }
        }
        let kind = AccessKind { writes, atomic: true };
        if let Some(races) = &mut kept.races {
            if self.notes.quiet.is_some() {
                self.note_quietly(state, races, (thread, span), range, kind);
                match (reads, writes) {
                    (false, _) => races.write(thread.0, ordering, range),
                    (true, false) => races.read(thread.0, ordering, range, |_| false),
                    (true, true) => races.read_and_write(thread.0, ordering, range, true),
                }
            } else {
                let here = self.here(state, thread);
                let found = match (reads, writes) {
                    (false, _) => races.store(thread.0, ordering, range, here),
                    (true, false) => races.load(thread.0, ordering, range, |_| false, here),
                    (true, true) => races.update(thread.0, ordering, range, true, here),
                };
                self.note_races(state, thread, range, kind, &found);
            }
        }
        state.order = Some(order);
    }

    /// Notes a fence.
    pub(crate) fn fence_in_order(&mut self, state: &mut State<E>, thread: ThreadId, ordering: Ordering) {
        let Some(order) = &mut state.order else { return };
        let order = Arc::make_mut(order);
        if let Some(history) = &mut order.history {
            history.fence(thread.0, ordering);
        }
        if let Some(races) = &mut order.races {
            races.fence(thread.0, ordering);
        }
    }

    /// Notes that a buffered store has taken effect.
    pub(crate) fn commit_in_order(state: &mut State<E>, thread: ThreadId, number: u32, range: ByteRange) {
        if let Some(order) = &mut state.order
            && order.races.is_some()
            && let Some(races) = &mut Arc::make_mut(order).races
        {
            races.commit(thread.0, number, range);
        }
    }

    /// Notes what a modelled call reads, writes and ends: plain accesses, unless they synchronise.
    pub(crate) fn call_in_order(&mut self, state: &mut State<E>, thread: ThreadId, accesses: &[Access]) {
        let is_object = |start| accesses.iter().any(|access| access.place == Place::Object(start));
        for access in accesses {
            match (access.place, access.mode) {
                // A synchronisation object's own bytes are its own business.
                (Place::Memory { start, .. }, _) if is_object(start) => {}
                (Place::Memory { start, end }, Mode::Write) if end - start > WIDE => {
                    let range = ByteRange::new(start, end - start);
                    self.end_in_order(state, thread, range, Later::Accesses(WRITE));
                }
                (Place::Memory { start, end }, Mode::Read | Mode::Write) => {
                    let range = ByteRange::new(start, end - start);
                    self.touch_in_order(state, thread, range, access.mode == Mode::Write);
                }
                // The system orders what goes through it.
                (Place::Stream(number), mode) => {
                    let object = (number, u64::MAX);
                    state.synchronise(|order| order.acquire(thread.0, object));
                    if mode != Mode::Read {
                        state.synchronise(|order| order.release(thread.0, object));
                    }
                }
                _ => {}
            }
        }
    }

    fn touch_in_order(&mut self, state: &mut State<E>, thread: ThreadId, range: ByteRange, writes: bool) {
        let Some(mut order) = state.order.take() else { return };
        if let (Some(_), Some(races)) = (&self.notes.quiet, &mut Arc::make_mut(&mut order).races) {
            let kind = AccessKind { writes, atomic: false };
            self.note_quietly(state, races, (thread, SpanId::UNKNOWN), range, kind);
            if writes {
                races.write(thread.0, Ordering::NotAtomic, range);
            }
        } else if order.races.is_some() {
            let kind = AccessKind { writes, atomic: false };
            let here = self.here(state, thread);
            let found = match &mut Arc::make_mut(&mut order).races {
                Some(races) if writes => races.store(thread.0, Ordering::NotAtomic, range, here),
                Some(races) => races.load(thread.0, Ordering::NotAtomic, range, |_| false, here),
                None => Vec::new(),
            };
            self.note_races(state, thread, range, kind, &found);
        }
        state.order = Some(order);
    }

    /// Notes that variables other threads may reach cease to exist, which is no access to them.
    pub(crate) fn lives_end_in_order(&mut self, state: &mut State<E>, thread: ThreadId, ended: &[Access]) {
        for access in ended {
            if let Place::Memory { start, end } = access.place {
                self.end_in_order(state, thread, ByteRange::new(start, end - start), Later::EndsLife);
            }
        }
    }

    /// Notes that what memory has held counts no more, by a write or an end of life as long as it is.
    fn end_in_order(&mut self, state: &mut State<E>, thread: ThreadId, range: ByteRange, by: Later) {
        let Some(mut order) = state.order.take() else { return };
        if let (Some(_), Some(races)) = (&self.notes.quiet, &mut Arc::make_mut(&mut order).races) {
            races.unpublish(range);
            self.end_quietly(state, races, thread, range);
        } else if order.races.is_some() {
            let races = &mut Arc::make_mut(&mut order).races;
            let found = races.as_mut().map_or_else(Vec::new, |races| races.end(thread.0, range));
            self.note_races(state, thread, range, by, &found);
        }
        state.order = Some(order);
    }
}
