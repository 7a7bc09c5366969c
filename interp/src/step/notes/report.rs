//! Turning a fault into a failure: source positions, call stacks, names.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::position::{FramePosition, location, locations};
use crate::stop::{Fault, Stop};
use crate::threads::thread::{Activation, Thread};
use std::sync::Arc;
use symx_ir::SpanId;
use symx_trace::failure::Note;
use symx_trace::{Failure, Location, StackFrame, ThreadId, ThreadStack};

impl<E: Environment> Executor<'_, E> {
    /// Position of the innermost activation of the program's own code, sources of libraries left out, else of
    /// any.
    pub fn position(&self, state: &State<E>, thread: ThreadId) -> SpanId {
        self.position_of(state.thread(thread))
    }

    /// The same of a thread that need not be a state's.
    pub(crate) fn position_of(&self, thread: &Thread<E>) -> SpanId {
        let program = &self.machine.program;
        let (mut any, mut any_is_own) = (SpanId::UNKNOWN, false);
        for activation in thread.stack.iter().rev() {
            let (span, own) = match activation {
                Activation::Model(frame) => (frame.span, false),
                Activation::Program(frame) => {
                    let function = program.function(frame.function);
                    let pc = (frame.pc as usize).min(function.spans.len() - 1);
                    (function.spans[pc], function.in_program)
                }
            };
            if own && let Some(span) = program.outside_library_sources(span) {
                return span;
            }
            if any == SpanId::UNKNOWN || own && !any_is_own && span != SpanId::UNKNOWN {
                (any, any_is_own) = (span, own);
            }
        }
        any
    }

    /// Where the program called the library that is about to take a thread's next step. `None` if it is the
    /// program's own code that does, or if the program did not call it.
    pub(crate) fn called_from(&self, thread: &Thread<E>) -> Option<SpanId> {
        let program = &self.machine.program;
        let innermost = thread.stack.iter().rev().find_map(|activation| match activation {
            Activation::Program(frame) => Some(frame),
            Activation::Model(_) => None,
        })?;
        let span = thread.pending.as_ref().map_or(SpanId::UNKNOWN, |pending| pending.span);
        if program.function(innermost.function).in_program
            && program.outside_library_sources(span) == Some(span)
        {
            return None;
        }
        self.own_position(thread)
    }

    /// Position of a thread's innermost activation of the program's own code, sources of libraries left out.
    pub fn own_position(&self, thread: &Thread<E>) -> Option<SpanId> {
        let program = &self.machine.program;
        thread.stack.iter().rev().find_map(|activation| {
            let Activation::Program(frame) = activation else { return None };
            let function = program.function(frame.function);
            let pc = (frame.pc as usize).min(function.spans.len() - 1);
            function.in_program.then(|| program.outside_library_sources(function.spans[pc])).flatten()
        })
    }

    /// The call stack of a thread, innermost first.
    pub fn stack(&self, state: &State<E>, thread: ThreadId) -> Vec<StackFrame> {
        self.rendered(&self.frames(state, thread))
    }

    /// Where the activations of a thread stand, innermost first, in numbers.
    pub(crate) fn frames(&self, state: &State<E>, thread: ThreadId) -> Vec<FramePosition> {
        let activations = state.thread(thread).stack.iter().rev();
        activations
            .map(|activation| match activation {
                Activation::Model(frame) => FramePosition::Model(frame.title()),
                Activation::Program(frame) => {
                    let function = self.machine.program.function(frame.function);
                    let pc = (frame.pc as usize).min(function.spans.len() - 1);
                    FramePosition::Program(frame.function, function.spans[pc])
                }
            })
            .collect()
    }

    /// A call stack for people.
    pub(crate) fn rendered(&self, frames: &[FramePosition]) -> Vec<StackFrame> {
        let program = &self.machine.program;
        let mut stack = Vec::new();
        for frame in frames {
            match frame {
                FramePosition::Model(name) => {
                    stack.push(StackFrame { function: (*name).into(), ..StackFrame::default() });
                }
                FramePosition::Program(function, span) => {
                    let function = program.function(*function);
                    let mut found = locations(program, *span);
                    if found.is_empty() {
                        found.push(Location {
                            function: function.source_name.clone(),
                            ..location(program, function.span)
                        });
                    }
                    stack.extend(found);
                }
            }
        }
        stack
    }

    fn other_stacks(&self, state: &State<E>, thread: ThreadId) -> Vec<ThreadStack> {
        let is_other = |other: &&Arc<Thread<E>>| other.id != thread && other.is_unfinished();
        let others = state.threads.iter().filter(is_other);
        others
            .map(|other| ThreadStack { thread: other.name.clone(), stack: self.stack(state, other.id) })
            .collect()
    }

    /// Misuse of the library by the model now running: a fault, unless it is tolerated.
    pub(crate) fn meet_misuse(&mut self, fault: Fault) -> Result<(), Stop> {
        if !self.machine.options.tolerates_misuse {
            return Err(fault.into());
        }
        self.present.misuse_met.push(fault);
        Ok(())
    }

    /// Notes the misuse that the model on top of the stack of `thread` has met in this phase, each
    /// kind and place once.
    #[cold]
    pub(crate) fn note_misuse(&mut self, state: &State<E>, thread: ThreadId) {
        for fault in std::mem::take(&mut self.present.misuse_met) {
            let failure = self.render_fault(state, thread, fault);
            if !self.notes.misuse.iter().any(|known| known.same_fault(&failure)) {
                self.notes.misuse.push(failure);
            }
        }
    }

    /// A failure from a fault of `thread`.
    pub(crate) fn render_fault(&self, state: &State<E>, thread: ThreadId, mut fault: Fault) -> Failure {
        let program = &self.machine.program;
        let mut position = self.position(state, thread);
        if let Some((began, here)) = fault.began.take()
            && began != SpanId::UNKNOWN
            && began != position
        {
            fault.notes.insert(0, (here, position, Some(thread)));
            position = began;
        }
        let notes = fault
            .notes
            .into_iter()
            .map(|(message, span, of)| Note {
                message,
                location: location(program, span),
                thread: of
                    .filter(|of| of.index() < state.threads.len())
                    .map(|of| state.thread(of).name.clone()),
                stack: Vec::new(),
            })
            .collect();
        Failure {
            kind: fault.kind,
            detail: fault.detail,
            message: fault.message,
            location: location(program, position),
            thread: state.thread(thread).name.clone(),
            stack: self.stack(state, thread),
            notes,
            others: self.other_stacks(state, thread),
            wait: fault.wait,
        }
    }
}
