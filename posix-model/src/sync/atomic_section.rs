//! SV-COMP's atomic sections: what a thread does inside, others see as one step.

use crate::answer::{PosixCall, Step, nothing, touching};
use crate::places::{acquire, release};
use crate::row::{Row, row};
use crate::sync::wait::PosixWait;
use symx_interp::remedies::ATOMIC_BLOCKS;
use symx_interp::threads::modelled::Role;
use symx_ir::known_functions::{ATOMIC_BEGIN, ATOMIC_END};
use symx_trace::{FailureDetail, FailureKind};

pub(crate) const ROWS: &[Row] =
    &[row(&[ATOMIC_BEGIN], begin).in_role(Role::BeginsAtomicBlock), row(&[ATOMIC_END], end)];

fn begin(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() == 0 && !call.state().is_in_atomic_block(call.thread()) {
        return Ok(call.synchronise(touching(acquire(ATOMIC_BLOCKS)), Some(PosixWait::AtomicSection)));
    }
    call.is_beyond_traces("an atomic section");
    call.begin_atomic_block();
    nothing()
}

fn end(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(release(ATOMIC_BLOCKS)), None));
    }
    if !call.state().is_in_atomic_block(call.thread()) {
        let message = "end of an atomic section the thread is not in";
        return Err(call.fault(FailureKind::SyncMisuse, FailureDetail::UnlockNotOwner, message));
    }
    call.end_atomic_block();
    nothing()
}
