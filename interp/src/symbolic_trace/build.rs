//! From what was noted to a symbolic trace.

use super::objects::Objects;
use super::output::unexpected;
use super::tracer::{Followed, Happened, Happening, Held, Moved};
use super::{Synchronisation, Tracer};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Object, Site};
use crate::report::location;
use crate::state::State;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use symx_expr::{BinaryOperator, Node, Term, Terms};
use symx_ir::address::Cell;
use symx_ir::{Program, SpanId};
use symx_memmodel::Ordering;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, Condition, ObjectKind, ObjectRef, Operation, SymbolicTrace, Taken, ThreadRef,
    TraceBuilder,
};
use symx_trace::{Failure, Location, Place, ThreadId, ThreadName};

/// Why an execution has no symbolic trace.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("a symbolic trace cannot tell: {what}")]
pub struct NotTraced {
    /// What it cannot tell.
    pub what: String,
    /// Where in the program, if anywhere.
    pub location: Option<Location>,
}

/// An execution as a symbolic trace.
#[derive(Clone, Debug)]
pub struct Traced {
    /// What the threads did.
    pub trace: SymbolicTrace,
    /// The order in which they did it.
    pub order: Vec<Taken>,
    /// By thread and event, which of the thread's events as they are counted while it runs this is; none for those that
    /// the trace has besides.
    pub(crate) counted: Vec<Vec<Option<usize>>>,
    /// Whether the bug has conditions of the paths in it: an execution without it need not be one that ends well.
    pub has_path_in_bug: bool,
    /// Sites whose objects threads share, ascending.
    pub shared: Vec<Site>,
    /// Objects whose accesses are no events.
    pub(crate) private: Arc<FxHashSet<Cell>>,
}

impl Traced {
    /// Whether a thread's event is one that the trace has besides what the program does: it looks whether an object that
    /// is about to be used is there.
    pub fn looks_for_life(&self, thread: usize, event: usize) -> bool {
        self.counted.get(thread).and_then(|events| events.get(event)).is_some_and(Option::is_none)
    }
}

/// How the execution ended.
pub(crate) struct Ending {
    pub failure: Option<Failure>,
    /// The thread whose last condition is the bug.
    pub decided_by: Option<ThreadId>,
    /// Who waits for ever, for what, and where.
    pub blocked: Vec<(ThreadId, Synchronisation, SpanId)>,
    /// What should have been written, if it is the bug that it was not.
    pub expected: Option<Arc<[u8]>>,
}

/// Bytes that one initial value is about at most.
const PIECE: u64 = 64;

struct Build<'b, 'm, E: Environment> {
    executor: &'b Executor<'m, E>,
    state: &'b State<E>,
    tracer: &'b Tracer,
    builder: TraceBuilder<'b>,
    objects: Objects,
    names: Vec<ThreadName>,
    /// Objects that one thread ends and another one uses: who ends them.
    freed: FxHashMap<Cell, ThreadId>,
    /// Places with effects of more than one thread.
    ordered: FxHashSet<Place>,
    /// How many effects there were at a place so far.
    effects: FxHashMap<Place, u64>,
    /// What calls read that write to standard output: how much was written before.
    positions: FxHashMap<(ThreadId, usize), Term>,
    semaphores: FxHashMap<u64, u32>,
    /// Stores that wait in buffers, by thread and event, if this is how they were in an execution.
    waiting: Option<FxHashSet<(ThreadId, usize)>>,
    /// Accessed bytes by object.
    accessed: BTreeMap<Cell, Vec<(u64, u64)>>,
    counted: Vec<Vec<Option<usize>>>,
    order: Vec<Taken>,
    /// Where what is written is the bug: the last scope of the program's own code, and the conditions of libraries' code,
    /// which puts it into words and buffers. They are part of the bug, not of the path.
    wording: Option<(u32, Vec<Term>)>,
}

/// The trace of what an executor has noted. `orders_effects` says whether that is an execution: then calls that touch the same
/// thing of the system keep their order.
pub(crate) fn build<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    ending: Ending,
    orders_effects: bool,
) -> Result<Traced, NotTraced> {
    let tracer = executor.tracer.take().unwrap_or_default();
    let machine = executor.machine;
    if let Some((what, span)) = &tracer.refused {
        let location = location(&machine.program, *span);
        return Err(NotTraced { what: what.clone(), location: (location.line > 0).then_some(location) });
    }
    let names: Vec<ThreadName> = state.threads.iter().map(|thread| thread.name.clone()).collect();
    if state.threads.iter().any(|thread| thread.service) {
        return Err(NotTraced { what: "a timer of the process".into(), location: None });
    }
    let build = Build {
        executor,
        state,
        builder: TraceBuilder::new(&machine.terms),
        objects: Objects::default(),
        names,
        freed: freed(&tracer.threads),
        ordered: if orders_effects { ordered(&tracer.threads) } else { FxHashSet::default() },
        effects: FxHashMap::default(),
        positions: FxHashMap::default(),
        semaphores: FxHashMap::default(),
        waiting: orders_effects.then(FxHashSet::default),
        accessed: BTreeMap::new(),
        counted: vec![Vec::new(); state.threads.len()],
        order: Vec::new(),
        wording: ending.expected.is_some().then(|| (last_own_scope(&machine.program), Vec::new())),
        tracer: &tracer,
    };
    build.run(ending)
}

/// The last scope of the program's own code, which is linked before that of libraries.
fn last_own_scope(program: &Program) -> u32 {
    let own = program.functions.iter().filter(|function| function.recorded);
    own.flat_map(|function| &function.spans).map(|span| program.span(*span).scope).max().unwrap_or(u32::MAX)
}

/// Objects that a thread ends and another one uses.
fn freed(threads: &[Followed]) -> FxHashMap<Cell, ThreadId> {
    let all = || {
        let numbered = (0..).map(ThreadId).zip(threads);
        numbered.flat_map(|(thread, followed)| followed.events.iter().map(move |event| (thread, event)))
    };
    let mut freed = FxHashMap::default();
    for (thread, event) in all() {
        if let Happening::Freed(base) = event.what
            && let Some(cell) = Cell::of(base)
        {
            freed.insert(cell, thread);
        }
    }
    let uses = |cell: Cell, ender: ThreadId| {
        all().any(|(thread, event)| thread != ender && touches(event) == Some(cell))
    };
    freed.retain(|cell, ender| uses(*cell, *ender));
    freed
}

/// The cell of the object that an event touches, and whose end it would notice.
fn touches(event: &Happened) -> Option<Cell> {
    match event.what {
        Happening::Read { address, .. }
        | Happening::Write { address, .. }
        | Happening::Update { address, .. }
        | Happening::FoundFreed(address) => Cell::of(address),
        Happening::Synchronised(what) => what.lock().and_then(Cell::of),
        _ => None,
    }
}

fn ordered(threads: &[Followed]) -> FxHashSet<Place> {
    let mut by: FxHashMap<Place, usize> = FxHashMap::default();
    let mut ordered = FxHashSet::default();
    for (thread, followed) in threads.iter().enumerate() {
        for event in &followed.events {
            if let Happening::Effect { place, .. } | Happening::Output { place, .. } = event.what
                && *by.entry(place).or_insert(thread) != thread
            {
                ordered.insert(place);
            }
        }
    }
    ordered
}

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

fn thread_ref(thread: ThreadId) -> ThreadRef {
    ThreadRef(thread.0)
}

impl<'b, E: Environment> Build<'b, '_, E> {
    fn terms(&self) -> &'b Terms {
        &self.executor.machine.terms
    }

    fn place(&self, span: SpanId) -> Location {
        location(&self.executor.machine.program, span)
    }

    fn refused(&self, what: impl Into<String>, span: SpanId) -> NotTraced {
        let location = self.place(span);
        NotTraced { what: what.into(), location: (location.line > 0).then_some(location) }
    }

    fn run(mut self, mut ending: Ending) -> Result<Traced, NotTraced> {
        for name in &self.names[1..] {
            self.builder.thread(name.clone());
        }
        let tracer = self.tracer;
        let buffered = tracer.buffered();
        let mut conditions = vec![0; tracer.threads.len()];
        // The condition that is the bug is none of the path.
        let decided = ending.decided_by.take().and_then(|thread| {
            let held = &tracer.threads.get(thread.index())?.conditions;
            Some((thread, held.len().checked_sub(1)?))
        });
        let bug =
            decided.map_or(Term::TRUE, |(thread, at)| tracer.threads[thread.index()].conditions[at].term);
        let mut found_freed = Term::TRUE;
        for moved in &tracer.order {
            match *moved {
                Moved::Event(thread, number) => {
                    if let Some(waiting) =
                        self.waiting.as_mut().filter(|_| buffered.contains(&(thread, number)))
                    {
                        waiting.insert((thread, number));
                    }
                    let followed = &tracer.threads[thread.index()];
                    self.hold(thread, followed, &mut conditions[thread.index()], number, decided);
                    if let Some(gone) = self.event(thread, number, &followed.events[number])? {
                        found_freed = gone;
                    }
                }
                Moved::Commit(thread, number) => {
                    if let Some(waiting) = &mut self.waiting {
                        waiting.remove(&(thread, number));
                    }
                    let counted = &self.counted[thread.index()];
                    let index = counted.iter().rposition(|counted| *counted == Some(number));
                    if let Some(index) = index {
                        self.order.push(Taken::Commit { thread: thread_ref(thread), index: index as u32 });
                    }
                }
            }
        }
        for (thread, followed) in (0..).map(ThreadId).zip(&tracer.threads) {
            self.hold(thread, followed, &mut conditions[thread.index()], usize::MAX, decided);
        }
        for (thread, what, span) in std::mem::take(&mut ending.blocked) {
            let operation = self.synchronisation(what, span)?;
            self.builder.at(self.place(span));
            self.builder.blocked(thread_ref(thread), operation);
        }
        self.initial_values();
        self.inputs();
        let mut is_part_of_bug = false;
        let bug = match ending.expected.take() {
            Some(expected) => {
                let rest = self.executor.unnoticed_output(self.state, tracer);
                let differs = unexpected(self.terms(), tracer, &rest, &expected, &self.positions);
                let differs = differs.ok_or_else(|| {
                    let what = "output as long as this, or of which nothing says where it comes";
                    self.refused(what, SpanId::UNKNOWN)
                })?;
                let wording = self.wording.take().map_or_else(Vec::new, |(_, terms)| terms);
                is_part_of_bug = !wording.is_empty();
                self.terms().all(wording.into_iter().chain([differs]))
            }
            None if found_freed == Term::TRUE => bug,
            None => found_freed,
        };
        let trace = self.builder.finish(bug, ending.failure);
        let visible = self.executor.visible.iter().flat_map(|sites| sites.iter());
        let shared: BTreeSet<Site> = visible.chain(tracer.unseen.iter()).copied().collect();
        Ok(Traced {
            trace,
            order: self.order,
            counted: self.counted,
            shared: shared.into_iter().collect(),
            has_path_in_bug: is_part_of_bug,
            private: Arc::clone(&tracer.private),
        })
    }

    /// The conditions of a thread that come before its event with this number.
    fn hold(
        &mut self,
        thread: ThreadId,
        followed: &Followed,
        next: &mut usize,
        number: usize,
        bug: Option<(ThreadId, usize)>,
    ) {
        while let Some(held) = followed.conditions.get(*next).filter(|held| held.after <= number) {
            if self.is_wording(held) {
                self.wording.iter_mut().for_each(|(_, terms)| terms.push(held.term));
            } else if bug != Some((thread, *next)) {
                self.builder.at(self.place(held.span));
                self.builder.condition(thread_ref(thread), held.term);
            }
            *next += 1;
        }
    }

    /// Whether a condition decides how a thread puts into words what it writes, or where in the buffer it puts that.
    fn is_wording(&self, held: &Held) -> bool {
        let own = self.wording.as_ref().map(|(last_own, _)| *last_own);
        own.is_some_and(|own| self.executor.machine.program.span(held.span).scope > own)
    }

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
    fn event(
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
                    self.has_no_store_waiting(thread, "an effect on the system", event.span)?;
                    self.effect(thread, number, place, writes);
                }
                return Ok(None);
            }
            Happening::Output { place, length } => {
                if self.ordered.contains(&place) {
                    self.has_no_store_waiting(thread, "output", event.span)?;
                    let position = self.counted_effect(thread, number, place, Some(length)).0;
                    self.positions.insert((thread, number), position);
                }
                return Ok(None);
            }
            Happening::Freed(base) => {
                if let Some(cell) = Cell::of(base).filter(|cell| self.freed.contains_key(cell)) {
                    self.has_no_store_waiting(thread, "an object that ends", event.span)?;
                    let span = self.life(cell);
                    let value = self.builder.record(terms.constant(8, 1));
                    let ordering = AccessOrdering::SequentiallyConsistent;
                    self.add(thread, Operation::Write { span, ordering, value }, counted, None);
                }
                return Ok(None);
            }
            Happening::FoundFreed(_) => return Ok(None),
        };
        self.add(thread, operation, counted, wakes);
        Ok(None)
    }

    /// What others notice at once, though it is no access to memory, is an event that waits until all stores of its thread
    /// have left the buffer. Where they had not, no trace tells the execution.
    fn has_no_store_waiting(&self, thread: ThreadId, what: &str, at: SpanId) -> Result<(), NotTraced> {
        let mut waiting = self.waiting.iter().flatten();
        match waiting.any(|(of, _)| *of == thread) {
            true => {
                Err(self
                    .refused(format!("{what} while an earlier store of its thread waits in the buffer"), at))
            }
            false => Ok(()),
        }
    }

    /// If the event uses an object that another thread ends: looks whether it is gone; the condition for that.
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

    fn effect(&mut self, thread: ThreadId, number: usize, place: Place, writes: bool) {
        let terms = self.terms();
        let (read, before) = self.counted_effect(thread, number, place, writes.then_some(1));
        let same = terms.equal(read, terms.constant(64, before));
        self.builder.condition(thread_ref(thread), same);
    }

    /// An event that reads how much there was at a place before, and adds so much if it changes it: what it reads, and that
    /// in this execution.
    fn counted_effect(
        &mut self,
        thread: ThreadId,
        number: usize,
        place: Place,
        adds: Option<u64>,
    ) -> (Term, u64) {
        let terms = self.terms();
        let span = self.objects.effects(&mut self.builder, place);
        let before = *self.effects.entry(place).or_default();
        let read = self.symbol(thread, 64);
        let symbol = self.builder.record(read);
        let ordering = AccessOrdering::SequentiallyConsistent;
        let operation = match adds {
            Some(amount) => {
                *self.effects.entry(place).or_default() += amount;
                let next = terms.binary(BinaryOperator::Add, read, terms.constant(64, amount));
                let value = Some(self.builder.record(next));
                Operation::ReadModifyWrite { span, ordering, symbol, value }
            }
            None => Operation::Read { span, ordering, symbol },
        };
        self.add(thread, operation, Some(number), None);
        (read, before)
    }

    /// The object as it was before its first event, or as it is.
    fn object_in(&self, cell: Cell) -> Option<&'b Object> {
        let (tracer, state) = (self.tracer, self.state);
        tracer.before.get(&cell).or_else(|| state.memory.get(cell))
    }

    fn memory(&mut self, address: u64) -> Option<(ObjectRef, &'b Object)> {
        let cell = Cell::of(address)?;
        let object = self.object_in(cell)?;
        let place = self.objects.memory(self.executor, &mut self.builder, &self.names, cell, object);
        Some((place, object))
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

    fn synchronisation(&mut self, what: Synchronisation, at: SpanId) -> Result<Operation, NotTraced> {
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

    /// What accessed bytes held before the first event.
    fn initial_values(&mut self) {
        let terms = self.terms();
        let inputs: FxHashSet<Term> =
            self.state.inputs.iter().flat_map(|input| input.bytes.iter().copied()).collect();
        for (cell, mut ranges) in std::mem::take(&mut self.accessed) {
            let Some(object) = self.object_in(cell) else { continue };
            let place = self.objects.memory(self.executor, &mut self.builder, &self.names, cell, object);
            ranges.sort_unstable();
            let mut done = 0;
            for (start, end) in ranges {
                let mut at = start.max(done);
                while at < end {
                    let length = PIECE.min(end - at);
                    let bytes = (at..at + length).rev().map(|offset| {
                        let byte = object.byte(terms, offset).term(terms);
                        if symbols_are(terms, byte, &inputs) { byte } else { self.plain_byte(byte) }
                    });
                    let value = bytes.reduce(|high, low| terms.concat(high, low));
                    if let Some(value) = value.filter(|value| *value != terms.zero(length as u32 * 8)) {
                        self.builder.initial(ByteSpan { object: place, offset: at, length }, value);
                    }
                    at += length;
                }
                done = done.max(end);
            }
        }
    }

    fn plain_byte(&self, byte: Term) -> Term {
        let terms = self.terms();
        terms.bitvector(&symx_expr::evaluate(terms, byte, &self.tracer.values))
    }

    fn inputs(&mut self) {
        for input in &self.state.inputs {
            for symbol in input.bytes.iter() {
                self.builder.input(*symbol, self.tracer.values.get(*symbol));
            }
        }
    }
}

/// Whether all symbols of a term are of these.
fn symbols_are(terms: &Terms, term: Term, known: &FxHashSet<Term>) -> bool {
    let mut open = vec![term];
    while let Some(current) = open.pop() {
        let node = terms.node(current);
        if matches!(node, Node::Symbol { .. }) && !known.contains(&current) {
            return false;
        }
        open.extend(node.operands());
    }
    true
}
