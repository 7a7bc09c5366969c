//! Asking which descriptors are ready, and waiting until one is.

use crate::answer::{PosixCall, Step, announced, failed, touching, word};
use crate::errno::{EBADF, EINTR, EINVAL};
use crate::kernel::nodes::changes::{BROKEN, HUNG_UP, INVALID, READABLE, WRITABLE};
use crate::kernel::readiness::masked::with_mask;
use crate::kernel::readiness::{
    Awaited, Interest, add_dependences, before_looking_into_sets, found, wait_for,
};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::kernel::time::{SECOND, put_pair};
use crate::options::Posix;
use crate::places::{LIMITS, read};
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::has_interrupted;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{CallOutcome, Footprint};

pub(crate) const CALLS: &[SystemCall] = &[
    row(7, "poll", |call| {
        let limit = argument(call, 2)? as i32;
        limited(call, u64::try_from(limit).ok().map(|limit| limit * 1_000_000), poll)
    }),
    row(271, "ppoll", |call| {
        let (mask, limit) = (argument(call, 3)?, time_limit(call, 2, 1)?);
        with_mask(call, mask, limit, |call| limited(call, limit, poll))
    }),
    row(23, "select", |call| select_within(call, 1000)),
    row(270, "pselect6", |call| {
        // The last argument leads to the mask's address and length.
        let mask = match argument(call, 5)? {
            0 => 0,
            pair => call.read_number(pair, 8)?,
        };
        let limit = time_limit(call, 4, 1)?;
        with_mask(call, mask, limit, |call| select_within(call, 1))
    }),
];

/// Descriptors looked at in a set without asking in between: some ten-thousandths of a second's work.
const BETWEEN: u64 = 1 << 12;
/// Bytes of a `struct pollfd`: descriptor, events asked for, events found.
const ENTRY: u64 = 8;

/// The time whose address is argument `index`, in nanoseconds: seconds, and a fraction in this unit.
fn time_limit(call: &mut PosixCall<'_, '_>, index: usize, unit: u64) -> Result<Option<u64>, Stop> {
    let address = argument(call, index)?;
    if address == 0 {
        return Ok(None);
    }
    let (seconds, fraction) = (call.read_number(address, 8)?, call.read_number(address + 8, 8)?);
    Ok(Some(seconds.saturating_mul(SECOND).saturating_add(fraction.saturating_mul(unit))))
}

/// The footprint of asking for these descriptors.
fn footprint_of(call: &PosixCall<'_, '_>, descriptors: &[u32]) -> Footprint {
    let kernel = &call.state().data.kernel;
    let mut footprint = Footprint::new();
    for descriptor in descriptors {
        footprint.extend(kernel.own.descriptors.touched_by_naming(*descriptor, call.thread()));
        if let Some(node) = kernel.node_of(*descriptor) {
            add_dependences(kernel, node, &mut footprint);
        }
    }
    footprint
}

/// Parks, once, before asking; one that may wait says until when.
pub(crate) fn announced_with_limit(
    call: &mut PosixCall<'_, '_>,
    footprint: &Footprint,
    limit: Option<u64>,
    interests: &[Interest],
) -> Option<Outcome<Posix>> {
    let park = announced(call, footprint.clone())?;
    match limit {
        Some(limit) if limit > 0 => {
            let thread = call.thread();
            let kernel = &mut call.data().kernel;
            kernel.interests.insert(thread, Awaited::new(interests));
            let until = kernel.clock.after(thread, limit);
            Some(call.park_until(footprint.clone(), PosixWait::Limited { until, goal: Goal::Descriptors }))
        }
        _ => Some(park),
    }
}

/// The same for a call that a handler makes fail even if it does not wait.
fn announced_to_be_interrupted(
    call: &mut PosixCall<'_, '_>,
    footprint: &Footprint,
    limit: Option<u64>,
    interests: &[Interest],
) -> Option<Outcome<Posix>> {
    if limit != Some(0) || !call.state().data.may_signal {
        return announced_with_limit(call, footprint, limit, interests);
    }
    announced(call, footprint.clone())?;
    let thread = call.thread();
    call.data().kernel.interests.insert(thread, Awaited::new(interests));
    Some(call.park_until(footprint.clone(), PosixWait::Limited { until: 0, goal: Goal::Descriptors }))
}

/// Performs `model`, which may wait until a time limit. A thread that learned the time meanwhile (by a signal
/// that it blocks) finds it no later when the limit is up.
pub(crate) fn limited(
    call: &mut PosixCall<'_, '_>,
    limit: Option<u64>,
    model: fn(&mut PosixCall<'_, '_>, Option<u64>) -> Step,
) -> Step {
    let thread = call.thread();
    let (may_wait, begins) = (limit.is_some_and(|limit| limit > 0), call.phase() == 0);
    let outcome = model(call, limit)?;
    match outcome {
        Outcome::Park(_) if may_wait && begins => call.data().kernel.clock.lie_down(thread),
        Outcome::Return(_) if may_wait => call.data().kernel.clock.rise(thread),
        _ => {}
    }
    Ok(outcome)
}

/// With a time limit a call never waits. When the thread is scheduled before something is ready, the time is
/// up. It is then that much later for the thread than when it began to wait, if it did.
pub(crate) fn time_is_up(call: &mut PosixCall<'_, '_>, limit: u64) -> Step {
    call.ends_with(if limit > 0 { CallOutcome::TimedOut } else { CallOutcome::Busy });
    let thread = call.thread();
    let clock = &mut call.data().kernel.clock;
    clock.sleep_until(thread, clock.began(thread).saturating_add(limit));
    word(0)
}

/// `poll(entries, count, limit)`.
fn poll(call: &mut PosixCall<'_, '_>, limit: Option<u64>) -> Step {
    let (entries, count) = (argument(call, 0)?, argument(call, 1)? & u64::from(u32::MAX));
    if count > call.state().data.kernel.own.limits.descriptors().into() {
        return match announced(call, touching(read(LIMITS))) {
            Some(park) => Ok(park),
            None => failed(EINVAL),
        };
    }
    let mut asked = Vec::new();
    for index in 0..count {
        let entry = entries + ENTRY * index;
        let (descriptor, events) = (call.read_number(entry, 4)?, call.read_number(entry + 4, 2)?);
        let kernel = &call.state().data.kernel;
        asked.push(Interest::new(kernel, descriptor as u32, events as u32));
    }
    let present = |interest: &Interest| interest.descriptor as i32 >= 0;
    let interests: Vec<Interest> = asked.iter().copied().filter(present).collect();
    let descriptors: Vec<u32> = interests.iter().map(|entry| entry.descriptor).collect();
    if let Some(park) = before_looking_into_sets(call, &descriptors) {
        return Ok(park);
    }
    let mut footprint = footprint_of(call, &descriptors);
    footprint.extend((count > 0).then(|| read(LIMITS)));
    if let Some(park) = announced_to_be_interrupted(call, &footprint, limit, &interests) {
        return Ok(park);
    }
    if has_interrupted(call) {
        return failed(EINTR);
    }
    let (kernel, thread) = (&call.state().data.kernel, call.thread());
    let events: Vec<u32> = asked
        .iter()
        .map(|interest| if present(interest) { found(kernel, thread, *interest) } else { 0 })
        .collect();
    let ready = events.iter().filter(|found| **found != 0).count();
    match limit {
        None if ready == 0 => return wait_for(call, footprint, interests),
        _ => {}
    }
    for (index, found) in (0..).zip(events) {
        call.write(entries + ENTRY * index + 6, 2, Value::Concrete(u64::from(found)))?;
    }
    match limit {
        Some(limit) if ready == 0 => time_is_up(call, limit),
        _ => word(ready as u64),
    }
}

/// The descriptors in the set at `address`, of those below `count`.
fn members(call: &mut PosixCall<'_, '_>, address: u64, count: u64) -> Result<Vec<u32>, Stop> {
    let mut members = Vec::new();
    if address != 0 {
        for descriptor in 0..count {
            if (descriptor + 1).is_multiple_of(BETWEEN) {
                call.proceed()?;
            }
            let byte = call.read_number(address + descriptor / 8, 1)?;
            if byte >> (descriptor % 8) & 1 == 1 {
                members.push(descriptor as u32);
            }
        }
    }
    Ok(members)
}

/// [`select`] with a limit whose fraction is counted in `unit` nanoseconds. What is left of it is stored
/// there.
fn select_within(call: &mut PosixCall<'_, '_>, unit: u64) -> Step {
    let (thread, address, limit) = (call.thread(), argument(call, 4)?, time_limit(call, 4, unit)?);
    let began = call.state().data.kernel.clock.began(thread);
    let outcome = limited(call, limit, select)?;
    if let (Some(limit), Outcome::Return(_)) = (limit, &outcome) {
        let waited = call.state().data.kernel.clock.known(thread).saturating_sub(began);
        let left = limit.saturating_sub(waited);
        put_pair(call, address, left / SECOND, left % SECOND / unit)?;
    }
    Ok(outcome)
}

/// `select(count, readable, writable, exceptional, limit)`.
fn select(call: &mut PosixCall<'_, '_>, limit: Option<u64>) -> Step {
    let Ok(count) = u64::try_from(argument(call, 0)? as i32) else { return failed(EINVAL) };
    let mut sets = Vec::new();
    for (index, events) in [(1, READABLE | HUNG_UP | BROKEN), (2, WRITABLE | BROKEN), (3, 0)] {
        let address = argument(call, index)?;
        sets.push((address, events, members(call, address, count)?));
    }
    let kernel = &call.state().data.kernel;
    let interests: Vec<Interest> = sets
        .iter()
        .flat_map(|set| set.2.iter().map(|&descriptor| Interest::new(kernel, descriptor, set.1)))
        .collect();
    let descriptors: Vec<u32> = interests.iter().map(|interest| interest.descriptor).collect();
    if let Some(park) = before_looking_into_sets(call, &descriptors) {
        return Ok(park);
    }
    let footprint = footprint_of(call, &descriptors);
    if let Some(park) = announced_to_be_interrupted(call, &footprint, limit, &interests) {
        return Ok(park);
    }
    if has_interrupted(call) {
        return failed(EINTR);
    }
    let (kernel, thread) = (&call.state().data.kernel, call.thread());
    let is_ready =
        |descriptor, events| found(kernel, thread, Interest::new(kernel, descriptor, events)) & events != 0;
    if interests.iter().any(|interest| found(kernel, thread, *interest) == INVALID) {
        return failed(EBADF);
    }
    for (_, events, members) in &mut sets {
        members.retain(|descriptor| is_ready(*descriptor, *events));
    }
    let ready: usize = sets.iter().map(|set| set.2.len()).sum();
    if ready == 0 && limit.is_none() {
        return wait_for(call, footprint, interests);
    }
    for (address, _, ready) in sets {
        if address != 0 {
            call.ask(count / 8)?;
            let mut bytes = vec![0_u8; count.div_ceil(64) as usize * 8];
            for descriptor in ready {
                bytes[descriptor as usize / 8] |= 1 << (descriptor % 8);
            }
            call.write_bytes(address, &bytes)?;
        }
    }
    match limit {
        Some(limit) if ready == 0 => time_is_up(call, limit),
        _ => word(ready as u64),
    }
}
