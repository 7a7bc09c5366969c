//! Niceness and names, which threads set for themselves.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::{EACCES, EINVAL, ESRCH};
use crate::kernel::process::numbered::stand_before_thread;
use crate::kernel::system_calls::argument;
use crate::places::{read, write};
use crate::threads::{NAME_EXTENT, name_of, record, store, update};
use symx_interp::stop::Stop;
use symx_trace::{Access, Place, ThreadId};

/// The nicest to others, and the least nice.
const NICE: std::ops::RangeInclusive<i32> = -20..=19;
/// Denotes the calling thread where a number is expected.
const OWN: u64 = 0;
/// The kernel counts priorities down from this, so that its results are above zero.
const ABOVE_NICE: i32 = 20;

/// `getpriority(which, who)`.
pub(super) fn priority(call: &mut PosixCall<'_, '_>) -> Step {
    let target = match ranked(call, read)? {
        Turn::Go(target) => target,
        Turn::Answer(answer) => return answer,
    };
    word((ABOVE_NICE - record(call, target).nice) as u64)
}

/// `setpriority(which, who, nice)`. Only the superuser makes a thread less nice than it is.
pub(super) fn set_priority(call: &mut PosixCall<'_, '_>) -> Step {
    let nice = (argument(call, 2)? as i32).clamp(*NICE.start(), *NICE.end());
    let target = match ranked(call, write)? {
        Turn::Go(target) => target,
        Turn::Answer(answer) => return answer,
    };
    let mut record = record(call, target);
    if nice < record.nice {
        return failed(EACCES);
    }
    record.nice = nice;
    store(call, target, record);
    word(0)
}

/// Stands before an `access` to the record of the thread that the first two arguments mean. A group of
/// processes, or those of a user, are one thread where there is no other.
fn ranked(call: &mut PosixCall<'_, '_>, access: fn(Place) -> Access) -> Result<Turn<ThreadId>, Stop> {
    let (which, who) = (argument(call, 0)? as u32, u64::from(argument(call, 1)? as u32));
    match which {
        0 => {}
        1 | 2 if who == 0 && !call.others_go_on() && !call.has_forked() => {}
        1 | 2 => return Err(call.unsupported("the priority of a group of processes or of a user")),
        _ => return Ok(Turn::Answer(failed(EINVAL))),
    }
    Ok(match stand_before_thread(call, who, access) {
        Turn::Go(Some(target)) => Turn::Go(target),
        Turn::Go(None) => Turn::Answer(failed(ESRCH)),
        Turn::Answer(answer) => Turn::Answer(answer),
    })
}

// Operations of `prctl`.
const SIGNAL_AT_PARENTS_END: u32 = 1;
const SET_NAME: u32 = 15;
const GET_NAME: u32 = 16;

/// Those that set what no result of a modelled call depends on: `PR_SET_DUMPABLE`, `PR_SET_KEEPCAPS`,
/// `PR_SET_TIMERSLACK`, `PR_SET_NO_NEW_PRIVS`, `PR_SET_THP_DISABLE`, `PR_SET_VMA`, `PR_SET_PTRACER`.
const WITHOUT_EFFECT: [u32; 7] = [4, 8, 29, 38, 41, 0x5356_4d41, 0x5961_6d61];

/// `prctl(operation, argument, ...)`.
pub(super) fn control(call: &mut PosixCall<'_, '_>) -> Step {
    let (operation, address) = (argument(call, 0)? as u32, argument(call, 1)?);
    let me = call.thread();
    match operation {
        SET_NAME => {
            let mut name = call.read_string_within(address, NAME_EXTENT as u64 - 1)?;
            name.truncate(NAME_EXTENT - 1);
            if let Turn::Answer(park) = stand_before_thread(call, OWN, write) {
                return park;
            }
            update(call, |own| own.name = Some(name));
            word(0)
        }
        GET_NAME => {
            if let Turn::Answer(park) = stand_before_thread(call, OWN, read) {
                return park;
            }
            let mut name = name_of(call, me);
            name.resize(NAME_EXTENT, 0);
            call.write_bytes(address, &name)?;
            word(0)
        }
        // The parent of the first process is not part of the program.
        SIGNAL_AT_PARENTS_END if !call.has_forked() => word(0),
        _ if WITHOUT_EFFECT.contains(&operation) => word(0),
        _ => Err(call.unsupported(format!("prctl operation {operation}"))),
    }
}
