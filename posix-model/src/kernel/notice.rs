//! How a process is notified that something has happened: by a signal, or as a `struct sigevent` asks.

use crate::answer::PosixCall;
use crate::places::{SIGNALS, interruption, node_place, write};
use crate::threads::{ThreadRecord, creation, store, thread_numbered};
use symx_interp::Shared;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Footprint, ThreadId};

/// The data of a signal that a handler can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Information {
    /// How it was sent (`si_code`).
    pub code: i32,
    /// The value sent with it (`si_value`), or how a child has ended.
    pub value: u64,
    /// The process that sent it, or that ended.
    pub sender: ThreadId,
}

/// Signals are numbered from 1 to this.
pub(crate) const LAST: u32 = 64;

/// How notice is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Notice {
    /// Not at all: a thread may look.
    Nothing,
    /// A signal to a thread or to the process.
    Signal { receiver: Option<ThreadId>, signal: u32, information: Information },
    /// A thread of its own calls this function with this argument.
    Call { function: u64, argument: u64 },
    /// The descriptors of this node become readable.
    Descriptor { node: u64 },
}

impl Notice {
    /// The footprint of giving it.
    pub fn footprint(self, call: &PosixCall<'_, '_>) -> Footprint {
        let threads = &call.state().threads;
        let mut footprint = Footprint::new();
        match self {
            Self::Nothing => {}
            Self::Descriptor { node } => footprint.push(write(node_place(node))),
            Self::Call { .. } => {
                footprint.extend(creation(call));
            }
            Self::Signal { receiver, .. } => {
                let threads = threads.iter().filter(|thread| !thread.service);
                let threads = threads.filter(|thread| receiver.is_none_or(|receiver| receiver == thread.id));
                footprint.push(write(SIGNALS));
                footprint.extend(threads.map(|thread| write(interruption(thread.id))));
            }
        }
        footprint
    }
}

/// The request of the `struct sigevent` at `event`, a signal of it being of the kind `code`. `None` if there
/// is no such request.
pub(crate) fn wanted(call: &mut PosixCall<'_, '_>, event: u64, code: i32) -> Result<Option<Notice>, Stop> {
    let how = call.read_number(event + 12, 4)?;
    if how == 1 {
        return Ok(Some(Notice::Nothing));
    }
    let value = call.read_passed_on(event, 8)?;
    if how == 2 {
        let function = call.read_number(event + 16, 8)?;
        return Ok(Some(Notice::Call { function, argument: value }));
    }
    let signal = call.read_number(event + 8, 4)? as u32;
    let receiver = match how {
        0 => None,
        4 => {
            let thread = thread_numbered(call.read_number(event + 16, 4)?);
            let Some(thread) = thread.filter(|thread| call.other(*thread).is_some()) else {
                return Ok(None);
            };
            Some(thread)
        }
        _ => return Ok(None),
    };
    let information = Information { code, value, sender: call.process() };
    Ok((1..=LAST).contains(&signal).then_some(Notice::Signal { receiver, signal, information }))
}

/// The call in a thread of its own.
pub(crate) fn call(call: &mut PosixCall<'_, '_>, function: u64, argument: u64) -> Result<(), Stop> {
    let child = call.create_thread(function, Value::Concrete(argument))?;
    store(call, child, Shared::new(ThreadRecord::of_library()));
    Ok(())
}
