//! A modelled function's view of the program: what it does by its [`Call`]. Its access to memory is in
//! `memory`.

mod memory;
mod results;
mod stacks;
mod unannounced;

use crate::access::Purpose;
use crate::access::indeterminate::Use;
use crate::environment::{Bound, Call, Environment, Outcome};
use crate::memory::byte_string::Stretch;
use crate::memory::pieces::BYTES_A_MARK;
use crate::state::{ReturningCall, State};
use crate::step::inputs::NewInput;
use crate::step::numbers::NextThread;
use crate::stop::{Fault, Incomplete, Stop};
use crate::threads::modelled::Role;
use crate::threads::running::MemoryAccess;
use crate::threads::thread::{Action, Activation, ModelFrame, Operation, Pending, Thread};
use crate::value::{Byte, Value};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_expr::{Term, Terms};
use symx_ir::{Code, Inst, Program, SpanId};
use symx_memmodel::{ByteRange, Drain, Ordering, SyncObject};
use symx_trace::{
    Access, FailureDetail, FailureKind, Footprint, Forgivable, IncompleteReason, InputOrigin, InputType,
    Mode, Place, ThreadId, ThreadName,
};

impl<E: Environment> Call<'_, '_, E> {
    // The function that was called, and its caller.

    /// The calling thread.
    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// Whether the program names a modelled function with this role.
    pub fn calls_any(&self, role: Role) -> bool {
        let externals = &self.executor.machine.externals;
        externals.iter().flatten().any(|(function, _)| function.role == role)
    }

    /// The function's name.
    pub fn name(&self) -> &'static str {
        self.frame.function.name
    }

    /// The source position of the call.
    pub fn span(&self) -> SpanId {
        self.frame.span
    }

    /// How often this call was resumed; 0 on arrival.
    pub fn phase(&self) -> u32 {
        self.frame.phase
    }

    /// The model's memory between phases.
    pub fn scratch(&mut self) -> &mut SmallVec<[u64; 4]> {
        &mut self.frame.scratch
    }

    /// Result of the function that [`Outcome::Invoke`] called, or the value of [`Outcome::Unwind`].
    pub fn invoked(&self) -> Option<Value> {
        self.frame.invoked
    }

    /// Whether the program does something with the result of this call.
    pub fn is_result_used(&self) -> bool {
        let caller = self.state.thread(self.thread).stack.last();
        let Some(Activation::Program(frame)) = caller else { return true };
        let function = self.program().function(frame.function);
        match function.code[frame.pc as usize] {
            Inst::Call { site } => function.calls[site as usize].used,
            _ => true,
        }
    }

    /// Whether it reports which way a thread takes through the program's code, to be followed or recorded.
    pub fn watches_edges(&self) -> bool {
        self.executor.machine.options.watches_edges()
    }

    /// The wait of the operation for which this phase has been scheduled, if it may have waited.
    pub fn awaited(&self) -> Option<&E::Wait> {
        self.executor.present.performed.as_ref()?.action.wait()
    }

    /// The wait of the thread, if this interrupts one.
    pub fn interrupted_wait(&self) -> Option<&E::Wait> {
        self.frame.interrupted.as_ref()?.pending.as_deref()?.action.wait()
    }

    /// The wait that this interrupts may fail from now on: it no longer depends on what it was to acquire.
    pub fn let_interrupted_wait_fail(&mut self) {
        let interrupted = self.frame.interrupted.as_mut();
        let pending = interrupted.and_then(|interrupted| interrupted.pending.as_mut()).map(Arc::make_mut);
        if let Some(Pending { action: Action::Model(operation), .. }) = pending {
            for access in &mut operation.footprint {
                if matches!(access.mode, Mode::Acquire | Mode::Follow) {
                    access.mode = Mode::Write;
                }
            }
        }
    }

    /// The environment.
    pub fn environment(&self) -> &E {
        &self.executor.machine.environment
    }

    /// Whether the process has other threads of the program's that have not ended.
    pub fn others_go_on(&self) -> bool {
        self.state.others_go_on(self.thread)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.executor.machine.program
    }

    /// The pool of terms.
    pub fn terms(&self) -> &Terms {
        &self.executor.machine.terms
    }

    /// The state, for reading.
    pub fn state(&self) -> &State<E> {
        self.reach_beyond();
        self.state
    }

    pub(crate) fn state_mut(&mut self) -> &mut State<E> {
        self.reach_beyond();
        self.state
    }

    /// The environment's bookkeeping, for reading.
    pub fn bookkeeping(&self) -> &E::Data {
        &self.state.data
    }

    /// Notes that the call looks at more than its thread and the bookkeeping, or changes more: what it does
    /// is not known by them.
    pub(crate) fn reach_beyond(&self) {
        self.executor.present.reaches_beyond.set(true);
    }

    /// Whether there is a thread numbered `id`: once there is one, there always is.
    pub fn has_thread(&self, id: ThreadId) -> bool {
        self.state.threads.get(id.index()).is_some_and(|thread| !thread.is_to_come)
    }

    /// The environment's bookkeeping, for changing.
    pub fn data(&mut self) -> &mut E::Data {
        Arc::make_mut(&mut self.state.data)
    }

    /// Argument `index`; zero where the caller passed fewer.
    pub fn value(&self, index: usize) -> Value {
        self.frame.arguments.get(index).copied().unwrap_or(Value::Concrete(0))
    }

    /// Remembers a value between phases in the place of argument `index`, which the call needs no more. That
    /// is not taken back if the phase stops: it must not look there before it has done so again.
    pub fn keep_as_argument(&mut self, index: usize, value: Value) {
        if self.frame.arguments.len() <= index {
            self.frame.arguments.resize(index + 1, Value::Concrete(0));
        }
        self.frame.arguments[index] = value;
    }

    /// Argument `index` as a concrete 64-bit number; a symbolic one forks over its values. A fault where the
    /// caller passed fewer, as C allows without a prototype.
    pub fn argument(&mut self, index: usize) -> Result<u64, Stop> {
        let value = self.passed(index)?;
        self.executor.number_for(self.state, value, Use::Argument(self.frame.function))
    }

    /// [`argument`](Self::argument), a number that is only passed on: unwritten bytes are zeros.
    pub fn argument_passed_on(&mut self, index: usize) -> Result<u64, Stop> {
        let value = self.passed(index)?;
        let value = self.executor.passed_on(value);
        self.executor.number_for(self.state, value, Use::Argument(self.frame.function))
    }

    /// Argument `index`, which the caller must have passed.
    fn passed(&mut self, index: usize) -> Result<Value, Stop> {
        let given = self.frame.arguments.len();
        if index >= given {
            let name = self.frame.function.name;
            let message = format!(
                "`{name}` is called as a function of another type: {given} arguments are passed, argument {} is missing",
                index + 1
            );
            return Err(self.fault(FailureKind::Memory, FailureDetail::MismatchedCall, message));
        }
        let value = self.value(index);
        if matches!(value, Value::Symbolic(_)) {
            self.reach_beyond();
        }
        Ok(value)
    }

    // End of work from outside.

    /// Asks for memory that is about to be taken.
    pub fn ask(&self, bytes: u64) -> Result<(), Stop> {
        self.executor.ask(bytes)
    }

    /// Asks whether work is to continue.
    pub fn proceed(&self) -> Result<(), Stop> {
        self.executor.proceed()
    }

    // Symbolic values.

    /// Makes the `length` bytes at `address` a new symbolic input called `name`. Its type is that of the
    /// variable there, as far as debug information has it.
    pub fn make_symbolic(
        &mut self,
        address: u64,
        length: u64,
        name: &str,
        origin: InputOrigin,
    ) -> Result<(), Stop> {
        self.reach_beyond();
        let (_, object) = self.executor.locate(self.state, address, length, Purpose::Write)?;
        let declared = self.executor.numbers_in(object, address.wrapping_sub(object.base), length);
        let bytes = self.new_input(length, NewInput { declared, ..NewInput::untyped(name, origin) })?;
        self.ask(length * BYTES_A_MARK)?;
        self.write_stretch(address, &Stretch::of(bytes.iter().map(|term| Byte::Symbolic(*term))))
    }

    /// A new symbolic input of a type of at most 8 bytes as a value, which the call returns.
    pub fn symbolic_value(&mut self, of: InputType, name: &str) -> Result<Value, Stop> {
        let returned =
            ReturningCall { thread: self.thread, function: self.frame.function.name, span: self.span() };
        let origin = InputOrigin::Program;
        let new = NewInput { name, origin, declared: Some(of), returned: Some(returned) };
        let bytes = self.new_input(of.size, new)?;
        Ok(Byte::join(self.terms(), bytes.iter().map(|term| Byte::Symbolic(*term))))
    }

    /// A new symbolic input of `length` bytes of no known type.
    pub fn symbolic_bytes(
        &mut self,
        length: u64,
        name: &str,
        origin: InputOrigin,
    ) -> Result<Arc<[Term]>, Stop> {
        self.symbolic_number(length, name, origin, None)
    }

    /// A new symbolic input of `length` bytes, which are numbers of a declared type if that is known.
    pub fn symbolic_number(
        &mut self,
        length: u64,
        name: &str,
        origin: InputOrigin,
        declared: Option<InputType>,
    ) -> Result<Arc<[Term]>, Stop> {
        self.new_input(length, NewInput { declared, ..NewInput::untyped(name, origin) })
    }

    fn new_input(&mut self, length: u64, new: NewInput<'_>) -> Result<Arc<[Term]>, Stop> {
        self.reach_beyond();
        self.executor.new_input(self.state, length, new)
    }

    /// Decides a one-bit condition: forks if both outcomes are possible.
    pub fn decide(&mut self, condition: Value) -> Result<bool, Stop> {
        self.reach_beyond();
        self.executor.decide(self.state, condition)
    }

    /// A value as a concrete 64-bit number; a symbolic one forks over its values.
    pub fn concretize(&mut self, value: Value) -> Result<u64, Stop> {
        self.reach_beyond();
        self.executor.concretize(self.state, value)
    }

    /// Assumes a condition: [`Stop::Infeasible`] where it cannot hold.
    pub fn assume(&mut self, condition: Value) -> Result<(), Stop> {
        self.reach_beyond();
        self.executor.assume(self.state, condition)
    }

    /// Whether the step has done something that other threads could find before the step ends here.
    pub fn has_left_something(&self) -> bool {
        self.reach_beyond();
        self.executor.leaves_something_behind(self.state, self.thread)
    }

    /// The least and the greatest number that a value can be, unsigned.
    pub fn unsigned_range(&mut self, value: Value) -> Result<(u64, u64), Stop> {
        self.reach_beyond();
        self.executor.unsigned_range(self.state, value)
    }

    // Threads.

    /// The thread numbered `id`.
    pub fn other(&self, id: ThreadId) -> Option<&Thread<E>> {
        self.reach_beyond();
        self.state.threads.get(id.index()).map(|thread| &**thread)
    }

    /// Starts a thread that runs `start(argument)`; it stands before its first step.
    pub fn create_thread(&mut self, start: u64, argument: Value) -> Result<ThreadId, Stop> {
        self.reach_beyond();
        self.executor.create_thread(self.state, self.thread, start, argument, self.frame.span)
    }

    /// The number of the next thread that the calling one creates.
    pub fn next_child(&self) -> NextThread {
        self.reach_beyond();
        self.executor.next_child(self.state, self.thread)
    }

    /// The number of the next thread of the environment's own.
    pub fn next_service(&self) -> ThreadId {
        self.reach_beyond();
        let name = self.thread_name(ThreadId::MAIN).child(0);
        self.executor.number_of(self.state, &name).0
    }

    /// Notes that the call looks at the clock, and so may see how long others have slept.
    pub fn looks_at_clock(&mut self) {
        self.executor.learned.reads_time |= self.state.threads.len() > 1;
    }

    /// Notes that the thread is about to end, and whether it `counts` from then on which thread ends last,
    /// should the main one end. Whether it does, as far as the exploration knows.
    pub fn is_about_to_end(&mut self, counts: bool) -> bool {
        let learned = &mut self.executor.learned;
        learned.main_was_to_end |= self.thread == ThreadId::MAIN;
        learned.last_end_counts |= counts;
        learned.last_end_matters
    }

    /// Notes that the thread comes to the object at `address` to meet others there, `width` in all, if that
    /// is known. Returns whether the order of arrival may matter, as far as the exploration knows: more
    /// threads come.
    pub fn gathers_at(&mut self, address: u64, width: Option<u32>) -> bool {
        let learned = &mut self.executor.learned;
        learned.gather(address, [self.thread.0], width);
        learned.crowded.contains(&address)
    }

    /// Notes that the order of arrival at the object at `address` does matter.
    pub fn is_crowded(&mut self, address: u64) {
        self.executor.learned.gather(address, [], Some(0));
    }

    /// Notes that something distinguishes a thread from others that begin alike.
    pub fn distinguish(&mut self, thread: ThreadId) {
        if let Some(beginning) = self.state.thread(thread).beginning {
            self.executor.learned.distinguished.insert(beginning);
        }
    }

    /// Starts a thread of the environment's own, which runs `model`; it stands before its first step. It may
    /// touch no memory of the program.
    pub fn create_service(&mut self, model: Bound<E>, arguments: &[u64]) -> ThreadId {
        self.reach_beyond();
        let id = self.next_service();
        let mut thread = Thread::new(id, self.thread_name(ThreadId::MAIN).child(0));
        thread.service = true;
        let arguments = arguments.iter().copied().map(Value::Concrete).collect();
        let frame = ModelFrame::new(model, arguments, self.frame.span);
        thread.stack.push(Activation::Model(Arc::new(frame)));
        self.executor.give_number(self.state, thread);
        self.state.join_process_of(self.thread, id);
        id
    }

    /// Address of libc's control block of the calling thread; 0 until [set](Self::set_control_block).
    pub fn control_block(&self) -> u64 {
        self.state.thread(self.thread).control_block
    }

    /// Notes the address of libc's control block of the calling thread.
    pub fn set_control_block(&mut self, address: u64) {
        self.reach_beyond();
        self.state.thread_mut(self.thread).control_block = address;
    }

    /// Name of a thread.
    pub fn thread_name(&self, id: ThreadId) -> ThreadName {
        if id != self.thread {
            self.reach_beyond();
        }
        self.state.thread(id).name.clone()
    }

    /// The name of a thread for people.
    pub fn thread_title(&self, id: ThreadId) -> String {
        if id != self.thread {
            self.reach_beyond();
        }
        self.executor.title(self.state, id)
    }

    /// The code to which the pointer `address` leads.
    pub fn code_at(&self, address: u64) -> Option<Code> {
        self.program().code_at(address)
    }

    /// Depth of the calling thread's stack below this call, and the instruction of the
    /// caller: what `setjmp` keeps.
    pub fn return_point(&self) -> Option<(u32, u32)> {
        let stack = &self.state.thread(self.thread).stack;
        match stack.last() {
            Some(Activation::Program(frame)) => Some((stack.len() as u32, frame.pc)),
            _ => None,
        }
    }

    // Happens-before: which calls order what threads do. Called when the operation takes effect.

    /// The events of the calling thread so far happen before those of threads that acquire the object from
    /// now on.
    pub fn release(&mut self, object: SyncObject) {
        let me = self.thread.0;
        self.state.synchronise(|order| order.release(me, object));
    }

    /// The events of the threads that have released the object happen before those of the calling thread from
    /// now on.
    pub fn acquire(&mut self, object: SyncObject) {
        let me = self.thread.0;
        self.state.synchronise(|order| order.acquire(me, object));
    }

    /// As [`release`](Self::release), for an object that counts: an acquisition takes one unit.
    pub fn release_unit(&mut self, object: SyncObject) {
        let me = self.thread.0;
        self.state.synchronise(|order| order.release_unit(me, object));
    }

    /// As [`acquire`](Self::acquire), for an object that counts and has `available` units.
    pub fn acquire_unit(&mut self, object: SyncObject, available: u32) {
        let me = self.thread.0;
        self.state.synchronise(|order| order.acquire_unit(me, object, available as usize));
    }

    /// The events of the thread `ended`, which has ended, happen before those of the calling thread from now
    /// on.
    pub fn follow(&mut self, ended: ThreadId) {
        let me = self.thread.0;
        self.state.synchronise(|order| order.follow(ended.0, me));
    }

    /// What the threads of the calling process did so far happens before what each of them does from now on.
    pub fn order_threads(&mut self) {
        self.reach_beyond();
        let (me, process) = (self.thread.0, self.process());
        let threads = self.state.threads.iter().map(|thread| thread.id);
        let others = threads.filter(|other| other.0 != me && self.state.process_of(*other) == process);
        let others: Vec<u32> = others.map(|other| other.0).collect();
        self.state.synchronise(|order| {
            others.iter().for_each(|other| order.follow(*other, me));
            others.iter().for_each(|other| order.follow(me, *other));
        });
    }

    /// Whether the order of accesses is more than that of steps: stores are buffered, old writes are read, or
    /// races are looked for.
    pub fn remembers_order(&self) -> bool {
        self.state.order.is_some() || self.executor.machine.model.buffers_stores()
    }

    /// Writes as an atomic store that releases: compiled code may read it by an acquiring load.
    pub fn write_releasing(&mut self, address: u64, length: u64, value: Value) -> Result<(), Stop> {
        self.reach_beyond();
        let (cell, _) = self.executor.locate(self.state, address, length, Purpose::Write)?;
        let terms = &self.executor.machine.terms;
        let (range, bytes) = (ByteRange::new(address, length), Byte::split(terms, value, length));
        let (thread, span, ordering) = (self.thread, self.span(), Ordering::Release);
        let access = MemoryAccess { thread, span, range, ordering };
        self.executor.store_in_order(self.state, cell, access, None, || bytes);
        self.executor.write_memory(self.state, address, length, value)?;
        self.trace_written(address, length);
        Ok(())
    }

    /// Notes an atomic access to `length` bytes, with the ordering that C numbers `order`. It reads,
    /// writes, or does both.
    pub fn access_atomic(&mut self, address: u64, length: u64, does: (bool, bool), order: u64) {
        // As `memory_order` has them: relaxed, consume, acquire, release, acq_rel, seq_cst.
        let ordering = match order {
            0 => Ordering::Monotonic,
            1 | 2 => Ordering::Acquire,
            3 => Ordering::Release,
            4 => Ordering::AcquireRelease,
            _ => Ordering::SequentiallyConsistent,
        };
        let range = ByteRange::new(address, length);
        let access = MemoryAccess { thread: self.thread, span: self.span(), range, ordering };
        self.executor.wide_in_order(self.state, access, does);
    }

    // Outcomes.

    /// The choice made for this step, for an operation of several alternatives: [`Stop::Choose`]
    /// until it is made.
    pub fn choose(&mut self, alternatives: u32) -> Result<u32, Stop> {
        self.reach_beyond();
        self.state.choose(alternatives)
    }

    /// Parks before a visible operation that never waits. It orders memory only if something goes through the
    /// system: that comes after what the thread has stored, as it does in happens-before.
    pub fn park(&self, footprint: Footprint) -> Outcome<E> {
        Outcome::Park(self.operation(footprint))
    }

    /// Like [`park`](Self::park), but the thread goes on with the same phase.
    pub fn park_on_arrival(&self, footprint: Footprint) -> Outcome<E> {
        Outcome::ParkBefore(self.operation(footprint))
    }

    /// Like [`park`](Self::park), for an operation that waits for something.
    pub fn park_until(&self, footprint: Footprint, wait: E::Wait) -> Outcome<E> {
        Outcome::Park(Operation { wait: Some(wait), ..self.operation(footprint) })
    }

    fn operation(&self, footprint: Footprint) -> Operation<E> {
        let passes_on =
            |access: &Access| matches!(access.place, Place::Stream(_)) && access.mode != Mode::Read;
        let drain = match footprint.iter().any(passes_on) {
            true => self.executor.machine.model.synchronisation(),
            false => Drain::Nothing,
        };
        Operation::new(footprint, drain)
    }

    /// Parks before a synchronising operation: memory is ordered as the model says for synchronisation.
    pub fn synchronise(&self, footprint: Footprint, wait: Option<E::Wait>) -> Outcome<E> {
        let drain = self.executor.machine.model.synchronisation();
        Outcome::Park(Operation { wait, ..Operation::new(footprint, drain) })
    }

    /// Like [`synchronise`](Self::synchronise), for what touches memory without racing with anything.
    pub fn synchronise_atomically(&self, footprint: Footprint) -> Outcome<E> {
        let drain = self.executor.machine.model.synchronisation();
        Outcome::Park(Operation { is_atomic: true, ..Operation::new(footprint, drain) })
    }

    /// A fault of the program.
    pub fn fault(&self, kind: FailureKind, detail: FailureDetail, message: impl Into<String>) -> Stop {
        Fault::new(kind, detail, message).into()
    }

    /// Whether undefined behaviour of this class has the effect it has on a common machine.
    pub fn forgives(&self, class: Forgivable) -> bool {
        self.executor.forgives(class)
    }

    /// Misuse of the library: a fault of the program, or, where that is tolerated, noted; the model then
    /// continues as the library does natively.
    pub fn misuse(&mut self, detail: FailureDetail, message: impl Into<String>) -> Result<(), Stop> {
        self.executor.meet_misuse(Fault::new(FailureKind::SyncMisuse, detail, message))
    }

    /// Something the model does not support, by name.
    pub fn unsupported(&self, what: impl Into<String>) -> Stop {
        Stop::Incomplete(Incomplete {
            reason: IncompleteReason::Unsupported,
            what: what.into(),
            span: self.caller_span(),
        })
    }
}
