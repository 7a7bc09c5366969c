//! Keeps a [`RunLog`] during an execution: every instruction of the program's own code is seen. An access of
//! a library counts as one of the call that led there, also where the library is compiled into the program.
//!
//! Executions of known steps would go unseen; the machine must [watch
//! edges](crate::machine::Options::watches_edges). Under a model with store buffers a store is logged when it
//! is issued.

use crate::memory::{Life, SiteKind};
use crate::paths::limits::{MOST_ACCESSES, MOST_STEPS};
use crate::state::State;
use crate::stop::Stop;
use crate::threads::kept::Kept;
use crate::threads::running::Running;
use crate::threads::thread::{Activation, Thread};
use symx_ir::function::CallTarget;
use symx_ir::instruction::Extended;
use symx_ir::program::LinkedFunction;
use symx_ir::{FunctionId, Inst, Operand, Program, Slot};
use symx_trace::{
    AccessMode, Call, CallEffect, CodePlace, Event, EventKind, LoggedAccess, LoggedResult, LoggedStep, Mode,
    Place, RunLog, ThreadId,
};

/// The log of the execution under way.
#[derive(Default)]
pub struct RunLogger {
    pub(crate) log: RunLog,
    threads: Vec<LoggedThread>,
    /// The instruction executed last, which is taken back if it stops its thread.
    last: Option<Last>,
    time: u64,
}

/// The position of a thread, as far as the log needs it.
#[derive(Clone, Default)]
pub(crate) struct LoggedThread {
    /// The innermost instruction of the program's own code that it came to last.
    pub(crate) place: Option<CodePlace>,
    /// A load whose value is in this register of the function before the next instruction.
    open: Option<(u64, FunctionId, Slot)>,
    /// A call whose result is in this register of the function before its next instruction.
    result: Option<(u64, FunctionId, Slot)>,
}

#[derive(Clone, Copy)]
struct Last {
    thread: ThreadId,
    at: (FunctionId, u32),
    is_own: bool,
    accesses: usize,
}

/// An access of an instruction to memory.
struct Touch {
    mode: AccessMode,
    address: Operand,
    length: Length,
    stored: Option<Operand>,
    loaded: Option<Slot>,
}

/// How many bytes an access has.
#[derive(Clone, Copy)]
enum Length {
    Bytes(u64),
    /// As many as the operand says.
    Computed(Operand),
}

impl RunLogger {
    pub(crate) fn logged_thread(&mut self, thread: ThreadId) -> &mut LoggedThread {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, LoggedThread::default());
        }
        &mut self.threads[thread.index()]
    }

    /// The running thread is about to execute the instruction at which its frame stands.
    pub(crate) fn arrive<E: Kept>(&mut self, program: &Program, state: &State<E>, running: &Running<'_>) {
        let (thread, function, pc) = (running.thread, running.function, running.frame.pc);
        let id = running.frame.function;
        self.time += 1;
        let (time, open) = (self.time, self.logged_thread(thread).open.take());
        if let Some((access, _, dst)) = open.filter(|(_, of, _)| *of == id)
            && let Some(entry) = self.log.accesses.iter_mut().rev().find(|entry| entry.time == access)
        {
            entry.value = running.word(Operand::slot(dst));
        }
        self.last = Some(Last { thread, at: (id, pc), is_own: function.is_own(), accesses: 0 });
        if function.is_own() {
            let place = CodePlace { function: id.0, pc };
            self.logged_thread(thread).place = Some(place);
            let visits = self.log.visits.entry((thread.0, place)).or_default();
            visits.count += 1;
            visits.last = time;
            self.step(LoggedStep { time, thread: thread.0, place });
            self.close_result(running);
            self.open_result(program, running, LoggedStep { time, thread: thread.0, place });
        }
        let inst = &function.code[pc as usize];
        let touches = touches(function, inst);
        if !function.is_own()
            && (!touches.is_empty() || matches!(inst, Inst::Call { .. }))
            && let Some(caller) = own_place(program, state.thread(thread))
        {
            self.logged_thread(thread).place = Some(caller);
        }
        let Some(place) = self.logged_thread(thread).place else { return };
        for touch in touches {
            let length = match touch.length {
                Length::Bytes(length) => Some(length),
                Length::Computed(length) => running.word(length).filter(|length| *length > 0),
            };
            let Some((start, length)) = running.word(touch.address).zip(length) else { continue };
            if !function.is_own() && is_of_library(program, state, start) {
                continue;
            }
            let value = touch.stored.and_then(|stored| running.word(stored)).map(|bits| {
                let unused = 64 - 8 * length.clamp(1, 8) as u32;
                bits << unused >> unused
            });
            self.push(LoggedAccess {
                time,
                thread: thread.0,
                place,
                mode: touch.mode,
                start,
                end: start.saturating_add(length),
                value: value.filter(|_| touch.mode == AccessMode::Write),
                call: None,
                waits: false,
            });
            if let Some(last) = &mut self.last {
                last.accesses += 1;
            }
            self.logged_thread(thread).open = touch.loaded.map(|dst| (time, id, dst));
        }
    }

    fn step(&mut self, step: LoggedStep) {
        if self.log.steps.len() >= MOST_STEPS {
            self.log.steps.drain(..MOST_STEPS / 2);
        }
        self.log.steps.push(step);
    }

    /// The thread is back in the function whose call has a result that is not known yet.
    fn close_result(&mut self, running: &Running<'_>) {
        let id = running.frame.function;
        let Some((time, _, dst)) = self.logged_thread(running.thread).result.take_if(|(_, of, _)| *of == id)
        else {
            return;
        };
        if let Some(result) = self.log.results.iter_mut().rev().find(|result| result.step.time == time) {
            result.value = running.word(Operand::slot(dst));
        }
    }

    /// The thread is about to call a function that is not the program's own.
    fn open_result(&mut self, program: &Program, running: &Running<'_>, step: LoggedStep) {
        let Inst::Call { site } = running.function.code[running.frame.pc as usize] else { return };
        let site = &running.function.calls[site as usize];
        let is_own = match site.target {
            CallTarget::Function(callee) => program.function(callee).is_own(),
            _ => false,
        };
        if is_own || site.return_slots != 1 {
            return;
        }
        if self.log.results.len() >= MOST_ACCESSES {
            self.log.results.drain(..MOST_ACCESSES / 2);
        }
        self.log.results.push(LoggedResult { step, value: None });
        self.logged_thread(running.thread).result = Some((step.time, running.frame.function, site.dst));
    }

    /// A modelled function touches memory that other threads do not: that is no step of its own.
    pub(crate) fn touch<E: Kept>(
        &mut self,
        program: &Program,
        state: &State<E>,
        thread: ThreadId,
        name: &'static str,
        (mode, start, length): (AccessMode, u64, u64),
    ) {
        let Some(place) = self.logged_thread(thread).place else { return };
        if is_of_library(program, state, start) {
            return;
        }
        let call = Some(Call::new(name, CallEffect::Other));
        self.time += 1;
        let (time, thread, end) = (self.time, thread.0, start.saturating_add(length));
        self.push(LoggedAccess { time, thread, place, mode, start, end, value: None, call, waits: false });
    }

    fn push(&mut self, access: LoggedAccess) {
        if self.log.accesses.len() >= MOST_ACCESSES {
            self.log.accesses.drain(..MOST_ACCESSES / 2);
            self.log.is_cut = true;
        }
        self.log.accesses.push(access);
    }

    /// A thread has stopped; unless that is a fault, it will come to the same instruction again.
    pub(crate) fn stop(&mut self, thread: ThreadId, at: (FunctionId, u32), why: &Stop) {
        let Some(last) = self.last.take_if(|last| (last.thread, last.at) == (thread, at)) else { return };
        if matches!(why, Stop::Fault(_)) {
            return;
        }
        let left = self.log.accesses.len() - last.accesses.min(self.log.accesses.len());
        self.log.accesses.truncate(left);
        self.logged_thread(thread).open = None;
        let place = CodePlace { function: at.0.0, pc: at.1 };
        if last.is_own
            && let Some(visits) = self.log.visits.get_mut(&(thread.0, place))
        {
            let is_taken_back = |step: &LoggedStep| step.thread == thread.0 && step.place == place;
            self.log.steps.pop_if(|step| is_taken_back(step));
            self.log.results.pop_if(|result| is_taken_back(&result.step));
            visits.count -= 1;
            if visits.count == 0 {
                self.log.visits.remove(&(thread.0, place));
            }
        }
    }

    /// A control-flow edge of a function is taken. A jump decides nothing.
    pub(crate) fn take(&mut self, function: &LinkedFunction, at: (FunctionId, u32), edge: u32) {
        let decides = || function.blocks[function.block_of_edge(edge) as usize].edge_count > 1;
        if function.is_own() && decides() {
            self.log.edges.insert((CodePlace { function: at.0.0, pc: at.1 }, edge));
        }
    }

    /// A modelled function has failed before it came to a step: it was handed memory whose life has ended.
    pub(crate) fn handed_over<E: Kept>(&mut self, state: &State<E>, thread: &Thread<E>) {
        let Some(Activation::Model(frame)) = thread.stack.last() else { return };
        let Some(place) = self.logged_thread(thread.id).place else { return };
        self.time += 1;
        for argument in frame.arguments.iter().filter_map(|argument| argument.concrete()) {
            if state.memory.near(argument).is_none_or(|object| object.life == Life::Live) {
                continue;
            }
            self.push(LoggedAccess {
                time: self.time,
                thread: thread.id.0,
                place,
                mode: AccessMode::Read,
                start: argument,
                end: argument.saturating_add(1),
                value: None,
                call: Some(Call::new(frame.function.name, CallEffect::Other)),
                waits: false,
            });
        }
    }

    /// A thread makes a call of a modelled function, or waits forever to do so.
    pub(crate) fn event(&mut self, thread: ThreadId, event: &Event, waits: bool) {
        self.time += 1;
        let (time, place) = (self.time, self.logged_thread(thread).place);
        let Some(place) = place else { return };
        let call = match &event.kind {
            EventKind::Call(call) => Some(call.clone()),
            _ => None,
        };
        if let Some(visits) = self.log.visits.get_mut(&(thread.0, place)) {
            visits.last = time;
        }
        let last = self.log.steps.iter_mut().rev().find(|step| step.thread == thread.0);
        if let Some(step) = last.filter(|step| step.place == place) {
            step.time = time;
        }
        for (mode, start, end) in touched_by(event) {
            let call = call.clone();
            let thread = thread.0;
            self.push(LoggedAccess { time, thread, place, mode, start, end, value: None, call, waits });
        }
    }
}

/// Where a thread stands in the program's own code: in its innermost frame that is not of a library.
pub(crate) fn own_place<E: Kept>(program: &Program, thread: &Thread<E>) -> Option<CodePlace> {
    thread.stack.iter().rev().find_map(|activation| match activation {
        Activation::Program(frame) => {
            let place = CodePlace { function: frame.function.0, pc: frame.pc };
            program.function(frame.function).is_own().then_some(place)
        }
        Activation::Model(_) => None,
    })
}

/// Whether memory belongs to a library: its variables, and those of its functions.
fn is_of_library<E: Kept>(program: &Program, state: &State<E>, address: u64) -> bool {
    let Some(object) = state.memory.near(address) else { return false };
    match object.site.kind() {
        SiteKind::Stack(function, _) => {
            program.functions.get(function as usize).is_none_or(|function| !function.is_own())
        }
        SiteKind::Global(number) | SiteKind::ThreadLocal(number) => {
            program.globals.get(number as usize).is_none_or(|global| global.library)
        }
        _ => false,
    }
}

/// The accesses of an instruction to memory.
fn touches(function: &LinkedFunction, inst: &Inst) -> Vec<Touch> {
    let touch = |mode, address, bits: u64, stored, loaded| {
        vec![Touch { mode, address, length: Length::Bytes(bits.div_ceil(8)), stored, loaded }]
    };
    let part = |mode, address, size| Touch {
        mode,
        address,
        length: Length::Computed(size),
        stored: None,
        loaded: None,
    };
    match *inst {
        Inst::Load { bits, dst, address, .. } => {
            touch(AccessMode::Read, address, bits.into(), None, Some(dst))
        }
        Inst::Store { bits, address, value, .. } => {
            touch(AccessMode::Write, address, bits.into(), Some(value), None)
        }
        Inst::Extended { index } => match function.extended[index as usize] {
            Extended::AtomicLoad { bits, dst, address, .. } => {
                touch(AccessMode::Read, address, bits.into(), None, Some(dst))
            }
            Extended::AtomicStore { bits, address, value, .. } => {
                touch(AccessMode::Write, address, bits.into(), Some(value), None)
            }
            Extended::AtomicRmw { bits, dst, address, .. }
            | Extended::CompareExchange { bits, dst, address, .. } => {
                touch(AccessMode::Update, address, bits.into(), None, Some(dst))
            }
            Extended::LoadPieces { size, address, .. } => {
                touch(AccessMode::Read, address, u64::from(size) * 8, None, None)
            }
            Extended::StorePieces { size, address, .. } => {
                touch(AccessMode::Write, address, u64::from(size) * 8, None, None)
            }
            Extended::MemorySet { to, size, .. } => vec![part(AccessMode::Write, to, size)],
            Extended::MemoryCopy { to, from, size, .. } => {
                vec![part(AccessMode::Read, from, size), part(AccessMode::Write, to, size)]
            }
            Extended::MaskedLoad { bits, lanes, address, .. } => {
                touch(AccessMode::Read, address, u64::from(bits) * u64::from(lanes), None, None)
            }
            Extended::MaskedStore { bits, lanes, address, .. } => {
                touch(AccessMode::Write, address, u64::from(bits) * u64::from(lanes), None, None)
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The memory that a call touches, with the end of its life as a write.
fn touched_by(event: &Event) -> Vec<(AccessMode, u64, u64)> {
    let effect = match &event.kind {
        EventKind::Free => CallEffect::Free,
        EventKind::Call(call) => call.effect,
        _ => return Vec::new(),
    };
    if effect == CallEffect::CreateThread {
        // It touches no memory; that a thread began is noted nevertheless.
        return vec![(AccessMode::Write, 0, 0)];
    }
    let touched = event.footprint.iter().filter_map(|access| match access.place {
        Place::Memory { start, end } => {
            let mode = if access.mode == Mode::Read { AccessMode::Read } else { AccessMode::Write };
            Some((mode, start, end))
        }
        Place::Object(address) => Some((object_mode(effect, access.mode)?, address, address + 1)),
        // A reader that leaves; others touch the lock itself, too.
        Place::Readers(address) if access.mode == Mode::Release => {
            Some((object_mode(effect, access.mode)?, address, address + 1))
        }
        _ => None,
    });
    touched.collect()
}

/// How a call with this effect touches a synchronisation object; `None` where the effect does not say.
fn object_mode(effect: CallEffect, mode: Mode) -> Option<AccessMode> {
    match (effect, mode) {
        // The mutex is released and acquired again: the condition variable is what the call is about.
        (CallEffect::ConditionWait, Mode::Write) => Some(AccessMode::Read),
        (CallEffect::ConditionWait, _) => None,
        (CallEffect::Signal | CallEffect::Broadcast, Mode::Write) => Some(AccessMode::Write),
        (CallEffect::Lock | CallEffect::BarrierWait | CallEffect::Once | CallEffect::SemaphoreWait, _) => {
            Some(AccessMode::Update)
        }
        (CallEffect::SemaphorePost, _) | (CallEffect::Destroy, Mode::Write) => Some(AccessMode::Write),
        (CallEffect::Other, Mode::Write) => Some(AccessMode::Write),
        (CallEffect::Other, Mode::Read) => Some(AccessMode::Read),
        _ => None,
    }
}
