//! The system calls about signals.

use crate::answer::{PosixCall, Step, Turn, announced, failed, touching, word};
use crate::errno::{EAGAIN, EINTR, EINVAL, ENOMEM, EPERM, ESRCH};
use crate::kernel::notice::{Information, LAST};
use crate::kernel::process::numbered::{look_for, named, process_meant};
use crate::kernel::signals::receivers::touched_by_taking;
use crate::kernel::signals::suspended::suspend;
use crate::kernel::signals::{
    Action, AlternateStack, KILL, STOP, TO_PROCESS, TO_THREAD, deliver, information_bytes, is_own_process,
    send, send_to, take,
};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::places::{SIGNALS, acquire, interruption, read, write};
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::has_interrupted;
use crate::threads::process_numbers::{meant, own_number, process_numbered};
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

pub(crate) const CALLS: &[SystemCall] = &[
    row(13, "rt_sigaction", set_action),
    row(14, "rt_sigprocmask", set_mask),
    row(34, "pause", |call| {
        let me = call.thread();
        let mask = call.state().data.kernel.own.signals.mask(me);
        suspend(call, mask)
    }),
    row(62, "kill", kill).signalling(),
    row(127, "rt_sigpending", pending),
    row(128, "rt_sigtimedwait", wait_for),
    row(129, "rt_sigqueueinfo", |call| queue(call, false)).signalling(),
    row(297, "rt_tgsigqueueinfo", |call| queue(call, true)).signalling(),
    row(130, "rt_sigsuspend", |call| {
        let mask = argument(call, 0)?;
        let mask = call.read_number(mask, 8)?;
        suspend(call, mask)
    }),
    row(131, "sigaltstack", set_alternate_stack),
    row(200, "tkill", |call| kill_thread(call, 0)).signalling(),
    row(234, "tgkill", |call| kill_thread(call, 1)).signalling(),
];

/// `sigaltstack(new, old)`
fn set_alternate_stack(call: &mut PosixCall<'_, '_>) -> Step {
    const ON_STACK: u64 = 1;
    const DISABLE: u64 = 2;
    const AUTODISARM: u64 = 1 << 31;
    const LEAST: u64 = 2048;
    let (new, old) = (argument(call, 0)?, argument(call, 1)?);
    let (me, depth) = (call.thread(), call.depth());
    let present = call.state().data.kernel.own.signals.alternates.get(&me).copied().unwrap_or_default();
    let in_use = present.in_use.is_some_and(|begun| begun < depth);
    let mut wanted = None;
    if new != 0 {
        let flags = call.read_number(new + 8, 4)? & !AUTODISARM;
        if in_use {
            return failed(EPERM);
        }
        // Linux accepts the flag that the stack is in use.
        if !matches!(flags, 0 | ON_STACK | DISABLE) {
            return failed(EINVAL);
        }
        let mut stack = AlternateStack::default();
        if flags != DISABLE {
            (stack.address, stack.size) = (call.read_number(new, 8)?, call.read_number(new + 16, 8)?);
            if stack.size < LEAST {
                return failed(ENOMEM);
            }
        }
        wanted = Some(stack);
    }
    if old != 0 {
        let flags = match present.size {
            0 => DISABLE,
            _ => u64::from(in_use),
        };
        for (offset, word) in [(0, present.address), (8, flags), (16, present.size)] {
            call.write(old + offset, 8, Value::Concrete(word))?;
        }
    }
    if let Some(stack) = wanted {
        call.data().kernel.own.signals.alternates.insert(me, stack);
    }
    word(0)
}

/// `rt_sigaction(signal, new, old, size)`.
fn set_action(call: &mut PosixCall<'_, '_>) -> Step {
    let (signal, new, old) = (argument(call, 0)? as u32, argument(call, 1)?, argument(call, 2)?);
    if signal == 0 || signal > LAST || new != 0 && (signal == KILL || signal == STOP) {
        return failed(EINVAL);
    }
    if let Some(park) = announced(call, touching(if new == 0 { read(SIGNALS) } else { write(SIGNALS) })) {
        return Ok(park);
    }
    let previous = call.state().data.kernel.own.signals.action(signal);
    let action = if new == 0 {
        None
    } else {
        Some(Action {
            handler: call.read_number(new, 8)?,
            flags: call.read_number(new + 8, 8)?,
            restorer: call.read_number(new + 16, 8)?,
            mask: call.read_number(new + 24, 8)?,
        })
    };
    if old != 0 {
        let words = [previous.handler, previous.flags, previous.restorer, previous.mask];
        call.write_bytes(old, &words.map(u64::to_le_bytes).concat())?;
    }
    if let Some(action) = action {
        if call.has_forked() {
            // Other processes send them when they end.
            call.data().may_signal = true;
        }
        call.data().kernel.own.signals.set_action(signal, action);
    }
    word(0)
}

/// Marks the scratch of a call whose new mask is set and which delivers what that unblocked.
const DELIVERING: u64 = 0x6465_6c69_7665;

/// `rt_sigprocmask(how, new, old, size)`. Unblocking lets signals in. Blocking keeps out those that others
/// send from then on: one sent before interrupts the thread first.
fn set_mask(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    if call.scratch().first() != Some(&DELIVERING) {
        let (how, new, old) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
        let mask = call.state().data.kernel.own.signals.mask(me);
        let next = if new == 0 {
            mask
        } else {
            let set = call.read_number(new, 8)?;
            match how {
                0 => mask | set,
                1 => mask & !set,
                2 => set,
                _ => return failed(EINVAL),
            }
        };
        let access = match mask & !next {
            0 => read(interruption(me)),
            _ => write(SIGNALS),
        };
        let is_step = mask & !next != 0 || mask != next && call.state().data.may_signal;
        let mut footprint = touching(access);
        footprint.extend(touched_by_taking(call.state(), me, mask & !next));
        if is_step && let Some(park) = announced(call, footprint) {
            return Ok(park);
        }
        if old != 0 {
            call.write(old, 8, Value::Concrete(mask))?;
        }
        call.data().kernel.own.signals.set_mask(me, next);
        if mask & !next == 0 {
            return word(0);
        }
        *call.scratch() = smallvec![DELIVERING, next];
    }
    let &[DELIVERING, mask] = call.scratch().as_slice() else { return word(0) };
    call.data().kernel.own.signals.set_mask(me, mask);
    match deliver(call)? {
        Some(handler) => Ok(handler),
        None => word(0),
    }
}

/// The error of sending `signal` to `process`, if that is another than this one. There is the first of
/// all, which is root's.
fn forbidden(call: &PosixCall<'_, '_>, process: i32, signal: u32) -> Option<i32> {
    match process {
        _ if is_own_process(call, process) => None,
        1 if signal > LAST => Some(EINVAL),
        1 => Some(EPERM),
        _ => Some(ESRCH),
    }
}

/// Sends a signal to another of the program's processes, if `number` is one's. There is no group of them.
fn to_another(
    call: &mut PosixCall<'_, '_>,
    number: i32,
    signal: u32,
    information: Information,
) -> Result<Option<Step>, Stop> {
    if call.has_forked() && number <= 0 {
        return Err(call.unsupported("a signal for a group of processes"));
    }
    let other = process_numbered(call, number).filter(|process| *process != call.process());
    Ok(other.map(|process| match signal {
        0 => word(0),
        1..=LAST => send_to(call, process, signal, information),
        _ => failed(EINVAL),
    }))
}

/// The number of the process that `number` means, which may be that of any of its threads.
fn process_of_any(call: &mut PosixCall<'_, '_>, number: i32) -> Turn<i32> {
    let number = meant(call, number);
    match u32::try_from(number).map(|number| process_meant(call, number)) {
        Ok(Turn::Go(process)) => Turn::Go(process as i32),
        Ok(Turn::Answer(answer)) => Turn::Answer(answer),
        Err(_) => Turn::Go(number),
    }
}

fn kill(call: &mut PosixCall<'_, '_>) -> Step {
    let (process, signal) = (argument(call, 0)? as i32, argument(call, 1)? as u32);
    let process = match process_of_any(call, process) {
        Turn::Go(process) => process,
        Turn::Answer(answer) => return answer,
    };
    let information = Information { sender: call.process(), ..TO_PROCESS };
    if let Some(answer) = to_another(call, process, signal, information)? {
        return answer;
    }
    if let Some(error) = forbidden(call, process, signal) {
        return failed(error);
    }
    match signal {
        0 => word(0),
        1..=LAST => send(call, None, signal, information, word(0)),
        _ => failed(EINVAL),
    }
}

/// The thread's number is argument `index`, the signal the next.
fn kill_thread(call: &mut PosixCall<'_, '_>, index: usize) -> Step {
    let (thread, signal) = (argument(call, index)?, argument(call, index + 1)? as u32);
    if (0..=index).any(|index| !matches!(argument(call, index), Ok(number) if number as i32 > 0)) {
        return failed(EINVAL);
    }
    if index == 1 {
        let process = argument(call, 0)? as i32;
        if meant(call, process) != own_number(call) as i32 {
            return failed(ESRCH);
        }
    }
    let process = call.process();
    let Some(target) = named(call, thread).filter(|target| call.process_of(*target) == process) else {
        return failed(ESRCH);
    };
    match look_for(call, target) {
        Turn::Go(true) => {}
        Turn::Go(false) => return failed(ESRCH),
        Turn::Answer(answer) => return answer,
    }
    match signal {
        0 => word(0),
        1..=LAST => send(call, Some(target), signal, TO_THREAD, word(0)),
        _ => failed(EINVAL),
    }
}

/// `rt_sigqueueinfo(process, signal, information)` and, with a thread before the signal, `rt_tgsigqueueinfo`.
fn queue(call: &mut PosixCall<'_, '_>, to_thread: bool) -> Step {
    let at = usize::from(to_thread);
    let (process, signal, address) =
        (argument(call, 0)? as i32, argument(call, 1 + at)? as u32, argument(call, 2 + at)?);
    let process = match process_of_any(call, process) {
        Turn::Go(process) => process,
        Turn::Answer(answer) => return answer,
    };
    let thread = argument(call, 1)?;
    let target = if to_thread { named(call, thread) } else { None };
    if !to_thread && process_numbered(call, process).is_some_and(|process| process != call.process()) {
        let code = call.read_number(address + 8, 4)? as i32;
        let value = call.read_passed_on(address + 24, 8)?;
        let information = Information { code, value, sender: call.process() };
        if let Some(answer) = to_another(call, process, signal, information)? {
            return answer;
        }
    }
    if let Some(error) = forbidden(call, process, signal) {
        return failed(error);
    }
    if to_thread {
        match target.map(|target| look_for(call, target)) {
            Some(Turn::Go(true)) => {}
            Some(Turn::Answer(answer)) => return answer,
            None | Some(Turn::Go(false)) => return failed(ESRCH),
        }
    }
    let code = call.read_number(address + 8, 4)? as i32;
    let value = call.read_passed_on(address + 24, 8)?;
    let information = Information { code, value, sender: call.process() };
    match signal {
        0 => word(0),
        1..=LAST => send(call, target, signal, information, word(0)),
        _ => failed(EINVAL),
    }
}

fn pending(call: &mut PosixCall<'_, '_>) -> Step {
    let result = argument(call, 0)?;
    if let Some(park) = announced(call, touching(read(SIGNALS))) {
        return Ok(park);
    }
    let signals = &call.state().data.kernel.own.signals;
    let blocked_and_pending = signals.pending(call.thread()) & signals.mask(call.thread());
    call.write(result, 8, Value::Concrete(blocked_and_pending))?;
    word(0)
}

/// Marks the scratch of a thread that has come to a wait for signals which it does not block.
const ARRIVED: u64 = 0x6172_7269_7665_6421;

/// `rt_sigtimedwait(set, information, limit, size)`: takes a pending signal of the set. With a time limit it
/// never waits: when the thread is scheduled before a signal has come, the time is up.
fn wait_for(call: &mut PosixCall<'_, '_>) -> Step {
    let (set, information, limit) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    let set = call.read_number(set, 8)?;
    let me = call.thread();
    if call.phase() == 0 && set & !call.state().data.kernel.own.signals.mask(me) != 0 {
        // Until the wait begins, a signal that is not blocked has its usual effect.
        *call.scratch() = smallvec![ARRIVED];
        return Ok(call.park(touching(read(interruption(me)))));
    }
    if call.phase() == 0 || call.scratch().as_slice() == [ARRIVED] {
        call.scratch().clear();
        if limit == 0 {
            let wait = PosixWait::Signal { blocked: !set, exempt: set };
            return Ok(call.synchronise(touching(acquire(SIGNALS)), Some(wait)));
        }
        let (seconds, fraction) = (call.read_number(limit, 8)?, call.read_number(limit + 8, 8)?);
        if fraction >= 1_000_000_000 || (seconds as i64) < 0 {
            return failed(EINVAL);
        }
        let time = seconds.saturating_mul(1_000_000_000).saturating_add(fraction);
        let until = call.state().data.kernel.clock.after(call.thread(), time);
        *call.scratch() = smallvec![until];
        let wait = PosixWait::Limited { until, goal: Goal::Signal(set) };
        return Ok(call.synchronise(touching(write(SIGNALS)), Some(wait)));
    }
    if has_interrupted(call) {
        return failed(EINTR);
    }
    let Some(signal) = call.state().data.kernel.own.signals.deliverable(me, !set) else {
        if let Some(until) = call.scratch().first().copied() {
            call.data().kernel.clock.sleep_until(me, until);
        }
        return failed(EAGAIN);
    };
    if information != 0 {
        call.object(information, 128, Purpose::Write)?;
    }
    let mut known = take(call, signal);
    // glibc tells no caller how `raise` sent it.
    if known.code == TO_THREAD.code {
        known.code = TO_PROCESS.code;
    }
    if information != 0 {
        call.write_bytes(information, &[0; 128])?;
        let bytes = information_bytes(&call.state().data.kernel, signal, known);
        call.write_bytes(information, &bytes)?;
    }
    word(u64::from(signal))
}
