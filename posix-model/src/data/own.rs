//! The part of the bookkeeping that each process has for itself.

use crate::data::PosixData;
use crate::data::sync_objects::SyncObjects;
use crate::kernel::own::OwnKernel;
use crate::kernel::processes::end::Ending;
use crate::kernel::processes::exec::Image;
use crate::memory::makers::Maker;
use crate::memory::shared_mappings::Mapped;
use crate::sync::open_streams::OpenStreams;
use crate::threads::attributes::{self, Attributes};
use crate::threads::keys::Keys;
use crate::unwinding::unwind::Exceptions;
use imbl::{OrdMap, Vector};
use std::mem::swap;
use std::sync::Arc;
use symx_interp::Shared;
use symx_trace::ThreadId;

/// What each process has for itself, the kernel's data aside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Own {
    pub sync: SyncObjects,
    /// Streams of libc that are open.
    pub streams: OpenStreams,
    /// The attributes of `pthread_attr_init` and of threads without attributes.
    pub default_attributes: Attributes,
    /// The level of `pthread_setconcurrency`.
    pub concurrency: i32,
    pub keys: Keys,
    /// Blocks that `new` made and which `new` it was.
    pub makers: OrdMap<u64, Maker>,
    pub exceptions: Exceptions,
    /// Through a pointer: it changes seldom.
    pub process: Shared<Process>,
}

impl Default for Own {
    fn default() -> Self {
        Self {
            sync: SyncObjects::default(),
            streams: OpenStreams::default(),
            default_attributes: attributes::initial(),
            concurrency: 0,
            keys: Keys::default(),
            makers: OrdMap::new(),
            exceptions: Exceptions::default(),
            process: Shared::default(),
        }
    }
}

/// What a process is, besides what it has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Process {
    /// Memory that it may share with others: its length in bytes, and how often it is mapped.
    pub mapped: OrdMap<u64, Mapped>,
    /// The routines of `pthread_atfork`: before, and after in the parent and in the child.
    pub at_fork: Vector<[u64; 3]>,
    /// Whether its threads may ask for barriers of all of them (`membarrier`).
    pub may_order_threads: bool,
    /// The signal that kills it.
    pub killed_by: Option<u32>,
    /// Its end, once that has begun.
    pub ending: Option<Ending>,
    /// What its only thread executes it with, once descriptors are closed.
    pub executing: Option<Arc<Image>>,
    /// The arguments and the environment that it was executed with, where that is not how the program began.
    pub image: Option<Arc<Image>>,
}

impl Process {
    /// Whether handlers run in `thread` of it between two steps: not once a signal kills the process or
    /// `execve` replaces its program, nor in the thread that ends it.
    pub fn runs_handlers_in(&self, thread: ThreadId) -> bool {
        self.ending.is_none_or(|ending| ending.by != thread)
            && self.killed_by.is_none()
            && self.executing.is_none()
    }
}

impl Own {
    /// That of a copy of the process: what belongs to the thread `parent` belongs to `child` there, and no
    /// other thread is there.
    fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        let mut copy = Self {
            sync: self.sync.copied(parent, child),
            keys: self.keys.copied(parent, child),
            ..self.clone()
        };
        (copy.process.killed_by, copy.process.ending, copy.process.executing) = (None, None, None);
        copy
    }

    /// Forgets the objects in memory that is freed, so that new ones at the same address start afresh.
    pub fn forget(&mut self, start: u64, end: u64) {
        self.sync.forget(start, end);
        self.makers.remove(&start);
        self.exceptions.forget(start, end);
    }

    /// The first part that differs, but for what only reports use.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        // All of it: what is added later is to be compared, too.
        let Self { sync, streams, default_attributes, concurrency, keys, makers, exceptions, process } = self;
        let parts = [
            ("processes", *process == other.process),
            ("open streams", *streams == other.streams),
            ("keys", *keys == other.keys),
            ("exceptions", *exceptions == other.exceptions),
            ("makers of memory", *makers == other.makers),
            ("default attributes", *default_attributes == other.default_attributes),
            ("concurrency", *concurrency == other.concurrency),
        ];
        let found = parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part);
        sync.difference(&other.sync).or(found)
    }
}

/// All that a process has for itself which is not current.
#[derive(Clone, Debug)]
pub struct OwnPart {
    own: Own,
    kernel: OwnKernel,
}

impl OwnPart {
    /// Exchanges it with the part that is in `data`. Objects in shared memory stay with that memory.
    pub(crate) fn exchange(&mut self, data: &mut PosixData) {
        data.leave_shared();
        swap(&mut self.own, &mut data.own);
        swap(&mut self.kernel, &mut data.kernel.own);
        data.enter_shared();
    }
}

impl PosixData {
    /// What a copy of the process has for itself, in which `child` is the copy of the thread `parent`.
    pub(crate) fn own_part_of_copy(&self, parent: ThreadId, child: ThreadId) -> OwnPart {
        let mut original = self.clone();
        original.leave_shared();
        OwnPart { own: original.own.copied(parent, child), kernel: original.kernel.own.copied(parent, child) }
    }

    /// The process begins again as a program with these arguments and this environment. It keeps its
    /// descriptors, its directory, and the dispositions of signals that it ignores.
    pub(crate) fn execute(&mut self, me: ThreadId, image: Arc<Image>) {
        let process = Shared::new(Process { image: Some(image), ..Process::default() });
        let own = Own { process, ..Own::default() };
        OwnPart { own, kernel: self.kernel.own.executed(me) }.exchange(self);
        self.library_locks.remove(&me);
        self.thread_destructors.remove(&me);
        let jumps: Vec<_> = self.jumps.keys().filter(|(thread, _)| *thread == me).copied().collect();
        for jump in jumps {
            self.jumps.remove(&jump);
        }
    }
}
