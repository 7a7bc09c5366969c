//! A system's facts about itself where glibc and libc's own `sysconf` differ: programs have glibc's headers.

use crate::answer::{PosixCall, Step, word};
use crate::row::{Row, fast_path};
use symx_interp::environment::Outcome;

pub(crate) const ROWS: &[Row] = &[fast_path(&["sysconf"], configuration)];

/// Questions by number, with their answers.
const ANSWERS: &[(u32, i64)] = &[
    (10, VERSION), // _SC_PRIORITY_SCHEDULING
    (31, 32),      // _SC_RTSIG_MAX
    (32, -1),      // _SC_SEM_NSEMS_MAX: no limit
    (70, 1024),    // _SC_GETPW_R_SIZE_MAX
    (74, 1024),    // _SC_THREAD_KEYS_MAX
    (75, 16384),   // _SC_THREAD_STACK_MIN
    (80, VERSION), // _SC_THREAD_PRIO_INHERIT
    (81, VERSION), // _SC_THREAD_PRIO_PROTECT
    (180, 64),     // _SC_HOST_NAME_MAX
    (249, 2048),   // _SC_MINSIGSTKSZ
    (250, 8192),   // _SC_SIGSTKSZ
];

/// An option of POSIX.1-2008 that is there.
const VERSION: i64 = 200_809;

fn configuration(call: &mut PosixCall<'_, '_>) -> Step {
    let question = call.argument(0)? as u32;
    match ANSWERS.iter().find(|(number, _)| *number == question) {
        Some((_, answer)) => word(*answer as u64),
        None => Ok(Outcome::Fallback),
    }
}
