//! Noting what happens in one execution, values as terms over what reads of shared memory return.
//!
//! Every such read gives a new symbol, whose value in this execution is known. Conditions on symbols are decided by
//! these values, and noted. Shared memory itself keeps plain values: what was written as a term is in the event.

use super::Synchronisation;
use crate::memory::Object;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell;
use std::collections::BTreeMap;
use symx_expr::{Assignment, BitVector, Evaluator, Term, Terms};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::Ordering;
use symx_trace::{Footprint, Place, ThreadId};

/// Something that happened in a thread.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    Read {
        address: u64,
        length: u64,
        ordering: Ordering,
        symbol: Term,
    },
    Write {
        address: u64,
        length: u64,
        ordering: Ordering,
        value: Term,
    },
    Update {
        address: u64,
        length: u64,
        ordering: Ordering,
        symbol: Term,
        value: Option<Term>,
    },
    Fence(Ordering),
    Synchronised(Synchronisation),
    /// Something whose order must stay what it was.
    Effect {
        place: Place,
        writes: bool,
    },
    /// The object at this address is gone.
    Freed(u64),
    /// Reads the object at this address, which is gone.
    FoundFreed(u64),
    Begin,
}

/// An event with its place.
#[derive(Clone, Debug)]
pub(crate) struct Happened {
    pub what: Happening,
    pub span: SpanId,
}

/// A condition that held.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// How many of the thread's events came before.
    pub after: usize,
    pub term: Term,
    pub span: SpanId,
}

/// A step of the execution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moved {
    /// The event of a thread with this number.
    Event(ThreadId, usize),
    /// A store, which was the event with this number of a thread, has reached memory.
    Commit(ThreadId, usize),
}

/// What one thread did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    pub events: Vec<Happened>,
    pub conditions: Vec<Held>,
    known: FxHashSet<Term>,
}

/// Notes what happens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracer {
    /// What inputs are, and what reads returned.
    pub values: Assignment,
    /// Values of terms under these.
    evaluated: FxHashMap<Term, BitVector>,
    /// By thread number.
    pub threads: Vec<Followed>,
    /// In the order of the execution.
    pub order: Vec<Moved>,
    /// Who runs.
    pub running: ThreadId,
    /// Where it stands.
    pub place: SpanId,
    /// Whether a second thread was ever created: what comes before is no event.
    pub has_begun: bool,
    /// What the call that is being performed has announced.
    pub announced: Footprint,
    /// Whether the call that is being performed has said what it does.
    pub has_said: bool,
    /// Objects as they were before the first event at them.
    pub before: BTreeMap<Cell, Object>,
    /// By thread and number of the store, the event that put it into the buffer.
    issued: FxHashMap<(ThreadId, u32), usize>,
    /// What a trace cannot tell, and where it was met first.
    pub refused: Option<(String, SpanId)>,
    /// An object that was used though it is gone.
    pub found_freed: cell::Cell<Option<u64>>,
}

impl Tracer {
    /// One that knows what inputs are.
    pub fn new(inputs: Assignment) -> Self {
        Self { values: inputs, ..Self::default() }
    }

    /// What the running thread has done.
    pub fn own(&mut self) -> &mut Followed {
        let index = self.running.index();
        if self.threads.len() <= index {
            self.threads.resize_with(index + 1, Followed::default);
        }
        &mut self.threads[index]
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

    /// A new symbol that has a value.
    pub fn symbol(&mut self, terms: &Terms, name: &str, value: BitVector) -> Term {
        let number = self.own().events.len();
        let symbol = terms.symbol(&format!("{name}#{number}"), value.width());
        self.values.set(symbol, value);
        symbol
    }

    /// Notes an event of the running thread.
    pub fn note(&mut self, what: Happening, span: SpanId) {
        let running = self.running;
        let own = self.own();
        own.events.push(Happened { what, span });
        let index = own.events.len() - 1;
        self.order.push(Moved::Event(running, index));
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

    /// The number in the buffer of the store that was the event of a thread with this number, if it went there.
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

    /// Notes that the execution has something a trace cannot tell.
    pub fn refuse(&mut self, what: impl Into<String>, span: SpanId) {
        if self.refused.is_none() {
            self.refused = Some((what.into(), span));
        }
    }
}
