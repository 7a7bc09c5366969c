//! Calls and returns.

mod forgiving;
mod havoc;
pub(super) mod plain;
mod processes;
mod signature;
mod variadic;

use crate::access::indeterminate::Use;
use crate::access::visibility::toucher;
use crate::environment::{Bound, Environment};
use crate::learned::Beginning;
use crate::machine::Executor;
use crate::memory::cause::PoisonReason;
use crate::memory::{Contents, Life, Object, Origin, Site, SiteKind};
use crate::state::State;
use crate::step::GoOn;
use crate::step::agents::THREAD_ENTRY;
use crate::stop::{Fault, Stop, unknown_external};
use crate::threads::frame::Frame;
use crate::threads::modelled::ModelledFunction;
use crate::threads::running::{Running, value_in};
use crate::threads::thread::{Action, Activation, ModelFrame, Thread};
use crate::value::Value;
use crate::words::plain_call::differs_in_registers;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::address::Cell;
use symx_ir::function::Passing;
use symx_ir::{CallSite, CallTarget, Code, ExternalId, FunctionId, Operand, Program, SpanId};
use symx_trace::{Access, FailureDetail, FailureKind, Footprint, ThreadId};

/// Site number of variable arguments, beyond any alloca's.
const ARGUMENT_SITE: u16 = u16::MAX;

/// The copies that the caller on top of a thread's stack has made for a call: they are the callee's from now
/// on. Those on a stack that the program gave are gone with the caller.
fn hand_over_copies<E: Environment>(
    state: &mut State<E>,
    thread: ThreadId,
    site: &CallSite,
    values: &[Value],
) -> SmallVec<[Cell; 2]> {
    let copied = site.slots().filter(|(argument, _)| argument.passing != Passing::Value);
    let mut copies: SmallVec<[Cell; 2]> =
        copied.filter_map(|(_, slots)| Cell::of(values[slots.start].concrete()?)).collect();
    if !copies.is_empty()
        && let Some(Activation::Program(caller)) = state.thread_mut(thread).stack.last_mut()
    {
        let caller = Arc::make_mut(caller);
        copies.retain(|copy| caller.allocas.contains(copy));
        caller.allocas.retain(|cell| !copies.contains(cell));
    }
    copies
}

/// The name by which a call calls a function that is not the program's own.
fn library_function(program: &Program, call: (FunctionId, u32), target: Code) -> Option<&str> {
    if let Some(name) = program.aliased_calls.get(&call) {
        let is_own = matches!(target, Code::Function(id) if program.function(id).in_program);
        return (!is_own).then_some(name);
    }
    match target {
        Code::Function(id) => {
            let function = program.function(id);
            (!function.in_program).then_some(function.name.as_str())
        }
        Code::External(id) => Some(&program.externals[id.0 as usize].name),
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Executes the call that the frame on top of `thread`'s stack stands at: makes an activation.
    pub(crate) fn enter_call(&mut self, state: &mut State<E>, thread: ThreadId) -> GoOn<E> {
        let machine = self.machine;
        self.present.effects += 1;
        self.present.calls += 1;
        let Some(Activation::Program(frame)) = state.thread(thread).stack.last() else {
            unreachable!("a program frame calls")
        };
        let function = machine.program.function(frame.function);
        let span = function.spans[frame.pc as usize];
        let symx_ir::Inst::Call { site } = function.code[frame.pc as usize] else {
            unreachable!("the instruction is a call")
        };
        let index = site;
        let site = &function.calls[index as usize];
        let caller = frame.function;
        let read = |operand: Operand| value_in(frame, function, operand);
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        for argument in &site.arguments {
            for index in 0..argument.slots {
                values.push(read(argument.operand.offset(index)));
            }
        }
        let target = match &site.target {
            CallTarget::Function(id) => {
                // Terms have widths: a mismatch that numbers would bear must not go further.
                let is_symbolic = values.iter().any(|value| matches!(value, Value::Symbolic(_)));
                if is_symbolic || differs_in_registers(machine.program.function(*id), site) {
                    self.fit_arguments(*id, site, &mut values)?;
                }
                Code::Function(*id)
            }
            CallTarget::External(id) => Code::External(*id),
            CallTarget::Pointer(operand) => {
                let pointer = read(*operand);
                let pointer = self.number_for(state, pointer, Use::Callee)?;
                let code = self.code(state, pointer)?;
                if let Code::Function(id) = code {
                    self.fit_arguments(id, site, &mut values)?;
                }
                code
            }
            CallTarget::Assembly(assembly) => {
                return Err(Stop::unsupported(format!(
                    "inline assembly `{}` with constraints `{}`",
                    assembly.text.escape_debug(),
                    assembly.constraints
                )));
            }
            CallTarget::Symbol(_) => unreachable!("linked programs have bound call targets"),
        };
        if let Code::External(id) = target
            && machine.options.havoc_externals
            && machine.externals[id.0 as usize].is_none()
        {
            return self.havoc(state, thread, id).map(|()| None);
        }
        let origin = Origin { thread, span };
        if function.in_program
            && (machine.options.watches_calls() || machine.environment.answers_as_recorded())
            && let Some(library) = library_function(&machine.program, (caller, index), target)
        {
            self.path_calls(state, thread, (function, site), library, &values);
            if let Some(model) = machine.environment.recorded_answer(state, thread, library) {
                let frame = ModelFrame::new(model, values.as_slice().into(), span);
                return Ok(Some(Activation::Model(Arc::new(frame))));
            }
        }
        match target {
            Code::Function(id) => self.enter_function(state, id, site, &values, origin),
            Code::External(id) => self.enter_model(id, &values, span),
        }
    }

    /// The code to which the pointer `pointer` leads; a fault if none.
    fn code(&self, state: &State<E>, pointer: u64) -> Result<Code, Stop> {
        self.machine.program.code_at(pointer).ok_or_else(|| {
            let (detail, message) = if pointer < 4096 {
                (FailureDetail::NullDeref, format!("null pointer dereference: call of address {pointer:#x}"))
            } else {
                let what = match state.memory.near(pointer) {
                    Some(object) => self.describe_object(object),
                    None => "nothing".into(),
                };
                (
                    FailureDetail::WildPointer,
                    format!("wild pointer: call of address {pointer:#x}, where {what} is"),
                )
            };
            Fault::new(FailureKind::Memory, detail, message).into()
        })
    }

    pub(in crate::step) fn argument_object(
        &mut self,
        state: &mut State<E>,
        caller: FunctionId,
        size: u64,
        align_log2: u8,
        origin: Origin,
    ) -> Result<u64, Stop> {
        self.ask_for_object(size)?;
        let site = Site::new(SiteKind::Stack(caller.0, ARGUMENT_SITE));
        (state.memory.allocate(size, align_log2, site, origin, Contents::Zeros))
            .map_err(|_| Stop::unsupported("the address space is full"))
    }

    fn enter_function(
        &mut self,
        state: &mut State<E>,
        id: FunctionId,
        site: &CallSite,
        values: &[Value],
        origin: Origin,
    ) -> GoOn<E> {
        let function = self.machine.program.function(id);
        let mut frame = Frame::new(id, function.slots);
        let expected: usize = function.params.iter().map(|param| param.slots as usize).sum();
        // Calls through a wrong type: C code relies on extra arguments being dropped, missing ones are
        // garbage.
        if values.len() < expected {
            return Err(Fault::new(
                FailureKind::Memory,
                FailureDetail::MismatchedCall,
                format!("`{}` is called with too few arguments", function.source_name),
            )
            .into());
        }
        for (slot, value) in values.iter().take(expected).enumerate() {
            frame.set(slot as u32, *value);
        }
        if function.variadic {
            let variadic = self.variable_arguments(state, site, function.params.len(), values, origin)?;
            frame.rare_mut().variadic = variadic;
            frame.allocas.push(Cell::of(variadic).expect("objects lie in cells"));
        }
        self.path_enters(state, origin.thread, function)?;
        // From here on nothing stops the call: until then the copies are the caller's.
        frame.allocas.extend(hand_over_copies(state, origin.thread, site, values));
        Ok(Some(Activation::Program(Arc::new(frame))))
    }

    fn enter_model(&mut self, id: ExternalId, arguments: &[Value], span: SpanId) -> GoOn<E> {
        let Some(model) = self.machine.externals[id.0 as usize] else {
            let name = &self.machine.program.externals[id.0 as usize].name;
            return Err(Stop::unsupported(unknown_external(name)));
        };
        let frame = ModelFrame::new(model, arguments.into(), span);
        Ok(Some(Activation::Model(Arc::new(frame))))
    }

    /// Calls the function at `address` for a model.
    pub(crate) fn call_address(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        address: u64,
        arguments: &[Value],
        span: SpanId,
    ) -> GoOn<E> {
        match self.code(state, address)? {
            Code::Function(id) => self.call_plain(state, thread, id, arguments),
            Code::External(id) => self.enter_model(id, arguments, span),
        }
    }

    fn call_plain(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        id: FunctionId,
        arguments: &[Value],
    ) -> GoOn<E> {
        let function = self.machine.program.function(id);
        let mut frame = Frame::new(id, function.slots);
        let expected: usize = function.params.iter().map(|param| param.slots as usize).sum();
        for (slot, value) in arguments.iter().take(expected).enumerate() {
            frame.set(slot as u32, *value);
        }
        self.path_enters(state, thread, function)?;
        Ok(Some(Activation::Program(Arc::new(frame))))
    }

    /// Continues with the library's own definition of the modelled function `name`.
    pub(crate) fn call_fallback(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &'static ModelledFunction,
        arguments: &[Value],
    ) -> GoOn<E> {
        let externals = &self.machine.program.externals;
        let bound = |(external, model): (&symx_ir::External, &Option<Bound<E>>)| match model {
            Some((bound, _)) if std::ptr::eq(*bound, function) => external.fallback,
            _ => None,
        };
        let fallback = externals.iter().zip(&self.machine.externals).find_map(bound);
        let Some(id) = fallback else {
            return Err(Stop::unsupported(format!(
                "`{}` in this case, for want of a library definition",
                function.name
            )));
        };
        let arguments: SmallVec<[Value; 3]> = arguments.into();
        self.call_plain(state, thread, id, &arguments)
    }

    /// Hands a result to what is on top of the stack: the call instruction or model that waits for it.
    pub(crate) fn deliver(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        values: &[Value],
    ) -> Result<(), Stop> {
        let machine = self.machine;
        self.path_gets_result(state, thread, values);
        let Some(top) = state.thread_mut(thread).stack.last_mut() else { return Ok(()) };
        match top {
            Activation::Model(frame) => {
                Arc::make_mut(frame).invoked = Some(values.first().copied().unwrap_or(Value::Concrete(0)));
                Ok(())
            }
            Activation::Program(frame) => {
                let frame = Arc::make_mut(frame);
                let function = machine.program.function(frame.function);
                let symx_ir::Inst::Call { site } = function.code[frame.pc as usize] else {
                    unreachable!("a result is delivered to a call")
                };
                let site = &function.calls[site as usize];
                if values.is_empty() && (1..=64).contains(&site.return_bits) {
                    let (span, bits) = (function.spans[frame.pc as usize], site.return_bits as u8);
                    let value = self.undefined(thread, span, bits, PoisonReason::NoResult);
                    frame.set(site.dst, value);
                } else if site.return_slots == 1 {
                    let value = values.first().copied().unwrap_or(Value::Concrete(0));
                    let value = self.fit(value, site.return_bits);
                    frame.set(site.dst, value);
                } else {
                    for slot in 0..site.return_slots {
                        let value = values.get(slot as usize).copied().unwrap_or(Value::Concrete(0));
                        frame.set(site.dst + slot, value);
                    }
                }
                match site.invoke {
                    None => frame.pc += 1,
                    Some((normal, _)) => {
                        let Some(mut frame) = state.thread_mut(thread).pop_frame() else {
                            unreachable!("just seen")
                        };
                        let mut running = Running { frame: Arc::make_mut(&mut frame), function, thread };
                        let result = self.take_edge(state, &mut running, normal);
                        state.thread_mut(thread).stack.push(Activation::Program(frame));
                        result?;
                    }
                }
                Ok(())
            }
        }
    }

    /// A value in exactly `bits` bits (models compute in 64).
    #[inline]
    pub(crate) fn fit(&self, value: Value, bits: u32) -> Value {
        match value {
            Value::Concrete(word) if bits >= 64 => Value::Concrete(word),
            Value::Concrete(word) => Value::Concrete(word & (u64::MAX >> (64 - bits.max(1)))),
            Value::Symbolic(term) => {
                let terms = &self.machine.terms;
                let width = terms.width(term);
                Value::of(
                    terms,
                    match width.cmp(&bits) {
                        std::cmp::Ordering::Less => terms.zero_extend(term, bits),
                        std::cmp::Ordering::Equal => term,
                        std::cmp::Ordering::Greater => terms.extract(term, 0, bits),
                    },
                )
            }
        }
    }

    /// Returns from `frame` (taken off the stack) with the value at `operand`.
    pub(crate) fn leave(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        frame: Arc<Frame>,
        operand: Operand,
    ) -> Result<(), Stop> {
        self.present.effects += 1;
        self.present.calls += 1;
        let machine = self.machine;
        let function = machine.program.function(frame.function);
        let span = function.spans[frame.pc as usize];
        if let Err(stop) = self.park_before_end(state, thread, span, &frame.allocas) {
            state.thread_mut(thread).stack.push(Activation::Program(frame));
            return Err(stop);
        }
        let values: SmallVec<[Value; 4]> =
            (0..function.return_slots).map(|slot| value_in(&frame, function, operand.offset(slot))).collect();
        self.path_leaves(state, thread, function)?;
        self.release_frame(state, &frame);
        self.deliver(state, thread, &values)
    }

    /// Parks a thread before the lives of stack objects end, if other threads can reach one of them, unless
    /// that was granted.
    pub(crate) fn park_before_end(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        span: SpanId,
        cells: &[Cell],
    ) -> Result<(), Stop> {
        if std::mem::take(&mut self.present.granted) || cells.is_empty() {
            return Ok(());
        }
        let footprint = self.shared_objects(state, thread, cells);
        if footprint.is_empty() { Ok(()) } else { self.park(state, thread, span, Action::Return(footprint)) }
    }

    /// Footprint of the end of those of `cells` that other threads can reach. Where another thread has
    /// touched one of them that does not count as shared, its site is one of those that do.
    pub(crate) fn shared_objects(&self, state: &mut State<E>, thread: ThreadId, cells: &[Cell]) -> Footprint {
        let mut footprint = Footprint::new();
        let Some(sites) = self.visible.as_ref().filter(|_| state.unjoined > 1) else { return footprint };
        for cell in cells {
            let Some(object) = state.memory.get(*cell) else { continue };
            let site = object.site;
            if sites.contains(&site) {
                footprint.extend(Access::end_of_life(object.base, object.size));
            } else if state.touched.get(&cell.0).is_some_and(|owner| *owner != Some(toucher(state, thread))) {
                state.discovered.insert(site);
            }
        }
        footprint
    }

    /// Ends the lives of a frame's stack objects.
    pub(crate) fn release_frame(&mut self, state: &mut State<E>, frame: &Frame) {
        self.present.effects += frame.allocas.len() as u32;
        for cell in &frame.allocas {
            self.release_stack_object(state, *cell);
        }
    }

    /// Drops the activations above the lowest `depth`, which control leaves without returning from them.
    pub(crate) fn leave_above(&mut self, state: &mut State<E>, thread: ThreadId, depth: u32) {
        let dropped: Vec<_> = state.thread_mut(thread).stack.drain(depth as usize..).collect();
        for activation in dropped.iter().rev() {
            self.abandon(state, thread, activation);
        }
        self.path_leaves_above(state, thread, depth as usize);
        if state.thread(thread).handler != 0 {
            self.note_interruptions(state, thread);
        }
        self.take_stacks_back(state, thread, depth);
    }

    /// Drops an activation that control leaves without returning from it.
    pub(crate) fn abandon(&mut self, state: &mut State<E>, thread: ThreadId, activation: &Activation<E>) {
        let Activation::Program(frame) = activation else { return };
        self.path_abandons(state, thread, frame);
        self.release_frame(state, frame);
    }

    /// Ends the life of one stack object. Objects that something may still point to leave a
    /// tombstone; others just go.
    pub(crate) fn release_stack_object(&mut self, state: &mut State<E>, cell: Cell) {
        let Some(object) = state.memory.get(cell) else { return };
        if state.threads.len() > 1 || self.escapes(object) {
            let thread = object.origin.thread;
            let origin = Origin { thread, span: self.position(state, thread) };
            if let Some(object) = state.memory.get_mut(cell) {
                object.end_life(Life::Returned(origin));
            }
        } else {
            state.memory.forget(cell);
        }
    }

    /// Whether a stack object's own function stores or returns its address.
    fn escapes(&self, object: &Object) -> bool {
        match object.site.kind() {
            SiteKind::Stack(function, site) => {
                let function = &self.machine.program.functions[function as usize];
                !function.escaping.is_empty() && function.escaping.contains(&site)
            }
            _ => false,
        }
    }

    /// Continues after the call at `pc` of the topmost frame, which now returns `value` (`longjmp`).
    pub(crate) fn land(&mut self, state: &mut State<E>, thread: ThreadId, pc: u32, value: Value) {
        let machine = self.machine;
        let Some(top) = state.thread_mut(thread).stack.last_mut() else { return };
        if let Activation::Program(frame) = top {
            let frame = Arc::make_mut(frame);
            let function = machine.program.function(frame.function);
            if let symx_ir::Inst::Call { site } = function.code[pc as usize] {
                let site = &function.calls[site as usize];
                if site.return_slots == 1 {
                    let value = self.fit(value, site.return_bits);
                    frame.set(site.dst, value);
                }
            }
            // A handler may have interrupted it between the steps of an instruction.
            frame.leave_instruction();
            frame.pc = pc + 1;
        }
    }

    /// Starts a thread that runs `start(argument)`.
    pub(crate) fn create_thread(
        &mut self,
        state: &mut State<E>,
        parent: ThreadId,
        start: u64,
        argument: Value,
        span: SpanId,
    ) -> Result<ThreadId, Stop> {
        self.code(state, start)?;
        let creator = parent;
        let id = self.next_child(state, parent).id;
        let name = {
            let parent = state.thread_mut(parent);
            parent.children += 1;
            parent.name.child(parent.children)
        };
        let mut thread = Thread::new(id, name);
        thread.creation = Some((creator, state.thread(creator).children));
        thread.guide = self.machine.options.guide.as_ref().map(|guide| Box::new(guide.cursor(&thread.name)));
        let reference = self.machine.options.reference.as_ref();
        thread.reference = reference.map(|reference| Box::new(reference.cursor(&thread.name)));
        if let Some(recorder) = &mut self.notes.recorder {
            recorder.created(creator, state.thread(creator).children);
            recorder.start(id, &thread.name);
        }
        thread.beginning = argument.concrete().map(|argument| Beginning { function: start, argument });
        let mut arguments = SmallVec::new();
        arguments.push(Value::Concrete(start));
        arguments.push(argument);
        thread.stack.push(Activation::Model(Arc::new(ModelFrame::new(
            (&THREAD_ENTRY, self.machine.environment.other_thread()),
            arguments,
            span,
        ))));
        self.give_number(state, thread);
        state.join_process_of(creator, id);
        state.unjoined += 1;
        state.synchronise(|order| order.follow(creator.0, id.0));
        Ok(id)
    }
}
