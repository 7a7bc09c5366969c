//! Time limits of what waits at a socket (`SO_RCVTIMEO`, `SO_SNDTIMEO`).
//!
//! A call that would wait parks with the limit. It is asked again when its wait is over, or at any time
//! before. If it gets no further then, the time is up.

use crate::answer::{PosixCall, Step};
use crate::errno::{EAGAIN, EINTR};
use crate::kernel::nodes::socket::Transfer;
use crate::kernel::nodes::socket_of;
use crate::kernel::readiness::pipe::{written, written_before};
use crate::kernel::system_calls::argument;
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::has_interrupted;
use symx_interp::environment::Outcome;

/// Marks, as the last scratch word, a call that waits with a limit. Neither an announcement nor a count of
/// bytes is this number in practice.
const WAITING: u64 = 0x6c69_6d69_7465_6421;

/// The limit of the socket `descriptor`, if that is one and has one.
fn limit_of(call: &PosixCall<'_, '_>, descriptor: u32, transfer: Transfer) -> Option<u64> {
    let kernel = &call.state().data.kernel;
    let node = kernel.node_of(descriptor);
    let socket = node.and_then(|node| socket_of(kernel, node));
    socket.and_then(|socket| socket.options.limits.of(transfer))
}

/// How many bytes of a message a call has sent, as its scratch words have it.
fn sent(scratch: &[u64]) -> u64 {
    let own = scratch.strip_suffix(&[WAITING]).unwrap_or(scratch);
    written_before(own)
}

/// Performs `model`, a call that transfers at the descriptor in argument 0, within the time limit of the
/// socket there. Ends it where a handler has interrupted its wait: whatever has come since, such as what the
/// handler itself sent, the call does not get.
pub(crate) fn within_limit(
    call: &mut PosixCall<'_, '_>,
    transfer: Transfer,
    model: impl FnOnce(&mut PosixCall<'_, '_>) -> Step,
) -> Step {
    let descriptor = argument(call, 0)? as u32;
    within_limit_of(call, descriptor, transfer, model)
}

/// [`within_limit`] of the socket `descriptor`. The limit is one of waits there: a call may wait elsewhere,
/// too.
pub(crate) fn within_limit_of(
    call: &mut PosixCall<'_, '_>,
    descriptor: u32,
    transfer: Transfer,
    model: impl FnOnce(&mut PosixCall<'_, '_>) -> Step,
) -> Step {
    let waits = call.phase() > 0 && call.scratch().last() == Some(&WAITING);
    if has_interrupted(call) {
        if waits {
            rise(call);
        }
        return written(sent(call.scratch()), EINTR);
    }
    let limit = match limit_of(call, descriptor, transfer) {
        Some(limit) => limit,
        // Without one any more: the call finds that its descriptor means something else.
        None if waits => 0,
        None => return model(call),
    };
    let before = call.scratch().clone();
    if waits {
        // The model finds its own words.
        call.scratch().pop();
    }
    let mut operation = match model(call)? {
        Outcome::Park(operation) => operation,
        outcome => {
            if waits {
                rise(call);
            }
            return Ok(outcome);
        }
    };
    let goal = match operation.wait {
        // It is announced again, and still waits.
        None if waits && call.scratch().len() == 1 => {
            call.scratch().extend_from_slice(&before[1..]);
            return Ok(Outcome::Park(operation));
        }
        Some(PosixWait::Pipe(wait)) if wait.reading == (transfer == Transfer::Receive) => Goal::Pipe(wait),
        Some(PosixWait::Transfer) => Goal::Descriptors,
        _ => {
            if waits {
                // The limit starts over when the call waits at the socket again.
                rise(call);
            }
            return Ok(Outcome::Park(operation));
        }
    };
    let now_sent = sent(call.scratch());
    let thread = call.thread();
    let clock = &mut call.data().kernel.clock;
    if waits && now_sent == sent(&before) {
        let until = clock.began(thread).saturating_add(limit);
        clock.sleep_until(thread, until);
        rise(call);
        return written(now_sent, EAGAIN);
    }
    let until = if waits { clock.began(thread).saturating_add(limit) } else { clock.after(thread, limit) };
    if !waits {
        clock.lie_down(thread);
    }
    if call.scratch().last() != Some(&WAITING) {
        call.scratch().push(WAITING);
    }
    operation.wait = Some(PosixWait::Limited { until, goal });
    Ok(Outcome::Park(operation))
}

fn rise(call: &mut PosixCall<'_, '_>) {
    let thread = call.thread();
    call.data().kernel.clock.rise(thread);
}
