//! Processes: what each has for itself, what they share, and how they are related.
//!
//! The bookkeeping has the part of the current process in it; the interpreter exchanges it with that of
//! another. Objects in memory that processes share go with that memory, whichever process is current. Open
//! files, the file system, the clock and what is keyed by threads belong to all.

pub(crate) mod end;
pub(crate) mod exec;
pub(crate) mod fork;
mod let_go;
mod memory_barrier;
pub(crate) mod wait;

use crate::kernel::system_calls::{SystemCall, call as row};

pub(crate) const CALLS: &[SystemCall] = &[
    row(56, "clone", fork::clone),
    row(57, "fork", fork::system_call),
    row(58, "vfork", fork::vfork),
    row(59, "execve", exec::execute),
    row(61, "wait4", wait::wait4),
    row(247, "waitid", wait::waitid),
    row(324, "membarrier", memory_barrier::membarrier),
];
