//! Timers to read from: `timerfd`. A timer of the process that counts, at its node, how often its time was
//! up.
//!
//! It is up at any moment after its time, as with every timer here. The exception is a thread that knows by
//! the clock that the time has come: for that thread it is up.

use crate::answer::{PosixCall, Step, Turn, announced, announced_synchronisation, failed, made, word};
use crate::errno::{EAGAIN, EBADF, EINVAL, EPERM};
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::READABLE;
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{FLAGS_OF_NAMELESS, NONBLOCK, READ_AND_WRITE};
use crate::kernel::notice::Notice;
use crate::kernel::readiness::{footprint_of_naming, wait_to_transfer};
use crate::kernel::signals::timers::{Timer, add, duration, put, start};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{CLOCK, CREATION, TIMER, write};
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_trace::{Footprint, ThreadId};

pub(crate) const CALLS: &[SystemCall] =
    &[row(283, "timerfd_create", make), row(286, "timerfd_settime", set), row(287, "timerfd_gettime", get)];

const ABSOLUTE: u64 = 1;
/// Flag of `timerfd_settime`: reads fail when the clock is set. Here it never is.
const CANCEL_ON_SET: u64 = 2;
/// Bytes of a `struct itimerspec`.
const SETTING: u64 = 32;

/// `timerfd_create(clock, flags)`
fn make(call: &mut PosixCall<'_, '_>) -> Step {
    let (clock, flags) = (argument(call, 0)? & 0xffff_ffff, argument(call, 1)? & 0xffff_ffff);
    if flags & !FLAGS_OF_NAMELESS != 0 {
        return failed(EINVAL);
    }
    match clock {
        0 | 1 | 7 => {}
        // Those that wake the machine are root's.
        8 | 9 => return failed(EPERM),
        _ => return failed(EINVAL),
    }
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().chain([write(TIMER)]).collect()) {
        return Ok(park);
    }
    made(call.data().kernel.open_new(opener, READ_AND_WRITE, flags, |kernel| {
        let node = kernel.files.add(opener.thread, NodeKind::Timer(0), 0o600);
        let number = add(kernel, Timer::new(Notice::Descriptor { node }, clock));
        kernel.files.change(node, |node| node.kind = NodeKind::Timer(number));
        node
    }))
}

/// The node and the number of the timer whose descriptor is argument 0, or the error of there being none.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Result<(u64, u64), i32>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let Some(node) = kernel.node_of(descriptor) else { return Ok(Err(EBADF)) };
    Ok(match kernel.files.kind(node) {
        Some(NodeKind::Timer(number)) => Ok((node, *number)),
        _ => Err(EINVAL),
    })
}

/// Stands before an operation on the timer whose descriptor is argument 0: its node and number.
fn stand_before(
    call: &mut PosixCall<'_, '_>,
    others: &[symx_trace::Access],
) -> Result<Turn<(u64, u64)>, Stop> {
    let named = named(call)?;
    let mut footprint = Footprint::from_slice(others);
    footprint.extend(footprint_of_naming(call, named.ok().map(|(node, _)| node))?);
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(Turn::Answer(Ok(park)));
    }
    Ok(named.map_or_else(|error| Turn::Answer(failed(error)), Turn::Go))
}

/// `timerfd_settime(descriptor, flags, new, old)`
fn set(call: &mut PosixCall<'_, '_>) -> Step {
    let (flags, new, old) = (argument(call, 1)? & 0xffff_ffff, argument(call, 2)?, argument(call, 3)?);
    let (interval, first) = (duration(call, new, 1)?, duration(call, new + 16, 1)?);
    let (Some(interval), Some(first)) = (interval, first) else { return failed(EINVAL) };
    if flags & !(ABSOLUTE | CANCEL_ON_SET) != 0 {
        return failed(EINVAL);
    }
    if old != 0 {
        call.object(old, SETTING, Purpose::Write)?;
    }
    let others = [write(TIMER), write(CREATION), write(CLOCK)];
    let (node, number) = match stand_before(call, &others[..if old == 0 { 2 } else { 3 }])? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    catch_up(call, node, number);
    put(call, old, number, 1)?;
    let (me, kernel) = (call.thread(), &call.state().data.kernel);
    let Some(timer) = kernel.own.timers.get(number).copied() else { return failed(EINVAL) };
    let until = match flags & ABSOLUTE {
        0 => kernel.clock.after(me, first),
        _ => kernel.clock.absolute(timer.clock, first),
    };
    start(call, number, timer, (first > 0).then_some(until), interval);
    word(0)
}

/// `timerfd_gettime(descriptor, result)`
fn get(call: &mut PosixCall<'_, '_>) -> Step {
    let result = argument(call, 1)?;
    call.object(result, SETTING, Purpose::Write)?;
    let (node, number) = match stand_before(call, &[write(TIMER), write(CLOCK)])? {
        Turn::Go(found) => found,
        Turn::Answer(answer) => return answer,
    };
    catch_up(call, node, number);
    put(call, result, number, 1)?;
    word(0)
}

/// Lets the timer go off as often as the calling thread knows that its time was up.
fn catch_up(call: &mut PosixCall<'_, '_>, node: u64, number: u64) {
    let me = call.thread();
    let kernel = &mut call.data().kernel;
    let known = kernel.clock.known(me);
    if is_due(kernel, me, number) {
        kernel.files.changed(node, READABLE);
    }
    kernel.own.timers.change(number, |timer| timer.caught_up(known));
}

/// Whether the time was up for the first time since the last read, which `thread` knows by the clock alone.
pub(crate) fn is_due(kernel: &Kernel, thread: ThreadId, number: u64) -> bool {
    let known = kernel.clock.known(thread);
    kernel.own.timers.get(number).is_some_and(|timer| timer.unread() == 0 && timer.due(known) > 0)
}

/// Whether a read by `thread` would proceed.
pub(crate) fn is_readable(kernel: &Kernel, thread: ThreadId, number: u64) -> bool {
    is_due(kernel, thread, number) || kernel.own.timers.get(number).is_none_or(|timer| timer.unread() > 0)
}

/// Takes the count of times that the timer at `node` went off: the eight bytes to read.
pub(crate) fn take(
    call: &mut PosixCall<'_, '_>,
    (node, number): (u64, u64),
    flags: u32,
    count: u64,
) -> Turn<Vec<u8>> {
    if count < 8 {
        return Turn::Answer(failed(EINVAL));
    }
    catch_up(call, node, number);
    let timer = call.state().data.kernel.own.timers.get(number).copied();
    let Some(timer) = timer else { return Turn::Answer(failed(EINVAL)) };
    if timer.unread() == 0 {
        return Turn::Answer(match () {
            () if flags & NONBLOCK != 0 => failed(EAGAIN),
            () => wait_to_transfer(call, READABLE, &[]),
        });
    }
    let me = call.thread();
    let kernel = &mut call.data().kernel;
    kernel.own.timers.change(number, Timer::read);
    kernel.clock.sleep_until(me, timer.last);
    Turn::Go(timer.unread().to_le_bytes().to_vec())
}
