//! The kernel's interface below libc: system calls by number, as x86-64 Linux has them.
//!
//! libc is interpreted; where it would trap into the kernel it calls `__symx_syscall` with the number and six
//! arguments. A file of this folder answers the calls of one subject, in one table.

mod buffers;
mod dispatch;
pub(crate) mod files;
pub(crate) mod futex;
pub(crate) mod mappings;
pub(crate) mod notifications;
pub(crate) mod process;
pub(crate) mod processes;
pub(crate) mod queues;
mod reachable_calls;
pub(crate) mod readiness;
mod scheduling;
pub(crate) mod signals;
mod system_call_names;
pub(crate) mod system_calls;
pub(crate) mod system_v;
pub(crate) mod time;

use crate::options::PosixOptions;
use crate::row::{Row, row};
use crate::threads::cancellation::point;
use dispatch::{dispatch, dispatch_for_program};
use files::content::Content;
use files::descriptors::Opener;
use files::file_system::{Device, FileSystem, NodeKind};
use files::open_files::OpenFiles;
use futex::Futexes;
use imbl::{OrdMap, OrdSet, Vector};
use mappings::SharedMapping;
use readiness::Interest;
use signals::Signals;
use std::sync::Arc;
use symx_interp::Shared;
use symx_interp::Table;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::threads::modelled::Role;
use symx_trace::ThreadId;
use system_v::SystemV;
use time::Clock;
use time::timers::Timers;

pub(crate) use queues::ROWS as QUEUE_ROWS;
pub(crate) use reachable_calls::may_call_to_signal;
pub(crate) use scheduling::ROWS as SCHEDULING_ROWS;
pub(crate) use time::timers::ROWS as TIMER_ROWS;
pub(crate) use time::{ROWS as TIME_ROWS, standard_sleep};

/// The function by which libc calls the kernel.
const OF_LIBRARY: &str = "__symx_syscall";
/// The function by which programs do.
const OF_PROGRAM: &str = "syscall";

pub(crate) const ROWS: &[Row] = &[
    row(&[OF_LIBRARY], dispatch).titled("system call"),
    row(&["__symx_syscall_cp"], |call| point(call, dispatch)).titled("system call"),
    row(&[OF_PROGRAM], dispatch_for_program).in_role(Role::CallsKernel),
];

/// A standard stream the program writes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputStream {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// One write to a standard stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Which stream.
    pub stream: OutputStream,
    /// The bytes written.
    pub written: Arc<Stretch>,
}

/// The kernel's data of the process.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub files: Shared<FileSystem>,
    pub open: Shared<OpenFiles>,
    /// Working directory: an absolute, normal path.
    pub directory: Arc<str>,
    /// Permissions that new files do not get.
    pub mask: u32,
    pub signals: Signals,
    pub clock: Clock,
    pub timers: Shared<Timers>,
    /// Message queues, by name: their nodes.
    pub queues: OrdMap<Vec<u8>, u64>,
    /// Writes to the standard streams, in order.
    pub output: Shared<Vector<Output>>,
    pub futexes: Shared<Futexes>,
    /// The events that threads wait for at descriptors.
    pub interests: Shared<Table<ThreadId, Arc<[Interest]>>>,
    /// Ports given to sockets that asked for none.
    pub ports: u16,
    /// Memory that is kept equal to parts of files, by address.
    pub mappings: Shared<OrdMap<u64, SharedMapping>>,
    /// Memory that was mapped as a private copy of a file, by address, and the file that it keeps open.
    pub copies: OrdMap<u64, u64>,
    /// Bytes handed out by the source of random bytes.
    pub random: u64,
    /// The node of standard input.
    pub input: u64,
    pub system_v: Shared<SystemV>,
    /// The nodes of open descriptors for notifications.
    pub notifiers: OrdSet<u64>,
}

impl Kernel {
    pub fn new(options: &PosixOptions) -> Self {
        let mut files = FileSystem::new(&options.directory, &*options.host);
        let mut open = OpenFiles::default();
        let input = files.add(ThreadId::MAIN, NodeKind::File(Content::new(&options.standard_input)), 0o600);
        let output = files.add(ThreadId::MAIN, NodeKind::Device(Device::Stream(OutputStream::Output)), 0o600);
        let errors = files.add(ThreadId::MAIN, NodeKind::Device(Device::Stream(OutputStream::Errors)), 0o600);
        for (descriptor, node) in [input, output, errors].into_iter().enumerate() {
            let flags =
                if descriptor == 0 { files::open_files::READ_ONLY } else { files::open_files::WRITE_ONLY };
            let file = open.open(ThreadId::MAIN, node, "".into(), flags);
            open.bind(descriptor as u32, file, false);
        }
        Self {
            files: Shared::new(files),
            open: Shared::new(open),
            directory: options.directory.as_str().into(),
            mask: 0o022,
            signals: Signals::default(),
            clock: Clock::new(options.clock),
            timers: Shared::default(),
            queues: OrdMap::new(),
            output: Shared::default(),
            futexes: Shared::default(),
            interests: Shared::default(),
            ports: 0,
            mappings: Shared::default(),
            copies: OrdMap::new(),
            random: 0,
            input,
            system_v: Shared::default(),
            notifiers: OrdSet::new(),
        }
    }

    /// Whether nothing distinguishes it from another. Parts that threads change when they begin are compared,
    /// all else is the same only if it is shared.
    pub fn is_same(&self, other: &Self) -> bool {
        // All of it: what is added later is to be compared, too.
        let Self {
            files,
            open,
            directory,
            mask,
            signals,
            clock,
            timers,
            queues,
            output,
            futexes,
            interests,
            ports,
            mappings,
            copies,
            random,
            input,
            system_v,
            notifiers,
        } = self;
        files.is_same(&other.files)
            && open.is_same(&other.open)
            && timers.is_same(&other.timers)
            && output.is_same(&other.output)
            && mappings.is_same(&other.mappings)
            && (signals, clock) == (&other.signals, &other.clock)
            && (directory, mask, queues) == (&other.directory, &other.mask, &other.queues)
            && (copies, system_v, notifiers) == (&other.copies, &other.system_v, &other.notifiers)
            && (futexes, interests, ports, random, input)
                == (&other.futexes, &other.interests, &other.ports, &other.random, &other.input)
    }

    /// The first part that differs, but for those that states share as a whole.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        // All of it: what is added later is to be compared, too.
        let Self {
            files,
            open,
            directory,
            mask,
            signals,
            clock,
            timers: _,
            queues,
            output: _,
            futexes,
            interests,
            ports,
            mappings: _,
            copies,
            random,
            input,
            system_v,
            notifiers,
        } = self;
        let parts = [
            ("files", *files == other.files),
            ("open files", *open == other.open),
            ("directory", (directory, mask) == (&other.directory, &other.mask)),
            ("signals", *signals == other.signals),
            ("clock", *clock == other.clock),
            ("message queues", *queues == other.queues),
            ("futexes", *futexes == other.futexes),
            ("watched descriptors", *interests == other.interests),
            ("ports", *ports == other.ports),
            ("private copies of files", *copies == other.copies),
            ("random bytes", *random == other.random),
            ("input", *input == other.input),
            ("System V objects", *system_v == other.system_v),
            ("descriptors for notifications", *notifiers == other.notifiers),
        ];
        parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part)
    }

    /// Opens `node` and gives it a free descriptor; of `flags`, those count that say whether it
    /// waits and whether it is closed on `exec`.
    fn open_new(&mut self, opener: Opener, node: u64, mode: u32, flags: u64) -> u32 {
        const CLOSE_ON_EXEC: u64 = 0o2_000_000;
        let mode = mode | flags as u32 & files::open_files::NONBLOCK;
        let file = self.open.open(opener.thread, node, "".into(), mode);
        let descriptor = opener.free(&self.open, 0);
        self.open.bind(descriptor, file, flags & CLOSE_ON_EXEC != 0);
        descriptor
    }

    /// All bytes written to `stream`.
    pub fn output_to(&self, stream: OutputStream) -> Stretch {
        let mut all = Stretch::default();
        for output in self.output.iter().filter(|output| output.stream == stream) {
            all.append(&output.written);
        }
        all
    }
}
