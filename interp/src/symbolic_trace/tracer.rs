//! Noting what happens in one execution, values as terms over what reads of shared memory return.
//!
//! Every such read gives a new symbol, whose value in this execution is known. Conditions on symbols are
//! decided by these values, and noted. Shared memory itself keeps plain values: what was written as a term
//! is in the event.

use super::Synchronisation;

use crate::memory::{Object, Site};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use symx_expr::{Assignment, BitVector, Evaluator, Term, Terms};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, Ordering};
use symx_trace::{Footprint, Place, ThreadId, ThreadName};

/// Assumed values of reads, by thread and the number of the event.
pub type Guesses = FxHashMap<(ThreadName, usize), BitVector>;

/// Something that happened in a thread.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A read of shared memory.
    Read {
        /// Its first byte's address.
        address: u64,
        /// Bytes.
        length: u64,
        /// The ordering asked for.
        ordering: Ordering,
        /// The symbol that it returns.
        symbol: Term,
    },
    /// A write to shared memory.
    Write {
        /// Its first byte's address.
        address: u64,
        /// Bytes.
        length: u64,
        /// The ordering asked for.
        ordering: Ordering,
        /// The value that is written.
        value: Term,
    },
    /// A read and a write of the same bytes, in one.
    Update {
        /// Its first byte's address.
        address: u64,
        /// Bytes.
        length: u64,
        /// The ordering asked for.
        ordering: Ordering,
        /// The symbol that it reads.
        symbol: Term,
        /// The value that it writes; `None` if none: a comparison failed.
        value: Option<Term>,
    },
    /// A fence.
    Fence(Ordering),
    /// A call that synchronises.
    Synchronised(Synchronisation),
    /// Something whose order must stay what it was.
    Effect {
        /// The place that it touches.
        place: Place,
        /// Whether it changes that.
        writes: bool,
    },
    /// Bytes are written to standard output, of which something is expected.
    Output {
        /// The place that the call touches.
        place: Place,
        /// Bytes.
        length: u64,
    },
    /// The object at this address is gone.
    Freed(u64),
    /// Reads the object at this address, which is gone.
    FoundFreed(u64),
    /// The thread begins.
    Begin,
}

impl Happening {
    /// The symbol of what it reads.
    pub fn symbol(&self) -> Option<Term> {
        match self {
            Self::Read { symbol, .. } | Self::Update { symbol, .. } => Some(*symbol),
            _ => None,
        }
    }

    /// The value that it writes.
    pub fn written(&self) -> Option<Term> {
        match self {
            Self::Write { value, .. } => Some(*value),
            Self::Update { value, .. } => *value,
            _ => None,
        }
    }

    /// The bytes it accesses.
    pub fn range(&self) -> Option<ByteRange> {
        match *self {
            Self::Read { address, length, .. }
            | Self::Write { address, length, .. }
            | Self::Update { address, length, .. } => Some(ByteRange::new(address, length)),
            _ => None,
        }
    }
}

/// An event with its place.
#[derive(Clone, Debug)]
pub struct Happened {
    /// The event.
    pub what: Happening,
    /// The instruction's place.
    pub span: SpanId,
    /// Whether it is part of a call that waits for the thread's own stores.
    pub waits_for_stores: bool,
}

/// A condition that held.
#[derive(Clone, Debug)]
pub struct Held {
    /// How many of the thread's events came before.
    pub after: usize,
    /// The condition.
    pub term: Term,
    /// The instruction's place.
    pub span: SpanId,
}

/// A step of the execution.
#[derive(Clone, Copy, Debug)]
pub enum Moved {
    /// The event of a thread with this number.
    Event(ThreadId, usize),
    /// A store, which was the event with this number of a thread, has reached memory.
    Commit(ThreadId, usize),
}

/// The events of one thread.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Its events, in its order.
    pub events: Vec<Happened>,
    /// Conditions that held, in its order.
    pub conditions: Vec<Held>,
    /// How many conditions have stayed since this was set to their number.
    pub unchanged: usize,
    known: FxHashSet<Term>,
}

/// A mark taken when a step began, so that the step can be taken back.
pub struct Mark {
    thread: ThreadId,
    /// How many events the thread had.
    pub events: usize,
    /// How many conditions had held.
    pub conditions: usize,
    order: usize,
    has_begun: bool,
}

/// The output of one call.
#[derive(Clone, Debug)]
pub struct Written {
    /// The event that it is; none before there is a second thread.
    pub event: Option<(ThreadId, usize)>,
    /// The bytes.
    pub bytes: Vec<Term>,
    /// Whether they are just what the call announced that it would read: none of an earlier
    /// call are among them.
    pub is_whole: bool,
}

/// Notes what happens.
#[derive(Clone, Debug, Default)]
pub struct Tracer {
    /// Values of inputs and of reads.
    pub values: Assignment,
    /// Values of terms under these.
    evaluated: FxHashMap<Term, BitVector>,
    /// By thread number.
    pub threads: Vec<Followed>,
    /// In the order of the execution.
    pub order: Vec<Moved>,
    /// The thread that runs.
    pub running: ThreadId,
    /// Where it stands.
    pub place: SpanId,
    /// Whether a second thread was ever created: what comes before is no event.
    pub has_begun: bool,
    /// The announced footprint of the call that is being performed.
    pub announced: Footprint,
    /// Whether the call that is being performed had to wait for the thread's own stores.
    pub waits_for_stores: bool,
    /// Whether the call that is being performed has said what it does.
    pub has_said: bool,
    /// Objects as they were before the first event at them.
    pub before: BTreeMap<Cell, Object>,
    /// By symbol, which event of which thread reads it.
    readers: FxHashMap<Term, (ThreadId, usize)>,
    /// By bytes, the events that write them, in the order in which they were noted.
    writes: FxHashMap<ByteRange, Vec<(ThreadId, usize)>>,
    /// By thread and number of the store, the event that put it into the buffer.
    issued: FxHashMap<(ThreadId, u32), usize>,
    /// Sites whose objects threads share though they do not count as visible: accesses to them
    /// are events within steps.
    pub unseen: Arc<FxHashSet<Site>>,
    /// Objects that one thread alone accesses, which concern no other thread.
    pub private: Arc<FxHashSet<Cell>>,
    /// Values that reads are to return, whatever memory holds.
    pub guesses: Guesses,
    /// The operation that a trace cannot express, and where it was met first.
    pub refused: Option<(String, SpanId)>,
    /// The bytes written to standard output, if something is expected of that.
    pub output: Vec<Written>,
    /// An object that was used though it is gone.
    pub found_freed: cell::Cell<Option<u64>>,
}

impl Tracer {
    /// One that knows what inputs are.
    pub fn new(inputs: Assignment) -> Self {
        Self { values: inputs, ..Self::default() }
    }

    /// The events of the running thread.
    pub fn own(&mut self) -> &mut Followed {
        let index = self.running.index();
        if self.threads.len() <= index {
            self.threads.resize_with(index + 1, Followed::default);
        }
        &mut self.threads[index]
    }

    /// Which event of which thread reads a symbol.
    pub fn reader(&self, symbol: Term) -> Option<(ThreadId, usize)> {
        self.readers.get(&symbol).copied()
    }

    /// The events that write just these bytes, in the order in which they were noted.
    pub fn writes_to(&self, bytes: ByteRange) -> impl DoubleEndedIterator<Item = &Happened> {
        let writes = self.writes.get(&bytes).map_or(&[][..], |writes| writes);
        writes.iter().map(|(thread, number)| &self.threads[thread.index()].events[*number])
    }

    /// How many events of a thread there are.
    pub fn count(&self, thread: ThreadId) -> usize {
        self.threads.get(thread.index()).map_or(0, |followed| followed.events.len())
    }

    /// The value of a term in this execution.
    pub fn value(&mut self, terms: &Terms, term: Term) -> BitVector {
        if let Some(value) = terms.as_bitvector(term) {
            return value;
        }
        let mut evaluator = Evaluator::resume(terms, &self.values, std::mem::take(&mut self.evaluated));
        let value = evaluator.value(term);
        self.evaluated = evaluator.into_values();
        value
    }

    /// A new symbol that has a value: what was guessed, or else this.
    pub fn symbol(&mut self, terms: &Terms, thread: &ThreadName, value: BitVector) -> Term {
        let number = self.own().events.len();
        let guess = match self.guesses.is_empty() {
            true => None,
            false => self.guesses.get(&(thread.clone(), number)),
        };
        let value = guess.filter(|guess| guess.width() == value.width()).cloned().unwrap_or(value);
        let symbol = terms.symbol(&format!("{thread}#{number}"), value.width());
        if self.values.get(symbol).is_some_and(|known| *known != value) {
            // A step that was taken back had another one.
            self.evaluated.clear();
        }
        self.values.set(symbol, value);
        symbol
    }

    /// A mark of the notes so far, before a step of `thread`.
    pub fn mark(&self, thread: ThreadId) -> Mark {
        let conditions = self.threads.get(thread.index()).map_or(0, |followed| followed.conditions.len());
        let (events, order) = (self.count(thread), self.order.len());
        Mark { thread, events, conditions, order, has_begun: self.has_begun }
    }

    /// Takes back what the step has noted that began at the mark, and all later ones.
    pub fn undo(&mut self, mark: &Mark) {
        self.order.truncate(mark.order);
        self.has_begun = mark.has_begun;
        self.refused = None;
        self.found_freed.set(None);
        if let Some(followed) = self.threads.get_mut(mark.thread.index()) {
            followed.unchanged = followed.unchanged.min(mark.conditions);
            for (number, event) in (mark.events..).zip(followed.events.drain(mark.events..)) {
                if let Some(symbol) = event.what.symbol() {
                    self.readers.remove(&symbol);
                }
                let bytes = event.what.written().and(event.what.range());
                let writes = bytes.and_then(|bytes| self.writes.get_mut(&bytes));
                if let Some(writes) = writes
                    && let Some(at) = writes.iter().rposition(|one| *one == (mark.thread, number))
                {
                    writes.remove(at);
                }
            }
            for held in followed.conditions.drain(mark.conditions..) {
                followed.known.remove(&held.term);
            }
        }
    }

    /// Has a symbol denote another value.
    pub fn change(&mut self, symbol: Term, value: BitVector) {
        self.values.set(symbol, value);
        self.evaluated.clear();
    }

    /// Takes back what threads other than `failing` may not have done. It looks at events after those that
    /// are `certain` (by thread number). They are taken back from the first on that waits for others, or
    /// after which a condition was noted.
    pub fn leave_open(&mut self, certain: &[usize], failing: Option<ThreadId>) {
        for (thread, followed) in (0..).map(ThreadId).zip(&mut self.threads) {
            if Some(thread) == failing {
                continue;
            }
            let certain = certain.get(thread.index()).copied().unwrap_or(0);
            let waits = |event: &Happened| match &event.what {
                Happening::Synchronised(what) => what.waits(),
                _ => false,
            };
            let tail = followed.events.iter().skip(certain).position(waits);
            let decides = followed.conditions.iter().map(|held| held.after).find(|after| *after > certain);
            let end =
                [tail.map(|at| certain + at), decides.map(|after| after - 1)].into_iter().flatten().min();
            let Some(end) = end else { continue };
            followed.events.truncate(end);
            followed.conditions.retain(|held| held.after <= end);
            self.order.retain(|moved| match moved {
                Moved::Event(of, number) | Moved::Commit(of, number) => *of != thread || *number < end,
            });
        }
    }

    /// Objects that one thread alone accesses.
    pub fn accessed_by_one(&self) -> FxHashSet<Cell> {
        let mut by: FxHashMap<Cell, Option<usize>> = FxHashMap::default();
        for (thread, followed) in self.threads.iter().enumerate() {
            for event in &followed.events {
                let cell = match event.what {
                    Happening::Read { address, .. }
                    | Happening::Write { address, .. }
                    | Happening::Update { address, .. }
                    | Happening::Freed(address)
                    | Happening::FoundFreed(address) => Cell::of(address),
                    _ => None,
                };
                if let Some(cell) = cell {
                    let known = by.entry(cell).or_insert(Some(thread));
                    *known = known.filter(|known| *known == thread);
                }
            }
        }
        by.into_iter().filter_map(|(cell, thread)| thread.map(|_| cell)).collect()
    }

    /// Notes an event of the running thread.
    pub fn note(&mut self, what: Happening, span: SpanId) {
        let (running, waits_for_stores) = (self.running, self.waits_for_stores);
        let (symbol, bytes) = (what.symbol(), what.written().and(what.range()));
        let own = self.own();
        own.events.push(Happened { what, span, waits_for_stores });
        let index = own.events.len() - 1;
        self.order.push(Moved::Event(running, index));
        if let Some(symbol) = symbol {
            self.readers.insert(symbol, (running, index));
        }
        if let Some(bytes) = bytes {
            self.writes.entry(bytes).or_default().push((running, index));
        }
    }

    /// Notes that a condition held for the running thread.
    pub fn hold(&mut self, terms: &Terms, term: Term) {
        let span = self.place;
        let own = self.own();
        if terms.is_constant(term) || !own.known.insert(term) {
            return;
        }
        let after = own.events.len();
        own.conditions.push(Held { after, term, span });
    }

    /// Notes that the last event of the running thread, a store, waits in its buffer under this number.
    pub fn buffer(&mut self, number: u32) {
        let running = self.running;
        let index = self.own().events.len() - 1;
        self.issued.insert((running, number), index);
    }

    /// Notes that all stores that still wait in buffers reach memory after all else.
    pub fn commit_rest(&mut self) {
        let committed: FxHashSet<(ThreadId, usize)> = self
            .order
            .iter()
            .filter_map(|moved| match moved {
                Moved::Commit(thread, index) => Some((*thread, *index)),
                Moved::Event(..) => None,
            })
            .collect();
        let issued = self.issued.iter().map(|((thread, number), index)| (*thread, *number, *index));
        let mut rest: Vec<_> =
            issued.filter(|(thread, _, index)| !committed.contains(&(*thread, *index))).collect();
        rest.sort_unstable();
        self.order.extend(rest.into_iter().map(|(thread, _, index)| Moved::Commit(thread, index)));
    }

    /// The number in the buffer of the store that was the event of a thread with this number,
    /// if it went there.
    pub fn store(&self, thread: ThreadId, event: usize) -> Option<u32> {
        let mut stores = self.issued.iter();
        stores.find(|((of, _), index)| *of == thread && **index == event).map(|((_, number), _)| *number)
    }

    /// Notes that a store of the thread reaches memory: that with this number, or the last one noted.
    pub fn commit(&mut self, thread: ThreadId, number: Option<u32>) {
        let index = match number {
            Some(number) => self.issued.get(&(thread, number)).copied(),
            None => self.count(thread).checked_sub(1),
        };
        if let Some(index) = index {
            self.order.push(Moved::Commit(thread, index));
        }
    }

    /// Notes that the execution has something that a trace cannot express.
    pub fn refuse(&mut self, what: impl Into<String>, span: SpanId) {
        if self.refused.is_none() {
            self.refused = Some((what.into(), span));
        }
    }
}
