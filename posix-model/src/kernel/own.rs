//! The kernel's data that each process has for itself.

use crate::kernel::futex::Futexes;
use crate::kernel::nodes::descriptors::Descriptors;
use crate::kernel::process::Membership;
use crate::kernel::process::limits::Limits;
use crate::kernel::signals::Signals;
use crate::kernel::signals::timers::Timers;
use imbl::OrdMap;
use std::sync::Arc;
use symx_interp::Shared;
use symx_trace::ThreadId;

/// What the kernel keeps for one process.
#[derive(Clone, Debug)]
pub(crate) struct OwnKernel {
    pub descriptors: Descriptors,
    /// Working directory: an absolute, normal path.
    pub directory: Arc<str>,
    /// Permissions that new files do not get.
    pub mask: u32,
    pub membership: Membership,
    pub limits: Limits,
    pub signals: Signals,
    pub timers: Shared<Timers>,
    /// Memory that was mapped as a private copy of a file, by address, and the file that it keeps open.
    pub copies: OrdMap<u64, u64>,
    pub futexes: Shared<Futexes>,
}

impl OwnKernel {
    /// That of a process with this working directory, which has opened nothing.
    pub fn new(directory: Arc<str>) -> Self {
        Self {
            descriptors: Descriptors::default(),
            directory,
            mask: 0o022,
            membership: Membership::FIRST,
            limits: Limits::default(),
            signals: Signals::default(),
            timers: Shared::default(),
            copies: OrdMap::new(),
            futexes: Shared::default(),
        }
    }

    /// That of a copy of the process, in which `child` is the copy of the thread `parent`.
    pub fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        Self {
            signals: self.signals.inherited(parent, child),
            timers: Shared::default(),
            futexes: Shared::default(),
            ..self.clone()
        }
    }

    /// That of the process when its only thread executes a program.
    pub fn executed(&self, thread: ThreadId) -> Self {
        Self {
            signals: self.signals.executed(thread),
            timers: Shared::default(),
            copies: OrdMap::new(),
            futexes: Shared::default(),
            ..self.clone()
        }
    }

    /// Whether nothing distinguishes it from another; timers are the same only if they are shared.
    pub fn is_same(&self, other: &Self) -> bool {
        // All of it: what is added later is to be compared, too.
        let Self { descriptors, directory, mask, membership, limits, signals, timers, copies, futexes } =
            self;
        timers.is_same(&other.timers)
            && (descriptors, directory, mask) == (&other.descriptors, &other.directory, &other.mask)
            && (membership, limits) == (&other.membership, &other.limits)
            && (signals, copies, futexes) == (&other.signals, &other.copies, &other.futexes)
    }

    /// The first part that differs, but for timers.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        // All of it: what is added later is to be compared, too.
        let Self { descriptors, directory, mask, membership, limits, signals, timers: _, copies, futexes } =
            self;
        let parts = [
            ("descriptors", *descriptors == other.descriptors),
            ("directory", (directory, mask) == (&other.directory, &other.mask)),
            ("group and session", *membership == other.membership),
            ("limits", *limits == other.limits),
            ("signals", *signals == other.signals),
            ("futexes", *futexes == other.futexes),
            ("private copies of files", *copies == other.copies),
        ];
        parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part)
    }
}
