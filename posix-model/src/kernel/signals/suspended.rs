//! Waits during which a thread blocks other signals than otherwise: `sigsuspend`, `ppoll`, `pselect`,
//! `epoll_pwait`.
//!
//! A signal that only the mask of the wait lets in cannot come before the wait or behind it, so what it
//! ends is the wait. All that is pending then is delivered, and nothing that comes meanwhile.

use crate::answer::{PosixCall, Step, failed, touching};
use crate::errno::EINTR;
use crate::kernel::readiness::is_one_ready;
use crate::kernel::signals::{bit, deliver_among};
use crate::kernel::system_calls;
use crate::places::{SIGNALS, acquire, write};
use crate::sync::wait::PosixWait;
use crate::threads::has_interrupted;
use smallvec::smallvec;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// Marks the scratch of a call whose wait signals have ended: `[mark, mask before, mask of the wait, signals
/// to be delivered]`.
const ENDED: u64 = 0x7375_7370_656e_6465;

/// Waits, blocking only `mask`, for a signal with a handler; then the mask is what it was.
pub(super) fn suspend(call: &mut PosixCall<'_, '_>, mask: u64) -> Step {
    if let Some(step) = delivers(call) {
        return step;
    }
    if call.phase() == 0 {
        let wait = PosixWait::Signal { blocked: mask, exempt: 0 };
        return Ok(call.synchronise(touching(acquire(SIGNALS)), Some(wait)));
    }
    if has_interrupted(call) { failed(EINTR) } else { end_wait(call, mask) }
}

/// Performs `model`, a wait for descriptors, while the thread blocks only the signals of the set at
/// `address`, if there is one. `limit` is the time limit of the wait in nanoseconds.
pub(crate) fn with_mask(
    call: &mut PosixCall<'_, '_>,
    address: u64,
    limit: Option<u64>,
    model: impl FnOnce(&mut PosixCall<'_, '_>) -> Step,
) -> Step {
    if let Some(step) = delivers(call) {
        return step;
    }
    if address == 0 {
        return model(call);
    }
    let (me, mask) = (call.thread(), call.read_number(address, 8)?);
    let own = call.state().data.kernel.own.signals.mask(me);
    if mask & !own != 0 {
        let name = system_calls::name(call)?;
        return Err(call.unsupported(format!("{name} that blocks more signals than its thread does")));
    }
    if own == mask {
        return model(call);
    }
    let let_in = own & !mask;
    let is_one_pending =
        |call: &PosixCall<'_, '_>| call.state().data.kernel.own.signals.is_any_deliverable(me, let_in);
    if call.phase() == 0 {
        call.data().kernel.interests.remove(&me);
    } else if is_one_ready(&call.state().data.kernel, me) == Some(false) && is_one_pending(call) {
        // A descriptor that is ready comes first.
        has_interrupted(call);
        if limit.is_some_and(|limit| limit > 0) {
            call.data().kernel.clock.rise(me);
        }
        return end_wait(call, mask);
    }
    match model(call)? {
        Outcome::Park(mut operation) => {
            operation.footprint.push(write(SIGNALS));
            if let Some(awaited) = call.data().kernel.interests.get_mut(&me) {
                awaited.let_in = let_in;
            }
            Ok(Outcome::Park(operation))
        }
        // It did not wait at all.
        Outcome::Return(Value::Concrete(0)) if limit == Some(0) && is_one_pending(call) => {
            end_wait(call, mask)
        }
        outcome => Ok(outcome),
    }
}

/// Begins to deliver what is pending under the `mask` of a wait that is over.
fn end_wait(call: &mut PosixCall<'_, '_>, mask: u64) -> Step {
    let me = call.thread();
    let signals = &call.state().data.kernel.own.signals;
    let (before, all) = (signals.mask(me), signals.frames(me, mask, u64::MAX).all);
    *call.scratch() = smallvec![ENDED, before, mask, all];
    match deliver_next(call)? {
        Some(handler) => Ok(handler),
        None => {
            call.data().kernel.own.signals.set_mask(me, before);
            Err(call.unsupported("a wait for signals ended by an ignored one"))
        }
    }
}

/// Goes on with a call whose wait is over, once a handler has returned. `None` if it is not.
fn delivers(call: &mut PosixCall<'_, '_>) -> Option<Step> {
    let &[ENDED, before, ..] = call.scratch().as_slice() else { return None };
    Some(deliver_next(call).and_then(|handler| match handler {
        Some(handler) => Ok(handler),
        None => {
            let me = call.thread();
            call.data().kernel.own.signals.set_mask(me, before);
            failed(EINTR)
        }
    }))
}

/// Delivers the next of the signals that have ended the wait.
fn deliver_next(call: &mut PosixCall<'_, '_>) -> Result<Option<Outcome<crate::Posix>>, Stop> {
    let me = call.thread();
    let &[ENDED, before, mask, left] = call.scratch().as_slice() else { return Ok(None) };
    call.data().kernel.own.signals.set_mask(me, mask);
    let next = call.state().data.kernel.own.signals.frames(me, mask, left).last;
    *call.scratch() = smallvec![ENDED, before, mask, left & !next.map_or(0, bit)];
    deliver_among(call, left)
}
