//! SV-COMP's atomic sections, as one lock of the whole process.
//!
//! A section must also exclude plain accesses of other threads, which a lock cannot. So sections are supported only
//! while a single thread runs.

use crate::answer::{PosixCall, Step, nothing, touching};
use crate::places::{ATOMIC_SECTION, acquire, release};
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use symx_trace::FailureKind;

pub(crate) const ROWS: &[Row] =
    &[row(&["__VERIFIER_atomic_begin"], begin), row(&["__VERIFIER_atomic_end"], end)];

fn begin(call: &mut PosixCall<'_, '_>) -> Step {
    if call.state().unjoined > 1 {
        return Err(call.unsupported("an atomic section while several threads run"));
    }
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(acquire(ATOMIC_SECTION)), Some(PosixWait::AtomicSection)));
    }
    let me = call.thread();
    call.acquire((u64::MAX, 0));
    call.data().atomic_section = Some(me);
    nothing()
}

fn end(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(release(ATOMIC_SECTION)), None));
    }
    if call.state().data.atomic_section != Some(call.thread()) {
        let message = "end of an atomic section the thread is not in";
        return Err(call.fault(FailureKind::SyncMisuse, "unlock-not-owner", message));
    }
    call.release((u64::MAX, 0));
    call.data().atomic_section = None;
    nothing()
}
