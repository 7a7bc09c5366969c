//! Copying a process.

use crate::environment::{Bound, Call, Environment};
use crate::memory::AddressSpace;
use crate::state::processes::{Away, Lent, Processes};
use crate::stop::Stop;
use crate::threads::thread::{Activation, ModelFrame, Thread};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_trace::ThreadId;

impl<E: Environment> Call<'_, '_, E> {
    /// Why a program may not fork in this exploration, by name.
    pub fn refuses_fork(&self) -> Option<&'static str> {
        let (executor, options) = (&self.executor, &self.executor.machine.options);
        let cases = [
            (executor.machine.model.keeps_history(), "fork under the memory model `weak`"),
            (options.races || executor.notes.quiet.is_some(), "fork while data races are looked for"),
            (options.guide.is_some() || options.reference.is_some(), "fork along a recorded run"),
            (executor.notes.recorder.is_some(), "fork while a run is recorded"),
            (options.remedies.is_some(), "fork under a fix"),
            (executor.notes.tracer.is_some(), "fork"),
            (executor.notes.log.is_some(), "fork in a sketch"),
        ];
        cases.into_iter().find(|(applies, _)| *applies).map(|(_, what)| what)
    }

    /// Copies the process, with the calling thread alone in it. The copy has `own` as its part of the
    /// bookkeeping; its thread continues in this model with the scratch that `child` is. Memory of the two is
    /// shared until one of them changes it. The number of the new process, which is that of its thread.
    pub fn fork(&mut self, own: impl FnOnce(ThreadId) -> E::Own, child: &[u64]) -> Result<ThreadId, Stop> {
        if let Some(what) = self.refuses_fork() {
            return Err(self.unsupported(what));
        }
        self.reach_beyond();
        let parent = self.thread;
        let others_go_on = self.state.others_go_on(parent);
        let id = self.executor.next_child(self.state, parent).id;
        let own = own(id);
        let name = {
            let parent = self.state.thread_mut(parent);
            parent.children += 1;
            parent.name.child(parent.children)
        };
        let original = self.state.thread(parent);
        let mut thread: Thread<E> = Thread::new(id, name);
        thread.creation = Some((parent, original.children));
        thread.thread_locals = original.thread_locals.clone();
        thread.given_stacks = original.given_stacks.clone();
        thread.control_block = original.control_block;
        thread.stack = original.stack.clone();
        let mut frame = self.frame.clone();
        frame.scratch = SmallVec::from_slice(child);
        frame.invoked = None;
        frame.phase = 1;
        thread.stack.push(Activation::Model(Arc::new(frame)));
        let mut memory = self.state.memory.clone();
        memory.part(id);
        let process = self.state.process_of(parent);
        let processes = self.state.processes.get_or_insert_with(|| Arc::new(Processes::default()));
        let processes = Arc::make_mut(processes);
        processes.is_blended |= others_go_on;
        processes.add(id, id);
        processes.away.insert(id, Arc::new(Away { memory, touched: Default::default(), own }));
        debug_assert_eq!(processes.current, process, "the process of a thread that steps is current");
        self.executor.give_number(self.state, thread);
        self.state.unjoined += 1;
        self.executor.caches.windows.close();
        Ok(id)
    }

    /// The process of the calling thread, by the number of its first thread.
    pub fn process(&self) -> ThreadId {
        self.state.process_of(self.thread)
    }

    /// The process of `thread`.
    pub fn process_of(&self, thread: ThreadId) -> ThreadId {
        self.state.process_of(thread)
    }

    /// Whether there is more than one process, or was.
    pub fn has_forked(&self) -> bool {
        self.state.has_forked()
    }

    /// Does something with the bookkeeping of `process`, to which the memory that models see does not belong
    /// meanwhile.
    pub fn in_process<R>(&mut self, process: ThreadId, act: impl FnOnce(&mut E::Data) -> R) -> R {
        self.reach_beyond();
        let environment = &self.executor.machine.environment;
        let data = Arc::make_mut(&mut self.state.data);
        let processes = self.state.processes.as_mut().map(Arc::make_mut);
        let away = processes.and_then(|processes| processes.away.get_mut(&process)).map(Arc::make_mut);
        let Some(away) = away else { return act(data) };
        environment.exchange(data, &mut away.own);
        let result = act(data);
        environment.exchange(data, &mut away.own);
        result
    }

    /// Replaces the process's memory by that of a program that begins, and its only thread's activations by
    /// the model that runs it.
    pub fn execute_program(&mut self, model: Bound<E>) {
        self.reach_beyond();
        let mut memory = AddressSpace::new(self.program());
        memory.succeed(&self.state.memory);
        self.state.memory = memory;
        self.state.touched = Default::default();
        self.executor.caches.windows.close();
        let thread = self.state.thread_mut(self.thread);
        thread.stack.clear();
        thread.thread_locals = Default::default();
        thread.given_stacks = Vec::new();
        thread.control_block = 0;
        let frame = ModelFrame::new(model, SmallVec::new(), SpanId::UNKNOWN);
        thread.stack.push(Activation::Model(Arc::new(frame)));
    }

    /// Has memory that another process shares at this address.
    pub fn attach_shared(&mut self, base: u64) -> bool {
        self.reach_beyond();
        let Some(cell) = Cell::of(base) else { return false };
        if self.state.memory.get(cell).is_some() {
            return true;
        }
        let lent = self.state.processes.as_ref().and_then(|processes| processes.shared.get(&base)).cloned();
        let Some(lent) = lent else { return false };
        self.state.memory.borrow(cell, lent.object);
        if let Some(touched) = lent.touched {
            self.state.touched.insert(cell.0, touched);
        }
        true
    }

    /// Gives memory back that others share at this address.
    pub fn detach_shared(&mut self, base: u64) {
        self.reach_beyond();
        let Some(cell) = Cell::of(base) else { return };
        let object = self.state.memory.lent(cell);
        let touched = self.state.touched.get(&cell.0).copied();
        if let (Some(object), Some(processes)) = (object, self.state.processes.as_mut()) {
            let lent = Lent { object, touched };
            Arc::make_mut(processes).shared.insert(base, lent);
        }
        self.state.memory.forget(cell);
        self.executor.caches.windows.close();
    }
}
