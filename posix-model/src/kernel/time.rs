//! Time. The clock is virtual: it moves on when it is read, and jumps when a thread that slept reads it.
//!
//! Reading the clock is an operation that does not commute with other readings, so all threads see one clock
//! that never goes back. A thread that has slept has moved it on to when its sleep ends. That commutes with
//! other sleeps, so sleeping counts as looking at the clock.

use crate::answer::{
    PosixCall, Step, Turn, announced, fail_int, failed, finish_failure, int, touching, word,
};
use crate::errno::{EINTR, EINVAL, EPERM};
use crate::kernel::process::UPTIME;
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::options::Posix;
use crate::places::{CLOCK, read as read_only, write};
use crate::row::{self, Row};
use crate::sync::deadline::REALTIME;
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::cancellation::point;
use crate::threads::{has_interrupted, thread_numbered};
use imbl::Vector;
use smallvec::smallvec;
use symx_interp::Table;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::ThreadId;

pub(crate) const CALLS: &[SystemCall] = &[
    row(35, "nanosleep", |call| sleep(call, 1, None)),
    row(96, "gettimeofday", time_of_day),
    row(98, "getrusage", usage),
    row(100, "times", ticks),
    row(201, "time", seconds),
    row(227, "clock_settime", |call| {
        let clock = argument(call, 0)?;
        // Only root may.
        failed(if exists(clock) && (clock as u32) < 2 { EPERM } else { EINVAL })
    }),
    row(228, "clock_gettime", clock_time),
    row(229, "clock_getres", resolution),
    row(230, "clock_nanosleep", |call| {
        let flags = argument(call, 1)?;
        sleep(call, 3, Some(flags & ABSOLUTE != 0))
    }),
];

pub(crate) const ROWS: &[Row] = &[
    row::row(&["usleep"], |call| point(call, sleep_microseconds)),
    row::row(&["sleep"], |call| point(call, sleep_seconds)),
];

/// Nanoseconds the clock moves on with each reading.
const TICK: u64 = 1_000;
/// `CLOCK_PROCESS_CPUTIME_ID`
const PROCESS_TIME: u64 = 2;
pub(in crate::kernel) const SECOND: u64 = 1_000_000_000;
/// Flag of `clock_nanosleep`: the time is one to wait for, not a duration.
const ABSOLUTE: u64 = 1;
/// Ticks a second of `times`.
const TICKS: u64 = 100;

/// The virtual clock, in nanoseconds since 1970.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Clock {
    start: u64,
    now: u64,
    /// When each thread last knew the time to be, its sleep included.
    known: Table<ThreadId, u64>,
    /// When threads began, but for the main one.
    begun: Table<ThreadId, u64>,
    /// The time that threads that sleep knew when they lay down: one number a sleep, those of handlers that
    /// interrupted others last. Not with the call: a thread that sleeps again in the same place stands where
    /// it stood.
    lain_down: Table<ThreadId, Vector<u64>>,
    /// How often the clock was read.
    looks: u64,
}

impl Clock {
    pub fn new(start: u64) -> Self {
        Self {
            start,
            now: start,
            known: Table::default(),
            begun: Table::default(),
            lain_down: Table::default(),
            looks: 0,
        }
    }

    /// The time it shows.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Reads the clock.
    fn read(&mut self, thread: ThreadId) -> u64 {
        let known = self.known.get(&thread).copied().unwrap_or(0);
        self.now = self.now.saturating_add(TICK).max(known);
        self.known.insert(thread, self.now);
        self.looks += 1;
        self.now
    }

    /// Notes that `thread` lies down to sleep.
    pub fn lie_down(&mut self, thread: ThreadId) {
        let known = self.known(thread);
        self.lain_down.entry(thread).or_default().push_back(known);
    }

    /// The time that `thread` knew when it lay down, or knows now if it does not sleep.
    pub fn began(&self, thread: ThreadId) -> u64 {
        let last = self.lain_down.get(&thread).and_then(Vector::last).copied();
        last.unwrap_or_else(|| self.known(thread))
    }

    /// Notes that `thread` sleeps no more.
    pub fn rise(&mut self, thread: ThreadId) {
        let Some(sleeps) = self.lain_down.get_mut(&thread) else { return };
        sleeps.pop_back();
        if sleeps.is_empty() {
            self.lain_down.remove(&thread);
        }
    }

    /// Whether it is this one but for time slept.
    pub fn is_only_later(&self, now: &Self) -> bool {
        (self.start, self.looks, &self.begun) == (now.start, now.looks, &now.begun)
    }

    /// Lets a new thread know the time that its creator knows.
    pub fn inherit(&mut self, parent: ThreadId, child: ThreadId) {
        if let Some(known) = self.known.get(&parent).copied() {
            self.known.insert(child, known);
        }
        self.begun.insert(child, self.known(parent));
    }

    /// When a duration from now on ends for `thread`.
    pub fn after(&self, thread: ThreadId, duration: u64) -> u64 {
        self.known(thread).max(self.now).saturating_add(duration)
    }

    /// A time of `clock` in nanoseconds since 1970.
    pub fn absolute(&self, clock: u64, time: u64) -> u64 {
        match clock as i32 {
            2 | 3 | ..0 => time.saturating_add(self.start),
            _ if is_relative(clock) => time.saturating_add(self.start).saturating_sub(UPTIME * SECOND),
            _ => time,
        }
    }

    /// Lets `thread` sleep until a time.
    pub fn sleep_until(&mut self, thread: ThreadId, time: u64) {
        let known = self.known(thread);
        self.known.insert(thread, known.max(time));
    }

    /// When `thread` last knew the time to be.
    pub fn known(&self, thread: ThreadId) -> u64 {
        self.known.get(&thread).copied().unwrap_or(self.start)
    }

    /// Moves on to what `thread` knows.
    fn catch_up(&mut self, thread: ThreadId) {
        self.reach(self.known.get(&thread).copied().unwrap_or(0));
    }

    /// Moves on to `time`, if it has not come yet.
    pub fn reach(&mut self, time: u64) {
        self.now = self.now.max(time);
    }
}

/// Reads the clock, once that has been announced.
fn read(call: &mut PosixCall<'_, '_>) -> Turn<u64> {
    if let Some(park) = announced(call, touching(write(CLOCK))) {
        return Turn::Answer(Ok(park));
    }
    call.looks_at_clock();
    let thread = call.thread();
    Turn::Go(call.data().kernel.clock.read(thread))
}

/// Whether a clock counts from the start of the process rather than from 1970.
fn is_relative(clock: u64) -> bool {
    matches!(clock as u32, 1..=4 | 6 | 7) || (clock as i32) < 0
}

/// The time that `clock` shows at `time`.
fn since(call: &PosixCall<'_, '_>, id: u64, time: u64) -> u64 {
    let clock = &call.state().data.kernel.clock;
    match processor_clock(id, call.thread()) {
        Some(Some(thread)) => time - clock.begun.get(&thread).copied().unwrap_or(clock.start),
        Some(None) => time - clock.start,
        None if is_relative(id) => time - clock.start + UPTIME * SECOND,
        None => time,
    }
}

/// Whether a clock counts processor time.
pub(in crate::kernel) fn counts_processor_time(clock: u64) -> bool {
    processor_clock(clock, ThreadId::MAIN).is_some()
}

/// Whose processor time a clock counts, if it does so: that of a thread, or of the whole process.
fn processor_clock(id: u64, own: ThreadId) -> Option<Option<ThreadId>> {
    const OF_THREAD: i32 = 4;
    let number = id as i32;
    match number {
        2 => Some(None),
        3 => Some(Some(own)),
        _ if number >= 0 => None,
        _ if number & OF_THREAD == 0 => Some(None),
        // The number 0, of no thread, denotes the calling one.
        _ => Some(Some(match !(number >> 3) as u32 {
            0 => own,
            of => thread_numbered(of.into()).unwrap_or(own),
        })),
    }
}

/// Stores a pair of words.
pub(in crate::kernel) fn put_pair(
    call: &mut PosixCall<'_, '_>,
    address: u64,
    first: u64,
    second: u64,
) -> Result<(), Stop> {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&second.to_le_bytes());
    call.write_bytes(address, &bytes)
}

fn clock_time(call: &mut PosixCall<'_, '_>) -> Step {
    let (clock, result) = (argument(call, 0)?, argument(call, 1)?);
    if !exists(clock) {
        return failed(EINVAL);
    }
    let time = match read(call) {
        Turn::Go(time) => since(call, clock, time),
        Turn::Answer(answer) => return answer,
    };
    put_pair(call, result, time / SECOND, time % SECOND)?;
    word(0)
}

fn resolution(call: &mut PosixCall<'_, '_>) -> Step {
    let (clock, result) = (argument(call, 0)?, argument(call, 1)?);
    if !exists(clock) {
        return failed(EINVAL);
    }
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
        Turn::Go(time) => since(call, PROCESS_TIME, time) / (SECOND / TICKS),
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
        Turn::Go(time) => since(call, PROCESS_TIME, time),
        Turn::Answer(answer) => return answer,
    };
    call.write_bytes(result, &[0; EXTENT])?;
    put_pair(call, result, elapsed / SECOND, elapsed % SECOND / 1000)?;
    word(0)
}

/// C11's sleep: 0, -1 if a handler interrupted it, -2 for anything else.
pub(crate) fn standard_sleep(call: &mut PosixCall<'_, '_>) -> Step {
    match sleep(call, 0, None)? {
        Outcome::Return(Value::Concrete(0)) => int(0),
        Outcome::Return(Value::Concrete(result)) if result as i64 == -i64::from(EINTR) => int(-1),
        Outcome::Return(_) => int(-2),
        waiting => Ok(waiting),
    }
}

/// `usleep`: a model of its own, as `sleep` is. So a thread that sleeps stands in no function of libc's,
/// whose variables would lie elsewhere each time.
fn sleep_microseconds(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let time = (call.argument(0)? & u64::from(u32::MAX)).saturating_mul(1_000);
    match sleep_through(call, REALTIME, time, false)? {
        Slept::Not(outcome) => Ok(outcome),
        Slept::InPart(_) => {
            rise(call);
            fail_int(call, EINTR)
        }
        Slept::Through => int(0),
    }
}

/// `sleep`: the seconds that are left if a handler interrupts it.
fn sleep_seconds(call: &mut PosixCall<'_, '_>) -> Step {
    let time = (call.argument(0)? & u64::from(u32::MAX)).saturating_mul(SECOND);
    match sleep_through(call, REALTIME, time, false)? {
        Slept::Not(outcome) => Ok(outcome),
        Slept::InPart(left) => {
            rise(call);
            word(left / SECOND)
        }
        Slept::Through => word(0),
    }
}

/// Sleeps for, or until, the `struct timespec` whose address is the call's argument `index`; the rest goes
/// where the next one says. With `absolute`, the call names a clock.
fn sleep(call: &mut PosixCall<'_, '_>, index: usize, absolute: Option<bool>) -> Step {
    // The time is read once: later stores do not change the sleep.
    if call.phase() == 0 {
        let request = call.argument(index)?;
        let (whole, fraction) = (call.read_number(request, 8)?, call.read_number(request + 8, 8)?);
        if fraction >= SECOND || whole as i64 as i128 != i128::from(whole) {
            return failed(EINVAL);
        }
        *call.scratch() = smallvec![whole.saturating_mul(SECOND).saturating_add(fraction)];
    }
    let time = call.scratch()[0];
    let id = if absolute.is_some() { argument(call, 0)? } else { REALTIME };
    if !exists(id) {
        return failed(EINVAL);
    }
    match sleep_through(call, id, time, absolute == Some(true))? {
        Slept::Not(outcome) => Ok(outcome),
        Slept::InPart(left) => {
            let rest = if absolute == Some(true) { 0 } else { call.argument(index + 1)? };
            if rest != 0 {
                put_pair(call, rest, left / SECOND, left % SECOND)?;
            }
            rise(call);
            failed(EINTR)
        }
        Slept::Through => word(0),
    }
}

/// How far a sleep has come.
enum Slept {
    /// It begins.
    Not(Outcome<Posix>),
    /// A handler has interrupted it when this many nanoseconds were left. The sleeper is still to [`rise`].
    InPart(u64),
    /// It is over.
    Through,
}

/// Sleeps for `time` nanoseconds, or `until` a clock shows them. Others may run meanwhile.
fn sleep_through(call: &mut PosixCall<'_, '_>, id: u64, time: u64, until: bool) -> Result<Slept, Stop> {
    let thread = call.thread();
    if call.phase() == 0 {
        let clock = &call.state().data.kernel.clock;
        let until = if until { clock.absolute(id, time) } else { clock.after(thread, time) };
        let wait = PosixWait::Limited { until, goal: Goal::Time };
        call.data().kernel.clock.lie_down(thread);
        return Ok(Slept::Not(call.park_until(touching(read_only(CLOCK)), wait)));
    }
    let began = call.state().data.kernel.clock.began(thread);
    if has_interrupted(call) {
        let slept = call.state().data.kernel.clock.known(thread).saturating_sub(began);
        return Ok(Slept::InPart(time.saturating_sub(slept)));
    }
    // A thread that learned the time meanwhile (by a signal that it blocks) sleeps no longer for it.
    let clock = &mut call.data().kernel.clock;
    clock.rise(thread);
    let end = if until { clock.absolute(id, time) } else { began.saturating_add(time) };
    clock.sleep_until(thread, end);
    clock.catch_up(thread);
    Ok(Slept::Through)
}

/// The calling thread sleeps no more.
fn rise(call: &mut PosixCall<'_, '_>) {
    let thread = call.thread();
    call.data().kernel.clock.rise(thread);
}

/// Whether a clock has this number; the processor-time clocks of threads and processes have negative ones.
pub(in crate::kernel) fn exists(clock: u64) -> bool {
    /// A clock of processor time has one of three kinds.
    const KIND: i32 = 3;
    let number = clock as i32;
    if number >= 0 {
        return number <= 11 && number != 10;
    }
    let of = !(number >> 3) as u64;
    // There is the process that was first of all, too.
    number & KIND != KIND && (of <= 1 || thread_numbered(of).is_some_and(|thread| thread.0 < MOST_THREADS))
}

/// More threads than this are in no process.
const MOST_THREADS: u32 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back_and_sleepers_see_their_sleep() {
        let mut clock = Clock::new(SECOND);
        let (one, two) = (ThreadId(1), ThreadId(2));
        let before = clock.read(one);
        clock.sleep_until(one, clock.known(one) + 5 * SECOND);
        clock.catch_up(one);
        let between = clock.read(two);
        assert!(between >= before + 5 * SECOND);
        clock.sleep_until(one, clock.known(one) + SECOND);
        clock.sleep_until(two, clock.known(two) + SECOND);
        clock.catch_up(one);
        clock.catch_up(two);
        let after = clock.read(one);
        assert!(after < between + 2 * SECOND, "both slept at the same time");
        assert!(clock.read(two) > after);
    }
}
