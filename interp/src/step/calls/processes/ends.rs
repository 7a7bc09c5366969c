//! The end of a process among others.

use crate::environment::{Call, Environment};
use crate::machine::Executor;
use crate::state::{End, Exit, State};
use crate::stop::{Step, Stop};
use crate::threads::modelled::ModelledFunction;
use crate::threads::thread::{Activation, ModelFrame};
use crate::value::Value;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use symx_ir::SpanId;
use symx_trace::{CallEffect, ThreadId};

/// The model that a process ends in where there are others.
static END_OF_PROCESS: ModelledFunction =
    ModelledFunction::internal("end of the process", CallEffect::ThreadEnd);

impl<E: Environment> Executor<'_, E> {
    /// Whether `process` still goes on though all its threads have ended.
    pub(crate) fn is_left_by_its_threads(&self, state: &State<E>, process: ThreadId) -> bool {
        let has_ended = state.processes.as_ref().is_some_and(|processes| processes.has_ended(process));
        let of_process = |thread: ThreadId| state.process_of(thread) == process;
        !has_ended && state.threads.iter().all(|thread| !thread.is_unfinished() || !of_process(thread.id))
    }

    /// Has a thread that ends its process, one of several, do so in a step of its own.
    pub(crate) fn end_process(&mut self, state: &mut State<E>, thread: ThreadId, status: u8) -> Stop {
        let Some(model) = self.machine.environment.end_among_processes() else {
            return Stop::unsupported("the end of one of several processes");
        };
        let span = self.position(state, thread);
        let it = state.thread_mut(thread);
        it.pending = None;
        let arguments = smallvec![Value::Concrete(status.into())];
        let frame = ModelFrame::new((&END_OF_PROCESS, model), arguments, span);
        it.stack.push(Activation::Model(Arc::new(frame)));
        self.advance(state, thread, false)
    }

    /// What follows the end of a thread: that of its process if it was the last one, that of the execution if
    /// all processes have ended.
    pub(crate) fn thread_left_process(&mut self, state: &mut State<E>, thread: ThreadId) -> Step {
        let process = state.process_of(thread);
        if self.is_left_by_its_threads(state, process)
            && let Some(last) = self.machine.environment.end_of_process(self, state)
        {
            let it = state.thread_mut(thread);
            it.exited = false;
            let frame = ModelFrame::new((last.function, last.model), SmallVec::new(), SpanId::UNKNOWN);
            it.stack.push(Activation::Model(Arc::new(frame)));
            let stop = self.advance(state, thread, false);
            return self.settled(state, thread, stop);
        }
        self.end_after_processes(state);
        Step::Done
    }

    /// Ends the execution if all processes have ended.
    fn end_after_processes(&mut self, state: &mut State<E>) {
        let Some(processes) = &state.processes else { return };
        let exit = processes.exit.unwrap_or(Exit { status: 0, by: None });
        if !state.threads.iter().any(|thread| thread.is_unfinished()) {
            let last_calls = processes.last_calls.clone();
            self.enter_process_of(state, ThreadId::MAIN);
            for (thread, calls) in last_calls {
                state.thread_mut(thread).stack = calls;
            }
            state.end = Some(End::Exit(exit));
        }
    }
}

impl<E: Environment> Call<'_, '_, E> {
    /// All other threads of the process end at once. The calling one still has to leave.
    pub fn end_threads_of_process(&mut self, status: u8) {
        self.reach_beyond();
        let (me, process) = (self.thread, self.process());
        if let Some(processes) = self.state.processes.as_mut().map(Arc::make_mut) {
            processes.ended.insert(process);
            if process == ThreadId::MAIN {
                processes.exit = Some(Exit { status, by: Some(me) });
                let threads = self.state.threads.iter().filter(|thread| !thread.exited);
                let of_process = threads.filter(|thread| processes.of(thread.id) == process);
                processes.last_calls = of_process.map(|thread| (thread.id, thread.stack.clone())).collect();
            }
        }
        for thread in self.threads_of(process) {
            if thread != me {
                let thread = self.state.thread_mut(thread);
                thread.exited = true;
                thread.pending = None;
                thread.stack.clear();
            }
        }
    }

    /// The threads of a process that have not ended, services included.
    pub fn threads_of(&self, process: ThreadId) -> Vec<ThreadId> {
        self.reach_beyond();
        let threads = self.state.threads.iter().filter(|thread| !thread.exited);
        threads.map(|thread| thread.id).filter(|thread| self.state.process_of(*thread) == process).collect()
    }

    /// Whether the environment has threads of its own in the process.
    pub fn process_has_services(&self) -> bool {
        let process = self.process();
        let mut services = self.state.threads.iter().filter(|thread| thread.service && !thread.exited);
        services.any(|thread| self.state.process_of(thread.id) == process)
    }

    /// All that the threads of a process did, which has ended, comes before what the calling thread does
    /// next.
    pub fn join_process(&mut self, process: ThreadId) {
        self.reach_beyond();
        let ended: Vec<ThreadId> = self.state.threads.iter().map(|thread| thread.id).collect();
        for thread in ended {
            let it = self.state.thread(thread);
            if self.state.process_of(thread) == process && it.exited && !it.joined && !it.service {
                self.state.thread_mut(thread).joined = true;
                self.state.unjoined -= 1;
            }
        }
    }

    /// Whether all stores of the threads of a process have reached memory.
    pub fn has_drained(state: &State<E>, process: ThreadId) -> bool {
        let mut threads = state.threads.iter().filter(|thread| state.process_of(thread.id) == process);
        threads.all(|thread| thread.buffer.is_empty())
    }
}
