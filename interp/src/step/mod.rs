//! Executing one thread until it stops.
//!
//! [`Executor::advance`] runs a thread up to its next visible operation. While registers are concrete an
//! instruction is executed on machine words, by `fast` where nothing else matters and else by `program`. An
//! instruction with a symbolic operand goes to `symbolic`, which builds terms. Both leave the frame as it was
//! if they stop, so that the instruction can be executed again.

mod accesses;
pub mod agents;
mod beginning;
mod calls;
mod elements;
mod extended;
mod fast;
mod floats;
pub(crate) mod inputs;
mod integers;
mod notes;
pub mod numbers;
mod program;
mod recorded_paths;
mod remedied;
mod symbolic;
mod unwind;
mod user_stacks;
mod wide;

pub use accesses::atomics::combine;
pub use notes::EntryFunction;
pub use unwind::{LandingPad, PadClause, type_selector};

use crate::environment::{Call, Environment, Outcome};
use crate::machine::Executor;
use crate::state::State;
use crate::stop::{Fault, Stop};
use crate::threads::thread::{Action, Activation, ModelFrame, NO_SIGNAL, Operation, PARKED, Pending};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_memmodel::Drain;
use symx_trace::{Access, Mode, Place, ThreadId};

/// The activation that a thread goes on with where it has not stopped: a new one, or else that on top of its
/// stack.
pub(crate) type GoOn<E> = Result<Option<Activation<E>>, Stop>;

impl<E: Environment> Executor<'_, E> {
    /// Runs `thread` until it stops: before its next visible operation, at its end, at a fault, at a fork.
    ///
    /// With `granted`, the first visible operation met is performed.
    pub fn advance(&mut self, state: &mut State<E>, thread: ThreadId, granted: bool) -> Stop {
        self.present.granted = granted;
        self.present.performed = None;
        self.present.unnoticed = 0;
        self.present.forgiven = None;
        self.caches.windows.close();
        if granted && let Some(failed) = self.begin_granted(state, thread) {
            return failed;
        }
        let began = self.counters.instructions;
        let mut asked = began;
        let mut next = state.thread_mut(thread).stack.pop();
        loop {
            let Some(activation) = next else {
                return Stop::ThreadExited;
            };
            // A loop of calls of models gets here though no run of its frame is long.
            if self.counters.instructions - began > self.pause && !self.present.granted {
                state.thread_mut(thread).stack.push(activation);
                return Stop::Paused;
            }
            if self.counters.instructions - asked > program::SLICE {
                asked = self.counters.instructions;
                if let Err(stop) = self.proceed() {
                    return stop;
                }
            }
            let result = match activation {
                Activation::Program(frame) => self.run_program(state, thread, frame),
                Activation::Model(frame) => self.run_model(state, thread, frame),
            };
            let was_forgiven = self.present.forgiven.is_some();
            next = match result {
                Err(Stop::Fault(fault)) if self.forgive(state, thread, &fault) => {
                    state.thread_mut(thread).stack.pop()
                }
                // The one instruction is over.
                Err(Stop::Paused) if was_forgiven => {
                    self.present.forgiven = None;
                    state.thread_mut(thread).stack.pop()
                }
                result => {
                    self.present.forgiven = None;
                    match result {
                        Ok(None) => state.thread_mut(thread).stack.pop(),
                        Ok(new) => new,
                        Err(stop) => return stop,
                    }
                }
            };
        }
    }

    /// What the thread has pending begins to take effect. The stop, if that is a failure.
    #[inline]
    fn begin_granted(&mut self, state: &mut State<E>, thread: ThreadId) -> Option<Stop> {
        if self.machine.options.races && self.notes.quiet.is_none() {
            self.present.here = Some(Arc::new(self.thread_position(state, thread)));
        }
        // A barrier is no step of its own in every walk: what was left before it, was left in this step.
        let at_barrier =
            self.machine.model.buffers_stores() && self.stands_at_barrier(state, state.thread(thread));
        let it = state.thread_mut(thread);
        let pending = it.pending.take();
        if !at_barrier {
            it.has_left = pending.as_deref().is_some_and(Pending::leaves_something);
        }
        match pending.as_deref() {
            Some(Pending { action: Action::Model(operation), .. }) => {
                self.trace_announced(operation);
                join_ended(state, &operation.footprint);
                if state.order.is_some() {
                    let is_left_out = |access: &Access| {
                        let is_write = access.mode == Mode::Write;
                        matches!(access.place, Place::Memory { .. })
                            && (operation.is_atomic || operation.writes_at_most && is_write)
                    };
                    let mut known = operation.footprint.clone();
                    known.retain(|access| !is_left_out(access));
                    self.call_in_order(state, thread, &known);
                }
            }
            Some(Pending { action: Action::Return(objects), .. }) if state.order.is_some() => {
                self.lives_end_in_order(state, thread, objects);
            }
            _ => {}
        }
        if let Some(Pending { action: Action::Return(objects), span }) = pending.as_deref() {
            self.trace_return(state, objects, *span);
        }
        if let Some(Pending { action: Action::Fail(fault), .. }) = pending.as_deref() {
            return Some(Fault::clone(fault).into());
        }
        self.present.performed = pending;
        None
    }

    /// Runs one phase of the model on top of the stack.
    fn run_model(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        mut shared: Arc<ModelFrame<E>>,
    ) -> GoOn<E> {
        self.present.effects += 1;
        self.present.calls += 1;
        // A parked model goes on only when its thread is scheduled; the grant is for this phase.
        let parked = shared.phase & PARKED != 0;
        if parked && !std::mem::take(&mut self.present.granted) {
            state.thread_mut(thread).stack.push(Activation::Model(shared));
            return Err(Stop::Parked);
        }
        let frame = Arc::make_mut(&mut shared);
        // The part of it that a model can change.
        let (scratch, invoked, phase) = (SmallVec::from_slice(&frame.scratch), frame.invoked, frame.phase);
        frame.phase &= !(PARKED | ANNOUNCING);
        match frame.performing.take() {
            Some(performing) => self.present.performed = Some(performing),
            None if !parked => self.present.performed = None,
            None => {}
        }
        if let Some(operation) = self.unannounced(state, thread, frame) {
            frame.phase |= PARKED | ANNOUNCING;
            let span = frame.span;
            self.present.reaches_beyond.set(true);
            self.park_model(state, thread, shared, operation, span);
            return Err(Stop::Parked);
        }
        let model = frame.model;
        let outcome = model(&mut Call { executor: self, state, thread, frame });
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(stop) => {
                // The phase can be run again, with its grant.
                self.present.granted = parked;
                frame.performing = if parked { self.present.performed.clone() } else { None };
                (frame.scratch, frame.invoked, frame.phase) = (scratch, invoked, phase);
                return Err(self.stop_phase(state, thread, shared, stop));
            }
        };
        if parked {
            self.present.performed = None;
            self.trace_performed(state, thread, frame.span);
        }
        if !self.present.misuse_met.is_empty() {
            state.thread_mut(thread).stack.push(Activation::Model(Arc::clone(&shared)));
            self.note_misuse(state, thread);
            state.thread_mut(thread).stack.pop();
        }
        let frame = Arc::make_mut(&mut shared);
        if !matches!(outcome, Outcome::ParkBefore(_)) {
            frame.phase += 1;
        }
        frame.invoked = None;
        self.follow_outcome(state, thread, shared, outcome)
    }

    /// Leaves a phase that was stopped on top of the stack. Why the thread stops.
    fn stop_phase(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        mut shared: Arc<ModelFrame<E>>,
        stop: Stop,
    ) -> Stop {
        self.present.misuse_met.clear();
        if shared.phase == 0
            && let Some(base) = self.is_late(state, thread, &stop)
        {
            self.present.reaches_beyond.set(true);
            let frame = Arc::make_mut(&mut shared);
            frame.phase |= PARKED;
            let (footprint, span) = (SmallVec::from_slice(&[Access::alive(base)]), frame.span);
            let operation = Operation::new(footprint, Drain::Nothing);
            self.park_model(state, thread, shared, operation, span);
            return Stop::Parked;
        }
        state.thread_mut(thread).stack.push(Activation::Model(shared));
        stop
    }

    /// Continues as a phase of a model has decided.
    #[inline]
    fn follow_outcome(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        mut shared: Arc<ModelFrame<E>>,
        outcome: Outcome<E>,
    ) -> GoOn<E> {
        let frame = Arc::make_mut(&mut shared);
        match outcome {
            Outcome::Return(_) if frame.interrupted.is_some() => {
                let pending = frame.interrupted.take().and_then(|interrupted| interrupted.pending);
                self.note_interruptions(state, thread);
                if pending.is_some() {
                    state.thread_mut(thread).pending = pending;
                    return Err(Stop::Parked);
                }
            }
            Outcome::Return(value) => {
                if let Some(census) = &mut self.notes.census {
                    census.returned = value.concrete();
                }
                self.deliver(state, thread, &[value])?;
            }
            Outcome::Park(operation) | Outcome::ParkBefore(operation)
                if self.goes_unnoticed(state, thread, &operation) =>
            {
                self.present.unnoticed += 1;
                return Ok(Some(Activation::Model(shared)));
            }
            Outcome::Park(operation) | Outcome::ParkBefore(operation) => {
                frame.phase |= PARKED;
                let span = frame.span;
                self.park_model(state, thread, shared, operation, span);
                return Err(Stop::Parked);
            }
            Outcome::Invoke { function, arguments } => {
                let span = frame.span;
                state.thread_mut(thread).stack.push(Activation::Model(shared));
                return self.call_address(state, thread, function, &arguments, span);
            }
            Outcome::Handle { function, arguments } => {
                let span = frame.span;
                if let Some(interrupted) = &mut frame.interrupted {
                    let signal = arguments.first().and_then(|signal| signal.concrete());
                    interrupted.signal = signal.map_or(NO_SIGNAL, |signal| signal as u8 & NO_SIGNAL);
                }
                state.thread_mut(thread).stack.push(Activation::Model(shared));
                self.note_interruptions(state, thread);
                self.path_is_interrupted(state, thread);
                return self.call_address(state, thread, function, &arguments, span);
            }
            Outcome::Fallback => {
                let (arguments, function) = (frame.arguments.clone(), frame.function);
                return self.call_fallback(state, thread, function, &arguments);
            }
            Outcome::Unwind(value) => {
                self.leave_above(state, thread, 1);
                let bottom = state.thread_mut(thread).stack.first_mut();
                if let Some(Activation::Model(entry)) = bottom {
                    Arc::make_mut(entry).invoked = Some(value);
                }
            }
            Outcome::Jump { depth, pc, value } => {
                self.leave_above(state, thread, depth);
                self.path_jumps_back(state, thread, pc);
                self.land(state, thread, pc, value);
            }
            Outcome::Land { depth, exception, selector } => {
                self.leave_above(state, thread, depth);
                self.land_exception(state, thread, exception, selector)?;
            }
            Outcome::ThreadExit => return Err(Stop::ThreadExited),
            Outcome::ProcessExit(status) => return Err(Stop::ProcessExit(status)),
        }
        Ok(None)
    }

    /// Notes which handler that has interrupted the thread is the innermost on its stack. Windows that are
    /// open on memory were opened for another toucher.
    pub(crate) fn note_interruptions(&mut self, state: &mut State<E>, thread: ThreadId) {
        self.caches.windows.close();
        let thread = state.thread_mut(thread);
        let interrupts = |activation: &Activation<E>| match activation {
            Activation::Model(frame) => frame.interrupted.as_ref().map(|interrupted| interrupted.signal),
            Activation::Program(_) => None,
        };
        thread.handler = thread.stack.iter().rev().find_map(interrupts).unwrap_or(0);
    }

    /// Whether no other thread can observe when an operation is performed: they have all ended and were
    /// waited for. Then it need not be a step of its own.
    fn goes_unnoticed(&self, state: &State<E>, thread: ThreadId, operation: &Operation<E>) -> bool {
        // A service that is still there (a timer) is never joined.
        let ended = state.threads.len() > 1
            && state.unjoined <= 1
            && state.threads.iter().all(|other| other.exited || other.id == thread);
        let orders_threads = |access: &Access| {
            matches!(access.place, Place::Thread(_) | Place::Child { .. } | Place::Drained(_))
        };
        ended
            && self.machine.options.guide.is_none()
            && self.present.unnoticed < UNNOTICED
            && state.thread(thread).buffer.is_empty()
            && operation.alternatives <= 1
            && !operation.footprint.iter().any(orders_threads)
            && operation.wait.as_ref().is_none_or(|wait| self.machine.environment.ready(state, thread, wait))
    }

    fn park_model(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        frame: Arc<ModelFrame<E>>,
        mut operation: Operation<E>,
        span: symx_ir::SpanId,
    ) {
        self.require_lives(state, thread, &mut operation.footprint);
        let thread = state.thread_mut(thread);
        thread.stack.push(Activation::Model(frame));
        thread.pending = Some(Arc::new(Pending { action: Action::Model(operation), span }));
    }
}

/// Takes note of the ended threads that an operation waited for: all they did happens before what comes next.
///
/// A thread that has merely ended does not count: nothing orders what it did and what others do now.
fn join_ended<E: Environment>(state: &mut State<E>, footprint: &[Access]) {
    for access in footprint {
        if let Access { place: Place::Thread(ended), mode: Mode::Acquire } = *access
            && state
                .threads
                .get(ended.index())
                .is_some_and(|thread| thread.exited && !thread.joined && thread.buffer.is_empty())
        {
            state.thread_mut(ended).joined = true;
            state.unjoined -= 1;
        }
    }
}

/// Unobservable operations, in one step: then exploration gets to look at the clock.
const UNNOTICED: u32 = 1 << 8;

/// Marks a model frame's phase as parked again before the same phase, with a larger footprint. The thread is
/// not where it was.
const ANNOUNCING: u32 = 1 << 30;
