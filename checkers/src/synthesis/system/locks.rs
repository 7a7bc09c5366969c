//! Locks: the sections that each has in the events, and their constraints on the order of events.

use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{Builder, Literal};
use symx_trace::symbolic::{ObjectKind, ObjectRef, Operation};

/// From a lock to the unlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// Whose.
    pub thread: usize,
    /// The lock.
    pub begin: EventId,
    /// The unlock, if there is one.
    pub end: Option<EventId>,
    /// Whether no other thread may have it: not so where one reads.
    pub excludes: bool,
}

/// The sections that events lie in.
#[derive(Debug)]
pub(in crate::synthesis) struct Sections {
    /// By event, its sections: the lock, the beginning, and whether it excludes.
    of: Vec<Vec<(ObjectRef, EventId, bool)>>,
}

impl Sections {
    /// As if there were no locks.
    pub(in crate::synthesis) fn none(problem: &Problem) -> Self {
        Self { of: vec![Vec::new(); problem.event_count()] }
    }

    pub(in crate::synthesis) fn new(problem: &Problem) -> Self {
        let mut of = vec![Vec::new(); problem.event_count()];
        for (number, object) in problem.trace.objects.iter().enumerate() {
            if !matches!(object.kind, ObjectKind::Mutex | ObjectKind::ReadWriteLock) {
                continue;
            }
            let lock = ObjectRef(number as u32);
            for Section { begin, end, excludes, .. } in Lock::of(problem, lock).sections {
                let inside = end.map_or(begin.0..begin.0, |end| begin.0..end.0 + 1);
                inside.for_each(|event| of[event as usize].push((lock, begin, excludes)));
            }
        }
        Self { of }
    }

    /// Two events whose order is that of the events given: the beginnings of two sections
    /// that exclude each other.
    pub(in crate::synthesis) fn named_by(&self, one: EventId, other: EventId) -> Option<(EventId, EventId)> {
        let others = &self.of[other.index()];
        self.of[one.index()].iter().find_map(|(lock, begin, excludes)| {
            let (_, other_begin, _) = others.iter().find(|(other_lock, other_begin, other_excludes)| {
                lock == other_lock && begin != other_begin && (*excludes || *other_excludes)
            })?;
            Some((*begin, *other_begin))
        })
    }
}

/// A mutex or readers-writer lock.
#[derive(Debug)]
pub struct Lock {
    /// Its sections, thread by thread in program order; where a thread reads several times at once, from the
    /// first lock to the last unlock.
    pub sections: Vec<Section>,
    /// Attempts that found it taken, and whether readers count.
    busy: Vec<(EventId, bool)>,
    /// By thread that waits forever, whether it wants to exclude others.
    blocked: Vec<bool>,
    /// Whether a thread releases a lock that it does not hold, or acquires one that it holds.
    pub(crate) is_misused: bool,
}

/// The effect of an operation on a lock.
enum Step {
    Acquire { excludes: bool },
    Release { excludes: bool },
    Busy { excludes: bool },
}

fn step(operation: &Operation, lock: ObjectRef) -> Option<Step> {
    let (object, step) = match operation {
        Operation::Lock(object) | Operation::WriteLock(object) => (object, Step::Acquire { excludes: true }),
        Operation::WaitSignalled(wait) | Operation::WaitElapsed(wait) => {
            (&wait.mutex, Step::Acquire { excludes: true })
        }
        Operation::ReadLock(object) => (object, Step::Acquire { excludes: false }),
        Operation::Unlock(object) | Operation::WriteUnlock(object) => {
            (object, Step::Release { excludes: true })
        }
        Operation::WaitBegin(wait) => (&wait.mutex, Step::Release { excludes: true }),
        Operation::ReadUnlock(object) => (object, Step::Release { excludes: false }),
        Operation::LockBusy(object) | Operation::WriteLockBusy(object) => {
            (object, Step::Busy { excludes: true })
        }
        Operation::ReadLockBusy(object) => (object, Step::Busy { excludes: false }),
        _ => return None,
    };
    (*object == lock).then_some(step)
}

impl Lock {
    /// The sections of a lock.
    pub fn of(problem: &Problem, lock: ObjectRef) -> Self {
        let mut found =
            Self { sections: Vec::new(), busy: Vec::new(), blocked: Vec::new(), is_misused: false };
        for thread in 0..problem.thread_count() {
            // The open sections of the thread, and how often it reads.
            let (mut writes, mut reads, mut depth) = (None, None, 0);
            for event in problem.events_of(thread) {
                let Some(step) = step(problem.operation(event), lock) else { continue };
                let place = found.sections.len();
                match step {
                    Step::Busy { excludes } => found.busy.push((event, excludes)),
                    Step::Acquire { excludes } => {
                        // No thread gets past a lock that it holds itself, except that it may read twice.
                        found.is_misused |= writes.is_some() || excludes && reads.is_some();
                        if excludes || depth == 0 {
                            *(if excludes { &mut writes } else { &mut reads }) = Some(place);
                            found.sections.push(Section { thread, begin: event, end: None, excludes });
                        }
                        depth += u32::from(!excludes);
                    }
                    Step::Release { excludes } => {
                        let open = if excludes { &mut writes } else { &mut reads };
                        depth = depth.saturating_sub(u32::from(!excludes));
                        match *open {
                            None => found.is_misused = true,
                            Some(section) if excludes || depth == 0 => {
                                found.sections[section].end = Some(event);
                                *open = None;
                            }
                            Some(_) => {}
                        }
                    }
                }
            }
            let blocked = problem.trace.threads[thread].blocked.as_ref();
            match blocked.and_then(|event| step(&event.operation, lock)) {
                // A thread that waits for a signal may wait for that instead (see `condition_variables`).
                _ if blocked.is_some_and(|event| matches!(event.operation, Operation::WaitSignalled(_))) => {}
                Some(Step::Acquire { excludes }) => found.blocked.push(excludes),
                _ => {}
            }
        }
        found
    }

    /// Whether some thread holds it in the end.
    pub fn is_held(&self, against_readers: bool) -> bool {
        self.sections.iter().any(|section| section.end.is_none() && (section.excludes || against_readers))
    }

    pub(super) fn constrain(&self, builder: &mut Builder) {
        if self.is_misused || self.blocked.iter().any(|excludes| !self.is_held(*excludes)) {
            builder.contradiction();
        }
        for (index, one) in self.sections.iter().enumerate() {
            for other in &self.sections[..index] {
                if one.thread != other.thread && (one.excludes || other.excludes) {
                    let follows = |first: &Section, second: &Section| {
                        first.end.map(|end| Literal::before(end, second.begin))
                    };
                    // The order of their beginnings names the order of events in both.
                    for (first, second) in [(one, other), (other, one)] {
                        builder.about(Some(second.begin));
                        let later = !Literal::before(first.begin, second.begin);
                        builder.exact_clause([Some(later), follows(first, second)].into_iter().flatten());
                    }
                }
            }
        }
        for &(attempt, excludes) in &self.busy {
            builder.about(Some(attempt));
            let mut held = Vec::new();
            for section in self.sections.iter().filter(|section| excludes || section.excludes) {
                let begun = Literal::before(section.begin, attempt);
                let open = section.end.map(|end| Literal::before(attempt, end));
                let literals: Vec<Literal> = [Some(begun), open].into_iter().flatten().collect();
                held.push(builder.only_if_all(&literals));
            }
            builder.clause(held);
        }
        builder.about(None);
    }
}
