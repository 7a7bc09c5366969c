//! The kernel's interface below libc: system calls by number, as x86-64 Linux has them.
//!
//! libc is interpreted; where it would trap into the kernel it calls `__symx_syscall` with the number and six
//! arguments. A file of this folder answers the calls of one subject, in one table.

mod buffers;
mod dispatch;
pub(crate) mod files;
pub(crate) mod futex;
pub(crate) mod mappings;
pub(crate) mod nodes;
pub(crate) mod notice;
pub(crate) mod notifications;
pub(crate) mod own;
pub(crate) mod process;
pub(crate) mod processes;
pub(crate) mod queues;
pub(crate) mod readiness;
mod scheduling;
pub(crate) mod signals;
pub(crate) mod system_calls;
pub(crate) mod system_v;
pub(crate) mod time;
mod transfers;

use crate::errno::EMFILE;
use crate::options::PosixOptions;
use crate::row::{Row, row};
use crate::threads::cancellation::point;
use dispatch::{dispatch, dispatch_for_program};
use imbl::{OrdMap, OrdSet, Vector};
use mappings::SharedMapping;
use nodes::content::Content;
use nodes::descriptors::Opener;
use nodes::file_locks::FileLocks;
use nodes::file_system::{FileSystem, Time};
use nodes::kinds::{Device, NodeKind};
use nodes::open_files::{CLOSE_ON_EXEC, NONBLOCK, OpenFiles, READ_ONLY, WRITE_ONLY};
use own::OwnKernel;
use readiness::Awaited;
use std::sync::Arc;
use symx_interp::Shared;
use symx_interp::Table;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::threads::modelled::{Role, Title};
use symx_trace::ThreadId;
use system_calls::names::name_of;
use system_v::SystemV;
use time::Clock;

pub(crate) use dispatch::reachable_calls::may_call_to_signal;
pub(crate) use queues::ROWS as QUEUE_ROWS;
pub(crate) use scheduling::ROWS as SCHEDULING_ROWS;
pub(crate) use signals::timers::ROWS as TIMER_ROWS;
pub(crate) use time::{ROWS as TIME_ROWS, standard_sleep};

/// The function by which libc calls the kernel.
const OF_LIBRARY: &str = "__symx_syscall";
/// The function by which programs do.
const OF_PROGRAM: &str = "syscall";

/// A system call has the name of its number.
const TITLE: Title = Title::Numbered { of: name_of, otherwise: "system call" };

pub(crate) const ROWS: &[Row] = &[
    row(&[OF_LIBRARY], dispatch).titled_as(TITLE),
    row(&["__symx_syscall_cp"], |call| point(call, dispatch)).titled_as(TITLE),
    row(&[OF_PROGRAM], dispatch_for_program).in_role(Role::CallsKernel).titled_as(TITLE),
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

/// The kernel's data.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// What the current process has for itself.
    pub own: OwnKernel,
    pub files: Shared<FileSystem>,
    pub open: Shared<OpenFiles>,
    pub clock: Clock,
    /// Message queues, by name: their nodes.
    pub queues: OrdMap<Vec<u8>, u64>,
    /// Writes to the standard streams, in order.
    pub output: Shared<Vector<Output>>,
    /// The events that threads wait for at descriptors.
    pub interests: Shared<Table<ThreadId, Awaited>>,
    /// Ports given to sockets that asked for none.
    pub ports: u16,
    /// Memory that is kept equal to parts of files, by address.
    pub mappings: Shared<OrdMap<u64, SharedMapping>>,
    /// Bytes handed out by the source of random bytes.
    pub random: u64,
    /// The node of standard input.
    pub input: u64,
    pub system_v: Shared<SystemV>,
    /// The nodes of open descriptors for notifications.
    pub notifiers: OrdSet<u64>,
    /// The nodes of open sets of descriptors (`epoll`).
    pub sets: OrdSet<u64>,
    pub file_locks: FileLocks,
}

impl Kernel {
    pub fn new(options: &PosixOptions) -> Self {
        let began = Time { seconds: (options.clock / 1_000_000_000) as i64, fraction: 0 };
        let mut files = FileSystem::new(&options.directory, &*options.host, began);
        process::machine::describe(&mut files, options.processors);
        let (mut own, mut open) = (OwnKernel::new(options.directory.as_str().into()), OpenFiles::default());
        let input = files.add(ThreadId::MAIN, NodeKind::File(Content::new(&options.standard_input)), 0o600);
        let output = files.add(ThreadId::MAIN, NodeKind::Device(Device::Stream(OutputStream::Output)), 0o600);
        let errors = files.add(ThreadId::MAIN, NodeKind::Device(Device::Stream(OutputStream::Errors)), 0o600);
        for (descriptor, node) in [input, output, errors].into_iter().enumerate() {
            let flags = if descriptor == 0 { READ_ONLY } else { WRITE_ONLY };
            let file = open.open(ThreadId::MAIN, node, "".into(), flags);
            own.descriptors.insert(ThreadId::MAIN, descriptor as u32, file, false);
            open.add_reference(file);
        }
        Self {
            own,
            files: Shared::new(files),
            open: Shared::new(open),
            clock: Clock::new(options.clock),
            queues: OrdMap::new(),
            output: Shared::default(),
            interests: Shared::default(),
            ports: 0,
            mappings: Shared::default(),
            random: 0,
            input,
            system_v: Shared::default(),
            notifiers: OrdSet::new(),
            sets: OrdSet::new(),
            file_locks: FileLocks::default(),
        }
    }

    /// Whether nothing distinguishes it from another. Parts that threads change when they begin are compared,
    /// all else is the same only if it is shared.
    pub fn is_same(&self, other: &Self) -> bool {
        // All of it: what is added later is to be compared, too.
        let Self {
            own,
            files,
            open,
            clock,
            queues,
            output,
            interests,
            ports,
            mappings,
            random,
            input,
            system_v,
            notifiers,
            sets,
            file_locks,
        } = self;
        own.is_same(&other.own)
            && files.is_same(&other.files)
            && open.is_same(&other.open)
            && output.is_same(&other.output)
            && mappings.is_same(&other.mappings)
            && (clock, queues, system_v) == (&other.clock, &other.queues, &other.system_v)
            && (notifiers, sets, file_locks) == (&other.notifiers, &other.sets, &other.file_locks)
            && (interests, ports, random, input)
                == (&other.interests, &other.ports, &other.random, &other.input)
    }

    /// The first part that differs, but for those that states share as a whole.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        // All of it: what is added later is to be compared, too.
        let Self {
            own,
            files,
            open,
            clock,
            queues,
            output: _,
            interests,
            ports,
            mappings: _,
            random,
            input,
            system_v,
            notifiers,
            sets,
            file_locks,
        } = self;
        let parts = [
            ("files", *files == other.files),
            ("open files", *open == other.open),
            ("clock", *clock == other.clock),
            ("message queues", *queues == other.queues),
            ("watched descriptors", *interests == other.interests),
            ("ports", *ports == other.ports),
            ("random bytes", *random == other.random),
            ("input", *input == other.input),
            ("System V objects", *system_v == other.system_v),
            ("descriptors for notifications", *notifiers == other.notifiers),
            ("sets of descriptors", *sets == other.sets),
            ("locks of files", *file_locks == other.file_locks),
        ];
        let found = parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part);
        found.or_else(|| own.difference(&other.own))
    }

    /// The open file of a descriptor.
    pub fn file_of(&self, descriptor: u32) -> Option<u64> {
        self.own.descriptors.file_of(descriptor)
    }

    /// The node of a descriptor's open file.
    pub fn node_of(&self, descriptor: u32) -> Option<u64> {
        self.file_of(descriptor).map(|file| self.open.get(file).node)
    }

    /// A thread binds a descriptor, which must be free, to an open file.
    pub fn bind(&mut self, taker: ThreadId, descriptor: u32, file: u64, close_on_exec: bool) {
        self.own.descriptors.insert(taker, descriptor, file, close_on_exec);
        self.open.add_reference(file);
    }

    /// Another process has what the current one has: its descriptors, and copies of files.
    pub fn refer_again(&mut self) {
        for file in self.own.descriptors.files().chain(self.own.copies.values().copied()) {
            self.open.add_reference(file);
        }
    }

    /// The lowest descriptor from `lowest` on that `opener` may take, if the limit leaves one.
    fn free_from(&self, opener: Opener, lowest: u32) -> Result<u32, i32> {
        opener.free(&self.own.descriptors, lowest, self.own.limits.descriptors()).ok_or(EMFILE)
    }

    /// Gives the node that is `made` a free descriptor; of `flags`, those count that say whether it waits and
    /// whether it is closed on `exec`. Without a descriptor, none is made: the call leaves nothing behind.
    fn open_new(
        &mut self,
        opener: Opener,
        mode: u32,
        flags: u64,
        made: impl FnOnce(&mut Self) -> u64,
    ) -> Result<u32, i32> {
        self.open_both(opener, flags, |kernel| [(made(kernel), mode)]).map(|[descriptor]| descriptor)
    }

    /// [`Self::open_new`] of several nodes, each with its mode: all of them or none.
    fn open_both<const N: usize>(
        &mut self,
        opener: Opener,
        flags: u64,
        made: impl FnOnce(&mut Self) -> [(u64, u32); N],
    ) -> Result<[u32; N], i32> {
        let (mut descriptors, mut lowest) = ([0; N], 0);
        for descriptor in &mut descriptors {
            *descriptor = self.free_from(opener, lowest)?;
            lowest = *descriptor + 1;
        }
        for (descriptor, (node, mode)) in descriptors.into_iter().zip(made(self)) {
            let mode = mode | flags as u32 & NONBLOCK;
            let file = self.open.open(opener.thread, node, "".into(), mode);
            self.bind(opener.thread, descriptor, file, flags & CLOSE_ON_EXEC != 0);
        }
        Ok(descriptors)
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
