//! The conversion of a note to events of its thread in the trace, one or more.

use super::NotTraced;
use super::{Build, thread_ref, touches};
use crate::environment::Environment;
use crate::symbolic_trace::{Happened, Happening, Synchronisation};
use symx_expr::{BinaryOperator, Term};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::Ordering;
use symx_trace::symbolic::{AccessOrdering, ByteSpan, Condition, ObjectKind, ObjectRef, Operation, Taken};
use symx_trace::{Place, ThreadId};

fn access_ordering(ordering: Ordering) -> AccessOrdering {
    match ordering {
        Ordering::NotAtomic => AccessOrdering::NotAtomic,
        Ordering::Unordered => AccessOrdering::Unordered,
        Ordering::Monotonic => AccessOrdering::Monotonic,
        Ordering::Acquire => AccessOrdering::Acquire,
        Ordering::Release => AccessOrdering::Release,
        Ordering::AcquireRelease => AccessOrdering::AcquireRelease,
        Ordering::SequentiallyConsistent => AccessOrdering::SequentiallyConsistent,
    }
}

impl<E: Environment> Build<'_, '_, E> {
    /// Adds an event; `counted` is its number among those the thread counts.
    fn add(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        counted: Option<usize>,
        wakes: Option<ThreadId>,
    ) {
        let own = &mut self.counted[thread.index()];
        let index = own.len() as u32;
        own.push(counted);
        let wakes = wakes.map(thread_ref);
        self.order.push(Taken::Event { thread: thread_ref(thread), index, wakes });
        self.builder.event(thread_ref(thread), operation);
    }

    /// A symbol of the trace's own.
    fn symbol(&self, thread: ThreadId, width: u32) -> Term {
        let number = self.counted[thread.index()].len();
        self.terms().symbol(&format!("{}+{number}", self.names[thread.index()]), width)
    }

    /// Adds what was noted. The condition under which an object was found gone, if this is that.
    pub(super) fn event(
        &mut self,
        thread: ThreadId,
        number: usize,
        event: &Happened,
    ) -> Result<Option<Term>, NotTraced> {
        self.builder.at(self.place(event.span));
        let terms = self.terms();
        if let Some(gone) = self.look_whether_freed(thread, event) {
            if matches!(event.what, Happening::FoundFreed(_)) {
                return Ok(Some(gone));
            }
            self.builder.condition(thread_ref(thread), terms.not(gone));
        }
        let (mut wakes, counted) = (None, Some(number));
        let operation = match event.what {
            Happening::Read { address, length, ordering, symbol } => {
                let symbol = self.builder.record(symbol);
                let ordering = access_ordering(ordering);
                Operation::Read { span: self.span(address, length, event.span)?, ordering, symbol }
            }
            Happening::Write { address, length, ordering, value } => {
                let value = self.builder.record(value);
                let ordering = access_ordering(ordering);
                Operation::Write { span: self.span(address, length, event.span)?, ordering, value }
            }
            Happening::Update { address, length, ordering, symbol, value } => {
                let symbol = self.builder.record(symbol);
                let value = value.map(|value| self.builder.record(value));
                let ordering = access_ordering(ordering);
                Operation::ReadModifyWrite {
                    span: self.span(address, length, event.span)?,
                    ordering,
                    symbol,
                    value,
                }
            }
            Happening::Fence(ordering) => Operation::Fence { ordering: access_ordering(ordering) },
            Happening::Begin => Operation::Begin,
            Happening::Synchronised(what) => {
                if let Synchronisation::Signal { woken, .. } = what {
                    wakes = woken;
                }
                self.synchronisation(what, event.span)?
            }
            Happening::Effect { place, writes } => {
                if self.ordered.contains(&place) {
                    let (read, before) =
                        self.counted_effect(thread, number, event, place, writes.then_some(1));
                    let same = terms.equal(read, terms.constant(64, before));
                    self.builder.condition(thread_ref(thread), same);
                }
                return Ok(None);
            }
            Happening::Output { place, length } => {
                if self.ordered.contains(&place) {
                    let position = self.counted_effect(thread, number, event, place, Some(length)).0;
                    self.positions.insert((thread, number), position);
                }
                return Ok(None);
            }
            Happening::Freed(base) => {
                self.freed(thread, number, event, base);
                return Ok(None);
            }
            Happening::FoundFreed(_) => return Ok(None),
        };
        self.add(thread, operation, counted, wakes);
        Ok(None)
    }

    /// The end of an object's life: a write to what says that it is gone, if another thread uses the object.
    fn freed(&mut self, thread: ThreadId, number: usize, event: &Happened, base: u64) {
        if let Some(cell) = Cell::of(base).filter(|cell| self.freed.contains_key(cell)) {
            let span = self.life(cell);
            let value = self.builder.record(self.terms().constant(8, 1));
            let ordering = AccessOrdering::SequentiallyConsistent;
            let operation = match self.overtakes_stores(event) {
                true => {
                    let read = self.symbol(thread, 8);
                    Operation::Effect { span, symbol: self.builder.record(read), value }
                }
                false => Operation::Write { span, ordering, value },
            };
            self.add(thread, operation, Some(number), None);
        }
    }

    /// If the event uses an object that another thread ends: looks whether it is gone;
    /// the condition for that.
    fn look_whether_freed(&mut self, thread: ThreadId, event: &Happened) -> Option<Term> {
        let cell = touches(event)?;
        if *self.freed.get(&cell)? == thread {
            return None;
        }
        let terms = self.terms();
        let span = self.life(cell);
        let read = self.symbol(thread, 8);
        let symbol = self.builder.record(read);
        let ordering = AccessOrdering::Monotonic;
        self.add(thread, Operation::Read { span, ordering, symbol }, None, None);
        Some(terms.equal(read, terms.constant(8, 1)))
    }

    fn life(&mut self, cell: Cell) -> ByteSpan {
        let object = self.object_in(cell);
        let description = object.map_or_else(String::new, |object| self.executor.describe_object(object));
        self.objects.life(&mut self.builder, cell, &description)
    }

    /// Whether something outside memory happens though stores that its thread issued before may
    /// wait in the buffer.
    fn overtakes_stores(&self, event: &Happened) -> bool {
        self.executor.machine.model.buffers_stores() && !event.waits_for_stores
    }

    /// An event that reads how much there was at a place before, and adds to it if it changes it. It has the
    /// symbol it reads, and the value of that in this execution.
    fn counted_effect(
        &mut self,
        thread: ThreadId,
        number: usize,
        event: &Happened,
        place: Place,
        adds: Option<u64>,
    ) -> (Term, u64) {
        let terms = self.terms();
        let span = self.objects.effects(&mut self.builder, place);
        let before = *self.effects.entry(place).or_default();
        let read = self.symbol(thread, 64);
        let symbol = self.builder.record(read);
        let ordering = AccessOrdering::SequentiallyConsistent;
        let value = adds.map(|amount| {
            *self.effects.entry(place).or_default() += amount;
            let next = terms.binary(BinaryOperator::Add, read, terms.constant(64, amount));
            self.builder.record(next)
        });
        let operation = match value {
            Some(value) if self.overtakes_stores(event) => Operation::Effect { span, symbol, value },
            // A call that waits for stores does so, too, if it changes nothing; a load never does.
            None if !event.waits_for_stores => Operation::Read { span, ordering, symbol },
            value => Operation::ReadModifyWrite { span, ordering, symbol, value },
        };
        self.add(thread, operation, Some(number), None);
        (read, before)
    }

    fn span(&mut self, address: u64, length: u64, at: SpanId) -> Result<ByteSpan, NotTraced> {
        let gone = || self.refused("an access to an object that is gone", at);
        let cell = Cell::of(address).ok_or_else(gone)?;
        let Some((object, memory)) = self.memory(address) else {
            return Err(self.refused("an access to an object that is gone", at));
        };
        let offset = address - memory.base;
        self.accessed.entry(cell).or_default().push((offset, offset + length));
        Ok(ByteSpan { object, offset, length })
    }

    fn synchronisation_object(
        &mut self,
        address: u64,
        kind: ObjectKind,
        at: SpanId,
    ) -> Result<ObjectRef, NotTraced> {
        let outer = self
            .memory(address)
            .map(|(object, memory)| (object, address - memory.base, self.executor.describe_object(memory)));
        let object = self.objects.synchronisation(&mut self.builder, address, outer, kind);
        object.ok_or_else(|| self.refused("a synchronisation object that becomes one of another kind", at))
    }

    pub(super) fn synchronisation(
        &mut self,
        what: Synchronisation,
        at: SpanId,
    ) -> Result<Operation, NotTraced> {
        let mut object = |address, kind| self.synchronisation_object(address, kind, at);
        let (mutex, lock) = (ObjectKind::Mutex, ObjectKind::ReadWriteLock);
        Ok(match what {
            Synchronisation::Lock(address) => Operation::Lock(object(address, mutex)?),
            Synchronisation::LockBusy(address) => Operation::LockBusy(object(address, mutex)?),
            Synchronisation::Unlock(address) => Operation::Unlock(object(address, mutex)?),
            Synchronisation::ReadLock(address) => Operation::ReadLock(object(address, lock)?),
            Synchronisation::ReadLockBusy(address) => Operation::ReadLockBusy(object(address, lock)?),
            Synchronisation::ReadUnlock(address) => Operation::ReadUnlock(object(address, lock)?),
            Synchronisation::WriteLock(address) => Operation::WriteLock(object(address, lock)?),
            Synchronisation::WriteLockBusy(address) => Operation::WriteLockBusy(object(address, lock)?),
            Synchronisation::WriteUnlock(address) => Operation::WriteUnlock(object(address, lock)?),
            Synchronisation::WaitBegin { condition, mutex } => {
                Operation::WaitBegin(self.wait(condition, mutex, at)?)
            }
            Synchronisation::WaitSignalled { condition, mutex } => {
                Operation::WaitSignalled(self.wait(condition, mutex, at)?)
            }
            Synchronisation::WaitElapsed { condition, mutex } => {
                Operation::WaitElapsed(self.wait(condition, mutex, at)?)
            }
            Synchronisation::Signal { condition, .. } => {
                Operation::Signal(object(condition, ObjectKind::ConditionVariable)?)
            }
            Synchronisation::Broadcast(condition) => {
                Operation::Broadcast(object(condition, ObjectKind::ConditionVariable)?)
            }
            Synchronisation::BarrierArrive { barrier, width } => {
                self.semaphores.insert(barrier, width);
                Operation::BarrierArrive(self.synchronisation_object(
                    barrier,
                    ObjectKind::Barrier { width },
                    at,
                )?)
            }
            Synchronisation::BarrierPass(barrier) => {
                let width = self.semaphores.get(&barrier).copied().unwrap_or(1);
                Operation::BarrierPass(self.synchronisation_object(
                    barrier,
                    ObjectKind::Barrier { width },
                    at,
                )?)
            }
            Synchronisation::SemaphoreWait { semaphore, value } => {
                let object = self.semaphore(semaphore, value, at)?;
                self.semaphores.insert(semaphore, value.saturating_sub(1));
                Operation::SemaphoreWait(object)
            }
            Synchronisation::SemaphorePost { semaphore, value } => {
                let object = self.semaphore(semaphore, value, at)?;
                self.semaphores.insert(semaphore, value + 1);
                Operation::SemaphorePost(object)
            }
            Synchronisation::SemaphoreZero(semaphore) => {
                Operation::SemaphoreZero(self.semaphore(semaphore, 0, at)?)
            }
            Synchronisation::Create(thread) => Operation::Create(thread_ref(thread)),
            Synchronisation::End => Operation::End,
            Synchronisation::Join(thread) => Operation::Join(thread_ref(thread)),
            Synchronisation::Nothing => return Err(self.refused("an operation without effect", at)),
        })
    }

    fn semaphore(&mut self, address: u64, value: u32, at: SpanId) -> Result<ObjectRef, NotTraced> {
        if *self.semaphores.entry(address).or_insert(value) != value {
            return Err(self.refused("a semaphore that is initialised again", at));
        }
        self.synchronisation_object(address, ObjectKind::Semaphore { initial: value }, at)
    }

    fn wait(&mut self, condition: u64, mutex: u64, at: SpanId) -> Result<Condition, NotTraced> {
        Ok(Condition {
            condition: self.synchronisation_object(condition, ObjectKind::ConditionVariable, at)?,
            mutex: self.synchronisation_object(mutex, ObjectKind::Mutex, at)?,
        })
    }
}
