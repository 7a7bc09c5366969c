//! Which accesses others can notice, so that each is a step of its own, and stopping a thread before it.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Site, SiteKind};
use crate::state::State;
use crate::stop::Stop;
use crate::threads::thread::{Action, Pending, Thread};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{Drain, Ordering};
use symx_trace::{Place, ThreadId};

/// What distinguishes a thread in handlers that have interrupted it from the thread itself, among those that
/// touch memory: no thread has such a number.
const INTERRUPTED: u32 = 1 << 31;
/// Where the handler is in such a number: one may interrupt another.
const HANDLER: u32 = 24;

/// Whether no other thread could notice what a thread does.
#[inline]
fn is_alone<E: Environment>(state: &State<E>, thread: ThreadId) -> bool {
    state.unjoined <= 1 && state.thread(thread).buffer.is_empty() && !state.remembers_writes()
}

/// By what a thread is known among those that touch memory. A handler may come between any two accesses of
/// the thread that it interrupts.
pub(crate) fn toucher<E: Environment>(state: &State<E>, thread: ThreadId) -> ThreadId {
    match state.thread(thread).handler {
        0 => thread,
        handler => ThreadId(thread.0 | INTERRUPTED | u32::from(handler) << HANDLER),
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Whether accesses to single bytes of an object count. They do if they are visible, or if a trace
    /// records them, which is to record the same where they are visible.
    pub(crate) fn is_observed(&mut self, state: &mut State<E>, thread: ThreadId, cell: Cell) -> bool {
        self.is_visible(state, thread, cell) || !is_alone(state, thread) && self.is_traced(state, cell)
    }

    /// Whether an access of `thread` to the object in `cell` is a visible operation. Notes which threads
    /// touch which objects.
    pub(crate) fn is_visible(&mut self, state: &mut State<E>, thread: ThreadId, cell: Cell) -> bool {
        if is_alone(state, thread) {
            // What sent a handler's signal may be gone by now: it may have come between accesses before.
            if state.thread(thread).handler != 0 {
                self.note_touch_of_handler(state, thread, cell);
            }
            return self.contested.contains(&cell);
        }
        let Some(sites) = &self.visible else { return false };
        let Some(object) = state.memory.get(cell) else { return false };
        if object.read_only {
            return false;
        }
        let site = object.site;
        if self.notes.quiet.is_some() || sites.contains(&site) {
            return true;
        }
        if self.notes.census.is_some() {
            self.note_silent(state, thread, cell);
        }
        self.note_touch(state, thread, cell, site);
        false
    }

    /// Notes that a handler touches the object in `cell`, if accesses to that are no steps of their own.
    #[cold]
    fn note_touch_of_handler(&self, state: &mut State<E>, thread: ThreadId, cell: Cell) {
        let object = state.memory.get(cell).filter(|object| !object.read_only);
        if let Some((sites, object)) = self.visible.as_ref().zip(object)
            && !sites.contains(&object.site)
        {
            let site = object.site;
            self.note_touch(state, thread, cell, site);
        }
    }

    /// Whether the object in `cell` counts as one that a single thread touches, as long as others run. That
    /// is the same when the thread parks and when it is granted, also if the others have ended meanwhile.
    pub(super) fn is_private(&self, state: &State<E>, cell: Cell) -> bool {
        let is_shared = |sites: &FxHashSet<Site>| {
            state.memory.get(cell).is_some_and(|object| sites.contains(&object.site))
        };
        self.notes.quiet.is_none()
            && !self.contested.contains(&cell)
            && !self.is_traced(state, cell)
            && !self.visible.as_deref().is_some_and(is_shared)
    }

    /// Notes that `thread` touches the object of `site` in `cell`: once two do, or one and a handler that has
    /// interrupted it, the site is one of those that are shared.
    pub(crate) fn note_touch(&self, state: &mut State<E>, thread: ThreadId, cell: Cell, site: Site) {
        let me = toucher(state, thread);
        let toucher = if self.is_guarded(state, thread, site) { None } else { Some(me) };
        match state.touched.get(&cell.0) {
            None => {
                state.touched.insert(cell.0, toucher);
            }
            // One thread alone, or no thread without the lock.
            Some(owner) if *owner == Some(me) || *owner == toucher => {}
            Some(_) => {
                state.discovered.insert(site);
            }
        }
    }

    /// Whether an access to the object in `cell` parks its thread, where all accesses are noted.
    fn parks_quietly(&self, state: &State<E>, cell: Cell) -> bool {
        let site = state.memory.get(cell).map(|object| object.site);
        self.visible.as_ref().zip(site).is_some_and(|(sites, site)| sites.contains(&site))
    }

    /// Whether a library's own lock orders what `thread` does to the objects of `site`, so that no other
    /// thread observes it.
    pub(crate) fn is_guarded(&self, state: &State<E>, thread: ThreadId, site: Site) -> bool {
        let SiteKind::Global(number) = site.kind() else { return false };
        let global = self.machine.program.globals.get(number as usize);
        global.is_some_and(|global| global.library)
            && self.machine.environment.is_inside_library_lock(&state.data, thread)
    }

    /// Whether an access is a visible operation being performed. Parks the thread if it is one
    /// and was not granted.
    ///
    /// A grant always belongs to the operation the thread was parked before, which is the first one met. It
    /// counts as visible even if other threads have ended meanwhile.
    pub(super) fn perform(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        cell: Cell,
        span: SpanId,
        action: Action<E>,
    ) -> Result<bool, Stop> {
        if std::mem::take(&mut self.present.granted) {
            return Ok(true);
        }
        let ordered = action.ordering().is_some_and(|ordering| self.is_ordered_with_others(state, ordering));
        let is_visible = self.is_visible(state, thread, cell);
        if self.notes.quiet.is_some() && is_visible && !self.parks_quietly(state, cell) {
            return Ok(true);
        }
        if let (Some(census), Some(access)) = (&mut self.notes.census, action.access()) {
            census.refine(thread, access);
        }
        if !is_visible && self.is_on_remedied_line(state, span) {
            let site = state.memory.get(cell).filter(|object| !object.read_only).map(|object| object.site);
            state.discovered.extend(site);
        }
        if !is_visible && !ordered && !self.waits_for_buffer(state, thread, &action) {
            return Ok(false);
        }
        self.park(state, thread, span, action)
    }

    /// Whether an operation on memory no other thread touches must still wait for the
    /// thread's own older stores.
    fn waits_for_buffer(&self, state: &State<E>, thread: ThreadId, action: &Action<E>) -> bool {
        let buffer = &state.thread(thread).buffer;
        let drain = action.drain(self.machine.model);
        !buffer.is_empty() && !buffer.permits(drain)
            || self.stops_at_fences && state.unjoined > 1 && drain != Drain::Nothing
    }

    /// Whether a thread stands before a fence, or before memory of its own, as for a barrier. That is a step
    /// only where the walk [stops at fences](Executor::stops_at_fences), or where stores were on their way
    /// when the thread came there.
    pub fn stands_at_barrier(&self, state: &State<E>, thread: &Thread<E>) -> bool {
        let Some(pending) = thread.pending.as_deref() else { return false };
        match (&pending.action, pending.action.access().map(|access| access.place)) {
            (Action::Fence(_), _) => true,
            (_, Some(Place::Memory { start, .. })) => {
                let is_visible = |site| self.visible.as_ref().is_some_and(|sites| sites.contains(site));
                state.memory.near(start).is_some_and(|object| !is_visible(&object.site))
            }
            _ => false,
        }
    }

    /// Stops `thread` before `action`.
    pub(crate) fn park<T>(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        span: SpanId,
        action: Action<E>,
    ) -> Result<T, Stop> {
        state.thread_mut(thread).pending = Some(Arc::new(Pending { action, span }));
        Err(Stop::Parked)
    }

    /// Whether an operation of this ordering has its place among those of other
    /// threads, whatever it accesses.
    pub(super) fn is_ordered_with_others(&self, state: &State<E>, ordering: Ordering) -> bool {
        self.machine.model.keeps_history()
            && ordering == Ordering::SequentiallyConsistent
            && state.unjoined > 1
            && self.visible.is_some()
    }
}
