//! Waits during which a thread blocks other signals than otherwise: `sigsuspend`, and waits for descriptors
//! with a mask of their own.
//!
//! A signal that only the mask of the wait lets in cannot come before the wait or behind it, so what it
//! ends is the wait. All that is pending then is delivered, and nothing that comes meanwhile.

use crate::answer::{PosixCall, Step, failed, touching};
use crate::errno::EINTR;
use crate::kernel::signals::{bit, deliver_among};
use crate::places::{SIGNALS, acquire};
use crate::sync::wait::PosixWait;
use crate::threads::has_interrupted;
use smallvec::smallvec;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;

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

/// Begins to deliver what is pending under the `mask` of a wait that is over.
pub(crate) fn end_wait(call: &mut PosixCall<'_, '_>, mask: u64) -> Step {
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
pub(crate) fn delivers(call: &mut PosixCall<'_, '_>) -> Option<Step> {
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
