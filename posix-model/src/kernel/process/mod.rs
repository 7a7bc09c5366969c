//! The process: its end, its numbers and limits, random bytes.

pub(crate) mod limits;
pub(crate) mod machine;
pub(crate) mod numbered;
mod own_thread;

use crate::answer::{PosixCall, Step, Turn, announced, failed, touching, word};
use crate::errno::{EINVAL, EPERM, ESRCH};
use crate::kernel::process::numbered::{process_meant, stand_before_thread};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{RANDOM, SETTINGS, end_of, read, write};
use crate::threads::process_numbers;
use crate::threads::scheduling::{bind, processors};
use crate::threads::thread_number;
use smallvec::{SmallVec, smallvec};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Place, ThreadId};

/// The numbers of the group and the session that a process belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Membership {
    pub group: u64,
    pub session: u64,
}

impl Membership {
    /// That of the first process, which leads both.
    pub(super) const FIRST: Self =
        Self { group: thread_number(ThreadId::MAIN), session: thread_number(ThreadId::MAIN) };
}

pub(crate) const CALLS: &[SystemCall] = &[
    row(24, "sched_yield", yield_processor),
    row(39, "getpid", |call| word(process_numbers::own_number(call))),
    row(60, "exit", |call| Err(call.unsupported("a thread that ends without pthread_exit"))),
    row(63, "uname", names),
    row(97, "getrlimit", limits::get),
    row(99, "sysinfo", system),
    row(102, "getuid", |_| word(USER)),
    row(104, "getgid", |_| word(USER)),
    row(107, "geteuid", |_| word(USER)),
    row(108, "getegid", |_| word(USER)),
    row(105, "setuid", same_user),
    row(106, "setgid", same_user),
    row(109, "setpgid", join_group),
    row(110, "getppid", parent),
    row(111, "getpgrp", |call| membership(call, 0, |own| own.group)),
    row(112, "setsid", begin_session),
    row(113, "setreuid", |call| same_users(call, 2)),
    row(114, "setregid", |call| same_users(call, 2)),
    row(115, "getgroups", |_| word(0)),
    // Other groups are the superuser's to choose.
    row(116, "setgroups", |_| failed(EPERM)),
    row(117, "setresuid", |call| same_users(call, 3)),
    row(118, "getresuid", users),
    row(119, "setresgid", |call| same_users(call, 3)),
    row(120, "getresgid", users),
    row(121, "getpgid", |call| {
        let process = argument(call, 0)?;
        membership(call, process as u32, |own| own.group)
    }),
    row(124, "getsid", |call| {
        let process = argument(call, 0)?;
        membership(call, process as u32, |own| own.session)
    }),
    row(140, "getpriority", own_thread::priority),
    row(141, "setpriority", own_thread::set_priority),
    row(157, "prctl", own_thread::control),
    row(158, "arch_prctl", |_| word(0)),
    row(160, "setrlimit", limits::set),
    row(186, "gettid", own_number),
    row(203, "sched_setaffinity", set_affinity),
    row(204, "sched_getaffinity", affinity),
    row(218, "set_tid_address", |call| word(thread_number(call.thread()))),
    row(231, "exit_group", exit),
    row(252, "ioprio_get", disk_priority),
    row(273, "set_robust_list", |_| word(0)),
    row(302, "prlimit64", limits::get_and_set),
    row(309, "getcpu", processor),
    row(318, "getrandom", random),
];

/// The process's number: that of its main thread.
pub(crate) const PROCESS: u64 = thread_number(ThreadId::MAIN);
/// The user's and the group's number.
pub(crate) const USER: u64 = 1000;

/// Bytes of the machine's memory, of which half is free.
pub(crate) const MEMORY: u64 = 8 << 30;

/// Seconds that the machine has been up when the program starts. Programs take it for granted that it is
/// longer than their own intervals.
pub(crate) const UPTIME: u64 = 1000;

/// I/O priorities that were never set: of a thread, and the highest of several.
const DISK_PRIORITY: u64 = 0;
const BEST_DISK_PRIORITY: u64 = 2 << 13 | 4;

/// Becoming the present user.
fn same_user(call: &mut PosixCall<'_, '_>) -> Step {
    same_users(call, 1)
}

/// The first `count` arguments are users or groups to become, -1 for no change.
fn same_users(call: &mut PosixCall<'_, '_>, count: usize) -> Step {
    for index in 0..count {
        let user = argument(call, index)? as u32;
        if u64::from(user) != USER && user != u32::MAX {
            return failed(EPERM);
        }
    }
    word(0)
}

/// Real, effective and saved number.
fn users(call: &mut PosixCall<'_, '_>) -> Step {
    for index in 0..3 {
        let address = argument(call, index)?;
        call.write(address, 4, Value::Concrete(USER))?;
    }
    word(0)
}

/// A number of the group or the session of a process; 0 is the calling one.
fn membership(call: &mut PosixCall<'_, '_>, process: u32, number: fn(Membership) -> u64) -> Step {
    let process = match process_meant(call, process) {
        Turn::Go(process) => process,
        Turn::Answer(answer) => return answer,
    };
    if let Some(park) = announced(call, smallvec![read(SETTINGS)]) {
        return Ok(park);
    }
    match is_own(call, process) {
        true => word(number(call.state().data.kernel.own.membership)),
        false if process_numbers::process_numbered(call, process as i32).is_some() => {
            Err(call.unsupported("the group or the session of another process"))
        }
        false => failed(ESRCH),
    }
}

/// Whether a number means the calling process; 0 does.
fn is_own(call: &PosixCall<'_, '_>, process: u32) -> bool {
    process == 0 || u64::from(process) == process_numbers::own_number(call)
}

/// `setpgid(process, group)`. What it is for another process is not kept: signals for groups are refused.
fn join_group(call: &mut PosixCall<'_, '_>) -> Step {
    let (process, group) = (argument(call, 0)? as u32, argument(call, 1)? as u32);
    if let Some(park) = announced(call, smallvec![write(SETTINGS)]) {
        return Ok(park);
    }
    if is_own(call, process) {
        let own = process_numbers::own_number(call);
        call.data().kernel.own.membership.group = if group == 0 { own } else { group.into() };
    }
    word(0)
}

/// `setsid()`: a session and a group of the process's own, unless it leads a group.
fn begin_session(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(park) = announced(call, smallvec![write(SETTINGS)]) {
        return Ok(park);
    }
    let own = process_numbers::own_number(call);
    let membership = &mut call.data().kernel.own.membership;
    if membership.group == own {
        return failed(EPERM);
    }
    *membership = Membership { group: own, session: own };
    word(own)
}

/// The parent of a process of which the parent has ended is the first of all.
fn parent(call: &mut PosixCall<'_, '_>) -> Step {
    const FIRST: u64 = 1;
    let process = call.process();
    if process == ThreadId::MAIN {
        return word(FIRST);
    }
    let parent = |call: &PosixCall<'_, '_>| call.bookkeeping().processes.records.get(&process)?.parent;
    let footprint = parent(call).map(|parent| read(end_of(parent)));
    if let Some(park) = announced(call, footprint.into_iter().collect()) {
        return Ok(park);
    }
    word(parent(call).map_or(FIRST, process_numbers::process_number))
}

fn own_number(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    call.distinguish(me);
    word(thread_number(me))
}

fn exit(call: &mut PosixCall<'_, '_>) -> Step {
    if call.has_forked() {
        // The end of the process is a step of its own.
        let status = exit_status(call)?;
        return end(call, status);
    }
    // Writes by others before the end are seen, those after it are not.
    if call.phase() == 0 {
        return Ok(call.park(smallvec![write(Place::Process)]));
    }
    let status = exit_status(call)?;
    end(call, status)
}

/// Of a symbolic status only the byte that remains of it is split into its values.
fn exit_status(call: &mut PosixCall<'_, '_>) -> Result<Value, Stop> {
    let status = match call.value(1) {
        Value::Symbolic(term) => Value::of(call.terms(), call.terms().extract(term, 0, 8)),
        status => status,
    };
    Ok(Value::Concrete(call.concretize(status)?))
}

/// Ends the process.
pub(crate) fn end(call: &mut PosixCall<'_, '_>, status: Value) -> Step {
    match status {
        Value::Concrete(status) => Ok(Outcome::ProcessExit(status as u8)),
        Value::Symbolic(_) => Err(call.unsupported("a symbolic exit status without libc")),
    }
}

fn yield_processor(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() == 0 {
        return Ok(call.park(SmallVec::new()));
    }
    word(0)
}

/// A `struct utsname`: six fields of 65 bytes.
fn names(call: &mut PosixCall<'_, '_>) -> Step {
    const FIELD: usize = 65;
    let address = argument(call, 0)?;
    let mut bytes = [0; 6 * FIELD];
    for (index, text) in ["Linux", "symx", "6.1.0", "#1", "x86_64", "(none)"].into_iter().enumerate() {
        bytes[index * FIELD..][..text.len()].copy_from_slice(text.as_bytes());
    }
    call.write_bytes(address, &bytes)?;
    word(0)
}

/// A `struct sysinfo`.
fn system(call: &mut PosixCall<'_, '_>) -> Step {
    let address = argument(call, 0)?;
    let mut bytes = [0; 112];
    bytes[..8].copy_from_slice(&UPTIME.to_le_bytes());
    bytes[32..40].copy_from_slice(&MEMORY.to_le_bytes());
    bytes[40..48].copy_from_slice(&(MEMORY / 2).to_le_bytes());
    bytes[80..82].copy_from_slice(&1_u16.to_le_bytes());
    bytes[104..108].copy_from_slice(&1_u32.to_le_bytes());
    call.write_bytes(address, &bytes)?;
    word(0)
}

fn set_affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, size, set) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    let target = match stand_before_thread(call, thread, write) {
        Turn::Go(Some(target)) => target,
        Turn::Go(None) => return failed(ESRCH),
        Turn::Answer(answer) => return answer,
    };
    match bind(call, target, size, set)? {
        0 => word(0),
        error => failed(error),
    }
}

fn affinity(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, size, address) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    if size < 8 {
        return failed(EINVAL);
    }
    let target = match stand_before_thread(call, thread, read) {
        Turn::Go(Some(target)) => target,
        Turn::Go(None) => return failed(ESRCH),
        Turn::Answer(answer) => return answer,
    };
    let mask = processors(call, target);
    call.write(address, 8, Value::Concrete(mask))?;
    word(8)
}

/// `ioprio_get(which, who)`: of a thread, a group of processes or a user; 0 is the caller's.
fn disk_priority(call: &mut PosixCall<'_, '_>) -> Step {
    let (which, who) = (argument(call, 0)? as u32, u64::from(argument(call, 1)? as u32));
    let is_own = |number| who == 0 || who == number;
    if which == 1 {
        return match stand_before_thread(call, who, read) {
            Turn::Go(Some(_)) => word(DISK_PRIORITY),
            Turn::Go(None) => failed(ESRCH),
            Turn::Answer(answer) => answer,
        };
    }
    match which {
        2 if is_own(PROCESS) => word(BEST_DISK_PRIORITY),
        3 if is_own(USER) => word(BEST_DISK_PRIORITY),
        2 | 3 => failed(ESRCH),
        _ => failed(EINVAL),
    }
}

fn processor(call: &mut PosixCall<'_, '_>) -> Step {
    for index in [0, 1] {
        let address = argument(call, index)?;
        if address != 0 {
            call.write(address, 4, Value::Concrete(0))?;
        }
    }
    word(0)
}

/// Random bytes made without asking in between: some thousandths of a second's work.
const BETWEEN: u64 = 1 << 20;

/// Appends `count` bytes of a fixed pseudo-random sequence (SplitMix64), of which `given` were given out
/// before.
fn add_random_bytes(bytes: &mut Vec<u8>, given: &mut u64, count: u64) {
    let start = *given;
    *given += count;
    bytes.extend((start..*given).map(|index| {
        let mut word = (index / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31).to_le_bytes()[(index % 8) as usize]
    }));
}

/// The next `count` random bytes.
pub(crate) fn random_bytes(call: &mut PosixCall<'_, '_>, count: u64) -> Result<Vec<u8>, Stop> {
    call.ask(count)?;
    let mut bytes = Vec::with_capacity(count as usize);
    while let left @ 1.. = count - bytes.len() as u64 {
        call.proceed()?;
        add_random_bytes(&mut bytes, &mut call.data().kernel.random, left.min(BETWEEN));
    }
    Ok(bytes)
}

/// The same bytes in every execution.
fn random(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, count) = (argument(call, 0)?, argument(call, 1)?);
    // A buffer of no bytes may be anywhere: so programs ask whether the call exists.
    if count > 0 {
        call.object(address, count, Purpose::Write)?;
    }
    if let Some(park) = announced(call, touching(write(RANDOM))) {
        return Ok(park);
    }
    let bytes = random_bytes(call, count)?;
    call.write_bytes(address, &bytes)?;
    word(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_go_on_where_they_stopped() {
        let (mut whole, mut parts) = (0, 0);
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        add_random_bytes(&mut expected, &mut whole, 32);
        add_random_bytes(&mut found, &mut parts, 5);
        add_random_bytes(&mut found, &mut parts, 27);
        assert_eq!(found, expected);
        assert!(expected.windows(2).any(|pair| pair[0] != pair[1]));
    }
}
