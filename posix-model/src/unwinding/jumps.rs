//! `setjmp` and `longjmp`: a point to return to is an activation and the call in it to continue after.

use crate::answer::{PosixCall, Step, int};
use crate::row::{Row, row};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::value::Value;
use symx_trace::{FailureDetail, FailureKind};

/// A point to return to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JumpTarget {
    /// Activations that stay.
    depth: u32,
    /// The call in the topmost of them.
    pc: u32,
    /// The signal mask to restore, if it was saved.
    mask: Option<u64>,
}

pub(crate) const ROWS: &[Row] = &[
    row(&["setjmp", "_setjmp"], |call| save(call, false)),
    row(&["__sigsetjmp", "sigsetjmp", "__sigsetjmp_cancel"], |call| {
        let with_mask = call.argument(1)? as u32 != 0;
        save(call, with_mask)
    }),
    row(&["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"], |call| {
        let (buffer, value) = (call.argument(0)?, call.argument(1)? as u32);
        jump(call, buffer, Value::Concrete(u64::from(value.max(1))))
    }),
];

fn save(call: &mut PosixCall<'_, '_>, with_mask: bool) -> Step {
    let buffer = call.argument(0)?;
    call.object(buffer, 8, Purpose::Write)?;
    let Some((depth, pc)) = call.return_point() else {
        return Err(call.unsupported("setjmp called by something else than a function of the program"));
    };
    let me = call.thread();
    let mask = with_mask.then(|| call.state().data.kernel.own.signals.mask(me));
    call.data().jumps.insert((me, buffer), JumpTarget { depth, pc, mask });
    int(0)
}

/// How many activations stay after a jump through `buffer`.
pub(crate) fn depth_of(call: &PosixCall<'_, '_>, buffer: u64) -> Option<u32> {
    let target = call.state().data.jumps.get(&(call.thread(), buffer))?;
    Some(target.depth.min(call.depth()))
}

/// Goes back to where `buffer` was filled in, which returns `value` once more.
pub(crate) fn jump(call: &mut PosixCall<'_, '_>, buffer: u64, value: Value) -> Step {
    call.object(buffer, 8, Purpose::Read)?;
    let me = call.thread();
    let Some(target) = call.state().data.jumps.get(&(me, buffer)).copied() else {
        let message = "jump through a buffer that this thread's setjmp did not fill in";
        return Err(call.fault(FailureKind::Memory, FailureDetail::InvalidJump, message));
    };
    let depth = call.state().thread(me).stack.len() as u32;
    if target.depth > depth {
        let message = "jump into a function that has returned";
        return Err(call.fault(FailureKind::Memory, FailureDetail::InvalidJump, message));
    }
    if let Some(mask) = target.mask {
        call.data().kernel.own.signals.set_mask(me, mask);
    }
    Ok(Outcome::Jump { depth: target.depth, pc: target.pc, value })
}
