//! The part of the bookkeeping that each process has for itself.

use crate::data::PosixData;
use crate::kernel::files::open_files::Descriptors;
use crate::kernel::futex::Futexes;
use crate::kernel::signals::Signals;
use crate::kernel::time::timers::Timers;
use crate::memory::makers::Maker;
use crate::memory::shared_mappings::Mapped;
use crate::sync::barrier::Barrier;
use crate::sync::condition::Condition;
use crate::sync::mutex::Mutex;
use crate::sync::once::Once;
use crate::sync::open_streams::OpenStreams;
use crate::sync::rwlock::ReadWriteLock;
use crate::sync::semaphore::Semaphore;
use crate::sync::spin::SpinLock;
use crate::threads::attributes::{self, Attributes};
use crate::threads::keys::Keys;
use crate::unwinding::unwind::Exceptions;
use imbl::{OrdMap, Vector};
use std::mem::swap;
use std::sync::Arc;
use symx_interp::Shared;
use symx_trace::ThreadId;

/// What each process has for itself besides what models of single objects keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Own {
    /// Memory that it may share with others: its length in bytes, and how often it is mapped.
    pub mapped: OrdMap<u64, Mapped>,
    /// The routines of `pthread_atfork`: before, and after in the parent and in the child.
    pub at_fork: Vector<[u64; 3]>,
    /// The signal that kills it.
    pub killed_by: Option<u32>,
    /// The thread that is about to end it, which no signal interrupts any more.
    pub ended_by: Option<ThreadId>,
    /// The arguments and the environment that it was executed with, where that is not how the program began.
    pub image: Option<Arc<Image>>,
}

/// What `execve` passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub arguments: Vec<Vec<u8>>,
    pub environment: Vec<Vec<u8>>,
}

/// All that each process has for itself, of a process that is not current.
#[derive(Clone, Debug)]
pub struct OwnPart {
    pub(crate) mutexes: OrdMap<u64, Mutex>,
    pub(crate) conditions: OrdMap<u64, Condition>,
    pub(crate) semaphores: OrdMap<u64, Semaphore>,
    pub(crate) barriers: OrdMap<u64, Barrier>,
    pub(crate) rwlocks: OrdMap<u64, ReadWriteLock>,
    pub(crate) once: OrdMap<u64, Once>,
    pub(crate) spins: OrdMap<u64, SpinLock>,
    pub(crate) streams: OpenStreams,
    pub(crate) default_attributes: Attributes,
    pub(crate) concurrency: i32,
    pub(crate) keys: Keys,
    pub(crate) makers: OrdMap<u64, Maker>,
    pub(crate) exceptions: Exceptions,
    pub(crate) own: Shared<Own>,
    pub(crate) descriptors: Descriptors,
    pub(crate) directory: Arc<str>,
    pub(crate) mask: u32,
    pub(crate) signals: Signals,
    pub(crate) timers: Shared<Timers>,
    pub(crate) copies: OrdMap<u64, u64>,
    pub(crate) futexes: Shared<Futexes>,
}

impl Default for OwnPart {
    fn default() -> Self {
        Self {
            mutexes: OrdMap::new(),
            conditions: OrdMap::new(),
            semaphores: OrdMap::new(),
            barriers: OrdMap::new(),
            rwlocks: OrdMap::new(),
            once: OrdMap::new(),
            spins: OrdMap::new(),
            streams: OpenStreams::default(),
            default_attributes: attributes::initial(),
            concurrency: 0,
            keys: Keys::default(),
            makers: OrdMap::new(),
            exceptions: Exceptions::default(),
            own: Shared::default(),
            descriptors: Descriptors::default(),
            directory: "/".into(),
            mask: 0,
            signals: Signals::default(),
            timers: Shared::default(),
            copies: OrdMap::new(),
            futexes: Shared::default(),
        }
    }
}

impl OwnPart {
    /// Exchanges it with the part that is in `data`. Objects in shared memory stay with that memory.
    pub(crate) fn exchange(&mut self, data: &mut PosixData) {
        data.leave_shared();
        let kernel = &mut *data.kernel;
        swap(&mut self.mutexes, &mut data.mutexes);
        swap(&mut self.conditions, &mut data.conditions);
        swap(&mut self.semaphores, &mut data.semaphores.objects);
        swap(&mut self.barriers, &mut data.barriers);
        swap(&mut self.rwlocks, &mut data.rwlocks);
        swap(&mut self.once, &mut data.once);
        swap(&mut self.spins, &mut data.spins);
        swap(&mut self.streams, &mut data.streams);
        swap(&mut self.default_attributes, &mut data.default_attributes);
        swap(&mut self.concurrency, &mut data.concurrency);
        swap(&mut self.keys, &mut data.keys);
        swap(&mut self.makers, &mut data.makers);
        swap(&mut self.exceptions, &mut data.exceptions);
        swap(&mut self.own, &mut data.own);
        kernel.open.exchange(&mut self.descriptors);
        swap(&mut self.directory, &mut kernel.directory);
        swap(&mut self.mask, &mut kernel.mask);
        swap(&mut self.signals, &mut kernel.signals);
        swap(&mut self.timers, &mut kernel.timers);
        swap(&mut self.copies, &mut kernel.copies);
        swap(&mut self.futexes, &mut kernel.futexes);
        data.enter_shared();
    }

    /// The part of a copy of the process whose bookkeeping `data` is: what belongs to the thread that forks
    /// belongs to `child` there, and no other thread is there.
    pub(crate) fn copy(data: &PosixData, parent: ThreadId, child: ThreadId) -> Self {
        let mut original = data.clone();
        original.leave_shared();
        let kernel = &original.kernel;
        let mut copy = Self {
            mutexes: original.mutexes.clone(),
            semaphores: original.semaphores.objects.clone(),
            barriers: original.barriers.clone(),
            rwlocks: original.rwlocks.clone(),
            once: original.once.clone(),
            spins: original.spins.clone(),
            streams: original.streams.clone(),
            default_attributes: original.default_attributes,
            concurrency: original.concurrency,
            keys: original.keys.copied(parent, child),
            makers: original.makers.clone(),
            exceptions: original.exceptions.clone(),
            own: original.own.clone(),
            descriptors: kernel.open.descriptors(),
            directory: Arc::clone(&kernel.directory),
            mask: kernel.mask,
            signals: kernel.signals.inherited(parent, child),
            copies: kernel.copies.clone(),
            conditions: original.conditions.iter().map(|(at, one)| (*at, one.without_sleepers())).collect(),
            ..Self::default()
        };
        (copy.own.killed_by, copy.own.ended_by) = (None, None);
        let renamed = |thread: Option<ThreadId>| if thread == Some(parent) { Some(child) } else { thread };
        let mutexes = copy.mutexes.iter();
        let mutexes = mutexes.map(|(at, one)| (*at, one.held_by(renamed(one.owner)))).collect();
        let spins = copy.spins.iter();
        let spins = spins.map(|(at, one)| (*at, one.held_by(renamed(one.owner)))).collect();
        let rwlocks = copy.rwlocks.iter().map(|(at, one)| (*at, one.copied(parent, child))).collect();
        (copy.mutexes, copy.spins, copy.rwlocks) = (mutexes, spins, rwlocks);
        let running =
            |once: &Once| if once.runner() == Some(parent) { Once::Running(child) } else { once.clone() };
        copy.once = copy.once.iter().map(|(at, once)| (*at, running(once))).collect();
        copy
    }
}

impl PosixData {
    /// What a copy of the process has for itself, in which `child` is the copy of the thread `parent`.
    pub(crate) fn own_part_of_copy(&self, parent: ThreadId, child: ThreadId) -> OwnPart {
        OwnPart::copy(self, parent, child)
    }

    /// The process begins again as a program with these arguments and this environment. It keeps its
    /// descriptors, its directory, and the dispositions of signals that it ignores.
    pub(crate) fn execute(&mut self, me: ThreadId, (arguments, environment): (Vec<Vec<u8>>, Vec<Vec<u8>>)) {
        let kernel = &self.kernel;
        let image = Image { arguments, environment };
        let mut fresh = OwnPart {
            own: Shared::new(Own { image: Some(Arc::new(image)), ..Own::default() }),
            descriptors: kernel.open.descriptors(),
            directory: Arc::clone(&kernel.directory),
            mask: kernel.mask,
            signals: kernel.signals.executed(me),
            ..OwnPart::default()
        };
        fresh.exchange(self);
        self.library_locks.remove(&me);
        self.thread_destructors.remove(&me);
        let jumps: Vec<_> = self.jumps.keys().filter(|(thread, _)| *thread == me).copied().collect();
        for jump in jumps {
            self.jumps.remove(&jump);
        }
    }
}
