//! Timers of a process: those of `setitimer` and `alarm`, and those of `timer_create`. Each is a thread of
//! the system's own that gives notice when the time is up.
//!
//! As any sleep it may end at any time, so every schedule is explored in which the notice comes early or
//! late. A wait of the thread that set it with a later limit does not end by time before it. Threads that
//! nothing orders may be any time apart, so another thread's wait may. Processor time is the time since the
//! start, so its timers are as the others, but nothing waits for them.
//!
//! While a timer's signal is pending, going off again would only be counted. So the timer waits for the
//! signal to be taken, as Linux's does. The thread that takes it counts how often the time was up until then,
//! by the time that it knows. Only the first of these is a step, so that both are explored where no time is
//! known to have passed: no overrun, and one.

use crate::answer::{
    PosixCall, Step, announced, announced_synchronisation, fail_int, failed, finish_failure, int, word,
};
use crate::errno::EINVAL;
use crate::kernel::Kernel;
use crate::kernel::nodes::changes::READABLE;
use crate::kernel::nodes::sets::orders_of_change;
use crate::kernel::notice::{self, Information, Notice};
use crate::kernel::signals::{Signals, receivers, tell_time};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::time::{counts_processor_time, exists};
use crate::places::{CLOCK, CREATION, SIGNALS, TIMER, read, write};
use crate::row::{Row, row as function_row};
use crate::sync::wait::PosixWait;
use crate::threads::alone::is_no_longer_alone;
use imbl::{OrdMap, OrdSet};
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::{ModelledFunction, Role};
use symx_interp::value::Value;
use symx_trace::{CallEffect, Footprint, ThreadId};

pub(crate) const CALLS: &[SystemCall] =
    &[row(36, "getitimer", interval_timer), row(38, "setitimer", set_interval_timer).signalling()];

pub(crate) const ROWS: &[Row] = &[
    function_row(&["timer_create"], create).in_role(Role::Signals),
    function_row(&["timer_settime"], set),
    function_row(&["timer_gettime"], get),
    function_row(&["timer_getoverrun"], overrun),
    function_row(&["timer_delete"], delete),
];

/// A timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Timer {
    /// How often it was set: only the thread of the last time acts.
    pub generation: u64,
    /// When it goes off, if it does.
    pub until: Option<u64>,
    /// After how long it does so again; 0 for never.
    interval: u64,
    notice: Notice,
    /// The number of its clock.
    pub clock: u64,
    /// How often it went off while its last signal was pending; of one to read from, since it was read.
    overrun: u64,
    /// The same for the signal before, which is reported until the last one is delivered.
    overrun_before: u64,
    /// When it went off last.
    pub last: u64,
    /// The thread that set it, until it goes off; `None` if it goes by processor time.
    set_by: Option<ThreadId>,
}

impl Timer {
    /// A timer that is not set.
    pub fn new(notice: Notice, clock: u64) -> Self {
        let (generation, until, interval) = (0, None, 0);
        let (overrun, overrun_before, last, set_by) = (0, 0, 0, None);
        Self { generation, until, interval, notice, clock, overrun, overrun_before, last, set_by }
    }

    /// How often it went off since it was read.
    pub fn unread(&self) -> u64 {
        self.overrun
    }

    /// The same timer after it was read.
    pub fn read(self) -> Self {
        Self { overrun: 0, ..self }
    }

    /// How often it would have gone off by `now` and has not.
    pub fn due(&self, now: u64) -> u64 {
        let late = self.until.and_then(|until| now.checked_sub(until));
        late.map_or(0, |late| late.checked_div(self.interval).unwrap_or(0) + 1)
    }

    /// Whether all further expirations are only counted when the signal that is pending is taken. The first
    /// one is not, since waits may not end before it.
    pub fn is_held(&self, signals: &Signals) -> bool {
        match self.notice {
            _ if self.set_by.is_some() => false,
            Notice::Signal { receiver, signal, information } => {
                self.interval > 0
                    && (self.overrun > 0 || information.code != BY_TIMER)
                    && signals.is_pending(receiver, signal, information)
            }
            Notice::Descriptor { .. } => self.interval > 0 && self.overrun > 1,
            _ => false,
        }
    }

    /// The time left at `now` until it goes off, at least `unit`; 0 if it is not set.
    fn left(&self, now: u64, unit: u64) -> u64 {
        let Some(until) = self.until else { return 0 };
        let left = match now.checked_sub(until) {
            Some(late) if self.interval > 0 => self.interval - late % self.interval,
            _ => until.saturating_sub(now),
        };
        left.max(unit)
    }

    /// The same timer once all is counted that it would have done by `now`.
    pub fn caught_up(self, now: u64) -> Self {
        let times = self.due(now);
        let (Some(until), 1..) = (self.until, times) else { return self };
        let last = until.saturating_add((times - 1).saturating_mul(self.interval));
        let until = (self.interval > 0).then(|| last.saturating_add(self.interval));
        Self { until, last, overrun: self.overrun.saturating_add(times), set_by: None, ..self }
    }
}

/// The timers of a process, by number: those of `setitimer` have the numbers that it calls them by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    timers: OrdMap<u64, Timer>,
    /// Timers made by `timer_create` so far.
    made: u64,
    /// Threads that have set one.
    setters: OrdSet<ThreadId>,
}

impl Timers {
    /// The timer with this number, if there is one.
    pub fn get(&self, number: u64) -> Option<&Timer> {
        self.timers.get(&number)
    }

    /// Changes a timer.
    pub fn change(&mut self, number: u64, change: impl FnOnce(Timer) -> Timer) {
        if let Some(timer) = self.timers.get_mut(&number) {
            *timer = change(*timer);
        }
    }

    /// Whether `thread` has set one: then whether its waits are over depends on timers.
    pub fn is_setter(&self, thread: ThreadId) -> bool {
        self.setters.contains(&thread)
    }

    /// Whether a timer goes off before a wait of `thread` that is limited by `until` is over.
    pub fn go_off_before(&self, thread: ThreadId, until: u64) -> bool {
        let is_earlier = |timer: &Timer| {
            timer.set_by == Some(thread) && timer.until.is_some_and(|earlier| earlier < until)
        };
        self.is_setter(thread) && self.timers.values().any(is_earlier)
    }

    /// Does away with a timer to read from: its thread ends.
    pub fn close(&mut self, number: u64) {
        self.change(number, |timer| Timer { generation: timer.generation + 1, until: None, ..timer });
    }
}

/// Keeps a timer: its number.
pub(crate) fn add(kernel: &mut Kernel, timer: Timer) -> u64 {
    let number = FIRST_MADE + kernel.own.timers.made;
    let timers = &mut kernel.own.timers;
    timers.made += 1;
    timers.timers.insert(number, timer);
    number
}

const SECOND: u64 = 1_000_000_000;
/// The signals of the timers of real time, of the program's and of all processor time.
const SIGNALS_OF_INTERVALS: [u32; 3] = [14, 26, 27];
/// The first number of a timer that `timer_create` makes.
const FIRST_MADE: u64 = 16;
/// The signal of a timer for which nothing else is asked.
const ALARM: u32 = 14;
/// `SI_KERNEL`
pub(crate) const BY_KERNEL: i32 = 0x80;
/// `SI_TIMER`
pub(crate) const BY_TIMER: i32 = -2;

/// A pair of seconds and a fraction counted in `unit` nanoseconds; `None` if it is no time.
pub(crate) fn duration(call: &mut PosixCall<'_, '_>, address: u64, unit: u64) -> Result<Option<u64>, Stop> {
    let (seconds, fraction) = (call.read_number(address, 8)?, call.read_number(address + 8, 8)?);
    let valid = fraction < SECOND / unit && seconds as i64 >= 0;
    Ok(valid.then(|| seconds.saturating_mul(SECOND).saturating_add(fraction.saturating_mul(unit))))
}

/// Stores the interval of the timer, and what is left of it.
pub(crate) fn put(call: &mut PosixCall<'_, '_>, address: u64, number: u64, unit: u64) -> Result<(), Stop> {
    if address == 0 {
        return Ok(());
    }
    let kernel = &call.state().data.kernel;
    let timer = kernel.own.timers.get(number);
    // A timer that is set has at least a moment left.
    let left = timer.map_or(0, |timer| timer.left(kernel.clock.now(), unit));
    let interval = timer.map_or(0, |timer| timer.interval);
    let words = [interval, left].map(|time| [time / SECOND, time % SECOND / unit]);
    let bytes: Vec<u8> = words.concat().into_iter().flat_map(u64::to_le_bytes).collect();
    call.write_bytes(address, &bytes)
}

/// Nanoseconds in the unit of a `struct timeval`.
const MICROSECOND: u64 = 1000;

fn interval_timer(call: &mut PosixCall<'_, '_>) -> Step {
    let (which, result) = (argument(call, 0)?, argument(call, 1)?);
    if which >= SIGNALS_OF_INTERVALS.len() as u64 {
        return failed(EINVAL);
    }
    if let Some(park) = announced(call, smallvec![read(TIMER), read(SIGNALS)]) {
        return Ok(park);
    }
    put(call, result, which, MICROSECOND)?;
    word(0)
}

/// `setitimer(which, new, old)`
fn set_interval_timer(call: &mut PosixCall<'_, '_>) -> Step {
    let (which, new, old) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    let Some(&signal) = SIGNALS_OF_INTERVALS.get(which as usize) else { return failed(EINVAL) };
    let (Some(interval), Some(first)) =
        (duration(call, new, MICROSECOND)?, duration(call, new + 16, MICROSECOND)?)
    else {
        return failed(EINVAL);
    };
    if !call.state().data.may_signal {
        return Err(call.unsupported("a timer that signals, set by code that shows no such call"));
    }
    if let Some(park) =
        announced_synchronisation(call, smallvec![write(TIMER), write(CREATION), read(SIGNALS)])
    {
        return Ok(park);
    }
    put(call, old, which, MICROSECOND)?;
    let information = Information { code: BY_KERNEL, value: 0, sender: call.process() };
    let notice = Notice::Signal { receiver: None, signal, information };
    let me = call.thread();
    let until = (first > 0).then(|| call.state().data.kernel.clock.after(me, first));
    let generation = call.state().data.kernel.own.timers.get(which).map_or(0, |timer| timer.generation);
    let timer = Timer { generation, ..Timer::new(notice, 0) };
    start(call, which, timer, until, interval);
    word(0)
}

/// Sets a timer again.
pub(crate) fn start(
    call: &mut PosixCall<'_, '_>,
    number: u64,
    timer: Timer,
    until: Option<u64>,
    interval: u64,
) {
    let generation = timer.generation + 1;
    let me = call.thread();
    let set_by = (!is_of_processor_time(number, timer.clock)).then_some(me);
    let timer = Timer { generation, until, interval, overrun: 0, overrun_before: 0, set_by, ..timer };
    let timers = &mut call.data().kernel.own.timers;
    timers.timers.insert(number, timer);
    if until.is_some() {
        timers.setters.insert(me);
        call.create_service((&TIMER_THREAD, run), &[number, generation]);
    }
}

/// Whether a timer goes by processor time: of those that `setitimer` numbers, all but the first do.
fn is_of_processor_time(number: u64, clock: u64) -> bool {
    matches!(number, 1 | 2) || counts_processor_time(clock)
}

/// The model of a timer's thread.
static TIMER_THREAD: ModelledFunction = ModelledFunction::internal("timer", CallEffect::Other);

/// The thread of a timer. Its arguments are the timer's number and generation.
fn run(call: &mut PosixCall<'_, '_>) -> Step {
    let (number, generation) = (call.argument(0)?, call.argument(1)?);
    let timer = call.state().data.kernel.own.timers.get(number).copied();
    // Others may set it again before the thread has begun: its announcement does not depend on that.
    let notice = timer.map_or(Notice::Nothing, |timer| timer.notice);
    let timer = timer.filter(|timer| timer.generation == generation && timer.until.is_some());
    // A step of its own finds out that it has been set again, too, since the time might have come before.
    if call.phase() > 0 {
        let Some(timer) = timer else { return Ok(Outcome::ThreadExit) };
        go_off(call, number, timer)?;
        if timer.interval == 0 {
            return Ok(Outcome::ThreadExit);
        }
    }
    let mut footprint: Footprint = smallvec![write(TIMER), read(CLOCK)];
    footprint.extend(notice.footprint(call));
    if let Notice::Descriptor { node } = notice {
        footprint.extend(orders_of_change(&call.state().data.kernel, node, READABLE));
    }
    Ok(call.park_until(footprint, PosixWait::Timer { number, generation }))
}

/// The time is up.
fn go_off(call: &mut PosixCall<'_, '_>, number: u64, timer: Timer) -> Result<(), Stop> {
    let until = timer.until.unwrap_or(0);
    let Timer { mut overrun, mut overrun_before, .. } = timer;
    match timer.notice {
        Notice::Nothing => {}
        Notice::Signal { receiver, signal, information } => {
            let signals = &call.state().data.kernel.own.signals;
            // Of one timer one signal is pending at most.
            let is_pending =
                information.code == BY_TIMER && signals.is_pending(receiver, signal, information);
            if !is_pending && receiver.is_none() {
                receivers::choose(call, call.process(), signal)?;
            }
            if is_pending {
                overrun += 1;
            } else if call.data().kernel.send_signal(receiver, signal, information) {
                (overrun, overrun_before) = (0, overrun);
                tell_time(call, receiver, until);
            }
        }
        Notice::Call { function, argument } => notice::call(call, function, argument)?,
        Notice::Descriptor { node } => {
            // Until it is read, no thread is woken again.
            if overrun == 0 {
                call.data().kernel.changed(node, READABLE);
            }
            overrun += 1;
        }
    }
    let kernel = &mut call.data().kernel;
    kernel.clock.reach(until);
    let again = (timer.interval > 0).then(|| until.saturating_add(timer.interval));
    let gone_off = Timer { until: again, overrun, overrun_before, last: until, set_by: None, ..timer };
    kernel.own.timers.timers.insert(number, gone_off);
    Ok(())
}

/// The timer that sent a signal that has been taken: its number, and how often it went off meanwhile.
pub(crate) fn sender(kernel: &Kernel, signal: u32, information: Information) -> Option<(u64, u64)> {
    let is_sender = |timer: &Timer| {
        matches!(timer.notice, Notice::Signal { signal: sent, information: with, .. }
            if sent == signal && with == information)
    };
    let mut timers = kernel.own.timers.timers.iter();
    timers.find(|(_, timer)| is_sender(timer)).map(|(number, timer)| (*number, timer.overrun))
}

/// The calling thread has taken a signal: what the timers that sent it would have done meanwhile is counted
/// now. A thread that takes one has announced [`SIGNALS`], as have all that read what changes here.
pub(crate) fn signal_taken(call: &mut PosixCall<'_, '_>, signal: u32, information: Information) {
    if !matches!(information.code, BY_TIMER | BY_KERNEL) {
        return;
    }
    let me = call.thread();
    let now = call.state().data.kernel.clock.known(me);
    let is_sender = |timer: &Timer| match timer.notice {
        Notice::Signal { receiver, signal: sent, information: with } => {
            receiver.is_none_or(|receiver| receiver == me) && sent == signal && with == information
        }
        _ => false,
    };
    let timers = &mut call.data().kernel.own.timers.timers;
    let senders: Vec<(u64, Timer)> = timers
        .iter()
        .filter(|(_, timer)| timer.interval > 0 && is_sender(timer))
        .map(|(number, timer)| (*number, *timer))
        .collect();
    for (number, timer) in senders {
        timers.insert(number, timer.caught_up(now));
    }
}

/// `timer_create(clock, event, result)`
fn create(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let (clock, event, result) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    call.object(result, 8, Purpose::Write)?;
    if !exists(clock) {
        return fail_int(call, EINVAL);
    }
    if let Some(park) = announced(call, smallvec![write(TIMER)]) {
        return Ok(park);
    }
    let number = FIRST_MADE + call.state().data.kernel.own.timers.made;
    let notice = match event {
        0 => Some(Notice::Signal {
            receiver: None,
            signal: ALARM,
            information: Information { code: BY_TIMER, value: number, sender: call.process() },
        }),
        _ => notice::wanted(call, event, BY_TIMER)?,
    };
    let Some(notice) = notice else { return fail_int(call, EINVAL) };
    if matches!(notice, Notice::Call { .. }) {
        is_no_longer_alone(call)?;
    }
    call.write(result, 8, Value::Concrete(number))?;
    add(&mut call.data().kernel, Timer::new(notice, clock));
    int(0)
}

/// The timer that the first argument of the call names, once the operation is announced.
fn named(call: &mut PosixCall<'_, '_>) -> Result<Option<(u64, Timer)>, Stop> {
    let number = call.argument(0)?;
    let timer = call.state().data.kernel.own.timers.get(number).copied();
    let is_named = |timer: &Timer| number >= FIRST_MADE && !matches!(timer.notice, Notice::Descriptor { .. });
    Ok(timer.filter(is_named).map(|timer| (number, timer)))
}

/// `timer_settime(timer, flags, new, old)`
fn set(call: &mut PosixCall<'_, '_>) -> Step {
    const ABSOLUTE: u64 = 1;
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let (flags, new, old) = (call.argument(1)?, call.argument(2)?, call.argument(3)?);
    let (Some(interval), Some(first)) = (duration(call, new, 1)?, duration(call, new + 16, 1)?) else {
        return fail_int(call, EINVAL);
    };
    if let Some(park) =
        announced_synchronisation(call, smallvec![write(TIMER), write(CREATION), read(SIGNALS)])
    {
        return Ok(park);
    }
    let Some((number, timer)) = named(call)? else { return fail_int(call, EINVAL) };
    put(call, old, number, 1)?;
    let (me, clock) = (call.thread(), &call.state().data.kernel.clock);
    let until = match flags & ABSOLUTE {
        0 => clock.after(me, first),
        _ => clock.absolute(timer.clock, first),
    };
    start(call, number, timer, (first > 0).then_some(until), interval);
    int(0)
}

/// `timer_gettime(timer, result)`
fn get(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let result = call.argument(1)?;
    if let Some(park) = announced(call, smallvec![read(TIMER), read(SIGNALS)]) {
        return Ok(park);
    }
    let Some((number, _)) = named(call)? else { return fail_int(call, EINVAL) };
    put(call, result, number, 1)?;
    int(0)
}

fn overrun(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    if let Some(park) = announced(call, smallvec![read(TIMER), read(SIGNALS)]) {
        return Ok(park);
    }
    match named(call)? {
        Some((_, timer)) => {
            let pending = match timer.notice {
                Notice::Signal { receiver, signal, information } => {
                    call.state().data.kernel.own.signals.is_pending(receiver, signal, information)
                }
                _ => false,
            };
            let overrun = if pending { timer.overrun_before } else { timer.overrun };
            int(i32::try_from(overrun).unwrap_or(i32::MAX))
        }
        None => fail_int(call, EINVAL),
    }
}

fn delete(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    if let Some(park) = announced(call, smallvec![write(TIMER)]) {
        return Ok(park);
    }
    let Some((number, _)) = named(call)? else { return fail_int(call, EINVAL) };
    call.data().kernel.own.timers.timers.remove(&number);
    int(0)
}
