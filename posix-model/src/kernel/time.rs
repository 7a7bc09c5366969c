//! Time. The clock is virtual: it moves on when it is read, and jumps when who slept reads it.
//!
//! Reading the clock is an operation that does not commute with other readings, so all threads see one clock that
//! never goes back. Sleeping touches nothing but the sleeper: until when it slept is made good at its next reading.

use super::system_calls::{SystemCall, argument, call as row};
use crate::answer::{PosixCall, Step, Turn, announced, failed, touching, word};
use crate::errno::EINVAL;
use crate::places::{CLOCK, write};
use imbl::HashMap;
use smallvec::SmallVec;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::ThreadId;

pub(crate) const CALLS: &[SystemCall] = &[
    row(35, "nanosleep", |call| sleep(call, 0, None)),
    row(36, "getitimer", |call| {
        let result = argument(call, 1)?;
        call.write_bytes(result, &[0; 32])?;
        word(0)
    }),
    row(38, "setitimer", set_timer),
    row(96, "gettimeofday", time_of_day),
    row(98, "getrusage", usage),
    row(100, "times", ticks),
    row(201, "time", seconds),
    row(228, "clock_gettime", clock_time),
    row(229, "clock_getres", resolution),
    row(230, "clock_nanosleep", |call| {
        let flags = argument(call, 1)?;
        sleep(call, 2, Some(flags & ABSOLUTE != 0))
    }),
];

/// Nanoseconds the clock moves on with each reading.
const TICK: u64 = 1_000;
const SECOND: u64 = 1_000_000_000;
/// Flag of `clock_nanosleep`: the time is one to wait for, not a duration.
const ABSOLUTE: u64 = 1;
/// Ticks a second of `times`.
const TICKS: u64 = 100;

/// The virtual clock, in nanoseconds since 1970.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    start: u64,
    now: u64,
    /// When each thread last knew the time to be, its sleep included.
    known: HashMap<ThreadId, u64>,
}

impl Clock {
    pub fn new(start: u64) -> Self {
        Self { start, now: start, known: HashMap::new() }
    }

    /// Reads the clock.
    fn read(&mut self, thread: ThreadId) -> u64 {
        let known = self.known.get(&thread).copied().unwrap_or(0);
        self.now = (self.now + TICK).max(known);
        self.known.insert(thread, self.now);
        self.now
    }

    /// Lets `thread` sleep for a duration.
    pub fn sleep_for(&mut self, thread: ThreadId, duration: u64) {
        let known = self.known.get(&thread).copied().unwrap_or(self.start);
        self.known.insert(thread, known.saturating_add(duration));
    }

    /// Lets `thread` sleep until a time.
    fn sleep_until(&mut self, thread: ThreadId, time: u64) {
        let known = self.known.get(&thread).copied().unwrap_or(self.start);
        self.known.insert(thread, known.max(time));
    }
}

/// Reads the clock, once that has been announced.
fn read(call: &mut PosixCall<'_, '_>) -> Turn<u64> {
    if let Some(park) = announced(call, touching(write(CLOCK))) {
        return Turn::Answer(Ok(park));
    }
    let thread = call.thread();
    Turn::Go(call.data().kernel.clock.read(thread))
}

/// Whether a clock counts from the start of the process rather than from 1970.
fn is_relative(clock: u64) -> bool {
    matches!(clock, 1..=4 | 6 | 7)
}

fn since(call: &PosixCall<'_, '_>, clock: u64, time: u64) -> u64 {
    if is_relative(clock) { time - call.state().data.kernel.clock.start + SECOND } else { time }
}

fn put_pair(call: &mut PosixCall<'_, '_>, address: u64, first: u64, second: u64) -> Result<(), Stop> {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&second.to_le_bytes());
    call.write_bytes(address, &bytes)
}

fn clock_time(call: &mut PosixCall<'_, '_>) -> Step {
    let (clock, result) = (argument(call, 0)?, argument(call, 1)?);
    let time = match read(call) {
        Turn::Go(time) => since(call, clock, time),
        Turn::Answer(answer) => return answer,
    };
    put_pair(call, result, time / SECOND, time % SECOND)?;
    word(0)
}

fn resolution(call: &mut PosixCall<'_, '_>) -> Step {
    let result = argument(call, 1)?;
    if result != 0 {
        put_pair(call, result, 0, 1)?;
    }
    word(0)
}

fn time_of_day(call: &mut PosixCall<'_, '_>) -> Step {
    let (result, zone) = (argument(call, 0)?, argument(call, 1)?);
    let time = match read(call) {
        Turn::Go(time) => time,
        Turn::Answer(answer) => return answer,
    };
    if result != 0 {
        put_pair(call, result, time / SECOND, time % SECOND / 1000)?;
    }
    if zone != 0 {
        call.write(zone, 8, Value::Concrete(0))?;
    }
    word(0)
}

fn seconds(call: &mut PosixCall<'_, '_>) -> Step {
    let result = argument(call, 0)?;
    let time = match read(call) {
        Turn::Go(time) => time / SECOND,
        Turn::Answer(answer) => return answer,
    };
    if result != 0 {
        call.write(result, 8, Value::Concrete(time))?;
    }
    word(time)
}

/// Processor time is the time since the start.
fn ticks(call: &mut PosixCall<'_, '_>) -> Step {
    let result = argument(call, 0)?;
    let elapsed = match read(call) {
        Turn::Go(time) => since(call, 1, time) / (SECOND / TICKS),
        Turn::Answer(answer) => return answer,
    };
    if result != 0 {
        put_pair(call, result, elapsed, 0)?;
        put_pair(call, result + 16, 0, 0)?;
    }
    word(elapsed)
}

fn usage(call: &mut PosixCall<'_, '_>) -> Step {
    const EXTENT: usize = 144;
    let result = argument(call, 1)?;
    let elapsed = match read(call) {
        Turn::Go(time) => since(call, 1, time),
        Turn::Answer(answer) => return answer,
    };
    call.write_bytes(result, &[0; EXTENT])?;
    put_pair(call, result, elapsed / SECOND, elapsed % SECOND / 1000)?;
    word(0)
}

/// `setitimer(which, new, old)`. A timer may be stopped; what would go off at some time of a virtual clock has no place
/// among the schedules.
fn set_timer(call: &mut PosixCall<'_, '_>) -> Step {
    let (new, old) = (argument(call, 1)?, argument(call, 2)?);
    for offset in [16, 24] {
        if new != 0 && call.read_number(new + offset, 8)? != 0 {
            return Err(call.unsupported("setitimer that starts a timer"));
        }
    }
    if old != 0 {
        call.write_bytes(old, &[0; 32])?;
    }
    word(0)
}

/// Sleeps for, or until, the `struct timespec` whose address is argument `index`. Others may run meanwhile.
fn sleep(call: &mut PosixCall<'_, '_>, index: usize, absolute: Option<bool>) -> Step {
    let request = argument(call, index)?;
    let (whole, fraction) = (call.read_number(request, 8)?, call.read_number(request + 8, 8)?);
    if fraction >= SECOND || whole as i64 as i128 != i128::from(whole) {
        return failed(EINVAL);
    }
    if call.phase() == 0 {
        return Ok(call.park(SmallVec::new()));
    }
    let time = whole.saturating_mul(SECOND).saturating_add(fraction);
    let thread = call.thread();
    let relative_clock = absolute.is_some() && is_relative(argument(call, 0)?);
    let clock = &mut call.data().kernel.clock;
    match absolute {
        Some(true) if relative_clock => {
            let time = time.saturating_add(clock.start).saturating_sub(SECOND);
            clock.sleep_until(thread, time);
        }
        Some(true) => clock.sleep_until(thread, time),
        _ => clock.sleep_for(thread, time),
    }
    word(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back_and_sleepers_see_their_sleep() {
        let mut clock = Clock::new(SECOND);
        let (one, two) = (ThreadId(1), ThreadId(2));
        let before = clock.read(one);
        clock.sleep_for(one, 5 * SECOND);
        let between = clock.read(two);
        assert!(between > before && between < before + SECOND);
        let after = clock.read(one);
        assert!(after >= before + 5 * SECOND);
        assert!(clock.read(two) > after);
    }
}
