//! Which file answers which system call.

pub(crate) mod reachable_calls;

use crate::answer::{PosixCall, Step, fail, failed, finish_failure};
use crate::errno::ENOSYS;
use crate::kernel::system_calls::SystemCall;
use crate::kernel::system_calls::names::name_of;
use crate::kernel::{
    files, futex, mappings, notifications, process, processes, readiness, scheduling, signals,
};
use crate::kernel::{system_v, time};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use symx_interp::environment::Outcome;
use symx_interp::value::Value;

const TABLES: &[&[SystemCall]] = &[
    files::directories::CALLS,
    readiness::epoll::CALLS,
    readiness::event_counters::CALLS,
    files::attributes::CALLS,
    files::in_memory::CALLS,
    files::entries::CALLS,
    files::names::CALLS,
    files::CALLS,
    futex::CALLS,
    mappings::CALLS,
    notifications::CALLS,
    readiness::pipe::CALLS,
    readiness::poll::CALLS,
    process::CALLS,
    processes::CALLS,
    scheduling::CALLS,
    signals::calls::CALLS,
    readiness::signal_descriptors::CALLS,
    readiness::sockets::CALLS,
    readiness::timer_descriptors::CALLS,
    files::stat::CALLS,
    files::terminal::CALLS,
    system_v::messages::CALLS,
    system_v::semaphore_control::CALLS,
    system_v::semaphores::CALLS,
    system_v::shared_memory::CALLS,
    time::CALLS,
    signals::timers::CALLS,
];

/// Calls that kernels in use lack, being older or built without them, so that programs do without.
const ABSENT: &[u64] = &[
    // Asynchronous input and output: those of `io_setup` and of `io_uring`.
    206, 207, 208, 209, 210, 333, 425, 426, 427,
    // Memory of several processors: `mbind`, `set_mempolicy`, `get_mempolicy`, `migrate_pages`, `move_pages`.
    237, 238, 239, 256, 279, 450,
    // `perf_event_open`, `kcmp`, `bpf`, `userfaultfd`, `copy_file_range`, `rseq`, and those of
    // protection keys.
    298, 312, 321, 323, 326, 334, 329, 330, 331,
    // Descriptors of processes, and what came to be about the same time: `pidfd_send_signal`, `pidfd_open`,
    // `clone3`, `close_range`, `openat2`, `pidfd_getfd`, `process_madvise`, `epoll_pwait2`.
    424, 434, 435, 436, 437, 438, 440, 441,
    // Those of `landlock`, `memfd_secret`, `process_mrelease`, `futex_waitv`, `cachestat`, `fchmodat2`, and
    // `futex_wake` and its kin.
    444, 445, 446, 447, 448, 449, 451, 452, 454, 455, 456,
];

/// Calls by number. Never changes once made; in a function, as the index of functions is.
fn index() -> &'static FxHashMap<u64, &'static SystemCall> {
    static INDEX: OnceLock<FxHashMap<u64, &'static SystemCall>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = FxHashMap::default();
        for row in TABLES.iter().flat_map(|table| table.iter()) {
            debug_assert_eq!(name_of(row.number), Some(row.name), "{} has another name", row.number);
            let other = index.insert(row.number, row);
            debug_assert!(other.is_none(), "{} has two rows", row.name);
        }
        index
    })
}

/// `syscall(number, ...)`: the result of a call that fails is -1, with `errno`. libc's own would read six
/// arguments of callers that pass fewer.
pub(crate) fn dispatch_for_program(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    match dispatch(call)? {
        Outcome::Return(Value::Concrete(result)) if (-4095..0).contains(&(result as i64)) => {
            fail(call, -(result as i64) as i32, Value::Concrete(u64::MAX))
        }
        outcome => Ok(outcome),
    }
}

/// `__symx_syscall(number, six arguments)`.
pub(crate) fn dispatch(call: &mut PosixCall<'_, '_>) -> Step {
    let number = call.argument(0)?;
    match index().get(&number) {
        Some(row) => (row.model)(call),
        None if ABSENT.contains(&number) => failed(ENOSYS),
        None => {
            let name = name_of(number).unwrap_or("of no name");
            Err(call.unsupported(format!("system call {number} ({name})")))
        }
    }
}

/// Whether the system call `number` can send a signal.
pub(crate) fn signals(number: u64) -> bool {
    index().get(&number).is_some_and(|row| row.signals)
}
