//! Signals to condition variables, and broadcasts.

use super::{Condition, Library};
use crate::answer::{PosixCall, Step, announced_synchronisation, int};
use crate::places::{cancellation, post, read, wake_up};
use crate::threads::cancellation::is_due;
use smallvec::{SmallVec, smallvec};
use symx_interp::symbolic_trace::Synchronisation;
use symx_trace::{Access, Footprint, Mode, ThreadId};

/// The footprint of waking: the queue, the wake-up, and whether sleepers are to be cancelled, since those are
/// woken last.
fn wakers_footprint(
    call: &PosixCall<'_, '_>,
    of: &Library,
    address: u64,
    condition: &Condition,
) -> Footprint {
    let mut footprint: Footprint = smallvec![Access::object(address, Mode::Write), post(wake_up(address))];
    if of.cancels && call.bookkeeping().may_cancel {
        footprint.extend(condition.sleepers.iter().map(|sleeper| read(cancellation(*sleeper))));
    }
    footprint
}

pub(crate) fn signal(call: &mut PosixCall<'_, '_>, of: &Library) -> Step {
    let address = call.argument(0)?;
    let mut condition = (of.find)(call, address)?;
    let footprint = wakers_footprint(call, of, address, &condition);
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if condition.sleepers.is_empty() {
        call.synchronises(Synchronisation::Signal { condition: address, woken: None });
        return lose(call, address, condition);
    }
    // A thread that is to be cancelled does not consume a signal while others sleep.
    let sleepers: SmallVec<[ThreadId; 4]> = condition.sleepers.iter().copied().collect();
    let stays = |sleeper: &ThreadId| !(of.cancels && is_due(call.state(), *sleeper));
    let staying: SmallVec<[ThreadId; 4]> = sleepers.iter().copied().filter(stays).collect();
    let woken_from = if staying.is_empty() { &sleepers } else { &staying };
    let woken = woken_from[call.choose(woken_from.len() as u32)? as usize];
    condition.sleepers.retain(|sleeper| *sleeper != woken);
    condition.lost = None;
    if call.bookkeeping().may_cancel && staying.len() <= 1 {
        condition.cancellable.push_back(woken);
    }
    call.synchronises(Synchronisation::Signal { condition: address, woken: Some(woken) });
    call.data().own.sync.conditions.insert(address, condition);
    int(0)
}

pub(crate) fn broadcast(call: &mut PosixCall<'_, '_>, of: &Library) -> Step {
    let address = call.argument(0)?;
    let mut condition = (of.find)(call, address)?;
    if call.phase() == 0 {
        let footprint = smallvec![Access::object(address, Mode::Write), post(wake_up(address))];
        return Ok(call.synchronise(footprint, None));
    }
    call.synchronises(Synchronisation::Broadcast(address));
    if condition.sleepers.is_empty() {
        return lose(call, address, condition);
    }
    let woken = std::mem::take(&mut condition.sleepers);
    condition.lost = None;
    if call.bookkeeping().may_cancel {
        condition.cancellable.append(woken);
    }
    call.data().own.sync.conditions.insert(address, condition);
    int(0)
}

/// No thread sleeps: the signal has no effect, which is noted in case a thread waits for it later (a lost
/// wake-up).
fn lose(call: &mut PosixCall<'_, '_>, address: u64, condition: Condition) -> Step {
    let lost = Some((call.caller_span(), call.thread()));
    call.data().own.sync.conditions.insert(address, Condition { lost, ..condition });
    int(0)
}
