//! Deadlines of timed waits. When they come is the schedule's choice; here is what makes one invalid.

use crate::answer::PosixCall;
use symx_interp::stop::Stop;

const NANOSECONDS: u64 = 1_000_000_000;
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
    /// Whether the deadline is a time, and its clock one that can limit a wait. If not, the call fails with `EINVAL`.
    pub fn is_valid(self, call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
        let (Self::Argument(index) | Self::AfterClock(index)) = self;
        if self == Self::AfterClock(index) && call.argument(index - 1)? > LAST_CLOCK {
            return Ok(false);
        }
        let address = call.argument(index)?;
        Ok(call.read_number(address + 8, 8)? < NANOSECONDS)
    }
}
