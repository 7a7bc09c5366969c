//! Advice for a program, by its class of failure: for failures that no order of steps rules out.

use super::location::place;
use symx_ir::known_functions::is_shared_count;
use symx_ir::program::is_library_source;
use symx_ir::short_file;
use symx_trace::explanation::{ExecutedStep, Execution};
use symx_trace::{CallEffect, EventKind, Failure, FailureDetail, FailureKind, StackFrame, Wait, WaitKind};

/// That the thread that fails has waited for a condition and looks at nothing again that it looked at before.
/// Waits return early, and others may come first (POSIX, `pthread_cond_wait`, rationale).
pub fn of_wait(failing: &Execution) -> Option<String> {
    let failure = failing.failure.as_ref()?;
    let step = |number: &u32| &failing.steps[*number as usize];
    let is_own = |number: &u32| {
        let is_taken = step(number).kind != EventKind::Commit && step(number).is_taken();
        is_taken && failing.threads[step(number).thread as usize].name == failure.thread
    };
    let own: Vec<u32> = (0..failing.steps.len() as u32).filter(is_own).collect();
    let waits = |number: &u32| step(number).kind.effect() == Some(CallEffect::ConditionWait);
    let line = |number: &u32| (&step(number).location.file, step(number).location.line);
    let returns = own.iter().rposition(waits)?;
    let here = line(&own[returns]);
    let before = own[..returns].iter().rposition(|number| line(number) != here);
    let begins = before.map_or(0, |before| before + 1);
    let looks = |number: &&u32| matches!(step(number).kind, EventKind::Read | EventKind::ReadModifyWrite);
    // Where a call waits for a predicate, it looks at its own line.
    let looked_at: Vec<_> = own[..begins].iter().filter(looks).map(line).chain([here]).collect();
    let looks_again = own[returns + 1..].iter().filter(looks).any(|look| looked_at.contains(&line(look)));
    // It may be asleep. Once it is woken, it takes the mutex, maybe by a step of its own.
    let is_awake = own[begins..=returns].iter().any(|number| failing.ends_wait(*number));
    (is_awake && !looks_again).then(|| {
        format!(
            "Wait in a loop: after its wait ({}) {} does not check its condition again. A wait may \
             return spuriously, and another thread may change the condition first.",
            place(&step(&own[returns]).location),
            failing.title(&failure.thread)
        )
    })
}

/// That threads wait for different conditions at one condition variable, and one that is woken alone may be
/// the wrong one. It applies where a thread waits forever, others wait there from another place, and there is
/// no broadcast.
pub fn of_signal(failing: &Execution) -> Option<String> {
    let wait = failing.failure.as_ref()?.wait?;
    let does = |step: &ExecutedStep, what| step.kind.effect() == Some(what);
    let waits: Vec<&ExecutedStep> =
        failing.steps.iter().filter(|step| does(step, CallEffect::ConditionWait)).collect();
    let thread = &failing.failure.as_ref()?.thread;
    let own = waits.iter().rfind(|step| failing.threads[step.thread as usize].name == *thread)?;
    let at_it = |step: &&&ExecutedStep| step.is_at_same_part(own);
    let other = waits
        .iter()
        .filter(at_it)
        .find(|step| step.location.line != own.location.line && step.location.line != 0)?;
    let is_done = |what| failing.steps.iter().any(|step| step.is_at_same_part(own) && does(step, what));
    let (is_signalled, is_broadcast) = (is_done(CallEffect::Signal), is_done(CallEffect::Broadcast));
    (wait.kind == WaitKind::Condition && is_signalled && !is_broadcast).then(|| {
        format!(
            "Wake all waiters (broadcast), or use one condition variable for each condition: threads wait at {} for different \
             conditions, at {} and at {}, and a signal may wake the wrong one.",
            own.object,
            place(&own.location),
            place(&other.location)
        )
    })
}

/// That a signalling thread is to hold the mutex of the waiting ones. It applies where a thread waits
/// forever, and the signal came between its look and its wait. The signal comes from a thread without the
/// mutex, which the waiting one held meanwhile.
pub fn of_unlocked_signal(failing: &Execution) -> Option<String> {
    let failure = failing.failure.as_ref()?;
    if failure.wait?.kind != WaitKind::Condition {
        return None;
    }
    let step = |number: u32| &failing.steps[number as usize];
    let does = |number: u32, what| step(number).call_effect() == Some(what);
    let is_own = |number: u32| failing.threads[step(number).thread as usize].name == failure.thread;
    let takes = |number: u32| step(number).is_taken() && is_own(number);
    let numbers = 0..failing.steps.len() as u32;
    let mut own_waits = numbers.filter(|number| takes(*number) && does(*number, CallEffect::ConditionWait));
    let begins = own_waits.rfind(|number| !failing.ends_wait(*number))?;
    let mutex = step((0..begins).rfind(|number| takes(*number) && does(*number, CallEffect::Lock))?);
    // It has held it since it took it, or was woken.
    let takes_mutex =
        |number: &u32| takes(*number) && (does(*number, CallEffect::Lock) || failing.ends_wait(*number));
    let since = (0..begins).rfind(takes_mutex)?;
    let is_lost = |number: &u32| {
        let is_signal = does(*number, CallEffect::Signal) || does(*number, CallEffect::Broadcast);
        let is_there = step(*number).is_at_same_part(step(begins)) && !is_own(*number);
        is_signal && is_there && !step(*number).holds(mutex.part())
    };
    let (wait, signal) = (step(begins), step((since..begins).rfind(is_lost)?));
    Some(format!(
        "Signal under the lock: hold {} in {} from the change of the condition to the signal ({}). {} holds it from \
         its check of the condition to its wait ({}).",
        mutex.object,
        failing.threads[signal.thread as usize].title(),
        place(&signal.location),
        failing.title(&failure.thread),
        place(&wait.location)
    ))
}

/// A sentence for a failure; `None` where the message says it all.
pub fn advice(failure: &Failure) -> Option<&'static str> {
    let text = match (failure.kind, failure.detail) {
        (FailureKind::Leak, FailureDetail::Thread) => {
            "Join the thread, or detach it (pthread_detach, or a detached attribute where it is created)."
        }
        (FailureKind::SyncMisuse, detail) => return of_misuse(detail),
        (FailureKind::Memory, FailureDetail::UseAfterFree) if is_in_control_block(&failure.stack) => {
            "Several threads use one std::shared_ptr at once. Hold a mutex at every use of it, or use std::atomic<std::shared_ptr>."
        }
        (FailureKind::Memory, detail) => return of_memory(detail),
        (FailureKind::Deadlock, _) => return of_deadlock(failure.wait?),
        (FailureKind::Abort, FailureDetail::Unreachable | FailureDetail::Trap) => {
            "If this is the end of a C++ function that returns a value, let it return one (-Wreturn-type): its end without one is undefined behaviour."
        }
        (FailureKind::Abort, FailureDetail::Joinable) => {
            "Join or detach the thread on every path before that, or use std::jthread, which joins it when it is destroyed."
        }
        (FailureKind::Arithmetic, FailureDetail::DivisionByZero) => {
            "Check the divisor for zero before the division."
        }
        _ => return failure.kind.check().advice,
    };
    Some(text)
}

/// Whether the innermost function counts the owners of a `std::shared_ptr`: it does so in memory that all of
/// them share.
fn is_in_control_block(stack: &[StackFrame]) -> bool {
    // What counts atomically has a header of its own.
    let counts = |frame: &&StackFrame| frame.line == 0 || short_file(&frame.file) == "atomicity.h";
    let counter = stack.iter().find(|frame| !counts(frame));
    counter.is_some_and(|frame| is_library_source(&frame.file) && is_shared_count(&frame.function))
}

fn of_misuse(detail: FailureDetail) -> Option<&'static str> {
    Some(match detail {
        FailureDetail::UnlockNotOwner => {
            "Unlock where it was locked, in the same thread, and once; a semaphore may be posted by another thread."
        }
        FailureDetail::DestroyLocked => {
            "Destroy it only after the last unlock: join the thread that holds it first."
        }
        FailureDetail::DestroyWaited => "Wake the waiting threads and join them before it is destroyed.",
        FailureDetail::InitLocked | FailureDetail::InitWaited => {
            "Initialise it once, before the threads that use it are created."
        }
        FailureDetail::UseAfterDestroy => {
            "Destroy it after its last use, e.g. after joining the threads that use it, or initialise it again before the next use."
        }
        FailureDetail::Uninitialised => "Initialise it before its first use.",
        FailureDetail::ExitHoldingLock => {
            "Unlock before the thread ends, on each way out (pthread_cleanup_push for cancellation), or make the mutex robust."
        }
        FailureDetail::JoinTwice => "Join each thread once: its number means nothing after that.",
        FailureDetail::JoinDetached => "Do not detach a thread that is to be joined, or do not join it.",
        FailureDetail::DetachJoined => {
            "Do not detach a thread that is joined: its number means nothing after that."
        }
        FailureDetail::DetachTwice => "Detach each thread once.",
        FailureDetail::WaitNotOwner => "Lock the mutex before the wait, in the same thread.",
        FailureDetail::WaitOtherMutex => "Wait with the same mutex in all threads.",
        _ => return None,
    })
}

fn of_memory(detail: FailureDetail) -> Option<&'static str> {
    Some(match detail {
        FailureDetail::DoubleFree => {
            "Free it once: give it one owner, or set the pointer to null after freeing it."
        }
        FailureDetail::InvalidFree => "Free only what malloc and its like returned, from its beginning.",
        FailureDetail::MismatchedFree => {
            "Match the deallocation to the allocation: malloc and free, new and delete, new[] and delete[]."
        }
        FailureDetail::UseAfterFree => {
            "Free it after the last use, or share its ownership (std::shared_ptr, Arc)."
        }
        FailureDetail::UseAfterReturn | FailureDetail::UseAfterScope => {
            "Extend the lifetime of the object to its last use: allocate it on the heap, statically, or in a caller's frame."
        }
        FailureDetail::Uninitialised => "Initialise it on every path to the read.",
        FailureDetail::OutOfBounds => {
            "Keep the access within the object: check the index or length before, or make the object larger."
        }
        FailureDetail::NullDeref => "Check the pointer for null before its use, or set it before.",
        FailureDetail::ReadOnly => "Write to a copy, or do not declare it constant.",
        FailureDetail::Misaligned => "Copy the bytes (memcpy), or align the object.",
        FailureDetail::MismatchedCall | FailureDetail::NarrowedArgument | FailureDetail::WidenedArgument => {
            "Declare the function as it is defined, and call it so."
        }
        _ => return None,
    })
}

fn of_deadlock(wait: Wait) -> Option<&'static str> {
    Some(match (wait.kind, wait.is_own) {
        (WaitKind::Lock, true) => {
            "Do not lock a mutex that the thread already holds: unlock it first, or make it recursive."
        }
        (WaitKind::Lock, false) => {
            "Acquire locks in the same order in all threads, and hold none while waiting for a thread that needs it."
        }
        (WaitKind::Semaphore, true) => "Post the semaphore once more, or begin with a higher count.",
        (WaitKind::Semaphore, false) => "Post once for every wait, on every path.",
        (WaitKind::Once, _) => {
            "Do not call pthread_once from its own routine, nor wait there for a thread that calls it."
        }
        (WaitKind::Condition, _) => {
            "Change the condition and signal with the mutex held, and wait only while the condition is false."
        }
        (WaitKind::Barrier, _) => {
            "Call the barrier wait from as many threads as the barrier was initialised with."
        }
        (WaitKind::Message, _) => {
            "Receive every message sent, enlarge the queue, or avoid blocking when no peer will respond."
        }
        (WaitKind::Futex, _) => "Wake after changing the word, and wait only while it has the old value.",
        (WaitKind::ThreadEnd | WaitKind::Other, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example::lost_update;
    use symx_trace::{Call, ThreadName};

    #[test]
    fn advice_is_about_what_is_wrong() {
        let mut failure = lost_update().failing.failure.unwrap();
        assert_eq!(advice(&failure), None);
        (failure.kind, failure.detail) = (FailureKind::Leak, FailureDetail::Thread);
        assert!(advice(&failure).is_some_and(|text| text.contains("detach")));
        (failure.kind, failure.detail) = (FailureKind::Abort, FailureDetail::Unreachable);
        assert!(advice(&failure).is_some_and(|text| text.contains("-Wreturn-type")));
        (failure.kind, failure.detail) = (FailureKind::Abort, FailureDetail::Joinable);
        assert!(advice(&failure).is_some_and(|text| text.contains("std::jthread")));
        (failure.kind, failure.detail) = (FailureKind::Abort, FailureDetail::Plain);
        assert_eq!(advice(&failure), None);
        (failure.kind, failure.detail) = (FailureKind::Deadlock, FailureDetail::Plain);
        assert_eq!(advice(&failure), None);
        failure.wait = Some(Wait { kind: WaitKind::Lock, is_own: true });
        assert!(advice(&failure).is_some_and(|text| text.contains("recursive")));
        failure.wait = Some(Wait { kind: WaitKind::Lock, is_own: false });
        assert!(advice(&failure).is_some_and(|text| text.contains("same order")));
    }

    #[test]
    fn one_shared_ptr_of_several_threads_is_advised_to_be_protected() {
        let mut failure = lost_update().failing.failure.unwrap();
        (failure.kind, failure.detail) = (FailureKind::Memory, FailureDetail::UseAfterFree);
        let frame = |function: &str, file: &str| StackFrame {
            function: function.into(),
            file: file.into(),
            line: 7,
            ..StackFrame::default()
        };
        let own = frame("main", "a.cpp");
        let counter = frame("_Sp_counted_base<2>::_M_release", "/usr/include/c++/12/bits/shared_ptr_base.h");
        let add = frame("__atomic_add", "/usr/include/c++/12/ext/atomicity.h");
        failure.stack = vec![add, counter.clone(), own.clone()];
        assert!(advice(&failure).is_some_and(|text| text.contains("std::atomic<std::shared_ptr>")));
        // The destructor of what is owned uses something else that was freed.
        failure.stack = vec![own, counter];
        assert!(advice(&failure).is_some_and(|text| text.starts_with("Free it after the last use")));
    }

    #[test]
    fn who_is_woken_alone_may_be_the_wrong_one() {
        let mut failing = lost_update().failing;
        let pattern = ExecutedStep { issued_by: None, reads_from: None, ..failing.steps[0].clone() };
        let call = |thread: u32, effect, line| {
            let kind = EventKind::Call(Call::new("a name", effect));
            let mut step = ExecutedStep { thread, kind, ..pattern.clone() };
            (step.object, step.location.line) = ("changed".into(), line);
            step
        };
        let name = failing.failure.as_ref().unwrap().thread.clone();
        let own = failing.threads.iter().position(|lane| lane.name == name).unwrap() as u32;
        let failure = failing.failure.as_mut().unwrap();
        failure.wait = Some(Wait { kind: WaitKind::Condition, is_own: false });
        failing.steps =
            vec![call(own, CallEffect::ConditionWait, 19), call(1 - own, CallEffect::ConditionWait, 19)];
        failing.steps.push(call(1 - own, CallEffect::Signal, 13));
        // They wait for the same.
        assert_eq!(of_signal(&failing), None);
        failing.steps[1].location.line = 11;
        assert!(of_signal(&failing).is_some_and(|text| text.contains(":19 and at") && text.contains(":11,")));
        failing.steps.push(call(1 - own, CallEffect::Broadcast, 30));
        assert_eq!(of_signal(&failing), None);
    }

    #[test]
    fn a_thread_that_signals_without_the_lock_is_advised_to_take_it() {
        let mut failing = lost_update().failing;
        let pattern = ExecutedStep { issued_by: None, reads_from: None, ..failing.steps[0].clone() };
        let name = failing.failure.as_ref().unwrap().thread.clone();
        let own = failing.threads.iter().position(|lane| lane.name == name).unwrap() as u32;
        failing.failure.as_mut().unwrap().wait = Some(Wait { kind: WaitKind::Condition, is_own: false });
        let call = |thread: u32, effect, object: &str, line| {
            let kind = EventKind::Call(Call::new("a name", effect));
            let mut step = ExecutedStep { thread, kind, ..pattern.clone() };
            (step.object, step.location.line, step.locks) = (object.into(), line, Vec::new());
            step
        };
        failing.steps = vec![
            call(own, CallEffect::Lock, "mutex", 10),
            call(1 - own, CallEffect::Signal, "changed", 30),
            call(own, CallEffect::ConditionWait, "changed", 12),
        ];
        let told = of_unlocked_signal(&failing);
        assert!(told.is_some_and(|text| text.contains(":30)") && text.contains(":12)")), "{failing:?}");
        // The one that has woken it is not the one that it misses.
        let mut again = failing.clone();
        again.steps.splice(
            1..1,
            [
                call(own, CallEffect::ConditionWait, "changed", 12),
                call(1 - own, CallEffect::Signal, "changed", 20),
                call(own, CallEffect::ConditionWait, "changed", 12),
            ],
        );
        assert!(of_unlocked_signal(&again).is_some_and(|text| text.contains(":30)")), "{again:?}");
        again.steps.remove(4);
        assert_eq!(of_unlocked_signal(&again), None, "it has slept when it was signalled");
        failing.steps[1].locks = vec!["mutex".into()];
        assert_eq!(of_unlocked_signal(&failing), None);
    }

    #[test]
    fn who_waited_is_to_look_again() {
        let mut failing = lost_update().failing;
        let name: &ThreadName = &failing.failure.as_ref().unwrap().thread;
        let thread = failing.threads.iter().position(|lane| lane.name == *name).unwrap() as u32;
        let pattern = ExecutedStep { thread, issued_by: None, reads_from: None, ..failing.steps[0].clone() };
        let step = |kind: EventKind, line| {
            let mut step = ExecutedStep { kind, ..pattern.clone() };
            step.location.line = line;
            step
        };
        let wait = || EventKind::Call(Call::new("pthread_cond_clockwait", CallEffect::ConditionWait));
        let read = || EventKind::Read;
        failing.steps = vec![step(read(), 11), step(wait(), 12), step(wait(), 12), step(read(), 13)];
        assert!(of_wait(&failing).is_some_and(|text| text.contains(":12)")));
        failing.steps.push(step(read(), 11));
        assert_eq!(of_wait(&failing), None);
        // It still waits.
        failing.steps.truncate(2);
        assert_eq!(of_wait(&failing), None);
        // A predicate is looked at on the line of the wait.
        failing.steps.extend([step(wait(), 12), step(read(), 12), step(read(), 13)]);
        assert_eq!(of_wait(&failing), None);
    }
}
