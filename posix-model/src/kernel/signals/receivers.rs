//! Which thread a signal of the process interrupts: one of those that let it in. The others go on
//! meanwhile, and take it only if they look for what is pending.

use crate::answer::PosixCall;
use crate::kernel::signals::{DEFAULT, bit};
use crate::options::Posix;
use crate::sync::wait::{Goal, PosixWait, wait_of};
use crate::threads::stages::{is_ending, prepares};
use smallvec::SmallVec;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_trace::ThreadId;

/// The signals that end what `thread` waits for.
pub(super) fn waited_for(state: &State<Posix>, thread: ThreadId) -> u64 {
    match wait_of(state, thread) {
        Some(PosixWait::Signal { blocked, .. }) => !blocked,
        Some(PosixWait::Limited { goal: Goal::Signal(set), .. }) => *set,
        Some(PosixWait::Descriptors | PosixWait::Limited { goal: Goal::Descriptors, .. }) => {
            state.data.kernel.interests.get(&thread).map_or(0, |awaited| awaited.let_in)
        }
        _ => 0,
    }
}

/// Whether `thread` gets signals between its steps. No signal comes before its routine, as its creator has
/// blocked them all for it. Once its routine has returned, it gets them until its end. The main thread then
/// ends the process, and no thread sends signals to the library's own.
pub(super) fn can_be_interrupted(state: &State<Posix>, thread: ThreadId) -> bool {
    let data = &state.data;
    let is_of_program = data.threads.get(&thread).is_some_and(|record| record.created.is_some());
    data.own.process.ended_by != Some(thread)
        && (is_of_program || !is_ending(state, thread))
        && !prepares(state, thread)
}

/// Whether `thread` may be interrupted by signals of `set`, or waits for one.
fn lets_in(state: &State<Posix>, thread: ThreadId, set: u64) -> bool {
    let let_in = !state.data.kernel.own.signals.mask(thread) | waited_for(state, thread);
    let is_there = !state.thread(thread).service && !state.thread(thread).exited;
    is_there && let_in & set != 0 && can_be_interrupted(state, thread)
}

/// The threads of the process of `thread` that let in a signal of `set`.
fn candidates(state: &State<Posix>, thread: ThreadId, set: u64) -> SmallVec<[ThreadId; 4]> {
    let process = state.process_of(thread);
    let threads = state.threads.iter().map(|thread| thread.id);
    let own = threads.filter(|other| state.process_of(*other) == process);
    own.filter(|other| lets_in(state, *other, set)).collect()
}

/// Chooses which thread of the calling process gets a signal that is about to be sent to that.
pub(super) fn choose(call: &mut PosixCall<'_, '_>, signal: u32) -> Result<(), Stop> {
    let me = call.thread();
    let candidates = candidates(call.state(), me, bit(signal));
    // One that ends the process does so in whichever thread.
    if candidates.len() < 2 || call.state().data.kernel.own.signals.action(signal).handler == DEFAULT {
        return Ok(());
    }
    let chosen = candidates[call.choose(candidates.len() as u32)? as usize];
    call.data().kernel.own.signals.pass_over(&candidates, chosen);
    Ok(())
}

/// Whether `thread` goes on without the signals of the process: another one has been chosen, and still lets
/// them in.
pub(crate) fn is_passed_over(state: &State<Posix>, thread: ThreadId) -> bool {
    let signals = &state.data.kernel.own.signals;
    let is_chosen = |other: &ThreadId| !signals.is_passed_over(*other);
    signals.is_passed_over(thread)
        && candidates(state, thread, signals.pending_for_process()).iter().any(is_chosen)
}
