//! Agents of a state: which can take a step, what the step will touch, and taking it.

use crate::caches::transitions::Undo;
use crate::environment::{Environment, LastStep, ModelFn};
use crate::machine::Executor;
use crate::memory::Life;
use crate::state::{End, Exit, State, mortal_at};
use crate::stop::{Fault, Incomplete, Step, Stop};
use crate::threads::modelled::ModelledFunction;
use crate::threads::thread::{
    AFTER_STORE_STORE, Action, Activation, Interrupted, ModelFrame, NO_SIGNAL, Operation, PARKED, Pending,
    Thread,
};
use crate::value::Byte;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{BufferedStore, ByteRange, Drain, Lane, Ordering, StorePlacement};
use symx_trace::{
    Access, Agent, Call, CallEffect, EventKind, Footprint, IncompleteReason, Mode, Place, ThreadId,
};

/// The model that runs the main thread.
pub(crate) static PROGRAM_START: ModelledFunction =
    ModelledFunction::internal("program start", CallEffect::Other);

/// The model that every other thread begins and ends in.
pub(crate) static THREAD_ENTRY: ModelledFunction =
    ModelledFunction::internal("thread entry", CallEffect::ThreadEnd);

/// The model that runs a handler, or a cancellation, between two steps of a thread.
static INTERRUPTION: ModelledFunction = ModelledFunction::internal("interruption", CallEffect::Other);

impl<E: Environment> Executor<'_, E> {
    /// The agents that can take a step, threads first, in order of number.
    pub fn enabled(&self, state: &State<E>) -> SmallVec<[Agent; 8]> {
        let mut agents = SmallVec::new();
        if state.end.is_some() {
            return agents;
        }
        for thread in &state.threads {
            if !thread.exited && self.thread_enabled(state, thread) {
                agents.push(Agent::Thread(thread.id));
            }
        }
        for thread in &state.threads {
            if !thread.buffer.is_empty() {
                for lane in thread.buffer.committable(self.machine.model) {
                    let agent = Agent::Buffer { thread: thread.id, lane: lane.0 };
                    if !self.is_held_back(state, agent) {
                        agents.push(agent);
                    }
                }
            }
        }
        agents
    }

    /// Whether some thread is enabled but for the end of its recorded path.
    pub fn held_by_guide(&self, state: &State<E>) -> bool {
        let finished = |thread: &Thread<E>| {
            !thread.exited && thread.guide.as_ref().is_some_and(|cursor| cursor.finished)
        };
        let would_go_on =
            |thread: &Thread<E>| thread.is_left_at_end_of_record() || self.can_step(state, thread);
        state.threads.iter().any(|thread| finished(thread) && would_go_on(thread))
    }

    /// Leaves a thread where its recorded path ends, if its last step has led to that. The thread has taken
    /// its pending step, as it may have in the recorded run. There the process ended before the thread came
    /// to what is recorded next. Returns whether it is left there.
    pub fn leave_at_end_of_record(&self, state: &mut State<E>, thread: ThreadId) -> bool {
        if state.thread(thread).guide.as_ref().is_none_or(|cursor| !cursor.finished) {
            return false;
        }
        let pending = Pending { action: Action::Never, span: SpanId::UNKNOWN };
        state.thread_mut(thread).pending = Some(Arc::new(pending));
        true
    }

    /// Whether some thread has not ended.
    pub fn any_thread_waits(&self, state: &State<E>) -> bool {
        state.threads.iter().any(|thread| !thread.exited && thread.pending.is_some())
    }

    fn thread_enabled(&self, state: &State<E>, thread: &Thread<E>) -> bool {
        let finished =
            !thread.is_about_to_fail() && thread.guide.as_ref().is_some_and(|cursor| cursor.finished);
        !finished && self.can_step(state, thread) && !self.is_held_back(state, Agent::Thread(thread.id))
    }

    /// Whether what a thread waits for has come.
    pub fn can_step(&self, state: &State<E>, thread: &Thread<E>) -> bool {
        if self.interruption(state, thread).is_some() {
            return true;
        }
        let Some(pending) = &thread.pending else { return true };
        if !thread.buffer.permits(pending.action.drain(self.machine.model)) {
            return false;
        }
        match &pending.action {
            Action::Model(operation) => match &operation.wait {
                Some(wait) => {
                    let seen = self.seen_by(state, thread.id);
                    self.machine.environment.ready(&seen, thread.id, wait)
                }
                None => true,
            },
            Action::Never => false,
            _ => true,
        }
    }

    /// The footprint of the next step of `agent`.
    ///
    /// The footprint of an interruption includes that of the operation it puts off. Before the signal is
    /// sent, that operation is the thread's next step, so it must conflict with the same steps.
    pub fn footprint(&self, state: &State<E>, agent: Agent) -> Footprint {
        let seen = self.seen_by(state, agent.thread());
        let mut footprint = self.footprint_in_process(&seen, agent);
        for access in self.deferred_in_process(&seen, agent).into_iter().map(Access::without_waiting) {
            if !footprint.contains(&access) {
                footprint.push(access);
            }
        }
        if state.has_forked() {
            self.distinguish_processes(&seen, agent.thread(), &mut footprint);
        }
        self.remedied_footprint(state, agent, &mut footprint);
        footprint
    }

    /// The footprint of the operation that the next step of `agent` puts off, or does not wait for any more
    /// since it is cancelled; empty if it does neither.
    pub fn deferred_footprint(&self, state: &State<E>, agent: Agent) -> Footprint {
        let seen = self.seen_by(state, agent.thread());
        let mut footprint = self.deferred_in_process(&seen, agent);
        if state.has_forked() && !footprint.is_empty() {
            self.distinguish_processes(&seen, agent.thread(), &mut footprint);
        }
        footprint
    }

    /// The same as its process sees it, which is the current one.
    fn deferred_in_process(&self, state: &State<E>, agent: Agent) -> Footprint {
        match agent {
            Agent::Thread(thread)
                if self.is_interrupted(state, state.thread(thread))
                    || self.machine.environment.gives_up(state, thread) =>
            {
                self.pending_footprint(state, state.thread(thread))
            }
            _ => Footprint::new(),
        }
    }

    /// The same but for what fixes add to it.
    pub fn own_footprint(&self, state: &State<E>, agent: Agent) -> Footprint {
        let seen = self.seen_by(state, agent.thread());
        let mut footprint = self.footprint_in_process(&seen, agent);
        if state.has_forked() {
            self.distinguish_processes(&seen, agent.thread(), &mut footprint);
        }
        footprint
    }

    /// The same as its process sees it, which is the current one.
    fn footprint_in_process(&self, state: &State<E>, agent: Agent) -> Footprint {
        let model = self.machine.model;
        let thread = state.thread(agent.thread());
        let mut footprint = Footprint::new();
        if let Agent::Buffer { lane, .. } = agent {
            let Some(store) = thread.buffer.next_in(model, Lane(lane)) else { return footprint };
            footprint.push(Access::write(store.address, store.bytes.len() as u64));
            footprint.push(token(thread.id, store.event, Mode::Acquire));
            footprint.push(drained(thread.id, Mode::Release));
            if store.event & AFTER_STORE_STORE != 0 {
                footprint.push(drained(thread.id, Mode::Acquire));
            }
            return footprint;
        }
        footprint.extend(self.machine.environment.interruption_footprint(state, thread.id));
        if self.is_interrupted(state, thread) {
            return footprint;
        }
        let pending = self.pending_footprint(state, thread);
        match self.machine.environment.gives_up(state, thread.id) {
            // It may come before what it waits for.
            true => footprint.extend(pending.into_iter().map(Access::without_waiting)),
            false => footprint.extend(pending),
        }
        footprint
    }

    /// The footprint of the operation before which `thread` is parked.
    fn pending_footprint(&self, state: &State<E>, thread: &Thread<E>) -> Footprint {
        let model = self.machine.model;
        let mut footprint = Footprint::new();
        let Some(pending) = &thread.pending else {
            let creation = thread.creation.map(|(parent, number)| Place::Child { parent, number });
            let begun = [Some(Place::Thread(thread.id)), creation].into_iter().flatten();
            footprint.extend(begun.map(|place| Access { place, mode: Mode::Acquire }));
            return footprint;
        };
        match &pending.action {
            Action::Load { address, length, ordering } => {
                let mut forwarded = 0;
                let mut last = None;
                for byte in thread.buffer.forward(ByteRange::new(*address, *length)) {
                    forwarded += 1;
                    if last != Some(byte.event) {
                        footprint.push(token(thread.id, byte.event, Mode::Read));
                        last = Some(byte.event);
                    }
                }
                if forwarded < *length {
                    let range = ByteRange::new(*address, *length);
                    footprint.push(match state.fixed_by_load(thread.id, *ordering, range) {
                        None => Access::read(*address, *length),
                        Some(fixed) => {
                            let fixed = fixed.up_to(range);
                            Access::write(fixed.address, fixed.length)
                        }
                    });
                } else {
                    footprint.extend(mortal_at(state, *address).map(Access::alive));
                }
            }
            Action::Store { address, length, ordering } => match model.store(*ordering) {
                StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore => {
                    footprint.push(token(thread.id, thread.stores_issued, Mode::Release));
                    footprint.extend(mortal_at(state, *address).map(Access::alive));
                }
                StorePlacement::Memory | StorePlacement::DrainThenMemory => {
                    footprint.push(Access::write(*address, *length));
                }
            },
            Action::ReadModifyWrite { address, length, .. } => {
                footprint.push(Access::write(*address, *length));
                let range = ByteRange::new(*address, *length);
                let beyond = state.fixed_by_update(range).filter(|fixed| !range.covers(*fixed));
                footprint.extend(beyond.map(|fixed| Access::write(fixed.address, fixed.length)));
            }
            Action::Fence(_) | Action::Fail(_) | Action::Never => {}
            Action::Return(objects) => footprint.extend_from_slice(objects),
            Action::Model(operation) => footprint.extend_from_slice(&operation.footprint),
        }
        if pending.action.drain(model) != Drain::Nothing && model.buffers_stores() {
            footprint.push(drained(thread.id, Mode::Acquire));
        }
        if model.keeps_history() && pending.action.ordering() == Some(Ordering::SequentiallyConsistent) {
            let reads = matches!(pending.action, Action::Load { .. });
            let mode = if reads { Mode::Read } else { Mode::Write };
            footprint.push(Access { place: Place::TotalOrder, mode });
        }
        footprint
    }

    /// The model that is to run in `thread` before its next step. Before its first it has no code to
    /// interrupt.
    fn interruption(&self, state: &State<E>, thread: &Thread<E>) -> Option<ModelFn<E>> {
        let has_begun = thread.pending.is_some() || thread.stack.len() > 1;
        if !has_begun || thread.exited {
            return None;
        }
        self.machine.environment.interruption(&self.seen_by(state, thread.id), thread.id)
    }

    /// Whether something is to run in `thread` before its next step.
    pub fn is_interrupted(&self, state: &State<E>, thread: &Thread<E>) -> bool {
        self.interruption(state, thread).is_some()
    }

    /// The number of the store that a buffer's next step commits.
    pub fn next_commit(&self, state: &State<E>, agent: Agent) -> Option<u32> {
        let Agent::Buffer { thread, lane } = agent else { return None };
        let next = state.thread(thread).buffer.next_in(self.machine.model, Lane(lane))?;
        Some(next.event & !AFTER_STORE_STORE)
    }

    /// The preferred time for the next step of `agent`, which is possible now.
    pub fn patience(&self, state: &State<E>, agent: Agent) -> Option<u64> {
        let Agent::Thread(id) = agent else { return None };
        let thread = state.thread(id);
        match &thread.pending.as_deref()?.action {
            Action::Model(Operation { wait: Some(wait), .. })
                if self.interruption(state, thread).is_none() =>
            {
                self.machine.environment.patience(&self.seen_by(state, id), id, wait)
            }
            _ => None,
        }
    }

    /// Whether the next step of `agent` touches nothing and waits for nothing.
    pub fn gives_way(&self, state: &State<E>, agent: Agent) -> bool {
        let Agent::Thread(id) = agent else { return false };
        let pending = state.thread(id).pending.as_deref();
        matches!(pending.map(|pending| &pending.action),
            Some(Action::Model(operation)) if operation.wait.is_none() && operation.footprint.is_empty())
    }

    /// The kind of event of the next step of `agent`.
    pub fn event_kind(&self, state: &State<E>, agent: Agent) -> EventKind {
        let thread = state.thread(agent.thread());
        match (agent, &thread.pending) {
            (Agent::Buffer { .. }, _) => EventKind::Commit,
            (_, None) => EventKind::Call(Call::new("thread start", CallEffect::ThreadStart)),
            (_, Some(pending)) => match &pending.action {
                Action::Load { .. } => EventKind::Read,
                Action::Store { .. } => EventKind::Write,
                Action::ReadModifyWrite { .. } => EventKind::ReadModifyWrite,
                Action::Fence(_) => EventKind::Fence,
                Action::Return(_) => EventKind::Free,
                Action::Model(operation) => self.call_event(thread, &operation.footprint),
                Action::Fail(_) => EventKind::Failure,
                Action::Never => self.call_event(thread, &[]),
            },
        }
    }

    /// The call of a modelled function whose next step touches this. A call that ends an object's life says
    /// so there.
    fn call_event(&self, thread: &Thread<E>, footprint: &[Access]) -> EventKind {
        let ends_life =
            |access: &Access| matches!(access, Access { place: Place::Life(_), mode: Mode::Write });
        let function = self.pending_function(thread);
        let effect = match function.map_or(CallEffect::Other, |function| function.effect) {
            CallEffect::Other if footprint.iter().any(ends_life) => CallEffect::Free,
            effect => effect,
        };
        EventKind::Call(Call::new(self.pending_call(thread), effect))
    }

    /// The modelled function a thread is in.
    pub fn pending_function(&self, thread: &Thread<E>) -> Option<&'static ModelledFunction> {
        match thread.stack.last() {
            Some(Activation::Model(frame)) => Some(frame.function),
            _ => None,
        }
    }

    /// Name of the modelled function a thread is in.
    pub fn pending_call(&self, thread: &Thread<E>) -> &'static str {
        self.pending_function(thread).map_or("", |function| function.name)
    }

    /// Lets `agent`, which must be enabled, take its next step.
    pub fn step(&mut self, state: &mut State<E>, agent: Agent) -> Step {
        self.counters.events += 1;
        self.enter_process_of(state, agent.thread());
        let has_remedies = self.machine.options.remedies.is_some();
        let version = state.memory.version();
        match agent {
            Agent::Thread(thread) => {
                if has_remedies && self.interruption(state, state.thread(thread)).is_none() {
                    self.begin_under_remedies(state, agent);
                }
                // A grant is for the operation a thread is parked before; at its start it is before none.
                let (mut trial, mut ending) = (None, None);
                let granted = match self.interruption(state, state.thread(thread)) {
                    Some(model) => self.interrupt(state, thread, model),
                    None => match self.repeat_known(state, thread) {
                        Ok(_) => return Step::Done,
                        Err(worthwhile) => {
                            trial = worthwhile;
                            match self.repeat_ending_audited(state, thread) {
                                Ok(()) => return Step::Done,
                                Err(worthwhile) => ending = worthwhile,
                            }
                            state.thread(thread).pending.is_some()
                        }
                    },
                };
                let step = self.resume(state, thread, granted);
                if matches!(step, Step::Done) {
                    self.remember(state, thread, trial);
                    // A caller that asks whether the step has changed memory is not to see a change of the
                    // ground.
                    if state.memory.version() != version {
                        self.know_ground(state);
                    }
                    self.keep_ending(state, ending);
                }
                step
            }
            Agent::Buffer { thread, lane } => {
                if self.repeat_commit_audited(state, thread, Lane(lane), None).is_some() {
                    return Step::Done;
                }
                if has_remedies {
                    self.begin_under_remedies(state, agent);
                }
                self.commit(state, thread, Lane(lane));
                self.know_ground(state);
                if has_remedies {
                    self.end_under_remedies(state, thread);
                }
                Step::Done
            }
        }
    }

    /// Lets a thread, which must be enabled, take its next step if the result is known; returns how to take
    /// it back.
    pub fn step_known(&mut self, state: &mut State<E>, thread: ThreadId) -> Option<Undo<E>> {
        if state.has_forked() || self.interruption(state, state.thread(thread)).is_some() {
            return None;
        }
        let undo = self.repeat_known(state, thread).ok()?;
        self.counters.events += 1;
        Some(undo)
    }

    /// Puts `model` above the thread's present activation; that continues afterwards where it is now. Nothing
    /// is granted.
    fn interrupt(&self, state: &mut State<E>, thread: ThreadId, model: ModelFn<E>) -> bool {
        let span = self.position(state, thread);
        let thread = state.thread_mut(thread);
        let pending = thread.pending.take();
        let mut frame = ModelFrame::new((&INTERRUPTION, model), SmallVec::new(), span);
        frame.interrupted = Some(Interrupted { pending, signal: NO_SIGNAL });
        thread.stack.push(Activation::Model(Arc::new(frame)));
        false
    }

    /// Continues with a step that stopped with a fork or a choice.
    pub fn resume(&mut self, state: &mut State<E>, thread: ThreadId, granted: bool) -> Step {
        self.enter_process_of(state, thread);
        // A model that had not parked was granted nothing. What it calls is to park before its own accesses.
        let it = state.thread(thread);
        let is_unparked = match it.stack.last() {
            Some(Activation::Model(frame)) => frame.phase & PARKED == 0 && it.pending.is_none(),
            _ => false,
        };
        let stop = self.advance(state, thread, granted && !is_unparked);
        let step = self.settled(state, thread, stop);
        if self.machine.options.remedies.is_some() && state.end.is_none() {
            match step {
                Step::Done => self.end_under_remedies(state, thread),
                Step::Paused => self.pause_under_remedies(state, thread),
                _ => {}
            }
        }
        step
    }

    pub(crate) fn settled(&mut self, state: &mut State<E>, thread: ThreadId, stop: Stop) -> Step {
        match stop {
            Stop::Parked => Step::Done,
            Stop::Paused => Step::Paused,
            Stop::ThreadExited => {
                self.thread_exited(state, thread);
                if state.has_forked() { self.thread_left_process(state, thread) } else { Step::Done }
            }
            Stop::ProcessExit(status) if state.has_forked() => {
                let stop = self.end_process(state, thread, status);
                self.settled(state, thread, stop)
            }
            Stop::ProcessExit(status) => {
                state.end = Some(End::Exit(Exit { status, by: Some(thread) }));
                Step::Done
            }
            Stop::Fault(fault) => {
                if self.leaves_something_behind(state, thread) {
                    self.park_before_failure(state, thread, *fault);
                } else {
                    self.fail(state, thread, *fault);
                }
                Step::Done
            }
            Stop::Fork(ways) => Step::Fork { ways, granted: self.present.granted },
            Stop::Choose(count) => Step::Choose(count),
            Stop::OffPath | Stop::Infeasible => Step::Pruned,
            Stop::Halted(reason) => Step::Halted(reason),
            Stop::Incomplete(mut incomplete) => {
                if incomplete.span == SpanId::UNKNOWN {
                    incomplete.span = self.position(state, thread);
                }
                Step::Cut(incomplete)
            }
            Stop::OutOfSteps => Step::Cut(Incomplete {
                reason: IncompleteReason::MaxSteps,
                what: String::new(),
                span: self.position(state, thread),
            }),
        }
    }

    /// Whether the step of a thread that ends here has done what others could observe.
    pub(crate) fn leaves_something_behind(&self, state: &State<E>, thread: ThreadId) -> bool {
        !self.present.granted && self.visible.is_some() && state.unjoined > 1 && state.thread(thread).has_left
    }

    /// Has a thread fail in a step of its own: before it, other threads can take steps, which see the
    /// thread's events.
    fn park_before_failure(&self, state: &mut State<E>, thread: ThreadId, fault: Fault) {
        let span = self.position(state, thread);
        let pending = Pending { action: Action::Fail(Arc::new(fault)), span };
        state.thread_mut(thread).pending = Some(Arc::new(pending));
    }

    fn thread_exited(&mut self, state: &mut State<E>, id: ThreadId) {
        let thread = state.thread_mut(id);
        thread.exited = true;
        thread.pending = None;
        thread.stack.clear();
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.end(id);
        }
        if !state.has_forked()
            && !state.threads.iter().any(|thread| thread.is_unfinished())
            && let Some(last) = self.machine.environment.end_of_process(self, state)
        {
            self.present.reaches_beyond.set(true);
            hand_over(state, last);
        }
    }

    /// Commits the oldest store of a lane to memory.
    pub(crate) fn commit(&mut self, state: &mut State<E>, id: ThreadId, lane: Lane) {
        let model = self.machine.model;
        let thread = state.thread_mut(id);
        let Some(store) = thread.buffer.commit(model, lane) else { return };
        Self::commit_in_order(state, id, store.event & !AFTER_STORE_STORE, store.range());
        // The object may have died since the store was issued; then the bytes go nowhere, as on a machine.
        if let Some(object) = Cell::of(store.address).and_then(|cell| state.memory.get_mut(cell))
            && object.life == Life::Live
            && object.contains(store.address.wrapping_sub(object.base), store.bytes.len() as u64)
        {
            let offset = store.address - object.base;
            for (index, byte) in store.bytes.iter().enumerate() {
                object.set_byte(offset + index as u64, *byte);
            }
        }
    }

    /// Puts a store into the buffer of its thread.
    pub(crate) fn issue(
        &mut self,
        state: &mut State<E>,
        id: ThreadId,
        address: u64,
        bytes: SmallVec<[Byte; 8]>,
        after_marker: bool,
    ) {
        let thread = state.thread_mut(id);
        if after_marker {
            thread.buffer.push_store_store();
        }
        let follows_marker = thread.buffer.iter().any(|entry| entry.store().is_none());
        let event = thread.stores_issued | if follows_marker { AFTER_STORE_STORE } else { 0 };
        thread.stores_issued += 1;
        thread.buffer.push(BufferedStore { address, bytes, event });
    }

    /// Ends the execution with a fault of `thread`.
    pub(crate) fn fail(&self, state: &mut State<E>, thread: ThreadId, fault: Fault) {
        self.exchange(state, state.process_of(thread));
        let failure = self.render_fault(state, thread, fault);
        state.end = Some(End::Failed(Arc::new(failure)));
    }
}

/// Has the main thread, which has ended as all have, take the last step.
fn hand_over<E: Environment>(state: &mut State<E>, last: LastStep<E>) {
    let LastStep { model, function, operation } = last;
    let main = state.thread_mut(ThreadId::MAIN);
    let was_joined = std::mem::take(&mut main.joined);
    main.exited = false;
    // Its recorded path ends where the thread did.
    main.guide = None;
    let mut frame = ModelFrame::new((function, model), SmallVec::new(), SpanId::UNKNOWN);
    frame.phase |= PARKED;
    main.stack.push(Activation::Model(Arc::new(frame)));
    let pending = Pending { action: Action::Model(operation), span: SpanId::UNKNOWN };
    main.pending = Some(Arc::new(pending));
    state.unjoined += u32::from(was_joined);
}

fn drained(thread: ThreadId, mode: Mode) -> Access {
    Access { place: Place::Drained(thread), mode }
}

/// A store on its way through the buffer of `thread`.
fn token(thread: ThreadId, number: u32, mode: Mode) -> Access {
    Access { place: Place::PendingStore { thread, number: number & !AFTER_STORE_STORE }, mode }
}
