//! Threads of a state: call stacks, store buffers, and what a parked thread waits for.

use crate::learned::Beginning;
use crate::shared::{Numbered, Shared};
use crate::stop::Fault;
use crate::threads::frame::Frame;
use crate::threads::kept::Kept;
use crate::threads::modelled::{ModelledFunction, Title};
use crate::threads::user_stack::GivenStack;
use crate::value::{Byte, Value};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use symx_ir::SpanId;
use symx_memmodel::{ByteRange, Drain, FenceEffect, MemoryModel, Ordering, StoreBuffer, StorePlacement};
use symx_trace::{Access, Footprint, Mode, Place, ThreadId, ThreadName};

/// A thread: what it does, and through `Deref` its [identity](Identity).
#[derive(Debug)]
pub struct Thread<E: Kept> {
    /// The part that changes seldom: states share it.
    identity: Shared<Identity>,
    /// Activations, outermost first.
    pub stack: SmallVec<[Activation<E>; 2]>,
    /// The visible operation it is about to perform; `None` only while it runs or after its end.
    pub pending: Option<Arc<Pending<E>>>,
    /// Whether it has ended. Its buffer may still hold stores.
    pub exited: bool,
    /// Whether it has ended and another thread has waited for that.
    pub joined: bool,
    /// Whether it has done anything that others can observe, in its present step or in those before the
    /// barriers that it has passed since.
    pub(crate) has_left: bool,
    /// The signal of the innermost handler that has interrupted it and is still there, or [`NO_SIGNAL`]; 0 if
    /// nothing has.
    pub(crate) handler: u8,
    /// Stores that have not reached memory.
    pub buffer: StoreBuffer<Byte>,
    /// How many stores went through the buffer so far.
    pub stores_issued: u32,
    /// Instructions executed.
    pub instructions: u64,
}

/// The identity of a thread.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its number in this execution.
    pub id: ThreadId,
    /// How many threads it has created.
    pub children: u32,
    /// Its name in every execution.
    pub name: ThreadName,
    /// The thread that has created it, and which of the threads created there it is, from 1.
    pub creation: Option<(ThreadId, u32)>,
    /// Whether it is yet to be created: its number is kept for it ([`numbers`](crate::step::numbers)).
    pub is_to_come: bool,
    /// Its beginning; `None` where that is not a number, and for the first thread.
    pub beginning: Option<Beginning>,
    /// Its copies of thread-local variables: template's cell and address of the copy.
    pub thread_locals: Numbered<u64>,
    /// Memory of the program's own that its variables lie in, the one in use since last at the end.
    pub given_stacks: Vec<GivenStack>,
    /// Address of the control block libc keeps for it; 0 until made.
    pub control_block: u64,
    /// Whether it is the environment's own: the program does not know of it, and it does not
    /// keep the process alive.
    pub service: bool,
    /// Its position in the recorded paths, when guided.
    pub guide: Option<Box<crate::threads::guide_cursor::Cursor>>,
    /// Its position beside the recorded paths, where these are compared with.
    pub reference: Option<Box<crate::threads::reference_cursor::Cursor>>,
}

impl<E: Kept> Deref for Thread<E> {
    type Target = Identity;
    #[inline]
    fn deref(&self) -> &Identity {
        &self.identity
    }
}

impl<E: Kept> DerefMut for Thread<E> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Identity {
        &mut self.identity
    }
}

impl<E: Kept> Clone for Thread<E> {
    fn clone(&self) -> Self {
        Self {
            identity: self.identity.clone(),
            stack: self.stack.clone(),
            pending: self.pending.clone(),
            exited: self.exited,
            joined: self.joined,
            has_left: self.has_left,
            handler: self.handler,
            buffer: self.buffer.clone(),
            stores_issued: self.stores_issued,
            instructions: self.instructions,
        }
    }
}

impl<E: Kept> Thread<E> {
    /// Whether it is one of the program's own that has not ended. A service, such as a timer, never is.
    pub fn is_unfinished(&self) -> bool {
        !self.exited && !self.service
    }

    /// The place that its first step comes after. The first thread and those of the environment have no
    /// creation.
    pub fn beginning_place(&self) -> Place {
        match self.creation {
            Some((parent, number)) => Place::Child { parent, number },
            None => Place::Thread(self.id),
        }
    }

    /// A thread that has not started.
    pub fn new(id: ThreadId, name: ThreadName) -> Self {
        // With the counts of its `Arc` it is of one of the allocator's classes.
        const { assert!(size_of::<Self>() + 16 <= 96) };
        let identity = Identity {
            id,
            children: 0,
            name,
            is_to_come: false,
            creation: None,
            beginning: None,
            thread_locals: Numbered::default(),
            given_stacks: Vec::new(),
            control_block: 0,
            service: false,
            guide: None,
            reference: None,
        };
        Self {
            identity: Shared::new(identity),
            stack: SmallVec::new(),
            pending: None,
            exited: false,
            joined: false,
            has_left: false,
            handler: 0,
            buffer: StoreBuffer::default(),
            stores_issued: 0,
            instructions: 0,
        }
    }

    /// Keeps a number for a thread that is yet to be created. Nothing can be waited for there.
    pub(crate) fn to_come(id: ThreadId, name: ThreadName) -> Self {
        let mut thread = Self::new(id, name);
        thread.is_to_come = true;
        thread.exited = true;
        thread.joined = true;
        thread
    }

    /// Whether it is the same thread as that of another state.
    pub(crate) fn has_same_identity(&self, other: &Self) -> bool {
        self.identity.is_same(&other.identity) || {
            let (one, other) = (&*self.identity, &*other.identity);
            (one.id, one.children, one.control_block, one.service)
                == (other.id, other.children, other.control_block, other.service)
                && one.name == other.name
                && one.thread_locals == other.thread_locals
                && one.given_stacks == other.given_stacks
                && one.guide.is_none()
                && other.guide.is_none()
                && one.reference.is_none()
                && other.reference.is_none()
        }
    }

    /// Whether it is about to read memory.
    pub fn is_about_to_look(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| matches!(pending.action, Action::Load { .. }))
    }

    /// Whether its next step is its failure.
    pub fn is_about_to_fail(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| matches!(pending.action, Action::Fail(_)))
    }

    /// Whether what it is about to do is a store to memory.
    pub fn is_about_to_store(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| matches!(pending.action, Action::Store { .. }))
    }

    /// Whether what it is about to do ends the process.
    pub fn is_about_to_end_all(&self) -> bool {
        let Some(operation) = self.pending.as_ref().and_then(|pending| pending.action.operation()) else {
            return false;
        };
        let ends = |access: &Access| access.place == Place::Process && access.mode == Mode::Write;
        operation.footprint.iter().any(ends)
    }

    /// Whether it was left where its recorded path ends.
    pub(crate) fn is_left_at_end_of_record(&self) -> bool {
        self.is_parked_forever() && self.is_at_end_of_record()
    }

    /// Whether it takes no further step.
    pub fn is_parked_forever(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| matches!(pending.action, Action::Never))
    }

    /// Whether it has come to the end of its recorded path.
    pub(crate) fn is_at_end_of_record(&self) -> bool {
        self.guide.as_ref().is_some_and(|cursor| cursor.finished)
    }

    /// Takes the topmost activation off the stack, if it is a function of the program.
    pub(crate) fn pop_frame(&mut self) -> Option<Arc<Frame>> {
        match self.stack.pop()? {
            Activation::Program(frame) => Some(frame),
            model @ Activation::Model(_) => {
                self.stack.push(model);
                None
            }
        }
    }
}

/// In the event number of a buffered store: a StoreStore marker came before it in the buffer.
pub const AFTER_STORE_STORE: u32 = 1 << 31;

/// One level of a call stack; states share it until one of them changes it.
#[derive(Debug)]
pub enum Activation<E: Kept> {
    /// A function of the program.
    Program(Arc<Frame>),
    /// A modelled function in progress.
    Model(Arc<ModelFrame<E>>),
}

impl<E: Kept> Clone for Activation<E> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Self::Program(frame) => Self::Program(Arc::clone(frame)),
            Self::Model(frame) => Self::Model(Arc::clone(frame)),
        }
    }
}

/// Marks a model frame's phase as waiting for its thread to be scheduled.
pub(crate) const PARKED: u32 = 1 << 31;

/// A modelled function in progress.
#[derive(Debug)]
pub struct ModelFrame<E: Kept> {
    /// The model.
    pub model: E::Model,
    /// The function that it is the model of.
    pub function: &'static ModelledFunction,
    /// The arguments, one value a slot.
    pub arguments: SmallVec<[Value; 3]>,
    /// How often it was resumed; 0 on arrival.
    pub phase: u32,
    /// Its memory between phases.
    pub scratch: SmallVec<[u64; 4]>,
    /// The result of the function it invoked, once that has returned.
    pub invoked: Option<Value>,
    /// Where the call stands.
    pub span: SpanId,
    /// Set if it was not called: it interrupts the activation below.
    pub interrupted: Option<Interrupted<E>>,
    /// The operation that its phase performs, where that has stopped for a choice and is to be run again.
    pub(crate) performing: Option<Arc<Pending<E>>>,
}

/// What interrupts a thread and is no signal's handler: it is cancelled.
pub(crate) const NO_SIGNAL: u8 = 127;

/// The action that an interruption puts off.
#[derive(Debug)]
pub struct Interrupted<E: Kept> {
    /// The operation the thread was about to perform, if it was parked before one.
    pub pending: Option<Arc<Pending<E>>>,
    /// The signal whose handler runs, or [`NO_SIGNAL`].
    pub(crate) signal: u8,
}

impl<E: Kept> Clone for Interrupted<E> {
    fn clone(&self) -> Self {
        Self { pending: self.pending.clone(), signal: self.signal }
    }
}

impl<E: Kept> ModelFrame<E> {
    /// The name of the call for people.
    pub fn title(&self) -> &'static str {
        match (self.function.title, self.arguments.first()) {
            (Title::Fixed(title), _) => title,
            (Title::Numbered { of, otherwise }, Some(Value::Concrete(number))) => {
                of(*number).unwrap_or(otherwise)
            }
            (Title::Numbered { otherwise, .. }, _) => otherwise,
        }
    }

    /// A call that has just arrived.
    pub fn new(
        (function, model): (&'static ModelledFunction, E::Model),
        arguments: SmallVec<[Value; 3]>,
        span: SpanId,
    ) -> Self {
        Self {
            model,
            function,
            arguments,
            phase: 0,
            scratch: SmallVec::new(),
            invoked: None,
            span,
            interrupted: None,
            performing: None,
        }
    }
}

impl<E: Kept> Clone for ModelFrame<E> {
    fn clone(&self) -> Self {
        Self {
            model: self.model,
            function: self.function,
            arguments: SmallVec::from_slice(&self.arguments),
            phase: self.phase,
            scratch: SmallVec::from_slice(&self.scratch),
            invoked: self.invoked,
            span: self.span,
            interrupted: self.interrupted.clone(),
            performing: self.performing.clone(),
        }
    }
}

/// A visible operation that a parked thread performs when it is scheduled.
#[derive(Debug)]
pub struct Pending<E: Kept> {
    /// The action.
    pub action: Action<E>,
    /// Where in the source.
    pub span: SpanId,
}

impl<E: Kept> Pending<E> {
    /// Whether others can observe that it was performed, as far as that is known before.
    pub(crate) fn leaves_something(&self) -> bool {
        match &self.action {
            Action::Store { .. } => true,
            Action::Return(objects) => !objects.is_empty(),
            Action::Model(operation) => {
                operation.footprint.iter().any(|access| !matches!(access.mode, Mode::Read | Mode::Follow))
            }
            Action::Load { .. }
            | Action::ReadModifyWrite { .. }
            | Action::Fence(_)
            | Action::Fail(_)
            | Action::Never => false,
        }
    }
}

impl<E: Kept> Clone for Pending<E> {
    fn clone(&self) -> Self {
        Self { action: self.action.clone(), span: self.span }
    }
}

/// The kinds of pending operations.
#[derive(Debug)]
pub enum Action<E: Kept> {
    /// A load of `length` bytes.
    Load {
        /// First byte.
        address: u64,
        /// Bytes.
        length: u64,
        /// Its ordering.
        ordering: Ordering,
    },
    /// A store of `length` bytes.
    Store {
        /// First byte.
        address: u64,
        /// Bytes.
        length: u64,
        /// Its ordering.
        ordering: Ordering,
    },
    /// An atomic read-modify-write of `length` bytes.
    ReadModifyWrite {
        /// First byte.
        address: u64,
        /// Bytes.
        length: u64,
        /// Its ordering.
        ordering: Ordering,
    },
    /// A fence.
    Fence(Ordering),
    /// The end of shared stack objects' lives.
    Return(Footprint),
    /// The next phase of a modelled function.
    Model(Operation<E>),
    /// Nothing but this fault: what the thread has done before in the same step is there for others first.
    Fail(Arc<Fault>),
    /// Never any: the thread spins forever in a loop that concerns no other thread.
    Never,
}

impl<E: Kept> Action<E> {
    /// The operation of a modelled function, if it is one.
    pub fn operation(&self) -> Option<&Operation<E>> {
        match self {
            Self::Model(operation) => Some(operation),
            _ => None,
        }
    }

    /// Its wait.
    pub fn wait(&self) -> Option<&E::Wait> {
        self.operation()?.wait.as_ref()
    }
}

impl<E: Kept> Clone for Action<E> {
    fn clone(&self) -> Self {
        match self {
            Self::Load { address, length, ordering } => {
                Self::Load { address: *address, length: *length, ordering: *ordering }
            }
            Self::Store { address, length, ordering } => {
                Self::Store { address: *address, length: *length, ordering: *ordering }
            }
            Self::ReadModifyWrite { address, length, ordering } => {
                Self::ReadModifyWrite { address: *address, length: *length, ordering: *ordering }
            }
            Self::Fence(ordering) => Self::Fence(*ordering),
            Self::Return(footprint) => Self::Return(SmallVec::from_slice(footprint)),
            Self::Model(operation) => Self::Model(operation.clone()),
            Self::Fail(fault) => Self::Fail(Arc::clone(fault)),
            Self::Never => Self::Never,
        }
    }
}

impl<E: Kept> Action<E> {
    /// The access to memory.
    pub fn access(&self) -> Option<Access> {
        match *self {
            Self::Load { address, length, .. } => Some(Access::read(address, length)),
            Self::Store { address, length, .. } | Self::ReadModifyWrite { address, length, .. } => {
                Some(Access::write(address, length))
            }
            _ => None,
        }
    }

    /// The ordering that an access or a fence asks for.
    pub(crate) fn ordering(&self) -> Option<Ordering> {
        match self {
            Self::Load { ordering, .. }
            | Self::Store { ordering, .. }
            | Self::ReadModifyWrite { ordering, .. }
            | Self::Fence(ordering) => Some(*ordering),
            Self::Return(_) | Self::Model(_) | Self::Fail(_) | Self::Never => None,
        }
    }

    /// The part of the thread's own store buffer that must have drained before the action.
    pub fn drain(&self, model: &dyn MemoryModel) -> Drain {
        match self {
            Self::Load { ordering, .. } => model.load(*ordering),
            Self::Store { ordering, .. } => match model.store(*ordering) {
                StorePlacement::DrainThenMemory => Drain::Everything,
                _ => Drain::Nothing,
            },
            Self::ReadModifyWrite { address, length, ordering } => {
                model.read_modify_write(*ordering, ByteRange::new(*address, *length))
            }
            Self::Fence(ordering) => match model.fence(*ordering) {
                FenceEffect::Drain => Drain::Everything,
                _ => Drain::Nothing,
            },
            Self::Return(_) | Self::Fail(_) | Self::Never => Drain::Nothing,
            Self::Model(operation) => operation.drain,
        }
    }
}

/// A visible operation of a modelled function.
#[derive(Debug)]
pub struct Operation<E: Kept> {
    /// Its footprint.
    pub footprint: Footprint,
    /// When it is enabled; `None` for always.
    pub wait: Option<E::Wait>,
    /// The part of the thread's own store buffer that must have drained before.
    pub drain: Drain,
    /// How many alternatives it has (1 if it decides nothing); asked again when it is scheduled.
    pub alternatives: u32,
    /// Whether it may write less memory than that, and says what it wrote when it has
    /// ([`Call::has_written`](crate::environment::Call::has_written)).
    pub writes_at_most: bool,
    /// Whether it is no access in the sense of the language, and races with nothing: the kernel looks at the
    /// word of a futex.
    pub is_atomic: bool,
}

impl<E: Kept> Operation<E> {
    /// One that is always enabled and decides nothing.
    pub fn new(footprint: Footprint, drain: Drain) -> Self {
        Self { footprint, wait: None, drain, alternatives: 1, writes_at_most: false, is_atomic: false }
    }
}

impl<E: Kept> Clone for Operation<E> {
    fn clone(&self) -> Self {
        Self {
            footprint: SmallVec::from_slice(&self.footprint),
            wait: self.wait.clone(),
            drain: self.drain,
            alternatives: self.alternatives,
            writes_at_most: self.writes_at_most,
            is_atomic: self.is_atomic,
        }
    }
}
