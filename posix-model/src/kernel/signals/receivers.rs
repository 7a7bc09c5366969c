//! Which thread a signal of the process interrupts: one of those that let it in. The others go on
//! meanwhile, and take it only if they look for what is pending.

use crate::answer::PosixCall;
use crate::kernel::signals::{DEFAULT, IGNORE, Signals, bit};
use crate::options::Posix;
use crate::places::{interruption, write};
use crate::sync::wait::{Goal, PosixWait, wait_of};
use crate::threads::stages::{is_ending, prepares};
use smallvec::SmallVec;
use symx_interp::state::State;
use symx_interp::stop::Stop;
use symx_trace::{Footprint, ThreadId};

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

/// Whether `thread` gets signals between its steps, as far as it does not depend on what its process is at.
/// No signal comes before its routine, as its creator has blocked them all for it. Once its routine has
/// returned, it gets them until its end. The main thread then ends the process, and no thread sends signals
/// to the library's own.
fn runs_handlers(state: &State<Posix>, thread: ThreadId) -> bool {
    let is_of_program = state.data.threads.get(&thread).is_some_and(|record| record.created.is_some());
    (is_of_program || !is_ending(state, thread)) && !prepares(state, thread)
}

/// Whether `thread` of the current process gets signals between its steps.
pub(super) fn can_be_interrupted(state: &State<Posix>, thread: ThreadId) -> bool {
    state.data.own.process.runs_handlers_in(thread) && runs_handlers(state, thread)
}

/// Whether `thread` of the process with these signals may be interrupted by one of `set`, or waits for one.
fn lets_in(state: &State<Posix>, signals: &Signals, thread: ThreadId, set: u64) -> bool {
    let is_there = state.thread(thread).is_unfinished();
    let let_in = !signals.mask(thread) | waited_for(state, thread);
    is_there && let_in & set != 0 && runs_handlers(state, thread)
}

/// The threads of `process`, which has these signals and runs handlers in some, that let in one of `set`.
fn candidates(
    state: &State<Posix>,
    process: ThreadId,
    signals: &Signals,
    runs_handlers_in: impl Fn(ThreadId) -> bool,
    set: u64,
) -> SmallVec<[ThreadId; 4]> {
    let threads = state.threads.iter().map(|thread| thread.id);
    let own = threads.filter(|thread| state.process_of(*thread) == process);
    own.filter(|thread| lets_in(state, signals, *thread, set) && runs_handlers_in(*thread)).collect()
}

/// What a signal to `process` touches: all its threads, as each may be interrupted. One that has ended might
/// have been.
pub(crate) fn touched_by_sending(state: &State<Posix>, process: ThreadId) -> Footprint {
    let threads = state.threads.iter().filter(|thread| !thread.service).map(|thread| thread.id);
    let own = threads.filter(|thread| state.process_of(*thread) == process);
    own.map(|thread| write(interruption(thread))).collect()
}

/// Chooses which thread of `process` gets a signal that is about to be sent to that. The step begins again
/// when the choice is made: nothing may be changed before.
pub(crate) fn choose(call: &mut PosixCall<'_, '_>, process: ThreadId, signal: u32) -> Result<(), Stop> {
    let (signals, record) =
        call.in_process(process, |data| (data.kernel.own.signals.clone(), data.own.process.clone()));
    let runs_handlers_in = |thread| record.runs_handlers_in(thread);
    let candidates = candidates(call.state(), process, &signals, runs_handlers_in, bit(signal));
    // One that ends the process does so in whichever thread, and one that is ignored in none.
    if candidates.len() < 2 || matches!(signals.action(signal).handler, DEFAULT | IGNORE) {
        return Ok(());
    }
    let chosen = candidates[call.choose(candidates.len() as u32)? as usize];
    call.in_process(process, |data| data.kernel.own.signals.pass_over(&candidates, chosen));
    Ok(())
}

/// Whether `thread` goes on without the signals of the process: another one has been chosen, and still lets
/// them in.
pub(crate) fn is_passed_over(state: &State<Posix>, thread: ThreadId) -> bool {
    let signals = &state.data.kernel.own.signals;
    let is_chosen = |other: &ThreadId| !signals.is_passed_over(*other);
    let pending = signals.pending_for_process();
    let process = state.process_of(thread);
    let runs_handlers_in = |thread| state.data.own.process.runs_handlers_in(thread);
    signals.is_passed_over(thread)
        && candidates(state, process, signals, runs_handlers_in, pending).iter().any(is_chosen)
}

/// What taking the signals of `set` touches that are pending for the process of `thread`: other threads that
/// might have got them go on without.
pub(crate) fn touched_by_taking(state: &State<Posix>, thread: ThreadId, set: u64) -> Footprint {
    let signals = &state.data.kernel.own.signals;
    let taken = signals.pending_for_process() & set;
    // A wait may also end without: then those that were passed over are interrupted.
    let waits = waited_for(state, thread) & taken != 0;
    let may_get = |other: &ThreadId| {
        *other != thread
            && taken & !signals.mask(*other) != 0
            && (waits || !is_passed_over(state, *other))
            && state.process_of(*other) == state.process_of(thread)
    };
    let others = state.threads.iter().filter(|other| taken != 0 && other.is_unfinished());
    others.map(|other| other.id).filter(may_get).map(|other| write(interruption(other))).collect()
}
