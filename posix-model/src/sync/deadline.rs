//! Deadlines of timed waits. When they come is the schedule's choice; here is what makes one invalid.

use crate::answer::PosixCall;
use crate::sync::wait::{Goal, PosixWait};
use symx_interp::stop::Stop;
use symx_trace::CallOutcome;

/// Nanoseconds of a second.
pub(crate) const NANOSECONDS: u64 = 1_000_000_000;
/// The clocks that can limit a wait are `CLOCK_REALTIME` and `CLOCK_MONOTONIC`.
const LAST_CLOCK: u64 = 1;

/// Which argument of a call is the address of its deadline, a `struct timespec`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deadline {
    /// This one.
    Argument(usize),
    /// This one; the argument before it names the clock.
    AfterClock(usize),
}

impl Deadline {
    /// Whether the deadline is a time, and its clock one that can limit a wait. If not, the
    /// call fails with `EINVAL`.
    pub fn is_valid(self, call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
        let (Self::Argument(index) | Self::AfterClock(index)) = self;
        if self == Self::AfterClock(index) && call.argument(index - 1)? > LAST_CLOCK {
            return Ok(false);
        }
        let address = call.argument(index)?;
        Ok(call.read_number(address + 8, 8)? < NANOSECONDS)
    }

    /// When it comes, in nanoseconds since 1970; a deadline without a clock of its own is one of `clock`.
    pub fn until(self, call: &mut PosixCall<'_, '_>, clock: u64) -> Result<u64, Stop> {
        let (Self::Argument(index) | Self::AfterClock(index)) = self;
        let clock = if self == Self::AfterClock(index) { call.argument(index - 1)? } else { clock };
        let address = call.argument(index)?;
        let (seconds, fraction) = (call.read_number(address, 8)?, call.read_number(address + 8, 8)?);
        // Before the epoch is long past.
        let seconds = u64::try_from(seconds as i64).unwrap_or(0);
        let time = seconds.saturating_mul(NANOSECONDS).saturating_add(fraction);
        Ok(call.state().data.kernel.clock.absolute(clock, time))
    }

    /// The wait for `goal` until this deadline.
    pub fn limit(self, call: &mut PosixCall<'_, '_>, goal: Goal) -> Result<PosixWait, Stop> {
        Ok(PosixWait::Limited { until: self.until(call, REALTIME)?, goal })
    }
}

/// `CLOCK_REALTIME`.
pub(crate) const REALTIME: u64 = 0;

/// The time limit of the calling thread's wait has come: it is that late for the thread.
pub(crate) fn time_is_up(call: &mut PosixCall<'_, '_>, wait: Option<PosixWait>) {
    if let Some(PosixWait::Limited { until, .. }) = wait {
        call.ends_with(CallOutcome::TimedOut);
        let me = call.thread();
        call.data().kernel.clock.sleep_until(me, until);
    }
}
