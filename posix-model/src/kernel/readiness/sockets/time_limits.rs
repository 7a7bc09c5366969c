//! Time limits of what waits at a socket (`SO_RCVTIMEO`, `SO_SNDTIMEO`).
//!
//! A call that would wait parks with the limit. It is asked again when its wait is over, or at any time
//! before. If it gets no further then, the time is up.

use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::EAGAIN;
use crate::kernel::readiness::sockets::socket_of;
use crate::kernel::system_calls::argument;
use crate::sync::wait::{Goal, PosixWait};
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;

/// Marks, as the last scratch word, a call that waits with a limit. Neither an announcement nor a count of
/// bytes is this number in practice.
const WAITING: u64 = 0x6c69_6d69_7465_6421;

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1000;
/// Microseconds a second.
const MICROSECONDS: u64 = 1_000_000;

/// Which of a socket's limits is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transfer {
    /// Of what receives or accepts.
    Receive,
    /// Of what sends.
    Send,
}

/// How long calls at a socket wait at most, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeLimits {
    receive: Option<u64>,
    send: Option<u64>,
}

impl TimeLimits {
    fn of(self, transfer: Transfer) -> Option<u64> {
        match transfer {
            Transfer::Receive => self.receive,
            Transfer::Send => self.send,
        }
    }

    /// Sets a limit from seconds and microseconds. None at all is no limit, one before now no wait. Whether
    /// that is a time.
    pub fn set(&mut self, transfer: Transfer, seconds: u64, microseconds: u64) -> bool {
        if microseconds >= MICROSECONDS {
            return false;
        }
        let limit = match (seconds as i64, microseconds) {
            (0, 0) => None,
            (..0, _) => Some(0),
            _ => Some(seconds.saturating_mul(SECOND).saturating_add(microseconds * MICROSECOND)),
        };
        match transfer {
            Transfer::Receive => self.receive = limit,
            Transfer::Send => self.send = limit,
        }
        true
    }

    /// A limit as a `struct timeval`.
    pub fn timeval(self, transfer: Transfer) -> [u8; 16] {
        let limit = self.of(transfer).unwrap_or(0);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&(limit / SECOND).to_le_bytes());
        bytes[8..].copy_from_slice(&(limit % SECOND / MICROSECOND).to_le_bytes());
        bytes
    }
}

/// The limit of the socket in argument 0, if that is one and has one.
fn limit_of(call: &mut PosixCall<'_, '_>, transfer: Transfer) -> Result<Option<u64>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    let node = kernel.node_of(descriptor);
    let socket = node.and_then(|node| socket_of(kernel, node));
    Ok(socket.and_then(|socket| socket.options.limits.of(transfer)))
}

/// How many bytes of a message a call has sent, as its scratch words have it.
fn sent(scratch: &[u64]) -> u64 {
    scratch.get(1).copied().filter(|word| *word != WAITING).unwrap_or(0)
}

/// Performs `model`, a call that transfers at the descriptor in argument 0, within the time limit of the
/// socket there.
pub(crate) fn within_limit(
    call: &mut PosixCall<'_, '_>,
    transfer: Transfer,
    model: impl FnOnce(&mut PosixCall<'_, '_>) -> Step,
) -> Step {
    let waits = call.phase() > 0 && call.scratch().last() == Some(&WAITING);
    let limit = match limit_of(call, transfer)? {
        Some(limit) => limit,
        // Without one any more: the call finds that its descriptor means something else.
        None if waits => 0,
        None => return model(call),
    };
    let before = call.scratch().clone();
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
        Some(PosixWait::Pipe(wait)) => Goal::Pipe(wait),
        Some(PosixWait::Transfer) => Goal::Descriptors,
        _ => return Ok(Outcome::Park(operation)),
    };
    let now_sent = sent(call.scratch());
    let thread = call.thread();
    let clock = &mut call.data().kernel.clock;
    if waits && now_sent == sent(&before) {
        let until = clock.began(thread).saturating_add(limit);
        clock.sleep_until(thread, until);
        rise(call);
        return if now_sent > 0 { word(now_sent) } else { failed(EAGAIN) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reported_as_it_was_set() {
        let mut limits = TimeLimits::default();
        assert!(limits.set(Transfer::Send, 2, 500_000));
        assert_eq!(limits.of(Transfer::Send), Some(2_500_000_000));
        assert_eq!(limits.timeval(Transfer::Send)[..9], [2, 0, 0, 0, 0, 0, 0, 0, 0x20]);
        assert_eq!(limits.timeval(Transfer::Receive), [0; 16]);
        assert!(!limits.set(Transfer::Send, 0, 1_000_000), "no time");
        assert!(limits.set(Transfer::Send, -1_i64 as u64, 0) && limits.of(Transfer::Send) == Some(0));
        assert!(limits.set(Transfer::Send, 0, 0) && limits.of(Transfer::Send).is_none());
    }
}
