//! `pthread_once_t` and C11's `once_flag`.

use crate::answer::{PosixCall, Step, int, invoke, touching};
use crate::registry::{Row, row};
use crate::wait::PosixWait;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
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

// What a call is about to do: its first scratch word.
const LOOKING: u64 = 1;
const CLAIMING: u64 = 2;
const RUNNING: u64 = 3;
const ENDING: u64 = 4;

/// What a control holds once its routine has returned, as glibc has it.
const DONE: u64 = 2;

fn once(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, routine) = (call.argument(0)?, call.argument(1)?);
    call.object(address, 4, Purpose::Write)?;
    let stage = call.scratch().first().copied();
    match stage {
        None | Some(LOOKING | CLAIMING) => {
            let done = is_done(call, address)?;
            if done && stage.is_some() {
                call.acquire((address, 0));
                return int(0);
            }
            if stage == Some(CLAIMING) {
                let me = call.thread();
                call.acquire((address, 0));
                call.data().once.insert(address, Once::Running(me));
                *call.scratch() = smallvec![RUNNING];
                return invoke(routine, []);
            }
            // Once done, it stays done: later calls commute.
            let (next, mode) = if done { (LOOKING, Mode::Read) } else { (CLAIMING, Mode::Acquire) };
            *call.scratch() = smallvec![next];
            Ok(call.synchronise(touching(Access::object(address, mode)), Some(PosixWait::Once(address))))
        }
        Some(RUNNING) => {
            *call.scratch() = smallvec![ENDING];
            Ok(call.synchronise(touching(Access::object(address, Mode::Release)), None))
        }
        Some(_) => {
            call.release((address, 0));
            call.write(address, 4, Value::Concrete(DONE))?;
            call.data().once.insert(address, Once::Done);
            int(0)
        }
    }
}

/// Whether the routine has returned, and the control was not given its first value again since then.
fn is_done(call: &mut PosixCall<'_, '_>, address: u64) -> Result<bool, Stop> {
    let returned = call.state().data.once.get(&address) == Some(&Once::Done);
    Ok(returned && call.read_number(address, 4)? == DONE)
}
