//! `pthread_once_t` and C11's `once_flag`.

use crate::answer::{PosixCall, Step, int, invoke, touching};
use crate::row::{Row, row};
use crate::sync::object::SyncObject;
use crate::sync::wait::PosixWait;
use imbl::OrdSet;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_trace::{Access, CallEffect, Mode, ThreadId};

/// How far a once control is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Once {
    /// A thread is in the routine.
    Running(ThreadId),
    /// The routine has returned.
    Done {
        /// Threads that know.
        known_to: OrdSet<ThreadId>,
    },
}

impl SyncObject for Once {
    const PLURAL: &'static str = "once controls";

    fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        if self.runner() == Some(parent) { Self::Running(child) } else { self.clone() }
    }
}

impl Once {
    /// The thread in the routine.
    pub fn runner(&self) -> Option<ThreadId> {
        match self {
            Self::Running(thread) => Some(*thread),
            Self::Done { .. } => None,
        }
    }
}

pub(crate) const ROWS: &[Row] =
    &[row(&["pthread_once", "call_once"], once).which(CallEffect::Once).in_role(Role::RunsOnce)];

/// The word in a control once its routine has returned, as glibc has it.
const DONE: u64 = 2;

fn once(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, routine) = (call.argument(0)?, call.argument(1)?);
    call.object(address, 4, Purpose::Write)?;
    let me = call.thread();
    match call.phase() {
        // Whether it is done is for a step to see. A thread that has seen it need not look again: it stays
        // so.
        0 if knowing(call, address)?.is_some_and(|known_to| known_to.contains(&me)) => int(0),
        0 => {
            let footprint = touching(Access::object(address, Mode::Acquire));
            Ok(call.synchronise(footprint, Some(PosixWait::Once(address))))
        }
        1 => {
            call.acquire((address, 0));
            match knowing(call, address)? {
                Some(known_to) => {
                    let known_to = known_to.update(me);
                    call.data().own.sync.once.insert(address, Once::Done { known_to });
                    int(0)
                }
                None => {
                    call.data().own.sync.once.insert(address, Once::Running(me));
                    invoke(routine, [])
                }
            }
        }
        2 => Ok(call.synchronise(touching(Access::object(address, Mode::Release)), None)),
        _ => {
            call.release((address, 0));
            call.write_object(address, 4, Value::Concrete(DONE))?;
            call.data().own.sync.once.insert(address, Once::Done { known_to: OrdSet::unit(me) });
            int(0)
        }
    }
}

/// Threads that know that the routine has returned; none if it has not, or the control was given its first
/// value again since then.
fn knowing(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Option<OrdSet<ThreadId>>, Stop> {
    let Some(Once::Done { known_to }) = call.state().data.own.sync.once.get(&address).cloned() else {
        return Ok(None);
    };
    Ok((call.read_object(address, 4)? == DONE).then_some(known_to))
}
