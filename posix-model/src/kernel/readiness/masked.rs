//! Waits for descriptors during which the thread blocks other signals: `ppoll`, `pselect`, `epoll_pwait`.

use crate::answer::{PosixCall, Step};
use crate::kernel::readiness::is_one_ready;
use crate::kernel::signals::suspended::{delivers, end_wait};
use crate::kernel::system_calls;
use crate::places::{SIGNALS, write};
use crate::threads::has_interrupted;
use symx_interp::environment::Outcome;
use symx_interp::value::Value;

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
