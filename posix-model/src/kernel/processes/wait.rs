//! Waiting for the ends of children: `wait4` and `waitid`, above which libc has the others.

use crate::answer::{PosixCall, Step, announced_synchronisation, failed, word};
use crate::errno::{ECHILD, EINTR, EINVAL};
use crate::kernel::process::USER;
use crate::kernel::signals::{deliver_sent, is_sent, keep_before_return};
use crate::kernel::system_calls::argument;
use crate::options::Posix;
use crate::places::{acquire, children_of, end_of, write};
use crate::sync::wait::{ChildWait, PosixWait};
use crate::threads::process_numbers::{process_number, process_numbered};
use crate::threads::{has_interrupted, record, update};
use std::hash::{Hash, Hasher};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Footprint, ThreadId};

// Options.
const DO_NOT_WAIT: u64 = 1;
const ENDED: u64 = 4;
const LEAVE: u64 = 0x0100_0000;
/// `WUNTRACED`, `WCONTINUED`: no process stops.
const STOPPED: u64 = 2;
const CONTINUED: u64 = 8;

impl ChildWait {
    /// The children that have not been waited for.
    fn children(self, state: &State<Posix>) -> Vec<ThreadId> {
        let children = state.data.processes.children(self.parent).map(|(child, _)| child);
        children.filter(|child| self.child.is_none_or(|wanted| wanted == *child)).collect()
    }

    /// The first that has ended.
    fn ended(self, state: &State<Posix>) -> Option<(ThreadId, u32)> {
        let status = |child: ThreadId| state.data.processes.records.get(&child)?.status;
        self.children(state).into_iter().find_map(|child| Some((child, status(child)?)))
    }

    /// Whether the wait is over: a child has ended, or there is none.
    pub(crate) fn is_over(self, state: &State<Posix>) -> bool {
        self.children(state).is_empty() || self.ended(state).is_some()
    }

    /// What waiting touches: the ends of children. Which of several ends first makes a difference, and so
    /// does whether one has ended if nothing is waited for.
    fn footprint(self, state: &State<Posix>, is_immediate: bool) -> Footprint {
        let mut footprint: Footprint = [write(children_of(self.parent))].into_iter().collect();
        let children = self.children(state);
        let access = if is_immediate || children.len() > 1 { write } else { acquire };
        footprint.extend(children.iter().map(|child| access(end_of(*child))));
        footprint
    }

    /// Threads of children, for whose ends it waits.
    pub(crate) fn holders(self, state: &State<Posix>) -> Vec<ThreadId> {
        let children = self.children(state);
        let threads = state.threads.iter().filter(|thread| thread.is_unfinished());
        threads
            .map(|thread| thread.id)
            .filter(|thread| children.contains(&state.process_of(*thread)))
            .collect()
    }
}

/// Waits as asked for; what has ended, if anything, or what to answer.
fn wait(
    call: &mut PosixCall<'_, '_>,
    wait: ChildWait,
    options: u64,
) -> Result<Result<Option<(ThreadId, u32)>, Step>, Stop> {
    let children = wait.children(call.state());
    let is_immediate = options & DO_NOT_WAIT != 0;
    let footprint = wait.footprint(call.state(), is_immediate);
    if is_immediate || children.is_empty() {
        if let Some(park) = announced_synchronisation(call, footprint) {
            return Ok(Err(Ok(park)));
        }
    } else {
        let mut hasher = rustc_hash::FxHasher::default();
        footprint.hash(&mut hasher);
        let announcement = hasher.finish();
        if call.phase() == 0 || call.scratch().first() != Some(&announcement) {
            *call.scratch() = [announcement].into_iter().collect();
            return Ok(Err(Ok(call.synchronise(footprint, Some(PosixWait::Children(wait))))));
        }
    }
    if has_interrupted(call) {
        return Ok(Err(failed(EINTR)));
    }
    if children.is_empty() {
        return Ok(Err(no_child(call)));
    }
    let is_before_signal = goes_before_signal(call);
    let ended = wait.ended(call.state());
    if ended.is_none() && !is_immediate {
        return Ok(Err(park_again(call, wait)));
    }
    if let Some((child, _)) = ended
        && options & LEAVE == 0
    {
        call.data().processes.change(child, |record| record.is_reaped = true);
        call.join_process(child);
    }
    if is_before_signal && let Some((child, status)) = ended {
        keep_before_return(call, &[child.0.into(), status.into()]);
    }
    Ok(Ok(ended))
}

/// Waits for a child that the caller means: what has ended, if anything, or what to answer. The handler of
/// the signal that has come with an end runs before the wait returns.
fn wait_for(
    call: &mut PosixCall<'_, '_>,
    meant: impl FnOnce(&mut PosixCall<'_, '_>) -> Result<Option<ChildWait>, Stop>,
    options: u64,
) -> Result<Result<Option<(ThreadId, u32)>, Step>, Stop> {
    if is_sent(call) {
        return match call.scratch()[2..] {
            [child, status] => Ok(Ok(Some((ThreadId(child as u32), status as u32)))),
            _ => Ok(Err(deliver_sent(call, failed(ECHILD)))),
        };
    }
    match meant(call)? {
        Some(meant) => wait(call, meant, options),
        None => Ok(Err(no_child(call))),
    }
}

/// Whether the wait is over before the handler of the signal runs that has come with an end; asked once.
fn goes_before_signal(call: &mut PosixCall<'_, '_>) -> bool {
    let is_before_signal = record(call, call.thread()).takes_child_first;
    if is_before_signal {
        update(call, |own| own.takes_child_first = false);
    }
    is_before_signal
}

/// There is no child to wait for, or not any more.
fn no_child(call: &mut PosixCall<'_, '_>) -> Step {
    if goes_before_signal(call) {
        keep_before_return(call, &[]);
    }
    answer(call, failed(ECHILD))
}

/// Returns `result` behind the handler that is to run before.
fn answer(call: &mut PosixCall<'_, '_>, result: Step) -> Step {
    if is_sent(call) { deliver_sent(call, result) } else { result }
}

/// A child that had ended has been waited for by another thread meanwhile.
fn park_again(call: &mut PosixCall<'_, '_>, wait: ChildWait) -> Step {
    call.scratch().clear();
    let footprint = wait.footprint(call.state(), false);
    match call.synchronise(footprint, Some(PosixWait::Children(wait))) {
        Outcome::Park(operation) => Ok(Outcome::ParkBefore(operation)),
        other => Ok(other),
    }
}

/// The children that a number stands for, as `waitpid` has it.
fn children_meant(call: &mut PosixCall<'_, '_>, number: i32) -> Result<Option<ChildWait>, Stop> {
    let parent = call.process();
    if number == -1 || number == 0 {
        return Ok(Some(ChildWait { parent, child: None }));
    }
    if number < 0 {
        return Err(call.unsupported("a wait for a group of processes"));
    }
    Ok(process_numbered(call, number).map(|child| ChildWait { parent, child: Some(child) }))
}

/// `wait4(process, status, options, usage)`.
pub(crate) fn wait4(call: &mut PosixCall<'_, '_>) -> Step {
    let (number, result, options) = (argument(call, 0)? as i32, argument(call, 1)?, argument(call, 2)?);
    let usage = argument(call, 3)?;
    if options & !(DO_NOT_WAIT | STOPPED | CONTINUED) != 0 {
        return failed(EINVAL);
    }
    let (child, status) = match wait_for(call, |call| children_meant(call, number), options)? {
        Ok(Some(ended)) => ended,
        Ok(None) => return word(0),
        Err(answer) => return answer,
    };
    if result != 0 {
        call.write(result, 4, Value::Concrete(status.into()))?;
    }
    if usage != 0 {
        call.write_bytes(usage, &[0; 144])?;
    }
    answer(call, word(process_number(child)))
}

/// `waitid(kind, number, information, options, usage)`.
pub(crate) fn waitid(call: &mut PosixCall<'_, '_>) -> Step {
    const ALL: u64 = 0;
    const ONE: u64 = 1;
    const CHILD_ENDED: u32 = 17;
    const EXITED: u32 = 1;
    const KILLED: u32 = 2;
    let (kind, number) = (argument(call, 0)?, argument(call, 1)? as i32);
    let (information, options) = (argument(call, 2)?, argument(call, 3)?);
    if options & !(DO_NOT_WAIT | ENDED | STOPPED | CONTINUED | LEAVE) != 0
        || options & (ENDED | STOPPED | CONTINUED) == 0
    {
        return failed(EINVAL);
    }
    if options & ENDED == 0 {
        return Err(call.unsupported("a wait for children that stop or continue"));
    }
    let number = match kind {
        ALL => -1,
        ONE if number <= 0 => return failed(EINVAL),
        ONE => number,
        _ => return Err(call.unsupported("waitid for a group of processes or a descriptor")),
    };
    if information != 0 {
        call.object(information, 128, Purpose::Write)?;
    }
    let ended = match wait_for(call, |call| children_meant(call, number), options)? {
        Ok(ended) => ended,
        Err(answer) => return answer,
    };
    if information != 0 {
        let mut bytes = [0; 128];
        if let Some((child, status)) = ended {
            let (code, value) = match status & 0x7f {
                0 => (EXITED, status >> 8 & 0xff),
                signal => (KILLED, signal),
            };
            let words = [(0, CHILD_ENDED), (8, code), (16, process_number(child) as u32), (20, USER as u32)];
            for (at, word) in words.into_iter().chain([(24, value)]) {
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
        call.write_bytes(information, &bytes)?;
    }
    answer(call, word(0))
}
