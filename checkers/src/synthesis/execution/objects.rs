//! Synchronisation objects in one state of an execution, and the lives of threads.

use crate::synthesis::problem::Problem;
use std::hash::{Hash, Hasher};
use symx_trace::symbolic::{ObjectKind, ObjectRef, Operation};

/// The state of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ObjectState {
    /// Memory has its values elsewhere.
    Memory,
    Mutex {
        owner: Option<usize>,
    },
    ReadWriteLock {
        writer: Option<usize>,
        /// One entry a lock, sorted.
        readers: Vec<usize>,
    },
    ConditionVariable {
        /// The threads that wait for a signal, in order of arrival.
        sleepers: Vec<usize>,
        /// Signals whose sleeper is not chosen yet: each wakes one of the first this many of those left.
        owed: Vec<usize>,
    },
    Barrier {
        width: u32,
        arrived: u32,
        /// How often it was full.
        rounds: u32,
    },
    Semaphore {
        value: u64,
    },
}

/// The state of a thread's life and waiting.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Life {
    created: bool,
    ended: bool,
    /// Sleeps at a condition variable until it is signalled.
    asleep: bool,
    /// The round of the barrier that it arrived in.
    round: u32,
}

/// All objects and lives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Objects {
    objects: Vec<ObjectState>,
    lives: Vec<Life>,
    /// Whether it is chosen only when a sleeper goes on which signal has woken it.
    chooses_late: bool,
}

/// The part of them that an operation may change, as it was.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Saved {
    objects: Vec<(ObjectRef, ObjectState)>,
    lives: Vec<Life>,
}

impl Objects {
    pub(crate) fn new(problem: &Problem) -> Self {
        let state = |kind: &ObjectKind| match *kind {
            ObjectKind::Memory { .. } => ObjectState::Memory,
            ObjectKind::Mutex => ObjectState::Mutex { owner: None },
            ObjectKind::ReadWriteLock => ObjectState::ReadWriteLock { writer: None, readers: Vec::new() },
            ObjectKind::ConditionVariable => {
                ObjectState::ConditionVariable { sleepers: Vec::new(), owed: Vec::new() }
            }
            ObjectKind::Barrier { width } => ObjectState::Barrier { width, arrived: 0, rounds: 0 },
            ObjectKind::Semaphore { initial } => ObjectState::Semaphore { value: initial.into() },
        };
        let objects = problem.trace.objects.iter().map(|object| state(&object.kind)).collect();
        let mut lives = vec![Life::default(); problem.thread_count()];
        lives[0].created = true;
        Self { objects, lives, chooses_late: false }
    }

    pub(crate) fn object(&self, object: ObjectRef) -> &ObjectState {
        &self.objects[object.0 as usize]
    }

    pub(crate) fn has_ended(&self, thread: usize) -> bool {
        self.lives[thread].ended
    }

    /// From now on it is chosen only when a sleeper goes on which signal has woken it.
    pub(crate) fn choose_late(&mut self) {
        self.chooses_late = true;
    }

    /// Whether some signal may have woken a sleeper.
    fn is_owed(&self, thread: usize, condition: ObjectRef) -> bool {
        match self.object(condition) {
            ObjectState::ConditionVariable { sleepers, owed } => {
                let place = sleepers.iter().position(|sleeper| *sleeper == thread);
                place.is_some_and(|place| owed.iter().any(|among| place < *among))
            }
            _ => false,
        }
    }

    /// A sleeper goes on: of the signals that may have woken it, it was that with the fewest others to wake.
    fn wake(&mut self, thread: usize, condition: ObjectRef) {
        let ObjectState::ConditionVariable { sleepers, owed } = &mut self.objects[condition.0 as usize]
        else {
            return;
        };
        let Some(place) = sleepers.iter().position(|sleeper| *sleeper == thread) else { return };
        sleepers.remove(place);
        // They are in order of their coming, which is that of growing numbers.
        if let Some(signal) = owed.iter().position(|among| place < *among) {
            owed.remove(signal);
        }
        owed.iter_mut().filter(|among| place < **among).for_each(|among| *among -= 1);
        self.lives[thread].asleep = false;
    }

    fn owner(&self, mutex: ObjectRef) -> Option<usize> {
        match self.object(mutex) {
            ObjectState::Mutex { owner } => *owner,
            _ => None,
        }
    }

    /// Writer and readers.
    fn holders(&self, lock: ObjectRef) -> (Option<usize>, &[usize]) {
        match self.object(lock) {
            ObjectState::ReadWriteLock { writer, readers } => (*writer, readers),
            _ => (None, &[]),
        }
    }

    fn semaphore(&self, semaphore: ObjectRef) -> u64 {
        match self.object(semaphore) {
            ObjectState::Semaphore { value } => *value,
            _ => 0,
        }
    }

    /// Whether a thread could perform a synchronising operation now; accesses and joins are not asked about.
    pub(crate) fn permit(&self, thread: usize, operation: &Operation) -> bool {
        match *operation {
            Operation::Lock(mutex) => self.owner(mutex).is_none(),
            Operation::LockBusy(mutex) => self.owner(mutex).is_some(),
            Operation::Unlock(mutex) => self.owner(mutex) == Some(thread),
            Operation::WaitBegin(wait) => self.owner(wait.mutex) == Some(thread),
            Operation::WaitSignalled(wait) => {
                self.owner(wait.mutex).is_none()
                    && (!self.lives[thread].asleep || self.is_owed(thread, wait.condition))
            }
            Operation::WaitElapsed(wait) => self.owner(wait.mutex).is_none(),
            Operation::ReadLock(lock) => self.holders(lock).0.is_none(),
            Operation::ReadLockBusy(lock) => self.holders(lock).0.is_some(),
            Operation::ReadUnlock(lock) => self.holders(lock).1.contains(&thread),
            Operation::WriteLock(lock) => self.holders(lock) == (None, &[]),
            Operation::WriteLockBusy(lock) => self.holders(lock) != (None, &[]),
            Operation::WriteUnlock(lock) => self.holders(lock).0 == Some(thread),
            Operation::BarrierPass(barrier) => match self.object(barrier) {
                ObjectState::Barrier { rounds, .. } => *rounds > self.lives[thread].round,
                _ => false,
            },
            Operation::SemaphoreWait(semaphore) => self.semaphore(semaphore) > 0,
            Operation::SemaphoreZero(semaphore) => self.semaphore(semaphore) == 0,
            Operation::Begin => self.lives[thread].created,
            _ => true,
        }
    }

    /// Performs an operation that is [permitted](Self::permit); a wait that begins and `elapses` hears no
    /// signal. `None` if there is no sleeper with the number `wakes`.
    pub(crate) fn execute(
        &mut self,
        thread: usize,
        operation: &Operation,
        wakes: usize,
        elapses: bool,
    ) -> Option<()> {
        match *operation {
            Operation::Create(child) => self.lives[child.0 as usize].created = true,
            Operation::End => self.lives[thread].ended = true,
            Operation::WaitBegin(wait) => {
                self.set_owner(wait.mutex, None);
                if let ObjectState::ConditionVariable { sleepers, .. } =
                    &mut self.objects[wait.condition.0 as usize]
                    && !elapses
                {
                    sleepers.push(thread);
                    self.lives[thread].asleep = true;
                }
            }
            Operation::WaitSignalled(wait) | Operation::WaitElapsed(wait) => {
                self.wake(thread, wait.condition);
                self.set_owner(wait.mutex, Some(thread));
            }
            Operation::Signal(object) => self.signal(object, wakes, false)?,
            Operation::Broadcast(object) => self.signal(object, wakes, true)?,
            Operation::Lock(object) => self.set_owner(object, Some(thread)),
            Operation::Unlock(object) => self.set_owner(object, None),
            Operation::ReadLock(object)
            | Operation::ReadUnlock(object)
            | Operation::WriteLock(object)
            | Operation::WriteUnlock(object) => self.change_holders(object, thread, operation)?,
            Operation::BarrierArrive(object) => {
                let ObjectState::Barrier { width, arrived, rounds } = &mut self.objects[object.0 as usize]
                else {
                    return None;
                };
                self.lives[thread].round = *rounds;
                *arrived += 1;
                if arrived == width {
                    *rounds += 1;
                    *arrived = 0;
                }
            }
            Operation::SemaphoreWait(object) | Operation::SemaphorePost(object) => {
                let ObjectState::Semaphore { value } = &mut self.objects[object.0 as usize] else {
                    return None;
                };
                match operation {
                    Operation::SemaphoreWait(_) => *value = value.checked_sub(1)?,
                    _ => *value += 1,
                }
            }
            _ => {}
        }
        Some(())
    }

    /// A signal wakes the sleeper with the number `wakes`, or all of them.
    fn signal(&mut self, condition: ObjectRef, wakes: usize, all: bool) -> Option<()> {
        let ObjectState::ConditionVariable { sleepers, owed } = &mut self.objects[condition.0 as usize]
        else {
            return None;
        };
        if self.chooses_late && !all {
            if owed.len() < sleepers.len() {
                owed.push(sleepers.len());
            }
            return Some(());
        }
        owed.clear();
        if !all && wakes >= sleepers.len().max(1) {
            return None;
        }
        let woken: Vec<usize> = match (all, sleepers.is_empty()) {
            (true, _) => std::mem::take(sleepers),
            (false, true) => Vec::new(),
            (false, false) => vec![sleepers.remove(wakes)],
        };
        woken.into_iter().for_each(|sleeper| self.lives[sleeper].asleep = false);
        Some(())
    }

    /// A thread takes or releases a read-write lock.
    fn change_holders(&mut self, lock: ObjectRef, thread: usize, operation: &Operation) -> Option<()> {
        let ObjectState::ReadWriteLock { writer, readers } = &mut self.objects[lock.0 as usize] else {
            return None;
        };
        let place = readers.partition_point(|reader| *reader < thread);
        match operation {
            Operation::ReadLock(_) => readers.insert(place, thread),
            Operation::ReadUnlock(_) => drop(readers.remove(place)),
            Operation::WriteLock(_) => *writer = Some(thread),
            _ => *writer = None,
        }
        Some(())
    }

    /// The state needed to undo an operation.
    pub(crate) fn save(&self, operation: &Operation) -> Saved {
        let objects = objects_of(operation).map(|object| (object, self.object(object).clone())).collect();
        Saved { objects, lives: self.lives.clone() }
    }

    /// Hashes what the future depends on: the order of sleepers that no signal distinguishes makes no
    /// difference.
    pub(crate) fn hash_what_matters(&self, hasher: &mut impl Hasher) {
        for object in &self.objects {
            match object {
                ObjectState::Memory => {}
                ObjectState::ConditionVariable { sleepers, owed } if self.chooses_late => {
                    owed.hash(hasher);
                    let mut first = 0;
                    for end in owed.iter().copied().chain([sleepers.len()]).filter(|end| *end > 0) {
                        let mut alike = sleepers[first.min(end)..end].to_vec();
                        alike.sort_unstable();
                        alike.hash(hasher);
                        first = end;
                    }
                }
                object => object.hash(hasher),
            }
        }
        self.lives.hash(hasher);
    }

    /// Whether a thread sleeps at a condition variable, and no signal may have woken it.
    pub(crate) fn sleeps_unsignalled(&self, thread: usize, condition: ObjectRef) -> bool {
        let sleeps = match self.object(condition) {
            ObjectState::ConditionVariable { sleepers, .. } => sleepers.contains(&thread),
            _ => false,
        };
        sleeps && !self.is_owed(thread, condition)
    }

    /// Undoes an operation.
    pub(crate) fn restore(&mut self, saved: Saved) {
        saved.objects.into_iter().for_each(|(object, state)| self.objects[object.0 as usize] = state);
        self.lives = saved.lives;
    }

    fn set_owner(&mut self, mutex: ObjectRef, new: Option<usize>) {
        if let ObjectState::Mutex { owner } = &mut self.objects[mutex.0 as usize] {
            *owner = new;
        }
    }
}

/// The synchronisation objects an operation touches.
pub(in crate::synthesis) fn objects_of(operation: &Operation) -> impl Iterator<Item = ObjectRef> {
    let (one, other) = match *operation {
        Operation::Lock(object)
        | Operation::LockBusy(object)
        | Operation::Unlock(object)
        | Operation::ReadLock(object)
        | Operation::ReadLockBusy(object)
        | Operation::ReadUnlock(object)
        | Operation::WriteLock(object)
        | Operation::WriteLockBusy(object)
        | Operation::WriteUnlock(object)
        | Operation::Signal(object)
        | Operation::Broadcast(object)
        | Operation::BarrierArrive(object)
        | Operation::BarrierPass(object)
        | Operation::SemaphoreWait(object)
        | Operation::SemaphoreZero(object)
        | Operation::SemaphorePost(object) => (Some(object), None),
        Operation::WaitBegin(wait) | Operation::WaitSignalled(wait) => {
            (Some(wait.mutex), Some(wait.condition))
        }
        Operation::WaitElapsed(wait) => (Some(wait.mutex), None),
        _ => (None, None),
    };
    one.into_iter().chain(other)
}
