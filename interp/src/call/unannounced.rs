//! Accesses of modelled functions to shared memory: part of the footprints of their steps.
//!
//! A model reads its arguments and writes its results without regard to other threads. Where an
//! argument points to visible memory, each phase of the model is first run on a copy of the state.
//! Accesses to visible memory that the model has not announced are announced for it: the thread parks
//! before the same phase again.
//!
//! A synchronisation object is touched as an object. Accesses of a model to its bytes ([`Call::read_object`],
//! [`Call::write_object`]) are no accesses to memory.

use crate::environment::Call;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::threads::thread::{ModelFrame, Operation};
use symx_ir::address::Cell;
use symx_memmodel::Drain;
use symx_trace::{Access, AccessMode, CallEffect, Footprint, Mode, Place, ThreadId};

/// How many of the first arguments of a call are synchronisation objects that it knows by their addresses.
fn objects(effect: CallEffect) -> usize {
    match effect {
        CallEffect::Lock
        | CallEffect::Unlock
        | CallEffect::Signal
        | CallEffect::Broadcast
        | CallEffect::BarrierWait
        | CallEffect::SemaphoreWait
        | CallEffect::SemaphorePost
        | CallEffect::Once
        | CallEffect::Free
        | CallEffect::Destroy => 1,
        CallEffect::ConditionWait => 2,
        CallEffect::Other
        | CallEffect::CreateThread
        | CallEffect::JoinThread
        | CallEffect::ThreadStart
        | CallEffect::ThreadEnd => 0,
    }
}

impl<E: Environment> Executor<'_, E> {
    /// The operation before which `thread` must park. It is one if the next phase of `frame` touches visible
    /// memory that the operation it has been scheduled for does not announce.
    pub(crate) fn unannounced(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        frame: &ModelFrame<E>,
    ) -> Option<Operation<E>> {
        if !self.leads_to_shared(state, frame) {
            return None;
        }
        let performed = self.present.performed.clone();
        let performed = performed.as_deref().and_then(|pending| pending.action.operation());
        let mut touched = self.touched_aside(state, thread, frame);
        let announced = performed.map_or(&[][..], |operation| &operation.footprint[..]);
        touched.retain(|access| !announced.iter().any(|known| covers(known, access)));
        if touched.is_empty() {
            return None;
        }
        let mut operation =
            performed.cloned().unwrap_or_else(|| Operation::new(Footprint::new(), Drain::Nothing));
        operation.footprint.extend(touched);
        // Before the kernel touches such memory, the thread's own stores must have reached it.
        operation.drain = self.machine.model.synchronisation();
        Some(operation)
    }

    /// Whether an argument, other than a synchronisation object, points to memory that counts as visible.
    fn leads_to_shared(&self, state: &State<E>, frame: &ModelFrame<E>) -> bool {
        let Some(sites) = &self.visible else { return false };
        if state.unjoined <= 1 || self.notes.quiet.is_some() || sites.is_empty() {
            return false;
        }
        let is_shared = |argument: &crate::value::Value| {
            let cell = argument.concrete().and_then(Cell::of);
            let object = cell.and_then(|cell| state.memory.get(cell));
            object.is_some_and(|object| !object.read_only && sites.contains(&object.site))
        };
        let Some(last) = frame.arguments.iter().rposition(is_shared) else { return false };
        last >= objects(frame.function.effect)
    }

    /// The visible memory that the next phase touches.
    fn touched_aside(&mut self, state: &State<E>, thread: ThreadId, frame: &ModelFrame<E>) -> Footprint {
        let (mut state, mut frame) = (state.clone(), frame.clone());
        let (tracer, recorder, census) =
            (self.notes.tracer.take(), self.notes.recorder.take(), self.notes.census.take());
        let met = std::mem::take(&mut self.present.misuse_met);
        let outcome = self.notes.outcome.take();
        // It finds what the thread itself has stored, as where it is performed.
        while let Some((lane, _)) = state.thread(thread).buffer.first_committable(self.machine.model) {
            self.commit(&mut state, thread, lane);
        }
        self.present.touched = Some(Footprint::new());
        self.aside(|executor| {
            let model = frame.model;
            // Its result does not matter: the phase is run once more.
            let _ = model(&mut Call { executor, state: &mut state, thread, frame: &mut frame });
        });
        (self.notes.tracer, self.notes.recorder, self.notes.census, self.present.misuse_met) =
            (tracer, recorder, census, met);
        self.notes.outcome = outcome;
        self.present.touched.take().unwrap_or_default()
    }
}

/// Whether what is announced of memory has another access in it.
fn covers(announced: &Access, access: &Access) -> bool {
    match (announced.place, access.place) {
        (Place::Memory { start, end }, Place::Memory { start: first, end: last }) => {
            start <= first && last <= end && (announced.mode != Mode::Read || access.mode == Mode::Read)
        }
        _ => false,
    }
}

impl<E: Environment> Call<'_, '_, E> {
    /// Notes that the call touches memory, which others may use as well.
    pub(super) fn touches(&mut self, address: u64, length: u64, mode: Mode) {
        let Some(cell) = Cell::of(address).filter(|_| length > 0) else { return };
        let is_visible = self.executor.is_visible(self.state, self.thread, cell);
        let machine = self.executor.machine;
        if let Some(touched) = &mut self.executor.present.touched
            && is_visible
        {
            let access = Access { place: Place::Memory { start: address, end: address + length }, mode };
            if !touched.iter().any(|known| covers(known, &access)) {
                touched.push(access);
            }
        } else if !is_visible && let Some(log) = &mut self.executor.notes.log {
            let mode = if mode == Mode::Read { AccessMode::Read } else { AccessMode::Write };
            let program = &machine.program;
            log.touch(program, self.state, self.thread, self.frame.title(), (mode, address, length));
        }
    }
}
