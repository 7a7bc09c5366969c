//! `pthread_once_t` and C11's `once_flag`.

use crate::answer::{PosixCall, Step, int, invoke, touching};
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use symx_interp::access::Purpose;
use symx_trace::{Access, Mode, ThreadId};

/// How far a once control is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Once {
    /// A thread is in the routine.
    Running(ThreadId),
    /// The routine has returned.
    Done,
}

impl Once {
    /// The thread in the routine.
    pub fn runner(self) -> Option<ThreadId> {
        match self {
            Self::Running(thread) => Some(thread),
            Self::Done => None,
        }
    }
}

pub(crate) const ROWS: &[Row] = &[row(&["pthread_once", "call_once"], once)];

fn once(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, routine) = (call.argument(0)?, call.argument(1)?);
    call.object(address, 4, Purpose::Write)?;
    let progress = call.state().data.once.get(&address).copied();
    match call.phase() {
        0 => {
            // Once done, it stays done: later calls commute.
            let mode = if progress == Some(Once::Done) { Mode::Read } else { Mode::Acquire };
            Ok(call.synchronise(touching(Access::object(address, mode)), Some(PosixWait::Once(address))))
        }
        1 if progress == Some(Once::Done) => {
            call.acquire((address, 0));
            int(0)
        }
        1 => {
            let me = call.thread();
            call.acquire((address, 0));
            call.data().once.insert(address, Once::Running(me));
            invoke(routine, [])
        }
        2 => Ok(call.synchronise(touching(Access::object(address, Mode::Release)), None)),
        _ => {
            call.release((address, 0));
            call.data().once.insert(address, Once::Done);
            int(0)
        }
    }
}
