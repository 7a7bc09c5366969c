//! The timer of a process (`alarm`, `setitimer`): a thread of the system's own that sends the signal when the time is up.
//!
//! As any sleep it may end at any time, so every schedule is explored in which the signal comes early or late.

use super::signals::TO_PROCESS;
use super::system_calls::{SystemCall, argument, call as row};
use crate::answer::{PosixCall, Step, announced, failed, word};
use crate::errno::EINVAL;
use crate::places::{CREATION, SIGNALS, TIMER, interruption, read, write};
use crate::wait::PosixWait;
use smallvec::smallvec;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_trace::Footprint;

pub(crate) const CALLS: &[SystemCall] = &[row(36, "getitimer", timer), row(38, "setitimer", set_timer)];

/// The timer of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Timer {
    /// How often it was set: only the thread of the last time acts.
    pub generation: u64,
    /// When it goes off, if it does.
    pub until: Option<u64>,
    /// After how long it does so again; 0 for never.
    interval: u64,
}

const SECOND: u64 = 1_000_000_000;
/// `SIGALRM`
const ALARM: u32 = 14;
/// The clocks of timers: real time, and two of processor time.
const LAST_CLOCK: u64 = 2;

/// A `struct timeval` in nanoseconds; `None` if it is no time.
fn duration(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Option<u64>, Stop> {
    let (seconds, micros) = (call.read_number(address, 8)?, call.read_number(address + 8, 8)?);
    let valid = micros < 1_000_000 && seconds as i64 >= 0;
    Ok(valid.then(|| seconds.saturating_mul(SECOND).saturating_add(micros * 1000)))
}

/// Stores what is left of the timer, and its interval.
fn put(call: &mut PosixCall<'_, '_>, address: u64) -> Result<(), Stop> {
    if address == 0 {
        return Ok(());
    }
    let kernel = &call.state().data.kernel;
    let timer = kernel.timer;
    // A timer that is set has at least a moment left.
    let left = timer.until.map_or(0, |until| until.saturating_sub(kernel.clock.now()).max(1000));
    let words = [timer.interval, left].map(|time| [time / SECOND, time % SECOND / 1000]);
    let bytes: Vec<u8> = words.concat().into_iter().flat_map(u64::to_le_bytes).collect();
    call.write_bytes(address, &bytes)
}

fn timer(call: &mut PosixCall<'_, '_>) -> Step {
    let (which, result) = (argument(call, 0)?, argument(call, 1)?);
    if which > LAST_CLOCK {
        return failed(EINVAL);
    }
    if let Some(park) = announced(call, smallvec![read(TIMER)]) {
        return Ok(park);
    }
    put(call, result)?;
    word(0)
}

/// `setitimer(which, new, old)`
fn set_timer(call: &mut PosixCall<'_, '_>) -> Step {
    let (which, new, old) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    if which > LAST_CLOCK {
        return failed(EINVAL);
    }
    let (Some(interval), Some(first)) = (duration(call, new)?, duration(call, new + 16)?) else {
        return failed(EINVAL);
    };
    if which != 0 && first != 0 {
        return Err(call.unsupported("setitimer that starts a timer of processor time"));
    }
    if let Some(park) = announced(call, smallvec![write(TIMER), write(CREATION)]) {
        return Ok(park);
    }
    put(call, old)?;
    let me = call.thread();
    let kernel = &mut call.data().kernel;
    let until = (first > 0).then(|| kernel.clock.after(me, first));
    let generation = kernel.timer.generation + 1;
    kernel.timer = Timer { generation, until, interval };
    if until.is_some() {
        call.create_service(run, "timer", &[generation]);
    }
    word(0)
}

/// The timer's thread. Its argument is the generation of the timer it belongs to.
fn run(call: &mut PosixCall<'_, '_>) -> Step {
    let generation = call.argument(0)?;
    let timer = call.state().data.kernel.timer;
    if call.phase() > 0 {
        let Some(until) = timer.until.filter(|_| timer.generation == generation) else {
            return Ok(Outcome::ThreadExit);
        };
        let data = call.data();
        data.kernel.signals.send(None, ALARM, TO_PROCESS);
        data.kernel.timer.until = (timer.interval > 0).then(|| until.saturating_add(timer.interval));
        if timer.interval == 0 {
            return Ok(Outcome::ThreadExit);
        }
    }
    let mut footprint: Footprint = smallvec![write(TIMER), write(SIGNALS)];
    let threads = call.state().threads.iter().filter(|thread| !thread.service);
    footprint.extend(threads.map(|thread| write(interruption(thread.id))));
    Ok(call.park_until(footprint, PosixWait::Timer { generation }))
}
