//! The class of a concurrency bug, as the field names it, read off an explanation. It names the fault, where
//! a failure's own class names the symptom.
//!
//! The classes are those of Lu, Park, Seo and Zhou, "Learning from Mistakes: A Comprehensive Study on Real
//! World Concurrency Bug Characteristics" (ASPLOS 2008), section 3. But deadlocks are distinguished by what
//! is waited for, and reordering by a memory model is a class of its own. The class is that of a suggested
//! fix, which was derived from the events that differ from the closest passing execution. A verified fix
//! rules the failure out.

use symx_trace::explanation::{Dependence, ExecutedStep, Execution, Explanation, Progress, Remedy, Trial};
use symx_trace::{CallEffect, EventKind, Failure, FailureDetail, FailureKind, WaitKind};

/// The class of the bug, with the steps of the failing execution that show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Diagnosis {
    /// Threads wait for locks that they hold among each other.
    LockOrderInversion {
        /// For each of them, the step in which it waits.
        waits: Vec<u32>,
    },
    /// A thread waits at a condition variable whose last signal came before.
    LostWakeup {
        /// The signal.
        signal: u32,
        /// The step in which the thread begins to wait.
        wait: u32,
    },
    /// Another thread's access comes between two of one thread that belong together.
    AtomicityViolation {
        /// The first of the two.
        first: u32,
        /// The access in between, where it is known.
        between: Option<u32>,
        /// The last of the two.
        last: u32,
    },
    /// A step comes before another one that it needs.
    OrderViolation {
        /// The step that comes too early.
        early: u32,
        /// The one it needs.
        late: u32,
    },
    /// A store is still in its buffer when an access is made that is to see it, or to come after it.
    StoreBufferReordering {
        /// The store.
        store: u32,
        /// The access.
        access: u32,
    },
    /// Two accesses are observed in another order than that of their threads.
    MemoryReordering {
        /// One access.
        first: u32,
        /// The other.
        second: u32,
    },
    /// An object is accessed without the lock that is held at other accesses to it.
    InconsistentLocking {
        /// The first access without.
        access: u32,
        /// A step in which some thread acquires the lock.
        taken: u32,
    },
    /// Two accesses that nothing orders.
    DataRace,
    /// The class of the failure says it all.
    Plain,
}

impl Diagnosis {
    /// The class in one word, a stable identifier; `None` where it is that of the failure.
    pub fn class(&self) -> Option<&'static str> {
        Some(match self {
            Self::LockOrderInversion { .. } => "lock-order-inversion",
            Self::LostWakeup { .. } => "lost-wakeup",
            Self::AtomicityViolation { .. } => "atomicity-violation",
            Self::OrderViolation { .. } => "order-violation",
            Self::StoreBufferReordering { .. } => "store-buffer-reordering",
            Self::MemoryReordering { .. } => "memory-reordering",
            Self::InconsistentLocking { .. } => "inconsistent-locking",
            Self::DataRace => "data-race",
            Self::Plain => return None,
        })
    }
}

/// The class of the bug in a program that fails as explained.
pub fn diagnosis(explanation: &Explanation) -> Diagnosis {
    let failing = &explanation.failing;
    let Some(failure) = &failing.failure else { return Diagnosis::Plain };
    match failure.kind {
        FailureKind::Race if failure.detail == FailureDetail::EndOfLife => Diagnosis::Plain,
        FailureKind::Race => Diagnosis::DataRace,
        FailureKind::Deadlock => of_deadlock(failing, failure).unwrap_or(Diagnosis::Plain),
        // Why the order matters is not known, or it does not.
        _ if matches!(explanation.dependence, Dependence::Inputs | Dependence::Nothing) => Diagnosis::Plain,
        _ => late_store(explanation)
            .or_else(|| interrupted(explanation))
            .or_else(|| {
                let fix = first_fix(explanation).filter(|fix| !is_refuted(fix))?;
                Some(wrong_use(explanation, fix).unwrap_or_else(|| of_fix(failing, fix)))
            })
            .unwrap_or(Diagnosis::Plain),
    }
}

/// Another thread's accesses between two of one thread at one part of an object, by the root cause. It may
/// be two parts that each thread accesses at one place of the source: the last access is the one between.
fn interrupted(explanation: &Explanation) -> Option<Diagnosis> {
    let step = |number: u32| &explanation.failing.steps[number as usize];
    let orders = || explanation.cause.orders.iter().copied();
    let accesses = |number: u32| step(number).kind.is_access();
    orders().find_map(|(first, begin)| {
        let is_one_place = |one: u32, other: u32| step(one).location == step(other).location;
        let ends = |between: u32, last: u32| {
            step(first).thread == step(last).thread
                && step(begin).thread == step(between).thread
                && (begin == between && step(last).is_at_same_part(step(first))
                    || begin < between && is_one_place(first, last) && is_one_place(begin, between))
                && [begin, between, last].iter().all(|number| step(*number).is_at_object_of(step(first)))
                && [first, begin, between, last].into_iter().all(accesses)
        };
        let (between, last) = orders().find(|(between, last)| ends(*between, *last))?;
        Some(Diagnosis::AtomicityViolation { first, between: Some(between), last })
    })
}

/// Where waiting for a thread's end keeps memory from being used wrongly, what comes too early is by the root
/// cause: the place to wait at may be far before both, and only the first that is early enough.
fn wrong_use(explanation: &Explanation, fix: &Remedy) -> Option<Diagnosis> {
    let failure = explanation.failing.failure.as_ref()?;
    let is_it = matches!(fix, Remedy::Join { .. }) && failure.kind == FailureKind::Memory;
    let (early, late) = explanation.cause.orders.last().copied().filter(|_| is_it)?;
    Some(Diagnosis::OrderViolation { early, late })
}

/// Whether the program fails although the accesses that a fix is about are kept in order.
fn is_refuted(fix: &Remedy) -> bool {
    matches!(fix, Remedy::Atomic { trial: Trial::Fails(_), .. })
}

/// A store that reaches memory too late, by the root cause.
fn late_store(explanation: &Explanation) -> Option<Diagnosis> {
    let failing = &explanation.failing;
    explanation.cause.orders.iter().find_map(|(early, late)| {
        let late = &failing.steps[*late as usize];
        let store = late.issued_by.filter(|_| late.kind == EventKind::Commit)?;
        Some(Diagnosis::StoreBufferReordering { store, access: *early })
    })
}

/// The fix to report first: one that is verified, else the likeliest.
pub fn first_fix(explanation: &Explanation) -> Option<&Remedy> {
    let rank = |remedy: &&Remedy| match remedy.trial() {
        Trial::Safe => 0,
        Trial::SafeTogether => 1,
        Trial::Incomplete(_) => 2,
        Trial::Untried => 3,
        Trial::Fails(_) => 4,
    };
    explanation.remedies.iter().min_by_key(rank)
}

fn of_deadlock(failing: &Execution, failure: &Failure) -> Option<Diagnosis> {
    match failure.wait?.kind {
        WaitKind::Lock => {
            let waits = waits_in_a_cycle(failing);
            (waits.len() > 1).then_some(Diagnosis::LockOrderInversion { waits })
        }
        WaitKind::Condition => lost_wakeup(failing, failure),
        _ => None,
    }
}

/// The steps in which threads wait for locks that others of these threads hold.
fn waits_in_a_cycle(failing: &Execution) -> Vec<u32> {
    let is_lock = |step: &ExecutedStep| step.kind.effect() == Some(CallEffect::Lock);
    let mut waits: Vec<u32> = numbers(failing)
        .filter(|number| {
            let step = &failing.steps[*number as usize];
            step.progress == Progress::Waits && is_lock(step)
        })
        .collect();
    // A thread that waits for none of the others, or that none of them waits for, is no part of the cycle.
    loop {
        let step = |number: u32| &failing.steps[number as usize];
        let is_part = |number: &u32| {
            let others = || waits.iter().filter(|other| *other != number);
            others().any(|other| step(*other).holds(step(*number).part()))
                && others().any(|other| step(*number).holds(step(*other).part()))
        };
        let kept: Vec<u32> = waits.iter().copied().filter(|number| is_part(number)).collect();
        if kept.len() == waits.len() {
            return kept;
        }
        waits = kept;
    }
}

fn lost_wakeup(failing: &Execution, failure: &Failure) -> Option<Diagnosis> {
    let step = |number: u32| &failing.steps[number as usize];
    let does = |number: u32, effect| step(number).kind.effect() == Some(effect);
    let is_own = |number: u32| failing.threads[step(number).thread as usize].name == failure.thread;
    let own_waits =
        || numbers(failing).filter(|number| is_own(*number) && does(*number, CallEffect::ConditionWait));
    let last = own_waits().next_back()?;
    // To begin to wait is a step of its own; a signal after it wakes a thread.
    let begins = own_waits().rfind(|number| step(*number).is_taken()).unwrap_or(last);
    let is_signal = |number: &u32| {
        let wakes = does(*number, CallEffect::Signal) || does(*number, CallEffect::Broadcast);
        wakes && !is_own(*number) && step(*number).is_taken() && step(*number).is_at_same_part(step(last))
    };
    let signal = numbers(failing).rfind(is_signal)?;
    let is_lost = sleepers(failing, signal) == 0;
    (signal < begins && is_lost).then_some(Diagnosis::LostWakeup { signal, wait: begins })
}

/// How many threads sleep at a condition variable when it is signalled. One whose time is up counts on: the
/// signal is not called lost then.
fn sleepers(failing: &Execution, signal: u32) -> usize {
    let object = &failing.steps[signal as usize];
    let is_there = |number: &u32| {
        let step = &failing.steps[*number as usize];
        step.is_taken() && step.is_at_same_part(object)
    };
    let mut sleepers: usize = 0;
    for number in (0..signal).filter(is_there) {
        match failing.steps[number as usize].kind.effect() {
            Some(CallEffect::ConditionWait) if !failing.ends_wait(number) => sleepers += 1,
            Some(CallEffect::Signal) => sleepers = sleepers.saturating_sub(1),
            Some(CallEffect::Broadcast) => sleepers = 0,
            _ => {}
        }
    }
    sleepers
}

fn of_fix(failing: &Execution, fix: &Remedy) -> Diagnosis {
    match *fix {
        Remedy::AtomicBlock { first, last, .. } => {
            Diagnosis::AtomicityViolation { first, between: between(failing, first, last), last }
        }
        Remedy::Order { before, after, .. } => {
            let late = failing_access(failing, after, before).unwrap_or(before);
            Diagnosis::OrderViolation { early: after, late }
        }
        Remedy::Join { ends, before, .. } => Diagnosis::OrderViolation { early: before, late: ends },
        Remedy::Fence { after, before, .. } => {
            Diagnosis::StoreBufferReordering { store: after, access: before }
        }
        Remedy::Atomic { first, second, .. } => Diagnosis::MemoryReordering { first, second },
        Remedy::HoldLock { first, taken, .. } => Diagnosis::InconsistentLocking { access: first, taken },
        Remedy::Lock { .. } => Diagnosis::DataRace,
    }
}

/// The step after `early` in which memory was accessed wrongly, if it is of the thread that takes `last`.
/// What is to be ordered may be a later one: all uses of memory come before it is freed.
fn failing_access(failing: &Execution, early: u32, last: u32) -> Option<u32> {
    let failure = failing.failure.as_ref().filter(|failure| failure.kind == FailureKind::Memory)?;
    let thread = failing.steps[last as usize].thread;
    let is_there = |number: &u32| {
        let step = &failing.steps[*number as usize];
        step.thread == thread && step.location == failure.location
    };
    let is_own = failing.threads[thread as usize].name == failure.thread;
    numbers(failing).skip(early as usize + 1).find(|number| is_own && is_there(number))
}

/// The last conflicting step of another thread that takes effect between two steps.
fn between(failing: &Execution, first: u32, last: u32) -> Option<u32> {
    let step = |number: u32| &failing.steps[number as usize];
    let writes = |step: &ExecutedStep| !matches!(step.kind, EventKind::Read | EventKind::Fence);
    let conflicts = |number: u32, own: u32| {
        let (other, own) = (step(number), step(own));
        !own.object.is_empty() && other.is_at_same_part(own) && (writes(other) || writes(own))
    };
    let is_between = |number: &u32| {
        let effect = failing.effect(*number);
        step(*number).thread != step(first).thread
            && step(*number).issued_by.is_none()
            && (first..=last).contains(&effect)
            && (conflicts(*number, first) || conflicts(*number, last))
    };
    let found: Vec<u32> = numbers(failing).filter(is_between).collect();
    // What is written says more than that the lock around it is released.
    let changes = || found.iter().rfind(|number| writes(step(**number)));
    let writing = found.iter().rfind(|number| step(**number).kind.is_access() && writes(step(**number)));
    writing.or_else(changes).or(found.last()).copied()
}

fn numbers(failing: &Execution) -> impl DoubleEndedIterator<Item = u32> {
    0..failing.steps.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::explanation::{HeldLock, Lane, PlaceInMemory};
    use symx_trace::{Call, Location, ThreadName, Wait};

    fn call(thread: u32, effect: CallEffect, object: &str) -> ExecutedStep {
        ExecutedStep::taken(thread, EventKind::Call(Call::new("call", effect)), object)
    }

    fn waits(step: ExecutedStep, locks: &[&str]) -> ExecutedStep {
        let locks = locks.iter().copied().map(Into::into).collect();
        ExecutedStep { progress: Progress::Waits, locks, ..step }
    }

    fn explanation(steps: Vec<ExecutedStep>, kind: FailureKind, wait: Option<WaitKind>) -> Explanation {
        let main = ThreadName::main();
        let names = [main.clone(), main.child(1), main.child(2)];
        let wait = wait.map(|kind| Wait { kind, is_own: false });
        let failure = Failure { thread: main.child(1), wait, ..Failure::new(kind, "") };
        let threads = names.map(|name| Lane { name, ..Lane::default() }).to_vec();
        Explanation {
            version: symx_trace::explanation::VERSION,
            program: String::new(),
            memory_model: "sc".into(),
            failing: Execution { threads, steps, failure: Some(failure), ..Execution::default() },
            passing: None,
            difference: Default::default(),
            cause: Default::default(),
            dependence: Dependence::Order,
            remedies: Vec::new(),
            branches: Vec::new(),
            limits: Vec::new(),
            inputs: Vec::new(),
        }
    }

    #[test]
    fn a_cycle_of_locks_leaves_out_threads_that_only_wait() {
        let steps = vec![
            waits(call(1, CallEffect::Lock, "b"), &["a"]),
            waits(call(2, CallEffect::Lock, "a"), &["b"]),
            waits(call(0, CallEffect::Lock, "a"), &["c"]),
        ];
        let found = diagnosis(&explanation(steps.clone(), FailureKind::Deadlock, Some(WaitKind::Lock)));
        assert_eq!(found, Diagnosis::LockOrderInversion { waits: vec![0, 1] });
        assert_eq!(found.class(), Some("lock-order-inversion"));
        let alone = explanation(steps[..1].to_vec(), FailureKind::Deadlock, Some(WaitKind::Lock));
        assert_eq!(diagnosis(&alone), Diagnosis::Plain);
    }

    #[test]
    fn locks_of_one_name_are_no_cycle() {
        let place = |object| Some(PlaceInMemory { object, offset: 0 });
        let waits_for = |thread, own, other| {
            let held = HeldLock { name: "lock".into(), place: place(own), is_shared: false };
            let step = call(thread, CallEffect::Lock, "lock");
            ExecutedStep { place: place(other), locks: vec![held], ..waits(step, &[]) }
        };
        let found = |steps| diagnosis(&explanation(steps, FailureKind::Deadlock, Some(WaitKind::Lock)));
        let cycle = found(vec![waits_for(1, 16, 32), waits_for(2, 32, 16)]);
        assert_eq!(cycle, Diagnosis::LockOrderInversion { waits: vec![0, 1] });
        assert_eq!(found(vec![waits_for(1, 16, 32), waits_for(2, 48, 64)]), Diagnosis::Plain);
    }

    #[test]
    fn a_signal_is_lost_only_before_the_wait_begins() {
        let wait = || call(1, CallEffect::ConditionWait, "cv");
        let signal = || call(2, CallEffect::Signal, "cv");
        let told = |steps| diagnosis(&explanation(steps, FailureKind::Deadlock, Some(WaitKind::Condition)));
        let lost = told(vec![signal(), wait(), waits(wait(), &[])]);
        assert_eq!(lost, Diagnosis::LostWakeup { signal: 0, wait: 1 });
        assert_eq!(told(vec![wait(), signal(), waits(wait(), &[])]), Diagnosis::Plain);
        assert_eq!(told(vec![wait(), waits(wait(), &[])]), Diagnosis::Plain);
        // It was woken instead of another thread, and waits again.
        let other = call(0, CallEffect::ConditionWait, "cv");
        let woken = told(vec![other, wait(), signal(), wait(), wait(), waits(wait(), &[])]);
        assert_eq!(woken, Diagnosis::Plain);
    }

    #[test]
    fn a_verified_fix_says_what_is_wrong() {
        let steps = vec![
            ExecutedStep::taken(1, EventKind::Read, "n"),
            ExecutedStep::taken(2, EventKind::Write, "n"),
            ExecutedStep::taken(2, EventKind::Write, "other"),
            ExecutedStep::taken(1, EventKind::Write, "n"),
        ];
        let mut given = explanation(steps, FailureKind::Assert, None);
        given.remedies = vec![
            Remedy::Order { before: 1, after: 0, trial: Trial::Fails(String::new()) },
            Remedy::AtomicBlock { first: 0, last: 3, trial: Trial::Safe },
        ];
        let block = Diagnosis::AtomicityViolation { first: 0, between: Some(1), last: 3 };
        assert_eq!(diagnosis(&given), block);
        given.remedies.pop();
        assert_eq!(diagnosis(&given), Diagnosis::OrderViolation { early: 0, late: 1 });
        given.dependence = Dependence::Inputs;
        assert_eq!(diagnosis(&given), Diagnosis::Plain);
    }

    /// Between two critical sections of a thread, another one's.
    #[test]
    fn a_write_between_says_more_than_the_lock_s_release() {
        let steps = vec![
            ExecutedStep::taken(1, EventKind::Read, "n"),
            call(1, CallEffect::Unlock, "lock"),
            call(2, CallEffect::Lock, "lock"),
            ExecutedStep::taken(2, EventKind::Write, "n"),
            call(2, CallEffect::Unlock, "lock"),
            call(1, CallEffect::Lock, "lock"),
        ];
        let mut given = explanation(steps, FailureKind::Assert, None);
        given.remedies = vec![Remedy::AtomicBlock { first: 0, last: 5, trial: Trial::Safe }];
        let expected = Diagnosis::AtomicityViolation { first: 0, between: Some(3), last: 5 };
        assert_eq!(diagnosis(&given), expected);
        given.failing.steps[3].object = "other".into();
        let expected = Diagnosis::AtomicityViolation { first: 0, between: Some(4), last: 5 };
        assert_eq!(diagnosis(&given), expected);
    }

    /// A thread writes both halves of a number between another one's reads of them.
    #[test]
    fn parts_of_one_object_are_accessed_between_parts() {
        let at = |offset| Some(PlaceInMemory { object: 7, offset });
        let access = |thread, kind, offset| ExecutedStep {
            place: at(offset),
            ..ExecutedStep::taken(thread, kind, "n")
        };
        let steps = vec![
            access(0, EventKind::Read, 0),
            access(1, EventKind::Write, 0),
            access(1, EventKind::Write, 8),
            access(0, EventKind::Read, 8),
        ];
        let mut given = explanation(steps, FailureKind::Assert, None);
        given.cause.orders = vec![(0, 1), (2, 3)];
        let halves = Diagnosis::AtomicityViolation { first: 0, between: Some(2), last: 3 };
        assert_eq!(diagnosis(&given), halves);
        given.failing.steps[3].place = Some(PlaceInMemory { object: 8, offset: 8 });
        assert_eq!(diagnosis(&given), Diagnosis::Plain);
    }

    /// Memory is freed before a thread's lock in it and its unlock: the lock fails, both are to come first.
    #[test]
    fn the_access_that_fails_is_the_late_one() {
        let lines = [(0, CallEffect::Free, 38), (1, CallEffect::Lock, 23), (1, CallEffect::Unlock, 26)];
        let at = |line| Location { line, ..Location::default() };
        let steps = lines
            .map(|(thread, effect, line)| ExecutedStep { location: at(line), ..call(thread, effect, "m") });
        let mut given = explanation(steps.to_vec(), FailureKind::Memory, None);
        given.remedies = vec![Remedy::Order { before: 2, after: 0, trial: Trial::Safe }];
        assert_eq!(diagnosis(&given), Diagnosis::OrderViolation { early: 0, late: 2 });
        let failure = given.failing.failure.as_mut().expect("it fails");
        (failure.thread, failure.location) = (ThreadName::main().child(1), at(23));
        assert_eq!(diagnosis(&given), Diagnosis::OrderViolation { early: 0, late: 1 });
    }
}
