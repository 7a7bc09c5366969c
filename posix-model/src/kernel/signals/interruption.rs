//! Interruptions of a thread between two of its steps: handlers of signals that others send, asynchronous
//! cancellation.
//!
//! Whether anything is due is asked before every step, so a signal is delivered at the next step its thread
//! takes, also one that waits. A wait that a handler interrupts goes on afterwards, or fails with `EINTR`
//! where that is what the operation does.

use super::receivers::{self, touched_by_taking};
use super::{RESTART, deliver};
use crate::answer::{PosixCall, Step, nothing};
use crate::kernel::Kernel;
use crate::kernel::nodes::socket::Family;
use crate::kernel::nodes::{connection_of, socket_of, sockets};
use crate::options::Posix;
use crate::places::{SIGNALS, TIMER, acquire, cancellation as request, interruption, read, write};
use crate::sync::wait::{Goal, PipeWait, PosixWait, is_waiting};
use crate::threads::cancellation::{self, act, go_on, is_leaving};
use crate::threads::stages::is_ending;
use crate::threads::update;
use smallvec::smallvec;
use symx_interp::state::State;
use symx_interp::threads::thread::Action;
use symx_trace::{Footprint, ThreadId};

/// Whether something is to run in `thread` before its next step.
#[inline]
pub(crate) fn is_due(state: &State<Posix>, thread: ThreadId) -> bool {
    (state.data.may_cancel || state.data.may_signal) && interrupts(state, thread)
}

/// The same, of a process where threads are cancelled or signalled.
fn interrupts(state: &State<Posix>, thread: ThreadId) -> bool {
    let data = &state.data;
    if !receivers::can_be_interrupted(state, thread) {
        return false;
    }
    // A thread in the midst of an operation on a futex is in the kernel, and comes out of it soon.
    data.threads.get(&thread).is_none_or(|record| !record.takes_child_first)
        && !data.kernel.own.futexes.holds_queue(thread)
        && (data.may_cancel && !is_ending(state, thread) && is_cancelled_at_once(state, thread)
            || data.may_signal && has_signal(state, thread))
}

/// The footprint that a step of `thread` has because something may be due to it, or a timer before it.
pub(crate) fn footprint(state: &State<Posix>, thread: ThreadId) -> Footprint {
    let data = &state.data;
    let mut footprint = Footprint::new();
    if data.may_cancel && data.threads.get(&thread).is_some_and(|record| record.cancellation.asynchronous) {
        footprint.push(read(request(thread)));
    }
    if data.may_signal {
        footprint.push(read(interruption(thread)));
        let signals = &data.kernel.own.signals;
        let mut taken = 0;
        if has_signal(state, thread) {
            footprint.push(write(SIGNALS));
            taken = !signals.mask(thread);
        }
        if signals.pending_for_process() != 0 {
            footprint.extend(touched_by_taking(state, thread, taken | receivers::waited_for(state, thread)));
        }
    }
    if data.kernel.own.timers.is_setter(thread)
        && is_waiting(state, thread, |wait| matches!(wait, PosixWait::Limited { .. }))
    {
        // Also where a signal is taken, its timer counts how often it would have gone off.
        footprint.extend([acquire(TIMER), read(SIGNALS)]);
    }
    footprint
}

fn is_cancelled_at_once(state: &State<Posix>, thread: ThreadId) -> bool {
    let record = state.data.threads.get(&thread);
    record.is_some_and(|record| record.cancellation.asynchronous) && cancellation::is_due(state, thread)
}

fn has_signal(state: &State<Posix>, thread: ThreadId) -> bool {
    let signals = &state.data.kernel.own.signals;
    if signals.pending(thread) == 0 {
        return false;
    }
    // A wait for signals looks after those itself.
    let exempt = match state.thread(thread).pending.as_deref().map(|pending| &pending.action) {
        Some(Action::Model(operation)) => match operation.wait {
            Some(
                PosixWait::Signal { exempt, .. } | PosixWait::Limited { goal: Goal::Signal(exempt), .. },
            ) => exempt,
            _ => 0,
        },
        _ => 0,
    };
    let let_in = !(signals.mask(thread) | exempt);
    match receivers::is_passed_over(state, thread) {
        true => signals.is_any_of_its_own(thread, let_in),
        false => signals.is_any_deliverable(thread, let_in),
    }
}

/// Whether a handler may make this wait fail, and whether it does so even if its action says `SA_RESTART`.
fn fails_when_interrupted(wait: &PosixWait) -> Option<bool> {
    match wait {
        PosixWait::Pipe(wait) => Some(wait.has_begun),
        PosixWait::Semaphore(_)
        | PosixWait::FileLock
        | PosixWait::Queue(_)
        | PosixWait::Transfer
        | PosixWait::Children(_)
        | PosixWait::Futex(_) => Some(false),
        PosixWait::Limited { goal, .. } => goal.fails_when_interrupted(),
        PosixWait::Signal { .. }
        | PosixWait::Descriptors
        | PosixWait::Message(_)
        | PosixWait::SemaphoreSet(_) => Some(true),
        _ => None,
    }
}

/// Whether what `thread` waits for has come when a signal does: then no handler makes the wait fail. A wait
/// for a handler is over by the signal itself.
fn has_come(state: &State<Posix>, thread: ThreadId, wait: &PosixWait) -> bool {
    let looks_for_signals_first = match wait {
        PosixWait::Signal { exempt: 0, .. } => true,
        PosixWait::Pipe(pipe) | PosixWait::Limited { goal: Goal::Pipe(pipe), .. } => {
            yields_to_signals(&state.data.kernel, pipe)
        }
        _ => false,
    };
    !looks_for_signals_first && wait.has_come(state, thread)
}

/// Whether a thread that goes on with such a wait looks for signals first, as one on Linux does that receives
/// from a local stream or sends to another one.
fn yields_to_signals(kernel: &Kernel, wait: &PipeWait) -> bool {
    sockets(kernel).any(|node| {
        let is_local = socket_of(kernel, node)
            .filter(|socket| !socket.records)
            .map(|socket| socket.family == Family::Local);
        connection_of(kernel, node).is_some_and(|side| match wait.reading {
            true => side.receive == wait.node && is_local == Some(true),
            false => side.send == wait.node && is_local == Some(false),
        })
    })
}

/// Delivers what is due. A wait that fails is decided on before the first handler runs: what comes
/// meanwhile, such as what the handler itself sends, the wait does not get. Scratch: `[mask to restore,
/// whether a handler forbids to continue a wait, whether what it is for had come]`.
pub(crate) fn run(call: &mut PosixCall<'_, '_>) -> Step {
    if is_leaving(call) {
        return go_on(call);
    }
    let me = call.thread();
    if call.phase() == 0 {
        if is_cancelled_at_once(call.state(), me) && call.depth() > 1 {
            return act(call);
        }
        let mask = call.state().data.kernel.own.signals.mask(me);
        let wait = call.interrupted_wait().copied();
        let is_over = wait.is_some_and(|wait| has_come(call.state(), me, &wait));
        // A child's end and its signal come at once. A thread that waits for the child already takes it,
        // and the handler runs behind that.
        if is_over && matches!(wait, Some(PosixWait::Children(_))) && call.choose(2)? == 0 {
            update(call, |own| own.takes_child_first = true);
            return nothing();
        }
        *call.scratch() = smallvec![mask, 0, u64::from(is_over)];
    }
    let mask = call.scratch()[0];
    let signals = &mut call.data().kernel.own.signals;
    signals.set_mask(me, mask);
    let next = signals.frames(me, mask, u64::MAX).last.map(|signal| signals.action(signal));
    if let Some(handler) = deliver(call)? {
        if next.is_some_and(|action| action.flags & RESTART == 0) {
            call.scratch()[1] = 1;
        }
        return Ok(handler);
    }
    let (forbidden, is_over) = (call.scratch()[1] == 1, call.scratch()[2] == 1);
    let fails = call.interrupted_wait().and_then(fails_when_interrupted).filter(|_| !is_over);
    // The handler may also have run just before the wait began, which then is not interrupted.
    if call.phase() > 0 && fails.is_some_and(|always| always || forbidden) && call.choose(2)? == 0 {
        update(call, |own| own.interrupted = true);
        call.let_interrupted_wait_fail();
    }
    nothing()
}
