//! A state of the program: plain persistent data. A clone is a fork.

pub mod order;
pub mod processes;

use crate::memory::{AddressSpace, Site, SiteKind};
use crate::remedies::Applied;
use crate::shared::{Numbered, Shared};
use crate::stop::Stop;
use crate::threads::kept::Kept;
use crate::threads::thread::Thread;
use order::MemoryOrder;
use processes::Processes;
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use symx_expr::{PathCondition, Term};
use symx_ir::SpanId;
use symx_trace::{Failure, InputOrigin, InputType, ThreadId, ThreadName};

/// A state: what it is, and through `Deref` [what has been](Past).
#[derive(Debug)]
pub struct State<E: Kept> {
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
    pub(crate) past: Shared<Past>,
    /// The order of accesses, where anything depends on it.
    pub order: Option<Arc<MemoryOrder>>,
    /// Its processes, once there is more than one.
    pub processes: Option<Arc<Processes<E>>>,
    /// The alternative chosen for the step about to be taken.
    pub alternative: Option<u32>,
    /// How the execution ended, once it has.
    pub end: Option<End>,
}

impl<E: Kept> Clone for State<E> {
    fn clone(&self) -> Self {
        Self {
            memory: self.memory.clone(),
            threads: self.threads.clone(),
            unjoined: self.unjoined,
            data: Arc::clone(&self.data),
            path: self.path.clone(),
            past: self.past.clone(),
            order: self.order.clone(),
            processes: self.processes.clone(),
            alternative: self.alternative,
            end: self.end.clone(),
        }
    }
}

impl<E: Kept> State<E> {
    /// The choice made for this step among `alternatives`: [`Stop::Choose`] until it is made.
    pub(crate) fn choose(&mut self, alternatives: u32) -> Result<u32, Stop> {
        match alternatives {
            0 | 1 => Ok(0),
            several => self.alternative.take().ok_or(Stop::Choose(several)),
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

impl<E: Kept> Deref for State<E> {
    type Target = Past;
    #[inline]
    fn deref(&self) -> &Past {
        &self.past
    }
}

impl<E: Kept> DerefMut for State<E> {
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

impl<E: Kept> State<E> {
    /// How many instructions all its threads have executed.
    pub fn executed(&self) -> u64 {
        self.threads.iter().map(|thread| thread.instructions).sum()
    }

    /// The failure that the execution has ended in.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            Some(End::Failed(failure)) => Some(failure),
            _ => None,
        }
    }

    /// Whether nothing distinguishes what two states have been through. (What symbolic ones have been through
    /// would take long to compare.)
    pub(crate) fn has_same_past(&self, other: &Self) -> bool {
        self.is_without_inputs()
            && other.is_without_inputs()
            && (self.past.is_same(&other.past) || self.past.is_equal(&other.past))
    }

    /// Whether nothing symbolic has happened so far.
    pub fn is_without_inputs(&self) -> bool {
        self.path.is_empty() && self.inputs.is_empty()
    }

    /// Whether threads of the program's other than `thread`, in its process, have not ended.
    pub(crate) fn others_go_on(&self, thread: ThreadId) -> bool {
        let process = self.process_of(thread);
        self.threads
            .iter()
            .any(|other| other.id != thread && other.is_unfinished() && self.process_of(other.id) == process)
    }

    /// Whether the program has forked.
    pub fn has_forked(&self) -> bool {
        self.processes.is_some()
    }

    /// Whether the same process is current in two states, and the others are the same ones, unchanged.
    pub(crate) fn has_same_processes(&self, other: &Self) -> bool {
        match (&self.processes, &other.processes) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The process of `thread`.
    pub fn process_of(&self, thread: ThreadId) -> ThreadId {
        self.processes.as_ref().map_or(ThreadId::MAIN, |processes| processes.of(thread))
    }

    /// The process that a thread is of, by the name of the thread that a fork made; none in the process that
    /// the program began in.
    pub fn forked_process_of(&self, thread: ThreadId) -> Option<&ThreadName> {
        let process = self.process_of(thread);
        (process != ThreadId::MAIN).then(|| &self.thread(process).name)
    }

    /// A thread has created another one, in its own process.
    pub(crate) fn join_process_of(&mut self, creator: ThreadId, created: ThreadId) {
        if let Some(processes) = self.processes.as_mut().map(Arc::make_mut) {
            processes.add(created, processes.of(creator));
        }
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

/// Where the object that `address` is in begins, if its life can end.
pub fn mortal_at<E: Kept>(state: &State<E>, address: u64) -> Option<u64> {
    let object = state.memory.near(address)?;
    let mortal = matches!(object.site.kind(), SiteKind::Stack(..) | SiteKind::Heap(..));
    (mortal && object.contains(address.wrapping_sub(object.base), 1)).then_some(object.base)
}
