//! A state of the program: plain persistent data. A clone is a fork.

use crate::access::memory_order::MemoryOrder;
use crate::environment::Environment;
use crate::machine::Machine;
use crate::memory::{AddressSpace, Site};
use crate::remedies::Applied;
use crate::shared::{Shared, Table};
use crate::threads::agents::PROGRAM_START;
use crate::threads::thread::{Activation, ModelFrame, Thread};
use smallvec::{SmallVec, smallvec};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use symx_expr::{PathCondition, Term};
use symx_ir::SpanId;
use symx_trace::{Failure, InputOrigin, InputType, ThreadId, ThreadName};

/// A persistent map from numbers, with a cheap hash.
pub type Numbered<T> = Table<u32, T>;

/// A state: what it is, and through `Deref` [what has been](Past).
#[derive(Debug)]
pub struct State<E: Environment> {
    /// Memory.
    pub memory: AddressSpace,
    /// Threads, by number; ended ones stay.
    pub threads: SmallVec<[Arc<Thread<E>>; 4]>,
    /// Threads that others have not joined, whether they have ended or not. While there is one beside a
    /// thread, events of the two may be unordered.
    pub unjoined: u32,
    /// The environment's bookkeeping; shared with other states until it changes.
    pub data: Arc<E::Data>,
    /// The condition established by symbolic branches.
    pub path: PathCondition,
    /// The part that seldom changes; reached through `Deref`.
    past: Shared<Past>,
    /// The order of accesses, where anything depends on it.
    pub order: Option<Arc<MemoryOrder>>,
    /// The alternative chosen for the step about to be taken.
    pub alternative: Option<u32>,
    /// How the execution ended, once it has.
    pub end: Option<End>,
}

impl<E: Environment> Clone for State<E> {
    fn clone(&self) -> Self {
        Self {
            memory: self.memory.clone(),
            threads: self.threads.clone(),
            unjoined: self.unjoined,
            data: Arc::clone(&self.data),
            path: self.path.clone(),
            past: self.past.clone(),
            order: self.order.clone(),
            alternative: self.alternative,
            end: self.end.clone(),
        }
    }
}

/// The past of a state: it grows, and seldom.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Symbolic inputs in order of creation.
    pub inputs: imbl::Vector<SymbolicInput>,
    /// Which thread alone has touched an object while others ran, by cell number; `None` for any number of
    /// threads, all inside a library's own lock.
    pub touched: Numbered<Option<ThreadId>>,
    /// Allocation sites found to be shared though they did not count as visible.
    pub discovered: imbl::OrdSet<Site>,
    /// How far fixes are.
    pub applied: Applied,
}

impl Past {
    /// Whether both are the same, without any inputs.
    pub(crate) fn is_equal(&self, other: &Self) -> bool {
        (self.inputs.is_empty() && other.inputs.is_empty())
            && self.touched == other.touched
            && self.discovered == other.discovered
            && self.applied == other.applied
    }
}

impl<E: Environment> Deref for State<E> {
    type Target = Past;
    #[inline]
    fn deref(&self) -> &Past {
        &self.past
    }
}

impl<E: Environment> DerefMut for State<E> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Past {
        &mut self.past
    }
}

/// A symbolic input.
#[derive(Clone, Debug)]
pub struct SymbolicInput {
    /// The name given by the program, made unique by a number.
    pub name: Arc<str>,
    /// Its bytes, lowest address first: a symbol of width 8 each.
    pub bytes: Arc<[Term]>,
    /// Where it enters the program.
    pub origin: Arc<InputOrigin>,
    /// Its declared type, if that is known.
    pub declared: Option<InputType>,
    /// The call that returned it, if one did.
    pub returned: Option<ReturningCall>,
}

/// A call that returned an input.
#[derive(Clone, Copy, Debug)]
pub struct ReturningCall {
    /// The thread that called.
    pub thread: ThreadId,
    /// The function that it called.
    pub function: &'static str,
    /// Where it called.
    pub span: SpanId,
}

/// How an execution ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The process exited.
    Exit(Exit),
    /// The program failed.
    Failed(Arc<Failure>),
}

/// The exit of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit {
    /// Its status.
    pub status: u8,
    /// The thread whose step ended the process: it called `exit`, returned from `main` or was the last to
    /// end. `None` if no thread was left.
    pub by: Option<ThreadId>,
}

impl<E: Environment> State<E> {
    /// Whether nothing distinguishes what two states have been through. (What symbolic ones have been through
    /// would take long to compare.)
    pub(crate) fn has_same_past(&self, other: &Self) -> bool {
        self.is_without_inputs()
            && other.is_without_inputs()
            && (self.past.is_same(&other.past) || self.past.is_equal(&other.past))
    }

    /// Whether nothing symbolic has happened so far.
    pub(crate) fn is_without_inputs(&self) -> bool {
        self.path.is_empty() && self.inputs.is_empty()
    }

    /// Whether threads of the program's other than `thread` have not ended.
    pub(crate) fn others_go_on(&self, thread: ThreadId) -> bool {
        self.threads.iter().any(|other| other.id != thread && !other.exited && !other.service)
    }

    /// Its past, as long as that does not change.
    pub(crate) fn past(&self) -> &Shared<Past> {
        &self.past
    }

    /// The same, for putting another in its place.
    pub(crate) fn past_mut(&mut self) -> &mut Shared<Past> {
        &mut self.past
    }

    /// The thread numbered `id`.
    #[inline]
    pub fn thread(&self, id: ThreadId) -> &Thread<E> {
        &self.threads[id.index()]
    }

    /// The thread numbered `id`, for changing; copied if another state shares it.
    #[inline]
    pub fn thread_mut(&mut self, id: ThreadId) -> &mut Thread<E> {
        Arc::make_mut(&mut self.threads[id.index()])
    }
}

impl<E: Environment> Machine<E> {
    /// The state at program start: one thread, about to initialise libc and run `main`.
    pub fn initial_state(&self) -> State<E> {
        let mut main = Thread::new(ThreadId::MAIN, ThreadName::main());
        main.guide = self.options.guide.as_ref().map(|guide| Box::new(guide.cursor(&main.name)));
        let reference = self.options.reference.as_ref();
        main.reference = reference.map(|reference| Box::new(reference.cursor(&main.name)));
        main.stack.push(Activation::Model(Arc::new(ModelFrame::new(
            (&PROGRAM_START, self.environment.main_thread()),
            SmallVec::new(),
            SpanId::UNKNOWN,
        ))));
        State {
            memory: AddressSpace::new(&self.program),
            threads: smallvec![Arc::new(main)],
            unjoined: 1,
            data: Arc::new(self.environment.start()),
            path: PathCondition::new(),
            past: Shared::default(),
            order: self.initial_order(),
            alternative: None,
            end: None,
        }
    }
}
