//! Lives of objects as something that steps touch.
//!
//! A use of an object after its life is often one of two orders. Both are met if the use is a step of its own
//! and touches what the end touches. That is its bytes, or, where it touches none of them (a lock taken, a
//! store that goes to a buffer), the life.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Life;
use crate::state::{State, mortal_at};
use crate::stop::Stop;
use crate::threads::thread::{Action, Pending};
use std::sync::Arc;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_trace::{Access, Footprint, Place, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// Before `fault`, which may be that an object is used after its life. Whether the use comes before the
    /// end can be the schedule's choice. So it is a step of its own as it would be in time. Then the object's
    /// address is returned.
    pub(crate) fn is_late(&mut self, state: &mut State<E>, thread: ThreadId, fault: &Stop) -> Option<u64> {
        let Stop::Fault(fault) = fault else { return None };
        let cell = Cell::of(fault.ended?)?;
        if self.present.granted || state.unjoined <= 1 {
            return None;
        }
        let object = state.memory.get(cell)?;
        let (site, sites) = (object.site, self.visible.as_ref()?);
        if sites.contains(&site) {
            return fault.ended;
        }
        let ended_by = match object.life {
            Life::Live => None,
            Life::Freed(end) | Life::Returned(end) | Life::OutOfScope(end) => Some(end.thread),
        };
        if ended_by.is_some_and(|other| other != thread) {
            state.discovered.insert(site);
        }
        self.note_touch(state, thread, cell, site);
        None
    }

    /// The stop of an access that is a `fault`, or, once, the thread parked before it.
    #[cold]
    pub(crate) fn refused(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        span: SpanId,
        action: Action<E>,
        fault: Stop,
    ) -> Stop {
        if self.is_late(state, thread, &fault).is_none() {
            return fault;
        }
        state.thread_mut(thread).pending = Some(Arc::new(Pending { action, span }));
        Stop::Parked
    }

    /// Adds to `footprint` that the objects in which it has synchronisation objects must be alive, and notes
    /// which thread touches them. Objects that live forever are left out.
    pub(crate) fn require_lives(&self, state: &mut State<E>, thread: ThreadId, footprint: &mut Footprint) {
        if state.unjoined <= 1 {
            return;
        }
        for index in 0..footprint.len() {
            let (Place::Object(address) | Place::Readers(address) | Place::Round { barrier: address, .. }) =
                footprint[index].place
            else {
                continue;
            };
            if Cell::of(address).is_some() {
                self.present.looks_at_memory.set(true);
            }
            let Some(base) = mortal_at(state, address) else { continue };
            let alive = Access::alive(base);
            if footprint.contains(&alive) {
                continue;
            }
            footprint.push(alive);
            if let (Some(sites), Some(cell)) = (&self.visible, Cell::of(base))
                && let Some(site) = state.memory.get(cell).map(|object| object.site)
                && !sites.contains(&site)
            {
                self.note_touch(state, thread, cell, site);
            }
        }
    }
}
